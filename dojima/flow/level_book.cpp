#include "dojima/flow/level_book.hpp"

#include <algorithm>

namespace dojima::flow {
namespace {

/// Where a price stands, or would, in levels whose best one is the last.
template <class Levels>
auto place_of(Levels& levels, market::Side side, std::int64_t price) {
  // Most changes are at the best price or near it: look at the last few first.
  constexpr std::ptrdiff_t k_near = 4;
  const auto is_worse = [side, price](const BookLevel& level) {
    return side == market::Side::buy ? level.price < price : level.price > price;
  };
  auto at = levels.end();
  for (std::ptrdiff_t looks = 0; looks < k_near && at != levels.begin(); ++looks, --at)
    if (is_worse(*std::prev(at))) return at;
  return std::partition_point(levels.begin(), at, is_worse);
}

}  // namespace

bool LevelBook::apply(const RecordedEvent& event) {
  if (event.kind == EventKind::clear) {
    clear(event.side);
    return true;
  }
  if (event.kind != EventKind::level || event.side == market::Side::none) return false;
  if (event.price == k_untold || event.quantity < 0) return false;
  set(event.side, event.price, event.quantity, event.other);
  return true;
}

void LevelBook::set(market::Side side, std::int64_t price, std::int64_t quantity, std::uint64_t orders) {
  std::vector<BookLevel>& levels = side == market::Side::buy ? bids_ : asks_;
  const auto place = place_of(levels, side, price);
  const bool is_there = place != levels.end() && place->price == price;
  if (quantity == 0) {
    if (is_there) levels.erase(place);
  } else if (is_there) {
    *place = {price, quantity, orders};
  } else {
    levels.insert(place, {price, quantity, orders});
  }
}

void LevelBook::clear(market::Side side) noexcept {
  if (side != market::Side::sell) bids_.clear();
  if (side != market::Side::buy) asks_.clear();
}

std::int64_t LevelBook::quantity_at(market::Side side, std::int64_t price) const noexcept {
  const auto place = place_of(side_of(side), side, price);
  return place != side_of(side).end() && place->price == price ? place->quantity : 0;
}

}  // namespace dojima::flow
