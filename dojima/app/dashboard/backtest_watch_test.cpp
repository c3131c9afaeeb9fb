// What a back-test tells the screens, held against its result: own orders in the ladder, fills, the account, time.

#include "dojima/app/dashboard/backtest_watch.hpp"

#include <chrono>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/backtest/backtest.hpp"
#include "dojima/web/dashboard/picture.hpp"

namespace dojima::app {
namespace {

using market::Side;
using namespace std::chrono_literals;

/// At 100 ms a bid at the best price and an ask between the prices; another bid far away at 1.2 s.
class Quoter final : public backtest::Strategy {
 public:
  backtest::Wakes wakes() const override { return {}; }
  void on_begin(backtest::Desk& desk) override {
    static_cast<void>(desk.arm(0, desk.now() + 100ms));
    static_cast<void>(desk.arm(1, desk.now() + 1200ms));
  }
  void on_timer(backtest::Desk& desk, std::uint32_t timer, time::Time) override {
    if (timer == 0) {
      EXPECT_NE(desk.submit({.side = Side::buy, .price = 100, .quantity = 2}), 0U);
      EXPECT_NE(desk.submit({.side = Side::sell, .price = 101, .quantity = 3}), 0U);
      EXPECT_NE(desk.submit({.side = Side::sell, .is_post_only = true, .price = 100, .quantity = 9}), 0U);
    } else {
      EXPECT_NE(desk.submit({.side = Side::buy, .price = 90, .quantity = 4}), 0U);
    }
  }
};

class BacktestWatchTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t k_begin = 1'000'000'000'000;

  BacktestWatchTest()
      : path_((std::filesystem::temp_directory_path() / fmt::format("dojima-backtest-watch-{}.csv", ::getpid()))
                  .string()),
        watch_({.name = "quoter",
                .strategy = "quoter",
                .dashboard = {.port = 0},
                .on_over = [this] { ++ends_; },
                .pause = {}}),
        picture_(
            {.name = "quoter", .counters = std::vector<std::string>(7), .sessions = {"quoter"}, .has_account = true}) {
    std::ofstream file(path_);
    file << "kind,event_time,receive_time,symbol,side,price,quantity,flags,code\n"
            "instrument,,,RICE,,0.01,,2,0\n";
    const auto add = [&](std::int64_t ms, const std::string& kind, const std::string& rest) {
      const std::int64_t at = k_begin + ms * 1'000'000;
      file << fmt::format("{},{},{},RICE,{},1,\n", kind, at, at, rest);
    };
    add(0, "level", "buy,1.00,5");
    add(0, "level", "sell,1.02,5");
    add(500, "trade", "buy,1.02,1");   // above the ask at 1.01: fills it
    add(700, "trade", "sell,0.99,4");  // below the bid at 1.00: fills it
    add(2000, "level", "buy,0.99,7");
  }
  ~BacktestWatchTest() override { std::filesystem::remove(path_); }

  /// Tells the watch, and takes from its channel what a look has told: before the next instant tells its trades.
  class Between final : public backtest::BacktestWatcher {
   public:
    Between(BacktestWatchTest& test, std::function<void()> on_look) : test_(test), on_look_(std::move(on_look)) {}
    void on_event(const backtest::Desk& desk, const backtest::RecordedEvent& event, bool is_skipped) override {
      test_.watch_.on_event(desk, event, is_skipped);
    }
    void on_report(const backtest::Desk& desk, const backtest::Report& report) override {
      test_.watch_.on_report(desk, report);
    }
    void on_turn(const backtest::Engine& engine, const sched::PacedPacer& pacer, double progress,
                 bool is_over) override {
      test_.watch_.on_turn(engine, pacer, progress, is_over);
      test_.drain();
      if (on_look_) on_look_();
    }
    void move(sched::PacedPacer& pacer) override { test_.watch_.move(pacer); }

   private:
    BacktestWatchTest& test_;
    std::function<void()> on_look_;
  };

  backtest::BacktestResult run(double speed, const std::function<bool()>& is_enough,
                               std::function<void()> on_look = {}) {
    Between between(*this, std::move(on_look));
    backtest::BacktestSettings settings{.file = path_};
    settings.exchange.queue = {.model = backtest::QueueModel::risk_averse};
    settings.speed = speed;
    int turns = 0;
    const backtest::BacktestHooks hooks{.is_interrupted =
                                            [&] {
                                              drain();
                                              return ++turns > 100'000 || is_enough();
                                            },
                                        .make_strategy = [] { return std::make_unique<Quoter>(); },
                                        .watcher = &between};
    time::SystemClock clock;
    auto result = backtest::run_backtest(settings, hooks, clock);
    EXPECT_TRUE(result.has_value()) << result.error();
    EXPECT_LE(turns, 100'000);
    return *std::move(result);
  }
  backtest::BacktestResult run_unwatched() {
    backtest::BacktestSettings settings{.file = path_};
    settings.exchange.queue = {.model = backtest::QueueModel::risk_averse};
    time::SystemClock clock;
    auto result = backtest::run_backtest(settings, {.make_strategy = [] { return std::make_unique<Quoter>(); }}, clock);
    EXPECT_TRUE(result.has_value()) << result.error();
    return *std::move(result);
  }
  void drain() {
    watch_.channel().drain(std::size_t{1} << 20, [&](const web::Fact& fact, const web::Snapshot* snapshot) {
      picture_.apply(fact, snapshot);
    });
    picture_.settle();
  }
  /// Behind this time of the run.
  [[nodiscard]] bool is_behind(std::chrono::milliseconds since_begin) const {
    return picture_.find(1) != nullptr && picture_.time() >= k_begin + std::chrono::nanoseconds(since_begin).count();
  }
  struct Shown {
    std::int64_t quantity = 0;
    std::uint32_t own = 0;
    friend bool operator==(const Shown&, const Shown&) = default;
  };
  /// Prices in hundredths.
  [[nodiscard]] std::map<std::int64_t, Shown> shown(Side side) const {
    std::map<std::int64_t, Shown> levels;
    for (const auto& [price, level] : picture_.find(1)->book.levels(side))
      levels[price / 1'000'000] = {level.quantity, picture_.find(1)->book.owned(1, side, price)};
    return levels;
  }
  [[nodiscard]] const web::AccountFact& row(std::uint32_t instrument) const {
    return picture_.account().rows.at(instrument);
  }

  std::string path_;
  int ends_ = 0;
  BacktestWatch watch_;
  web::Picture picture_;
};

TEST_F(BacktestWatchTest, own_orders_stand_in_the_ladder_and_the_account_is_that_of_the_result) {
  ASSERT_TRUE(watch_.desk().on_words("pause"));
  int seen = 0;
  const auto on_look = [&] {
    // Requests and reports take a millisecond each.
    if (seen == 0 && is_behind(102ms)) {
      ++seen;
      EXPECT_EQ(picture_.time() - k_begin, std::chrono::nanoseconds(102ms).count()) << "the instant, not a later one";
      EXPECT_EQ(shown(Side::buy), (std::map<std::int64_t, Shown>{{100, {7, 1}}})) << "its own 2 behind 5";
      EXPECT_EQ(shown(Side::sell), (std::map<std::int64_t, Shown>{{101, {3, 1}}, {102, {5, 0}}})) << "alone at 1.01";
      EXPECT_EQ(row(1).open_orders, 2U);
      EXPECT_EQ(row(1).orders, 3U);
      EXPECT_EQ(row(1).fills, 0U);
      EXPECT_EQ(picture_.counters()[6], 0U) << "what expires was not refused";
    } else if (seen == 1 && is_behind(1'202ms)) {
      ++seen;
      EXPECT_EQ(picture_.time() - k_begin, std::chrono::nanoseconds(1'202ms).count());
      EXPECT_EQ(shown(Side::buy), (std::map<std::int64_t, Shown>{{90, {4, 1}}, {100, {5, 0}}})) << "its bid was filled";
      EXPECT_EQ(shown(Side::sell), (std::map<std::int64_t, Shown>{{101, {2, 1}}, {102, {5, 0}}})) << "1 of 3 is gone";
      EXPECT_EQ(row(1).open_orders, 2U);
      EXPECT_EQ(row(1).orders, 4U);
      EXPECT_EQ(row(1).fills, 2U);
      EXPECT_EQ(row(1).position, 1);
    }
  };
  const auto is_enough = [&] {
    EXPECT_TRUE(watch_.desk().on_words("step"));
    return ends_ != 0 && picture_.pace().is_over != 0;
  };
  const backtest::BacktestResult result = run(1, is_enough, on_look);
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(ends_, 1);
  EXPECT_FALSE(result.was_interrupted);
  ASSERT_EQ(result.instruments.size(), 1U);
  const backtest::Account& account = result.instruments[0].account;
  ASSERT_GT(account.fills(), 0U);
  EXPECT_EQ(row(1).position, account.position());
  EXPECT_EQ(row(1).fills, account.fills());
  EXPECT_EQ(row(1).cash, account.amount(account.cash()));
  EXPECT_EQ(row(0).equity, row(1).equity);
  EXPECT_EQ(row(0).equity, result.equity.back().second);
  // What is watched is what is not: every look at the equity, with its time.
  const backtest::BacktestResult alone = run_unwatched();
  EXPECT_EQ(result.equity, alone.equity);
  EXPECT_EQ(result.fills, alone.fills);
  EXPECT_EQ(result.last, alone.last);
  EXPECT_EQ(row(0).orders, 4U);
  EXPECT_EQ(picture_.counters()[0], result.events);
  EXPECT_EQ(picture_.counters()[1], 2U) << "trades of the market";
  EXPECT_EQ(picture_.counters()[5], result.fills.size());
  EXPECT_EQ(picture_.trades(), 2U);
  ASSERT_EQ(picture_.notices().size(), result.fills.size());
  EXPECT_EQ(picture_.notices().front().text, "sold 1 RICE at 1.01, had waited 0.399 s; position -1");
  EXPECT_EQ(picture_.notices().back().text, "bought 2 RICE at 1, had waited 0.599 s; position 1");
  EXPECT_EQ(picture_.pace().progress, 1);
  EXPECT_EQ(picture_.sessions()[0].kind, web::SessionKind::strategy);
  EXPECT_EQ(picture_.sessions()[0].is_up, 0) << "the run is over";
}

TEST_F(BacktestWatchTest, time_is_paused_and_stepped_by_words) {
  ASSERT_TRUE(watch_.desk().on_words("pause"));
  EXPECT_FALSE(watch_.desk().on_words("jump 5")) << "its time cannot be sent elsewhere";
  int steps = 0;
  std::uint64_t last = 0;
  const backtest::BacktestResult result = run(1, [&] {
    if (picture_.pace().is_paused == 0) return false;
    EXPECT_LE(picture_.counters()[0], last + 2) << "an instant for each step";
    last = picture_.counters()[0];
    if (steps < 3) {
      EXPECT_TRUE(watch_.desk().on_words("step"));
    }
    return ++steps > 20;
  });
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_LE(result.events, 4U);
}

}  // namespace
}  // namespace dojima::app
