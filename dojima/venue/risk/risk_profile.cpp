#include "dojima/venue/risk/risk_profile.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::venue {

using Kind = market::LimitKind;

/// What a cell says of a single order.
[[gnu::noinline]] void RiskProfiles::add(RiskProfile& profile, const RiskCell& cell) noexcept {
  const auto tighten = [&cell](std::int64_t& limit, Kind kind) {
    if (cell.has(kind)) limit = std::min(limit, cell.limit(kind));
  };
  profile.set |= cell.set;
  if (cell.has(Kind::killed)) profile.first = std::min(profile.first, k_check_killed);
  if (cell.is_stopped) profile.first = std::min(profile.first, k_check_stopped);
  tighten(profile.quantity, Kind::order_quantity);
  if (cell.has(Kind::order_value))
    profile.value = std::min(profile.value, RiskValue{cell.limit(Kind::order_value)} * market::k_price_scale);
  RiskProfile::Collar& collar = cell.has(Kind::collar_from) ? profile.from_reference : profile.from_last;
  tighten(collar.bp, Kind::collar_bp);
  tighten(collar.ticks, Kind::collar_ticks);
}

void RiskProfiles::settle(RiskProfile& profile) noexcept {
  const RiskProfile::Pending pending = std::exchange(profile.pending, {});
  for (std::size_t at = 0; at < profile.counted.size(); ++at) {
    RiskCell& cell = *profile.counted[at];
    cell.open_orders += pending.orders;
    cell.open_value += pending.value;
    for (std::size_t side = 0; side < cell.open_lots.size(); ++side) cell.open_lots[side] += pending.lots[side];
    if (at % 2 == 1) cell.position += pending.traded[0] - pending.traded[1];
    DOJIMA_CHECK_SLOW(
        (cell.open_orders | cell.buying() | cell.selling() | static_cast<std::int64_t>(cell.open_value >> 64)) >= 0,
        "no more orders end than were counted", cell.open_orders, cell.buying(), cell.selling(), at);
  }
}

/// The profile's orders are the first of them since all was settled; or the number is of one that is about other cells
/// or limits now.
[[gnu::noinline]] RiskProfile* RiskProfiles::begin_counting(std::uint64_t number) noexcept {
  RiskProfile& profile = profiles_[number % k_profiles];
  if (profile.number != number || profile.version != version_) return nullptr;
  if (pending_ == k_most_pending) settle();
  with_pending_[pending_++] = static_cast<std::uint16_t>(number % k_profiles);
  profile.pending.number = number;
  return &profile;
}

/// Orders that were counted through it count in their cells from here on if those are others.
[[gnu::noinline]] void RiskProfiles::make_anew(RiskProfile& profile, std::uint64_t key, RiskCells& cells,
                                               std::uint16_t user, std::uint32_t account,
                                               std::uint32_t place) noexcept {
  if (profile.lease.term == term_) give_back(profile);
  if (profile.pending.number > RiskProfile::Pending::k_idle) settle(profile);
  const std::uint64_t key_before = profile.key, number_before = profile.number;
  const OrderCells cells_before = profile.cells;
  make(profile, cells, user, account, place);
  const bool is_same = key_before == key && cells_before == profile.cells;
  const auto at = static_cast<std::uint64_t>(&profile - &profiles_[0]);
  profile.number = is_same ? number_before : ++numbers_ * k_profiles + at;
  profile.key = key;
  profile.version = version_;
}

[[gnu::noinline]] void RiskProfiles::make(RiskProfile& profile, RiskCells& cells, std::uint16_t user,
                                          std::uint32_t account, std::uint32_t place) noexcept {
  DOJIMA_ASSERT(place != 0 && place < 1U << k_place_bits && account >= k_everybody &&
                    account - k_everybody <= RiskCells::k_capacity,
                "a key has room for its parts", user, account, place);
  profile = {.salts = {RecentOrders::salt_of(user, place - 1), RecentOrders::salt_of(account, place - 1)},
             .cells = cells.cells_of(user, account, place)};
  profile.is_counted = !profile.cells.is_empty();
  const std::array<std::array<std::uint32_t, 2>, 3> concerned{{{profile.cells.at[0], profile.cells.at[1]},
                                                               {profile.cells.at[2], profile.cells.at[3]},
                                                               {cells.everybody(), cells.everybody_in(place)}}};
  for (const auto& [wide, narrow] : concerned) {
    for (const std::uint32_t at : {wide, narrow})
      if (at != k_no_cell) add(profile, cells[at]);
    // What is said of one instrument goes before what is said of all.
    const std::int64_t of_all = wide != k_no_cell ? cells[wide].limit(Kind::permitted) : 0;
    const std::int64_t of_one = narrow != k_no_cell ? cells[narrow].limit(Kind::permitted) : 0;
    if ((of_one != 0 ? of_one : of_all) == 2) profile.first = std::min(profile.first, k_check_permitted);
  }
  profile.has_collar = profile.from_last.is_there() || profile.from_reference.is_there();
  if (!profile.has_collar) profile.near = RiskProfile::Near::everywhere();
  for (std::size_t at = 0; at < profile.cells.at.size(); ++at) {
    RiskCell& cell = cells[profile.cells.at[at]];
    profile.counted[at] = &cell;
    if (profile.cells.at[at] == k_no_cell) continue;
    profile.is_watched = profile.is_watched || cell.has(Kind::repeats) || cell.has(Kind::protection);
    if (cell.has(Kind::rate)) {
      profile.rated[at] = cell.windows;
      profile.is_rated = true;
    }
    if (!cell.has(Kind::duplicate_ms)) continue;
    profile.alike[at] = std::chrono::milliseconds{cell.limit(Kind::duplicate_ms)};
    profile.looking.at[at] = profile.cells.at[at];
    ++profile.looking_count;
  }
  for (std::size_t pair = 0; pair < profile.pairs.size(); ++pair) {
    // That of no cell has no limit.
    const RiskCell& wide = *profile.counted[2 * pair];
    const RiskCell& narrow = *profile.counted[2 * pair + 1];
    const RiskCell& by = narrow.has(Kind::position) ? narrow : wide;
    if (!by.has(Kind::position)) continue;
    const bool lacks_cell = profile.cells.at[2 * pair + 1] == k_no_cell;
    profile.pairs[pair] = {.position = by.limit(Kind::position), .lacks_cell = lacks_cell};
    profile.lacks_cells = profile.lacks_cells || lacks_cell;
  }
}

}  // namespace dojima::venue
