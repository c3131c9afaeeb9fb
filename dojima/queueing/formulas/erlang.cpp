#include "dojima/queueing/formulas/erlang.hpp"

#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>

#include "dojima/base/assert.hpp"

namespace dojima::queueing {
namespace {

Answer<double> checked(std::uint32_t servers, double share) {
  if (servers == 0 || servers > k_most_servers)
    return std::unexpected(impossible(fmt::format("{} servers; it must be 1 to {}", servers, k_most_servers)));
  if (!(share > 0 && share < 1))
    return std::unexpected(impossible(fmt::format("a share of {:g}; it must lie between 0 and 1", share)));
  return share;
}

/// Where a share that grows with the offered load reaches `target`.
template <class Share>
double root_of(const Share& share, double target, double low, double high) {
  std::uintmax_t steps = 200;
  const auto found = boost::math::tools::toms748_solve([&](double offered) { return share(offered) - target; }, low,
                                                       high, boost::math::tools::eps_tolerance<double>(50), steps);
  return (found.first + found.second) / 2;
}

/// Loss from delay, both for the same servers: C = B / (1 - rho (1 - B)).
double delay_of_loss(double loss, std::uint32_t servers, double offered) {
  const double load = offered / servers;
  return load >= 1 ? 1 : loss / (1 - load * (1 - loss));
}

template <class Enough>
Answer<std::uint32_t> fewest(double offered, double share, const Enough& is_enough) {
  if (!is_positive(offered))
    return std::unexpected(impossible(fmt::format("an offered load of {:g}; it must be above 0", offered)));
  if (const auto right = checked(1, share); !right) return std::unexpected(right.error());
  double loss = 1;
  for (std::uint32_t servers = 1; servers <= k_most_servers; ++servers) {
    loss = offered * loss / (servers + offered * loss);
    if (is_enough(servers, loss)) return servers;
  }
  return std::unexpected(impossible(fmt::format("more than {} servers are needed", k_most_servers)));
}

}  // namespace

double erlang_b(std::uint32_t servers, double offered) {
  DOJIMA_ASSERT(is_positive(offered) && servers <= k_most_servers, "an offered load above 0", offered, servers);
  double loss = 1;
  for (std::uint32_t n = 1; n <= servers; ++n) loss = offered * loss / (n + offered * loss);
  return loss;
}

double erlang_c(std::uint32_t servers, double offered) {
  return delay_of_loss(erlang_b(servers, offered), servers, offered);
}

Answer<double> offered_for_loss(std::uint32_t servers, double loss) {
  if (const auto right = checked(servers, loss); !right) return std::unexpected(right.error());
  double high = servers;
  while (erlang_b(servers, high) < loss) high *= 2;
  return root_of([servers](double offered) { return offered > 0 ? erlang_b(servers, offered) : 0; }, loss, 0, high);
}

Answer<std::uint32_t> servers_for_loss(double offered, double loss) {
  return fewest(offered, loss, [loss](std::uint32_t, double lost) { return lost <= loss; });
}

Answer<double> offered_for_delay(std::uint32_t servers, double delayed) {
  if (const auto right = checked(servers, delayed); !right) return std::unexpected(right.error());
  return root_of([servers](double offered) { return offered > 0 ? erlang_c(servers, offered) : 0; }, delayed, 0,
                 servers);
}

Answer<std::uint32_t> servers_for_delay(double offered, double delayed) {
  return fewest(offered, delayed, [=](std::uint32_t servers, double loss) {
    return servers > offered && delay_of_loss(loss, servers, offered) <= delayed;
  });
}

}  // namespace dojima::queueing
