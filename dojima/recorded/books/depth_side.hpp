#pragma once

// What stands at each price of one side of one instrument, without orders: for feeds that tell levels, and for order
// feeds where nobody asks who stands in front. Prices near the best are an array with a bit for each occupied tick and
// a bit for each group of 64, so a change costs a handful of instructions and the next level is found with a few;
// prices further away, or off the guessed tick, stand in a tree and are as right, only slower. When the tree is used
// too often, the array is laid out anew around the best price, with the largest tick that the best levels share. Prices
// may lie anywhere. The array takes memory page by page as prices are used, the tree by level. One thread.
//
//   DepthSide bids(Side::buy, {.tick = 100});
//   bids.set(2'231'800, 300);  bids.best()->price;

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "dojima/book/large_array.hpp"
#include "dojima/market/order.hpp"

namespace dojima::recorded {

/// A price and what stands there, in units of the instrument.
struct DepthLevel {
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  friend bool operator==(const DepthLevel&, const DepthLevel&) = default;
};

class DepthSide {
 public:
  static constexpr std::size_t k_window = std::size_t{1} << 15;  ///< ticks in the array

  /// `tick` > 0, or 0: to be found out.
  explicit DepthSide(market::Side side, std::int64_t tick = 0);

  /// What stands at `price` is now `quantity` >= 0.
  void set(std::int64_t price, std::int64_t quantity) {
    const std::size_t at = place_of(price);
    if (at < size_) [[likely]] {
      put_predictable(at, quantity);
    } else {
      set_far(price, quantity);
    }
  }

  /// Adds `change` to what stands at `price`, down to nothing at the least.
  void add(std::int64_t price, std::int64_t change) {
    const std::size_t at = place_of(price);
    if (at < size_) [[likely]] {
      put(at, std::max<std::int64_t>((*quantities_)[at] + change, 0));
    } else {
      set_far(price, std::max<std::int64_t>(quantity_far(price) + change, 0));
    }
  }

  [[nodiscard]] std::int64_t quantity_at(std::int64_t price) const noexcept {
    const std::size_t at = place_of(price);
    return at < size_ ? (*quantities_)[at] : quantity_far(price);
  }

  [[nodiscard]] bool is_empty() const noexcept { return best_ == k_nothing && far_.empty(); }
  [[nodiscard]] std::optional<DepthLevel> best() const noexcept {
    if (far_.empty() && best_ != k_nothing) [[likely]]
      return DepthLevel{price_of(best_), (*quantities_)[best_]};
    return best_of_both();
  }

  void clear();

  /// Calls `visit(DepthLevel)` level by level, best first, until it answers false.
  template <class Visit>
  void each(Visit&& visit) const {
    std::size_t near = best_;
    auto far = far_.begin();
    while (near != k_nothing || far != far_.end()) {
      const bool is_near = near != k_nothing && (far == far_.end() || key_of(price_of(near)) < far->first);
      const DepthLevel level = is_near ? DepthLevel{price_of(near), (*quantities_)[near]}
                                       : DepthLevel{price_of_key(far->first), far->second};
      if (!visit(level)) return;
      if (is_near) {
        near = next(near);
      } else {
        ++far;
      }
    }
  }

  [[nodiscard]] std::size_t level_count() const noexcept { return near_count_ + far_.size(); }
  /// For tests and curiosity: how often the array was laid out.
  [[nodiscard]] std::uint64_t layouts() const noexcept { return layouts_; }

 private:
  static constexpr std::size_t k_nothing = k_window;
  static constexpr std::size_t k_words = k_window / 64;
  static constexpr std::size_t k_groups = k_words / 64;

  // Keys rise from the best price to the worst on either side, and so do places in the array.
  [[nodiscard]] std::int64_t key_of(std::int64_t price) const noexcept { return price ^ flip_; }
  [[nodiscard]] std::int64_t price_of_key(std::int64_t key) const noexcept { return key ^ flip_; }

  /// Its place, or something that is none: outside, or between ticks. A division by the tick that cannot have a
  /// remainder is a multiplication by the inverse of its odd part modulo 2^64 and a rotation; a remainder shows in the
  /// upper bits (as in market::TickTable).
  [[nodiscard]] std::size_t place_of(std::int64_t price) const noexcept {
    const std::uint64_t distance = static_cast<std::uint64_t>(key_of(price)) - static_cast<std::uint64_t>(base_key_);
    return std::rotr(distance * inverse_, shift_);
  }
  [[nodiscard]] std::int64_t price_of(std::size_t at) const noexcept {
    return price_of_key(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(base_key_) + at * static_cast<std::uint64_t>(tick_)));
  }

  /// No branch asks whether a level comes, goes or is the best: that no branch prediction can know.
  void put(std::size_t at, std::int64_t quantity) {
    (*quantities_)[at] = quantity;
    const std::uint64_t is_there = quantity != 0 ? 1 : 0;
    std::uint64_t& word = words_[at / 64];
    near_count_ += is_there - (word >> at % 64 & 1);
    put_bit(word, at % 64, is_there);
    std::uint64_t& group = groups_[at / 4096];
    put_bit(group, at / 64 % 64, word != 0 ? 1 : 0);
    put_bit(top_, at / 4096, group != 0 ? 1 : 0);
    best_ = first();
  }
  /// The same where levels come and go in an order that branch prediction learns, as in feeds of levels.
  void put_predictable(std::size_t at, std::int64_t quantity) {
    std::uint64_t& word = words_[at / 64];
    const std::uint64_t bit = std::uint64_t{1} << (at % 64);
    (*quantities_)[at] = quantity;
    if (quantity != 0) {
      near_count_ += (word & bit) == 0 ? 1 : 0;
      word |= bit;
      put_bit(groups_[at / 4096], at / 64 % 64, 1);
      put_bit(top_, at / 4096, 1);
      if (at < best_) best_ = at;
    } else {
      put(at, 0);
    }
  }
  static void put_bit(std::uint64_t& word, std::size_t bit, std::uint64_t value) noexcept {
    word = (word & ~(std::uint64_t{1} << bit)) | value << bit;
  }
  /// The first occupied place.
  [[nodiscard]] std::size_t first() const noexcept {
    // The masks are for an empty array, whose zeros count as 64.
    const auto group = static_cast<std::size_t>(std::countr_zero(top_)) % k_groups;
    const std::size_t word = group * 64 + static_cast<std::size_t>(std::countr_zero(groups_[group])) % 64;
    const std::size_t at = word * 64 + static_cast<std::size_t>(std::countr_zero(words_[word])) % 64;
    return top_ != 0 ? at : k_nothing;
  }

  /// The next occupied place behind `at`.
  [[nodiscard]] std::size_t next(std::size_t at) const noexcept {
    const std::size_t word = at / 64;
    // Twice by one: a shift by 64 is not defined.
    const std::uint64_t in_word = words_[word] & (~std::uint64_t{0} << (at % 64) << 1);
    if (in_word != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(in_word));
    std::size_t group = word / 64;
    std::uint64_t behind = groups_[group] & (~std::uint64_t{0} << (word % 64) << 1);
    while (behind == 0) {
      if (++group == k_groups) return k_nothing;
      behind = groups_[group];
    }
    const std::size_t found = group * 64 + static_cast<std::size_t>(std::countr_zero(behind));
    return found * 64 + static_cast<std::size_t>(std::countr_zero(words_[found]));
  }

  void set_far(std::int64_t price, std::int64_t quantity);
  [[nodiscard]] std::int64_t quantity_far(std::int64_t price) const noexcept;
  [[nodiscard]] std::optional<DepthLevel> best_of_both() const noexcept;
  void lay_out(std::int64_t tick);
  void use_tick(std::int64_t tick) noexcept;

  std::unique_ptr<book::LargeArray<std::int64_t>> quantities_;  // from the first layout on
  std::size_t size_ = 0;                                        // of it
  std::array<std::uint64_t, k_words> words_{};
  std::array<std::uint64_t, k_groups> groups_{};
  std::uint64_t top_ = 0;
  std::size_t best_ = k_nothing;
  std::int64_t base_key_ = 0;
  std::uint64_t inverse_ = 1;  // of the tick's odd part
  int shift_ = 0;              // its even part is 2^shift
  std::int64_t flip_;          // all bits for bids, none for asks
  std::int64_t tick_;
  std::int64_t known_tick_;  // 0: to be found out
  std::size_t near_count_ = 0;
  std::map<std::int64_t, std::int64_t> far_;  // by key
  std::uint64_t far_uses_ = 0;                // since the last layout
  std::uint64_t patience_;                    // so many, then comes the next
  std::uint64_t layouts_ = 0;
};

}  // namespace dojima::recorded
