// What a venue tells the screens, held against its books.

#include "dojima/app/dashboard/venue_watch.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/dashboard/pace_desk.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/base/allocation_counter.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/dashboard/picture.hpp"
#include "dojima/web/dashboard/screen.hpp"
#include "dojima/web/http_client.hpp"
#include "dojima/web/raw_client_test_support.hpp"

namespace dojima::app {
namespace {

class VenueWatchTest : public ::testing::Test {
 protected:
  VenueWatchTest() {
    config_.orders = 2000;
    for (simulate::VenueUserConfig& user : config_.users) user.open_orders = 2000;
    scheduler_.emplace(simulate::Exchange::timers(config_), now_);
    watch_.emplace(VenueWatchOptions{.name = "a test", .dashboard = {.port = 0}}, config_);
    exchange_.emplace(config_, *scheduler_, watch_->probe());
    watch_->attach(*exchange_);
    for (std::size_t place = 0; place < config_.instruments.size(); ++place)
      watch_->channel().want(place, web::Detail::orders);
    web::PictureConfig picture{.name = "a test"};
    for (const simulate::InstrumentConfig& each : config_.instruments) picture.instruments.push_back({.id = each.id});
    for (int counter = 0; counter < 20; ++counter) picture.counters.emplace_back("a counter");
    picture.sessions.resize(config_.users.size());
    picture.stages = {"venue"};
    picture_.emplace(picture);
  }

  void submit(int orders) {
    for (int count = 0; count < orders; ++count) {
      now_ += std::chrono::milliseconds{1};
      const simulate::InstrumentConfig& instrument = config_.instruments[random_() % config_.instruments.size()];
      venue::Partition& partition = partition_of(instrument);
      if (random_() % 20 == 0) {
        market::PhaseChange change;
        change.header.instrument = instrument.id;
        change.phase = random_() % 3 == 0 ? market::Phase::intraday_call : market::Phase::continuous;
        change.is_uncrossed = true;
        ASSERT_TRUE(partition.submit(change.header, now_));
        continue;
      }
      market::NewOrder order;
      order.header.instrument = instrument.id;
      order.header.user = static_cast<std::uint16_t>(random_() % config_.users.size());
      order.terms.limit = {instrument.reference.units + (static_cast<std::int64_t>(random_() % 21) - 10) * 1'000'000};
      order.terms.quantity = {static_cast<std::int64_t>(random_() % 500) + 1};
      order.terms.displayed = order.terms.quantity;
      if (random_() % 8 == 0) order.terms.displayed = {order.terms.quantity.lots / 4 + 1};
      order.terms.side = random_() % 2 == 0 ? market::Side::buy : market::Side::sell;
      order.terms.type = market::OrderType::limit;
      ASSERT_TRUE(partition.submit(order.header, now_));
      watch_->mark(0, static_cast<std::uint64_t>(count));
      watch_->mark(1, static_cast<std::uint64_t>(count));
    }
  }
  void look() {
    watch_->look_soon();
    watch_->finish(now_);
  }
  void drain() {
    watch_->channel().drain(std::size_t{1} << 20, [&](const web::Fact& fact, const web::Snapshot* snapshot) {
      picture_->apply(fact, snapshot);
    });
    picture_->settle();
  }
  [[nodiscard]] venue::Partition& partition_of(const simulate::InstrumentConfig& instrument) const {
    for (venue::Partition* partition : exchange_->partitions())
      if (partition->app_id() == instrument.partition) return *partition;
    return *exchange_->partitions().front();
  }
  static void expect_equal_levels(const book::Book& book, const web::Picture::Instrument& seen, std::size_t most) {
    for (const market::Side side : {market::Side::buy, market::Side::sell}) {
      const auto& levels = seen.book.levels(side);
      EXPECT_EQ(levels.size(), std::min(most, book.level_count(side)));
      book.each_level(side, most, [&](const book::PriceLevel& level, std::uint32_t orders) {
        const auto shown = levels.find(level.price.units);
        ASSERT_NE(shown, levels.end()) << level.price.units;
        EXPECT_EQ(shown->second.quantity, book.displayed(side, level.price).lots) << level.price.units;
        EXPECT_EQ(shown->second.orders(), orders) << level.price.units;
      });
    }
    const auto bid = book.best(market::Side::buy), ask = book.best(market::Side::sell);
    EXPECT_EQ(seen.row.bid, bid ? bid->units : 0);
    EXPECT_EQ(seen.row.ask, ask ? ask->units : 0);
  }
  /// At least what was wanted of each.
  void expect_equal_books() {
    std::uint64_t trades = 0;
    for (std::size_t place = 0; place < config_.instruments.size(); ++place) {
      const simulate::InstrumentConfig& each = config_.instruments[place];
      SCOPED_TRACE(each.symbol);
      const book::Book& book = *partition_of(each).book(each.id);
      const web::Picture::Instrument& seen = *picture_->find(each.id);
      EXPECT_EQ(seen.book.misfits(), 0U);
      EXPECT_EQ(seen.row.phase, static_cast<std::uint8_t>(book.phase()));
      EXPECT_EQ(seen.auction.price, book.indicative().price.units);
      trades += seen.row.trades;
      const web::Detail detail = watch_->channel().wanted(place);
      if (detail != web::Detail::orders) {
        expect_equal_levels(book, seen, web::levels_of(detail));
        EXPECT_EQ(seen.bid_levels, book.level_count(market::Side::buy));
        EXPECT_EQ(seen.ask_levels, book.level_count(market::Side::sell));
        continue;
      }
      for (const market::Side side : {market::Side::buy, market::Side::sell}) {
        const auto& levels = seen.book.levels(side);
        EXPECT_EQ(levels.size(), book.level_count(side));
        for (const auto& [price, level] : levels)
          EXPECT_EQ(level.quantity, book.displayed(side, {price}).lots) << price;
        std::vector<std::uint64_t> orders;
        book.each_resting(side, [&](const book::RestingOrder& order) {
          if (order.place != book::Place::lit) return;
          orders.push_back(order.id.value);
          const web::DisplayedBook::Order* of = seen.book.find(order.id.value);
          ASSERT_NE(of, nullptr) << order.id.value;
          EXPECT_EQ(of->owner, order.owner + 1) << "whose it is";
          EXPECT_EQ(partition_of(each).owner_of(order.id), order.owner);
        });
        std::vector<std::uint64_t> shown;
        const auto add = [&](const auto& level) {
          shown.insert(shown.end(), level.second.queue.begin(), level.second.queue.end());
        };
        if (side == market::Side::sell) std::ranges::for_each(levels, add);
        if (side == market::Side::buy) std::for_each(levels.rbegin(), levels.rend(), add);
        EXPECT_EQ(shown, orders) << "in their queues";
      }
    }
    std::uint64_t made = 0;
    for (const venue::Partition* partition : exchange_->partitions())
      made += (partition->next_trade() & ((std::uint64_t{1} << 48U) - 1)) - 1;  // above it the partition
    EXPECT_EQ(trades, made);
  }

  VenueConfig config_ = default_venue();
  time::Time now_ = time::from_nanoseconds(1'800'000'000'000'000'000);
  std::mt19937 random_{5};
  std::optional<sched::Scheduler> scheduler_;
  std::optional<VenueWatch> watch_;
  std::optional<simulate::Exchange> exchange_;
  std::optional<web::Picture> picture_;
};

TEST_F(VenueWatchTest, the_screens_have_the_books_from_the_first_look_on) {
  submit(200);
  look();
  drain();
  expect_equal_books();
  for (int round = 0; round < 10; ++round) {
    submit(60);
    look();
    drain();
    expect_equal_books();
  }
  EXPECT_GT(picture_->tape().size(), 20U);
  EXPECT_EQ(watch_->channel().lost(), 0U);
  EXPECT_EQ(picture_->sessions().front().is_up, 0);
}

TEST_F(VenueWatchTest, of_books_at_which_nobody_looks_there_are_trades_and_levels) {
  watch_->channel().want(0, web::Detail::touch);
  watch_->channel().want(1, web::Detail::levels);
  look();
  drain();
  for (int round = 0; round < 20; ++round) {
    submit(60);
    look();
    drain();
    expect_equal_books();
  }
  const std::uint32_t first = config_.instruments.front().id;
  EXPECT_EQ(picture_->find(first)->book.orders(), 0U) << "no order of it is published";
  std::uint64_t shown = 0;
  for (const web::TapeRow& row : picture_->tape()) shown += row.instrument == first ? 1U : 0U;
  EXPECT_EQ(shown, picture_->find(first)->row.trades) << "every trade is";
  EXPECT_GT(shown, 20U);
  EXPECT_EQ(watch_->channel().snapshots(), 1U) << "parts make up for nothing that was lost";
}

TEST_F(VenueWatchTest, the_books_are_right_whatever_is_wanted_of_them_next) {
  look();
  for (int round = 0; round < 100; ++round) {
    for (std::size_t place = 0; place < config_.instruments.size(); ++place)
      if (random_() % 3 == 0) watch_->channel().want(place, static_cast<web::Detail>(random_() % 4));
    submit(static_cast<int>(random_() % 20));
    look();
    submit(static_cast<int>(random_() % 20));
    if (round % 3 == 0) continue;  // a snapshot waits to be read
    drain();
    look();
    drain();
    expect_equal_books();
  }
  EXPECT_EQ(watch_->channel().lost(), 0U);
}

TEST_F(VenueWatchTest, what_a_page_turns_to_while_time_stands_still_is_shown) {
  watch_->channel().want(0, web::Detail::ladder);
  submit(300);
  look();
  drain();
  const std::uint32_t first = config_.instruments.front().id;
  EXPECT_EQ(picture_->find(first)->book.orders(), 0U);
  watch_->finish(now_);
  drain();
  watch_->channel().want(0, web::Detail::orders);
  watch_->finish(now_);  // no later than the last look
  drain();
  EXPECT_EQ(picture_->find(first)->book.orders(), 0U);
  watch_->look_at_wanted(now_);
  drain();
  EXPECT_GT(picture_->find(first)->book.orders(), 0U);
  expect_equal_books();
  std::size_t facts = 0;
  watch_->look_at_wanted(now_);
  watch_->channel().drain(1000, [&](const web::Fact&, const web::Snapshot*) { ++facts; });
  EXPECT_EQ(facts, 0U) << "there is nothing new to show";
}

TEST_F(VenueWatchTest, books_to_which_pages_turn_and_from_which_they_turn_away_are_shown_once_a_look) {
  for (std::size_t place = 0; place < config_.instruments.size(); ++place)
    watch_->channel().want(place, web::Detail::levels);
  look();
  drain();
  for (int round = 0; round < 60; ++round) {
    submit(40);  // forty milliseconds, more than between two looks
    watch_->finish(now_);
    for (std::size_t place = 0; place < config_.instruments.size(); ++place)
      watch_->channel().want(place, random_() % 2 == 0 ? web::Detail::ladder : web::Detail::levels);
    drain();
    if (round % 7 == 0) {
      watch_->finish(now_);
      look();
      drain();
      expect_equal_books();
    }
  }
}

TEST_F(VenueWatchTest, what_nobody_looks_at_leaves_the_ring_to_the_others) {
  for (std::size_t place = 0; place < config_.instruments.size(); ++place)
    watch_->channel().want(place, web::Detail::touch);
  look();
  drain();
  const simulate::InstrumentConfig& instrument = config_.instruments.front();
  market::NewOrder order;
  order.header.instrument = instrument.id;
  order.terms.limit = instrument.reference;
  order.terms.quantity = order.terms.displayed = {5};
  order.terms.side = market::Side::buy;
  order.terms.type = market::OrderType::limit;
  ASSERT_TRUE(partition_of(instrument).submit(order.header, now_));
  std::size_t facts = 0;
  watch_->channel().drain(100, [&](const web::Fact&, const web::Snapshot*) { ++facts; });
  EXPECT_EQ(facts, 0U) << "not before the next look";
  look();
  drain();
  EXPECT_EQ(picture_->find(instrument.id)->row.bid, instrument.reference.units);
}

TEST_F(VenueWatchTest, sessions_have_their_rejects) {
  look();
  const simulate::InstrumentConfig& instrument = config_.instruments.front();
  for (int count = 0; count < 3; ++count) {
    market::NewOrder order;
    order.header.instrument = instrument.id;
    order.header.user = 1;
    order.terms.limit = {instrument.reference.units + 1};
    order.terms.quantity = order.terms.displayed = {5};
    order.terms.side = market::Side::buy;
    order.terms.type = market::OrderType::limit;
    ASSERT_TRUE(partition_of(instrument).submit(order.header, now_));
  }
  look();
  drain();
  EXPECT_EQ(picture_->sessions()[1].rejects, 3U);
  EXPECT_EQ(picture_->sessions()[1].last_reject, static_cast<std::uint8_t>(market::Reason::price_not_on_tick));
  EXPECT_EQ(picture_->sessions()[0].rejects, 0U);
  EXPECT_EQ(picture_->sessions()[0].last_reject, 0U);
  const auto reason = static_cast<std::size_t>(market::Reason::price_not_on_tick);
  EXPECT_EQ(picture_->rejects()[reason], 3U);
  for (std::size_t other = 0; other < picture_->rejects().size(); ++other)
    if (other != reason) {
      EXPECT_EQ(picture_->rejects()[other], 0U) << other;
    }
}

TEST_F(VenueWatchTest, a_full_ring_is_made_up_for) {
  look();
  for (int round = 0; round < 600 && watch_->channel().lost() == 0; ++round) submit(400);
  ASSERT_EQ(watch_->channel().lost(), 1U);
  look();
  drain();
  submit(50);
  look();
  drain();
  expect_equal_books();
  EXPECT_EQ(watch_->channel().snapshots(), 2U);
  submit(50);
  drain();
  expect_equal_books();
}

TEST_F(VenueWatchTest, what_waits_in_its_queues_is_counted) {
  look();
  drain();
  submit(400);
  look();  // which counts what is in the ring before it
  const auto where = watch_->start();
  ASSERT_TRUE(where.has_value()) << where.error();
  web::RawSocket page(where->port, "/live", std::string(web::k_frame_protocol));
  web::Screen screen;
  const auto value = [&](std::string_view name) -> std::uint64_t {
    const auto& names = screen.state().names.at(1);
    const auto place = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
    EXPECT_LT(place, names.size()) << name;
    return place < screen.state().counters.size() ? screen.state().counters[place] : 0;
  };
  const auto hear = [&] {
    const auto frame = page.hear();
    return frame.has_value() && screen.apply(std::as_bytes(std::span(*frame))).has_value();
  };
  while (screen.state().counters.empty()) ASSERT_TRUE(hear());
  const std::uint64_t most = value("dashboard: most bytes in its ring");
  EXPECT_GT(most, 400U * 24U);
  EXPECT_EQ(value("dashboard: bytes in its ring"), most);
  EXPECT_EQ(value("reports that wait for slow sessions"), 0U) << "nobody is logged on";
  EXPECT_EQ(value("most commands at once in a partition's ring"), 0U) << "one thread does it all";
  look();
  while (value("dashboard: pages") != 1) ASSERT_TRUE(hear());
  EXPECT_LT(value("dashboard: bytes in its ring"), most) << "it has been read since";
  EXPECT_EQ(value("dashboard: most bytes in its ring"), most);
}

TEST_F(VenueWatchTest, the_loop_allocates_nothing_for_it) {
  submit(100);
  const std::uint64_t before = heap_allocations();
  look();
  submit(100);
  look();
  EXPECT_EQ(heap_allocations() - before, 0U);
}

TEST(PaceDeskTest, takes_words_and_moves_the_pacer) {
  PaceDesk desk;
  for (const char* words : {"", "halt", "speed", "speed x", "speed 0", "speed nan", "speed 10001", "pause now"})
    EXPECT_FALSE(desk.on_words(words)) << words;
  time::SystemClock clock;
  sched::PacedPacer pacer(clock, time::from_nanoseconds(1), 1);
  EXPECT_FALSE(desk.apply(pacer));
  EXPECT_TRUE(desk.on_words("pause"));
  EXPECT_TRUE(desk.on_words("speed 0.1"));
  EXPECT_TRUE(desk.apply(pacer));
  EXPECT_TRUE(pacer.is_paused());
  EXPECT_EQ(pacer.speed(), 0.1);
  EXPECT_TRUE(desk.on_words("resume"));
  EXPECT_TRUE(desk.on_words("step"));
  EXPECT_TRUE(desk.apply(pacer));
  EXPECT_TRUE(pacer.is_paused()) << "a step is one step";
  EXPECT_FALSE(desk.apply(pacer));
}

TEST(PaceDeskTest, jumps_where_that_is_possible) {
  time::SystemClock clock;
  sched::PacedPacer pacer(clock, time::from_nanoseconds(1), 1);
  PaceDesk fixed;
  EXPECT_FALSE(fixed.on_words("jump 5"));
  PaceDesk desk(true);
  for (const char* words : {"jump", "jump ", "jump -1", "jump 5x", "jump 99999999999999999999"})
    EXPECT_FALSE(desk.on_words(words)) << words;
  EXPECT_TRUE(desk.on_words("jump 4"));
  EXPECT_TRUE(desk.on_words("jump 5"));
  EXPECT_FALSE(desk.take_jump().has_value()) << "not carried out yet";
  EXPECT_TRUE(desk.apply(pacer));
  EXPECT_EQ(desk.take_jump(), time::from_nanoseconds(5)) << "the newest";
  EXPECT_FALSE(desk.take_jump().has_value()) << "once";
}

TEST(DashboardConfigTest, is_an_address_of_this_machine_unless_said_otherwise) {
  EXPECT_EQ(parse_dashboard(""), (DashboardConfig{.port = 9300}));
  EXPECT_EQ(parse_dashboard("localhost:0"), (DashboardConfig{.host = "localhost", .port = 0}));
  EXPECT_EQ(parse_dashboard("0.0.0.0:80"), (DashboardConfig{.host = "0.0.0.0", .port = 80, .allow_remote = true}));
  for (const char* wrong : {"9300", "example.com:80", ":80", "127.0.0.1:", "127.0.0.1:70000"})
    EXPECT_FALSE(parse_dashboard(wrong).has_value()) << wrong;
}

TEST(VenueServerTest, shows_its_market_where_it_says) {
  VenueConfig config = default_venue();
  config.listen.port = 0;
  config.dashboard.port = 0;
  VenueServer server(config);
  const auto where = server.start();
  ASSERT_TRUE(where.has_value()) << where.error();
  std::string line;
  for (const std::string& each : server.describe(*where))
    if (each.starts_with("dashboard http://127.0.0.1:")) line = each;
  ASSERT_FALSE(line.empty());
  const auto port =
      static_cast<std::uint16_t>(std::stoul(line.substr(std::string("dashboard http://127.0.0.1:").size())));
  const auto page = web::call({.port = port});
  ASSERT_TRUE(page.has_value()) << page.error();
  EXPECT_EQ(page->status, 200U);
  VenueConfig other = config;
  other.dashboard.port = port;
  VenueServer second(other);
  const auto refused = second.start();
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().starts_with("dashboard: cannot listen on 127.0.0.1:")) << refused.error();
  EXPECT_TRUE(refused.error().ends_with("(--dashboard 127.0.0.1:0: any free one)")) << refused.error();
}

}  // namespace
}  // namespace dojima::app
