#pragma once

// Reports: what a book emits (`BookReport`, one cache line, enough to rebuild the book from) and what is sent to one
// user (`OwnerReport`, self-contained, with its sequence number). Plain records like the commands they answer.

#include <cstdint>

#include "dojima/market/order.hpp"

namespace dojima::market {

enum class BookReportKind : std::uint8_t {
  none = 0,
  accepted = 1,   ///< the order passed; nothing rests yet. price = limit, quantity = total
  added = 2,      ///< the order rests: price, leaves, displayed
  traded = 3,     ///< order = resting, other = aggressor; leaves and displayed are the resting order's after the trade
  replaced = 4,   ///< the order's terms changed: price, quantity (total), leaves; flags bit 0: it lost its priority
  cancelled = 5,  ///< the rest was cancelled; quantity = what went
  expired = 6,    ///< the rest expired (time in force, execution limit, end of session); quantity = what went
  rejected = 7,   ///< nothing changed; reason says why
  parked = 8,     ///< an order waits outside the book; price = its stop price, or its limit if it waits for an auction
  triggered = 9,  ///< a waiting order enters; `traded` and `added` may follow
  replenished = 10,  ///< an iceberg shows its next peak and goes to the back of its level
  reduced = 11,      ///< self-trade prevention took `quantity` off the order, without a trade; other = its counterpart
  // Of the book, not of an order: `order` is 0.
  phase_changed = 12,  ///< the book is in another phase: `flags` is the market::Phase, price = the reference or 0
  uncrossed = 13,      ///< an auction ended: price, quantity = what was traded at it; side and leaves = what was left
                       ///< over. Price and quantity 0: nothing could trade
  indicative = 14,     ///< a call: what uncrossing now would give, reported as `uncrossed`, whenever it has changed
};

/// Bits of BookReport::flags.
enum BookReportFlag : std::uint8_t {
  k_lost_priority = 1,  ///< replaced: the order went to the back of its (new) level
  k_was_resting = 2,    ///< cancelled, expired, triggered, reduced: the order rested in the book
  k_replacement = 4,    ///< rejected: the refused command was a replace or cancel, and the order lives on unchanged
  k_hidden = 8,         ///< added, traded: the (resting) order is not displayed
  k_dark = 16,          ///< added: it rests outside the levels (pegged, minimum execution size, all-or-none)
  k_parked = 32,        ///< replaced: an order that waits outside the book
  k_auction = 64,       ///< traded: in an auction or at the closing price, order = the buyer, other = the seller, and
                        ///< both rested in the book; added: it comes before all limits, without a price
};

/// Why a command was refused, or an order ended. Dojima's own range, see docs/venue.md; protocols map them.
enum class Reason : std::uint8_t {
  none = 0,
  unknown_instrument = 1,
  unknown_order = 2,
  unknown_user = 3,
  not_owner = 4,
  not_supported = 5,  ///< order type, time in force or condition that this venue does not offer
  price_not_on_tick = 6,
  price_out_of_range = 7,
  quantity_out_of_range = 8,
  side_mismatch = 9,
  nothing_changed = 10,
  quantity_already_executed = 11,  ///< a replace to a total that is not above what was executed
  order_table_full = 12,
  levels_full = 13,
  too_many_orders = 14,       ///< the user's own limit
  market_without_price = 15,  ///< reserved
  book_closed = 16,           ///< halted or closed: nothing enters or changes
  time_in_force = 17,         ///< immediate-or-cancel, fill-or-kill or market remainder
  by_owner = 18,
  session_ended = 19,
  display_not_allowed = 20,
  no_price = 21,         ///< there is no price to take: nothing on the other side, no trade yet
  linked_order = 22,     ///< the linked order is not there, or may not be linked
  expiry_passed = 23,    ///< the expiry is not in the future
  self_trade = 24,       ///< it would have traded with its own side
  passive_only = 25,     ///< it would not have been as passive as it must
  linked_executed = 26,  ///< the order it was linked with was executed
  time_expired = 27,     ///< its day or its time is over
  wrong_phase = 28,      ///< not in this phase of the day
  // Limits that the operator sets (venue/limit_keys.hpp).
  killed = 29,               ///< the kill switch of the user, the account or everybody is set
  not_permitted = 30,        ///< not in this instrument
  rate_exceeded = 31,        ///< too many orders in a second
  price_collar = 32,         ///< too far from the reference
  value_out_of_range = 33,   ///< price times quantity
  open_value = 34,           ///< of all open orders together
  position_limit = 35,       ///< with all that could still trade
  duplicate_order = 36,      ///< like one that came shortly before
  repeated_executions = 37,  ///< too many in a short time; the operator lets it go on
  limits_full = 38,          ///< no room to count what a limit needs
  protection = 39,           ///< why an order was cancelled: its user was executed too often in a short time
  by_operator = 40,          ///< why an order was cancelled
};
inline constexpr Reason k_last_reason = Reason::by_operator;

/// What a book emits. 64 bytes; the command's sequence and time are kept once per command (ReportBuffer::begin).
struct BookReport {
  Sequence sequence;  ///< of the command
  OrderId order;
  OrderId other;  ///< traded: the aggressor
  Price price;
  Quantity quantity;
  Quantity leaves;
  Quantity displayed;
  std::uint32_t instrument = 0;
  BookReportKind kind = BookReportKind::none;
  Side side = Side::none;  ///< of `order`
  Reason reason = Reason::none;
  std::uint8_t flags = 0;  ///< BookReportFlag bits
  friend bool operator==(const BookReport&, const BookReport&) = default;
};

enum class OwnerReportKind : std::uint8_t {
  none = 0,
  accepted = 1,  ///< order accepted
  traded = 2,
  cancelled = 3,
  replaced = 4,
  expired = 5,
  rejected = 6,           ///< a new order refused
  request_rejected = 7,   ///< a cancel or replace refused
  business_rejected = 8,  ///< the system could not take it: unknown instrument of a new order
  mass_cancelled = 9,     ///< the answer to a mass cancel, before its cancellations; with a reason: it was refused
  suspended = 10,         ///< the order waits outside the book: a stop order, or one for an auction
  restated = 11,          ///< the order is another one without its owner's doing; `restatement` says why
  trade_cancelled = 12,  ///< the execution `reference` no longer counts; with Restatement::market it has another price,
                         ///< and a `traded` of the same trade and order says it
  trade_corrected = 13,  ///< both in one, for a client that has a word for it; a venue sends none
};

/// Why an order was restated, as MIT203 numbers RestatementReason.
enum class Restatement : std::uint8_t {
  none = 0,
  repriced = 3,       ///< `price` is its new limit
  market = 8,         ///< by the market: a trade was busted or corrected, its total reduced instead of trading with its
                      ///< own side, the order cancelled without its owner's doing
  replenished = 100,  ///< an iceberg shows its next peak
};

enum class OrderStatus : std::uint8_t {
  new_order = 0,
  partially_filled = 1,
  filled = 2,
  cancelled = 4,
  expired = 6,
  rejected = 8,
  suspended = 9,
};

/// What is sent to one user. 160 bytes.
struct OwnerReport {
  Sequence sequence;  ///< of the report in its partition; rises over all users. 0: not numbered
  Sequence command;   ///< of the command that caused it; may leave once that is durable
  time::Time time;
  OrderId order;
  OrderId public_order;
  std::uint64_t execution = 0;
  std::uint64_t trade = 0;  ///< the same number on both sides of a trade
  Price price;  ///< traded, trade_cancelled, trade_corrected: of the trade; restated: the new limit if that is what
                ///< changed
  Quantity quantity;  ///< traded, trade_cancelled, trade_corrected: of the trade
  Quantity leaves;
  Quantity displayed;
  Quantity minimum;
  Text<20> client_order_id;  ///< answers: the request's id; unsolicited: the order's
  Text<11> counterparty;
  std::uint8_t partition = 0;  ///< AppID, 1-4; 0 where the report belongs to none
  std::uint32_t instrument = 0;
  std::uint16_t user = 0;
  OwnerReportKind kind = OwnerReportKind::none;
  OrderStatus status = OrderStatus::new_order;
  Side side = Side::none;
  Reason reason = Reason::none;
  Capacity capacity = Capacity::none;
  char liquidity = '\0';         ///< traded, trade_cancelled: A added, R removed, C auction
  std::uint8_t restatement = 0;  ///< restated, trade_cancelled, cancelled: a Restatement
  std::uint8_t peg = 0;
  std::uint8_t owner_type = 0;
  std::uint8_t waiver = 0;
  std::uint8_t last_market = 0;
  std::uint8_t type_of_trade = 0;
  std::uint8_t reserved[6] = {};
  std::uint64_t reference = 0;  ///< trade_cancelled, trade_corrected: the execution that no longer counts
  friend bool operator==(const OwnerReport&, const OwnerReport&) = default;
};

static_assert(sizeof(BookReport) == 64 && PlainRecord<BookReport>);
static_assert(sizeof(OwnerReport) == 160 && PlainRecord<OwnerReport>);

}  // namespace dojima::market
