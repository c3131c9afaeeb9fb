// What a reader of a feed tells the screens, held against its books.

#include "dojima/app/dashboard/feed_watch.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "dojima/mitch/feed/feed_world_test_support.hpp"
#include "dojima/web/dashboard/picture.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;
using market::Side;
using mitch::testing::FeedWorld;
using mitch::testing::k_feed_instruments;

/// Counts what comes behind the watch.
struct Behind final : mitch::FeedHandler {
  void on_message(char, std::uint32_t, Bytes, time::Time) override { ++messages; }
  void on_notice(const mitch::FeedNotice&, time::Time) override { ++notices; }
  std::uint64_t messages = 0, notices = 0;
};

class FeedWatchTest : public ::testing::Test {
 protected:
  /// A reader of the world, which ends before it.
  void join(FeedWorld& world, const mitch::FeedClientOptions& options = FeedWorld::client_options()) {
    watch_ = std::make_unique<FeedWatch>(
        FeedWatchOptions{.name = "a feed",
                         .dashboard = {.port = 0},
                         .names = {{1, "RICE"}},
                         .next = &behind_,
                         .words = [](const mitch::FeedNotice& notice) { return std::string(name_of(notice.kind)); }});
    client_ = std::make_unique<mitch::FeedClient>(options, world.scheduler, &world.network, *watch_);
    watch_->look_at(*client_);
    ASSERT_TRUE(world.datagrams.subscribe(mitch::testing::k_line_a, client_->line(0)).has_value());
    ASSERT_TRUE(world.datagrams.subscribe(mitch::testing::k_line_b, client_->line(1)).has_value());
    client_->start(world.scheduler.now());
    web::PictureConfig config{.name = "a feed"};
    config.sessions.resize(2 + FeedWatch::k_groups.size());
    config.counters.resize(14);
    picture_ = std::make_unique<web::Picture>(config);
  }
  void drain(const FeedWorld& world) {
    watch_->look(world.scheduler.now());
    watch_->channel().drain(std::size_t{1} << 20, [&](const web::Fact& fact, const web::Snapshot* snapshot) {
      picture_->apply(fact, snapshot);
    });
    picture_->settle();
  }
  void settle(FeedWorld& world) {
    for (int count = 0; count < 200; ++count) {
      world.run(500ms);
      if (client_->is_live('1') && client_->is_live('2') && client_->missing() == 0) return;
    }
  }
  void expect_equal() const {
    for (std::uint32_t id = 1; id <= k_feed_instruments; ++id) {
      SCOPED_TRACE(id);
      const auto book = client_->books(id % 2 == 1 ? '1' : '2')->find(id);
      const web::Picture::Instrument* seen = picture_->find(id);
      ASSERT_TRUE(book.has_value());
      ASSERT_NE(seen, nullptr);
      EXPECT_EQ(seen->book.misfits(), 0U);
      EXPECT_EQ(seen->about.symbol, id == 1 ? "RICE" : std::to_string(id));
      EXPECT_EQ(seen->about.segment, book->state().directory.segment.view());
      EXPECT_EQ(seen->row.trades, book->state().trade_count);
      EXPECT_EQ(seen->row.volume, book->state().traded_quantity);
      for (const Side side : {Side::buy, Side::sell}) {
        std::vector<std::uint64_t> orders, shown;
        book->each_order(side, [&](const mitch::DisplayedOrder& order) {
          orders.push_back(order.id);
          const web::DisplayedBook::Order* of = seen->book.find(order.id);
          ASSERT_NE(of, nullptr) << order.id;
          EXPECT_EQ(of->displayed, order.quantity);
          EXPECT_EQ(of->price, order.price.units);
        });
        const auto& levels = seen->book.levels(side);
        const auto add = [&](const auto& level) {
          shown.insert(shown.end(), level.second.queue.begin(), level.second.queue.end());
        };
        if (side == Side::sell) std::for_each(levels.begin(), levels.end(), add);
        if (side == Side::buy) std::for_each(levels.rbegin(), levels.rend(), add);
        EXPECT_EQ(shown, orders) << "in their queues";
      }
    }
  }

  std::unique_ptr<FeedWorld> world_;
  Behind behind_;
  std::unique_ptr<FeedWatch> watch_;
  std::unique_ptr<mitch::FeedClient> client_;
  std::unique_ptr<web::Picture> picture_;
};

TEST_F(FeedWatchTest, the_screens_have_the_readers_books_at_every_look) {
  world_ = std::make_unique<FeedWorld>(mitch::testing::FeedWorldOptions{.has_begun = false});
  FeedWorld& world = *world_;
  join(world);
  world.begin();
  for (int round = 0; round < 10; ++round) {
    world.trade(60);
    settle(world);
    drain(world);
    expect_equal();
  }
  EXPECT_EQ(picture_->find(6)->about.segment, "SALT") << "as the directory said";
  EXPECT_GT(picture_->tape().size(), 20U);
  EXPECT_EQ(behind_.messages, client_->counts().messages) << "whoever stands behind hears all of it";
  EXPECT_EQ(watch_->channel().lost(), 0U);
  EXPECT_EQ(picture_->sessions()[0].is_up, 1) << "line A";
  EXPECT_EQ(picture_->sessions()[2].next_in, client_->next('1'));
  EXPECT_EQ(picture_->sessions()[4].next_in, 0U) << "group 3 was never heard of";
  EXPECT_EQ(picture_->counters()[0], client_->counts().messages);
}

TEST_F(FeedWatchTest, gaps_are_told_and_books_that_are_recovered_are_shown_whole) {
  world_ = std::make_unique<FeedWorld>(
      mitch::testing::FeedWorldOptions{.messages = 40, .a = {.loss_ppm = 300'000}, .b = {.loss_ppm = 300'000}});
  FeedWorld& world = *world_;
  world.trade(300);
  join(world);
  for (int round = 0; round < 5; ++round) {
    world.trade(100);
    settle(world);
    drain(world);
    drain(world);  // of a book that was recovered behind the last message
    expect_equal();
  }
  EXPECT_GT(client_->counts().gaps, 3U);
  EXPECT_GT(client_->counts().snapshots, 3U) << "it joined late";
  EXPECT_GT(picture_->notice_count(), 5U);
  bool has_gap = false;
  for (const web::NoticeRow& notice : picture_->notices()) has_gap = has_gap || notice.text == "gap";
  EXPECT_TRUE(has_gap);
  EXPECT_EQ(picture_->counters()[4], client_->counts().gaps);
  EXPECT_GT(watch_->channel().snapshots(), 1U);
}

/// Another publisher takes a group over, as after a restart of the venue: nothing is left of what was there before.
TEST_F(FeedWatchTest, a_group_that_begins_anew_is_shown_anew) {
  world_ = std::make_unique<FeedWorld>(mitch::testing::FeedWorldOptions{.has_begun = false});
  FeedWorld& world = *world_;
  mitch::FeedClientOptions options = FeedWorld::client_options();
  options.replay.reset();
  options.recovery.reset();  // which would bring the books anew besides
  join(world, options);
  world.begin();
  world.trade(100);
  settle(world);
  drain(world);
  struct Line final : mitch::FeedSink {
    void on_unit(Bytes unit) override { to->send(unit); }
    link::DatagramSender* to = nullptr;
  } line;
  line.to = world.datagrams.publish(mitch::testing::k_line_a).value();
  mitch::FeedWriter feed(line, {.market_data_group = '1'});
  world.publishers.clear();
  world.run(3s);
  mitch::testing::RandomDay day(77, 0);
  day.begin(feed);
  feed.flush();
  for (int count = 0; count < 50; ++count) {
    day.next(feed);
    feed.flush();
    world.run(1ms);
  }
  EXPECT_EQ(client_->counts().restarts, 1U);
  drain(world);
  drain(world);
  expect_equal();
}

}  // namespace
}  // namespace dojima::app
