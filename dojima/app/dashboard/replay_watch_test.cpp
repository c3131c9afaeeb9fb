// What a replay tells the screens, held against what is in its file; and time that is moved.

#include "dojima/app/dashboard/replay_watch.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <unistd.h>

#include "dojima/web/dashboard/picture.hpp"

namespace dojima::app {
namespace {

using market::Side;

constexpr std::int64_t k_day_ns = 1'600'000'000'000'000'000;
constexpr std::int64_t k_step_ns = 1'000'000;  // between two events
constexpr int k_events = 3'000;

/// Orders that come, trade and go, with what is in the book behind each event: a model without any of our books.
class RecordedDay {
 public:
  struct Moment {
    std::map<std::int64_t, std::int64_t> bids, asks;
    std::uint64_t trades = 0, volume = 0;
  };

  explicit RecordedDay(const std::string& path) {
    std::ofstream file(path);
    file << "kind,event_time,symbol,side,price,quantity,order,flags,code\n";
    file << fmt::format("instrument,{},RICE,,0.01,,,2,0\n", k_day_ns);
    std::mt19937 random(7);
    struct Order {
      bool is_bid;
      std::int64_t price, left;
    };
    std::map<int, Order> orders;
    for (int at = 1; at <= k_events; ++at) {
      const std::int64_t time = k_day_ns + at * k_step_ns;
      const auto other = [&] { return std::next(orders.begin(), static_cast<long>(random() % orders.size())); };
      const auto put = [&](const char* kind, const Order& order, int id, std::int64_t quantity, bool has_price) {
        file << fmt::format("{},{},RICE,{},{},{},{},1,0\n", kind, time, order.is_bid ? "buy" : "sell",
                            has_price ? fmt::format("{}.{:02}", order.price / 100, order.price % 100) : "", quantity,
                            id);
      };
      const auto pick = random() % 100;
      if (orders.size() < 5 || pick < 50) {
        const bool is_bid = random() % 2 == 0;
        const Order order{is_bid,
                          is_bid ? 9'900 - static_cast<std::int64_t>(random() % 40)
                                 : 10'000 + static_cast<std::int64_t>(random() % 40),
                          1 + static_cast<std::int64_t>(random() % 50)};
        orders.emplace(at, order);
        side(order.is_bid)[order.price] += order.left;
        put("add", order, at, order.left, true);
      } else if (pick < 80) {
        const auto found = other();
        take(found->second.is_bid, found->second.price, found->second.left);
        put("remove", found->second, found->first, found->second.left, true);
        orders.erase(found);
      } else {
        const auto found = other();
        const std::int64_t quantity = 1 + static_cast<std::int64_t>(random()) % found->second.left;
        take(found->second.is_bid, found->second.price, quantity);
        put("execute", found->second, found->first, quantity, true);
        ++now_.trades;
        now_.volume += static_cast<std::uint64_t>(quantity);
        if ((found->second.left -= quantity) == 0) orders.erase(found);
      }
      moments_.push_back(now_);
    }
  }

  /// Behind so many events.
  [[nodiscard]] const Moment& after(int events) const { return moments_[static_cast<std::size_t>(events - 1)]; }

 private:
  std::map<std::int64_t, std::int64_t>& side(bool is_bid) { return is_bid ? now_.bids : now_.asks; }
  void take(bool is_bid, std::int64_t price, std::int64_t quantity) {
    auto& levels = side(is_bid);
    if ((levels[price] -= quantity) == 0) levels.erase(price);
  }

  Moment now_;
  std::vector<Moment> moments_;
};

class ReplayWatchTest : public ::testing::Test {
 protected:
  ReplayWatchTest()
      : path_((std::filesystem::temp_directory_path() / ("dojima-watched-" + std::to_string(::getpid()) + ".csv"))
                  .string()),
        day_(path_),
        watch_({.name = "a day", .dashboard = {.port = 0}, .can_jump = true, .pause = {}}),
        picture_({.name = "a day", .counters = {"events", "trades", "live orders", "refused events"}}) {}
  ~ReplayWatchTest() override { std::filesystem::remove(path_); }

  /// Replays and asks between two turns whether that is enough.
  replay::ReplayResult run(double speed, const std::function<bool()>& is_enough) {
    replay::ReplaySettings settings{.file = path_, .pace = replay::Pace::paced, .speed = speed};
    int turns = 0;
    const replay::ReplayHooks hooks{.is_interrupted =
                                        [&] {
                                          drain();
                                          return ++turns > 20'000 || is_enough();
                                        },
                                    .watcher = &watch_};
    time::SystemClock clock;
    auto result = replay::replay(settings, hooks, clock);
    EXPECT_TRUE(result.has_value()) << result.error();
    EXPECT_LE(turns, 20'000);
    return *std::move(result);
  }
  void drain() {
    watch_.channel().drain(std::size_t{1} << 20, [&](const web::Fact& fact, const web::Snapshot* snapshot) {
      picture_.apply(fact, snapshot);
    });
    picture_.settle();
  }
  void expect_equal(const RecordedDay::Moment& moment) const {
    const web::Picture::Instrument* seen = picture_.find(1);
    ASSERT_NE(seen, nullptr);
    EXPECT_EQ(seen->about.symbol, "RICE");
    EXPECT_EQ(seen->row.trades, moment.trades);
    EXPECT_EQ(seen->row.volume, moment.volume);
    const auto expect_side = [&](Side side, const std::map<std::int64_t, std::int64_t>& expected) {
      std::map<std::int64_t, std::int64_t> shown;
      for (const auto& [price, level] : seen->book.levels(side)) shown[price / 1'000'000] = level.quantity;
      EXPECT_EQ(shown, expected);
    };
    expect_side(Side::buy, moment.bids);
    expect_side(Side::sell, moment.asks);
  }

  std::string path_;
  RecordedDay day_;
  ReplayWatch watch_;
  web::Picture picture_;
};

TEST_F(ReplayWatchTest, the_screens_have_the_books_of_the_file_and_stay_at_its_end) {
  const replay::ReplayResult result = run(10'000, [&] { return picture_.pace().is_over != 0; });
  expect_equal(day_.after(k_events));
  EXPECT_FALSE(result.was_interrupted) << "the file was over";
  EXPECT_EQ(result.events, static_cast<std::uint64_t>(k_events));
  EXPECT_EQ(picture_.trades(), day_.after(k_events).trades) << "each of them on the tape";
  EXPECT_EQ(picture_.counters()[1], day_.after(k_events).trades);
  EXPECT_EQ(picture_.pace().first, k_day_ns + k_step_ns);
  EXPECT_EQ(picture_.pace().last, k_day_ns + k_events * k_step_ns);
  EXPECT_EQ(picture_.pace().can_jump, 1);
  EXPECT_GT(picture_.pace().progress, 0.9);
}

TEST_F(ReplayWatchTest, time_goes_where_it_is_sent_and_stays_there_while_paused) {
  ASSERT_TRUE(watch_.desk().on_words("pause"));
  const auto jump_behind = [&](int events) {
    return watch_.desk().on_words(fmt::format("jump {}", k_day_ns + events * k_step_ns + 1));
  };
  int step = 0;
  const replay::ReplayResult result = run(1, [&] {
    const auto is_at = [&](int events) {
      return picture_.pace().is_paused != 0 && picture_.find(1) != nullptr &&
             picture_.find(1)->row.trades == day_.after(events).trades &&
             picture_.find(1)->row.volume == day_.after(events).volume;
    };
    if (step == 0 && picture_.pace().is_paused != 0) {
      EXPECT_TRUE(jump_behind(2'000));
      step = 1;
    } else if (step == 1 && is_at(2'000)) {
      expect_equal(day_.after(2'000));
      EXPECT_EQ(picture_.epoch(), 0U) << "forwards";
      EXPECT_TRUE(jump_behind(500));
      step = 2;
    } else if (step == 2 && picture_.epoch() == 1 && is_at(500)) {
      expect_equal(day_.after(500));
      EXPECT_EQ(picture_.time(), k_day_ns + 500 * k_step_ns + 1) << "backwards";
      EXPECT_EQ(picture_.trades(), 0U) << "the tape begins there";
      EXPECT_TRUE(watch_.desk().on_words("step"));
      step = 3;
    } else if (step == 3 && picture_.time() == k_day_ns + 501 * k_step_ns) {
      expect_equal(day_.after(501));
      EXPECT_TRUE(watch_.desk().on_words("speed 10000"));
      EXPECT_TRUE(watch_.desk().on_words("resume"));
      step = 4;
    } else if (step == 4 && picture_.pace().is_over != 0) {
      expect_equal(day_.after(k_events));
      EXPECT_TRUE(jump_behind(1'000));
      step = 5;
    } else if (step == 5 && picture_.epoch() == 2 && picture_.pace().is_over == 0) {
      return true;
    }
    return false;
  });
  EXPECT_EQ(step, 5);
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_GE(result.events, 1'000U);
}

TEST_F(ReplayWatchTest, a_full_ring_is_made_up_for) {
  replay::ReplaySettings settings{.file = path_, .pace = replay::Pace::paced, .speed = 10'000};
  int turns = 0;
  // Nobody reads until the file is over: levels and trades pile up, then a snapshot tells all.
  bool is_over = false;
  ReplayWatch quiet({.name = "a day", .dashboard = {.port = 0}, .on_over = [&] { is_over = true; }, .pause = {}});
  for (int round = 0; round < 140'000; ++round)
    quiet.channel().offer(web::FactKind::counter, time::from_nanoseconds(1), web::CounterFact{});
  const replay::ReplayHooks hooks{
      .is_interrupted =
          [&] {
            if (is_over) {
              quiet.channel().drain(std::size_t{1} << 20, [&](const web::Fact& fact, const web::Snapshot* snapshot) {
                picture_.apply(fact, snapshot);
              });
              picture_.settle();
            }
            return ++turns > 20'000 || (picture_.find(1) != nullptr && picture_.find(1)->row.trades != 0);
          },
      .watcher = &quiet};
  time::SystemClock clock;
  ASSERT_TRUE(replay::replay(settings, hooks, clock).has_value());
  EXPECT_LE(turns, 20'000);
  expect_equal(day_.after(k_events));
}

}  // namespace
}  // namespace dojima::app
