#include "dojima/market/tick_table.hpp"

#include <algorithm>
#include <limits>

#include "dojima/base/assert.hpp"

namespace dojima::market {

TickTable::Band::Band(TickBand band, std::int32_t level, std::uint64_t steps) noexcept
    : from(band.from),
      tick(band.tick),
      last_step(steps),
      shift(std::countr_zero(static_cast<std::uint64_t>(band.tick.units))),
      first_level(level) {
  // Newton's iteration doubles the bits that are right; an odd number is its own inverse in the last three.
  const std::uint64_t odd = static_cast<std::uint64_t>(tick.units) >> shift;
  inverse = odd;
  for (int right = 3; right < 64; right *= 2) inverse *= 2 - odd * inverse;
}

Result<TickTable> TickTable::make(std::vector<TickBand> bands, Price highest) {
  if (bands.empty()) return fail(ErrorCode::missing, 0, 0, 0, "at least one tick band");
  std::vector<Band> built;
  std::int64_t level = 0;
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const auto offset = static_cast<std::uint32_t>(i);
    const bool is_last = i + 1 == bands.size();
    const Price from = bands[i].from, tick = bands[i].tick;
    const Price until = is_last ? highest : bands[i + 1].from;
    if (tick.units <= 0) return fail(ErrorCode::out_of_range, 0, offset, tick.units, "a tick > 0");
    if (until < from || (!is_last && until == from))
      return fail(ErrorCode::out_of_range, 0, offset, until.units, "bands in rising order");
    // Unsigned: the distance between two int64 prices fits uint64, not int64.
    const std::uint64_t width = static_cast<std::uint64_t>(until.units) - static_cast<std::uint64_t>(from.units);
    const std::uint64_t steps = width / static_cast<std::uint64_t>(tick.units);
    if (width % static_cast<std::uint64_t>(tick.units) != 0)
      return fail(ErrorCode::out_of_range, 0, offset, until.units, "a band that is a whole number of ticks wide");
    if (steps >= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max() - level))
      return fail(ErrorCode::out_of_range, 0, offset, tick.units, "fewer than 2^31 ticks in all");
    built.push_back({bands[i], static_cast<std::int32_t>(level), steps});
    level += static_cast<std::int64_t>(steps);
  }
  return TickTable(std::move(built), highest, static_cast<std::int32_t>(level + 1));
}

Result<TickTable> TickTable::uniform(Price tick, Price lowest, Price highest) {
  return make({TickBand{lowest, tick}}, highest);
}

Level TickTable::level_behind_first(Price price) const noexcept {
  if (!contains(price)) return k_none;
  const auto band = std::prev(std::upper_bound(bands_.begin(), bands_.end(), price,
                                               [](Price value, const Band& entry) { return value < entry.from; }));
  const std::uint64_t step = band->step_of(price);
  if (step > band->last_step) return k_none;
  return Level{band->first_level + static_cast<std::int32_t>(step)};
}

Price TickTable::price_behind_first(Level level) const noexcept {
  const auto band =
      std::prev(std::upper_bound(bands_.begin(), bands_.end(), index_of(level),
                                 [](std::int32_t value, const Band& entry) { return value < entry.first_level; }));
  return band->price_of(static_cast<std::uint64_t>(index_of(level) - band->first_level));
}

bool TickTable::has_exact_middles() const noexcept {
  return std::ranges::all_of(bands_, [](const Band& band) { return band.tick.units % 2 == 0; });
}

std::vector<TickBand> TickTable::bands() const {
  std::vector<TickBand> bands;
  for (const Band& band : bands_) bands.push_back({band.from, band.tick});
  return bands;
}

}  // namespace dojima::market
