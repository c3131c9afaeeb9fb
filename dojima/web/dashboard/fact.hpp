#pragma once

// What a loop tells the screens: records of one size, each of a kind, with the time of the source.
//
//   const Fact fact = Fact::of(FactKind::counter, now, CounterFact{.value = 6, .counter = 1});
//   fact.as<CounterFact>().value;

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::web {

enum class FactKind : std::uint8_t {
  none = 0,
  report = 1,       ///< market::BookReport
  status = 2,       ///< market::SymbolStatus
  auction = 3,      ///< market::AuctionInfo
  trade_break = 4,  ///< market::TradeBreak
  snapshot = 5,     ///< the snapshot has books as they are now, all or some; no payload
  trade = 18,       ///< TradeFact
  // May get lost without any harm: the next one says it again.
  session = 6,       ///< SessionFact
  counter = 7,       ///< CounterFact
  latency = 8,       ///< LatencyFact
  pace = 9,          ///< PaceFact
  notice = 10,       ///< NoticeFact
  last_reject = 16,  ///< RejectFact
  rejects = 19,      ///< CounterFact: how many requests a market::Reason refused since the start
  account = 17,      ///< AccountFact
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
  strategy = 6,
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

/// Why the last request of a session was refused, where words say more than a reason's number.
struct RejectFact {
  static constexpr std::size_t k_text = 61;
  std::uint16_t session = 0;  ///< its place among the names
  std::uint8_t size = 0;      ///< of the text
  std::array<char, k_text> text{};
};

/// What who is watched has of an instrument, or of all together; money in the currency of the instruments.
struct AccountFact {
  double equity = 0;  ///< cash, and what is held at the middle of the book
  double cash = 0;    ///< behind fees
  double fees = 0;    ///< paid
  std::int64_t position = 0;
  std::uint64_t fills = 0;
  std::uint64_t orders = 0;      ///< that were asked for
  std::uint32_t instrument = 0;  ///< 0: all together, without a position
  std::uint32_t open_orders = 0;
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

/// What rests at a price of a book whose orders are not known.
struct LevelFact {
  std::int64_t price = 0;
  std::int64_t quantity = 0;  ///< 0: nothing
  std::uint32_t instrument = 0;
  std::uint32_t orders = 0;  ///< 0: not known
  market::Side side = market::Side::none;
  std::uint8_t own = 0;  ///< of the orders, those of Fact::owner; 255: or more
  std::uint8_t reserved[6] = {};
};

/// A trade of an instrument whose orders are not published.
struct TradeFact {
  std::int64_t price = 0;
  std::int64_t quantity = 0;
  std::uint32_t instrument = 0;
  market::Side side = market::Side::none;  ///< of the aggressor; none: in an auction, or not known
  std::uint8_t is_auction = 0;
  std::uint8_t reserved[2] = {};
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

/// As the screens take it, 80 bytes; on its way it is shorter (fact_ring.hpp).
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
  std::uint16_t owner = 0;  ///< of the order that is added: its place among the sessions' names, plus 1; 0: not known
  std::array<std::byte, 64> payload{};
};
static_assert(sizeof(Fact) == 80 && std::is_trivially_copyable_v<Fact>);

}  // namespace dojima::web
