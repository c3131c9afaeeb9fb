#pragma once

// What a loop publishes to the screens, on its way to their thread: facts in a ring. The loop never waits: when
// the ring is full, facts are lost and counted, and from then on nothing of the books is published until the loop has
// put a snapshot beside the ring, in memory that was taken at the start. So a screen may be late for a moment, and is
// never wrong for good. One thread publishes, one other reads.
//
// The reader says how much of each instrument it needs, so that a loop need not publish every order of books at which
// nobody looks: it may put some books into a snapshot, as they are now, whenever the reader has read the one before.
//
//   FactChannel channel({.orders = 1 << 16});
//   channel.publish(FactKind::report, now, report);             // the loop
//   if (channel.wants_snapshot()) { Snapshot& s = channel.begin_snapshot(); ...; channel.commit_snapshot(now); }
//   channel.drain(4096, [](const Fact& fact, const Snapshot* snapshot) { ... });   // the screens' thread

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "dojima/market/order.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/time/time.hpp"
#include "dojima/web/dashboard/fact.hpp"
#include "dojima/web/dashboard/fact_ring.hpp"

namespace dojima::web {

/// How much of an instrument the reader needs.
enum class Detail : std::uint8_t {
  touch = 0,   ///< trades, phase, best prices
  levels = 1,  ///< and, now and then, the levels that a heat map shows
  ladder = 2,  ///< those of a ladder
  orders = 3,  ///< every order
};

/// How many levels of a side, of a book of which not every order is published.
[[nodiscard]] constexpr std::size_t levels_of(Detail detail) noexcept {
  return detail == Detail::touch ? 1 : detail == Detail::levels ? 32 : 60;
}

/// An order on display; without an id a level whose orders are not known: `leaves` is how many there are.
struct SnapshotOrder {
  market::OrderId order;
  market::Price price;
  market::Quantity displayed;
  market::Quantity leaves;
  std::uint32_t instrument = 0;
  std::uint16_t owner = 0;  ///< as Fact::owner
  market::Side side = market::Side::none;
  std::uint8_t own = 0;  ///< of a level: as LevelFact::own
};

struct SnapshotInstrument {
  std::uint32_t instrument = 0;
  market::Phase phase = market::Phase::continuous;
  std::uint8_t day_phase = 0;  ///< market::DayPhase; no_day: it has none
  char auction_type = ' ';
  std::int64_t until = 0;  ///< the end of the phase, nanoseconds; the largest: nobody knows
  market::Price last_price, indicative_price;
  market::Quantity last_quantity, indicative_quantity, imbalance;
  market::Side imbalance_side = market::Side::none;
  std::uint64_t trades = 0, volume = 0;
  Bands bands;
  /// In the book, where only the best of them follow; 0: all there are do.
  std::uint32_t bid_levels = 0, ask_levels = 0;
};

/// Books of a channel, oldest order first within a price.
struct Snapshot {
  std::vector<SnapshotOrder> orders;
  std::vector<SnapshotInstrument> instruments;
  std::uint64_t left_out = 0;  ///< orders beyond the capacity
};

struct FactChannelOptions {
  std::size_t bytes = 1 << 20;   ///< of the ring: about 40 a report, at most 88 a fact
  std::size_t orders = 1 << 16;  ///< on display at a time, of all books; 40 bytes each
  std::size_t instruments = 256;
};

class FactChannel {
 public:
  /// Begins without books: it wants a snapshot. Throws std::bad_alloc.
  explicit FactChannel(const FactChannelOptions& options);

  // The thread that publishes. Nothing here waits or allocates.

  /// A fact of the books. O(1).
  template <class Payload>
  void publish(FactKind kind, time::Time time, const Payload& payload, std::uint16_t owner = 0) noexcept {
    if (!is_whole_ || ring_.push(kind, time, payload, owner)) return;
    is_whole_ = false;
    lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// A fact that the next one says again. False: there was no room. O(1).
  template <class Payload>
  bool offer(FactKind kind, time::Time time, const Payload& payload) noexcept {
    return ring_.push(kind, time, payload);
  }
  /// A line for a person, as far as there is room; O(characters).
  void notice(time::Time time, std::string_view text) noexcept;
  /// What was published of the books is not so any more: nothing is published until a snapshot has been taken.
  void begin_anew() noexcept { is_whole_ = false; }
  /// So many more facts have room now, whichever they are.
  [[nodiscard]] bool has_room(std::size_t facts) const noexcept { return ring_.free() >= facts * FactRing::k_longest; }
  /// Facts have been lost, most of the ring is free again, and the last snapshot has been read.
  [[nodiscard]] bool wants_snapshot() const noexcept {
    return !is_whole_ && is_snapshot_free_.load(std::memory_order_acquire) && ring_.free() > ring_.capacity() / 4 * 3;
  }
  /// Nothing is missing, the last snapshot has been read, and there is room to publish one of some books.
  [[nodiscard]] bool takes_part() const noexcept {
    return is_whole_ && is_snapshot_free_.load(std::memory_order_acquire) && has_room(1);
  }
  /// Only while one is wanted, or a part is taken: an empty one to fill.
  [[nodiscard]] Snapshot& begin_snapshot() noexcept;
  /// Puts an order into the snapshot in hand; beyond the capacity it is left out and counted.
  void add(const SnapshotOrder& order) noexcept;
  /// Of all books.
  void commit_snapshot(time::Time now) noexcept;
  /// Of some: what is known of the others stays as it is.
  void commit_part(time::Time now) noexcept;
  /// Rises whenever the reader needs another detail of some instrument.
  [[nodiscard]] std::uint32_t wanted_version() const noexcept {
    return wanted_version_.load(std::memory_order_acquire);
  }
  /// Of the instrument at this place among those of FactChannelOptions::instruments.
  [[nodiscard]] Detail wanted(std::size_t place) const noexcept {
    return place < wanted_.size() ? wanted_[place].load(std::memory_order_relaxed) : Detail::touch;
  }

  // The thread that reads.

  /// From soon on, where the loop makes a difference. Places beyond those of the options have none.
  void want(std::size_t place, Detail detail) noexcept;

  /// Calls `visit(fact, snapshot)` for at most so many facts; the snapshot is there for its own fact only. How many.
  template <class Visit>
  std::size_t drain(std::size_t most, Visit&& visit) {
    std::size_t count = 0;
    for (Fact fact; count < most && ring_.pop(fact); ++count) {
      const bool is_snapshot = fact.kind == FactKind::snapshot;
      visit(static_cast<const Fact&>(fact), is_snapshot ? &snapshot_ : nullptr);
      if (is_snapshot) is_snapshot_free_.store(true, std::memory_order_release);
    }
    return count;
  }

  /// Any thread: bytes of facts that the reader has not taken yet, of how many there is room for.
  [[nodiscard]] std::size_t waiting() const noexcept { return ring_.capacity() - ring_.free(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.capacity(); }

  /// Any thread: how often the ring was full, and how many snapshots made up for it, that of the start included.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t snapshots() const noexcept { return snapshots_.load(std::memory_order_relaxed); }

 private:
  FactRing ring_;
  Snapshot snapshot_;
  bool is_whole_ = false;  // the publisher's: all facts since the last snapshot are in the ring or were
  std::uint32_t notices_ = 0;
  std::vector<std::atomic<Detail>> wanted_;
  std::atomic<std::uint32_t> wanted_version_{0};
  std::atomic<bool> is_snapshot_free_{true};
  std::atomic<std::uint64_t> lost_{0}, snapshots_{0};
};

}  // namespace dojima::web
