#include "dojima/app/fix_settings.hpp"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

TEST(FixSettings, without_hours_a_session_never_ends) {
  const auto schedule = schedule_of({});
  ASSERT_TRUE(schedule);
  EXPECT_FALSE(*schedule);
}

TEST(FixSettings, hours_are_of_every_day_of_some_days_or_of_a_week) {
  const auto daily = schedule_of({.schedule_start = "08:00", .schedule_end = "17:30:15"});
  EXPECT_EQ(daily.value()->session, fix::Hours::daily(8h, 17h + 30min + 15s));
  EXPECT_FALSE(daily.value()->logon);
  const auto some = schedule_of({.schedule_start = "18:00",
                                 .schedule_end = "17:00",
                                 .schedule_days = "Sunday, Monday",
                                 .logon_start = "18:00",
                                 .logon_end = "20:00"});
  EXPECT_EQ(some.value()->session, fix::Hours::on_days({std::chrono::Sunday, std::chrono::Monday}, 18h, 17h));
  EXPECT_EQ(some.value()->logon, fix::Hours::on_days({std::chrono::Sunday, std::chrono::Monday}, 18h, 20h));
  const auto weekly = schedule_of({.schedule_start = "18:00",
                                   .schedule_end = "17:00",
                                   .schedule_start_day = "Sunday",
                                   .schedule_end_day = "Friday",
                                   .time_zone = "America/New_York"});
  EXPECT_EQ(weekly.value()->session, fix::Hours::weekly(std::chrono::Sunday, 18h, std::chrono::Friday, 17h));
  EXPECT_EQ(weekly.value()->zone.name(), "America/New_York");
}

TEST(FixSettings, what_cannot_be_is_refused_with_its_key) {
  const auto key = [](const FixSettings& settings) { return std::string(schedule_of(settings).error().key); };
  EXPECT_EQ(key({.schedule_start = "24:00", .schedule_end = "08:00"}), "schedule_start");
  EXPECT_EQ(key({.schedule_start = "08:00"}), "schedule_end");
  EXPECT_EQ(key({.schedule_start = "08:00", .schedule_end = "09:00:00.5"}), "schedule_end");
  EXPECT_EQ(key({.schedule_start = "08:00", .schedule_end = "09:00", .schedule_days = "monday"}), "schedule_days");
  EXPECT_EQ(key({.schedule_start = "08:00", .schedule_end = "09:00", .schedule_start_day = "Monday"}),
            "schedule_end_day");
  EXPECT_EQ(key({.schedule_start = "08:00", .schedule_end = "09:00", .logon_start = "08:00"}), "logon_end");
  EXPECT_EQ(key({.schedule_start = "08:00", .schedule_end = "09:00", .logon_start = "07:00", .logon_end = "08:30"}),
            "schedule_start");
  EXPECT_EQ(key({.schedule_start = "08:00", .schedule_end = "09:00", .time_zone = "Nowhere"}), "time_zone");
  EXPECT_EQ(key({.schedule_days = "Monday"}), "schedule_days");
}

TEST(FixSettings, a_dictionary_is_read_from_its_file_or_refused_with_the_place) {
  EXPECT_EQ(read_dictionary("").value(), nullptr);
  EXPECT_NE(read_dictionary("/nowhere.xml").error().find("/nowhere.xml: cannot be read"), std::string::npos);
  const std::string path = ::testing::TempDir() + "dojima-fix-settings.xml";
  std::ofstream(path) << "<fix major='4' minor='4'>\n<header>";
  EXPECT_NE(read_dictionary(path).error().find(path + ":"), std::string::npos) << read_dictionary(path).error();
  std::remove(path.c_str());
}

}  // namespace
}  // namespace dojima::app
