#include "dojima/app/trade/live_strategy.hpp"

#include <algorithm>
#include <concepts>
#include <exception>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "dojima/app/trade/fix/fix_trade_session.hpp"
#include "dojima/app/trade/native_trade_session.hpp"
#include "dojima/app/trade/report_text.hpp"
#include "dojima/backtest/engine.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/mitch/codec.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using backtest::Engine;
using backtest::OrderNumber;
using backtest::ReportKind;
using market::Side;
using recorded::EventKind;
using recorded::RecordedEvent;

constexpr std::uint8_t k_rests_only = 99;
constexpr unsigned k_price_decimals = 8;

StationOptions station_for(const LiveStrategyOptions& options) {
  return {.scheduler = FixTradeSession::timers() + NativeTradeSession::k_timers +
                       mitch::FeedClient::timers(options.feed.client) + 1,
          .idle = net::IdlePolicy::block,
          .fabric = {.max_connections = FixTradeSession::k_connections + 8,
                     .busy_poll_us = busy_poll_of(options.trade.loop),
                     .multicast_interface = options.feed.interface}};
}

recorded::MarketState state_of(char trading_status) noexcept {
  switch (trading_status) {
    case 'T':
      return recorded::MarketState::trading;
    case 'a':
      return recorded::MarketState::opening;
    case 'd':
    case 'u':
      return recorded::MarketState::closing;
    case 'H':
      return recorded::MarketState::halted;
    case 'e':
    case 'f':
    case 'l':
    case 'q':
    case 'r':
      return recorded::MarketState::paused;
    default:
      return recorded::MarketState::closed;
  }
}

/// Lets the strategy be called until its time is over; its end comes through.
class Gated final : public backtest::Strategy {
 public:
  explicit Gated(backtest::Strategy& inner) : inner_(inner) {}
  bool is_open = true;

  backtest::Wakes wakes() const override { return inner_.wakes(); }
  void on_begin(backtest::Desk& desk) override { inner_.on_begin(desk); }
  void on_event(backtest::Desk& desk, const RecordedEvent& event) override {
    if (is_open) inner_.on_event(desk, event);
  }
  void on_trade(backtest::Desk& desk, const backtest::MarketTrade& trade) override {
    if (is_open) inner_.on_trade(desk, trade);
  }
  void on_book(backtest::Desk& desk, std::uint32_t instrument) override {
    if (is_open) inner_.on_book(desk, instrument);
  }
  void on_report(backtest::Desk& desk, const backtest::Report& report) override {
    if (is_open) inner_.on_report(desk, report);
  }
  void on_timer(backtest::Desk& desk, std::uint32_t timer, Time due) override {
    if (is_open) inner_.on_timer(desk, timer, due);
  }
  void on_wake(backtest::Desk& desk) override {
    if (is_open) inner_.on_wake(desk);
  }
  void on_end(backtest::Desk& desk) override { inner_.on_end(desk); }

 private:
  backtest::Strategy& inner_;
};

}  // namespace

/// The market as an exchange of the engine: requests leave by the session, and what the session and the feed say comes
/// in as reports and events, with an event without a market in it that brings them.
class LiveStrategy::Parts final : public backtest::Exchange,
                                  public backtest::EventStream,
                                  public TradeSessionHandler,
                                  public mitch::FeedHandler,
                                  public sched::Source {
 public:
  Parts(LiveStrategyOptions options, backtest::Strategy& strategy, Print print)
      : options_(std::move(options)),
        print_(std::move(print)),
        strategy_(strategy),
        station_(station_for(options_)),
        session_(make_session()),
        feed_(options_.feed.client, station_.scheduler(), &station_.fabric(), *this) {
    for (const LiveInstrument& of : options_.instruments) {
      places_.emplace(of.id, static_cast<std::uint32_t>(instruments_.size()));
      instruments_.push_back(
          {.symbol = of.symbol, .number = of.id, .price_decimals = k_price_decimals, .tick = of.tick});
    }
    const auto begun =
        std::chrono::duration_cast<std::chrono::milliseconds>(station_.scheduler().now().time_since_epoch()).count();
    prefix_ = options_.trade.native ? fmt::format("{:x}-", begun) : fmt::format("{}-{}-", options_.trade.sender, begun);
  }

  TradeOutcome run(const std::function<bool()>& stops, time::Duration length);
  [[nodiscard]] backtest::BacktestResult result(const backtest::BacktestSettings& settings) const;

  // backtest::EventStream
  std::span<const RecordedEvent> next_batch() override {
    if (!is_news_) return {};
    is_news_ = false;
    const Time now = station_.scheduler().now();
    for (std::uint32_t place = 0; place < instruments_.size(); ++place)
      if (stale_[place]) picture(place, now);
    tick_ = {};
    tick_.event_time = now;
    tick_.kind = EventKind::notice;
    return {&tick_, 1};
  }
  const std::vector<recorded::RecordedInstrument>& instruments() const override { return instruments_; }
  [[nodiscard]] bool waits() const noexcept override { return !is_closed_; }

  // backtest::Exchange
  void on_event(const RecordedEvent&, std::span<const recorded::RecordedInstrument>, Time) override {
    for (const backtest::Report& report : unsent_) reports.push_back(report);
    unsent_.clear();
  }
  void on_request(const backtest::Request& request, Time now) override;
  [[nodiscard]] std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const override {
    return engine_ ? engine_->best(instrument, side) : std::nullopt;
  }
  [[nodiscard]] std::size_t resting() const override { return blotter_.open_count(); }
  [[nodiscard]] const backtest::ExchangeCounts& counts() const override { return counts_; }
  [[nodiscard]] bool makes_market() const noexcept override { return true; }

  // TradeSessionHandler
  void on_attempt(Time) override {}
  void on_logged_on(const std::string& line, Time) override {
    is_logged_on_ = true;
    print_(line);
  }
  void on_note(const std::string& line) override { print_(line); }
  void on_logged_out(const std::string& line) override {
    is_logged_on_ = false;
    if (is_leaving_) return;
    print_(line);
    is_broken_ = true;
  }
  void on_closed() override { is_closed_ = true; }
  void on_gave_up() override { is_broken_ = is_closed_ = true; }
  void on_report(const TradeReport& report, Time now) override;
  void on_refused(const std::string& id, const std::string& text) override;

  // mitch::FeedHandler
  void on_message(char group, std::uint32_t number, Bytes message, Time now) override;
  void on_notice(const mitch::FeedNotice& notice, Time now) override;

  // sched::Source: the engine with its own timers
  [[nodiscard]] Time next_time() override {
    return engine_ ? std::min(engine_->next_time(), engine_->scheduler().next_due()) : time::k_never;
  }
  std::size_t deliver(Time now) override;

 private:
  /// Somebody's order on display.
  struct Shown {
    std::uint32_t place;
    Side side;
    std::int64_t price, quantity;
  };

  [[nodiscard]] std::unique_ptr<TradeSession> make_session() {
    if (options_.trade.native) return std::make_unique<NativeTradeSession>(station_, options_.trade, *this);
    return std::make_unique<FixTradeSession>(station_, options_.trade, *this);
  }
  [[nodiscard]] bool subscribe();
  [[nodiscard]] bool are_books_there() const;
  void trade();
  void on_thrown(const std::exception& thrown);
  [[nodiscard]] TradeOutcome outcome();
  void step(const std::function<bool()>& stops);
  void cancel_open();
  void leave();

  void picture(std::uint32_t place, Time now);
  RecordedEvent& tell(EventKind kind, std::uint32_t place, Time now);
  void tell_added(std::uint64_t order, const Shown& shown, Time now);
  void traded(std::uint64_t order, std::int64_t quantity, std::optional<std::int64_t> price, std::uint64_t match,
              std::optional<std::int64_t> left, bool is_printable, Time now);
  backtest::Report& say(const BlotterOrder& order, ReportKind kind, Time now);
  void say_rejected(const BlotterOrder& order, market::Quantity left, Time now);
  void refuse(const backtest::Request& request, ReportKind kind, const std::string& why, Time now);
  [[nodiscard]] BlotterOrder* order_of(const TradeReport& report);
  [[nodiscard]] BlotterOrder* order_of(OrderNumber number);
  [[nodiscard]] std::optional<std::uint32_t> place_of(std::uint32_t instrument) const {
    const auto found = places_.find(instrument);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
  }

  LiveStrategyOptions options_;
  Print print_;
  Gated strategy_;
  Station station_;
  std::unique_ptr<TradeSession> session_;
  mitch::FeedClient feed_;
  backtest::Latencies latencies_;
  std::optional<Engine> engine_;

  std::vector<recorded::RecordedInstrument> instruments_;
  std::map<std::uint32_t, std::uint32_t> places_;         // of instruments, by their number in the feed
  std::map<std::uint32_t, bool> stale_;                   // by place: its book has to be told anew
  std::unordered_map<std::uint64_t, Shown> shown_;        // what the strategy has been told of, by order id
  std::unordered_map<std::uint64_t, std::uint32_t> own_;  // own orders of the market, by its id: as in the blotter
  Blotter blotter_;
  std::vector<OrderNumber> numbers_;                                // by the blotter's; they rise
  std::vector<Time> since_;                                         // likewise: when it took its place
  std::map<std::string, std::uint32_t, std::less<>> orders_by_id_;  // every id of an order that was sent
  std::vector<backtest::Report> unsent_;                            // about requests that could not be sent
  backtest::ExchangeCounts counts_;
  RecordedEvent tick_{};
  std::string prefix_, trouble_;
  std::uint32_t last_id_ = 0;
  Time begin_{}, until_{}, leave_by_{};
  time::Duration length_{};
  bool is_news_ = false, is_logged_on_ = false, is_ending_ = false, is_leaving_ = false, is_closed_ = false,
       is_broken_ = false;
};

// ---- Market data ---------------------------------------------------------------------------------------------------

RecordedEvent& LiveStrategy::Parts::tell(EventKind kind, std::uint32_t place, Time now) {
  RecordedEvent& event = feed.emplace_back();
  event.event_time = now;
  event.instrument = place;
  event.kind = kind;
  is_news_ = true;
  return event;
}

void LiveStrategy::Parts::tell_added(std::uint64_t order, const Shown& shown, Time now) {
  if (own_.contains(order)) return;
  shown_[order] = shown;
  RecordedEvent& event = tell(EventKind::add, shown.place, now);
  event.order = order;
  event.side = shown.side;
  event.price = shown.price;
  event.quantity = shown.quantity;
}

/// All of a book anew.
void LiveStrategy::Parts::picture(std::uint32_t place, Time now) {
  stale_[place] = false;
  std::erase_if(shown_, [&](const auto& one) { return one.second.place == place; });
  const std::size_t first = feed.size();  // what is there already came by itself
  tell(EventKind::clear, place, now);
  const LiveInstrument& of = options_.instruments[place];
  const mitch::BookBuilder* books = feed_.books(of.group);
  const auto book = books == nullptr ? std::nullopt : books->find(of.id);
  if (!book) return;
  for (const Side side : {Side::buy, Side::sell})
    book->each_order(side, [&](const mitch::DisplayedOrder& order) {
      if (!order.is_market) tell_added(order.id, {place, side, order.price.units, order.quantity}, now);
    });
  for (std::size_t at = first; at < feed.size(); ++at) feed[at].flags |= recorded::k_snapshot;
}

void LiveStrategy::Parts::traded(std::uint64_t order, std::int64_t quantity, std::optional<std::int64_t> price,
                                 std::uint64_t match, std::optional<std::int64_t> left, bool is_printable, Time now) {
  if (const auto own = own_.find(order); own != own_.end()) {
    // Nothing leaves the book that the strategy sees, but everybody sees the trade.
    const BlotterOrder* mine = blotter_.find(own->second);
    const auto place = std::ranges::find(instruments_, mine->entry.symbol, &recorded::RecordedInstrument::symbol);
    RecordedEvent& event = tell(EventKind::trade, static_cast<std::uint32_t>(place - instruments_.begin()), now);
    event.side = market::opposite(mine->entry.terms.side);
    event.price = price.value_or(mine->entry.terms.limit.units);
    event.quantity = quantity;
    event.other = match;
    return;
  }
  const auto found = shown_.find(order);
  if (found == shown_.end()) return;
  Shown& shown = found->second;
  RecordedEvent& event = tell(EventKind::execute, shown.place, now);
  event.order = order;
  event.side = shown.side;
  event.price = price.value_or(shown.price);
  event.quantity = quantity;
  event.other = match;
  if (!is_printable) event.flags |= recorded::k_not_printable;
  shown.quantity -= quantity;
  const std::int64_t now_left = left.value_or(shown.quantity);
  if (shown.quantity > 0 && now_left != shown.quantity) {  // an iceberg's next peak
    RecordedEvent& more = tell(EventKind::amend, shown.place, now);
    more.order = order;
    more.quantity = shown.quantity = now_left;
  } else if (now_left > 0 && shown.quantity <= 0) {
    tell_added(order, {shown.place, shown.side, shown.price, now_left}, now);
    return;
  }
  if (shown.quantity <= 0) shown_.erase(order);
}

void LiveStrategy::Parts::on_message(char, std::uint32_t, Bytes message, Time now) {
  if (!engine_) return;
  const auto add = [&](const auto& of) {
    const auto place = place_of(of.instrument_id);
    constexpr unsigned k_elsewhere = mitch::k_market_order | mitch::k_firm_quote | mitch::k_private_rfq;
    if (!place || (of.flags & k_elsewhere) != 0) return;
    tell_added(of.order_id, {*place, of.side == 'B' ? Side::buy : Side::sell, of.price.units, of.quantity}, now);
  };
  static_cast<void>(mitch::dispatch(message, [&]<class Message>(const Message& of) {
    if constexpr (std::same_as<Message, mitch::AddOrder> || std::same_as<Message, mitch::AddAttributedOrder>) {
      add(of);
    } else if constexpr (std::same_as<Message, mitch::OrderDeleted>) {
      const auto found = shown_.find(of.order_id);
      if (found == shown_.end()) return;
      tell(EventKind::remove, found->second.place, now).order = of.order_id;
      shown_.erase(found);
    } else if constexpr (std::same_as<Message, mitch::OrderModified>) {
      const auto found = shown_.find(of.order_id);
      if (found == shown_.end()) return;
      RecordedEvent& event = tell(EventKind::amend, found->second.place, now);
      event.order = of.order_id;
      event.price = found->second.price = of.new_price.units;
      event.quantity = found->second.quantity = of.new_quantity;
    } else if constexpr (std::same_as<Message, mitch::OrderExecuted>) {
      traded(of.order_id, of.executed_quantity, std::nullopt, of.trade_match_id, std::nullopt, true, now);
    } else if constexpr (std::same_as<Message, mitch::OrderExecutedWithPriceSize>) {
      traded(of.order_id, of.executed_quantity, of.price.units, of.trade_match_id, of.display_quantity,
             of.printable == 'Y', now);
    } else if constexpr (std::same_as<Message, mitch::Trade>) {
      const auto place = place_of(of.instrument_id);
      if (!place) return;
      RecordedEvent& event = tell(EventKind::hidden_trade, *place, now);
      event.price = of.price.units;
      event.quantity = of.executed_quantity;
      event.other = of.trade_match_id;
    } else if constexpr (std::same_as<Message, mitch::AuctionTrade>) {
      const auto place = place_of(of.instrument_id);
      if (!place) return;
      RecordedEvent& event = tell(EventKind::trade, *place, now);
      event.price = of.price.units;
      event.quantity = of.quantity;
      event.other = of.trade_match_id;
      event.flags |= recorded::k_in_auction;
    } else if constexpr (std::same_as<Message, mitch::SymbolStatus>) {
      if (const auto place = place_of(of.instrument_id))
        tell(EventKind::status, *place, now).code = static_cast<std::uint8_t>(state_of(of.trading_status));
    } else if constexpr (std::same_as<Message, mitch::OrderBookClear>) {
      if (const auto place = place_of(of.instrument_id)) stale_[*place] = is_news_ = true;
    }
  }));
}

void LiveStrategy::Parts::on_notice(const mitch::FeedNotice& notice, Time) {
  using Kind = mitch::FeedNoticeKind;
  switch (notice.kind) {
    case Kind::recovered:
    case Kind::restarted:
    case Kind::live:
      for (std::uint32_t place = 0; place < instruments_.size(); ++place)
        if (notice.group == options_.instruments[place].group) stale_[place] = is_news_ = true;
      return;
    case Kind::recovering:
    case Kind::refused:
    case Kind::unreachable:
    case Kind::misfit:
    case Kind::given_up:
      return print_(fmt::format("market data: {}", mitch::name_of(notice.kind)));
    case Kind::line_lost:
    case Kind::line_back:
      if ((notice.line == 0 ? options_.feed.line_a : options_.feed.line_b).empty()) return;
      return print_(fmt::format("market data: {} {}", mitch::name_of(notice.kind), notice.line == 0 ? 'A' : 'B'));
    case Kind::joined:
    case Kind::gap:
    case Kind::gap_closed:
      return;
  }
}

// ---- Requests and reports ------------------------------------------------------------------------------------------

BlotterOrder* LiveStrategy::Parts::order_of(OrderNumber number) {
  const auto found = std::ranges::lower_bound(numbers_, number);
  if (found == numbers_.end() || *found != number) return nullptr;
  return blotter_.find(static_cast<std::uint32_t>(found - numbers_.begin()) + 1);
}

BlotterOrder* LiveStrategy::Parts::order_of(const TradeReport& report) {
  for (const std::string* id : {&report.id, &report.original_id})
    if (const auto found = orders_by_id_.find(*id); found != orders_by_id_.end()) return blotter_.find(found->second);
  return report.order_id.empty() || report.order_id == "NONE" ? nullptr : blotter_.find_by_order_id(report.order_id);
}

/// Told in the next turn, by step(): a strategy that asks again at once would keep this one from ending.
void LiveStrategy::Parts::refuse(const backtest::Request& request, ReportKind kind, const std::string& why, Time now) {
  if (!why.empty()) print_(fmt::format("{} not sent: {}", request.order, why));
  backtest::Report& report = unsent_.emplace_back();
  report = {.order = request.order, .at = now, .price = request.terms.price, .instrument = request.terms.instrument};
  report.quantity = kind == ReportKind::rejected ? request.terms.quantity : 0;
  report.kind = kind;
  report.side = request.terms.side;
  report.reason = market::Reason::unknown_order;
}

void LiveStrategy::Parts::on_request(const backtest::Request& request, Time now) {
  ++counts_.requests;
  const backtest::OrderRequest& terms = request.terms;
  const std::string id = prefix_ + std::to_string(++last_id_);
  TradeCommand command;
  if (request.kind == backtest::RequestKind::submit) {
    command.verb = TradeVerb::enter;
    OrderEntry& entry = command.order;
    entry.symbol = instruments_[terms.instrument].symbol;
    entry.terms.limit = {terms.price};
    entry.terms.stop = {terms.stop};
    entry.terms.quantity = {terms.quantity};
    entry.terms.displayed = {terms.displayed == 0 ? terms.quantity : terms.displayed};
    entry.terms.side = terms.side;
    entry.terms.type = terms.type;
    // Nothing is to stay behind when the strategy has gone.
    entry.terms.time_in_force =
        terms.time_in_force == market::TimeInForce::good_till_cancel ? market::TimeInForce::day : terms.time_in_force;
    entry.terms.passive = terms.is_post_only ? k_rests_only : 0;
    BlotterOrder& order = blotter_.enter(entry, id);
    numbers_.push_back(request.order);
    since_.push_back(now);
    orders_by_id_[id] = order.number;
    const auto sent = session_->send({.command = command, .id = id, .order = &order, .time = now});
    if (sent) return;
    static_cast<void>(blotter_.apply(order, {.kind = TradeReportKind::rejected}));
    return refuse(request, ReportKind::rejected, sent.error(), now);
  }
  BlotterOrder* order = order_of(request.order);
  if (order == nullptr || !order->is_open()) return refuse(request, ReportKind::request_rejected, {}, now);
  command.number = order->number;
  command.verb = request.kind == backtest::RequestKind::cancel ? TradeVerb::cancel : TradeVerb::amend;
  if (command.verb == TradeVerb::amend) {
    command.amendment.quantity = market::Quantity{terms.quantity};
    command.amendment.limit = market::Price{terms.price};
  }
  orders_by_id_[id] = order->number;
  const auto sent = session_->send({.command = command, .id = id, .order = order, .time = now});
  if (!sent) refuse(request, ReportKind::request_rejected, sent.error(), now);
}

backtest::Report& LiveStrategy::Parts::say(const BlotterOrder& order, ReportKind kind, Time now) {
  const auto place = std::ranges::find(instruments_, order.entry.symbol, &recorded::RecordedInstrument::symbol);
  backtest::Report& report = reports.emplace_back();
  report = {.order = numbers_[order.number - 1], .at = now};
  report.price = order.entry.terms.limit.units;
  report.quantity = report.leaves = order.leaves.lots;
  report.instrument = static_cast<std::uint32_t>(place - instruments_.begin());
  report.kind = kind;
  report.side = order.entry.terms.side;
  is_news_ = true;
  return report;
}

void LiveStrategy::Parts::say_rejected(const BlotterOrder& order, market::Quantity left, Time now) {
  backtest::Report& report = say(order, ReportKind::rejected, now);
  report.quantity = left.lots;
  report.leaves = 0;
}

void LiveStrategy::Parts::on_report(const TradeReport& from, Time now) {
  BlotterOrder* order = order_of(from);
  if (order == nullptr) {
    if (from.kind != TradeReportKind::other && from.kind != TradeReportKind::answer) print_(foreign_line(from));
    return;
  }
  const bool was_sent = order->state == OrderState::sent;
  const market::Quantity left = was_sent ? order->entry.terms.quantity : order->leaves;
  if (!blotter_.apply(*order, from)) return;
  Time& since = since_[order->number - 1];
  switch (from.kind) {
    case TradeReportKind::accepted:
    case TradeReportKind::parked: {
      since = now;
      say(*order, ReportKind::accepted, now);
      const auto id = mit::parse_base62(from.order_id);
      if (!id) return;
      own_[*id] = order->number;
      // The feed may have told it before we knew that it is ours.
      if (const auto found = shown_.find(*id); found != shown_.end()) {
        tell(EventKind::remove, found->second.place, now).order = *id;
        shown_.erase(found);
      }
      return;
    }
    case TradeReportKind::traded: {
      ++counts_.fills;
      backtest::Report& report = say(*order, ReportKind::traded, now);
      report.price = from.last_price.units;
      report.quantity = from.last_quantity.lots;
      report.is_maker = from.liquidity == 'A';
      if (report.is_maker) report.rested = now - since;
      return;
    }
    case TradeReportKind::replaced:
    case TradeReportKind::restated:
      since = now;
      say(*order, ReportKind::replaced, now);
      return;
    case TradeReportKind::cancelled:
    case TradeReportKind::expired: {
      const bool is_asked = from.kind == TradeReportKind::cancelled;
      backtest::Report& report = say(*order, is_asked ? ReportKind::cancelled : ReportKind::expired, now);
      report.quantity = left.lots;
      report.leaves = 0;
      return;
    }
    case TradeReportKind::rejected:
      print_(report_line(*order, from));
      return say_rejected(*order, left, now);
    case TradeReportKind::change_rejected:
    case TradeReportKind::request_rejected:
      // A request that was the order itself: a venue that is drained, a partition that takes none.
      if (was_sent && order->state == OrderState::rejected) {
        print_(report_line(*order, from));
        return say_rejected(*order, left, now);
      }
      say(*order, ReportKind::request_rejected, now).quantity = 0;
      return;
    case TradeReportKind::busted:
    case TradeReportKind::corrected:
      return print_(report_line(*order, from) + "; the account still has it as it was");
    default:
      return;
  }
}

/// The peer's session refused a message.
void LiveStrategy::Parts::on_refused(const std::string& id, const std::string& text) {
  print_(fmt::format("refused: {}", text));
  const auto found = orders_by_id_.find(id);
  BlotterOrder* order = found == orders_by_id_.end() ? nullptr : blotter_.find(found->second);
  if (order == nullptr) return;
  const Time now = station_.scheduler().now();
  if (order->state != OrderState::sent) {
    say(*order, ReportKind::request_rejected, now).quantity = 0;
    return;
  }
  static_cast<void>(blotter_.apply(*order, {.kind = TradeReportKind::rejected}));
  say_rejected(*order, order->entry.terms.quantity, now);
}

// ---- The run -------------------------------------------------------------------------------------------------------

std::size_t LiveStrategy::Parts::deliver(Time now) {
  std::size_t count = 0;
  if (!engine_) return 0;
  try {
    do {
      while (!engine_->scheduler().check(now, sched::Loop::k_max_events).is_drained) {
      }
      count += engine_->deliver(now);
      engine_->finish(now);
    } while (engine_->next_time() <= now || engine_->scheduler().next_due() <= now);
  } catch (const std::exception& thrown) {
    on_thrown(thrown);
  }
  return count;
}

/// What is on its way goes on; the first trouble is kept.
void LiveStrategy::Parts::on_thrown(const std::exception& thrown) {
  strategy_.is_open = false;
  const std::string line = fmt::format("event {}: the strategy: {}", engine_->event_number(), thrown.what());
  print_(line);
  if (trouble_.empty()) trouble_ = line;
}

bool LiveStrategy::Parts::subscribe() {
  const std::string* lines[] = {&options_.feed.line_a, &options_.feed.line_b};
  for (std::size_t at = 0; at < mitch::FeedClient::k_lines; ++at) {
    if (lines[at]->empty()) continue;
    const auto address = net::parse_address(*lines[at]);
    if (address && station_.fabric().subscribe(*address, feed_.line(at))) continue;
    print_(fmt::format("market data: {} cannot be had", *lines[at]));
    return false;
  }
  return true;
}

bool LiveStrategy::Parts::are_books_there() const {
  return std::ranges::all_of(options_.instruments,
                             [this](const LiveInstrument& of) { return feed_.is_live(of.group); });
}

void LiveStrategy::Parts::trade() {
  for (std::uint32_t place = 0; place < instruments_.size(); ++place) stale_[place] = true;
  is_news_ = true;
  until_ = length_ == time::Duration{} ? time::k_never : station_.scheduler().now() + length_;
  engine_.emplace(*this, *this, strategy_, latencies_,
                  backtest::EngineSettings{.fees = options_.fees, .mark_every = options_.mark_every});
  print_("the strategy begins");
  try {
    engine_->begin();
  } catch (const std::exception& thrown) {
    on_thrown(thrown);
  }
}

/// Those that no change is on its way of.
void LiveStrategy::Parts::cancel_open() {
  std::vector<OrderNumber> open;
  for (const backtest::OwnOrder& order : engine_->orders())
    if (!order.is_changing && order.is_accepted) open.push_back(order.number);
  for (const OrderNumber number : open) engine_->cancel(number);
}

void LiveStrategy::Parts::leave() {
  is_leaving_ = true;
  session_->stop();
  feed_.stop();
  if (!session_->is_connected()) is_closed_ = true;
}

/// Between two turns.
void LiveStrategy::Parts::step(const std::function<bool()>& stops) {
  const Time now = station_.scheduler().now();
  if (is_closed_ || is_leaving_) return;
  if (is_broken_) return leave();
  if (!unsent_.empty()) is_news_ = true;
  if (!engine_) {
    if (is_logged_on_ && are_books_there()) return trade();
    if (now < begin_ + options_.patience && !stops()) return;
    print_(is_logged_on_ ? "the market data have not come, or not all of them"
                         : fmt::format("no logon: the {} does not answer", session_->peer_name()));
    is_broken_ = true;
    return leave();
  }
  if (!is_ending_) {
    if (now < until_ && !stops() && trouble_.empty()) return;
    is_ending_ = true;
    strategy_.is_open = false;
    leave_by_ = now + options_.patience;
    if (!trouble_.empty()) print_("the strategy has failed: what is open is cancelled");
  }
  if (engine_->orders().empty() || now >= leave_by_) return leave();
  cancel_open();
}

TradeOutcome LiveStrategy::Parts::run(const std::function<bool()>& stops, time::Duration length) {
  if (!subscribe()) return TradeOutcome::unreachable;
  length_ = length;
  begin_ = station_.scheduler().now();
  feed_.start(begin_);
  station_.add(*this);
  session_->start(begin_);
  struct Look {
    explicit Look(sched::Scheduler& scheduler) : timer(scheduler, *this) {}
    void on_due(Time at) { timer.arm(at + std::chrono::milliseconds{10}); }
    sched::TimerOf<&Look::on_due> timer;
  } look(station_.scheduler());
  look.timer.arm(begin_);
  station_.run([&] {
    step(stops);
    return !is_closed_;
  });
  if (!engine_) return TradeOutcome::unreachable;
  try {
    engine_->end();
  } catch (const std::exception& thrown) {
    on_thrown(thrown);
  }
  return outcome();
}

/// Of a run that began; what is left at the venue is told.
TradeOutcome LiveStrategy::Parts::outcome() {
  const std::size_t open = blotter_.open_count();
  if (is_broken_) {
    const auto unanswered = std::ranges::count(blotter_.orders(), OrderState::sent, &BlotterOrder::state);
    if (const std::size_t doubtful = open + static_cast<std::size_t>(unanswered); doubtful != 0)
      print_(fmt::format("the session is lost: {} orders may be open at the venue still", doubtful));
    return TradeOutcome::unreachable;
  }
  if (open != 0) {
    print_(fmt::format("{} orders are open still", open));
    return TradeOutcome::refused;
  }
  return trouble_.empty() ? TradeOutcome::done : TradeOutcome::refused;
}

backtest::BacktestResult LiveStrategy::Parts::result(const backtest::BacktestSettings& settings) const {
  backtest::BacktestResult result;
  if (engine_) result = backtest::result_of(*engine_, *this, instruments_, settings);
  if (!result.queue_times) result.queue_times = std::make_unique<measure::Histogram>();
  result.survey.format = "live";
  result.survey.instruments = instruments_;
  result.elapsed_s = static_cast<double>((result.last - result.first).count()) / 1e9;
  result.trouble = trouble_;
  return result;
}

LiveStrategy::LiveStrategy(LiveStrategyOptions options, backtest::Strategy& strategy, Print print)
    : parts_(std::make_unique<Parts>(std::move(options), strategy, std::move(print))) {}
LiveStrategy::~LiveStrategy() = default;

TradeOutcome LiveStrategy::run(const std::function<bool()>& stops, time::Duration length) {
  return parts_->run(stops, length);
}

backtest::BacktestResult LiveStrategy::result(const backtest::BacktestSettings& settings) const {
  return parts_->result(settings);
}

}  // namespace dojima::app
