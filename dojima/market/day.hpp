#pragma once

// The trading day of an instrument as its venue knows it, and what is published of it: facts that a market data feed
// makes its messages of (MIT303: SymbolStatus, AuctionInfo, AuctionTrade). What a book makes of a phase is in
// phase.hpp, when a phase begins and ends in the venue's timetable (docs/trading-day.md). Plain records.

#include <cstdint>

#include "dojima/market/order.hpp"

namespace dojima::market {

/// The phase of an instrument's day.
enum class DayPhase : std::uint8_t {
  no_day = 0,        ///< before the first day
  start_of_day = 1,  ///< nothing enters
  opening_call = 2,  ///< its end is drawn at random
  opening_extension = 3,
  regular = 4,
  intraday_call = 5,
  intraday_extension = 6,
  volatility_halt = 7,  ///< a price beyond the static band: nothing enters
  reopening_call = 8,   ///< after a halt, or a price beyond the dynamic band
  reopening_extension = 9,
  closing_call = 10,
  closing_extension = 11,
  closing_price_cross = 12,
  post_close = 13,  ///< nothing enters
  end_of_day = 14,  ///< day orders have expired
  halted = 15,      ///< by the operator
};

/// What happens to a day.
enum class DayEvent : std::uint8_t {
  none = 0,
  begin = 1,           ///< a new day
  due = 2,             ///< the time of a phase is over
  beyond_dynamic = 3,  ///< a price beyond the band around the last trade
  beyond_static = 4,   ///< ... around the last auction
  halt = 5,            ///< by the operator
  resume = 6,
};

/// Why a phase began, as MIT303 numbers SessionChangeReason.
enum class DayReason : std::uint8_t {
  scheduled = 0,
  extended = 1,
  shortened = 2,
  price_outside_range = 4,
  manual = 100
};

/// An instrument is in another phase. 40 bytes.
struct SymbolStatus {
  Sequence sequence;  ///< of the command
  time::Time time;
  time::Time end;  ///< of the phase as it is planned; time::k_never: nobody knows
  std::uint32_t instrument = 0;
  DayPhase phase = DayPhase::no_day;
  DayReason reason = DayReason::scheduled;
  char trading_status = ' ';  ///< as MIT303 letters it
  std::uint8_t reserved[9] = {};
  friend bool operator==(const SymbolStatus&, const SymbolStatus&) = default;
};

/// What a call would trade now. 56 bytes.
struct AuctionInfo {
  Sequence sequence;
  time::Time time;
  Price price;         ///< indicative; 0: nothing would trade
  Quantity quantity;   ///< would trade
  Quantity imbalance;  ///< could trade at that price and finds nobody
  std::uint32_t instrument = 0;
  Side imbalance_side = Side::none;
  char auction_type = ' ';  ///< as MIT303 letters it: O opening, C closing, A after a breach, E resume, F periodic
  std::uint8_t reserved[10] = {};
  friend bool operator==(const AuctionInfo&, const AuctionInfo&) = default;
};

/// What an auction traded. 48 bytes.
struct AuctionTrade {
  Sequence sequence;
  time::Time time;
  Price price;
  Quantity quantity;
  std::uint64_t trade = 0;  ///< the last of its trades
  std::uint32_t instrument = 0;
  char auction_type = ' ';
  std::uint8_t reserved[3] = {};
  friend bool operator==(const AuctionTrade&, const AuctionTrade&) = default;
};

/// A trade counts no more, or has another price. 56 bytes.
struct TradeBreak {
  Sequence sequence;
  time::Time time;
  Price price;  ///< from now on, of one that is amended
  Quantity quantity;
  std::uint64_t trade = 0;
  std::uint32_t instrument = 0;
  bool is_auction = false;  ///< it was made in an auction, or at the closing price
  bool is_amended = false;  ///< it counts, at this price
  std::uint8_t reserved[10] = {};
  friend bool operator==(const TradeBreak&, const TradeBreak&) = default;
};

/// Another day of the venue begins: its market data is numbered from 1 again. 24 bytes.
struct DayStart {
  Sequence sequence;
  time::Time time;
  std::uint64_t day = 0;  ///< as the command has it (market::NextDay)
  friend bool operator==(const DayStart&, const DayStart&) = default;
};

static_assert(sizeof(DayStart) == 24 && PlainRecord<DayStart>);
static_assert(sizeof(SymbolStatus) == 40 && PlainRecord<SymbolStatus>);
static_assert(sizeof(AuctionInfo) == 56 && PlainRecord<AuctionInfo>);
static_assert(sizeof(AuctionTrade) == 48 && PlainRecord<AuctionTrade>);
static_assert(sizeof(TradeBreak) == 56 && PlainRecord<TradeBreak>);

}  // namespace dojima::market
