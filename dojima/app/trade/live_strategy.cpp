#include "dojima/app/trade/live_strategy.hpp"

#include <algorithm>
#include <exception>
#include <fmt/core.h>
#include <optional>
#include <utility>

#include "dojima/app/trade/fix/fix_trade_session.hpp"
#include "dojima/app/trade/live/gated_strategy.hpp"
#include "dojima/app/trade/live/live_market.hpp"
#include "dojima/app/trade/live/live_orders.hpp"
#include "dojima/app/trade/native_trade_session.hpp"
#include "dojima/backtest/engine.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using backtest::Engine;
using backtest::OrderNumber;
using recorded::RecordedEvent;

StationOptions station_for(const LiveStrategyOptions& options) {
  return {.scheduler = FixTradeSession::timers() + NativeTradeSession::k_timers +
                       mitch::FeedClient::timers(options.feed.client) + 1,
          .idle = net::IdlePolicy::block,
          .fabric = {.max_connections = FixTradeSession::k_connections + 8,
                     .busy_poll_us = busy_poll_of(options.trade.loop),
                     .max_wakes = max_wakes_of(options.trade.loop),
                     .wakes_by_trial = has_usual_wakes(options.trade.loop),
                     .multicast_interface = options.feed.interface}};
}

}  // namespace

/// The market as an exchange of the engine, and the engine's events: one without a market in it brings what the session
/// and the feed have said.
class LiveStrategy::Parts final : public backtest::Exchange,
                                  public backtest::EventStream,
                                  public TradeSessionHandler,
                                  public sched::Source {
 public:
  Parts(LiveStrategyOptions options, backtest::Strategy& strategy, Print print)
      : options_(std::move(options)),
        print_(std::move(print)),
        strategy_(strategy),
        station_(station_for(options_)),
        session_(make_session()),
        market_(options_, blotter_, feed, print_),
        feed_(options_.feed.client, station_.scheduler(), &station_.fabric(), market_),
        orders_(blotter_, market_, *session_, reports, prefix_of_ids(), print_) {}

  TradeOutcome run(const std::function<bool()>& stops, time::Duration length);
  [[nodiscard]] backtest::BacktestResult result(const backtest::BacktestSettings& settings) const;

  // backtest::EventStream
  std::span<const RecordedEvent> next_batch() override {
    if (!market_.take_news()) return {};
    const Time now = station_.scheduler().now();
    market_.show_stale_books(feed_, now);
    tick_ = {};
    tick_.event_time = now;
    tick_.kind = recorded::EventKind::notice;
    return {&tick_, 1};
  }
  const std::vector<recorded::RecordedInstrument>& instruments() const override { return market_.instruments(); }
  [[nodiscard]] bool waits() const noexcept override { return !is_closed_; }

  // backtest::Exchange
  void on_event(const RecordedEvent&, std::span<const recorded::RecordedInstrument>, Time) override {
    orders_.report_unsent();
  }
  void on_request(const backtest::Request& request, Time now) override { orders_.send(request, now); }
  [[nodiscard]] std::optional<recorded::DepthLevel> best(std::uint32_t instrument, market::Side side) const override {
    return engine_ ? engine_->best(instrument, side) : std::nullopt;
  }
  [[nodiscard]] std::size_t resting() const override { return blotter_.open_count(); }
  [[nodiscard]] const backtest::ExchangeCounts& counts() const override { return orders_.counts(); }
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
  void on_report(const TradeReport& report, Time now) override { orders_.on_report(report, now); }
  void on_refused(const std::string& id, const std::string& text) override {
    orders_.on_refused(id, text, station_.scheduler().now());
  }

  // sched::Source: the engine with its own timers
  [[nodiscard]] Time next_time() override {
    return engine_ ? std::min(engine_->next_time(), engine_->scheduler().next_due()) : time::k_never;
  }
  std::size_t deliver(Time now) override;

 private:
  [[nodiscard]] std::unique_ptr<TradeSession> make_session() {
    if (options_.trade.native) return std::make_unique<NativeTradeSession>(station_, options_.trade, *this);
    return std::make_unique<FixTradeSession>(station_.scheduler(), station_.fabric(), options_.trade, *this);
  }
  /// No other run of this client has it.
  [[nodiscard]] std::string prefix_of_ids() {
    const auto begun =
        std::chrono::duration_cast<std::chrono::milliseconds>(station_.scheduler().now().time_since_epoch()).count();
    return options_.trade.native ? fmt::format("{:x}-", begun) : fmt::format("{}-{}-", options_.trade.sender, begun);
  }
  [[nodiscard]] bool subscribe();
  [[nodiscard]] bool are_books_there() const;
  void trade();
  void on_thrown(const std::exception& thrown);
  [[nodiscard]] TradeOutcome outcome();
  void step(const std::function<bool()>& stops);
  void cancel_open();
  void leave();

  LiveStrategyOptions options_;
  Print print_;
  GatedStrategy strategy_;
  Station station_;
  std::unique_ptr<TradeSession> session_;
  Blotter blotter_;
  LiveMarket market_;
  mitch::FeedClient feed_;
  LiveOrders orders_;
  backtest::Latencies latencies_;
  std::optional<Engine> engine_;

  RecordedEvent tick_{};
  std::string trouble_;
  Time begin_{}, until_{}, leave_by_{};
  time::Duration length_{};
  bool is_logged_on_ = false, is_ending_ = false, is_leaving_ = false, is_closed_ = false, is_broken_ = false;
};

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
  market_.open();
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
  if (orders_.has_unsent()) market_.note_news();
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

/// Of a run that began; reports what is left at the venue.
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
  if (engine_) result = backtest::result_of(*engine_, *this, market_.instruments(), settings);
  if (!result.queue_times) result.queue_times = std::make_unique<measure::Histogram>();
  result.survey.format = "live";
  result.survey.instruments = market_.instruments();
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
