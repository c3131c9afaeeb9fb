// Where one day of a group ends and the next one begins, by units of two lines.

#include "dojima/mitch/client/day_border.hpp"

#include <array>
#include <gtest/gtest.h>
#include <optional>

#include "dojima/mitch/codec.hpp"

namespace dojima::mitch {
namespace {

using namespace std::chrono_literals;

constexpr time::Duration k_restart_after = 2s;

time::Time at_ms(std::int64_t milliseconds) {
  return time::Time{} + std::chrono::milliseconds{milliseconds};
}

/// A unit of so many messages from a number on; of none: a heartbeat.
class NumberedUnit {
 public:
  NumberedUnit(std::uint32_t number, int messages) {
    UnitWriter writer(room_, '1');
    writer.begin(number);
    for (int message = 0; message < messages; ++message) EXPECT_TRUE(writer.append(OrderDeleted{.order_id = 1}));
    unit_ = read_unit(writer.finish()).value();
  }
  [[nodiscard]] const Unit& unit() const { return *unit_; }

 private:
  std::array<std::byte, 256> room_{};
  std::optional<Unit> unit_;
};

Bytes end_of_day(std::array<std::byte, 64>& room) {
  return Bytes(room).first(encode(SystemEvent{.event_code = 'C'}, room).value());
}

TEST(DayBorder, numbers_that_stay_behind_for_long_enough_begin_anew) {
  DayBorder day(k_restart_after);
  day.join(at_ms(0));
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(100, 1).unit(), 100, at_ms(10)));
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(5, 1).unit(), 101, at_ms(1000)));
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(5, 1).unit(), 101, at_ms(2009))) << "1,999 ms behind";
  EXPECT_TRUE(day.begins_anew(0, NumberedUnit(5, 1).unit(), 101, at_ms(2010))) << "2,000 ms behind";
}

TEST(DayBorder, a_unit_that_reaches_the_next_number_is_of_the_same_day_however_late) {
  DayBorder day(k_restart_after);
  day.join(at_ms(0));
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(101, 0).unit(), 101, at_ms(60'000)));
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(5, 1).unit(), 101, at_ms(61'999))) << "the heartbeat was fresh";
}

TEST(DayBorder, behind_the_last_message_of_a_day_number_one_begins_the_next_at_once) {
  std::array<std::byte, 64> room{};
  DayBorder day(k_restart_after);
  day.join(at_ms(0));
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(1, 1).unit(), 101, at_ms(10)));
  day.see(end_of_day(room));
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(1, 0).unit(), 101, at_ms(11))) << "a heartbeat begins no day";
  EXPECT_FALSE(day.begins_anew(0, NumberedUnit(2, 1).unit(), 101, at_ms(12)));
  EXPECT_TRUE(day.begins_anew(0, NumberedUnit(1, 1).unit(), 101, at_ms(13)));
}

TEST(DayBorder, what_a_lagging_line_brings_of_the_day_before_is_distinguished_from_the_new_day) {
  std::array<std::byte, 64> room{};
  DayBorder day(k_restart_after);
  day.join(at_ms(0));
  day.see(end_of_day(room));
  ASSERT_TRUE(day.begins_anew(0, NumberedUnit(1, 1).unit(), 101, at_ms(100)));
  day.join(at_ms(100));
  EXPECT_FALSE(day.is_of_day_before(0, NumberedUnit(2, 1).unit(), at_ms(101))) << "the line that brought the new day";
  EXPECT_TRUE(day.is_of_day_before(1, NumberedUnit(99, 2).unit(), at_ms(102))) << "up to the old day's end";
  EXPECT_FALSE(day.is_of_day_before(1, NumberedUnit(1, 1).unit(), at_ms(103))) << "now it is in the new day as well";
  EXPECT_FALSE(day.is_of_day_before(1, NumberedUnit(99, 2).unit(), at_ms(104))) << "and lags no more";
}

TEST(DayBorder, a_line_lags_for_as_long_as_a_restart_takes_and_not_behind_the_old_days_end) {
  std::array<std::byte, 64> room{};
  DayBorder late(k_restart_after), beyond(k_restart_after);
  for (DayBorder* day : {&late, &beyond}) {
    day->join(at_ms(0));
    day->see(end_of_day(room));
    ASSERT_TRUE(day->begins_anew(0, NumberedUnit(1, 1).unit(), 101, at_ms(100)));
  }
  EXPECT_TRUE(late.is_of_day_before(1, NumberedUnit(50, 1).unit(), at_ms(2099)));
  EXPECT_FALSE(late.is_of_day_before(1, NumberedUnit(51, 1).unit(), at_ms(2100)));
  EXPECT_FALSE(beyond.is_of_day_before(1, NumberedUnit(100, 2).unit(), at_ms(101))) << "102 is behind 101";
}

}  // namespace
}  // namespace dojima::mitch
