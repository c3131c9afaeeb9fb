#pragma once

// Banded tick tables: which prices an instrument may trade at, and the dense numbering of those prices (`Level`) that
// books are keyed by. Bands start at rising prices; a price p in a band that starts at s is valid when (p - s) is a
// multiple of the band's tick. Built once from configuration; look-ups are O(log bands), no allocation.
//
//   TickTable ticks = TickTable::make({{{0}, {1'000'000}}, {{1'000'000'000}, {5'000'000}}}).value();

#include <cstdint>
#include <optional>
#include <vector>

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

  [[nodiscard]] Price lowest() const noexcept { return bands_.front().from; }
  [[nodiscard]] Price highest() const noexcept { return highest_; }
  [[nodiscard]] bool contains(Price price) const noexcept { return price >= lowest() && price <= highest_; }

  /// The level of a valid price; none when it is outside the table or between ticks.
  [[nodiscard]] std::optional<Level> level_of(Price price) const noexcept;

  /// The price of a level of this table.
  [[nodiscard]] Price price_of(Level level) const noexcept;

  [[nodiscard]] std::int32_t level_count() const noexcept { return level_count_; }

  /// Whether the middle between any two prices of the table is a whole number of price units: all ticks are even.
  [[nodiscard]] bool has_exact_middles() const noexcept;

 private:
  struct Band {
    Price from, tick;
    std::int32_t first_level;
  };

  TickTable(std::vector<Band> bands, Price highest, std::int32_t level_count)
      : bands_(std::move(bands)), highest_(highest), level_count_(level_count) {}

  std::vector<Band> bands_;
  Price highest_;
  std::int32_t level_count_;
};

}  // namespace dojima::market
