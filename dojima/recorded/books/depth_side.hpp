#pragma once

// What rests at each price of one side of one instrument, without orders: for feeds of levels, and for order feeds
// where nobody asks which order is in front. Prices near the best are an array with a bit for each occupied tick and
// a bit for each group of 64 (depth/occupied_ticks.hpp), so a change costs a handful of instructions and the next level
// is found with a few; prices further away, or off the guessed tick, are in a tree and are as right, only slower.
// When the tree is used too often, the array is laid out anew around the best price, with the largest tick that the
// best levels share. Prices may lie anywhere. The array takes memory page by page as prices are used, the tree by
// level. One thread.
//
//   DepthSide bids(Side::buy, {.tick = 100});
//   bids.set(2'231'800, 300);  bids.best()->price;

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "dojima/base/large_array.hpp"
#include "dojima/market/order.hpp"
#include "dojima/recorded/depth/occupied_ticks.hpp"
#include "dojima/recorded/depth/tick_places.hpp"

namespace dojima::recorded {

/// A price and the quantity that rests there, in units of the instrument.
struct DepthLevel {
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  friend bool operator==(const DepthLevel&, const DepthLevel&) = default;
};

class DepthSide {
 public:
  static constexpr std::size_t k_window = OccupiedTicks::k_ticks;  ///< ticks in the array

  /// `tick` > 0, or 0: to be found out.
  explicit DepthSide(market::Side side, std::int64_t tick = 0);

  /// The quantity at `price` is now `quantity` >= 0.
  void set(std::int64_t price, std::int64_t quantity) {
    const std::size_t at = places_.place_of(price);
    if (at < size_) [[likely]] {
      put(at, quantity);
    } else {
      set_far(price, quantity);
    }
  }

  /// As set(). What it was before.
  std::int64_t exchange(std::int64_t price, std::int64_t quantity) {
    const std::size_t at = places_.place_of(price);
    if (at < size_) [[likely]] {
      const std::int64_t before = (*quantities_)[at];
      put(at, quantity);
      return before;
    }
    const std::int64_t before = quantity_far(price);
    set_far(price, quantity);
    return before;
  }

  /// Adds `change` to the quantity at `price`, down to nothing at the least. What it was before.
  std::int64_t add(std::int64_t price, std::int64_t change) {
    const std::size_t at = places_.place_of(price);
    std::int64_t before = 0;
    if (at < size_) [[likely]] {
      before = (*quantities_)[at];
      put(at, std::max<std::int64_t>(before + change, 0));
    } else {
      before = quantity_far(price);
      set_far(price, std::max<std::int64_t>(before + change, 0));
    }
    return before;
  }

  /// The same where most prices have something before and after, as in a book of many small orders.
  void change(std::int64_t price, std::int64_t change) {
    const std::size_t at = places_.place_of(price);
    if (at < size_) [[likely]] {
      std::int64_t& quantity = (*quantities_)[at];
      const std::int64_t before = quantity, after = std::max<std::int64_t>(before + change, 0);
      if (before != 0 && after != 0) [[likely]] {
        quantity = after;
        return;
      }
    }
    change_any(price, change);
  }

  /// A hint; any price is fine. Inlined by force: g++ 12 takes a function that only fetches ahead for one that does
  /// nothing, and drops the call.
  [[gnu::always_inline]] void prefetch(std::int64_t price) const noexcept {
    const std::size_t at = places_.place_of(price);
    if (at < size_) [[likely]]
      __builtin_prefetch(&(*quantities_)[at], 1);
  }

  [[nodiscard]] std::int64_t quantity_at(std::int64_t price) const noexcept {
    const std::size_t at = places_.place_of(price);
    return at < size_ ? (*quantities_)[at] : quantity_far(price);
  }

  [[nodiscard]] bool is_empty() const noexcept { return near_.is_empty() && far_.empty(); }
  /// O(1): with the best prices in the array found by its bits, which nobody does who does not ask.
  [[nodiscard]] std::optional<DepthLevel> best() const noexcept {
    if (near_.is_empty()) [[unlikely]]
      return best_of_both();
    const std::size_t at = near_.first();
    const std::int64_t price = places_.price_of(at);
    if (!far_.empty() && far_.begin()->first < places_.key_of(price)) [[unlikely]]
      return best_of_both();
    return DepthLevel{price, (*quantities_)[at]};
  }

  void clear();

  /// Calls `visit(DepthLevel)` level by level, best first, until it answers false.
  template <class Visit>
  void each(Visit&& visit) const {
    std::size_t near = near_.first();
    auto far = far_.begin();
    while (near != k_nothing || far != far_.end()) {
      const bool is_near =
          near != k_nothing && (far == far_.end() || places_.key_of(places_.price_of(near)) < far->first);
      const DepthLevel level = is_near ? DepthLevel{places_.price_of(near), (*quantities_)[near]}
                                       : DepthLevel{places_.price_of_key(far->first), far->second};
      if (!visit(level)) return;
      if (is_near) {
        near = near_.next(near);
      } else {
        ++far;
      }
    }
  }

  /// As it was made with; 0: to be found out.
  [[nodiscard]] std::int64_t known_tick() const noexcept { return known_tick_; }
  /// O(k_window / 64).
  [[nodiscard]] std::size_t level_count() const noexcept { return near_.count() + far_.size(); }
  /// For tests and curiosity: how often the array was laid out.
  [[nodiscard]] std::uint64_t layouts() const noexcept { return layouts_; }

 private:
  static constexpr std::size_t k_nothing = OccupiedTicks::k_nothing;

  void put(std::size_t at, std::int64_t quantity) {
    (*quantities_)[at] = quantity;
    near_.set(at, quantity != 0 ? 1 : 0);
  }

  void change_any(std::int64_t price, std::int64_t change);
  void set_far(std::int64_t price, std::int64_t quantity);
  [[nodiscard]] std::int64_t quantity_far(std::int64_t price) const noexcept;
  [[nodiscard]] std::optional<DepthLevel> best_of_both() const noexcept;
  void lay_out(std::int64_t tick);

  std::unique_ptr<LargeArray<std::int64_t>> quantities_;  // from the first layout on
  std::size_t size_ = 0;                                  // of it
  OccupiedTicks near_;
  TickPlaces places_;
  std::int64_t known_tick_;                   // 0: to be found out
  std::map<std::int64_t, std::int64_t> far_;  // by key
  std::uint64_t far_uses_ = 0;                // since the last layout
  std::uint64_t patience_;                    // so many, then comes the next
  std::uint64_t layouts_ = 0;
};

}  // namespace dojima::recorded
