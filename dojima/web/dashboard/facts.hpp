#pragma once

// What a loop publishes to the screens, on its way to their thread: fixed records in a ring. The loop never waits: when
// the ring is full, facts are lost and counted, and from then on nothing of the books is published until the loop has
// put a snapshot beside the ring, in memory that was taken at the start. So a screen may be late for a moment, and is
// never wrong for good. One thread publishes, one other reads.
//
//   FactChannel channel({.orders = 1 << 16});
//   channel.publish(FactKind::report, now, report);             // the loop
//   if (channel.wants_snapshot()) { Snapshot& s = channel.begin_snapshot(); ...; channel.commit_snapshot(now); }
//   channel.drain(4096, [](const Fact& fact, const Snapshot* snapshot) { ... });   // the screens' thread

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dojima/base/ring.hpp"
#include "dojima/market/order.hpp"
#include "dojima/market/phase.hpp"
#include "dojima/time/time.hpp"

namespace dojima::web {

enum class FactKind : std::uint8_t {
  none = 0,
  report = 1,       ///< market::BookReport
  status = 2,       ///< market::SymbolStatus
  auction = 3,      ///< market::AuctionInfo
  trade_break = 4,  ///< market::TradeBreak
  snapshot = 5,     ///< the books stand in the snapshot now; no payload
  // May get lost without any harm: the next one says it again.
  session = 6,  ///< SessionFact
  counter = 7,  ///< CounterFact
  latency = 8,  ///< LatencyFact
  pace = 9,     ///< PaceFact
  notice = 10,  ///< NoticeFact
  // Of the books again.
  instrument = 11,  ///< InstrumentFact: one that was not there, or what is known of it now
  level = 12,       ///< LevelFact
  band = 13,        ///< BandFact
  clear = 14,       ///< the instrument (std::uint32_t) begins anew: no orders, no trades
  start = 15,       ///< time begins anew at the fact's: nothing of before counts; no payload
};

enum class SessionKind : std::uint8_t {
  user = 0,        ///< of a venue
  client = 1,      ///< of a gateway
  venue_user = 2,  ///< as whom a gateway trades
  drop_copy = 3,
  group = 4,  ///< of a feed
  line = 5,   ///< by which it comes
};

/// A session with whoever trades, or a stream that is followed.
struct SessionFact {
  std::uint64_t logons = 0;
  std::uint64_t open_orders = 0;
  std::uint64_t next_out = 0;       ///< the number that its next report or message gets
  std::uint64_t session_begin = 0;  ///< the number of the first report of its session; 0: it is down
  std::uint64_t next_in = 0;        ///< the number that is expected of it next; 0: its messages have none
  std::uint64_t lag = 0;            ///< messages that it has not taken, or that are missing
  std::uint64_t rejects = 0;        ///< of its requests
  std::uint16_t session = 0;        ///< its place among the names
  std::uint8_t is_up = 0;
  std::uint8_t is_locked = 0;
  std::uint8_t is_killed = 0;
  SessionKind kind = SessionKind::user;
  std::uint8_t last_reject = 0;  ///< market::Reason; 0: none yet
  std::uint8_t reserved = 0;
};
static_assert(sizeof(SessionFact) == 64);

struct CounterFact {
  std::uint64_t value = 0;
  std::uint32_t counter = 0;  ///< its place among the names
  std::uint32_t reserved = 0;
};

/// Some durations of one stage.
struct LatencyFact {
  std::uint32_t stage = 0;  ///< its place among the names
  std::uint32_t count = 0;  ///< of `ns`
  std::array<std::uint32_t, 14> ns{};
};

/// How the source's time moves.
struct PaceFact {
  double speed = 1;  ///< times the clock's; 0: from event to event
  std::uint8_t is_paused = 0;
  std::uint8_t can_jump = 0;
  std::uint8_t is_over = 0;  ///< nothing follows, but a jump may go back
  std::uint8_t reserved[5] = {};
  std::int64_t first = 0;  ///< the earliest time, nanoseconds; 0: unknown
  std::int64_t last = 0;   ///< the latest; 0: unknown
  double progress = -1;    ///< 0 to 1; below 0: unknown
};

/// A line for a person, in parts: they follow each other, and the last one says so.
struct NoticeFact {
  static constexpr std::size_t k_text = 56;
  std::uint32_t number = 0;  ///< the same in all parts
  std::uint8_t part = 0;     ///< from 0
  std::uint8_t is_last = 0;
  std::uint8_t size = 0;  ///< of the text
  std::uint8_t reserved = 0;
  std::array<char, k_text> text{};
};

/// Texts end at the first 0.
struct InstrumentFact {
  std::uint32_t instrument = 0;
  std::uint8_t partition = 1;
  std::uint8_t quantity_decimals = 0;
  std::uint8_t reserved[2] = {};
  std::int64_t reference = 0;
  std::array<char, 32> symbol{};
  std::array<char, 16> segment{};
};

/// What stands at a price of a book whose orders are not told.
struct LevelFact {
  std::int64_t price = 0;
  std::int64_t quantity = 0;  ///< 0: nothing
  std::uint32_t instrument = 0;
  std::uint32_t orders = 0;  ///< 0: not known
  market::Side side = market::Side::none;
  std::uint8_t reserved[7] = {};
};

/// Between which prices trades interrupt nothing; 0 and 0: any.
struct Bands {
  std::int64_t static_low = 0, static_high = 0;    ///< around the last auction
  std::int64_t dynamic_low = 0, dynamic_high = 0;  ///< around the last trade
  friend bool operator==(const Bands&, const Bands&) = default;
};
struct BandFact {
  Bands bands;
  std::uint32_t instrument = 0;
  std::uint32_t reserved = 0;
};

/// 80 bytes.
struct Fact {
  template <class Payload>
  [[nodiscard]] static Fact of(FactKind kind, time::Time time, const Payload& payload,
                               std::uint16_t owner = 0) noexcept {
    Fact fact;
    fact.set(kind, time, payload, owner);
    return fact;
  }
  /// The bytes behind the payload stay as they are.
  template <class Payload>
  void set(FactKind which, time::Time at, const Payload& content, std::uint16_t whose = 0) noexcept {
    static_assert(sizeof(Payload) <= 64 && std::is_trivially_copyable_v<Payload>);
    time = time::nanoseconds_of(at);
    kind = which;
    owner = whose;
    std::memcpy(payload.data(), &content, sizeof content);
  }
  template <class Payload>
  [[nodiscard]] Payload as() const noexcept {
    static_assert(sizeof(Payload) <= 64 && std::is_trivially_copyable_v<Payload>);
    Payload value;
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
  }

  std::int64_t time = 0;  ///< nanoseconds of the source
  FactKind kind = FactKind::none;
  std::uint8_t reserved[5] = {};
  std::uint16_t owner = 0;  ///< of the order that is added: its place among the sessions' names, plus 1; 0: not told
  std::array<std::byte, 64> payload{};
};
static_assert(sizeof(Fact) == 80 && std::is_trivially_copyable_v<Fact>);

/// An order on display; without an id a level whose orders are not told: `leaves` is how many there are.
struct SnapshotOrder {
  market::OrderId order;
  market::Price price;
  market::Quantity displayed;
  market::Quantity leaves;
  std::uint32_t instrument = 0;
  std::uint16_t owner = 0;  ///< as Fact::owner
  market::Side side = market::Side::none;
};

struct SnapshotInstrument {
  std::uint32_t instrument = 0;
  market::Phase phase = market::Phase::continuous;
  std::uint8_t day_phase = 0;  ///< market::DayPhase; no_day: it has none
  char auction_type = ' ';
  std::int64_t until = 0;  ///< the end of the phase, nanoseconds; the largest: nobody knows
  market::Price last_price, indicative_price;
  market::Quantity last_quantity, indicative_quantity;
  std::uint64_t trades = 0, volume = 0;
  Bands bands;
};

/// All books of a channel, oldest order first within a price.
struct Snapshot {
  std::vector<SnapshotOrder> orders;
  std::vector<SnapshotInstrument> instruments;
  std::uint64_t left_out = 0;  ///< orders beyond the capacity
};

struct FactChannelOptions {
  std::size_t facts = 1 << 15;   ///< in the ring, 80 bytes each
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
    if (!is_whole_) return;
    if (ring_.push_in_place([&](Fact& fact) { fact.set(kind, time, payload, owner); })) return ring_.prefetch(4);
    is_whole_ = false;
    lost_.store(lost_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// A fact that the next one says again. O(1).
  template <class Payload>
  void offer(FactKind kind, time::Time time, const Payload& payload) noexcept {
    static_cast<void>(ring_.push_in_place([&](Fact& fact) { fact.set(kind, time, payload); }));
  }
  /// A line for a person, as far as there is room; O(characters).
  void notice(time::Time time, std::string_view text) noexcept;
  /// What was told of the books is not so any more: nothing is published until a snapshot has been taken.
  void begin_anew() noexcept { is_whole_ = false; }
  /// So many more facts have room now.
  [[nodiscard]] bool has_room(std::size_t facts) const noexcept { return ring_.capacity() - ring_.size() >= facts; }
  /// Facts have been lost, most of the ring is free again, and the last snapshot has been read.
  [[nodiscard]] bool wants_snapshot() const noexcept {
    return !is_whole_ && is_snapshot_free_.load(std::memory_order_acquire) && ring_.size() < ring_.capacity() / 4;
  }
  /// Only while it is wanted: an empty one to fill.
  [[nodiscard]] Snapshot& begin_snapshot() noexcept;
  /// Puts an order into the snapshot in hand; beyond the capacity it is left out and counted.
  void add(const SnapshotOrder& order) noexcept;
  void commit_snapshot(time::Time now) noexcept;

  // The thread that reads.

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

  /// Any thread: how often the ring was full, and how many snapshots made up for it, that of the start included.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t snapshots() const noexcept { return snapshots_.load(std::memory_order_relaxed); }

 private:
  SpscRing<Fact> ring_;
  Snapshot snapshot_;
  bool is_whole_ = false;  // the publisher's: all facts since the last snapshot are in the ring or were
  std::uint32_t notices_ = 0;
  std::atomic<bool> is_snapshot_free_{true};
  std::atomic<std::uint64_t> lost_{0}, snapshots_{0};
};

}  // namespace dojima::web
