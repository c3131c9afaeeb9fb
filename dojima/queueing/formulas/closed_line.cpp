#include "dojima/queueing/formulas/closed_line.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "dojima/queueing/formulas/markov_queues.hpp"

namespace dojima::queueing {
namespace {

Answer<double> wait_in(const Answer<Station>& station) {
  if (!station) return std::unexpected(station.error());
  return station->means.wait * 1e9;
}

}  // namespace

Answer<ClosedLine> closed_line_of(const Trace& trace) {
  ClosedLine line{.requests = trace.size()};
  if (line.requests < k_least_line_requests)
    return std::unexpected(
        impossible(fmt::format("{} requests; a line of few customers needs {}", line.requests, k_least_line_requests)));
  double thought = 0;
  std::size_t thoughts = 0;
  std::size_t customers = 0;
  for (const auto& part : trace.parts) {
    std::map<std::uint16_t, std::uint64_t> last_end;
    for (const measure::ServiceRecord& record : part) {
      line.service_ns += static_cast<double>(record.end_ns - record.start_ns);
      line.wait_ns += static_cast<double>(record.start_ns - record.arrival_ns);
      const auto [before, is_first] = last_end.try_emplace(record.server, record.end_ns);
      if (!is_first && record.arrival_ns >= before->second) {
        thought += static_cast<double>(record.arrival_ns - before->second);
        ++thoughts;
      }
      before->second = record.end_ns;
    }
    customers = std::max(customers, last_end.size());
  }
  const auto n = static_cast<double>(line.requests);
  line.customers = static_cast<std::uint32_t>(customers);
  line.per_second = n / trace.seconds();
  line.think_ns = thoughts > 0 ? thought / static_cast<double>(thoughts) : 0;
  line.service_ns /= n;
  line.wait_ns /= n;
  if (!is_positive(line.think_ns) || !is_positive(line.service_ns))
    return std::unexpected(impossible("nobody thinks, or no service takes any time"));
  return line;
}

LineForecasts forecasts_of(const ClosedLine& line) {
  const FiniteSource source{
      .sources = line.customers, .think_rate = 1e9 / line.think_ns, .service_rate = 1e9 / line.service_ns};
  return {.open = wait_in(mmc(line.per_second, source.service_rate, line.servers)),
          .finite = wait_in(mmc_finite_source(source, line.servers)),
          .finite_fixed = line.servers == 1 ? wait_in(md1_finite_source(source))
                                            : Answer<double>(std::unexpected(impossible("a formula for one server")))};
}

}  // namespace dojima::queueing
