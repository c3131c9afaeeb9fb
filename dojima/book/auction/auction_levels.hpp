#pragma once

// How much could be bought and sold at every price of a call, kept up to date order by order, and the prices at which
// an auction would trade most. A change of quantity costs O(1) and finding the prices O(1), whatever the number of
// levels, as long as they lie in a window of 4,096 ticks; levels outside lie in trees and cost O(log levels), so prices
// may lie anywhere. Memory is taken at construction, and touched only where there are levels. One thread.
//
//   AuctionLevels levels(1000);
//   levels.start(Level{500});  levels.add(Side::buy, Level{510}, {7});  levels.add(Side::sell, Level{490}, {7});
//   levels.best()   // from level 490 to 510, 7 lots, nothing left over

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/base/large_array.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/tick_table.hpp"

namespace dojima::book {

/// Lots by side; `asks` at their level, `bids` one above it: the first price at which they no longer buy.
struct AuctionLots {
  std::int64_t asks = 0;
  std::int64_t bids = 0;
  [[nodiscard]] std::int64_t sum() const noexcept { return asks + bids; }
  friend bool operator==(const AuctionLots&, const AuctionLots&) = default;
  AuctionLots& operator+=(AuctionLots other) noexcept {
    asks += other.asks;
    bids += other.bids;
    return *this;
  }
  AuctionLots& operator-=(AuctionLots other) noexcept {
    asks -= other.asks;
    bids -= other.bids;
    return *this;
  }
};

/// Levels far away, with sums: a treap by key whose shape hangs on the keys alone. O(log n) expected.
class AuctionTree {
 public:
  /// A level that is looked for: its key, its lots, and those of all keys before it.
  struct Found {
    std::int32_t key = 0;
    AuctionLots own, before;
  };

  explicit AuctionTree(std::size_t capacity) { nodes_.reserve(capacity + 1), clear(); }
  void clear();
  void add(std::int32_t key, AuctionLots change) { root_ = add(root_, key, change); }
  [[nodiscard]] AuctionLots total() const noexcept { return nodes_[root_].total; }
  /// The first key whose lots, with all before, are more than `lots`; the total must be.
  [[nodiscard]] Found first_beyond(std::int64_t lots) const noexcept;
  [[nodiscard]] std::optional<std::int32_t> before(std::int64_t key) const noexcept;
  [[nodiscard]] std::optional<std::int32_t> behind(std::int64_t key) const noexcept;
  [[nodiscard]] AuctionLots at(std::int32_t key) const noexcept;

 private:
  using Index = std::uint32_t;
  struct Node {
    AuctionLots own, total;
    std::int32_t key = 0;
    Index left = 0, right = 0;  // right also links free nodes
  };
  [[nodiscard]] Index make(std::int32_t key, AuctionLots lots);
  [[nodiscard]] Index add(Index node, std::int32_t key, AuctionLots change);
  [[nodiscard]] Index joined(Index left, Index right);
  [[nodiscard]] Index raised_left(Index node);
  [[nodiscard]] Index raised_right(Index node);
  Index summed(Index node);
  [[nodiscard]] static std::uint32_t weight_of(std::int32_t key) noexcept;

  std::vector<Node> nodes_;  // the first stands for none
  Index root_ = 0;
  Index free_ = 0;
};

class AuctionLevels {
 public:
  /// The prices at which most would trade with least left over: all levels from `first` to `last`. Up to `split`
  /// `surplus` lots are left over, beyond it `surplus_beyond`; to buy if positive, to sell if negative.
  struct Best {
    std::int32_t first = 0, last = 0, split = 0;
    std::int64_t volume = 0;
    std::int64_t surplus = 0, surplus_beyond = 0;
  };

  /// For at most `levels` occupied levels, both sides together. Throws std::bad_alloc.
  explicit AuctionLevels(std::size_t levels);

  /// Forgets everything; the window lies around `middle` from now on. O(levels that there were).
  void start(market::Level middle);
  void add(market::Side side, market::Level level, market::Quantity change) {
    const bool is_buy = side == market::Side::buy;
    const std::int32_t key = market::index_of(level) + (is_buy ? 1 : 0);
    const AuctionLots lots = is_buy ? AuctionLots{0, change.lots} : AuctionLots{change.lots, 0};
    // What was found last stays true as far as it can.
    if (key < turn_.key)
      turn_.before += lots;
    else if (key == turn_.key)
      turn_.own += lots;
    const std::int64_t offset = std::int64_t{key} - base_;
    if (static_cast<std::uint64_t>(offset) < k_ticks) [[likely]] {
      const auto at = static_cast<std::size_t>(offset);
      ticks_[at] += lots;
      blocks_[at >> k_shift] += lots;
      groups_[at >> 2 * k_shift] += lots;
      inside_ += lots;
    } else {
      (offset < 0 ? below_ : above_).add(key, lots);
    }
  }
  /// Orders without a limit.
  void add_market(market::Side side, market::Quantity change) {
    (side == market::Side::buy ? market_.bids : market_.asks) += change.lots;
  }

  [[nodiscard]] bool has_limits() const noexcept { return total().sum() != 0; }
  /// Orders without a limit, by side.
  [[nodiscard]] AuctionLots market() const noexcept { return market_; }
  /// There must be limits. Volume 0: nothing would trade.
  [[nodiscard]] Best best() const;
  /// Whether the last best() lay outside the window: time to start() anew around it, if that keeps happening.
  [[nodiscard]] bool is_far() const noexcept { return is_far_; }

 private:
  using Found = AuctionTree::Found;
  static constexpr unsigned k_shift = 4;
  static constexpr std::size_t k_fan = std::size_t{1} << k_shift;
  static constexpr std::size_t k_ticks = k_fan * k_fan * k_fan;

  [[nodiscard]] AuctionLots total() const noexcept {
    AuctionLots sum = below_.total();
    sum += inside_;
    sum += above_.total();
    return sum;
  }
  [[nodiscard]] bool find_turn(std::int64_t lots) const;
  [[nodiscard]] Found first_inside(std::int64_t lots, AuctionLots before) const noexcept;
  [[nodiscard]] std::optional<std::int32_t> before(std::int64_t key) const noexcept;
  [[nodiscard]] std::optional<std::int32_t> behind(std::int64_t key) const noexcept;
  [[nodiscard]] AuctionLots at(std::int32_t key) const noexcept;
  [[nodiscard]] Best all_sell(std::int64_t balance) const;
  [[nodiscard]] Best all_buy(std::int64_t balance) const;

  LargeArray<AuctionLots> ticks_;  // by key from base_, then sums of 16 and of 256 of them
  LargeArray<AuctionLots> blocks_;
  std::array<AuctionLots, k_fan> groups_{};
  AuctionLots inside_, market_;
  std::int64_t base_ = 0;
  AuctionTree below_, above_;
  mutable Found turn_;  // the level found last, with the orders there and before it now
  mutable bool is_far_ = false;
};

}  // namespace dojima::book
