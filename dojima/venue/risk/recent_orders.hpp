#pragma once

// The orders of the last time, for limits on duplicates: whether one like this came to a cell shortly before. An order
// is remembered once for all of its cells, in a log that links those which may be alike, newest first: a look-up ends
// at the first one that is too old, and what is forgotten is not looked for. What is to be forgotten is taken out of
// the log by the next of its looks, each behind a part of as many orders as it has; whoever asks in between is answered
// as if it were gone. While few orders are remembered the log goes round in little memory and the heads of the links
// are few, so that the caches have them; the one that is too many moves the others, 1,024 at most. O(1) expected but
// for that; memory is taken once and touched as it is used. One thread.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"
#include "dojima/venue/risk/order_cells.hpp"

namespace dojima::venue {

/// An order as a limit on duplicates sees it, as saved in a state.
struct OrderLikeness {
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  std::uint32_t cell = 0;   ///< whose limit it is
  std::uint32_t place = 0;  ///< of the instrument
  std::uint64_t side = 0;
};

class RecentOrders {
 public:
  /// What makes orders alike.
  struct Terms {
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    std::uint32_t place = 0;  ///< of the instrument
    market::Side side = market::Side::none;
    friend bool operator==(const Terms&, const Terms&) = default;
  };
  /// What leads to where orders like one of these subjects are linked: of the first two cells and of the others.
  using Heads = std::array<std::uint16_t, 2>;
  /// Whose order it is, and in which instrument: of its first two cells and of the others, by salt_of().
  using Salts = std::array<std::uint16_t, 2>;
  /// `subject`: RiskCell::subject.
  [[nodiscard]] static std::uint16_t salt_of(std::uint32_t subject, std::uint32_t place) noexcept {
    std::uint64_t mixed = (std::uint64_t{subject} << 32 | place) * 0xd6e8feb86659fd93U;
    mixed ^= mixed >> 32;
    return head_of(mixed * 0xff51afd7ed558ccdU);
  }
  /// How long each cell of an order looks back; 0: it does not.
  using Windows = std::array<time::Duration, OrderCells::k_most>;
  /// The terms are hashed once: what lies apart for a subject stays apart, wherever the other one's lies.
  [[nodiscard, gnu::always_inline]] static Heads heads_of(const Terms& terms, const Salts& salts) noexcept {
    const std::uint64_t mixed = static_cast<std::uint64_t>(terms.price) * 0x9e3779b97f4a7c15U +
                                static_cast<std::uint64_t>(terms.quantity) * 0xd6e8feb86659fd93U +
                                (static_cast<std::uint64_t>(terms.side) << 62);
    const std::uint16_t head = head_of(mixed);
    return {static_cast<std::uint16_t>(head ^ salts[0]), static_cast<std::uint16_t>(head ^ salts[1])};
  }

  /// Remembers as many orders, each as often as it has cells: a power of two below 2^31. Throws std::bad_alloc.
  explicit RecentOrders(std::size_t capacity)
      : capacity_(capacity), entries_(first_entry(k_sizes), k_untouched), heads_(first_head(k_sizes), k_untouched) {
    DOJIMA_ASSERT(std::has_single_bit(capacity) && capacity < std::size_t{1} << 31, "a power of two", capacity);
    use(0);
    // Memory of huge pages is cleared when it is used first: not while an order waits.
    entries_[0] = {};
    heads_[0] = 0;
  }

  /// Whether there is room for an order in so many cells, once those before `since` are forgotten.
  [[nodiscard]] bool has_room(std::size_t wanted, time::Time since) const noexcept {
    if (size_ + wanted <= capacity_) [[likely]]
      return true;
    if (wanted > capacity_) return false;
    const time::Time gone_at = std::max(since, forgotten_);
    std::size_t gone = 0;
    for (std::uint32_t at = oldest_; entry(at).time <= gone_at;) {
      gone += entry(at).cells_noted;
      if (size_ - gone + wanted <= capacity_) return true;
      if (++at == next_) return false;
    }
    return false;
  }

  /// Whether has_like() has to be asked. `heads`: of its terms and subjects.
  [[nodiscard, gnu::always_inline]] bool may_have_like(const Heads& heads) const noexcept {
    return std::min(newest(heads, 0) - oldest_, newest(heads, 1) - oldest_) < next_ - oldest_;
  }
  /// Whether one like this came to one of the cells within that cell's window. `heads`: as above.
  [[nodiscard]] bool has_like(const Terms& terms, const Heads& heads, const OrderCells& cells, const Windows& windows,
                              time::Time now) const noexcept {
    return is_linked(0, terms, heads, cells, windows, now) || is_linked(1, terms, heads, cells, windows, now);
  }

  /// Forgets what came at `since` or before. `cells`: only those that look for duplicates, so many and at least one.
  /// Without room for them it is not remembered.
  [[gnu::always_inline]] void note(const Terms& terms, const Heads& heads, const OrderCells& cells, std::uint32_t count,
                                   time::Time now, time::Time since) noexcept {
    forgotten_ = std::max(forgotten_, since);
    if (next_ == look_at_ && !look(count)) [[unlikely]]
      return;
    Entry& made = entry(next_);
    made.time = now;
    made.terms = terms;
    made.cells = cells;
    made.heads = heads;
    made.cells_noted = count;
    link(made, next_++);
    size_ += count;
  }

  /// Orders that are remembered, each as often as it has cells. O(those that are to be taken out).
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t size = size_;
    for (std::uint32_t at = oldest_, kept = first_kept(); at != kept; ++at) size -= entry(at).cells_noted;
    return size;
  }
  /// Calls `use(OrderLikeness, Time)` for each of them, the oldest first.
  template <class Use>
  void each(Use&& use) const {
    for (std::uint32_t at = first_kept(); at != next_; ++at)
      for (const std::uint32_t cell : entry(at).cells.at)
        if (cell != k_no_cell)
          use(OrderLikeness{.price = entry(at).terms.price,
                            .quantity = entry(at).terms.quantity,
                            .cell = cell,
                            .place = entry(at).terms.place,
                            .side = static_cast<std::uint64_t>(entry(at).terms.side)},
              entry(at).time);
  }

 private:
  /// Of the log and of its heads.
  struct Size {
    std::size_t orders;
    unsigned head_bits;
  };
  static constexpr unsigned k_head_bits = 16;
  static constexpr std::size_t k_sizes = 3;
  static constexpr std::uint32_t k_least_apart = 16, k_most_apart = 64;  // looks, in orders
  static constexpr std::uint32_t k_part = 8;  // a smaller log has orders again that fill such a part of it

  struct Entry {
    time::Time time;
    Terms terms;
    OrderCells cells;                     // k_no_cell: not noted for it
    std::array<std::uint32_t, 2> before;  // the number of the one before it with the same head
    std::uint32_t cells_noted;
    Heads heads;
  };
  static_assert(sizeof(Entry) == 64, "a line of the cache");

  [[nodiscard]] Size size_of(std::size_t which) const noexcept {
    return std::array<Size, k_sizes>{{{64, 10}, {1024, 12}, {capacity_, k_head_bits}}}[which];
  }
  /// Where those of a size begin; of k_sizes: where all end.
  [[nodiscard]] std::size_t first_entry(std::size_t which) const noexcept {
    return which == 0 ? 0 : first_entry(which - 1) + size_of(which - 1).orders;
  }
  [[nodiscard]] std::size_t first_head(std::size_t which) const noexcept {
    return which == 0 ? 0 : first_head(which - 1) + (std::size_t{2} << size_of(which - 1).head_bits);
  }
  [[nodiscard]] Entry& entry(std::uint32_t number) noexcept { return log_[number & (most_ - 1)]; }
  [[nodiscard]] const Entry& entry(std::uint32_t number) const noexcept { return log_[number & (most_ - 1)]; }
  /// Numbers go round: one of 2^32 orders ago may be taken for another one. It is compared as any other, and as ages
  /// rise from step to step, a look-up ends.
  [[nodiscard]] bool is_there(std::uint32_t number) const noexcept { return number - oldest_ < next_ - oldest_; }
  /// The first one that is not to be forgotten; the next one: none is left.
  [[nodiscard]] std::uint32_t first_kept() const noexcept {
    std::uint32_t at = oldest_;
    while (at != next_ && entry(at).time <= forgotten_) ++at;
    return at;
  }

  /// One that is alike, in time, from the newest on backwards.
  [[gnu::noinline]] bool is_linked(std::size_t half, const Terms& terms, const Heads& heads, const OrderCells& cells,
                                   const Windows& windows, time::Time now) const noexcept {
    const time::Duration wide = windows[2 * half], narrow = windows[2 * half + 1];
    const time::Duration longest = wide < narrow ? narrow : wide;
    if (longest == time::Duration{}) return false;
    const time::Time too_old = std::max(now - longest, forgotten_);
    std::uint32_t age = 0;  // of the one before
    for (std::uint32_t at = newest(heads, half); is_there(at) && next_ - at > age; at = entry(at).before[half]) {
      const Entry& one = entry(at);
      if (one.time <= too_old) break;
      age = next_ - at;
      if (one.terms != terms) continue;
      if (wide != time::Duration{} && one.cells.at[2 * half] == cells.at[2 * half] && one.time > now - wide)
        return true;
      if (narrow != time::Duration{} && one.cells.at[2 * half + 1] == cells.at[2 * half + 1] && one.time > now - narrow)
        return true;
    }
    return false;
  }

  [[nodiscard]] static std::uint16_t head_of(std::uint64_t mixed) noexcept {
    return static_cast<std::uint16_t>(mixed >> (64 - k_head_bits));
  }
  /// The number of the newest that is linked there; of one that is forgotten, or 0, where nothing is.
  [[nodiscard]] std::uint32_t& newest(const Heads& heads, std::size_t half) noexcept {
    return newest_[2 * (std::size_t{heads[half]} >> unused_bits_) + half];
  }
  [[nodiscard]] const std::uint32_t& newest(const Heads& heads, std::size_t half) const noexcept {
    return newest_[2 * (std::size_t{heads[half]} >> unused_bits_) + half];
  }
  /// Behind those before it.
  [[gnu::always_inline]] void link(Entry& made, std::uint32_t number) noexcept {
    std::uint32_t& first = newest(made.heads, 0);
    std::uint32_t& second = newest(made.heads, 1);  // of the other half, so another one
    made.before = {first, second};
    first = second = number;
  }
  /// Takes out what is forgotten, goes on in memory of the size that is wanted, and plans the next look: before the log
  /// is full, or more is remembered than may be. False: there is no room for an order in so many cells.
  [[gnu::noinline]] bool look(std::uint32_t count) noexcept {
    std::uint32_t oldest = oldest_;
    std::size_t size = size_;
    for (; oldest != next_ && entry(oldest).time <= forgotten_; ++oldest) size -= entry(oldest).cells_noted;
    oldest_ = oldest;
    size_ = size;
    const std::uint32_t orders = next_ - oldest_;
    look_at_ = next_;
    if (size_ + count > capacity_) return false;
    if (orders >= most_ || orders < few_) move_to(orders >= most_ ? in_use_ + 1 : in_use_ - 1);
    const auto room = static_cast<std::uint32_t>((capacity_ - size_) / OrderCells::k_most);
    look_at_ += std::max(1U, std::min({most_ - orders, room, std::clamp(orders / 2, k_least_apart, k_most_apart)}));
    return true;
  }
  /// What its heads say of before is forgotten, and so means nothing.
  void use(std::size_t which) noexcept {
    in_use_ = which;
    log_ = &entries_[first_entry(which)];
    newest_ = &heads_[first_head(which)];
    most_ = static_cast<std::uint32_t>(size_of(which).orders);
    few_ = which == 0 ? 0 : static_cast<std::uint32_t>(size_of(which - 1).orders) / k_part;
    unused_bits_ = k_head_bits - size_of(which).head_bits;
  }
  /// All that is remembered lies in memory of another size from here on.
  [[gnu::noinline]] void move_to(std::size_t which) noexcept {
    const Entry* const before = log_;
    const std::uint32_t mask = most_ - 1;
    use(which);
    for (std::uint32_t at = oldest_; at != next_; ++at) {
      entry(at) = before[at & mask];
      link(entry(at), at);
    }
  }

  std::size_t capacity_;
  LargeArray<Entry> entries_;            // of each size one behind the other
  LargeArray<std::uint32_t> heads_;      // likewise, by the upper bits of a hash, and half
  std::uint32_t oldest_ = 1, next_ = 1;  // numbers: heads that were never written lead to none
  std::uint32_t look_at_ = 1;            // with this one comes the next look
  std::size_t size_ = 0;                 // with those that are still to be taken out
  time::Time forgotten_ = time::Time::min();
  // The size in use.
  Entry* log_ = nullptr;  // a ring: number n lies at n modulo most_
  std::uint32_t* newest_ = nullptr;
  std::uint32_t most_ = 0, few_ = 0;  // orders; with fewer than few_ the size below is enough
  unsigned unused_bits_ = 0;
  std::size_t in_use_ = 0;
};

}  // namespace dojima::venue
