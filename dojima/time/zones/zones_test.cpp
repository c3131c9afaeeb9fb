// Zones of the system's database: against their laws, and against the C library, which reads the same files.

#include "dojima/time/zones.hpp"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/time/zone_rules_test_support.hpp"

namespace dojima::time {
namespace {

using namespace std::chrono_literals;

TEST(TimeZones, zones_of_the_database_are_what_their_laws_say) {
  for (const ZoneRules& law : {testing::london(), testing::new_york(), testing::lord_howe(), testing::tokyo()}) {
    const Result<ZoneRules> zone = load_zone(law.name());
    ASSERT_TRUE(zone) << law.name();
    EXPECT_EQ(zone->name(), law.name());
    for (const ZoneRules::Change& change : law.changes()) {
      for (const Time time : {change.at - 1ns, change.at}) {
        EXPECT_EQ(zone->offset(time), law.offset(time)) << law.name() << " " << nanoseconds_of(time);
      }
    }
  }
  EXPECT_EQ(load_zone("Asia/Tokyo")->offset(std::chrono::sys_days{std::chrono::year{2026} / 7 / 20}), 9h);
}

TEST(TimeZones, the_last_rule_goes_on_to_the_end_of_2261) {
  const ZoneRules london = load_zone("Europe/London").value();
  EXPECT_EQ(london.changes().back().at, std::chrono::sys_days{std::chrono::year{2261} / 10 / 27} + 1h);
  EXPECT_EQ(london.changes().back().offset, 0h);
}

TEST(TimeZones, an_unknown_name_is_an_error_that_says_what_was_expected) {
  for (const std::string name : {"Nowhere/Atlantis", "", "europe/london", "../../etc/passwd", "Europe/London\n"}) {
    const Result<ZoneRules> zone = load_zone(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_EQ(zone.error().code, ErrorCode::unknown) << name;
    EXPECT_STREQ(zone.error().expected, "the name of a time zone in the IANA database, like Europe/London");
  }
}

std::vector<std::string> all_names() {
  const std::filesystem::path folder = "/usr/share/zoneinfo";
  std::vector<std::string> names;
  for (const char* part :
       {"Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Etc", "Europe", "Pacific"}) {
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder / part)) {
      if (!file.is_directory()) names.push_back(std::filesystem::relative(file.path(), folder).string());
    }
  }
  return names;
}

/// While it lives, the C library's local time is that of a zone.
class CLibraryZone {
 public:
  explicit CLibraryZone(const std::string& name) {
    const char* before = std::getenv("TZ");
    if (before != nullptr) before_ = before;
    had_one_ = before != nullptr;
    setenv("TZ", (":" + name).c_str(), 1);
    tzset();
  }
  ~CLibraryZone() {
    had_one_ ? setenv("TZ", before_.c_str(), 1) : unsetenv("TZ");
    tzset();
  }
  [[nodiscard]] std::chrono::seconds offset(Time time) const {
    const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
    std::tm parts{};
    localtime_r(&seconds, &parts);
    return std::chrono::seconds{parts.tm_gmtoff};
  }

 private:
  std::string before_;
  bool had_one_ = false;
};

TEST(TimeZonesLong, every_zone_has_at_every_change_the_offsets_that_the_c_library_gives) {
  const std::vector<std::string> names = all_names();
  ASSERT_GT(names.size(), 400u);
  for (const std::string& name : names) {
    const Result<ZoneRules> zone = load_zone(name);
    ASSERT_TRUE(zone) << name;
    const CLibraryZone library(name);
    for (const ZoneRules::Change& change : zone->changes()) {
      ASSERT_EQ(zone->offset(change.at - 1s), library.offset(change.at - 1s))
          << name << " " << nanoseconds_of(change.at);
      ASSERT_EQ(change.offset, library.offset(change.at)) << name << " " << nanoseconds_of(change.at);
    }
    // No change is missing: every eleventh day of all years.
    for (Time time = ZoneRules::k_begin; time < ZoneRules::k_end; time += std::chrono::days{11} + 1h)
      ASSERT_EQ(zone->offset(time), library.offset(time)) << name << " " << nanoseconds_of(time);
  }
}

}  // namespace
}  // namespace dojima::time
