// How far a price may be from the last trade or from the instrument's reference.

#include <algorithm>
#include <array>
#include <cstdint>

#include "dojima/venue/risk/risk_limits.hpp"
#include "dojima/venue/risk/risk_tables.hpp"

namespace dojima::venue {

using market::Price;

namespace {

/// How many prices of the table lie below: a price between two ticks is of the lower one.
[[nodiscard]] std::int64_t ticks_below(const market::TickTable& ticks, Price price) noexcept {
  if (const market::Level level = ticks.level_or_none(price); level != market::TickTable::k_none)
    return market::index_of(level);
  std::int32_t below = -1, above = ticks.level_count();
  while (above - below > 1) {
    const std::int32_t middle = below + (above - below) / 2;
    (ticks.price_of(market::Level{middle}) <= price ? below : above) = middle;
  }
  return below;
}

}  // namespace

/// `last`: see last_of().
[[gnu::noinline]] bool RiskLimits::is_beyond_collar(Price price, Price last, std::uint32_t place,
                                                    const RiskProfile& profile) const {
  if (price.units == 0) return false;
  if (profile.from_last.is_there() && is_beyond(profile.from_last, price, last, place)) return true;
  return profile.from_reference.is_there() &&
         is_beyond(profile.from_reference, price, books_.instrument(place).reference, place);
}

/// Of a rectangle of last trades and prices around the last trade its corners are within all collars, so all of it is.
/// Of a distance that a price may have from the last trade each of the two takes a quarter to both sides.
RiskProfile::Near RiskLimits::near_of(const RiskProfile& profile, Price last, std::uint32_t place) const {
  constexpr std::int64_t k_whole_bp = 10'000, k_most_bp = 2 * k_whole_bp;
  constexpr std::int64_t k_furthest = std::int64_t{1} << 61;
  RiskProfile::Near near = RiskProfile::Near::everywhere();
  const auto narrow = [](std::int64_t& from, std::int64_t& to, std::int64_t least, std::int64_t most) {
    from = std::max(from, least);
    to = std::min(to, most);
  };
  const market::TickTable& ticks = books_.instrument(place).ticks;
  // What lies so many ticks around a price, as far as the table reaches.
  const auto around = [&ticks](Price price, std::int64_t steps) -> std::array<std::int64_t, 2> {
    const std::int64_t level = ticks_below(ticks, price);
    const std::int64_t lowest = std::max<std::int64_t>(level - steps, 0);
    const std::int64_t highest = std::min<std::int64_t>(level + steps, ticks.level_count() - 1);
    if (lowest > highest) return {0, -1};
    return {ticks.price_of(market::Level{static_cast<std::int32_t>(lowest)}).units,
            ticks.price_of(market::Level{static_cast<std::int32_t>(highest)}).units};
  };
  const auto is_far = [](Price price) { return price.units > k_furthest || price.units < -k_furthest; };
  const RiskProfile::Collar& moving = profile.from_last;
  if (moving.is_there() && last.units != 0) {
    if (is_far(last)) return {};
    if (moving.bp != k_no_count_limit) {
      const std::int64_t units = last.units < 0 ? -last.units : last.units;
      // Of the smallest last trade of the rectangle: at least half of this one, as bp is held to 200 percent.
      const std::int64_t quarter = units / (4 * k_whole_bp) * std::min(moving.bp, k_most_bp);
      narrow(near.last_from, near.last_to, last.units - quarter, last.units + quarter);
      narrow(near.price_from, near.price_to, last.units - quarter, last.units + quarter);
    }
    if (moving.ticks != k_no_count_limit) {
      const auto [from, to] = around(last, moving.ticks / 4);
      narrow(near.last_from, near.last_to, from, to);
      narrow(near.price_from, near.price_to, from, to);
    }
  } else if (moving.is_there()) {
    near.last_from = near.last_to = 0;  // without any base nothing is beyond
  }
  const RiskProfile::Collar& still = profile.from_reference;
  const Price reference = books_.instrument(place).reference;
  if (still.is_there() && reference.units != 0) {
    if (is_far(reference)) return {};
    if (still.bp != k_no_count_limit) {
      const std::int64_t units = reference.units < 0 ? -reference.units : reference.units;
      const std::int64_t distance = units / k_whole_bp * std::min(still.bp, k_whole_bp);
      narrow(near.price_from, near.price_to, reference.units - distance, reference.units + distance);
    }
    if (still.ticks != k_no_count_limit) {
      const auto [from, to] = around(reference, still.ticks);
      narrow(near.price_from, near.price_to, from, to);
    }
  }
  return near;
}

bool RiskLimits::is_beyond(const RiskProfile::Collar& collar, Price price, Price reference, std::uint32_t place) const {
  if (reference.units == 0) return false;
  constexpr int k_whole_bp = 10'000;
  const RiskValue distance = static_cast<RiskValue>(price.units) - reference.units;
  if (collar.bp != k_no_count_limit &&
      (distance < 0 ? -distance : distance) * k_whole_bp > magnitude(reference.units) * collar.bp)
    return true;
  if (collar.ticks == k_no_count_limit) return false;
  const market::TickTable& ticks = books_.instrument(place).ticks;
  const std::int64_t steps = ticks_below(ticks, price) - ticks_below(ticks, reference);
  return (steps < 0 ? -steps : steps) > collar.ticks;
}

}  // namespace dojima::venue
