#include "dojima/mitch/book_publisher.hpp"

#include <algorithm>
#include <limits>

#include "dojima/base/assert.hpp"

namespace dojima::mitch {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::Phase;

constexpr std::int64_t k_second = 1'000'000'000;
/// The feed's resolution is the microsecond.
constexpr std::int64_t k_microsecond = 1'000;

[[nodiscard]] std::uint32_t lots(market::Quantity quantity) noexcept {
  return static_cast<std::uint32_t>(quantity.lots);
}

/// Quantities that the report may put on the wire.
[[nodiscard]] Result<void> check_quantities(const BookReport& report) noexcept {
  for (const market::Quantity quantity : {report.quantity, report.displayed})
    if (quantity.lots < 0 || quantity.lots > std::numeric_limits<std::uint32_t>::max())
      return fail(ErrorCode::out_of_range, 0, 0, quantity.lots, "a quantity of UInt32");
  return {};
}

[[nodiscard]] char trading_status_of(Phase phase) noexcept {
  switch (phase) {
    case Phase::continuous:
      return 'T';
    case Phase::opening_call:
      return 'a';
    case Phase::intraday_call:
      return 'r';
    case Phase::reopening_call:
      return 'f';
    case Phase::closing_call:
      return 'd';
    case Phase::closing_price_cross:
      return 'u';
    case Phase::halted:
      return 'H';
    case Phase::closed:
      break;
  }
  return 'c';
}

/// Of an auction that ends, or of the closing price cross.
[[nodiscard]] char auction_type_of(Phase phase) noexcept {
  switch (phase) {
    case Phase::opening_call:
      return 'O';
    case Phase::reopening_call:
      return 'E';
    case Phase::closing_call:
    case Phase::closing_price_cross:
      return 'C';
    default:
      return 'F';
  }
}

[[nodiscard]] char side_of(market::Side side) noexcept {
  return side == market::Side::buy ? 'B' : 'S';
}

}  // namespace

BookPublisher::BookPublisher(FeedWriter& feed, const BookPublisherOptions& options)
    : feed_(feed), shown_(options.orders), midnight_(options.midnight), next_trade_(options.first_trade) {}

Result<void> BookPublisher::publish(const BookReport& report, time::Time now) {
  if (const Result<void> checked = check_quantities(report); !checked) return checked;
  now_ = now;
  switch (report.kind) {
    case BookReportKind::added:
      return show(report);
    case BookReportKind::traded:
      return (report.flags & market::k_auction) != 0 ? cross(report) : trade(report);
    case BookReportKind::replaced:
      return (report.flags & market::k_lost_priority) != 0 ? hide(report) : change(report, Priority::retained);
    case BookReportKind::reduced:
      return change(report, Priority::retained);
    case BookReportKind::replenished:
      return shown_.find(report.order.value) != nullptr ? change(report, Priority::lost) : show(report);
    case BookReportKind::cancelled:
    case BookReportKind::expired:
    case BookReportKind::triggered:
      return hide(report);
    case BookReportKind::phase_changed:
      return change_phase(report);
    case BookReportKind::uncrossed:
      return uncross(report);
    case BookReportKind::indicative:
      return send(AuctionInfo{.paired_quantity = lots(report.quantity),
                              .instrument_id = report.instrument,
                              .price = report.price,
                              .auction_type = auction_type_of(phase_)});
    case BookReportKind::none:
    case BookReportKind::accepted:
    case BookReportKind::rejected:
    case BookReportKind::parked:
      break;
  }
  return {};
}

template <class Message>
Result<void> BookPublisher::send(Message message) {
  const std::int64_t since = (now_ - midnight_).count();
  DOJIMA_ASSERT(since >= 0, "the feed's day begins at midnight");
  const auto second = static_cast<std::uint32_t>(since / k_second);
  if (!has_time_ || second != second_) {
    if (const Result<void> told = feed_.append(Time{.seconds = second}); !told) return told;
    second_ = second;
    has_time_ = true;
  }
  message.nanosecond = static_cast<std::uint32_t>(since % k_second / k_microsecond * k_microsecond);
  return feed_.append(message);
}

/// Puts an order on display, at the end of its level.
Result<void> BookPublisher::show(const BookReport& report) {
  constexpr std::uint8_t k_unseen = market::k_hidden | market::k_dark | market::k_auction;
  if ((report.flags & k_unseen) != 0 || report.displayed.lots == 0) return {};
  if (shown_.is_full())
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(shown_.size()), "no more orders than configured");
  const Result<void> sent = send(AddOrder{.order_id = report.order.value,
                                          .side = side_of(report.side),
                                          .quantity = lots(report.displayed),
                                          .instrument_id = report.instrument,
                                          .price = report.price});
  if (!sent) return sent;
  const bool is_new = shown_.insert(report.order.value, Shown{.price = report.price,
                                                              .displayed = report.displayed.lots,
                                                              .leaves = report.leaves.lots,
                                                              .side = report.side});
  DOJIMA_ASSERT(is_new, "an order comes on display once");
  return {};
}

Result<void> BookPublisher::hide(const BookReport& report) {
  if (!shown_.erase(report.order.value)) return {};
  return send(OrderDeleted{.order_id = report.order.value, .instrument_id = report.instrument});
}

/// What an order shows is another quantity at the same price.
Result<void> BookPublisher::change(const BookReport& report, Priority priority) {
  const Shown* shown = shown_.find(report.order.value);
  if (shown == nullptr) return {};
  if (report.displayed.lots == 0) return hide(report);
  const bool is_same = shown->displayed == report.displayed.lots && priority == Priority::retained;
  const market::Price price = shown->price;
  keep(report.order, report.displayed.lots, report.leaves.lots);
  if (is_same) return {};
  return send(OrderModified{.order_id = report.order.value,
                            .new_quantity = lots(report.displayed),
                            .new_price = price,
                            .flags = priority == Priority::retained ? k_priority_retained : std::uint8_t{0}});
}

void BookPublisher::keep(market::OrderId order, std::int64_t displayed, std::int64_t leaves) noexcept {
  if (displayed == 0) {
    shown_.erase(order.value);
    return;
  }
  Shown* shown = shown_.find(order.value);
  shown->displayed = displayed;
  shown->leaves = leaves;
}

/// A trade in which `report.order` rested and the other side came in.
Result<void> BookPublisher::trade(const BookReport& report) {
  const std::uint64_t number = next_trade_++;
  const Shown* found = shown_.find(report.order.value);
  if (found == nullptr)
    return send(Trade{.executed_quantity = lots(report.quantity),
                      .instrument_id = report.instrument,
                      .price = report.price,
                      .trade_match_id = number});
  const Shown shown = *found;
  keep(report.order, report.displayed.lots, report.leaves.lots);
  const bool is_plain = shown.price == report.price && shown.displayed - report.quantity.lots == report.displayed.lots;
  if (is_plain)
    return send(OrderExecuted{
        .order_id = report.order.value, .executed_quantity = lots(report.quantity), .trade_match_id = number});
  return send(OrderExecutedWithPriceSize{.order_id = report.order.value,
                                         .executed_quantity = lots(report.quantity),
                                         .display_quantity = lots(report.displayed),
                                         .trade_match_id = number,
                                         .printable = 'Y',
                                         .price = report.price});
}

/// A trade of two orders that both stood in the book, at a price that may be neither's. In an auction the volume is
/// told once, when it ends; at the closing price with each trade.
Result<void> BookPublisher::cross(const BookReport& report) {
  const std::uint64_t number = next_trade_++;
  for (const market::OrderId order : {report.order, report.other})
    if (const Result<void> told = cross_order(order, report, number); !told) return told;
  if (phase_ != Phase::closing_price_cross) return {};
  if (told_command_ != report.sequence) told_ = {};
  told_command_ = report.sequence;
  told_ += report.quantity;
  return send(AuctionTrade{.quantity = lots(report.quantity),
                           .instrument_id = report.instrument,
                           .price = report.price,
                           .trade_match_id = number,
                           .auction_type = auction_type_of(phase_)});
}

Result<void> BookPublisher::cross_order(market::OrderId order, const BookReport& report, std::uint64_t trade) {
  const Shown* shown = shown_.find(order.value);
  if (shown == nullptr) return {};
  // The report tells of the buyer only; what is left of either follows from what it had.
  const std::int64_t leaves = shown->leaves - report.quantity.lots;
  const std::int64_t displayed = std::clamp<std::int64_t>(shown->displayed - report.quantity.lots, 0, leaves);
  keep(order, displayed, leaves);
  return send(OrderExecutedWithPriceSize{.order_id = order.value,
                                         .executed_quantity = lots(report.quantity),
                                         .display_quantity = static_cast<std::uint32_t>(displayed),
                                         .trade_match_id = trade,
                                         .printable = 'N',
                                         .price = report.price});
}

Result<void> BookPublisher::uncross(const BookReport& report) {
  // What stands crossed when the closing price cross ends is uncrossed too, and those trades have been told.
  const market::Quantity volume = told_command_ == report.sequence ? report.quantity - told_ : report.quantity;
  if (volume.lots <= 0) return {};
  const Result<void> told = send(AuctionTrade{.quantity = lots(volume),
                                              .instrument_id = report.instrument,
                                              .price = report.price,
                                              .trade_match_id = next_trade_++,
                                              .auction_type = auction_type_of(phase_)});
  if (!told || (phase_ != Phase::opening_call && phase_ != Phase::closing_call)) return told;
  return send(Statistics{.instrument_id = report.instrument,
                         .statistic_type = phase_ == Phase::opening_call ? 'O' : 'C',
                         .price = report.price,
                         .open_close_price_indicator = 'A'});
}

Result<void> BookPublisher::change_phase(const BookReport& report) {
  phase_ = static_cast<Phase>(report.flags);
  return send(SymbolStatus{
      .instrument_id = report.instrument, .trading_status = trading_status_of(phase_), .session_change_reason = 0});
}

}  // namespace dojima::mitch
