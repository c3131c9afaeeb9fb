// Frames: byte by byte, damaged, and the property that a screen which saw a part and a snapshot equals one that saw
// all.

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "dojima/web/dashboard/client_view.hpp"
#include "dojima/web/dashboard/dashboard_test_support.hpp"
#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/dashboard/picture.hpp"
#include "dojima/web/dashboard/screen.hpp"

namespace dojima::web {
namespace {

[[nodiscard]] std::string hex_of(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += "0123456789abcdef"[value >> 4U];
    text += "0123456789abcdef"[value & 15U];
  }
  return text;
}

void expect_same(const ScreenState& one, const ScreenState& other) {
  EXPECT_EQ(one.source, other.source);
  EXPECT_EQ(one.names, other.names);
  EXPECT_EQ(one.market, other.market);
  EXPECT_EQ(one.ladder, other.ladder);
  EXPECT_EQ(one.queue, other.queue);
  EXPECT_EQ(one.trades, other.trades);
  EXPECT_EQ(one.tape, other.tape);
  EXPECT_EQ(one.auction, other.auction);
  EXPECT_EQ(one.history, other.history);
  EXPECT_EQ(one.latencies, other.latencies);
  EXPECT_EQ(one.counters, other.counters);
  EXPECT_EQ(one.rejects, other.rejects);
  EXPECT_EQ(one.sessions, other.sessions);
  EXPECT_EQ(one.last_rejects, other.last_rejects);
  EXPECT_EQ(one.account, other.account);
  EXPECT_EQ(std::tuple(one.speed, one.is_paused, one.lost, one.snapshots),
            std::tuple(other.speed, other.is_paused, other.lost, other.snapshots));
  EXPECT_EQ(std::tuple(one.has_books, one.has_account, one.can_jump, one.is_over, one.first, one.last, one.progress),
            std::tuple(other.has_books, other.has_account, other.can_jump, other.is_over, other.first, other.last,
                       other.progress));
  EXPECT_EQ(one.instruments, other.instruments);
  EXPECT_EQ(one.notices, other.notices);
}

TEST(Frames, have_the_bytes_that_the_page_shows) {
  FrameWriter frame({.is_snapshot = true, .number = 3, .time = 0x0102030405060708});
  frame.begin(Section::source);
  frame.u8(1);
  frame.text("ab");
  frame.begin(Section::pace);
  frame.f64(1.0);
  frame.u8(1);
  frame.zeros(7);
  EXPECT_EQ(hex_of(frame.finish()),
            "444a0201"
            "03000000"
            "0807060504030201"
            "3c000000"
            "02000000"
            "0100"
            "0000"
            "04000000"
            "01"
            "02"
            "6162"
            "0d00"
            "0000"
            "10000000"
            "000000000000f03f"
            "01"
            "00000000000000");
}

TEST(Frames, of_a_small_market_are_golden) {
  PictureConfig config = picture_config();
  config.instruments.resize(1);
  config.stages.clear();
  config.sessions = {"KONOIKE"};
  config.counters.clear();
  config.histories = 0;
  Picture picture(config);
  const auto at = time::from_nanoseconds(1'000'000'000);
  picture.apply(Fact::of(FactKind::report, at,
                         market::BookReport{.order = {5},
                                            .price = {12},
                                            .quantity = {30},
                                            .leaves = {30},
                                            .displayed = {30},
                                            .instrument = 7,
                                            .kind = market::BookReportKind::added,
                                            .side = market::Side::buy},
                         1),
                nullptr);
  picture.settle();
  ClientView view;
  ASSERT_TRUE(view.on_words("show 32", picture));  // the ladder
  static_cast<void>(view.next_frame(picture));
  ASSERT_TRUE(view.on_words("own 0", picture));
  EXPECT_EQ(hex_of(view.next_frame(picture).value_or("")),
            "444a0200"
            "02000000"
            "00ca9a3b00000000"
            "48000000"
            "01000000"
            "0500"
            "0000"
            "28000000"
            "07000000"
            "0100"
            "0000"
            "01000000"
            "00000000"
            "0c00000000000000"
            "1e00000000000000"
            "01000000"
            "01000000");
  ASSERT_TRUE(view.on_words("queue B 12", picture));
  ASSERT_TRUE(view.on_words("show 64", picture));  // the queue
  EXPECT_EQ(hex_of(view.next_frame(picture).value_or("")),
            "444a0200"
            "03000000"
            "00ca9a3b00000000"
            "50000000"
            "01000000"
            "0600"
            "0000"
            "30000000"
            "07000000"
            "01"
            "00"
            "0100"
            "0c00000000000000"
            "01000000"
            "00000000"
            "0500000000000000"
            "1e00000000000000"
            "01"
            "00000000000000");
  EXPECT_FALSE(view.next_frame(picture).has_value()) << "nothing is new";
}

TEST(Frames, that_are_damaged_are_refused_or_read_to_their_end) {
  Picture picture(picture_config());
  RandomMarket market(1);
  for (int count = 0; count < 300; ++count) picture.apply(market.next(), nullptr);
  picture.settle();
  ClientView view;
  ASSERT_TRUE(view.on_words("queue B 100", picture));
  const std::string frame = view.next_frame(picture).value_or("");
  for (std::size_t size = 0; size < frame.size(); ++size) {
    Screen screen;
    EXPECT_FALSE(screen.apply(bytes_of(frame).first(size)).has_value()) << size;
  }
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = frame;
    for (int change = 0; change < 3; ++change) damaged[random() % damaged.size()] = static_cast<char>(random());
    Screen screen;
    static_cast<void>(screen.apply(bytes_of(damaged)));
  }
  std::string other = frame;
  other[2] = 1;
  Screen screen;
  EXPECT_EQ(screen.apply(bytes_of(other)).error(), "a frame of version 1, and this is version 2");
  EXPECT_EQ(screen.apply(bytes_of("hello")).error(), "these bytes are no frame");
}

/// Whoever joins late, leaves frames out and watches something else in between comes to the same screen.
TEST(Frames, a_screen_of_any_prefix_and_a_snapshot_equals_one_that_saw_all) {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Picture picture(picture_config());
    RandomMarket market(seed);
    ClientView early_view, late_view;
    Screen early, late;
    const auto tell = [&](ClientView& view, Screen& screen) {
      const auto frame = view.next_frame(picture);
      if (!frame) return false;
      const auto taken = screen.apply(bytes_of(*frame));
      EXPECT_TRUE(taken.has_value()) << taken.error();
      return true;
    };
    const std::uint64_t beats = 80, joins = market.below(beats);
    for (std::uint64_t beat = 0; beat < beats; ++beat) {
      for (std::uint64_t count = market.below(30); count != 0; --count) picture.apply(market.next(), nullptr);
      if (beat == 40) picture.set_trouble(3, 4);
      picture.settle();
      tell(early_view, early);
      if (beat < joins || market.below(3) == 0) continue;
      if (market.below(10) == 0) {
        EXPECT_TRUE(late_view.on_words("watch 9", picture));
      }
      if (market.below(10) == 0) {
        EXPECT_TRUE(late_view.on_words("show 5", picture));
      }
      if (market.below(20) == 0) {
        EXPECT_TRUE(late_view.on_words("again", picture));
      }
      if (market.below(20) == 0) {
        EXPECT_TRUE(late_view.on_words("own 1", picture));
      }
      tell(late_view, late);
    }
    for (ClientView* view : {&early_view, &late_view}) {
      EXPECT_TRUE(view->on_words("show 4294967295", picture));
      EXPECT_TRUE(view->on_words("watch 7", picture));
      EXPECT_TRUE(view->on_words("queue S 100", picture));
      EXPECT_TRUE(view->on_words("own 0", picture));
    }
    while (tell(early_view, early)) {
    }
    while (tell(late_view, late)) {
    }
    expect_same(early.state(), late.state());
    EXPECT_EQ(early.state().trades, picture.trades());
    EXPECT_EQ(early.state().market.at(7), picture.find(7)->row);
    const auto& bids = picture.find(7)->book.levels(market::Side::buy);
    ASSERT_FALSE(bids.empty());
    EXPECT_EQ(early.state().ladder.bids.front().price, bids.rbegin()->first);
    EXPECT_EQ(early.state().ladder.bid_levels, bids.size());
    EXPECT_EQ(early.state().history.columns.size(), picture.find(7)->history->columns.size());
    EXPECT_GT(early.state().history.generation, 0U) << "columns have gone";
    EXPECT_EQ(early.state().notice_count, picture.notice_count());
    EXPECT_EQ(early.state().account.points, picture.account().points);
    std::uint32_t own = 0, shown = 0;
    for (const ScreenLevel& level : early.state().ladder.bids) own += level.own, shown += level.orders;
    for (const ScreenLevel& level : early.state().ladder.asks) own += level.own, shown += level.orders;
    EXPECT_GT(own, 0U);
    EXPECT_LT(own, shown) << "of one session alone";
  }
}

TEST(Frames, begin_anew_where_time_does) {
  Picture picture(picture_config());
  RandomMarket market(3);
  ClientView view;
  Screen screen;
  const auto tell = [&] {
    picture.settle();
    const auto frame = view.next_frame(picture);
    return frame && screen.apply(bytes_of(*frame));
  };
  for (int count = 0; count < 300; ++count) picture.apply(market.next(), nullptr);
  ASSERT_TRUE(tell());
  EXPECT_GT(screen.state().trades, 0U);
  EXPECT_GT(screen.state().history.columns.size(), 0U);
  const time::Time before = time::from_nanoseconds(5);
  picture.apply(Fact::of(FactKind::start, before, std::uint32_t{0}), nullptr);
  ASSERT_TRUE(tell());
  EXPECT_TRUE(screen.last().is_snapshot);
  EXPECT_EQ(screen.last().time, 5);
  EXPECT_EQ(screen.state().trades, 0U);
  EXPECT_TRUE(screen.state().tape.empty());
  EXPECT_TRUE(screen.state().ladder.bids.empty());
  EXPECT_EQ(screen.state().market.at(7), (MarketRow{.instrument = 7}));
  EXPECT_LE(screen.state().history.columns.size(), 1U);
  EXPECT_EQ(screen.state().names.at(1).size(), 2U) << "names stay";
  picture.apply(
      Fact::of(FactKind::level, time::from_nanoseconds(6),
               LevelFact{.price = 12, .quantity = 30, .instrument = 7, .orders = 3, .side = market::Side::buy}),
      nullptr);
  ASSERT_TRUE(tell());
  EXPECT_FALSE(screen.last().is_snapshot) << "once";
  EXPECT_EQ(screen.state().ladder.bids, (std::vector<ScreenLevel>{{.price = 12, .quantity = 30, .orders = 3}}));
}

TEST(Frames, tell_why_the_last_request_of_a_session_was_refused) {
  Picture picture(picture_config());
  const auto tell = [&](std::uint16_t session, std::uint8_t size) {
    picture.apply(Fact::of(FactKind::last_reject, time::from_nanoseconds(5),
                           RejectFact{.session = session, .size = size, .text = {'t', 'o', 'o', ' ', 'f', 'a', 'r'}}),
                  nullptr);
    picture.settle();
  };
  tell(1, 7);
  ClientView view;
  ASSERT_TRUE(view.on_words("show 4096", picture));  // the sessions
  Screen screen;
  ASSERT_TRUE(screen.apply(bytes_of(view.next_frame(picture).value_or(""))));
  EXPECT_EQ(screen.state().last_rejects, (std::map<std::uint16_t, std::string>{{1, "too far"}}));
  tell(0, 3);
  const std::string frame = view.next_frame(picture).value_or("");
  EXPECT_EQ(hex_of(frame).substr(48),
            "1000000010000000"
            "0000"
            "03746f6f"
            "0100"
            "07746f6f20666172");
  ASSERT_TRUE(screen.apply(bytes_of(frame)));
  EXPECT_EQ(screen.state().last_rejects, (std::map<std::uint16_t, std::string>{{0, "too"}, {1, "too far"}}));
  tell(2, 3);
  EXPECT_FALSE(view.next_frame(picture).has_value()) << "there is no third session";
  tell(1, 255);
  ASSERT_TRUE(screen.apply(bytes_of(view.next_frame(picture).value_or(""))));
  EXPECT_EQ(screen.state().last_rejects.at(1).size(), RejectFact::k_text) << "no more than there is";
}

TEST(Frames, tell_of_an_account_and_its_equity_over_time) {
  PictureConfig config = picture_config();
  config.points = 4;
  config.column_ns = 10;
  Picture picture(config);
  ClientView view;
  Screen screen;
  ASSERT_TRUE(view.on_words("show 131072", picture));  // the account
  const auto tell = [&](std::int64_t at, double equity) {
    picture.apply(Fact::of(FactKind::account, time::from_nanoseconds(at),
                           AccountFact{.equity = equity,
                                       .cash = 2,
                                       .fees = 3,
                                       .position = -4,
                                       .fills = 5,
                                       .orders = 6,
                                       .instrument = 7,
                                       .open_orders = 8}),
                  nullptr);
    picture.apply(Fact::of(FactKind::account, time::from_nanoseconds(at), AccountFact{.equity = equity}), nullptr);
    picture.settle();
    const auto frame = view.next_frame(picture);
    return frame && screen.apply(bytes_of(*frame)) ? frame->size() : 0;
  };
  ASSERT_GT(tell(100, 1.5), 0U);
  EXPECT_TRUE(screen.state().has_account);
  const ScreenAccountRow row{
      .open_orders = 8, .position = -4, .fills = 5, .orders = 6, .equity = 1.5, .cash = 2, .fees = 3};
  EXPECT_EQ(screen.state().account.rows.at(7), row);
  EXPECT_EQ(screen.state().account.points, (std::vector<EquityPoint>{{100, 1.5}}));
  EXPECT_EQ(tell(105, 2.5), 24U + 8 + 16 + 2 * 56) << "a point at its time only";
  EXPECT_EQ(screen.state().account.rows.at(0).equity, 2.5);
  EXPECT_EQ(tell(110, 3.5), 24U + 8 + 16 + 2 * 56 + 16) << "the new one alone";
  ASSERT_GT(tell(120, 4.5), 0U);
  EXPECT_EQ(screen.state().account.points, (std::vector<EquityPoint>{{100, 1.5}, {110, 3.5}, {120, 4.5}}));
  ASSERT_GT(tell(130, 5.5), 0U);
  EXPECT_EQ(screen.state().account.points, (std::vector<EquityPoint>{{110, 3.5}, {130, 5.5}})) << "every second goes";
  ASSERT_GT(tell(139, 6.5), 0U);
  EXPECT_EQ(screen.state().account.points.size(), 2U) << "its time was set before";
  ASSERT_GT(tell(140, 6.5), 0U);
  ASSERT_GT(tell(159, 6.5), 0U);
  EXPECT_EQ(screen.state().account.points.size(), 3U) << "then at twice the distance";
}

TEST(Frames, of_a_book_by_level_say_how_many_levels_it_has_besides) {
  Picture picture({.name = "a test", .instruments = {{.id = 7}}});
  Snapshot snapshot;
  snapshot.instruments.push_back({.instrument = 7, .bid_levels = 90, .ask_levels = 1});
  for (std::int64_t price = 60; price > 0; --price)
    snapshot.orders.push_back(
        {.price = {price}, .displayed = {5}, .leaves = {2}, .instrument = 7, .side = market::Side::buy});
  snapshot.orders.push_back(
      {.price = {61}, .displayed = {5}, .leaves = {2}, .instrument = 7, .side = market::Side::sell});
  picture.apply(Fact{.kind = FactKind::snapshot}, &snapshot);
  picture.settle();
  ClientView view;
  Screen screen;
  const auto frame = view.next_frame(picture);
  ASSERT_TRUE(frame.has_value());
  ASSERT_TRUE(screen.apply(std::as_bytes(std::span(*frame))).has_value());
  EXPECT_EQ(screen.state().ladder.bids.size(), 60U);
  EXPECT_EQ(screen.state().ladder.bid_levels, 90U);
  EXPECT_EQ(screen.state().ladder.asks.size(), 1U);
  EXPECT_EQ(screen.state().ladder.ask_levels, 1U);
  EXPECT_EQ(view.detail(), Detail::ladder);
}

TEST(Frames, tell_only_what_is_new) {
  Picture picture(picture_config());
  picture.settle();
  ClientView view;
  Screen screen;
  ASSERT_TRUE(screen.apply(bytes_of(view.next_frame(picture).value_or(""))));
  EXPECT_TRUE(screen.last().is_snapshot);
  picture.settle();
  EXPECT_FALSE(view.next_frame(picture).has_value());
  picture.apply(Fact::of(FactKind::counter, time::from_nanoseconds(5), CounterFact{.value = 6, .counter = 1}), nullptr);
  picture.settle();
  ASSERT_TRUE(screen.apply(bytes_of(view.next_frame(picture).value_or(""))));
  EXPECT_FALSE(screen.last().is_snapshot);
  EXPECT_EQ(screen.last().number, 2U);
  EXPECT_EQ(screen.state().counters, (std::vector<std::uint64_t>{0, 6}));
}

TEST(Frames, words_that_mean_nothing_are_told_so) {
  Picture picture(picture_config());
  ClientView view;
  for (const char* words : {"", "watch", "watch 8", "watch x", "watch 7 7", "queue B", "queue X 5", "queue B 5x",
                            "show", "show -1", "again now", "hello", "own", "own 2", "own x", "own -1", "own 0 0"})
    EXPECT_FALSE(view.on_words(words, picture).has_value()) << words;
  EXPECT_EQ(view.on_words("watch 8", picture).error(), "there is no instrument 8");
}

}  // namespace
}  // namespace dojima::web
