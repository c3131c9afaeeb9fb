#pragma once

// Banded tick tables: which prices an instrument may trade at, and the dense numbering of those prices (`Level`) that
// books are keyed by. Bands start at rising prices; a price p in a band that starts at s is valid when (p - s) is a
// multiple of the band's tick. Built once from configuration; a look-up in the first band is one multiplication, others
// are O(log bands); no allocation.
//
//   TickTable ticks = TickTable::make({{{0}, {1'000'000}}, {{1'000'000'000}, {5'000'000}}}).value();

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/error.hpp"
#include "dojima/market/price.hpp"

namespace dojima::market {

/// A dense tick index: adjacent valid prices have adjacent levels, over the whole table.
enum class Level : std::int32_t {};

[[nodiscard]] constexpr std::int32_t index_of(Level level) noexcept {
  return static_cast<std::int32_t>(level);
}

struct TickBand {
  Price from;  ///< first price of the band
  Price tick;  ///< > 0
};

class TickTable {
 public:
  /// Bands in rising order; the last one reaches to `highest`. Each band's width must be a multiple of its tick, and
  /// all levels must fit int32, else `out_of_range` with the band's number in `offset`.
  [[nodiscard]] static Result<TickTable> make(std::vector<TickBand> bands, Price highest);

  /// One tick for all prices from `lowest` to `highest`.
  [[nodiscard]] static Result<TickTable> uniform(Price tick, Price lowest, Price highest);

  [[nodiscard]] Price lowest() const noexcept { return first_.from; }
  [[nodiscard]] Price highest() const noexcept { return highest_; }
  [[nodiscard]] bool contains(Price price) const noexcept { return price >= lowest() && price <= highest_; }

  /// The level of a valid price; none when it is outside the table or between ticks.
  [[nodiscard]] std::optional<Level> level_of(Price price) const noexcept {
    const Level level = level_or_none(price);
    return level == k_none ? std::nullopt : std::optional(level);
  }

  /// The same in a register: g++ 12 puts an optional of a level together in memory and reads it back wider than it was
  /// written, which waits for every store before (measured: a third of what an order costs in the book).
  static constexpr Level k_none = Level{-1};
  [[nodiscard]] Level level_or_none(Price price) const noexcept {
    const std::uint64_t step = first_.step_of(price);
    if (step <= first_.last_step) [[likely]] {
      return Level{static_cast<std::int32_t>(step)};
    }
    return level_behind_first(price);
  }

  /// Whether the price lies in the first band, which most tables have alone; then its level. Without a call.
  [[nodiscard, gnu::always_inline]] bool is_in_first_band(Price price, Level& level) const noexcept {
    const std::uint64_t step = first_.step_of(price);
    level = Level{static_cast<std::int32_t>(step)};
    return step <= first_.last_step;
  }

  /// The price of a level of this table.
  [[nodiscard, gnu::always_inline]] Price price_of(Level level) const noexcept {
    DOJIMA_ASSERT(index_of(level) >= 0 && index_of(level) < level_count_, "a level of this table");
    const auto step = static_cast<std::uint64_t>(index_of(level));
    return step <= first_.last_step ? first_.price_of(step) : price_behind_first(level);
  }

  /// What it was made from, with highest().
  [[nodiscard]] std::vector<TickBand> bands() const;
  [[nodiscard]] std::int32_t level_count() const noexcept { return level_count_; }

  /// Whether the middle between any two prices of the table is a whole number of price units: all ticks are even.
  [[nodiscard]] bool has_exact_middles() const noexcept;

 private:
  struct Band {
    /// With the levels before it and the steps that it holds, the border to the next one included.
    Band(TickBand band, std::int32_t level, std::uint64_t steps) noexcept;

    /// How many ticks a price lies above the band's first: exact where the answer is at most `last_step`; any other
    /// price, above, below or between ticks, answers more. A division by the tick that cannot have a remainder is a
    /// multiplication by the inverse of its odd part modulo 2^64 and a rotation; a remainder shows in the upper bits.
    [[nodiscard]] std::uint64_t step_of(Price price) const noexcept {
      const std::uint64_t distance = static_cast<std::uint64_t>(price.units) - static_cast<std::uint64_t>(from.units);
      return std::rotr(distance * inverse, shift);
    }
    [[nodiscard]] Price price_of(std::uint64_t step) const noexcept {
      return Price{static_cast<std::int64_t>(static_cast<std::uint64_t>(from.units) +
                                             step * static_cast<std::uint64_t>(tick.units))};
    }

    Price from, tick;
    std::uint64_t inverse;    // of the tick's odd part
    std::uint64_t last_step;  // of the price where the next band begins, or of the table's highest
    int shift;                // the tick's even part is 2^shift
    std::int32_t first_level;
  };

  TickTable(std::vector<Band> bands, Price highest, std::int32_t level_count)
      : first_(bands.front()), bands_(std::move(bands)), highest_(highest), level_count_(level_count) {}

  [[nodiscard]] Level level_behind_first(Price price) const noexcept;
  [[nodiscard]] Price price_behind_first(Level level) const noexcept;

  Band first_;  // once more, without the way through the vector: most tables have one band
  std::vector<Band> bands_;
  Price highest_;
  std::int32_t level_count_;
};

}  // namespace dojima::market
