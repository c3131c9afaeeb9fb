#include "dojima/backtest/backtest.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

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
  EXPECT_TRUE(refused.error().starts_with("nowhere: it tells no trades")) << refused.error();
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

TEST_F(Backtests, runs_at_a_speed_of_the_clock_as_from_event_to_event) {
  BacktestSettings of = settings(day());
  const auto leaps = run_backtest(of, {}, clock_);
  of.speed = 10'000;
  const auto paced = run_backtest(of, {}, clock_);
  ASSERT_TRUE(leaps && paced);
  EXPECT_EQ(leaps->fills, paced->fills);
}

/// Counts what it is told, and pauses and steps at the begin.
class CountingWatcher final : public BacktestWatcher {
 public:
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
    // However far the clock had come before the first pause.
    if (turns == 1) paused_at = engine.event_number();
    if (turns == 10) {
      EXPECT_LE(engine.event_number(), paused_at + 11) << "one for each step, at most";
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
    }
  }
  std::uint64_t events = 0, skipped = 0, fills = 0, moves = 0, turns = 0, ends = 0, paused_at = 0;
  std::int64_t position = 0;
  double progress = 0;
  bool is_over = false;
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
  CountingWatcher watcher;
  BacktestHooks hooks{.is_interrupted = [&] { return watcher.ends >= 3; }, .watcher = &watcher};
  const auto watched = run_backtest(of, hooks, clock_);
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
  CountingWatcher later;
  hooks = {.is_interrupted = [&] { return later.turns >= 8; }, .watcher = &later};
  const auto part = run_backtest(of, hooks, clock_);
  ASSERT_TRUE(part);
  EXPECT_TRUE(part->was_interrupted) << "in the middle";
  EXPECT_EQ(later.skipped, later.events) << "before the strategy begins";
}

TEST_F(Backtests, what_a_day_lacks_is_said_in_one_line) {
  const std::string path = day();
  BacktestSettings of = settings(path);
  of.exchange.kind = ExchangeKind::orders;
  EXPECT_EQ(trouble(of), path + ": it tells no orders, which the exchange orders needs; take --exchange levels");
  const std::string silent = file("silent.csv", "kind,event_time,symbol,side,price,quantity\nlevel,1,RICE,buy,1,1\n");
  EXPECT_EQ(trouble(settings(silent)), silent + ": it tells no trades, so no order that waits could ever be filled");
  const std::string bookless =
      file("bookless.csv", "kind,event_time,symbol,side,price,quantity\ntrade,1,RICE,buy,1,1\n");
  EXPECT_EQ(trouble(settings(bookless)), bookless + ": it tells neither levels nor orders, so it has no book");
  of = settings(path);
  of.symbols = {"WHEAT"};
  EXPECT_EQ(trouble(of), path + ": it has no events");
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

TEST_F(Backtests, a_damaged_file_is_told_and_its_beginning_counts) {
  std::ofstream(day(), std::ios::app) << "level,x\n";
  const auto result = run_backtest(settings((folder_ / "day.csv").string()), {}, clock_);
  ASSERT_TRUE(result) << result.error();
  EXPECT_NE(result->trouble.find("line 24"), std::string::npos) << result->trouble;
  EXPECT_GT(result->fills.size(), 4u);
}

}  // namespace
}  // namespace dojima::backtest
