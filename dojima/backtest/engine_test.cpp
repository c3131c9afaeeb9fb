#include "dojima/backtest/engine.hpp"

#include <array>
#include <gtest/gtest.h>
#include <stdexcept>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/backtest/strategies.hpp"

namespace dojima::backtest {
namespace {

const ExchangeSettings k_averse{.queue = {.model = QueueModel::risk_averse}};

TEST(Engine, notifies_the_strategy_when_it_could_know_what_happened) {
  HandmadeDay day;
  day.level(0ms, Side::buy, 100, 10).level(10ms, Side::buy, 101, 10).trade(20ms, Side::sell, 101, 1);
  Scripted script;
  script.wakes_wanted = {.on_trades = true, .on_touch = true};
  std::vector<std::int64_t> seen;
  for (const Duration at : {Duration{1ms}, Duration{3ms}, Duration{11999us}, Duration{12ms}, Duration{21ms}})
    script.at(at, [&](Desk& desk) {
      const auto best = desk.best(0, Side::buy);
      seen.push_back(best ? best->price : 0);
    });
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(k_averse);
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(events, *exchange, script, latencies, {});
  engine.run({});
  // The feed takes 2 ms, and what comes at an instant is there when the strategy is asked.
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 100, 100, 101, 101}));
  const std::vector<std::pair<Time, std::string>> calls{{k_day_begin + 2ms, "book"},
                                                        {k_day_begin + 12ms, "book"},
                                                        {k_day_begin + 22ms, "trade"},
                                                        {k_day_begin + 22ms, "end"}};
  EXPECT_EQ(script.calls, calls);
}

TEST(Engine, wakes_by_period_from_the_first_event_on_while_there_is_something_to_come) {
  HandmadeDay day;
  day.level(0ms, Side::buy, 100, 10).level(25ms, Side::buy, 101, 10);
  Scripted script;
  script.wakes_wanted = {.period = 9ms};
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(k_averse);
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(events, *exchange, script, latencies, {});
  engine.run({});
  // The last event reaches the strategy at 27 ms, the instant of the third wake: nothing would come behind it.
  const std::vector<std::pair<Time, std::string>> calls{
      {k_day_begin + 9ms, "wake"}, {k_day_begin + 18ms, "wake"}, {k_day_begin + 27ms, "end"}};
  EXPECT_EQ(script.calls, calls);
  EXPECT_EQ(engine.wakes(), 2u);
}

TEST(Engine, messages_do_not_overtake) {
  HandmadeDay day;
  day.level(0ms, Side::buy, 100, 10).level(0ms, Side::sell, 102, 10).level(900ms, Side::buy, 99, 1);
  Scripted script;
  script.at(10ms, [](Desk& desk) {
    desk.submit(bid(100, 5));
    desk.cancel(1);  // quicker, but behind it
  });
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(k_averse);
  Latencies latencies;
  for (const Duration latency : {Duration{50ms}, Duration{1ms}}) latencies.models.push_back(constant_latency(latency));
  latencies.entry = {latencies.models[0].get(), latencies.models[1].get(), latencies.models[1].get()};
  Engine engine(events, *exchange, script, latencies, {});
  engine.run({});
  EXPECT_EQ(lines_of(script.reports), "accepted 1 5 @ 100\ncancelled 1 5 @ 100\n");
  EXPECT_EQ(script.reports.at(1).at, k_day_begin + 60ms);
}

TEST(Engine, times_that_step_back_and_a_recorder_that_is_behind_do_no_harm) {
  HandmadeDay day;
  day.level(10ms, Side::buy, 100, 10).level(4ms, Side::buy, 101, 10).level(20ms, Side::buy, 102, 1);
  Scripted script;
  script.wakes_wanted = {.on_books = true};
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(k_averse);
  Latencies latencies = constant_latencies(1ms, 1ms);
  latencies.feed_shift = -5ms;
  Engine engine(events, *exchange, script, latencies, {});
  engine.run({});
  EXPECT_EQ(engine.start(), k_day_begin + 10ms);
  EXPECT_EQ(script.calls.front().first, k_day_begin + 10ms);
  EXPECT_EQ(script.calls.back().first, k_day_begin + 20ms);
}

/// Wakes, and when what they asked for reached the exchange; entries take 1 ms, responses and the feed nothing.
struct Computed {
  std::vector<std::pair<Duration, std::string>> calls;
  std::vector<Duration> arrivals;
};
Computed run_computing(Scripted& script, Duration computing) {
  HandmadeDay day;
  for (const int at : {0, 1, 2, 3, 4, 5, 6, 20}) day.level(at * 1ms, Side::buy, 100 + at, 10);
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(k_averse);
  Latencies latencies = constant_latencies(1ms, 0ms);
  latencies.feed = latencies.models[1].get();
  latencies.models.push_back(constant_latency(computing));
  latencies.computing = latencies.models.back().get();
  Engine engine(events, *exchange, script, latencies, {});
  engine.run({});
  Computed result;
  for (const auto& [at, what] : script.calls) result.calls.emplace_back(at - k_day_begin, what);
  for (const Report& report : script.reports) result.arrivals.push_back(report.at - k_day_begin);
  return result;
}

TEST(EngineComputing, what_is_asked_for_leaves_when_the_strategy_has_computed) {
  Scripted script;
  script.wakes_wanted = {.period = 4ms};
  script.on_waking = [](Desk& desk) {
    if (desk.orders().empty()) desk.submit(bid(90, 1));
  };
  const Computed ran = run_computing(script, 700us);
  EXPECT_EQ(ran.calls.front(), (std::pair<Duration, std::string>{4ms, "wake"}));
  EXPECT_EQ(ran.arrivals.front(), 4ms + 700us + 1ms);
}

TEST(EngineComputing, a_strategy_that_computes_is_asked_again_when_it_is_done) {
  Scripted script;
  script.wakes_wanted = {.on_touch = true};
  const Computed ran = run_computing(script, 2500us);
  // Asked at once, then behind the changes that came meanwhile, and not about those that it has seen.
  const std::vector<std::pair<Duration, std::string>> calls{{0ms, "book"},    {2500us, "book"}, {5ms, "book"},
                                                            {7500us, "book"}, {20ms, "book"},   {20ms, "end"}};
  EXPECT_EQ(ran.calls, calls);
}

TEST(EngineComputing, each_event_that_is_wanted_is_work_behind_the_others) {
  Scripted script;
  script.wakes_wanted = {.on_events = true};
  script.on_every_event = [](Desk& desk, const RecordedEvent& event) {
    if (event.price == 102 || event.price == 106) desk.submit(bid(90, 1));
  };
  const Computed ran = run_computing(script, 2ms);
  // The third event waits for two, the seventh for six: 2 ms each, from the first on.
  EXPECT_EQ(ran.arrivals, (std::vector<Duration>{6ms + 1ms, 14ms + 1ms}));
}

TEST(EngineComputing, none_is_as_if_nobody_asked_for_it) {
  Scripted one, other;
  one.wakes_wanted = other.wakes_wanted = {.on_touch = true, .on_reports = true, .period = 3ms};
  one.on_waking = other.on_waking = [](Desk& desk) { desk.submit(bid(90, 1)); };
  const Computed with = run_computing(one, 0ms);
  HandmadeDay day;
  for (const int at : {0, 1, 2, 3, 4, 5, 6, 20}) day.level(at * 1ms, Side::buy, 100 + at, 10);
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(k_averse);
  Latencies latencies = constant_latencies(1ms, 0ms);
  latencies.feed = latencies.models[1].get();
  Engine engine(events, *exchange, other, latencies, {});
  engine.run({});
  EXPECT_EQ(one.calls, other.calls);
  EXPECT_EQ(lines_of(one.reports), lines_of(other.reports));
  EXPECT_FALSE(with.arrivals.empty());
}

/// As a clock of a busy machine: whenever it is asked, time has come further than what was due.
class LatePacer final : public sched::Pacer {
 public:
  Time advance(Time next) override { return next == time::k_never ? now_ : now_ = std::max(now_, next + 10ms); }

 private:
  Time now_ = Time::min();
};

void run_through(Engine& engine, sched::Pacer& pacer) {
  engine.begin();
  sched::Source* const sources[] = {&engine};
  sched::Loop loop(engine.scheduler(), pacer, sources);
  while (!engine.is_over()) loop.turn();
  engine.end();
}

/// Every way to run gives the same. `delay`: of the feed, for two events of three; the others arrive at once, behind
/// those.
void expect_the_same_every_way(ExchangeKind kind, Duration delay, Duration latency, bool is_on_touch) {
  SCOPED_TRACE(testing::Message() << "exchange " << static_cast<int>(kind) << ", feed " << delay.count()
                                  << " ns, others " << latency.count() << " ns, touch " << is_on_touch);
  enum class Way { run, loop, late, seen };
  GeneratedEvents day = generated_events(3, 1500);
  std::size_t number = 0;
  for (RecordedEvent& event : day.events)
    event.receive_time = event.event_time + (number++ / 40 % 3 == 0 ? Duration{} : delay);
  const auto run = [&](Way way) {
    MemoryEvents events(day.events, day.instruments);
    const auto exchange = make_exchange({.kind = kind, .orders = 4096});
    RandomTrader trader(5, 3ms, {.on_events = way == Way::seen, .on_touch = is_on_touch});
    Latencies latencies = constant_latencies(latency, latency);
    latencies.models.push_back(constant_latency(latency));
    latencies.computing = latencies.models.back().get();
    Engine engine(events, *exchange, trader, latencies, {.mark_every = 1ms});
    if (way == Way::run || way == Way::seen) engine.run({});
    sched::EventPacer exact(engine.start());
    if (way == Way::loop) run_through(engine, exact);
    LatePacer late;
    if (way == Way::late) run_through(engine, late);
    EXPECT_GT(engine.fills().size(), 20u);
    EXPECT_GE(engine.now(), day.events.back().event_time);
    return std::tuple(engine.fills(), lines_of(trader.reports), engine.marks().equity(), engine.wakes(), engine.now(),
                      trader.seen);
  };
  const auto expected = run(Way::run);
  EXPECT_EQ(run(Way::loop), expected);
  EXPECT_EQ(run(Way::late), expected) << "what is due behind the end does not happen";
  // Whoever sees each event computes for each, if that takes any time.
  if (latency == Duration{}) {
    EXPECT_EQ(run(Way::seen), expected) << "events travel one by one";
  }
}

TEST(Engine, runs_the_same_from_event_to_event_and_through_the_loop) {
  for (const ExchangeKind kind : {ExchangeKind::orders, ExchangeKind::match})
    for (const Duration delay : {Duration{}, Duration{900us}})
      for (const Duration latency : {Duration{}, Duration{700us}})
        for (const bool is_on_touch : {false, true}) expect_the_same_every_way(kind, delay, latency, is_on_touch);
}

/// Arms a timer for a time that has come, whenever it may.
class Impatient final : public Strategy {
 public:
  explicit Impatient(Duration away) : away_(away) {}
  Wakes wakes() const override { return {}; }
  void on_begin(Desk& desk) override { desk.arm(2, desk.now() + away_); }
  void on_timer(Desk& desk, std::uint32_t timer, Time due) override {
    EXPECT_EQ(timer, 2u);
    EXPECT_EQ(due, desk.now());
    fired.push_back(desk.now() - k_day_begin);
    EXPECT_TRUE(desk.arm(2, desk.now() + away_));
    if (fired.size() == 3) {
      desk.disarm(2);
      EXPECT_TRUE(desk.arm(3, desk.now()));
      desk.disarm(3);
      EXPECT_TRUE(desk.arm(2, Time::min()));
    }
  }
  std::vector<Duration> fired;

 private:
  Duration away_;
};

TEST(Engine, a_timer_for_a_time_that_has_come_fires_at_the_next_instant) {
  HandmadeDay day;
  day.level(0ms, Side::buy, 100, 10).level(10ms, Side::buy, 101, 10).level(20ms, Side::buy, 102, 1);
  for (const Duration away : {Duration{}, Duration{-1ns}, Duration{-365 * 24h}})
    for (const bool is_through_loop : {false, true}) {
      MemoryEvents events(day.events(), day.instruments());
      const auto exchange = make_exchange(k_averse);
      Impatient impatient(away);
      Latencies latencies = constant_latencies(1ms, 1ms);
      Engine engine(events, *exchange, impatient, latencies, {});
      LatePacer late;
      if (is_through_loop) run_through(engine, late);
      if (!is_through_loop) engine.run({});
      // Events reach the exchange, and the strategy two milliseconds later; with the last one the run is over.
      EXPECT_EQ(impatient.fired, (std::vector<Duration>{0ms, 2ms, 10ms, 12ms, 20ms}));
    }
}

TEST(Engine, an_instant_that_goes_on_can_be_interrupted) {
  HandmadeDay day;
  day.level(0ms, Side::buy, 100, 10).level(0ms, Side::sell, 102, 10).level(10ms, Side::buy, 101, 10);
  Scripted script;
  script.wakes_wanted = {.on_reports = true};
  script.on_waking = [](Desk& desk) { desk.submit(bid(90, 1)); };  // its report comes at once
  script.at(1ms, [](Desk& desk) { desk.submit(bid(90, 1)); });
  MemoryEvents events(day.events(), day.instruments());
  const auto exchange = make_exchange(k_averse);
  Latencies latencies;
  Engine engine(events, *exchange, script, latencies, {});
  int asked = 0;
  engine.run([&asked] { return ++asked == 3; });
  EXPECT_EQ(engine.now(), k_day_begin + 1ms);
}

/// What must hold of any run: nothing fills before it arrived, or more than was asked, and money is conserved.
void check_run(const Engine& engine, const std::vector<Report>& reports, Duration entry) {
  std::map<OrderNumber, std::int64_t> leaves;
  std::map<OrderNumber, Time> accepted;
  for (const Report& report : reports) {
    EXPECT_GE(report.received, report.at);
    if (report.kind == ReportKind::accepted) accepted[report.order] = report.at;
    if (report.kind == ReportKind::traded) {
      EXPECT_GT(report.quantity, 0);
      EXPECT_GE(report.leaves, 0);
      EXPECT_GE(report.at, engine.start() + entry);
      if (report.is_maker) {
        EXPECT_TRUE(accepted.contains(report.order)) << report.order;
      }
    }
  }
  Money cash = 0;
  std::int64_t position = 0;
  for (const Fill& fill : engine.fills()) {
    const Money worth = static_cast<Money>(fill.price) * fill.quantity * 1'000'000'000;
    cash += fill.side == Side::buy ? -worth : worth;
    position += fill.side == Side::buy ? fill.quantity : -fill.quantity;
    EXPECT_EQ(fill.position, position);
  }
  EXPECT_TRUE(engine.accounts()[0].cash() == cash);
  EXPECT_EQ(engine.accounts()[0].position(), position);
}

/// Own passive fills of an instant are no more than what was executed or entered then.
void check_quantities(const Engine& engine, const GeneratedEvents& day) {
  std::map<std::pair<Time, Side>, std::int64_t> traded, own;
  for (const RecordedEvent& event : day.events) {
    const bool is_trade = event.kind == recorded::EventKind::execute;
    if (!is_trade && event.kind != recorded::EventKind::add) continue;
    // An execution of a resting order of `side` can go to own orders of that side; an order that enters, to the other.
    traded[{event.event_time, is_trade ? event.side : market::opposite(event.side)}] += event.quantity;
    if (is_trade && event.side == Side::none) {
      traded[{event.event_time, Side::buy}] += event.quantity;
      traded[{event.event_time, Side::sell}] += event.quantity;
    }
  }
  for (const Fill& fill : engine.fills())
    if (fill.is_maker) own[{fill.at, fill.side}] += fill.quantity;
  for (const auto& [key, quantity] : own) EXPECT_LE(quantity, traded[key]) << key.first.time_since_epoch().count();
}

class AnyExchange : public testing::TestWithParam<ExchangeKind> {};

TEST_P(AnyExchange, conserves_money_and_quantities) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const GeneratedEvents day = generated_events(seed, 2500);
    MemoryEvents events(day.events, day.instruments);
    const auto exchange = make_exchange({.kind = GetParam(), .orders = 1 << 14});
    RandomTrader trader(seed, 2ms);
    Latencies latencies = constant_latencies(400us, 300us);
    Engine engine(events, *exchange, trader, latencies, {});
    engine.run({});
    EXPECT_GT(engine.fills().size(), 50u);
    check_run(engine, trader.reports, 400us);
    if (GetParam() == ExchangeKind::orders) check_quantities(engine, day);
    // What is open at the desk is what rests at the exchange.
    EXPECT_EQ(engine.orders().size(), exchange->resting());
  }
}
INSTANTIATE_TEST_SUITE_P(All, AnyExchange,
                         testing::Values(ExchangeKind::levels, ExchangeKind::orders, ExchangeKind::match),
                         [](const auto& exchange) { return std::string(name_of(exchange.param)); });

TEST(Exchanges, exact_and_matched_places_agree_for_one_lot_until_the_record_is_left) {
  std::size_t filled = 0;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u}) {
    const GeneratedEvents day = generated_events(seed, 3000);
    const auto run = [&](ExchangeKind kind, ExchangeCounts& counts) {
      MemoryEvents events(day.events, day.instruments);
      const auto exchange = make_exchange({.kind = kind, .orders = 1 << 14});
      // One order of one lot at a time and no more: behind its first fill the record is left.
      Scripted script;
      script.wakes_wanted = {.period = 5ms};
      bool has_ordered = false;
      script.on_waking = [&](Desk& desk) {
        const auto bid = desk.best(0, Side::buy);
        if (!bid || has_ordered) return;
        has_ordered = true;
        desk.submit({.side = Side::buy, .is_post_only = true, .price = bid->price, .quantity = 1});
      };
      Latencies latencies = constant_latencies(400us, 300us);
      Engine engine(events, *exchange, script, latencies, {});
      engine.run({});
      counts = exchange->counts();
      return engine.fills();
    };
    ExchangeCounts exact_counts, matched_counts;
    const std::vector<Fill> exact = run(ExchangeKind::orders, exact_counts),
                            matched = run(ExchangeKind::match, matched_counts);
    EXPECT_LE(exact.size(), 1u) << seed;
    EXPECT_EQ(exact, matched) << seed;
    filled += exact.size();
  }
  // Where the market went away from the price, nothing was filled.
  EXPECT_GE(filled, 3u);
}

TEST(Engine, what_a_strategy_throws_comes_through_and_what_was_reached_stays) {
  const GeneratedEvents day = generated_events(3, 500);
  MemoryEvents events(day.events, day.instruments);
  const auto exchange = make_exchange({.kind = ExchangeKind::orders});
  Scripted script;
  script.wakes_wanted = {.on_events = true};
  std::uint64_t count = 0;
  script.on_every_event = [&](Desk&, const RecordedEvent&) {
    if (++count == 100) throw std::runtime_error("lost");
  };
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(events, *exchange, script, latencies, {});
  EXPECT_THROW(engine.run({}), std::runtime_error);
  EXPECT_GE(engine.event_number(), 100u);
}

TEST(Engine, stops_on_request) {
  const GeneratedEvents day = generated_events(3, 20'000);
  MemoryEvents events(day.events, day.instruments);
  const auto exchange = make_exchange({.kind = ExchangeKind::orders});
  Scripted script;
  script.wakes_wanted = {.on_events = true};
  Latencies latencies = constant_latencies(1ms, 1ms);
  Engine engine(events, *exchange, script, latencies, {});
  int asked = 0;
  engine.run([&asked] { return ++asked == 2; });
  EXPECT_LT(engine.event_number(), day.events.size());
  EXPECT_EQ(script.calls.back().second, "end");
}

}  // namespace
}  // namespace dojima::backtest
