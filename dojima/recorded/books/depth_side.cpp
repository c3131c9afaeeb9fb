#include "dojima/recorded/books/depth_side.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace dojima::recorded {
namespace {

/// Changes of the tree that cost about as much as laying the array out anew; twice as many each time that it did not
/// help.
constexpr std::uint64_t k_patience = 256, k_most_patience = std::uint64_t{1} << 20;
/// Levels that say what the tick is.
constexpr std::size_t k_looked_at = 64;
/// Of its places so many lie in front of the best price, for better ones to come.
constexpr std::int64_t k_ahead = DepthSide::k_window / 4;

}  // namespace

DepthSide::DepthSide(market::Side side, std::int64_t tick)
    : places_(side, std::max<std::int64_t>(tick, 1)),
      known_tick_(std::max<std::int64_t>(tick, 0)),
      patience_(k_patience) {}

void DepthSide::clear() {
  for (std::size_t at = near_.first(); at != k_nothing; at = near_.next(at)) (*quantities_)[at] = 0;
  near_.clear();
  far_.clear();
}

std::int64_t DepthSide::quantity_far(std::int64_t price) const noexcept {
  const auto found = far_.find(places_.key_of(price));
  return found == far_.end() ? 0 : found->second;
}

void DepthSide::change_any(std::int64_t price, std::int64_t change) {
  add(price, change);
}

void DepthSide::set_far(std::int64_t price, std::int64_t quantity) {
  if (quantity == 0) {
    far_.erase(places_.key_of(price));
  } else {
    far_.insert_or_assign(places_.key_of(price), quantity);
  }
  ++far_uses_;
  // The first price makes the layout; later on the tree is worth a new one when much of the traffic goes there, and
  // what it holds would fit.
  const bool is_first = size_ == 0 && quantity != 0;
  if (!is_first && far_uses_ < patience_) return;
  std::int64_t tick = known_tick_;
  if (tick == 0) {
    const auto best = best_of_both();
    if (!best) return;
    std::int64_t shared = 0, last = 0;
    bool has_last = false;
    std::size_t looked_at = 0;
    each([&](const DepthLevel& level) {
      if (has_last) shared = std::gcd(shared, level.price - last);
      last = level.price;
      has_last = true;
      return ++looked_at < k_looked_at;
    });
    tick = std::max<std::int64_t>(shared, 1);
  }
  lay_out(tick);
}

std::optional<DepthLevel> DepthSide::best_of_both() const noexcept {
  std::optional<DepthLevel> best;
  each([&](const DepthLevel& level) {
    best = level;
    return false;
  });
  return best;
}

/// Puts the levels that fit into an array around the best price.
void DepthSide::lay_out(std::int64_t tick) {
  far_uses_ = 0;
  const auto best = best_of_both();
  if (!best) return;
  ++layouts_;
  if (!quantities_) {
    quantities_ = std::make_unique<LargeArray<std::int64_t>>(k_window, k_by_page);
    size_ = k_window;
  }
  const std::int64_t tick_before = places_.tick(), base_before = places_.base_key();
  std::vector<DepthLevel> levels;
  levels.reserve(level_count());
  each([&](const DepthLevel& level) { return levels.push_back(level), true; });
  clear();
  places_.use_tick(tick);
  // No place of the array may lie beyond the last key there is.
  __extension__ using Wide = __int128;
  constexpr Wide k_first = std::numeric_limits<std::int64_t>::min(), k_last = std::numeric_limits<std::int64_t>::max();
  if (Wide{tick} * k_window > k_last) places_.use_tick(1);
  const Wide width = Wide{places_.tick()} * k_window;
  places_.begin_at(static_cast<std::int64_t>(
      std::clamp<Wide>(Wide{places_.key_of(best->price)} - Wide{places_.tick()} * k_ahead,
                       k_first + Wide{places_.key_of(best->price) - k_first} % places_.tick(), k_last - width)));
  for (const DepthLevel& level : levels) {
    const std::size_t at = places_.place_of(level.price);
    if (at < k_window) {
      put(at, level.quantity);
    } else {
      far_.insert_or_assign(places_.key_of(level.price), level.quantity);
    }
  }
  const std::int64_t base_after = places_.base_key();
  const auto [low, high] = std::minmax(base_after, base_before);
  const std::uint64_t moved = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const bool has_helped =
      places_.tick() != tick_before || moved / static_cast<std::uint64_t>(places_.tick()) > k_window / 8;
  patience_ = has_helped ? k_patience : std::min(2 * patience_, k_most_patience);
}

}  // namespace dojima::recorded
