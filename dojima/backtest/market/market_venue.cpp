#include "dojima/backtest/market/market_venue.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "dojima/backtest/exchanges/request_terms.hpp"
#include "dojima/base/assert.hpp"
#include "dojima/recorded/market_state.hpp"

namespace dojima::backtest {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::OwnerReport;
using market::OwnerReportKind;
using recorded::EventKind;
using recorded::RecordedEvent;

constexpr std::int64_t k_order_most = 1'000'000'000;

ReportKind kind_of(OwnerReportKind kind) noexcept {
  switch (kind) {
    case OwnerReportKind::traded:
      return ReportKind::traded;
    case OwnerReportKind::cancelled:
      return ReportKind::cancelled;
    case OwnerReportKind::replaced:
      return ReportKind::replaced;
    case OwnerReportKind::expired:
      return ReportKind::expired;
    case OwnerReportKind::rejected:
    case OwnerReportKind::business_rejected:
      return ReportKind::rejected;
    case OwnerReportKind::request_rejected:
      return ReportKind::request_rejected;
    default:
      return ReportKind::accepted;
  }
}

}  // namespace

venue::PartitionConfig partition_of(const MarketConfig& config) {
  venue::PartitionConfig result;
  for (const MarketInstrument& of : config.instruments) {
    const std::int64_t least = of.tick * std::max<std::int64_t>(1, of.reference / of.tick - 20'000);
    result.instruments.push_back(
        {.id = static_cast<std::uint32_t>(result.instruments.size() + 1),
         .symbol = of.symbol,
         .ticks = market::TickTable::uniform({of.tick}, {least}, {of.reference + 20'000 * of.tick}).value(),
         .maximum_quantity = {k_order_most},
         .reference = {of.reference},
         .segment = of.segment});
  }
  std::size_t users = 1;  // the strategy
  for (const Population& population : config.populations) users += population.count;
  result.users.resize(users);
  result.limits.orders = room_for_orders(config);
  result.limits.reports = 1 << 12;
  result.segments = config.segments;
  return result;
}

MarketVenue::MarketVenue(const MarketConfig& config, Exchange& exchange, journal::Journal* journal)
    : exchange_(exchange),
      nowhere_({.keep = journal::Keep::none, .capacity = 1}),
      partition_(partition_of(config), journal != nullptr ? *journal : nowhere_),
      seed_(config.seed),
      standing_(room_for_orders(config)),
      holdings_(partition_.users() * config.instruments.size()) {
  for (std::uint32_t at = 0; at < config.instruments.size(); ++at) books_.push_back(partition_.book(at + 1));
  partition_.observe(this);
  has_day_ = !config.segments.empty();
  next_midnight_ = Time{std::chrono::floor<std::chrono::days>(config.start)};
  keep_time(config.start);
}

MarketVenue::~MarketVenue() {
  partition_.dismiss(this);
}

market::OrderId MarketVenue::submit(market::CommandHeader& header, Time now) {
  user_ = header.user;
  fresh_.clear();
  // What was not about the strategy nobody has read.
  is_about_own_ = user_ == k_strategy_user || user_ == market::k_no_user;
  if (user_ == k_strategy_user || !own_.empty()) cursor_ = {partition_.reports().end()};
  if (!partition_.submit(header, now)) throw std::runtime_error("the journal of the market is full");
  ++market_counts_.commands;
  const market::OrderId rests = settle();
  if (is_about_own_ && (user_ == k_strategy_user || !own_.empty())) read_own_reports(now);
  return rests;
}

/// What came in and neither rests nor waits is over; the order that rests, or 0.
market::OrderId MarketVenue::settle() {
  market::OrderId rests;
  for (const market::OrderId order : fresh_) {
    Standing* standing = find(order);
    if (standing == nullptr) continue;
    if ((standing->marks & k_resting) != 0)
      rests = order;
    else
      end(*standing);
  }
  return rests;
}

void MarketVenue::keep_time(Time now) {
  while (next_phase() <= now) {
    market::DayCommand command;
    command.header.user = market::k_no_user;
    command.event = market::DayEvent::due;
    if (partition_.is_between_days()) {
      command.event = market::DayEvent::begin;
      command.midnight = next_midnight_;
      command.seed = seed_++;
      next_midnight_ += std::chrono::days{1};
    }
    submit(command.header, now);
  }
}

// ---- What the books say ---------------------------------------------------------------------------------------------

void MarketVenue::keep_books(FeedBooks* books, std::span<const recorded::RecordedInstrument> instruments) {
  feed_books_ = books;
  if (books == nullptr) return;
  books->add_books(instruments);
  // Of what has happened so far: no orders yet.
  for (const RecordedEvent& event : exchange_.feed) books->apply(event, instruments);
  exchange_.feed.clear();
}

RecordedEvent& MarketVenue::publish(EventKind kind, std::uint32_t instrument, Time now) {
  RecordedEvent& event = exchange_.feed.emplace_back();
  event.event_time = now;
  event.instrument = instrument;
  event.kind = kind;
  return event;
}

void MarketVenue::publish_event(EventKind kind, market::OrderId order, const Standing& standing, std::int64_t quantity,
                                Time now) {
  RecordedEvent& event = publish(kind, standing.instrument, now);
  event.order = order.value;
  event.side = standing.side;
  event.price = standing.price;
  event.quantity = quantity;
}

/// `quantity` of an order of the feed comes (`add`) or goes.
[[gnu::always_inline]] inline void MarketVenue::publish_order(EventKind kind, market::OrderId order,
                                                              const Standing& standing, std::int64_t quantity,
                                                              Time now) {
  if (feed_books_ == nullptr) [[unlikely]]
    return publish_event(kind, order, standing, quantity, now);
  feed_books_->change_level(standing.instrument, standing.side, standing.price,
                            kind == EventKind::add ? quantity : -quantity);
}

inline MarketVenue::Standing& MarketVenue::stand(market::OrderId order) {
  const auto slot = static_cast<std::uint32_t>(order.value);
  DOJIMA_ASSERT(slot < standing_.size(), "an order's slot is below the room for orders", order, standing_.size());
  Standing& fresh = standing_[slot];
  fresh.order = order;
  fresh.marks = 0;
  fresh.lists = nullptr;
  return fresh;
}

inline void MarketVenue::leave(market::OrderId order, Time now) {
  Standing* standing = find(order);
  if (standing == nullptr) return;
  is_about_own_ |= standing->user == k_strategy_user;
  if ((standing->marks & k_in_feed) != 0) publish_order(EventKind::remove, order, *standing, standing->leaves, now);
  end(*standing);
}

inline void MarketVenue::on_trade(const BookReport& report, Time now) {
  const std::uint32_t instrument = report.instrument - 1;
  const bool is_auction = (report.flags & market::k_auction) != 0;
  ++market_counts_.trades;
  market_counts_.traded += report.quantity.lots;
  bool is_published = false;
  for (const market::OrderId id : {report.order, report.other}) {
    Standing* order = find(id);
    DOJIMA_ASSERT(order != nullptr, "who trades is known", id, report.order, report.other);
    Holding& holding = holdings_[place_of(order->user, instrument)];
    const std::int64_t bought = order->side == Side::buy ? report.quantity.lots : -report.quantity.lots;
    holding.position += bought;
    holding.cash -= Money{bought} * report.price.units;
    order->leaves -= report.quantity.lots;
    is_about_own_ |= order->user == k_strategy_user;
    if ((order->marks & k_in_feed) != 0 && (id == report.order || is_auction)) {
      publish_order(EventKind::execute, id, *order, report.quantity.lots, now);
      if (feed_books_ == nullptr) {
        RecordedEvent& event = exchange_.feed.back();
        event.price = report.price.units;
        event.other = market_counts_.trades;
        if (is_published) event.flags |= recorded::k_not_printable;  // the other half of the same trade
      }
      is_published = true;
    }
    if (order->leaves <= 0) end(*order);
  }
  if (feed_books_ != nullptr) return feed_books_->trade(instrument, {report.price.units, report.quantity.lots});
  if (is_published) return;
  // The strategy's order rested there: everybody sees the trade, and nothing leaves the feed's book.
  RecordedEvent& event = publish(EventKind::trade, instrument, now);
  event.side = is_auction ? Side::none : market::opposite(report.side);
  event.price = report.price.units;
  event.quantity = report.quantity.lots;
  event.other = market_counts_.trades;
}

inline void MarketVenue::on_added(const BookReport& report, Time now) {
  Standing* order = find(report.order);
  DOJIMA_ASSERT(order != nullptr, "an order is accepted before it rests", report.order);
  order->price = report.price.units;
  order->leaves = report.leaves.lots;
  order->side = report.side;
  const bool is_shown = (report.flags & (market::k_hidden | market::k_dark | market::k_auction)) == 0;
  const bool is_in_feed = order->user != k_strategy_user && is_shown;
  order->marks = k_resting | (is_in_feed ? k_in_feed : 0);
  is_about_own_ |= order->user == k_strategy_user;
  if (is_in_feed) publish_order(EventKind::add, report.order, *order, report.leaves.lots, now);
}

inline void MarketVenue::on_replaced(const BookReport& report, Time now) {
  Standing* order = find(report.order);
  DOJIMA_ASSERT(order != nullptr, "an order that is replaced is known", report.order);
  is_about_own_ |= order->user == k_strategy_user;
  const bool is_back = (report.flags & market::k_lost_priority) != 0;
  const std::int64_t less = is_back ? order->leaves : order->leaves - report.leaves.lots;
  if ((order->marks & k_in_feed) != 0 && less > 0)
    publish_order(is_back ? EventKind::remove : EventKind::reduce, report.order, *order, less, now);
  order->leaves = report.leaves.lots;
  if (!is_back) return;
  // `added` follows where it rests again.
  order->marks = 0;
  fresh_.push_back(report.order);
}

inline void MarketVenue::on_report(const BookReport& report, Time now) {
  const std::uint32_t instrument = report.instrument - 1;
  switch (report.kind) {
    case BookReportKind::accepted: {
      Standing& order = stand(report.order);
      order.price = report.price.units;
      order.leaves = report.quantity.lots;
      order.instrument = instrument;
      order.user = user_;
      order.side = report.side;
      fresh_.push_back(report.order);
      return;
    }
    case BookReportKind::parked:
      is_about_own_ = true;
      if (Standing* order = find(report.order)) order->marks |= k_resting;
      return;
    case BookReportKind::added:
      return on_added(report, now);
    case BookReportKind::traded:
      return on_trade(report, now);
    case BookReportKind::cancelled:
    case BookReportKind::expired:
      return leave(report.order, now);
    case BookReportKind::replaced:
      return on_replaced(report, now);
    case BookReportKind::rejected:
      is_about_own_ = true;
      ++market_counts_.refused;
      return;
    case BookReportKind::phase_changed: {
      const auto phase = static_cast<market::Phase>(report.flags);
      is_about_own_ = true;
      if (phase == market::Phase::halted || phase == market::Phase::reopening_call) ++market_counts_.interruptions;
      if (feed_books_ != nullptr) return feed_books_->note(instrument);
      RecordedEvent& event = publish(EventKind::status, instrument, now);
      event.code = static_cast<std::uint8_t>(recorded::state_of(phase));
      return;
    }
    case BookReportKind::uncrossed:
      if (report.quantity.lots > 0) ++market_counts_.auctions;
      return;
    case BookReportKind::indicative: {
      if (feed_books_ != nullptr) return feed_books_->note(instrument);
      RecordedEvent& event = publish(EventKind::auction, instrument, now);
      event.code = static_cast<std::uint8_t>(recorded::AuctionPrice::indicative);
      event.side = report.side;
      event.price = report.price.units;
      event.quantity = report.quantity.lots;
      event.other = static_cast<std::uint64_t>(report.leaves.lots);
      return;
    }
    default:
      is_about_own_ = true;  // seldom: whose it is does not matter
      return;
  }
}

void MarketVenue::on_reports(std::span<const BookReport> reports, Time now) {
  for (const BookReport& report : reports) on_report(report, now);
}

// ---- The strategy ---------------------------------------------------------------------------------------------------

void MarketVenue::on_request(const Request& request, Time now) {
  keep_time(now);
  ++counts_.requests;
  request_ = &request;
  const OrderRequest& terms = request.terms;
  const auto known = std::ranges::find(own_ids_, request.order, &std::pair<OrderNumber, std::uint64_t>::first);
  const market::OrderId id{known == own_ids_.end() ? 0 : known->second};
  const auto name = Text<20>::cut(std::to_string(request.order));
  if (request.kind == RequestKind::submit) {
    market::NewOrder order;
    order.terms = terms_of(terms);
    order.terms.owner = k_strategy_user;
    order.terms.capacity = market::Capacity::dealing;
    order.labels.client_order_id = name;
    submit(order, terms.instrument, k_strategy_user, now);
  } else if (known == own_ids_.end()) {
    Report& report = exchange_.reports.emplace_back();
    report = {.order = request.order, .at = now, .price = terms.price, .instrument = terms.instrument};
    report.kind = ReportKind::request_rejected;
    report.side = terms.side;
    report.reason = market::Reason::unknown_order;
  } else if (request.kind == RequestKind::cancel) {
    market::Cancel cancel;
    cancel.order = id;
    cancel.side = terms.side;
    cancel.client_order_id = name;
    submit(cancel, terms.instrument, k_strategy_user, now);
  } else {
    market::Replace replace;
    replace.order = id;
    replace.limit = {terms.price};
    replace.stop = {-1};
    replace.quantity = {terms.quantity};
    replace.displayed = {terms.displayed == 0 ? terms.quantity : terms.displayed};
    replace.side = terms.side;
    replace.passive = terms.is_post_only ? k_never_take : 0;
    replace.client_order_id = name;
    submit(replace, terms.instrument, k_strategy_user, now);
  }
  request_ = nullptr;
}

void MarketVenue::read_own_reports(Time now) {
  const venue::ReportLog& log = partition_.reports();
  while (true) {
    const auto batch = log.read(cursor_, partition_.durable());
    DOJIMA_ASSERT(batch.lost == 0, "reports are read behind every command", batch.lost);
    if (batch.reports.empty()) return;
    for (const OwnerReport& report : batch.reports)
      if (report.user == k_strategy_user) on_own_report(report, now);
  }
}

void MarketVenue::on_own_report(const OwnerReport& from, Time now) {
  if (from.kind == OwnerReportKind::restated || from.kind == OwnerReportKind::mass_cancelled ||
      from.kind == OwnerReportKind::trade_cancelled || from.kind == OwnerReportKind::none)
    return;
  const ReportKind kind = kind_of(from.kind);
  const bool is_refusal = kind == ReportKind::rejected || kind == ReportKind::request_rejected;
  auto found = own_.find(from.order.value);
  if (kind == ReportKind::accepted) {
    if (found != own_.end()) return;  // it was suspended, and enters
    DOJIMA_ASSERT(request_ != nullptr, "an order is accepted when it is requested", from.order);
    found = own_.emplace(from.order.value, Own{.number = request_->order, .since = now}).first;
    own_ids_.emplace_back(request_->order, from.order.value);
  }
  const bool is_known = found != own_.end() && !is_refusal;
  if (!is_known && request_ == nullptr) return;
  Report& report = exchange_.reports.emplace_back();
  report = {.order = is_known ? found->second.number : request_->order, .at = now};
  report.instrument = is_known ? from.instrument - 1 : request_->terms.instrument;
  report.kind = kind;
  report.side = is_known ? from.side : request_->terms.side;
  report.reason = from.reason;
  switch (kind) {
    case ReportKind::accepted:
    case ReportKind::replaced: {
      Own& own = found->second;
      own.since = now;
      if (request_ != nullptr) own.price = request_->terms.price;
      own.leaves = from.leaves.lots;
      report.price = own.price;
      report.quantity = report.leaves = own.leaves;
      return;
    }
    case ReportKind::traded:
      ++counts_.fills;
      report.price = from.price.units;
      report.quantity = from.quantity.lots;
      report.leaves = from.leaves.lots;
      report.is_maker = from.liquidity == 'A';
      if (!is_known) return;
      if (report.is_maker) report.rested = now - found->second.since;
      found->second.leaves = report.leaves;
      if (report.leaves > 0) return;
      break;
    case ReportKind::cancelled:
    case ReportKind::expired:
      report.price = is_known ? found->second.price : request_->terms.price;
      report.quantity = is_known ? found->second.leaves : request_->terms.quantity;
      break;
    case ReportKind::rejected:
    case ReportKind::request_rejected:
      report.price = request_->terms.price;
      report.quantity = kind == ReportKind::rejected ? request_->terms.quantity : 0;
      return;
  }
  if (!is_known) return;
  std::erase_if(own_ids_, [&](const auto& one) { return one.second == from.order.value; });
  own_.erase(found);
}

}  // namespace dojima::backtest
