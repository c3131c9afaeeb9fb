// Room that is set aside in all cells of a profile at once, so that its orders need not look at any of them.

#include <algorithm>
#include <bit>
#include <optional>

#include "dojima/base/assert.hpp"
#include "dojima/venue/risk/risk_limits.hpp"
#include "dojima/venue/risk/risk_tables.hpp"

namespace dojima::venue {

void RiskProfiles::give_back(RiskProfile& profile) noexcept {
  for (const std::uint32_t at : profile.cells.at) {
    if (at == k_no_cell) continue;
    RiskProfile::Room& aside = aside_of(at);
    aside.add(profile.granted, -1);
    DOJIMA_ASSERT((aside.orders | aside.lots[0] | aside.lots[1] | static_cast<std::int64_t>(aside.value >> 64)) >= 0,
                  "no more is given back than was set aside", aside.orders, aside.lots[0], aside.lots[1], at);
  }
  profile.lease = {};
  --leases_;
}

void RiskProfiles::grant(RiskProfile& profile, const RiskProfile::Room& room) noexcept {
  profile.lease = {.left = room, .term = term_};
  profile.granted = room;
  for (const std::uint32_t at : profile.cells.at)
    if (at != k_no_cell) aside_of(at).add(room, 1);
  ++leases_;
}

/// Whether what the request wants is within what was set aside for it, so that it breaks no limit on what is counted.
bool RiskLimits::is_covered(const RiskRequest& request, std::int64_t last, const RiskProfile& profile) const {
  if (profile.lease.term != tables_->profiles.term() || request.count != 1) return false;
  const RiskLeg& leg = request.legs[0];
  const RiskValue value = value_of(leg.price.units != 0 ? leg.price.units : last, leg.leaves.lots);
  return profile.lease.left.has(value, side_at(leg.side), leg.leaves.lots);
}

/// The request in hand is admitted: what it wants is taken from what was set aside for it, where that is enough. What
/// an order that is there counts for already goes back to the cells.
void RiskLimits::take(RiskProfile& profile) {
  Tables& tables = *tables_;
  const RiskRequest& request = tables.request;
  if (request.count == 0) return;
  if (!is_covered(request, tables.reference, profile)) return lease(profile);
  const RiskLeg& leg = request.legs[0];
  const std::int64_t price = leg.price.units != 0 ? leg.price.units : tables.reference;
  profile.lease.left.take(value_of(price, leg.leaves.lots), side_at(leg.side), leg.leaves.lots);
}

/// Room is set aside for the orders behind the request in hand, which takes what it wants before. All that is set aside
/// of a cell is no more than what its limits leave; where it would be, or little is left for others, it ends for all.
/// What is taken of a lease is counted in the cells too, so a new one replaces it.
[[gnu::noinline]] void RiskLimits::lease(RiskProfile& profile) {
  Tables& tables = *tables_;
  if (profile.lacks_cells || tables.profiles.waits(profile)) return;
  tables.profiles.settle();
  if (profile.lease.term == tables.profiles.term()) tables.profiles.give_back(profile);
  using Room = RiskProfile::Room;
  const RiskRequest& request = tables.request;
  Room wanted;
  for (std::uint8_t at = 0; at < request.count; ++at) {
    const RiskLeg& leg = request.legs[at];
    const std::int64_t price = leg.price.units != 0 ? leg.price.units : tables.reference;
    wanted.add({.orders = 1, .value = value_of(price, std::max<std::int64_t>(leg.leaves.lots, 0))}, 1);
    wanted.lots[side_at(leg.side)] += std::max<std::int64_t>(leg.leaves.lots, 0);
  }
  std::optional<Room> free = free_for_lease(profile, wanted);
  if (!free) {
    tables.profiles.end_term();
    free = free_for_lease(profile, wanted);
  }
  // With as many leases that take as much of what is left a part is left after all of them.
  const auto shift = std::bit_width(4 + tables.profiles.leases());
  const auto part = [shift](auto left) { return left > 0 ? left >> shift : 0; };
  const Room room{
      .orders = part(free->orders), .value = part(free->value), .lots = {part(free->lots[0]), part(free->lots[1])}};
  // One that has no room for the like of this request would be of no use.
  const bool is_of_use = room.orders >= wanted.orders && room.value >= wanted.value && room.lots[0] >= wanted.lots[0] &&
                         room.lots[1] >= wanted.lots[1];
  is_of_use ? tables.profiles.grant(profile, room) : tables.profiles.refuse(profile);
}

/// What the limits of all of its cells leave behind what is wanted and set aside. Nothing: of some cell more is set
/// aside than that, or nearly all of it.
std::optional<RiskProfile::Room> RiskLimits::free_for_lease(const RiskProfile& profile,
                                                            const RiskProfile::Room& wanted) const {
  Tables& tables = *tables_;
  RiskProfile::Room free{
      .orders = k_no_count_limit, .value = k_no_value_limit, .lots = {k_no_position_limit, k_no_position_limit}};
  bool is_short = false;
  const auto narrow = [&is_short](auto& least, auto left, auto aside) {
    is_short = is_short || (aside > 0 && left - aside < std::max<decltype(left)>(left, 0) / 16);
    least = std::min(least, left - aside);
  };
  for (std::size_t at = 0; at < profile.counted.size(); ++at) {
    if (profile.cells.at[at] == k_no_cell) continue;
    const RiskCell& cell = *profile.counted[at];
    const RiskProfile::Room& aside = tables.profiles.aside(profile.cells.at[at]);
    narrow(free.orders, cell.most_orders - cell.open_orders - wanted.orders, aside.orders);
    narrow(free.value, cell.most_value - cell.open_value - wanted.value, aside.value);
    if (at % 2 == 0) continue;
    const std::int64_t most = profile.pairs[at / 2].position;
    narrow(free.lots[0], most - cell.position - cell.buying() - wanted.lots[0], aside.lots[0]);
    narrow(free.lots[1], most + cell.position - cell.selling() - wanted.lots[1], aside.lots[1]);
  }
  if (is_short) return {};
  return free;
}

}  // namespace dojima::venue
