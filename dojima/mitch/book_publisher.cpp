#include "dojima/mitch/book_publisher.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/mitch/server/shown_orders.hpp"

namespace dojima::mitch {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::Phase;

constexpr std::int64_t k_second = 1'000'000'000;

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

/// "16:30:00", or nothing where nobody knows.
[[nodiscard]] Text<8> time_of_day(time::Time at, time::Time midnight) noexcept {
  Text<8> text;
  if (at == time::k_never || at < midnight) return text;
  const std::int64_t seconds = (at - midnight).count() / k_second % 86'400;
  const std::int64_t parts[3] = {seconds / 3'600, seconds / 60 % 60, seconds % 60};
  text = Text<8>::cut("00:00:00");
  for (std::size_t part = 0; part < 3; ++part) {
    text.chars[3 * part] = static_cast<char>('0' + parts[part] / 10);
    text.chars[3 * part + 1] = static_cast<char>('0' + parts[part] % 10);
  }
  return text;
}

[[nodiscard]] char side_of(market::Side side) noexcept {
  return side == market::Side::buy ? 'B' : 'S';
}

}  // namespace

BookPublisher::BookPublisher(FeedWriter& feed, const BookPublisherOptions& options)
    : feed_(feed),
      shown_(options.orders),
      markets_(options.instruments),
      midnight_(options.midnight),
      next_trade_(options.first_trade) {}

Result<void> BookPublisher::show_again(const BookView& book, time::Time now) {
  now_ = now;
  const SymbolStatus status = book.state().status;
  std::vector<DisplayedOrder> orders;
  for (const SubBook which : {SubBook::orders, SubBook::firm_quotes, SubBook::private_rfq}) {
    orders.clear();
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      book.each_order(side, [&](const DisplayedOrder& order) { orders.push_back(order); }, which);
    if (orders.empty() && which != SubBook::orders) continue;
    if (const auto sent = send(OrderBookClear{.instrument_id = book.instrument(), .flags = flag_of(which)}); !sent)
      return sent;
    Result<void> added;
    for (const DisplayedOrder& order : orders)
      add_order(order, book.instrument(), which, 0, [&](const auto& message) {
        if (added) added = send(message);
      });
    if (!added) return added;
  }
  return status.instrument_id == 0 ? Result<void>() : send(status);
}

Result<void> BookPublisher::publish(const BookReport& report, time::Time now) {
  if (const Result<void> checked = check_quantities(report); !checked) return checked;
  Market* market = market_of(report.instrument);
  if (market == nullptr)
    return fail(ErrorCode::no_room, 0, 0, report.instrument, "no more instruments than configured");
  now_ = now;
  return dispatch(report, *market);
}

Result<void> BookPublisher::dispatch(const BookReport& report, Market& market) {
  switch (report.kind) {
    case BookReportKind::added:
      return show(report);
    case BookReportKind::traded:
      return (report.flags & market::k_auction) != 0 ? cross(report, market) : trade(report);
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
      return change_phase(report, market);
    case BookReportKind::uncrossed:
      return uncross(report, market);
    case BookReportKind::indicative:
      return send(AuctionInfo{.paired_quantity = lots(report.quantity),
                              .instrument_id = report.instrument,
                              .price = report.price,
                              .auction_type = auction_type_of(market)});
    case BookReportKind::none:
    case BookReportKind::accepted:
    case BookReportKind::rejected:
    case BookReportKind::parked:
      break;
  }
  return {};
}

/// Time counts from midnight, every day again.
Result<void> BookPublisher::begin(time::Time now) {
  constexpr std::int64_t k_seconds_of_day = 86'400;
  const std::int64_t since = (now - midnight_).count();
  DOJIMA_ASSERT(since >= 0, "the feed's day begins at midnight", since, now, midnight_);
  const auto second = static_cast<std::uint32_t>(since / k_second % k_seconds_of_day);
  if (has_time_ && second == second_) return {};
  if (const Result<void> sent = feed_.append(Time{.seconds = second}); !sent) return sent;
  second_ = second;
  has_time_ = true;
  return {};
}

BookPublisher::Market* BookPublisher::market_of(std::uint32_t instrument) {
  if (Market* known = markets_.find(instrument)) return known;
  if (markets_.is_full() || !markets_.insert(instrument, Market{})) return nullptr;
  return markets_.find(instrument);
}

bool BookPublisher::follow_day(std::uint32_t instrument) {
  Market* market = market_of(instrument);
  if (market == nullptr) return false;
  market->has_day = true;
  return true;
}

Result<void> BookPublisher::publish(const market::SymbolStatus& status) {
  now_ = status.time;
  // A change by the operator has no number of its own.
  const bool is_numbered = status.reason != market::DayReason::manual;
  return send(
      SymbolStatus{.instrument_id = status.instrument,
                   .trading_status = status.trading_status,
                   .session_change_reason = is_numbered ? static_cast<std::uint8_t>(status.reason) : std::uint8_t{0},
                   .new_end_time = time_of_day(status.end, midnight_)});
}

void BookPublisher::publish(const market::AuctionInfo& info) {
  if (Market* market = market_of(info.instrument)) market->auction_type = info.auction_type;
}

void BookPublisher::publish(const market::AuctionTrade& trade) {
  Market* market = market_of(trade.instrument);
  if (market == nullptr) return;
  market->auction_type = trade.auction_type;
  market->last_trade = trade.trade;
}

Result<void> BookPublisher::publish(const market::TradeBreak& broken) {
  constexpr std::int64_t k_most = std::numeric_limits<std::uint32_t>::max();
  if (broken.quantity.lots > k_most)
    return fail(ErrorCode::out_of_range, 0, 0, broken.quantity.lots, "a quantity of 32 bits");
  now_ = broken.time;
  const std::uint8_t flags = broken.is_amended ? k_trade_amended : k_trade_cancelled;
  if (!broken.is_auction)
    return send(Trade{.executed_quantity = lots(broken.quantity),
                      .instrument_id = broken.instrument,
                      .price = broken.price,
                      .trade_match_id = broken.trade,
                      .pt_mod_flags = flags});
  const Market* market = market_of(broken.instrument);
  return send(AuctionTrade{.quantity = lots(broken.quantity),
                           .instrument_id = broken.instrument,
                           .price = broken.price,
                           .trade_match_id = broken.trade,
                           .auction_type = market != nullptr ? auction_type_of(*market) : 'F',
                           .pt_mod_flags = flags});
}

/// Of an auction that ends, or of the closing price cross: the day's word, else by the book's phase.
char BookPublisher::auction_type_of(const Market& market) noexcept {
  if (market.has_day && market.auction_type != '\0') return market.auction_type;
  switch (market.phase) {
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
  DOJIMA_ASSERT(is_new, "an order comes on display once", report.order, report.instrument, shown_.size());
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

/// A trade of two orders that both rested in the book, at a price that may be neither's. In an auction the volume is
/// published once, when it ends; at the closing price with each trade.
Result<void> BookPublisher::cross(const BookReport& report, Market& market) {
  const std::uint64_t number = next_trade_++;
  for (const market::OrderId order : {report.order, report.other})
    if (const Result<void> sent = cross_order(order, report, number); !sent) return sent;
  if (market.phase != Phase::closing_price_cross) return {};
  if (market.published_command != report.sequence) market.published = {};
  market.published_command = report.sequence;
  market.published += report.quantity;
  return send(AuctionTrade{.quantity = lots(report.quantity),
                           .instrument_id = report.instrument,
                           .price = report.price,
                           .trade_match_id = number,
                           .auction_type = auction_type_of(market)});
}

Result<void> BookPublisher::cross_order(market::OrderId order, const BookReport& report, std::uint64_t trade) {
  const Shown* shown = shown_.find(order.value);
  if (shown == nullptr) return {};
  // The report states what is left of the buyer only; what is left of either follows from what it had.
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

/// Published under the number of its last trade.
Result<void> BookPublisher::uncross(const BookReport& report, Market& market) {
  // What is crossed when the closing price cross ends is uncrossed too, and those trades have been published.
  const market::Quantity volume =
      market.published_command == report.sequence ? report.quantity - market.published : report.quantity;
  if (volume.lots <= 0) return {};
  const Result<void> sent = send(AuctionTrade{.quantity = lots(volume),
                                              .instrument_id = report.instrument,
                                              .price = report.price,
                                              .trade_match_id = market.has_day ? market.last_trade : next_trade_ - 1,
                                              .auction_type = auction_type_of(market)});
  if (!sent || (market.phase != Phase::opening_call && market.phase != Phase::closing_call)) return sent;
  return send(Statistics{.instrument_id = report.instrument,
                         .statistic_type = market.phase == Phase::opening_call ? 'O' : 'C',
                         .price = report.price,
                         .open_close_price_indicator = 'A'});
}

Result<void> BookPublisher::change_phase(const BookReport& report, Market& market) {
  market.phase = static_cast<Phase>(report.flags);
  if (market.has_day) return {};
  return send(SymbolStatus{.instrument_id = report.instrument,
                           .trading_status = trading_status_of(market.phase),
                           .session_change_reason = 0});
}

}  // namespace dojima::mitch
