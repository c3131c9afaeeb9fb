#include "dojima/link/host_shares.hpp"

#include <bit>
#include <functional>
#include <tuple>

#include "dojima/base/assert.hpp"

namespace dojima::link {

HostShares::HostShares(std::size_t waiting_most) : hosts_(std::bit_ceil(2 * waiting_most + 2)) {
  waiting_.reserve(waiting_most);
}

void HostShares::begin() noexcept {
  waiting_.clear();
  ++choice_;
}

void HostShares::add(std::string_view host, std::uint64_t number) noexcept {
  DOJIMA_ASSERT(waiting_.size() < waiting_.capacity(), "no more wait than there is room for", waiting_.size());
  const std::size_t place = place_of(host);
  ++hosts_[place].waiting;
  waiting_.push_back({place, number});
}

std::optional<std::size_t> HostShares::choose(std::string_view newcomer) noexcept {
  const std::size_t own = place_of(newcomer);
  const auto rank = [&](const Waiting& one) {
    return std::tuple(hosts_[one.host].waiting, one.host == own, ~one.number);
  };
  std::optional<std::size_t> chosen;
  for (std::size_t at = 0; at < waiting_.size(); ++at)
    if (!chosen || rank(waiting_[at]) > rank(waiting_[*chosen])) chosen = at;
  return chosen;
}

/// That of the host, which is entered where it is not there. There is always a free one: more than twice as many as
/// wait, and the newcomer's.
std::size_t HostShares::place_of(std::string_view name) noexcept {
  std::size_t place = std::hash<std::string_view>{}(name) & (hosts_.size() - 1);
  while (hosts_[place].choice == choice_ && hosts_[place].name != name) place = (place + 1) & (hosts_.size() - 1);
  if (hosts_[place].choice != choice_) hosts_[place] = {.name = name, .choice = choice_, .waiting = 0};
  return place;
}

}  // namespace dojima::link
