// Whole trading days in virtual time: timetable, random ends, auctions, bands, halts; the commands that make them, the
// facts that are published of them, and that replaying the journal gives the same day again.

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/book/random_flow_test.hpp"
#include "dojima/venue/day_clock.hpp"
#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/segment_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;
using market::AuctionInfo;
using market::AuctionTrade;
using market::DayReason;
using market::SymbolStatus;
using enum market::DayPhase;

/// Rice and salt have the day of FOOD, silk has none. Reference prices are 100 ticks.
PartitionConfig food_config(const Segment& segment = food_segment()) {
  PartitionConfig config = make_config();
  config.instruments.push_back(make_instrument(k_salt, "SALT"));
  config.instruments[0].segment = config.instruments[2].segment = "FOOD";
  config.segments = {segment};
  return config;
}

class Feed final : public FeedSink {
 public:
  void on_status(const SymbolStatus& status) override { statuses.push_back(status); }
  void on_auction_info(const AuctionInfo& info) override { infos.push_back(info); }
  void on_auction_trade(const AuctionTrade& trade) override { trades.push_back(trade); }
  [[nodiscard]] std::vector<DayPhase> phases_of(std::uint32_t instrument) const {
    std::vector<DayPhase> phases;
    for (const SymbolStatus& status : statuses)
      if (status.instrument == instrument) phases.push_back(status.phase);
    return phases;
  }
  std::vector<SymbolStatus> statuses;
  std::vector<AuctionInfo> infos;
  std::vector<AuctionTrade> trades;
};

/// A partition whose clock is virtual.
class Exchange {
 public:
  explicit Exchange(PartitionConfig config = food_config(), std::uint64_t seed = 7)
      : config_(config),
        journal({.keep = journal::Keep::all, .capacity = 1 << 22}),
        partition(std::move(config), journal),
        mirror(partition.instruments(), config_.limits),
        clock(partition, scheduler, seed) {
    partition.observe(&mirror);
    partition.publish(&feed);
    clock.start(k_midnight);
  }

  /// Everything up to that time of the first day, it included.
  void run_until(Duration since_midnight) {
    const Time end = k_midnight + since_midnight;
    for (;;) {
      clock.finish(scheduler.now());
      const Time next = std::min(scheduler.next_due(), end);
      scheduler.check(next, 1000);
      clock.finish(next);
      if (next == end && scheduler.next_due() > end) break;
    }
    EXPECT_EQ(mirror.mismatch(partition), nullptr) << mirror.mismatch(partition);
  }

  template <class Command>
  std::vector<OwnerReport> submit(Command command) {
    EXPECT_TRUE(partition.submit(command.header, scheduler.now()).has_value());
    clock.finish(scheduler.now());
    EXPECT_EQ(mirror.mismatch(partition), nullptr) << mirror.mismatch(partition);
    return read();
  }
  std::vector<OwnerReport> enter(Side side, std::int64_t lots, std::int64_t ticks, std::uint16_t user = 0,
                                 std::uint32_t instrument = k_rice) {
    return submit(make_order({.user = user, .side = side, .lots = lots, .ticks = ticks, .instrument = instrument}));
  }
  /// A trade of one lot at that price.
  void trade(std::int64_t ticks, std::uint32_t instrument = k_rice) {
    static_cast<void>(enter(Side::buy, 1, ticks, 0, instrument));
    static_cast<void>(enter(Side::sell, 1, ticks, 1, instrument));
  }
  std::vector<OwnerReport> operate(DayEvent event, std::uint32_t instrument = k_rice) {
    market::DayCommand command;
    command.header.instrument = instrument;
    command.header.user = market::k_no_user;
    command.event = event;
    return submit(command);
  }
  std::vector<OwnerReport> read() {
    std::vector<OwnerReport> reports;
    for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
         batch = partition.reports().read(cursor, partition.durable()))
      reports.insert(reports.end(), batch.reports.begin(), batch.reports.end());
    return reports;
  }
  [[nodiscard]] DayPhase phase(std::uint32_t instrument = k_rice) const { return partition.day(instrument)->phase(); }
  [[nodiscard]] Duration until() const { return partition.day(k_rice)->until() - k_midnight; }

  /// The journal once more: a partition that only replays.
  void expect_replay_is_the_same() const {
    journal::MemoryJournal other({.keep = journal::Keep::none, .capacity = 1});
    Partition again(config_, other);
    Feed published;
    again.publish(&published);
    journal::MemoryJournal::Cursor at;
    while (const auto record = journal.read(at)) ASSERT_TRUE(again.replay(record->bytes));
    EXPECT_EQ(again.digest(), partition.digest());
    EXPECT_EQ(published.statuses, feed.statuses);
    EXPECT_EQ(published.infos, feed.infos);
    EXPECT_EQ(published.trades, feed.trades);
  }

 private:
  PartitionConfig config_;

 public:
  journal::MemoryJournal journal;
  Partition partition;
  MirrorBook mirror;
  Feed feed;
  sched::Scheduler scheduler{8, k_midnight};
  DayClock clock;
  Cursor cursor;
};

// ---- The timetable ----

TEST(TradingDay, goes_through_its_phases_by_the_timetable) {
  Exchange exchange;
  EXPECT_EQ(exchange.phase(), no_day);
  exchange.run_until(7h);
  EXPECT_EQ(exchange.phase(), start_of_day);
  EXPECT_EQ(exchange.enter(Side::buy, 1, 100).at(0).reason, Reason::book_closed);
  exchange.run_until(8h);
  EXPECT_EQ(exchange.phase(), opening_call);
  exchange.run_until(20h);
  const std::vector<DayPhase> whole{start_of_day, opening_call,        regular,    intraday_call, regular,
                                    closing_call, closing_price_cross, post_close, end_of_day};
  EXPECT_EQ(exchange.feed.phases_of(k_rice), whole);
  EXPECT_EQ(exchange.feed.phases_of(k_salt), whole);
  EXPECT_TRUE(exchange.feed.phases_of(k_silk).empty()) << "an instrument without a timetable";
  EXPECT_EQ(exchange.feed.statuses.front().trading_status, 'w');
  EXPECT_EQ(exchange.feed.statuses.back().trading_status, 'c');
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, shows_a_ticker_its_trades_refusals_and_what_concerns_whole_books) {
  struct Seen final : TickerSink, ReportSink {
    void on_trade(const market::BookReport& report, Time) override { shown.push_back(report); }
    void on_refusal(const market::BookReport& report, std::uint16_t) override { shown.push_back(report); }
    void on_book(const market::BookReport& report, Time) override { shown.push_back(report); }
    void on_reports(std::span<const market::BookReport> reports, Time) override {
      using enum market::BookReportKind;
      for (const market::BookReport& report : reports)
        if (report.kind == traded || report.kind == market::BookReportKind::rejected || report.kind >= phase_changed)
          reported.push_back(report);
    }
    std::vector<market::BookReport> shown, reported;
  } seen;
  Exchange exchange;
  exchange.partition.show(&seen);
  exchange.partition.observe(&seen);
  exchange.run_until(7h);
  exchange.enter(Side::buy, 1, 100);  // refused
  exchange.run_until(8h);
  exchange.enter(Side::buy, 5, 101);
  exchange.enter(Side::sell, 3, 100);  // trade when the call ends
  exchange.run_until(20h);
  EXPECT_EQ(seen.shown, seen.reported);
  using enum market::BookReportKind;
  for (const auto kind : {traded, market::BookReportKind::rejected, phase_changed, uncrossed, indicative})
    EXPECT_TRUE(std::ranges::any_of(seen.shown, [&](const auto& report) { return report.kind == kind; }))
        << static_cast<int>(kind);
}

TEST(TradingDay, begins_anew_every_day_and_draws_other_ends) {
  Segment segment = food_segment();
  segment.timetable.random_end = 30s;
  Exchange exchange(food_config(segment));
  exchange.run_until(9h);
  const Time first = exchange.partition.day(k_rice)->until();
  exchange.run_until(24h + 8h + 30min);
  EXPECT_EQ(exchange.phase(), opening_call);
  EXPECT_NE(exchange.partition.day(k_rice)->until() - first, Duration{24h});
  EXPECT_EQ(exchange.partition.day(k_rice)->until(), exchange.partition.day(k_salt)->until());
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, that_is_joined_late_goes_through_what_is_over_at_once) {
  Exchange exchange;
  exchange.scheduler.check(k_midnight, 1);
  sched::Scheduler late{8, k_midnight + 13h};
  journal::MemoryJournal journal({.keep = journal::Keep::none, .capacity = 1});
  Partition partition(food_config(), journal);
  DayClock clock(partition, late, 7);
  clock.start(k_midnight);
  late.check(late.now(), 100);
  EXPECT_EQ(partition.day(k_rice)->phase(), regular);
  EXPECT_EQ(partition.day(k_rice)->until(), k_midnight + 16h);
}

TEST(TradingDay, ends_its_calls_within_the_random_time_and_by_its_seed) {
  Segment segment = food_segment();
  segment.timetable.random_end = 30s;
  std::vector<Duration> ends;
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1}}) {
    Exchange exchange(food_config(segment), seed);
    exchange.run_until(8h);
    ends.push_back(exchange.until());
    EXPECT_GE(ends.back(), 9h);
    EXPECT_LE(ends.back(), 9h + 30s);
    exchange.run_until(ends.back() - 1ns);
    EXPECT_EQ(exchange.phase(), opening_call);
    exchange.run_until(ends.back());
    EXPECT_EQ(exchange.phase(), regular);
  }
  EXPECT_NE(ends[0], ends[1]);
  EXPECT_EQ(ends[0], ends[2]);
}

TEST(TradingDay, without_an_intraday_auction_has_none) {
  Segment segment = food_segment();
  segment.timetable.intraday_call = segment.timetable.intraday = {};
  Exchange exchange(food_config(segment));
  exchange.run_until(15h);
  EXPECT_EQ(exchange.feed.phases_of(k_rice), (std::vector{start_of_day, opening_call, regular}));
}

// ---- Auctions ----

TEST(TradingDay, opens_with_an_uncross_and_publishes_the_indicative_price_before) {
  Exchange exchange;
  exchange.run_until(8h);
  EXPECT_EQ(kinds_of(exchange.enter(Side::buy, 10, 103)), std::vector{OwnerReportKind::accepted});
  EXPECT_EQ(kinds_of(exchange.enter(Side::sell, 6, 101, 1)), std::vector{OwnerReportKind::accepted});
  ASSERT_FALSE(exchange.feed.infos.empty());
  const AuctionInfo& info = exchange.feed.infos.back();
  EXPECT_EQ(info.quantity.lots, 6);
  EXPECT_EQ(info.imbalance.lots, 4);
  EXPECT_EQ(info.imbalance_side, Side::buy);
  EXPECT_EQ(info.auction_type, 'O');
  EXPECT_TRUE(exchange.feed.trades.empty());
  exchange.run_until(9h);
  const auto reports = exchange.read();
  ASSERT_EQ(kinds_of(reports), (std::vector{OwnerReportKind::traded, OwnerReportKind::traded}));
  EXPECT_EQ(reports[0].liquidity, 'C');
  EXPECT_EQ(reports[0].side, Side::buy);
  EXPECT_EQ(reports[0].leaves.lots, 4);
  EXPECT_EQ(reports[0].status, OrderStatus::partially_filled);
  EXPECT_EQ(reports[1].leaves.lots, 0);
  EXPECT_EQ(reports[1].status, OrderStatus::filled);
  EXPECT_EQ(reports[0].trade, reports[1].trade);
  ASSERT_EQ(exchange.feed.trades.size(), 1u);
  EXPECT_EQ(exchange.feed.trades[0].price, info.price);
  EXPECT_EQ(exchange.feed.trades[0].quantity.lots, 6);
  EXPECT_EQ(exchange.feed.trades[0].trade, reports[0].trade);
  EXPECT_EQ(exchange.feed.trades[0].auction_type, 'O');
  EXPECT_EQ(exchange.feed.statuses.back().phase, regular) << "behind the trade that opened it";
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, extends_a_call_whose_price_lies_outside_the_static_band) {
  Exchange exchange;
  exchange.run_until(8h);
  static_cast<void>(exchange.enter(Side::buy, 10, 120));
  static_cast<void>(exchange.enter(Side::sell, 10, 118, 1));
  exchange.run_until(9h);
  EXPECT_EQ(exchange.phase(), opening_extension);
  EXPECT_EQ(exchange.until(), 9h + 2min);
  EXPECT_EQ(exchange.phase(k_salt), regular) << "nothing is wrong with the other one";
  EXPECT_EQ(exchange.feed.statuses[exchange.feed.statuses.size() - 2].reason, DayReason::extended);
  exchange.run_until(9h + 2min);
  EXPECT_EQ(exchange.until(), 9h + 4min) << "a second time";
  exchange.run_until(9h + 4min);
  EXPECT_EQ(exchange.phase(), regular) << "but no oftener: then it trades where it trades";
  ASSERT_EQ(exchange.feed.trades.size(), 1u);
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, extends_no_call_whose_price_has_come_back) {
  for (const Duration call : {Duration{8h}, Duration{12h}, Duration{16h}}) {
    Exchange exchange;
    exchange.run_until(call);
    static_cast<void>(exchange.enter(Side::buy, 10, 120));
    static_cast<void>(exchange.enter(Side::sell, 10, 118, 1));
    exchange.run_until(exchange.until());
    const DayPhase extended = exchange.phase();
    EXPECT_TRUE(extended == opening_extension || extended == intraday_extension || extended == closing_extension);
    exchange.run_until(exchange.until() - 1s);
    static_cast<void>(exchange.enter(Side::sell, 20, 101, 1));
    exchange.run_until(exchange.until());
    EXPECT_NE(exchange.phase(), extended);
    exchange.run_until(20h);
    exchange.expect_replay_is_the_same();
  }
}

TEST(TradingDay, extends_intraday_and_closing_calls_as_often_as_the_opening) {
  for (const Duration call : {Duration{12h}, Duration{16h}}) {
    Exchange exchange;
    exchange.run_until(call);
    static_cast<void>(exchange.enter(Side::buy, 10, 120));
    static_cast<void>(exchange.enter(Side::sell, 10, 118, 1));
    exchange.run_until(call + 5min);
    exchange.run_until(call + 7min);
    EXPECT_EQ(exchange.until(), call + 9min);
    exchange.run_until(call + 9min);
    EXPECT_EQ(exchange.phase(), call == Duration{12h} ? regular : closing_price_cross);
  }
}

TEST(TradingDay, trades_at_the_closing_price_behind_the_closing_auction_and_ends_day_orders) {
  Exchange exchange;
  exchange.run_until(16h);
  static_cast<void>(exchange.enter(Side::buy, 10, 102));
  static_cast<void>(exchange.enter(Side::sell, 4, 102, 1));
  exchange.run_until(16h + 5min);
  EXPECT_EQ(exchange.phase(), closing_price_cross);
  static_cast<void>(exchange.read());
  const auto crossed = exchange.enter(Side::sell, 5, 90, 1);
  ASSERT_EQ(kinds_of(crossed),
            (std::vector{OwnerReportKind::accepted, OwnerReportKind::traded, OwnerReportKind::traded}));
  EXPECT_EQ(crossed[1].price, at(102)) << "not at 90";
  exchange.run_until(16h + 30min);
  EXPECT_EQ(exchange.phase(), post_close);
  EXPECT_EQ(exchange.enter(Side::buy, 1, 100).at(0).reason, Reason::book_closed);
  exchange.run_until(17h);
  const auto ended = exchange.read();
  ASSERT_EQ(kinds_of(ended), std::vector{OwnerReportKind::expired});
  EXPECT_EQ(ended[0].reason, Reason::time_expired);
  EXPECT_EQ(exchange.partition.live_orders(), 0u);
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, keeps_who_asked_for_nothing_out_of_what_the_end_of_a_call_changes) {
  Exchange exchange;
  exchange.run_until(8h);
  market::NewOrder order = make_order({.user = 0, .side = Side::buy, .lots = 10, .ticks = 0, .id = "to-limit"});
  order.terms.type = market::OrderType::market_to_limit;
  order.terms.limit = {};
  static_cast<void>(exchange.submit(order));
  static_cast<void>(exchange.enter(Side::sell, 4, 101, 1));
  exchange.run_until(9h);
  EXPECT_EQ(kinds_of(exchange.read()), (std::vector{OwnerReportKind::traded, OwnerReportKind::traded}));
  // It rests at its limit under its own name.
  const auto cancelled = exchange.submit(make_cancel({.user = 0, .side = Side::buy, .original = "to-limit"}));
  ASSERT_EQ(kinds_of(cancelled), std::vector{OwnerReportKind::cancelled});
  EXPECT_EQ(exchange.partition.totals(0).cancelled, 6u);
  EXPECT_EQ(exchange.partition.totals(0).submitted, 10u);
  exchange.expect_replay_is_the_same();
}

// ---- Bands ----

TEST(TradingDay, calls_an_auction_before_an_order_that_would_trade_beyond_the_dynamic_band) {
  Exchange exchange;
  exchange.run_until(9h);
  static_cast<void>(exchange.enter(Side::sell, 5, 102));
  static_cast<void>(exchange.enter(Side::sell, 5, 105));
  const std::uint64_t before = exchange.partition.last_command().value;
  const auto reports = exchange.enter(Side::buy, 8, 110, 1);
  EXPECT_EQ(kinds_of(reports), std::vector{OwnerReportKind::accepted}) << "it waits for the auction";
  EXPECT_EQ(exchange.partition.last_command().value, before + 2) << "the phase is a command of its own";
  EXPECT_EQ(exchange.phase(), reopening_call);
  EXPECT_EQ(exchange.feed.statuses.back().reason, DayReason::price_outside_range);
  EXPECT_EQ(exchange.feed.statuses.back().trading_status, 'e');
  EXPECT_EQ(exchange.phase(k_salt), regular);
  exchange.run_until(9h + 4min);
  EXPECT_EQ(exchange.phase(), regular);
  ASSERT_EQ(exchange.feed.trades.size(), 1u);
  EXPECT_EQ(exchange.feed.trades[0].quantity.lots, 8);
  EXPECT_EQ(exchange.feed.trades[0].auction_type, 'A');
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, lets_an_order_trade_that_stays_within_the_bands) {
  Exchange exchange;
  exchange.run_until(9h);
  static_cast<void>(exchange.enter(Side::sell, 5, 102));
  static_cast<void>(exchange.enter(Side::sell, 5, 105));
  EXPECT_EQ(exchange.enter(Side::buy, 5, 110, 1).size(), 3u) << "all of it at 102";
  EXPECT_EQ(exchange.phase(), regular);
}

TEST(TradingDay, gives_the_bands_within_which_orders_trade) {
  for (const std::int64_t ticks : {103, 104}) {  // 300 bp around 100 of the reference
    SCOPED_TRACE(ticks);
    Exchange exchange;
    exchange.run_until(9h);
    const InstrumentDay& day = *exchange.partition.day(k_rice);
    const auto fixed = day.static_band();
    ASSERT_TRUE(fixed.has_value());
    ASSERT_TRUE(day.dynamic_band().has_value());
    const std::int64_t reference = (fixed->low.units + fixed->high.units) / 2;
    EXPECT_EQ(fixed->high.units - reference, reference / 10) << "1000 bp";
    EXPECT_EQ(day.dynamic_band()->high.units - reference, reference * 3 / 100);
    const std::int64_t tick = reference / 100;
    static_cast<void>(exchange.enter(Side::sell, 5, ticks));
    static_cast<void>(exchange.enter(Side::buy, 5, ticks, 1));
    const bool is_within = ticks * tick <= reference + reference * 3 / 100;
    EXPECT_EQ(exchange.phase(), is_within ? regular : reopening_call);
    if (is_within) {
      EXPECT_EQ(day.dynamic_band()->low.units, ticks * tick - ticks * tick * 3 / 100) << "around the last trade";
      EXPECT_EQ(*day.static_band(), *fixed) << "around the last auction";
    }
  }
}

TEST(TradingDay, interrupts_nothing_for_an_order_that_is_refused) {
  Exchange exchange;
  exchange.run_until(9h);
  static_cast<void>(exchange.enter(Side::sell, 5, 120));
  EXPECT_EQ(exchange.enter(Side::buy, 2'000'000, 150, 1).at(0).kind, OwnerReportKind::rejected);
  EXPECT_EQ(exchange.enter(Side::buy, 1, 150, 99).at(0).reason, Reason::unknown_user);
  market::NewOrder pegged = make_order({.user = 1, .side = Side::buy, .lots = 1, .ticks = 150});
  pegged.terms.sub_type = market::OrderSubType::pegged;
  static_cast<void>(exchange.submit(pegged));
  EXPECT_EQ(exchange.phase(), regular);
}

TEST(TradingDay, halts_beyond_the_static_band_then_calls_a_reopening_auction) {
  Exchange exchange;
  exchange.run_until(9h);
  static_cast<void>(exchange.enter(Side::sell, 5, 115));
  static_cast<void>(exchange.submit([] {
    market::NewOrder order = make_order({.user = 1, .side = Side::buy, .lots = 5, .ticks = 0});
    order.terms.type = market::OrderType::market;
    order.terms.limit = {};
    return order;
  }()));
  EXPECT_EQ(exchange.phase(), volatility_halt);
  EXPECT_EQ(exchange.until(), 9h + 3min);
  EXPECT_EQ(exchange.enter(Side::buy, 1, 100).at(0).reason, Reason::book_closed);
  EXPECT_EQ(exchange.feed.statuses.back().trading_status, 'H');
  exchange.run_until(9h + 3min);
  EXPECT_EQ(exchange.phase(), reopening_call);
  EXPECT_EQ(exchange.feed.statuses.back().trading_status, 'f');
  exchange.run_until(9h + 7min);
  EXPECT_EQ(exchange.phase(), regular);
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, follows_trades_that_nobody_could_foresee) {
  Exchange exchange;
  exchange.run_until(9h);
  // A stop order that a trade within the bands wakes trades far away.
  market::NewOrder stop = make_order({.user = 0, .side = Side::buy, .lots = 5, .ticks = 0});
  stop.terms.type = market::OrderType::stop;
  stop.terms.limit = {};
  stop.terms.stop = at(101);
  static_cast<void>(exchange.submit(stop));
  static_cast<void>(exchange.enter(Side::sell, 1, 101, 1));
  static_cast<void>(exchange.enter(Side::sell, 5, 106, 1));
  const auto reports = exchange.enter(Side::buy, 1, 101, 2);
  EXPECT_EQ(reports.size(), 5u) << "accepted, and two trades";
  EXPECT_EQ(exchange.phase(), reopening_call) << "behind the trade that broke the band";
  static_cast<void>(exchange.operate(DayEvent::halt));
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, measures_the_dynamic_band_from_the_last_trade_and_the_static_from_the_last_auction) {
  Exchange exchange;
  exchange.run_until(9h);
  for (const std::int64_t ticks : {102, 104, 106, 108, 110}) exchange.trade(ticks);
  EXPECT_EQ(exchange.phase(), regular) << "step by step";
  exchange.trade(111);
  EXPECT_EQ(exchange.phase(), volatility_halt) << "too far from 100";
}

TEST(TradingDay, interrupts_a_segment_that_halts_together) {
  Segment segment = food_segment();
  segment.halts_together = true;
  Exchange exchange(food_config(segment));
  exchange.run_until(9h);
  exchange.trade(104);
  EXPECT_EQ(exchange.phase(k_rice), reopening_call);
  EXPECT_EQ(exchange.phase(k_salt), reopening_call);
  EXPECT_EQ(exchange.enter(Side::buy, 1, 100, 0, k_silk).at(0).kind, OwnerReportKind::accepted);
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, extends_a_reopening_call_and_lets_it_go_on_as_the_closing_call) {
  Exchange exchange;
  exchange.run_until(15h + 55min);
  exchange.trade(104);
  EXPECT_EQ(exchange.phase(), reopening_call);
  static_cast<void>(exchange.enter(Side::buy, 10, 130));
  static_cast<void>(exchange.enter(Side::sell, 10, 128, 1));
  exchange.run_until(15h + 59min);
  EXPECT_EQ(exchange.phase(), reopening_extension);
  exchange.run_until(16h + 1min);
  EXPECT_EQ(exchange.phase(), closing_call);
  EXPECT_TRUE(exchange.feed.trades.empty()) << "no uncross of its own";
  EXPECT_EQ(exchange.until(), 16h + 5min);
  exchange.run_until(20h);
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, extends_a_reopening_call_as_often_as_others) {
  Exchange exchange;
  exchange.run_until(10h);
  exchange.trade(104);
  static_cast<void>(exchange.enter(Side::buy, 10, 130));
  static_cast<void>(exchange.enter(Side::sell, 10, 128, 1));
  exchange.run_until(10h + 4min);
  exchange.run_until(10h + 6min);
  EXPECT_EQ(exchange.phase(), reopening_extension);
  exchange.run_until(10h + 8min);
  EXPECT_EQ(exchange.phase(), regular);
}

TEST(TradingDay, leaves_an_intraday_auction_out_whose_time_passed_in_an_interruption) {
  Exchange exchange;
  exchange.run_until(11h + 59min);
  exchange.trade(115);
  exchange.run_until(12h + 6min);
  EXPECT_EQ(exchange.phase(), regular);
  EXPECT_EQ(exchange.until(), 16h);
}

// ---- The operator ----

TEST(TradingDay, is_halted_and_resumed_by_the_operator) {
  Exchange exchange;
  exchange.run_until(10h);
  static_cast<void>(exchange.operate(DayEvent::halt));
  EXPECT_EQ(exchange.phase(), halted);
  EXPECT_EQ(exchange.feed.statuses.back().reason, DayReason::manual);
  exchange.run_until(11h);
  EXPECT_EQ(exchange.phase(), halted) << "nothing ends it by itself";
  static_cast<void>(exchange.operate(DayEvent::resume));
  EXPECT_EQ(exchange.phase(), reopening_call);
  exchange.run_until(11h + 4min);
  EXPECT_EQ(exchange.phase(), regular);
  static_cast<void>(exchange.operate(DayEvent::halt));
  exchange.run_until(16h + 30min);
  static_cast<void>(exchange.operate(DayEvent::resume));
  EXPECT_EQ(exchange.phase(), closing_call) << "late";
  exchange.expect_replay_is_the_same();
}

TEST(TradingDay, halted_to_its_end_ends) {
  Exchange exchange;
  exchange.run_until(8h);
  static_cast<void>(exchange.enter(Side::buy, 1, 100));
  static_cast<void>(exchange.operate(DayEvent::halt));
  EXPECT_EQ(exchange.phase(), halted) << "calls can be halted too";
  exchange.run_until(18h);
  EXPECT_EQ(exchange.phase(), end_of_day);
  EXPECT_EQ(exchange.partition.live_orders(), 0u);
  static_cast<void>(exchange.operate(DayEvent::resume));
  EXPECT_EQ(exchange.phase(), end_of_day) << "there is nothing to resume";
}

TEST(TradingDay, lets_the_operator_set_phases_where_no_timetable_leads) {
  Exchange exchange;
  exchange.run_until(9h);
  market::PhaseChange change;
  change.phase = market::Phase::halted;
  static_cast<void>(exchange.submit(change));
  EXPECT_EQ(exchange.enter(Side::buy, 1, 100, 0, k_silk).at(0).reason, Reason::book_closed);
  EXPECT_EQ(exchange.enter(Side::buy, 1, 100, 0, k_rice).at(0).kind, OwnerReportKind::accepted);
}

// ---- Trouble ----

TEST(TradingDay, refuses_a_configuration_that_makes_no_sense) {
  Segment segment = food_segment();
  segment.timetable.opening = 7h;
  journal::MemoryJournal journal({});
  EXPECT_THROW(Partition(food_config(segment), journal), std::invalid_argument);
}

/// Full when the test says so.
class FullJournal final : public journal::Journal {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override { return room == 0 ? Room{} : Room{bytes_, size}; }
  journal::Sequence commit(std::size_t) override { return --room, ++last_.value, last_; }
  [[nodiscard]] journal::Sequence last() const override { return last_; }
  [[nodiscard]] journal::Sequence durable() const override { return last_; }
  std::size_t room = 1'000'000;

 private:
  alignas(8) std::byte bytes_[4096] = {};
  journal::Sequence last_;
};

TEST(TradingDay, waits_for_a_full_journal_with_its_phases) {
  FullJournal journal;
  Partition partition(food_config(), journal);
  sched::Scheduler scheduler{8, k_midnight};
  DayClock clock(partition, scheduler, 1);
  clock.start(k_midnight);
  journal.room = 0;
  scheduler.check(k_midnight + 7h, 10);
  EXPECT_EQ(partition.day(k_rice)->phase(), no_day);
  clock.finish(k_midnight + 7h);
  EXPECT_EQ(partition.day(k_rice)->phase(), no_day);
  journal.room = 1000;
  clock.finish(k_midnight + 7h);
  EXPECT_EQ(partition.day(k_rice)->phase(), start_of_day);
  scheduler.check(k_midnight + 9h, 10);
  EXPECT_EQ(partition.day(k_rice)->phase(), regular);

  const auto enter = [&](Side side, std::int64_t ticks, std::int64_t lots) {
    market::NewOrder order = make_order({.user = 1, .side = side, .lots = lots, .ticks = ticks});
    return partition.submit(order.header, k_midnight + 9h).has_value();
  };
  // Of the two commands that such an order makes, the first has no room: nothing happens.
  EXPECT_TRUE(enter(Side::sell, 105, 1));
  journal.room = 0;
  EXPECT_FALSE(enter(Side::buy, 105, 1));
  EXPECT_EQ(partition.day(k_rice)->phase(), regular);
  // The first has room and the second has not: the phase has changed, and the order can come again.
  journal.room = 1;
  EXPECT_FALSE(enter(Side::buy, 105, 1));
  EXPECT_EQ(partition.day(k_rice)->phase(), reopening_call);
  journal.room = 1000;
  EXPECT_TRUE(enter(Side::buy, 105, 1));
}

TEST(TradingDay, interrupts_late_when_the_journal_was_full) {
  FullJournal journal;
  Partition partition(food_config(), journal);
  sched::Scheduler scheduler{8, k_midnight};
  DayClock clock(partition, scheduler, 1);
  clock.start(k_midnight);
  scheduler.check(k_midnight + 9h, 10);
  const auto enter = [&](market::NewOrder order) {
    ASSERT_TRUE(partition.submit(order.header, k_midnight + 9h).has_value());
  };
  market::NewOrder stop = make_order({.user = 0, .side = Side::buy, .lots = 5, .ticks = 0});
  stop.terms.type = market::OrderType::stop;
  stop.terms.limit = {};
  stop.terms.stop = at(101);
  enter(stop);
  enter(make_order({.user = 1, .side = Side::sell, .lots = 1, .ticks = 101}));
  enter(make_order({.user = 1, .side = Side::sell, .lots = 5, .ticks = 106}));
  journal.room = 1;
  enter(make_order({.user = 2, .side = Side::buy, .lots = 1, .ticks = 101}));
  EXPECT_EQ(partition.day(k_rice)->phase(), regular) << "no room for the phase";
  journal.room = 1000;
  enter(make_order({.user = 2, .side = Side::buy, .lots = 1, .ticks = 90}));
  EXPECT_EQ(partition.day(k_rice)->phase(), reopening_call) << "behind the next command";
}

TEST(TradingDay, goes_on_where_it_was_when_its_venue_was_recovered) {
  Segment segment = food_segment();
  segment.timetable.random_end = 30s;
  Exchange exchange(food_config(segment));
  exchange.run_until(8h + 30min);
  static_cast<void>(exchange.enter(Side::buy, 10, 103));
  static_cast<void>(exchange.enter(Side::sell, 6, 101, 1));
  journal::MemoryJournal kept({.keep = journal::Keep::none, .capacity = 1});
  Partition recovered(food_config(segment), kept);
  journal::MemoryJournal::Cursor at;
  while (const auto record = exchange.journal.read(at)) {
    // A journal that is recovered holds what was replayed.
    ASSERT_FALSE(kept.prepare(record->bytes.size()).empty());
    static_cast<void>(kept.commit(record->bytes.size()));
    ASSERT_TRUE(recovered.replay(record->bytes));
  }
  sched::Scheduler scheduler{8, k_midnight + 8h + 40min};
  DayClock clock(recovered, scheduler, 7);
  clock.start(k_midnight);
  exchange.run_until(24h + 12h);
  while (scheduler.next_due() <= k_midnight + 24h + 12h) scheduler.check(scheduler.next_due(), 10);
  EXPECT_EQ(recovered.last_command(), exchange.partition.last_command());
  EXPECT_EQ(recovered.digest(), exchange.partition.digest()) << "the second day included";
}

// ---- Whole random days ----

TEST(TradingDay, replays_random_days_to_the_same_bytes_without_losing_a_lot) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Segment segment = food_segment();
    segment.timetable.random_end = 20s;
    segment.halts_together = seed % 3 == 0;
    PartitionConfig config = food_config(segment);
    config.limits.orders = 400;
    config.limits.levels = 200;
    for (market::Instrument& instrument : config.instruments) instrument.reference = at(500);
    Exchange exchange(config, seed);
    book::testing::RandomFlow flow(seed, book::testing::Mix::all);
    book::testing::Random random(seed);
    for (Duration now = 7h; now < 17h + 30min; now += Duration{1min} + Duration{random.below(1'000'000'000)}) {
      exchange.run_until(now);
      if (random.chance(1)) static_cast<void>(exchange.operate(DayEvent::halt));
      if (random.chance(3)) static_cast<void>(exchange.operate(DayEvent::resume));
      for (std::int64_t count = random.below(5); count > 0; --count) {
        auto command = flow.next();
        auto* order = std::get_if<market::NewOrder>(&command);
        if (order == nullptr) continue;
        order->header.instrument = random.chance(50) ? k_rice : k_salt;
        order->linked = {};
        static_cast<void>(exchange.submit(*order));
      }
    }
    exchange.run_until(24h);
    for (std::uint16_t user = 0; user < 4; ++user) {
      const UserTotals& totals = exchange.partition.totals(user);
      std::uint64_t resting = 0;
      for (const std::uint32_t instrument : {k_rice, k_salt})
        for (const Side side : {Side::buy, Side::sell})
          exchange.partition.book(instrument)->each_resting(side, [&](const book::RestingOrder& order) {
            if (order.owner == user) resting += static_cast<std::uint64_t>(order.leaves.lots);
          });
      // Stop orders rest outside the book; a day's are gone by now, good-till-cancel ones are not counted here.
      EXPECT_LE(totals.bought + totals.sold + resting + totals.cancelled + totals.expired, totals.submitted);
    }
    exchange.expect_replay_is_the_same();
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(TradingDay, allocates_nothing_once_it_runs) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "skipped: this build does not count allocations";
  journal::MemoryJournal journal({.keep = journal::Keep::none, .capacity = 1});
  Partition partition(food_config(), journal);
  sched::Scheduler scheduler{8, k_midnight};
  DayClock clock(partition, scheduler, 1);
  clock.start(k_midnight);
  scheduler.check(k_midnight + 24h, 100);  // the first call takes memory for its levels
  market::NewOrder bid = make_order({.user = 0, .side = Side::buy, .lots = 5, .ticks = 101});
  market::NewOrder ask = make_order({.user = 1, .side = Side::sell, .lots = 5, .ticks = 99});
  const std::uint64_t before = heap_allocations();
  scheduler.check(k_midnight + 24h + 8h, 100);
  ASSERT_TRUE(partition.submit(bid.header, scheduler.now()).has_value());
  ASSERT_TRUE(partition.submit(ask.header, scheduler.now()).has_value());
  scheduler.check(k_midnight + 48h, 100);
  EXPECT_EQ(heap_allocations(), before);
  EXPECT_EQ(partition.totals(0).bought, 5u);
}

}  // namespace
}  // namespace dojima::venue::testing
