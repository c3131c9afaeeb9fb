#include "dojima/backtest/market/market_venue.hpp"

#include <algorithm>
#include <string>

#include "dojima/base/assert.hpp"

namespace dojima::backtest {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::OwnerReport;
using market::OwnerReportKind;
using recorded::EventKind;
using recorded::MarketState;
using recorded::RecordedEvent;

/// The passive rule "never take".
constexpr std::uint8_t k_rests_only = 99;
constexpr std::int64_t k_order_most = 1'000'000'000;

MarketState state_of(market::Phase phase) noexcept {
  switch (phase) {
    case market::Phase::continuous:
      return MarketState::trading;
    case market::Phase::opening_call:
      return MarketState::opening;
    case market::Phase::intraday_call:
    case market::Phase::reopening_call:
      return MarketState::paused;
    case market::Phase::closing_call:
    case market::Phase::closing_price_cross:
      return MarketState::closing;
    case market::Phase::halted:
      return MarketState::halted;
    case market::Phase::closed:
      return MarketState::closed;
  }
  return MarketState::unknown;
}

venue::PartitionConfig partition_of(const MarketConfig& config, std::size_t participants) {
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
  result.users.resize(participants + 1);
  result.limits.orders = config.orders;
  result.limits.reports = 1 << 12;
  result.segments = config.segments;
  return result;
}

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

MarketVenue::MarketVenue(const MarketConfig& config, std::size_t participants, Exchange& exchange)
    : exchange_(exchange),
      journal_({.keep = journal::Keep::none}),
      partition_(partition_of(config, participants), journal_),
      positions_((participants + 1) * config.instruments.size()) {
  for (std::uint32_t at = 0; at < config.instruments.size(); ++at) books_.push_back(partition_.book(at + 1));
  partition_.observe(this);
  if (config.segments.empty()) return;
  has_day_ = true;
  market::DayCommand begin;
  begin.header.user = market::k_no_user;
  begin.event = market::DayEvent::begin;
  begin.midnight = Time{std::chrono::floor<std::chrono::days>(config.start)};
  begin.seed = config.seed;
  submit(begin.header, config.start);
  keep_time(config.start);
}

MarketVenue::~MarketVenue() {
  partition_.dismiss(this);
}

void MarketVenue::submit(market::CommandHeader& header, Time now) {
  user_ = header.user;
  fresh_.clear();
  const auto done = partition_.submit(header, now);
  DOJIMA_ASSERT(done.has_value(), "a journal that keeps nothing is never full", header.instrument, header.user);
  ++market_counts_.commands;
  // What came in and neither rests nor waits is over.
  for (const std::uint64_t order : fresh_)
    if (const auto found = standing_.find(order); found != standing_.end() && !found->second.is_resting)
      standing_.erase(found);
  read_own_reports(now);
}

void MarketVenue::keep_time(Time now) {
  while (has_day_ && partition_.day_due() <= now) {
    market::DayCommand due;
    due.header.user = market::k_no_user;
    due.event = market::DayEvent::due;
    submit(due.header, now);
  }
}

// ---- What the books say ---------------------------------------------------------------------------------------------

RecordedEvent& MarketVenue::tell(EventKind kind, std::uint32_t instrument, Time now) {
  RecordedEvent& event = exchange_.feed.emplace_back();
  event.event_time = now;
  event.instrument = instrument;
  event.kind = kind;
  return event;
}

void MarketVenue::move_position(std::uint16_t user, std::uint32_t instrument, Side side, std::int64_t quantity) {
  positions_[std::size_t{user} * books_.size() + instrument] += side == Side::buy ? quantity : -quantity;
}

void MarketVenue::leave(market::OrderId order, std::uint32_t instrument, Time now) {
  const auto found = standing_.find(order.value);
  if (found == standing_.end()) return;
  if (found->second.is_in_feed) {
    RecordedEvent& event = tell(EventKind::remove, instrument, now);
    event.order = order.value;
    event.side = found->second.side;
    event.price = found->second.price;
    event.quantity = found->second.leaves;
  }
  standing_.erase(found);
}

void MarketVenue::on_trade(const BookReport& report, Time now) {
  const std::uint32_t instrument = report.instrument - 1;
  const bool is_auction = (report.flags & market::k_auction) != 0;
  ++market_counts_.trades;
  market_counts_.traded += report.quantity.lots;
  bool is_told = false;
  for (const market::OrderId id : {report.order, report.other}) {
    const auto found = standing_.find(id.value);
    if (found == standing_.end()) continue;
    Standing& order = found->second;
    move_position(order.user, instrument, order.side, report.quantity.lots);
    order.leaves -= report.quantity.lots;
    if (order.is_in_feed && (id == report.order || is_auction)) {
      RecordedEvent& event = tell(EventKind::execute, instrument, now);
      event.order = id.value;
      event.side = order.side;
      event.price = report.price.units;
      event.quantity = report.quantity.lots;
      event.other = market_counts_.trades;
      if (is_told) event.flags |= recorded::k_not_printable;  // the other half of the same trade
      is_told = true;
    }
    if (order.leaves <= 0) standing_.erase(found);
  }
  if (is_told) return;
  // The strategy's order stood there: everybody sees the trade, and nothing leaves the feed's book.
  RecordedEvent& event = tell(EventKind::trade, instrument, now);
  event.side = is_auction ? Side::none : market::opposite(report.side);
  event.price = report.price.units;
  event.quantity = report.quantity.lots;
  event.other = market_counts_.trades;
}

void MarketVenue::on_report(const BookReport& report, Time now) {
  const std::uint32_t instrument = report.instrument - 1;
  switch (report.kind) {
    case BookReportKind::accepted:
      standing_[report.order.value] = {
          .price = report.price.units, .leaves = report.quantity.lots, .user = user_, .side = report.side};
      fresh_.push_back(report.order.value);
      return;
    case BookReportKind::parked:
      standing_[report.order.value].is_resting = true;
      return;
    case BookReportKind::added: {
      Standing& order = standing_.try_emplace(report.order.value, Standing{.user = user_}).first->second;
      order.is_resting = true;
      order.price = report.price.units;
      order.leaves = report.leaves.lots;
      order.side = report.side;
      const bool is_shown = (report.flags & (market::k_hidden | market::k_dark | market::k_auction)) == 0;
      order.is_in_feed = order.user != k_strategy_user && is_shown;
      if (!order.is_in_feed) return;
      RecordedEvent& event = tell(EventKind::add, instrument, now);
      event.order = report.order.value;
      event.side = report.side;
      event.price = report.price.units;
      event.quantity = report.leaves.lots;
      return;
    }
    case BookReportKind::traded:
      return on_trade(report, now);
    case BookReportKind::cancelled:
    case BookReportKind::expired:
      return leave(report.order, instrument, now);
    case BookReportKind::replaced: {
      const auto found = standing_.find(report.order.value);
      if (found == standing_.end()) return;
      Standing& order = found->second;
      const bool is_back = (report.flags & market::k_lost_priority) != 0;
      if (order.is_in_feed) {
        RecordedEvent& event = tell(is_back ? EventKind::remove : EventKind::reduce, instrument, now);
        event.order = report.order.value;
        event.side = order.side;
        event.price = order.price;
        event.quantity = is_back ? order.leaves : order.leaves - report.leaves.lots;
        if (event.quantity <= 0) exchange_.feed.pop_back();
      }
      order.leaves = report.leaves.lots;
      if (is_back) order.is_in_feed = false;  // `added` follows where it rests again
      if (is_back) order.is_resting = false;
      if (is_back) fresh_.push_back(report.order.value);
      return;
    }
    case BookReportKind::phase_changed: {
      RecordedEvent& event = tell(EventKind::status, instrument, now);
      event.code = static_cast<std::uint8_t>(state_of(static_cast<market::Phase>(report.flags)));
      return;
    }
    case BookReportKind::uncrossed:
      if (report.quantity.lots > 0) ++market_counts_.auctions;
      return;
    case BookReportKind::indicative: {
      RecordedEvent& event = tell(EventKind::auction, instrument, now);
      event.code = static_cast<std::uint8_t>(recorded::AuctionPrice::indicative);
      event.side = report.side;
      event.price = report.price.units;
      event.quantity = report.quantity.lots;
      event.other = static_cast<std::uint64_t>(report.leaves.lots);
      return;
    }
    default:
      return;
  }
}

void MarketVenue::on_reports(std::span<const BookReport> reports, Time now) {
  for (const BookReport& report : reports) on_report(report, now);
}

// ---- The strategy ---------------------------------------------------------------------------------------------------

void MarketVenue::on_request(const Request& request, Time now) {
  ++counts_.requests;
  request_ = &request;
  const OrderRequest& terms = request.terms;
  const auto known = std::ranges::find(own_ids_, request.order, &std::pair<OrderNumber, std::uint64_t>::first);
  const market::OrderId id{known == own_ids_.end() ? 0 : known->second};
  const auto name = Text<20>::cut(std::to_string(request.order));
  if (request.kind == RequestKind::submit) {
    market::NewOrder order;
    order.terms.limit = {terms.price};
    order.terms.stop = {terms.stop};
    order.terms.quantity = {terms.quantity};
    order.terms.displayed = {terms.displayed == 0 ? terms.quantity : terms.displayed};
    order.terms.side = terms.side;
    order.terms.type = terms.type;
    order.terms.time_in_force = terms.time_in_force;
    order.terms.passive = terms.is_post_only ? k_rests_only : 0;
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
    replace.passive = terms.is_post_only ? k_rests_only : 0;
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
