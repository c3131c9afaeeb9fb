// The transition table of a trading day: every engine in every cell and guard outcome, and what the table proves; and
// what makes a segment.

#include <gtest/gtest.h>

#include "dojima/fsm/agreement.hpp"
#include "dojima/fsm/row_coverage_test.hpp"
#include "dojima/venue/instrument_day_machine.hpp"
#include "dojima/venue/segment_test_support.hpp"

namespace dojima::venue {
namespace {

using DayTable = fsm::Table<InstrumentDay::Machine>;

const auto* const day_coverage =
    ::testing::AddGlobalTestEnvironment(new fsm::test::RowCoverage<InstrumentDay::Machine>);

TEST(InstrumentDay, has_no_dead_rows_no_lost_phases_and_an_answer_to_everything) {
  static_assert(DayTable::unreachable.empty());
  static_assert(DayTable::shadowed.empty());
  static_assert(DayTable::unhandled.empty());
  static_assert(DayTable::guarded_without_else.empty());
  static_assert(DayTable::is_total);
}

TEST(InstrumentDay, does_the_same_on_every_engine) {
  std::size_t cases = 0;
  EXPECT_EQ(fsm::disagreement<InstrumentDay::Machine>(&cases), "");
  EXPECT_GT(cases, 110U);
}

Segment some_segment() {
  return {.name = "FOOD", .timetable = testing::plain_timetable()};
}

TEST(Segment, makes_sense_when_its_times_rise_within_a_day) {
  EXPECT_EQ(complaint(some_segment()), nullptr);
  Segment without_intraday = some_segment();
  without_intraday.timetable.intraday_call = without_intraday.timetable.intraday = {};
  EXPECT_EQ(complaint(without_intraday), nullptr);
}

TEST(Segment, is_refused_when_it_makes_none) {
  using namespace std::chrono_literals;
  const auto refuses = [](auto change) {
    Segment segment = some_segment();
    change(segment);
    return complaint(segment) != nullptr;
  };
  EXPECT_TRUE(refuses([](Segment& segment) { segment.name = ""; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.name = "FOODS"; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.timetable.opening = 7h; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.timetable.intraday = 11h; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.timetable.closing_call = 12h; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.timetable.end_of_day = 25h; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.timetable.start_of_day = -1h; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.timetable.random_end = -1s; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.bands.static_bp = 10'001; }));
  EXPECT_TRUE(refuses([](Segment& segment) { segment.bands.dynamic_bp = 10'001; }));
}

}  // namespace
}  // namespace dojima::venue
