// The days of several instruments together: which command moves which, and what is interrupted.

#include "dojima/venue/partition/trading_days.hpp"

#include <gtest/gtest.h>

#include "dojima/venue/partition/book_reports.hpp"
#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/risk/risk_limits.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;

/// Rice and silk are of one segment, the third instrument of none.
PartitionConfig segmented(bool halts_together) {
  PartitionConfig config = make_config();
  config.instruments.push_back(make_instrument(9, "TEA"));
  config.instruments[0].segment = config.instruments[1].segment = "FOOD";
  config.segments = {{.name = "FOOD",
                      .timetable = {.start_of_day = 7h,
                                    .opening_call = 8h,
                                    .opening = 9h,
                                    .closing_call = 16h,
                                    .closing = 16h,
                                    .cross_end = 16h,
                                    .end_of_day = 17h},
                      .bands = {.dynamic_bp = 100},
                      .halts_together = halts_together}};
  return config;
}

struct DaysOfThree {
  explicit DaysOfThree(bool halts_together = false) : config(segmented(halts_together)) {}
  void apply(DayEvent event, Time now, std::uint32_t instrument = 0) {
    market::DayCommand command;
    command.header.sequence = {++sequence};
    command.header.time = now;
    command.header.instrument = instrument;
    command.midnight = k_start;
    command.event = event;
    reports.begin(command.header.sequence, now);
    days.apply(owners.begin(command));
    reports.finish();
  }

  PartitionConfig config;
  book::OrderTable orders{{.partition = 2, .capacity = 64, .owners = 4}};
  OwnerReports owners{config, orders};
  BookReports reports{16, owners, days, limits};
  Expiries expiries{orders};
  InstrumentBooks books{config, orders, reports, expiries};
  RiskLimits limits{config.users.size(), books, orders};
  TradingDays days{config, books, reports};
  std::uint64_t sequence = 0;
};

TEST(TradingDays, move_the_instruments_of_segments_and_leave_the_others_alone) {
  DaysOfThree all;
  EXPECT_EQ(all.days.find(9), nullptr);
  EXPECT_EQ(all.days.find(99), nullptr);
  EXPECT_TRUE(all.days.is_between_days());
  all.apply(DayEvent::begin, k_start + 7h);
  EXPECT_FALSE(all.days.is_between_days());
  EXPECT_EQ(all.days.steps(), 2u);
  EXPECT_EQ(all.days.due(), k_start + 8h);
  all.apply(DayEvent::due, k_start + 8h, k_rice);
  EXPECT_EQ(all.days.find(k_rice)->phase(), DayPhase::opening_call);
  EXPECT_EQ(all.days.find(k_silk)->phase(), DayPhase::start_of_day);
  EXPECT_EQ(all.books.find(9)->phase(), market::Phase::continuous);
  // Nothing is due yet: nothing moves.
  all.apply(DayEvent::due, k_start + 8h - 1ns);
  EXPECT_EQ(all.days.find(k_silk)->phase(), DayPhase::start_of_day);
}

TEST(TradingDays, interrupt_an_instrument_or_its_segment) {
  for (const bool together : {false, true}) {
    const DaysOfThree all(together);
    const auto command = all.days.interruption({1, DayEvent::beyond_dynamic});
    EXPECT_EQ(command.event, DayEvent::beyond_dynamic);
    EXPECT_EQ(command.header.user, market::k_no_user);
    EXPECT_EQ(command.header.instrument, together ? 0 : k_silk);
    EXPECT_EQ(command.segment.view(), together ? "FOOD" : "");
  }
}

TEST(TradingDays, know_a_broken_band_by_its_instrument) {
  DaysOfThree all;
  all.apply(DayEvent::begin, k_start + 7h);
  for (const auto hour : {8h, 9h}) all.apply(DayEvent::due, k_start + hour);
  ASSERT_EQ(all.days.find(k_silk)->phase(), DayPhase::regular);
  const auto trade = [&all](std::int64_t ticks) {
    all.days.on_trade({.sequence = {++all.sequence}, .price = at(ticks), .instrument = k_silk}, false);
  };
  trade(101);
  EXPECT_FALSE(all.days.is_band_broken());
  trade(110);
  EXPECT_TRUE(all.days.is_band_broken());
  ASSERT_TRUE(all.days.next_broken(0).has_value());
  EXPECT_EQ(all.days.next_broken(0)->at, 1u);
  EXPECT_FALSE(all.days.next_broken(2).has_value());
}

TEST(TradingDaysDeathTest, stop_at_instruments_that_are_not_theirs) {
  DaysOfThree all;
  EXPECT_DEATH((void)all.days.interruption({2, DayEvent::halt}), "only an instrument with a day.* = 2, 3");
  EXPECT_DEATH(all.days.on_trade({.instrument = 99}, false), "reports on its own instrument.* = 99, 0");
}

TEST(BookReportsDeathTest, stop_at_reports_of_another_command) {
  DaysOfThree all;
  market::NewOrder order;
  order.header.sequence = {1};
  all.owners.begin(order);
  all.reports.begin({2}, k_start);
  all.reports.refuse(order, Reason::unknown_user);
  EXPECT_DEATH(all.reports.finish(), "on the command in hand.* = 2, 1, 7");
}

}  // namespace
}  // namespace dojima::venue::testing
