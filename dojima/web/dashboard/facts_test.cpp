// The channel between a loop and the screens, and the book that it shows.

#include "dojima/web/dashboard/facts.hpp"

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "dojima/web/dashboard/dashboard_test_support.hpp"
#include "dojima/web/dashboard/displayed_book.hpp"
#include "dojima/web/dashboard/picture.hpp"

namespace dojima::web {
namespace {

using market::BookReport;
using market::BookReportKind;
using market::Side;

[[nodiscard]] BookReport added(std::uint64_t id, Side side, std::int64_t price, std::int64_t displayed) {
  return {.order = {id},
          .price = {price},
          .quantity = {displayed},
          .leaves = {displayed},
          .displayed = {displayed},
          .instrument = 7,
          .kind = BookReportKind::added,
          .side = side};
}

TEST(Facts, a_part_shows_some_books_as_they_are_now) {
  FactChannel channel({.bytes = 1024, .orders = 4, .instruments = 2});
  Picture picture(picture_config());
  const auto drain = [&] {
    channel.drain(100, [&](const Fact& fact, const Snapshot* snapshot) { picture.apply(fact, snapshot); });
    picture.settle();
  };
  const time::Time now = time::from_nanoseconds(5);
  EXPECT_FALSE(channel.takes_part()) << "before there is a whole";
  channel.begin_snapshot().instruments = {{.instrument = 7}, {.instrument = 9}};
  channel.commit_snapshot(now);
  EXPECT_FALSE(channel.takes_part()) << "it has not been read";
  drain();
  BookReport other = added(1, Side::buy, 60, 5);
  other.instrument = 9;
  channel.publish(FactKind::report, now, added(2, Side::buy, 50, 5));
  channel.publish(FactKind::report, now, other);
  channel.publish(FactKind::trade, now,
                  TradeFact{.price = 51, .quantity = 4, .instrument = 7, .side = Side::sell, .is_auction = 0});
  ASSERT_TRUE(channel.takes_part());
  channel.begin_snapshot().instruments = {{.instrument = 7, .last_price = {51}, .trades = 1, .volume = 4}};
  channel.add({.price = {49}, .displayed = {30}, .leaves = {3}, .instrument = 7, .side = Side::buy});
  channel.commit_part(now);
  drain();
  EXPECT_EQ(picture.find(7)->book.orders(), 0U);
  EXPECT_EQ(picture.find(7)->row.bid, 49);
  EXPECT_EQ(picture.find(7)->row.trades, 1U);
  EXPECT_EQ(picture.find(9)->book.orders(), 1U) << "it is as the facts say";
  ASSERT_EQ(picture.tape().size(), 1U);
  EXPECT_EQ(picture.tape().front(), (TapeRow{.number = 1,
                                             .time = 5,
                                             .price = 51,
                                             .quantity = 4,
                                             .instrument = 7,
                                             .side = static_cast<std::uint8_t>(Side::sell)}));
  EXPECT_EQ(channel.snapshots(), 1U);
  while (channel.takes_part()) channel.publish(FactKind::report, now, added(3, Side::buy, 50, 5));
  EXPECT_FALSE(channel.takes_part()) << "the ring is full";
}

TEST(Facts, the_reader_says_how_much_it_needs) {
  FactChannel channel({.bytes = 1024, .orders = 1, .instruments = 2});
  EXPECT_EQ(channel.wanted(0), Detail::touch);
  const std::uint32_t before = channel.wanted_version();
  channel.want(1, Detail::orders);
  EXPECT_NE(channel.wanted_version(), before);
  EXPECT_EQ(channel.wanted(0), Detail::touch);
  EXPECT_EQ(channel.wanted(1), Detail::orders);
  const std::uint32_t after = channel.wanted_version();
  channel.want(1, Detail::orders);
  channel.want(2, Detail::orders);
  EXPECT_EQ(channel.wanted_version(), after) << "nothing new, and there is no third";
  EXPECT_EQ(channel.wanted(2), Detail::touch);
}

TEST(Facts, a_full_ring_is_counted_and_made_up_for_by_a_snapshot) {
  FactChannel channel({.bytes = 1024, .orders = 2, .instruments = 2});
  Picture picture(picture_config());
  const auto drain = [&] {
    channel.drain(100, [&](const Fact& fact, const Snapshot* snapshot) { picture.apply(fact, snapshot); });
    picture.settle();
  };
  const time::Time now = time::from_nanoseconds(5);
  EXPECT_TRUE(channel.wants_snapshot()) << "of the start";
  channel.publish(FactKind::report, now, added(1, Side::buy, 50, 5));
  drain();
  EXPECT_EQ(picture.find(7)->book.orders(), 0U) << "nothing is told before";
  channel.begin_snapshot().instruments.push_back({.instrument = 7, .trades = 3, .volume = 30});
  channel.add({.order = {1}, .price = {50}, .displayed = {5}, .leaves = {5}, .instrument = 7, .side = Side::buy});
  channel.commit_snapshot(now);
  EXPECT_FALSE(channel.wants_snapshot());
  std::uint64_t id = 2;
  for (; channel.lost() == 0; ++id) channel.publish(FactKind::report, now, added(id, Side::buy, 51, 5));
  const std::uint64_t had_room = id - 3;
  for (; id < 100; ++id) channel.publish(FactKind::report, now, added(id, Side::buy, 51, 5));
  EXPECT_EQ(channel.lost(), 1U) << "then it is silent";
  EXPECT_FALSE(channel.wants_snapshot()) << "the ring is full";
  drain();
  EXPECT_EQ(picture.find(7)->book.orders(), 1 + had_room);
  EXPECT_GE(had_room, 20U) << "of 40 bytes each, behind the snapshot";
  EXPECT_EQ(picture.find(7)->row.trades, 3U);
  ASSERT_TRUE(channel.wants_snapshot());
  channel.begin_snapshot().instruments.push_back({.instrument = 7});
  for (id = 200; id < 203; ++id)
    channel.add({.order = {id}, .price = {60}, .displayed = {1}, .leaves = {1}, .instrument = 7, .side = Side::sell});
  channel.commit_snapshot(now);
  EXPECT_FALSE(channel.wants_snapshot()) << "it has not been read";
  drain();
  EXPECT_EQ(picture.find(7)->book.orders(), 2U) << "the third one is beyond the capacity";
  EXPECT_EQ(picture.find(7)->row.ask, 60);
  EXPECT_EQ(picture.find(7)->row.has, MarketRow::k_ask);
  EXPECT_EQ(channel.snapshots(), 2U);
}

TEST(Facts, come_whole_to_another_thread) {
  FactChannel channel({.bytes = 2048});
  constexpr std::uint64_t k_counts = 20'000;
  const auto make_up_for_losses = [&] {
    if (!channel.wants_snapshot()) return;
    static_cast<void>(channel.begin_snapshot());
    channel.commit_snapshot(time::from_nanoseconds(1));
  };
  const auto publish = [&](std::uint64_t value) {
    channel.publish(FactKind::counter, time::from_nanoseconds(1), CounterFact{.value = value});
  };
  std::uint64_t last = 0;
  const auto drain = [&] {
    return channel.drain(1000, [&](const Fact& fact, const Snapshot* snapshot) {
      EXPECT_EQ(snapshot != nullptr, fact.kind == FactKind::snapshot);
      if (fact.kind != FactKind::counter) return;
      EXPECT_GT(fact.as<CounterFact>().value, last);
      last = fact.as<CounterFact>().value;
    });
  };
  std::atomic<bool> is_done{false};
  std::jthread loop([&] {
    for (std::uint64_t value = 1; value <= k_counts; ++value) {
      make_up_for_losses();
      publish(value);
    }
    is_done.store(true, std::memory_order_release);
  });
  for (bool was_done = false; drain() != 0 || !was_done;) was_done = is_done.load(std::memory_order_acquire);
  loop.join();
  EXPECT_LE(last, k_counts);
  // Whatever was lost on the way: an empty ring takes a snapshot if one is wanted, and then facts again.
  make_up_for_losses();
  publish(k_counts + 1);
  drain();
  EXPECT_EQ(last, k_counts + 1);
}

TEST(DisplayedBooks, show_what_everybody_sees) {
  DisplayedBook book;
  book.apply(added(1, Side::buy, 50, 5));
  book.apply(added(2, Side::buy, 50, 7));
  BookReport hidden = added(3, Side::buy, 50, 9);
  hidden.flags = market::k_hidden;
  book.apply(hidden);
  ASSERT_EQ(book.levels(Side::buy).size(), 1U);
  const DisplayedBook::Level& level = book.levels(Side::buy).begin()->second;
  EXPECT_EQ(level.quantity, 12);
  EXPECT_EQ(level.queue, (std::list<std::uint64_t>{1, 2}));
  book.apply({.order = {1}, .leaves = {2}, .displayed = {2}, .kind = BookReportKind::traded});
  EXPECT_EQ(level.quantity, 9);
  book.apply({.order = {1}, .leaves = {20}, .displayed = {4}, .kind = BookReportKind::replenished});
  EXPECT_EQ(level.queue, (std::list<std::uint64_t>{2, 1})) << "the next peak stands at the end";
  EXPECT_EQ(level.quantity, 11);
  book.apply({.order = {2}, .leaves = {3}, .displayed = {3}, .kind = BookReportKind::reduced});
  EXPECT_EQ(level.queue, (std::list<std::uint64_t>{2, 1}));
  EXPECT_EQ(level.quantity, 7);
  book.apply({.order = {2},
              .leaves = {3},
              .displayed = {3},
              .kind = BookReportKind::replaced,
              .flags = market::k_lost_priority});
  EXPECT_EQ(book.find(2), nullptr) << "it comes back as an added one";
  book.apply(added(4, Side::sell, 49, 6));
  book.apply({.order = {1}, .other = {4}, .quantity = {3}, .kind = BookReportKind::traded, .flags = market::k_auction});
  EXPECT_EQ(book.find(1)->displayed, 1);
  EXPECT_EQ(book.find(1)->leaves, 17);
  EXPECT_EQ(book.find(4)->displayed, 3);
  book.apply({.order = {4}, .kind = BookReportKind::cancelled});
  book.apply({.order = {1}, .kind = BookReportKind::traded});
  EXPECT_EQ(book.orders(), 0U);
  EXPECT_TRUE(book.levels(Side::buy).empty());
  EXPECT_TRUE(book.levels(Side::sell).empty());
  EXPECT_EQ(book.misfits(), 0U);
  book.apply(added(5, Side::sell, 49, 6));
  book.apply(added(5, Side::sell, 48, 6));
  EXPECT_EQ(book.misfits(), 1U) << "on display once";
}

TEST(DisplayedBooks, know_whose_orders_stand_where) {
  DisplayedBook book;
  book.apply(added(1, Side::buy, 50, 5), 2);
  book.apply(added(2, Side::buy, 50, 7), 2);
  book.apply(added(3, Side::buy, 50, 7), 3);
  book.apply(added(4, Side::sell, 51, 7), 2);
  book.apply(added(5, Side::sell, 51, 7));
  EXPECT_EQ(book.owned(2, Side::buy, 50), 2U);
  EXPECT_EQ(book.owned(3, Side::buy, 50), 1U);
  EXPECT_EQ(book.owned(2, Side::sell, 51), 1U);
  EXPECT_EQ(book.owned(2, Side::sell, 50), 0U);
  book.apply({.order = {1}, .kind = BookReportKind::cancelled});
  EXPECT_EQ(book.owned(2, Side::buy, 50), 1U);
  book.apply({.order = {2}, .kind = BookReportKind::traded});
  EXPECT_EQ(book.owned(2, Side::buy, 50), 0U) << "it was filled";
  EXPECT_EQ(book.owned(3, Side::buy, 50), 1U);
  book.clear();
  EXPECT_EQ(book.owned(3, Side::buy, 50), 0U);
}

TEST(DisplayedBooks, of_levels_have_no_orders) {
  DisplayedBook book;
  book.set_level(Side::sell, 51, 7, 2);
  book.set_level(Side::sell, 52, 9, 0);
  book.set_level(Side::sell, 51, 6, 1);
  ASSERT_EQ(book.levels(Side::sell).size(), 2U);
  EXPECT_EQ(book.levels(Side::sell).at(51).quantity, 6);
  EXPECT_EQ(book.levels(Side::sell).at(51).orders(), 1U);
  EXPECT_EQ(book.levels(Side::sell).at(52).orders(), 0U) << "not known";
  book.set_level(Side::sell, 52, 0, 0);
  book.set_level(Side::sell, 53, 0, 0);
  EXPECT_EQ(book.levels(Side::sell).size(), 1U);
  book.apply(added(1, Side::buy, 50, 5));
  book.set_level(Side::buy, 50, 0, 0);
  EXPECT_EQ(book.misfits(), 1U) << "its orders are told";
  EXPECT_EQ(book.levels(Side::buy).at(50).quantity, 5);
}

TEST(Pictures, put_notices_together_from_their_parts) {
  FactChannel channel({.bytes = 1024, .orders = 1, .instruments = 1});
  Picture picture(picture_config());
  const std::string text(120, 'x');
  const auto drain = [&] {
    channel.drain(100, [&](const Fact& fact, const Snapshot* snapshot) { picture.apply(fact, snapshot); });
  };
  channel.notice(time::from_nanoseconds(3), "short");
  channel.notice(time::from_nanoseconds(4), text);
  channel.notice(time::from_nanoseconds(5), "");
  drain();
  ASSERT_EQ(picture.notices().size(), 3U);
  EXPECT_EQ(picture.notices()[0], (NoticeRow{.number = 1, .time = 3, .text = "short"}));
  EXPECT_EQ(picture.notices()[1].text, text);
  EXPECT_EQ(picture.notices()[2].text, "");
  channel.notice(time::from_nanoseconds(6), std::string(1000, 'y'));
  channel.notice(time::from_nanoseconds(7), std::string(255, 'z'));
  drain();
  channel.notice(time::from_nanoseconds(8), "after");
  drain();
  ASSERT_EQ(picture.notices().size(), 5U) << "one that had no room is left out";
  EXPECT_EQ(picture.notices()[3].text.size(), 255U);
  EXPECT_EQ(picture.notices()[4].text, "after");
}

TEST(Pictures, take_instruments_as_they_are_heard_of) {
  Picture picture(picture_config());
  InstrumentFact fact{.instrument = 12, .quantity_decimals = 3};
  fact.symbol = {'B', 'T', 'C'};
  picture.apply(Fact::of(FactKind::report, time::from_nanoseconds(1), added(1, Side::buy, 50, 5)), nullptr);
  picture.apply(Fact::of(FactKind::instrument, time::from_nanoseconds(1), fact), nullptr);
  BookReport report = added(2, Side::sell, 60, 5);
  report.instrument = 12;
  picture.apply(Fact::of(FactKind::report, time::from_nanoseconds(2), report), nullptr);
  picture.settle();
  ASSERT_NE(picture.find(12), nullptr);
  EXPECT_EQ(picture.find(12)->about.symbol, "BTC");
  EXPECT_EQ(picture.find(12)->row.ask, 60);
  EXPECT_EQ(picture.find(7)->row.bid, 50);
  const std::uint64_t told = picture.versions().instruments;
  picture.apply(Fact::of(FactKind::instrument, time::from_nanoseconds(3), fact), nullptr);
  EXPECT_EQ(picture.versions().instruments, told) << "nothing new";
  fact.symbol = {'E', 'T', 'H'};
  picture.apply(Fact::of(FactKind::instrument, time::from_nanoseconds(3), fact), nullptr);
  EXPECT_EQ(picture.find(12)->about.symbol, "ETH");
  EXPECT_GT(picture.versions().instruments, told);
}

TEST(Pictures, keep_seconds_of_latencies_and_a_tape) {
  Picture picture(picture_config());
  for (std::int64_t at = 1; at <= 4; ++at) {
    picture.apply(Fact::of(FactKind::latency, time::from_nanoseconds(at * 1'000'000'000),
                           LatencyFact{.count = 2, .ns = {100, static_cast<std::uint32_t>(at) * 1000}}),
                  nullptr);
  }
  picture.settle();
  const auto& rows = picture.latencies()[0].rows;
  ASSERT_EQ(rows.size(), 3U) << "the last second is not over";
  EXPECT_EQ(rows[1].count, 2U);
  EXPECT_EQ(rows[1].p50, 100U);
  EXPECT_GE(rows[1].most, 2000U);
  EXPECT_LE(rows[1].most, 2050U);
  picture.apply(Fact::of(FactKind::latency, time::from_nanoseconds(9), LatencyFact{.stage = 1, .count = 99}), nullptr);
  picture.apply(Fact::of(FactKind::session, time::from_nanoseconds(9), SessionFact{.session = 2}), nullptr);
  picture.apply(Fact::of(FactKind::counter, time::from_nanoseconds(9), CounterFact{.counter = 2}), nullptr);
}

}  // namespace
}  // namespace dojima::web
