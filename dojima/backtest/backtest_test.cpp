#include "dojima/backtest/backtest.hpp"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/backtest/watcher.hpp"

namespace dojima::backtest {
namespace {

class Backtests : public testing::Test {
 protected:
  Backtests()
      : folder_(std::filesystem::temp_directory_path() / ("dojima-backtest-" + std::to_string(::getpid()) + "-" +
                                                          std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(folder_);
  }
  ~Backtests() override { std::filesystem::remove_all(folder_); }
  std::string file(const char* name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }
  /// Two levels and a trade now and then, the feed takes `latency`.
  std::string day(Duration latency = 1ms) {
    std::string text = "kind,event_time,receive_time,symbol,side,price,quantity\n";
    const auto add = [&](std::int64_t at, const std::string& rest) {
      const std::int64_t event = 1'000'000'000'000 + at * 1'000'000;
      text += rest.substr(0, rest.find(' ')) + "," + std::to_string(event) + "," +
              std::to_string(event + latency.count()) + "," + rest.substr(rest.find(' ') + 1) + "\n";
    };
    text =
        "kind,event_time,receive_time,symbol,side,price,quantity,flags,code\n"
        "instrument,,,RICE,,0.01,,2,0\n";
    add(0, "level RICE,buy,1.00,5,1,");
    add(0, "level RICE,sell,1.02,5,1,");
    for (std::int64_t at = 50; at < 1000; at += 50) {
      add(at, std::string("trade RICE,") + (at % 100 == 0 ? "buy,1.02" : "sell,1.00") + ",3,1,");
    }
    return file("day.csv", text);
  }
  BacktestSettings settings(const std::string& path) {
    BacktestSettings result{.file = path, .parameters = {{"quantity", "2"}, {"period", "10ms"}}};
    result.exchange.queue = {.model = QueueModel::risk_averse};
    return result;
  }
  std::string trouble(const BacktestSettings& of) {
    const auto result = run_backtest(of, {}, clock_);
    return result ? "" : result.error();
  }
  time::SystemClock clock_;
  std::filesystem::path folder_;
};

TEST_F(Backtests, run_a_strategy_over_a_file_and_report_what_came_of_it) {
  const auto result = run_backtest(settings(day()), {}, clock_);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->trouble, "");
  EXPECT_GT(result->fills.size(), 4u);
  ASSERT_EQ(result->instruments.size(), 1u);
  EXPECT_EQ(result->instruments[0].symbol, "RICE");
  const evidence::Artefact artefact = artefact_of(settings(day()), *result);
  for (const evidence::Check& check : artefact.checks()) EXPECT_TRUE(check.ok) << check.detail;
  const std::string csv = fills_text(*result);
  EXPECT_TRUE(
      csv.starts_with("exchange_time,receive_time,symbol,order,side,price,quantity,leaves,maker,rested_ns,position\n"));
  EXPECT_EQ(std::ranges::count(csv, '\n'), static_cast<std::ptrdiff_t>(result->fills.size() + 1));
  EXPECT_FALSE(write_fills((folder_ / "no" / "such.csv").string(), *result));
}

TEST_F(Backtests, refuse_times_that_no_year_has_and_more_looks_than_there_is_room_for) {
  const auto day_of = [&](std::int64_t last) {
    return file("far.csv",
                "kind,event_time,receive_time,symbol,side,price,quantity,flags,code\n"
                "instrument,,,RICE,,0.01,,2,0\n"
                "level,1,2,RICE,buy,1.00,5,1,\n"
                "trade," +
                    std::to_string(last) + "," + std::to_string(last) + ",RICE,sell,1.00,5,1,\n");
  };
  constexpr std::int64_t k_far = std::int64_t{1} << 62;
  EXPECT_NE(trouble(settings(day_of(k_far + 1))).find("a time of 4611686018427387905 ns is beyond"), std::string::npos);
  const std::string too_many = trouble(settings(day_of(k_far)));
  EXPECT_TRUE(too_many.starts_with("mark_every: 4611686018 looks")) << too_many;
  BacktestSettings seldom = settings(day_of(k_far));
  seldom.mark_every = std::chrono::hours{24 * 365};
  seldom.parameters["period"] = "9000000000s";
  EXPECT_EQ(trouble(seldom), "");
  BacktestSettings often = settings("");
  often.mark_every = 1ms;
  MarketConfig market{.populations = standard_populations()};
  market.length = 240h;
  const auto refused = run_backtest(often, market, {}, clock_);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().starts_with("mark_every: 864000000 looks")) << refused.error();
}

TEST_F(Backtests, a_computing_time_is_one_of_the_settings) {
  BacktestSettings slow = settings(day());
  slow.latencies.computing = "20ms";
  const auto plain = run_backtest(settings(day()), {}, clock_), delayed = run_backtest(slow, {}, clock_);
  ASSERT_TRUE(plain && delayed);
  // Woken each 10 ms, it is asked each 20 ms, and what it asks for comes as much later.
  EXPECT_LT(delayed->wakes, plain->wakes * 6 / 10);
  EXPECT_GT(delayed->wakes, plain->wakes * 4 / 10);
  EXPECT_NE(fills_text(*delayed), fills_text(*plain));
  EXPECT_TRUE(artefact_of(slow, *delayed).text().find("\"computing\": \"20ms\"") != std::string::npos);
  EXPECT_TRUE(artefact_of(settings(day()), *plain).text().find("computing") == std::string::npos);
  slow.latencies.computing = "soon";
  EXPECT_TRUE(trouble(slow).starts_with("latency \"soon\" is no time"));
}

TEST_F(Backtests, events_that_somebody_hands_in_are_traded_in_as_those_of_a_file) {
  const BacktestSettings of = settings(day());
  const auto from_file = run_backtest(of, {}, clock_);
  ASSERT_TRUE(from_file) << from_file.error();
  BacktestSettings nowhere = settings("nowhere");
  std::size_t opened = 0;
  struct FileReader final : recorded::RecordedReader {
    explicit FileReader(const std::string& path) : file(recorded::RecordedFile::open(path).value()) {}
    std::string_view format() const noexcept override { return file.reader().format(); }
    std::uint64_t bytes_read() const noexcept override { return 0; }
    std::vector<recorded::TypeCount> type_counts() const override { return {}; }
    void decode(recorded::EventBatch& batch) override {
      for (const RecordedEvent& event : file.reader().next_batch()) batch.add() = event;
      instruments_ = file.reader().instruments();
    }
    recorded::RecordedFile file;
  };
  BacktestHooks hooks{.open = [&] {
    ++opened;
    return std::make_unique<FileReader>(of.file);
  }};
  const auto handed = run_backtest(nowhere, hooks, clock_);
  ASSERT_TRUE(handed) << handed.error();
  EXPECT_EQ(opened, 2u);  // for the survey and for the run
  EXPECT_EQ(fills_text(*handed), fills_text(*from_file));
  hooks.survey = &handed->survey;
  const auto again = run_backtest(nowhere, hooks, clock_);
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(opened, 3u);
  EXPECT_EQ(fills_text(*again), fills_text(*from_file));
  DaySurvey poor = handed->survey;
  poor.has_trades = false;
  hooks.survey = &poor;
  const auto refused = run_backtest(nowhere, hooks, clock_);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().starts_with("nowhere: it has no trades")) << refused.error();
}

TEST_F(Backtests, have_their_record_beside_the_same_day_without_own_orders) {
  // The second execution is of an order that has another one before it, as where the record has lost that one's end.
  const std::string path = file("part.csv",
                                "kind,event_time,receive_time,symbol,order,side,price,quantity,flags,code\n"
                                "instrument,,,RICE,,,0.01,,2,0\n"
                                "add,1000000000,1000000000,RICE,1,buy,1.00,5,1,\n"
                                "add,1000000000,1000000000,RICE,2,sell,1.02,5,1,\n"
                                "add,2000000000,2000000000,RICE,3,buy,1.00,5,1,\n"
                                "execute,3000000000,3000000000,RICE,1,,,2,1,\n"
                                "execute,4000000000,4000000000,RICE,3,,,2,1,\n");
  BacktestSettings of = settings(path);
  of.exchange.kind = ExchangeKind::match;
  of.exchange.orders = 64;
  of.is_beside_record = true;
  const auto result = run_backtest(of, {}, clock_);
  ASSERT_TRUE(result) << result.error();
  EXPECT_GT(result->exchange.requests, 0u);
  ASSERT_TRUE(result->alone);
  EXPECT_EQ(result->alone->requests, 0u);
  EXPECT_EQ(result->alone->matched, 1u);
  EXPECT_EQ(result->alone->matched_others, 1u);
  const evidence::Artefact artefact = artefact_of(of, *result);
  const auto record = std::ranges::find(artefact.tables(), "record", &evidence::Table::name);
  ASSERT_NE(record, artefact.tables().end());
  EXPECT_EQ(record->rows.size(), 2u);
  of.is_beside_record = false;
  const auto plain = run_backtest(of, {}, clock_);
  ASSERT_TRUE(plain) << plain.error();
  EXPECT_FALSE(plain->alone);
  EXPECT_EQ(plain->fills, result->fills);
}

TEST_F(Backtests, show_amounts_with_the_decimals_of_a_price_times_a_quantity) {
  auto result = run_backtest(settings(day()), {}, clock_);
  ASSERT_TRUE(result) << result.error();
  result->performance.profit = -0.0000123;
  for (RecordedInstrument& of : result->recorded) of.quantity_decimals = 4;
  const evidence::Artefact artefact = artefact_of(settings(day()), *result);
  const std::string text = to_text(artefact.tables().front());
  EXPECT_NE(text.find("-0.0000123\n"), std::string::npos) << text;
  const auto again = evidence::Artefact::from(*evidence::parse_document(artefact.text()));
  ASSERT_TRUE(again);
  EXPECT_NE(to_text(again->tables().front()).find("-0.0000123\n"), std::string::npos) << "kept in the artefact as well";
  EXPECT_EQ(money_decimals({}), 4);
}

TEST_F(Backtests, a_recorder_whose_clock_is_behind_is_put_right) {
  const auto result = run_backtest(settings(day(-7ms)), {}, clock_);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->feed_shift, 7ms);
  EXPECT_GT(result->fills.size(), 4u);
}

TEST_F(Backtests, only_a_part_of_the_day_is_traded_in) {
  BacktestSettings of = settings(day());
  of.from = time::from_nanoseconds(1'000'500'000'000);
  of.until = time::from_nanoseconds(1'000'800'000'000);
  const auto result = run_backtest(of, {}, clock_);
  ASSERT_TRUE(result) << result.error();
  ASSERT_FALSE(result->fills.empty());
  EXPECT_GE(result->fills.front().at, *of.from);
  EXPECT_LT(result->fills.back().at, *of.until);
}

TEST_F(Backtests, have_in_their_result_what_was_from_their_begin_on) {
  BacktestSettings of = settings(day());
  of.mark_every = 10ms;
  const auto whole = run_backtest(of, {}, clock_);
  of.from = time::from_nanoseconds(1'000'500'000'000);
  const auto part = run_backtest(of, {}, clock_);
  ASSERT_TRUE(whole && part);
  EXPECT_EQ(part->first, *of.from);
  EXPECT_EQ(part->last, whole->last);
  // Woken each 10 ms of 950 ms, and of the last 450 of them.
  EXPECT_NEAR(static_cast<double>(whole->wakes), 95, 2);
  EXPECT_NEAR(static_cast<double>(part->wakes), 45, 2);
  ASSERT_FALSE(part->equity.empty());
  EXPECT_EQ(part->equity.front(), std::pair(*of.from, 0.0));
  EXPECT_EQ(part->equity.back().first, part->last);
  EXPECT_EQ(part->performance.profit, part->equity.back().second);
}

TEST_F(Backtests, between_whose_begin_and_end_nothing_is_are_refused) {
  const std::string path = day();
  BacktestSettings of = settings(path);
  of.from = of.until = time::from_nanoseconds(1'000'500'000'000);
  EXPECT_EQ(trouble(of),
            "nothing is between 19700101-00:16:40.500000000, where trading begins, and 19700101-00:16:40.500000000, "
            "where it ends");
  of.until.reset();
  of.from = time::from_nanoseconds(2'000'000'000'000);
  EXPECT_EQ(trouble(of), path +
                             ": its last event is of 19700101-00:16:40.951000000, before 19700101-00:33:20.000000000, "
                             "where trading begins");
  of.from = time::from_nanoseconds(1'000'951'000'000);
  EXPECT_EQ(trouble(of), "") << "the last event can still be traded on";
}

TEST_F(Backtests, say_what_their_strategy_has_to_say) {
  BacktestSettings of = settings(day());
  of.strategy = "twap";
  of.parameters = {{"total", "100"}, {"duration", "10s"}};
  const auto result = run_backtest(of, {}, clock_);
  ASSERT_TRUE(result) << result.error();
  // The first of ten slices, is done: there are no more.
  EXPECT_EQ(result->remark, "twap: 90 of 100 is missing at the end");
  EXPECT_NE(to_text(artefact_of(of, *result).tables().front()).find(result->remark), std::string::npos);
}

TEST_F(Backtests, runs_at_a_speed_of_the_clock_as_from_event_to_event) {
  BacktestSettings of = settings(day());
  const auto leaps = run_backtest(of, {}, clock_);
  of.speed = 10'000;
  const auto paced = run_backtest(of, {}, clock_);
  ASSERT_TRUE(leaps && paced);
  EXPECT_EQ(leaps->fills, paced->fills);
}

/// A clock that does not move while somebody steps, so that a busy machine comes no farther than the steps.
class HeldClock final : public time::Clock {
 public:
  Time now() noexcept override { return is_held ? now_ : now_ += 1us; }
  bool is_held = true;

 private:
  Time now_{};
};

/// Counts what happens, and pauses and steps at the begin.
class CountingWatcher final : public BacktestWatcher {
 public:
  explicit CountingWatcher(HeldClock& clock) : clock_(clock) {}
  void on_event(const Desk& desk, const RecordedEvent& event, bool is_skipped) override {
    ++events;
    skipped += is_skipped ? 1 : 0;
    EXPECT_LT(event.instrument, desk.instruments().size());
  }
  void on_report(const Desk& desk, const Report& report) override {
    if (report.kind != ReportKind::traded) return;
    ++fills;
    position = desk.position(report.instrument);
  }
  void on_turn(const Engine& engine, const sched::PacedPacer& pacer, double done, bool over) override {
    if (turns++ < 10) {
      EXPECT_TRUE(pacer.is_paused());
    }
    if (turns == 10) {
      EXPECT_LE(engine.event_number(), 11u) << "one for each step, at most";
    }
    progress = done;
    is_over = over;
    ends += over ? 1 : 0;
  }
  void move(sched::PacedPacer& pacer) override {
    if (moves++ < 10) {
      pacer.pause();
      pacer.step();
    } else if (moves == 11) {
      pacer.resume();
      clock_.is_held = false;
    }
  }
  std::uint64_t events = 0, skipped = 0, fills = 0, moves = 0, turns = 0, ends = 0;
  std::int64_t position = 0;
  double progress = 0;
  bool is_over = false;

 private:
  HeldClock& clock_;
};

/// A machine that does something else for an hour whenever it is asked for the time.
class BusyClock final : public time::Clock {
 public:
  Time now() noexcept override { return now_ += 1h; }

 private:
  Time now_{};
};

TEST_F(Backtests, at_a_speed_of_the_clock_give_the_same_results_however_late_the_clock_is) {
  BacktestSettings of = settings(day());
  of.mark_every = 1ms;
  of.latencies.computing = "30ms";  // it is computing when the day ends
  const auto run = [&](std::optional<double> speed, time::Clock& clock) {
    of.speed = speed;
    auto result = run_backtest(of, {}, clock);
    EXPECT_TRUE(result) << result.error();
    EXPECT_GT(result->fills.size(), 2u);
    return std::tuple(result->fills, result->equity, result->wakes, result->events, result->first, result->last);
  };
  BusyClock busy;
  const auto expected = run(std::nullopt, clock_);
  EXPECT_EQ(run(10'000, clock_), expected);
  EXPECT_EQ(run(10'000, busy), expected);
  EXPECT_EQ(run(0.1, busy), expected);
}

TEST_F(Backtests, that_are_watched_give_the_same_results_and_stay_at_their_end) {
  BacktestSettings of = settings(day());
  of.speed = 10'000;
  const auto alone = run_backtest(of, {}, clock_);
  HeldClock clock;
  CountingWatcher watcher(clock);
  BacktestHooks hooks{.is_interrupted = [&] { return watcher.ends >= 3; }, .watcher = &watcher};
  const auto watched = run_backtest(of, hooks, clock);
  ASSERT_TRUE(alone && watched);
  EXPECT_EQ(watched->fills, alone->fills);
  EXPECT_EQ(watched->equity, alone->equity);
  EXPECT_EQ(watched->last, alone->last);
  EXPECT_EQ(watched->events, alone->events);
  EXPECT_EQ(watched->wakes, alone->wakes);
  EXPECT_FALSE(watched->was_interrupted) << "it was over";
  EXPECT_TRUE(watcher.is_over);
  EXPECT_EQ(watcher.progress, 1);
  EXPECT_EQ(watcher.events, alone->events);
  EXPECT_EQ(watcher.skipped, 0u);
  EXPECT_EQ(watcher.fills, alone->fills.size());
  EXPECT_EQ(watcher.position, alone->fills.back().position);
  of.from = time::from_nanoseconds(1'000'500'000'000);
  HeldClock another;
  CountingWatcher later(another);
  hooks = {.is_interrupted = [&] { return later.turns >= 8; }, .watcher = &later};
  const auto part = run_backtest(of, hooks, another);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->was_interrupted) << "in the middle";
  EXPECT_EQ(later.skipped, later.events) << "before the strategy begins";
}

TEST_F(Backtests, at_a_speed_of_the_clock_obey_keys) {
  BacktestSettings of = settings(day());
  of.speed = 1;
  HeldClock clock;
  std::string keys = " sssss";
  std::size_t asked = 0;
  BacktestHooks hooks{.is_interrupted = [&] { return asked > 10'000; }};
  hooks.key = [&]() -> int {
    // One a turn, so that a step is made before the next one.
    if (asked++ % 2 == 0 || keys.empty()) return -1;
    const char key = keys.front();
    keys.erase(0, 1);
    return key;
  };
  const auto stepped = run_backtest(of, hooks, clock);
  ASSERT_TRUE(stepped) << stepped.error();
  EXPECT_GE(stepped->events, 2u) << "steps, although the clock stands";
  EXPECT_LE(stepped->events, 7u);
  keys = "q";
  asked = 0;
  const auto ended = run_backtest(of, hooks, clock);
  ASSERT_TRUE(ended) << ended.error();
  EXPECT_LT(asked, 10u);
  EXPECT_TRUE(ended->was_interrupted);
}

/// A row of a day: its time and what the feed takes, in milliseconds, and the rest of it.
struct Row {
  std::int64_t at, feed;
  std::string rest;
};

std::string day_of(const std::vector<Row>& rows) {
  std::string text =
      "kind,event_time,receive_time,symbol,side,price,quantity,flags,code\ninstrument,,,RICE,,0.01,,2,0\n";
  for (const Row& row : rows) {
    const std::int64_t event = 1'000'000'000'000 + row.at * 1'000'000;
    text += row.rest.substr(0, row.rest.find(' ')) + "," + std::to_string(event) + "," +
            std::to_string(event + row.feed * 1'000'000) + "," + row.rest.substr(row.rest.find(' ') + 1) + "\n";
  }
  return text;
}

/// Two venues of one clock: A costs 1 ms to and fro, B 5 ms and 3 ms.
class TwoVenues : public Backtests {
 protected:
  TwoVenues() {
    const std::string a = file("a.csv", day_of({{0, 1, "level RICE,buy,1.00,5,1,"},
                                                {0, 1, "level RICE,sell,1.02,5,1,"},
                                                {51, 1, "trade RICE,sell,1.00,1,1,"},
                                                {80, 1, "trade RICE,sell,1.00,1,1,"},
                                                {100, 1, "trade RICE,sell,1.00,1,1,"}}));
    const std::string b = file("b.csv", day_of({{0, 1, "level RICE,buy,2.00,5,1,"},
                                                {0, 1, "level RICE,sell,2.04,5,1,"},
                                                {50, 3, "trade RICE,sell,2.00,1,1,"},
                                                {80, 1, "trade RICE,sell,2.00,1,1,"},
                                                {120, 1, "trade RICE,sell,2.00,1,1,"}}));
    of.venues.push_back(venue("A=" + a + ",maker_fee=1bp,taker_fee=10bp"));
    of.venues.push_back(venue("B=" + b + ",entry=5ms,response=3ms,taker_fee=20bp,trade_fee=0.5"));
    of.mark_every = 10ms;
  }
  static VenueSettings venue(const std::string& text) {
    auto parsed = parse_venue(text, {});
    EXPECT_TRUE(parsed) << parsed.error();
    return *std::move(parsed);
  }
  static std::int64_t ms(Time at) { return (at - k_day_begin) / 1ms; }
  /// Runs what `prepare` writes into a script; trades and reports that it gets become lines, with the time.
  std::expected<BacktestResult, std::string> run(const std::function<void(Scripted&)>& prepare) {
    lines.clear();
    class Logging final : public Strategy {
     public:
      Logging(Scripted script, std::vector<std::string>& to) : script_(std::move(script)), lines_(to) {}
      Wakes wakes() const override { return {.on_events = true}; }
      void on_begin(Desk& desk) override { script_.on_begin(desk); }
      void on_timer(Desk& desk, std::uint32_t timer, Time due) override { script_.on_timer(desk, timer, due); }
      void on_event(Desk& desk, const RecordedEvent& event) override {
        if (event.kind == recorded::EventKind::trade) log(desk, "trade", event.instrument);
      }
      void on_report(Desk& desk, const Report& report) override {
        log(desk, std::string(name_of(report.kind)), report.instrument);
      }

     private:
      void log(const Desk& desk, const std::string& what, std::uint32_t instrument) {
        lines_.push_back(std::to_string(ms(desk.now())) + " " + what + " " + desk.instruments()[instrument].symbol);
      }
      Scripted script_;
      std::vector<std::string>& lines_;
    };
    return run_backtest(of, {.make_strategy = [&]() -> std::unique_ptr<Strategy> {
                          Scripted script;
                          prepare(script);
                          return std::make_unique<Logging>(std::move(script), lines);
                        }},
                        clock_);
  }

  BacktestSettings of;
  std::vector<std::string> lines;
};
using Lines = std::vector<std::string>;

/// The latency of one feed does not affect the other; at one instant the first venue's events come first; the end of
/// one day is not that of the other.
TEST_F(TwoVenues, deliver_events_in_the_order_in_which_they_arrive) {
  const auto result = run([](Scripted&) {});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(lines, (Lines{"52 trade A:RICE", "53 trade B:RICE", "81 trade A:RICE", "81 trade B:RICE",
                          "101 trade A:RICE", "121 trade B:RICE"}));
  EXPECT_EQ(result->events, 10u);
  EXPECT_EQ(ms(result->first), 0);
  EXPECT_EQ(ms(result->last), 121);
  ASSERT_FALSE(result->equity.empty());
  EXPECT_EQ(result->equity.back().first, result->last) << "the last look is at the end";
  EXPECT_EQ(ms(result->survey.first), 0);
  EXPECT_EQ(ms(result->survey.last), 120);
}

TEST_F(TwoVenues, have_their_own_ways_and_fees) {
  const auto result = run([](Scripted& script) {
    script.at(20ms, [](Desk& desk) {
      desk.submit({.instrument = 1, .side = Side::buy, .price = 204, .quantity = 1});
      desk.submit({.instrument = 0, .side = Side::buy, .price = 102, .quantity = 2});
    });
  });
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(Lines(lines.begin(), lines.begin() + 2), (Lines{"22 traded A:RICE", "28 traded B:RICE"}));
  ASSERT_EQ(result->fills.size(), 2u);
  EXPECT_EQ(ms(result->fills[0].at), 21);
  EXPECT_EQ(result->fills[0].instrument, 0u);
  EXPECT_EQ(ms(result->fills[1].at), 25);
  ASSERT_EQ(result->instruments.size(), 2u);
  const Account &a = result->instruments[0].account, &b = result->instruments[1].account;
  EXPECT_DOUBLE_EQ(a.amount(a.fees()), 2 * 1.02 * 0.001);
  EXPECT_DOUBLE_EQ(b.amount(b.fees()), 2.04 * 0.002 + 0.5);
  EXPECT_EQ(result->instruments[0].fees.maker, of.venues[0].fees.maker);
  EXPECT_EQ(result->instruments[1].fees.per_trade, of.venues[1].fees.per_trade);
  EXPECT_NEAR(result->equity.back().second, 2 * (1.01 - 1.02) + 2.02 - 2.04 - 2 * 1.02 * 0.001 - 2.04 * 0.002 - 0.5,
              1e-12);
}

TEST_F(TwoVenues, run_over_a_part_of_their_days_and_of_their_instruments) {
  of.until = k_day_begin + 101ms;
  of.symbols = {"B:RICE", "RICE"};
  auto result = run([](Scripted&) {});
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(lines.size(), 4u) << "what would have arrived at 101 is behind the end";
  of.until.reset();
  of.symbols = {"B:RICE"};
  result = run([](Scripted&) {});
  ASSERT_FALSE(result) << "A has no such instrument";
  EXPECT_NE(result.error().find("a.csv: it has nothing of B:RICE; there is RICE"), std::string::npos) << result.error();
  of.symbols = {"RICE", "WHEAT"};
  result = run([](Scripted&) {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "the venues: it has nothing of WHEAT; there are A:RICE, B:RICE");
}

TEST_F(TwoVenues, of_one_name_are_refused_and_a_damaged_day_is_reported_of_either) {
  std::ofstream(of.venues[1].file, std::ios::app) << "level,x\n";
  const auto damaged = run([](Scripted&) {});
  ASSERT_TRUE(damaged) << damaged.error();
  EXPECT_NE(damaged->trouble.find("b.csv"), std::string::npos) << damaged->trouble;
  of.venues[1].name = "A";
  const auto twice = run([](Scripted&) {});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error(), "there are two venues \"A\"");
}

TEST(VenueTexts, say_what_is_another_than_is_given) {
  VenueSettings given;
  given.latencies.entry = "7ms";
  given.fees.maker = 3;
  const auto venue = parse_venue(
      "A=day.csv,feed=1ms,entry_cancel=2ms,entry_replace=3ms,response=4ms,response_trade=5ms,taker_fee=1bp,"
      "trade_fee=0.01",
      given);
  ASSERT_TRUE(venue) << venue.error();
  EXPECT_EQ(venue->name, "A");
  EXPECT_EQ(venue->file, "day.csv");
  EXPECT_EQ(venue->latencies.feed, "1ms");
  EXPECT_EQ(venue->latencies.entry, "7ms");
  EXPECT_EQ(venue->latencies.cancel, "2ms");
  EXPECT_EQ(venue->latencies.replace, "3ms");
  EXPECT_EQ(venue->latencies.response, "4ms");
  EXPECT_EQ(venue->latencies.trade, "5ms");
  EXPECT_EQ(venue->fees.maker, 3);
  EXPECT_EQ(venue->fees.taker, 100'000);
  EXPECT_EQ(venue->fees.per_trade, 10'000'000);
  for (const char* const wrong : {"A", "=day.csv", "A:B=day.csv", "A,B=day.csv", "A=", "A=-", "A=day.csv,pace=1",
                                  "A=day.csv,taker_fee=7", "A=day.csv,trade_fee=x"})
    EXPECT_FALSE(parse_venue(wrong, given)) << wrong;
}

TEST_F(Backtests, what_a_day_lacks_is_said_in_one_line) {
  const std::string path = day();
  BacktestSettings of = settings(path);
  of.exchange.kind = ExchangeKind::orders;
  EXPECT_EQ(trouble(of), path + ": it has no orders, which the exchange orders needs; take --exchange levels");
  const std::string silent = file("silent.csv", "kind,event_time,symbol,side,price,quantity\nlevel,1,RICE,buy,1,1\n");
  EXPECT_EQ(trouble(settings(silent)), silent + ": it has no trades, so no order that waits could ever be filled");
  const std::string bookless =
      file("bookless.csv", "kind,event_time,symbol,side,price,quantity\ntrade,1,RICE,buy,1,1\n");
  EXPECT_EQ(trouble(settings(bookless)), bookless + ": it has neither levels nor orders, so it has no book");
  of = settings(path);
  of.symbols = {"WHEAT"};
  EXPECT_EQ(trouble(of), path + ": it has nothing of WHEAT; there is RICE");
  of.symbols = {"RICE", "WHEAT"};
  EXPECT_EQ(trouble(of), path + ": it has nothing of WHEAT; there is RICE") << "of none that was asked for";
  EXPECT_NE(trouble(settings("/no/such/file")), "");
  EXPECT_EQ(trouble(settings("-")), "a back-test reads its file twice: give a file, not standard input");
  of = settings(path);
  of.parameters["speed"] = "1";
  EXPECT_TRUE(trouble(of).starts_with("strategy touch has no parameter \"speed\"")) << trouble(of);
  of = settings(path);
  of.latencies.entry = "soon";
  EXPECT_TRUE(trouble(of).starts_with("latency \"soon\" is no time")) << trouble(of);
  of = settings(path);
  of.lot = "0.1";
  EXPECT_EQ(trouble(of), "\"0.1\" is no lot: a quantity above 0, with at most 0 decimals");
}

TEST_F(Backtests, a_strategy_that_throws_ends_the_run_with_file_and_event_and_keeps_what_was_reached) {
  const std::string path = day();
  BacktestSettings of = settings(path);
  of.strategy = "mine";
  const BacktestHooks hooks{.make_strategy = [] {
    auto script = std::make_unique<Scripted>();
    script->at(20ms, [](Desk& desk) { desk.submit({.side = Side::buy, .price = 102, .quantity = 1}); });
    script->at(320ms, [](Desk&) { throw std::runtime_error("has no plan for this"); });
    return script;
  }};
  const auto result = run_backtest(of, hooks, clock_);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->trouble, path + ": event 8: strategy mine: has no plan for this");
  EXPECT_EQ(result->fills.size(), 1u);
  const evidence::Artefact artefact = artefact_of(of, *result);
  EXPECT_FALSE(std::ranges::all_of(artefact.checks(), &evidence::Check::ok));
}

TEST_F(Backtests, a_damaged_file_is_reported_and_its_beginning_counts) {
  std::ofstream(day(), std::ios::app) << "level,x\n";
  const auto result = run_backtest(settings((folder_ / "day.csv").string()), {}, clock_);
  ASSERT_TRUE(result) << result.error();
  EXPECT_NE(result->trouble.find("line 24"), std::string::npos) << result->trouble;
  EXPECT_GT(result->fills.size(), 4u);
}

}  // namespace
}  // namespace dojima::backtest
