// dojima-bench-time: timestamps written and read, days and dates turned into each other, and clocks asked, beside the
// ways that the library and others offer.

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fmt/compile.h>
#include <memory>
#include <string>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/harness/bench_harness.hpp"
#include "dojima/time/calendar.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace {

using namespace dojima;
using namespace std::chrono;

constexpr std::size_t k_inputs = 4096;

/// Times of one day, or of 130 years.
std::vector<time::Time> times_of(const harness::BenchCase& of) {
  SplitMix64 random(of.seed());
  const bool is_day = of.text("times") == "one day";
  constexpr std::int64_t k_day = 86'400'000'000'000;
  std::vector<time::Time> times;
  for (std::size_t i = 0; i < k_inputs; ++i) {
    const std::uint64_t span = is_day ? k_day : std::uint64_t{47'000} * k_day;
    times.push_back(time::from_nanoseconds((is_day ? 1'784'505'600'000'000'000 : 0) +
                                           static_cast<std::int64_t>(random.below(span))));
  }
  return times;
}

std::uint64_t digest_of(std::uint64_t digest, std::string_view text) {
  std::uint64_t word = 0;
  std::memcpy(&word, text.data() + text.size() - 8, 8);
  return (digest ^ word) * 1099511628211u + text.size();
}

template <class Write>
harness::BenchCompetitor writing(const char* name, Write write) {
  return {name, [write](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            return harness::competitor([write, times = times_of(of)] {
              char text[64];
              std::uint64_t digest = 0;
              for (const time::Time time : times) digest = digest_of(digest, write(time, text));
              return harness::Operations{}.add("", times.size()).digest(digest);
            });
          }};
}

struct Parts {
  year_month_day date;
  hh_mm_ss<nanoseconds> clock;
};

Parts parts_of(time::Time time) {
  const auto day = floor<days>(time);
  return {year_month_day{day}, hh_mm_ss<nanoseconds>{time - day}};
}

std::string_view write_fmt(time::Time time, char* text) {
  const Parts parts = parts_of(time);
  const char* end = fmt::format_to(
      text, FMT_COMPILE("{:04}{:02}{:02}-{:02}:{:02}:{:02}.{:09}"), static_cast<int>(parts.date.year()),
      static_cast<unsigned>(parts.date.month()), static_cast<unsigned>(parts.date.day()), parts.clock.hours().count(),
      parts.clock.minutes().count(), parts.clock.seconds().count(), parts.clock.subseconds().count());
  return {text, static_cast<std::size_t>(end - text)};
}

std::string_view write_strftime(time::Time time, char* text) {
  const std::int64_t nanoseconds = time::nanoseconds_of(time);
  const std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  const std::size_t size = std::strftime(text, 32, "%Y%m%d-%H:%M:%S", &parts);
  const int more = std::snprintf(text + size, 16, ".%09d", static_cast<int>(nanoseconds % 1'000'000'000));
  return {text, size + static_cast<std::size_t>(more)};
}

const std::vector<harness::BenchParameter> k_times{{"times", {"one day", "130 years"}}};

harness::BenchTable format_table() {
  harness::BenchTable table{.name = "format", .title = "a UTCTimestamp with nine decimals, 27 characters: 4,096 times"};
  table.parameters = k_times;
  table.competitors = {writing("format_timestamp",
                               [](time::Time time, char* text) { return time::format_timestamp(time, 9, {text, 64}); }),
                       writing("{fmt} compiled", write_fmt), writing("strftime and snprintf", write_strftime)};
  table.baseline = "{fmt} compiled";
  table.targets = {{"format_timestamp", "{fmt} compiled", 1.0 / 5},
                   {"format_timestamp", "strftime and snprintf", 1.0 / 7}};
  table.operation = "timestamp";
  return table;
}

/// Fields by from_chars, without any check of what they say.
time::Time read_from_chars(std::string_view text) {
  const auto number = [text](std::size_t at, std::size_t size) {
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + size, value);
    return value;
  };
  const sys_days day = year{number(0, 4)} / month{static_cast<unsigned>(number(4, 2))} /
                       std::chrono::day{static_cast<unsigned>(number(6, 2))};
  return day + hours{number(9, 2)} + minutes{number(12, 2)} + seconds{number(15, 2)} + nanoseconds{number(18, 9)};
}

time::Time read_strptime(std::string_view text) {
  std::tm parts{};
  const char* rest = strptime(text.data(), "%Y%m%d-%H:%M:%S", &parts);
  const long fraction = std::strtol(rest + 1, nullptr, 10);
  return time::from_nanoseconds(timegm(&parts) * 1'000'000'000 + fraction);
}

template <class Read>
harness::BenchCompetitor reading(const char* name, Read read) {
  return {name, [read](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            std::vector<std::string> texts;
            char text[time::k_timestamp_max];
            for (const time::Time time : times_of(of)) texts.emplace_back(time::format_timestamp(time, 9, text));
            return harness::competitor([read, texts = std::move(texts)] {
              std::uint64_t digest = 0;
              for (const std::string& one : texts)
                digest = digest * 31 + static_cast<std::uint64_t>(time::nanoseconds_of(read(one)));
              return harness::Operations{}.add("", texts.size()).digest(digest);
            });
          }};
}

harness::BenchTable parse_table() {
  harness::BenchTable table{.name = "parse", .title = "a UTCTimestamp with nine decimals read: 4,096 texts"};
  table.parameters = k_times;
  table.competitors = {reading("parse_timestamp", [](std::string_view text) { return *time::parse_timestamp(text); }),
                       reading("from_chars, unchecked", read_from_chars),
                       reading("strptime and timegm", read_strptime)};
  table.baseline = "from_chars, unchecked";
  table.targets = {{"parse_timestamp", "from_chars, unchecked", 1.0 / 2},
                   {"parse_timestamp", "strptime and timegm", 1.0 / 9}};
  table.operation = "timestamp";
  table.notes = {"parse_timestamp checks digits, marks, ranges and the calendar; from_chars here checks nothing"};
  return table;
}

/// H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
time::Date hinnant_date(std::int32_t z) noexcept {
  z += 719'468;
  const std::int32_t era = (z >= 0 ? z : z - 146'096) / 146'097;
  const auto doe = static_cast<std::uint32_t>(z - era * 146'097);
  const std::uint32_t yoe = (doe - doe / 1460 + doe / 36'524 - doe / 146'096) / 365;
  const std::int32_t y = static_cast<std::int32_t>(yoe) + era * 400;
  const std::uint32_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::uint32_t mp = (5 * doy + 2) / 153;
  const std::uint32_t d = doy - (153 * mp + 2) / 5 + 1;
  const std::uint32_t m = mp < 10 ? mp + 3 : mp - 9;
  return {y + (m <= 2 ? 1 : 0), static_cast<std::uint8_t>(m), static_cast<std::uint8_t>(d)};
}

std::int32_t hinnant_days(time::Date date) noexcept {
  const std::int32_t y = date.year - (date.month <= 2 ? 1 : 0);
  const std::int32_t era = (y >= 0 ? y : y - 399) / 400;
  const auto yoe = static_cast<std::uint32_t>(y - era * 400);
  const std::uint32_t doy = (153 * (date.month + (date.month > 2 ? -3u : 9u)) + 2) / 5 + date.day - 1;
  const std::uint32_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146'097 + static_cast<std::int32_t>(doe) - 719'468;
}

struct ByOurs {
  static time::Date date(std::int32_t day) noexcept { return time::date_of(day); }
  static std::int32_t days(time::Date date) noexcept { return time::days_of(date); }
};
struct ByChrono {
  static time::Date date(std::int32_t day) noexcept {
    const year_month_day date{sys_days{std::chrono::days{day}}};
    return {static_cast<int>(date.year()), static_cast<std::uint8_t>(static_cast<unsigned>(date.month())),
            static_cast<std::uint8_t>(static_cast<unsigned>(date.day()))};
  }
  static std::int32_t days(time::Date date) noexcept {
    return static_cast<std::int32_t>(
        sys_days{year{date.year} / month{date.month} / day{date.day}}.time_since_epoch().count());
  }
};
struct ByHinnant {
  static time::Date date(std::int32_t day) noexcept { return hinnant_date(day); }
  static std::int32_t days(time::Date date) noexcept { return hinnant_days(date); }
};

template <class Way>
harness::BenchCompetitor converting(const char* name) {
  return {name, [](const harness::BenchCase& of) -> std::unique_ptr<harness::Competitor> {
            SplitMix64 random(of.seed());
            auto days = std::make_shared<std::vector<std::int32_t>>();
            auto dates = std::make_shared<std::vector<time::Date>>();
            for (std::size_t i = 0; i < k_inputs; ++i) {
              days->push_back(static_cast<std::int32_t>(random.below(100'000)));
              dates->push_back(time::date_of(days->back()));
            }
            if (of.text("direction") == "days to date") {
              auto made = std::make_shared<std::vector<time::Date>>(k_inputs);
              return harness::competitor([=] {
                for (std::size_t i = 0; i < k_inputs; ++i) (*made)[i] = Way::date((*days)[i]);
                harness::keep(*made);
                return harness::Operations{}.add("", k_inputs);
              });
            }
            auto made = std::make_shared<std::vector<std::int32_t>>(k_inputs);
            return harness::competitor([=] {
              for (std::size_t i = 0; i < k_inputs; ++i) (*made)[i] = Way::days((*dates)[i]);
              harness::keep(*made);
              return harness::Operations{}.add("", k_inputs);
            });
          }};
}

harness::BenchTable calendar_table() {
  harness::BenchTable table{.name = "calendar", .title = "days and dates turned into each other: 4,096 of 270 years"};
  table.parameters = {{"direction", {"days to date", "date to days"}}};
  table.competitors = {converting<ByOurs>("affine"), converting<ByChrono>("std::chrono"),
                       converting<ByHinnant>("Hinnant")};
  table.baseline = "Hinnant";
  table.targets = {{"affine", "std::chrono", 1.10}, {"affine", "Hinnant", 1.0 / 1.6}};
  table.operation = "date";
  return table;
}

template <class Clock>
harness::BenchCompetitor asking(const char* name) {
  return {name, [](const harness::BenchCase&) -> std::unique_ptr<harness::Competitor> {
            auto clock = std::make_shared<Clock>();
            return harness::competitor([clock] {
              constexpr std::size_t k_readings = 2000;
              for (std::size_t i = 0; i < k_readings; ++i) {
                const time::Time now = clock->now();
                asm volatile("" : : "r"(time::nanoseconds_of(now)));
              }
              auto done = harness::Operations{}.add("", k_readings);
              if constexpr (requires { clock->worst_residual_ns(); }) {
                clock->calibrate();
                done.figure("residual_ns", static_cast<double>(clock->residual_ns()));
                done.figure("worst_residual_ns", static_cast<double>(clock->worst_residual_ns()));
              }
              return done;
            });
          }};
}

harness::BenchTable clock_table() {
  harness::BenchTable table{.name = "clock", .title = "what it costs to ask a clock for the time"};
  table.competitors = {asking<time::TscClock>("TscClock"), asking<time::CoarseClock>("CoarseClock"),
                       asking<time::SystemClock>("SystemClock")};
  table.baseline = "SystemClock";
  table.operation = "reading";
  table.notes = {"residual: how far the counter was off when it was held against the kernel's clock, after each batch"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return harness::run_benchmarks({.name = "time",
                                  .tables = {format_table(), parse_table(), calendar_table(), clock_table()},
                                  .build = evidence::build_identity()},
                                 count, words);
}
