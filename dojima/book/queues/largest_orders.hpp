#pragma once

// Which orders of a level have most, for books that do not trade in the order of time: without it an order that trades
// at a long level walks through all of it to find one maker. Some levels of a side are known at a time, of each up to
// 64 orders in the order of time, and what all its others have at most. It is a memory, not a list to be kept: orders
// that leave or shrink are recognised when they are met, those that join at the back are announced by calls, and what
// is not known is looked up in the level again. It decides nothing: the same orders are found without it.
//
// Memory is taken once, about 33 KB for a book. One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "dojima/book/queues/side_queue.hpp"

namespace dojima::book {

/// An order of a level as it was when it was last looked at; 0 lots: it is not there any more.
struct KnownOrder {
  std::int64_t lots;    ///< it has no more than that
  std::uint64_t entry;  ///< Order::entry
  std::uint64_t place;  ///< in the order of time
  Slot slot;
};

/// Whether it still rests in that level.
template <SideQueue Queue>
[[nodiscard]] inline bool is_there(const KnownOrder& known, const OrderTable& orders, const Queue& queue,
                                   Level level) noexcept {
  const Order& order = orders[known.slot];
  return order.entry == known.entry && order.is_resting() && order.place() == Place::lit &&
         queue.level_of(known.slot) == level;
}

/// Whether the order is as it is known. If not, it is known now, or known to be gone.
template <SideQueue Queue>
[[nodiscard]] inline bool is_current(KnownOrder& known, const OrderTable& orders, const Queue& queue, Level level) {
  if (known.lots == 0) return false;
  const std::int64_t lots = is_there(known, orders, queue, level) ? orders[known.slot].leaves.lots : 0;
  if (lots == known.lots) return true;
  known.lots = lots;
  return false;
}

/// The largest orders of one level.
class LargestOfLevel {
 public:
  static constexpr std::size_t k_room = 64;
  static constexpr std::size_t k_kept = 32;  // when there is no room

  /// Walks through the level. O(orders).
  template <SideQueue Queue>
  void look(const OrderTable& orders, const Queue& queue, Level level) noexcept {
    count_ = 0;
    places_ = 0;
    others_ = 0;
    others_place_ = 0;
    for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot)) {
      const Order& order = orders[slot];
      join(slot, order.leaves, order.entry);
    }
  }

  /// An order has come to the back. O(1), O(64) once in 32 times.
  void join(Slot slot, Quantity leaves, std::uint64_t entry) noexcept {
    const std::uint64_t place = places_++;
    if (leaves.lots <= others_) return;
    if (count_ == k_room) {
      make_room();
      if (leaves.lots <= others_) return;
    }
    known_[count_++] = {leaves.lots, entry, place, slot};
  }

  /// The order has left the place where it may be known. O(64).
  void leave(Slot slot) noexcept {
    for (std::size_t at = 0; at < count_; ++at)
      if (known_[at].slot == slot) known_[at].lots = 0;
  }

  /// Of a level that has orders the one that has most, the oldest of those. Who trades with it takes from `lots` as
  /// well. O(64) where it is known.
  template <SideQueue Queue>
  [[nodiscard]] KnownOrder& largest(const OrderTable& orders, const Queue& queue, Level level) noexcept {
    for (;;) {
      KnownOrder* found = nullptr;
      std::int64_t most = 0;
      for (std::size_t at = 0; at < count_; ++at)
        if (known_[at].lots > most) {
          found = &known_[at];
          most = found->lots;
        }
      if (found == nullptr || most < others_ || (most == others_ && found->place > others_place_))
        look(orders, queue, level);
      else if (is_current(*found, orders, queue, level))
        return *found;
    }
  }

  /// Whether all orders that have that much are known; looks again if so few are known that it may help.
  template <SideQueue Queue>
  [[nodiscard]] bool knows_all(std::int64_t lots, const OrderTable& orders, const Queue& queue, Level level) noexcept {
    if (others_ < lots) return true;
    std::size_t large = 0;
    for (std::size_t at = 0; at < count_; ++at) large += std::size_t{known_[at].lots >= lots};
    if (large >= k_kept / 2) return false;
    look(orders, queue, level);
    return others_ < lots;
  }

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  [[nodiscard]] KnownOrder& operator[](std::size_t at) noexcept { return known_[at]; }

  /// Null, or what is wrong of what is known of a level that has orders. O(orders).
  template <SideQueue Queue>
  [[nodiscard]] const char* inconsistency(const OrderTable& orders, const Queue& queue, Level level) const noexcept {
    std::size_t at = 0;
    const auto skip = [&] {
      while (at < count_ && (known_[at].lots == 0 || !is_there(known_[at], orders, queue, level))) ++at;
    };
    for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot)) {
      skip();
      const std::int64_t lots = orders[slot].leaves.lots;
      if (at == count_ || known_[at].slot != slot) {
        if (lots > others_) return "a large order of a level is not known";
      } else if (known_[at++].lots < lots) {
        return "an order has more than is known";
      }
    }
    skip();
    return at == count_ ? nullptr : "the largest orders are not known in the order of time";
  }

 private:
  /// Forgets those that are gone; if they are none, all but the 32 largest.
  void make_room() noexcept {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < count_; ++at)
      if (known_[at].lots != 0) known_[kept++] = known_[at];
    count_ = kept;
    if (count_ != k_room) return;
    std::array<std::int64_t, k_room> lots{};
    for (std::size_t at = 0; at < k_room; ++at) lots[at] = known_[at].lots;
    const auto smallest = lots.begin() + (k_kept - 1);
    std::nth_element(lots.begin(), smallest, lots.end(), std::greater<>());
    const std::int64_t least = *smallest;
    auto as_much = static_cast<std::size_t>(std::count(lots.begin(), smallest + 1, least));
    std::uint64_t last_place = 0;
    kept = 0;
    for (std::size_t at = 0; at < k_room; ++at) {
      if (known_[at].lots < least || (known_[at].lots == least && as_much == 0)) continue;
      if (known_[at].lots == least) {
        --as_much;
        last_place = known_[at].place;
      }
      known_[kept++] = known_[at];
    }
    count_ = kept;
    if (least == others_) others_place_ = std::min(others_place_, last_place);
    if (least <= others_) return;
    others_ = least;
    others_place_ = last_place;
  }

  std::size_t count_ = 0;
  std::uint64_t places_ = 0;              // given out
  std::uint64_t others_place_ = 0;        // those of the others that have as much as others_ came later than this
  std::int64_t others_ = 0;               // what orders that are not known have at most
  std::array<KnownOrder, k_room> known_;  // in the order of time
};

/// Of both sides of a book: eight levels each, one for all that are alike in their last three bits.
class LargestOrders {
 public:
  LargestOrders() noexcept { forget(); }

  /// An order has come to the back of a level.
  [[gnu::always_inline]] void joined(Side side, Level level, Slot slot, Quantity leaves, std::uint64_t entry) noexcept {
    const std::size_t at = place_of(side, level);
    if (levels_[at] == level) known_[at].join(slot, leaves, entry);
  }
  /// Likewise of one that may have been there before, as the same order.
  void joined_again(Side side, Level level, Slot slot, Quantity leaves, std::uint64_t entry) noexcept {
    const std::size_t at = place_of(side, level);
    if (levels_[at] != level) return;
    known_[at].leave(slot);
    known_[at].join(slot, leaves, entry);
  }
  /// Something has happened at a level that was not announced.
  void forget(Side side, Level level) noexcept { levels_[place_of(side, level)] = k_no_level; }
  void forget() noexcept { levels_.fill(k_no_level); }

  /// What is known of a level that has orders; it is looked at if nothing is.
  template <SideQueue Queue>
  [[nodiscard]] LargestOfLevel& of(const OrderTable& orders, const Queue& queue, Side side, Level level) noexcept {
    const std::size_t at = place_of(side, level);
    if (levels_[at] != level) {
      levels_[at] = level;
      known_[at].look(orders, queue, level);
    }
    return known_[at];
  }

  template <SideQueue Queue>
  [[nodiscard]] const char* inconsistency(const OrderTable& orders, const Queue& queue, Side side) const noexcept {
    for (std::size_t at = 0; at < k_levels; ++at) {
      const Level level = levels_[place_of(side, Level{static_cast<std::int32_t>(at)})];
      if (level == k_no_level || queue.count(level) == 0) continue;
      if (const char* wrong = known_[place_of(side, level)].inconsistency(orders, queue, level)) return wrong;
    }
    return nullptr;
  }

 private:
  static constexpr std::size_t k_levels = 8;

  [[nodiscard]] static std::size_t place_of(Side side, Level level) noexcept {
    return (side == Side::buy ? 0 : k_levels) + static_cast<std::size_t>(market::index_of(level)) % k_levels;
  }

  std::array<Level, 2 * k_levels> levels_;
  std::array<LargestOfLevel, 2 * k_levels> known_;
};

}  // namespace dojima::book
