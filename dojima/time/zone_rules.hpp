#pragma once

// What the clocks of a time zone show at an instant, and which instant a time on these clocks means. Plain data: the
// offset from UTC and the instants at which it changes, put together by hand or read from the system's IANA database
// (zones.hpp, library dojima::time_zones). Functions of their arguments alone; nothing is allocated after construction.
//
//   const ZoneRules kolkata("Asia/Kolkata", 5h + 30min, {});
//   kolkata.local(now);                                                   // what the clocks there show
//   kolkata.utc(local_time({2026, 7, 20}, 9h + 15min), WhenTwice::first)  // when they show a quarter past nine

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dojima/time/calendar.hpp"
#include "dojima/time/time.hpp"

namespace dojima::time {

/// What a clock on the wall shows, as the time since it showed midnight of 1970-01-01. No instant before a zone says
/// so.
using LocalTime = std::chrono::local_time<Duration>;

/// `clock` is the time since midnight, 0 to less than 24 h.
[[nodiscard]] constexpr LocalTime local_time(Date date, Duration clock) noexcept {
  return std::chrono::local_days{std::chrono::days{days_of(date)}} + clock;
}
[[nodiscard]] constexpr Date date_of(LocalTime local) noexcept {
  return date_of(static_cast<std::int32_t>(std::chrono::floor<std::chrono::days>(local).time_since_epoch().count()));
}
/// The time since midnight, 0 to less than 24 h.
[[nodiscard]] constexpr Duration clock_of(LocalTime local) noexcept {
  return local - std::chrono::floor<std::chrono::days>(local);
}

/// Which instant is meant by a time that the clocks show twice, since they were put back.
enum class WhenTwice : std::uint8_t { first, last };

class ZoneRules {
 public:
  /// From `at` on, local time is UTC + `offset`.
  struct Change {
    Time at;
    std::chrono::seconds offset;
    friend bool operator==(const Change&, const Change&) = default;
  };

  /// Instants from 1900 to 2261 can be asked for, and local times a day beyond either end.
  static constexpr Time k_begin = std::chrono::sys_days{std::chrono::year{1900} / 1 / 1};
  static constexpr Time k_end = std::chrono::sys_days{std::chrono::year{2262} / 1 / 1};

  /// UTC.
  ZoneRules() = default;
  /// `offset` holds until the first of `changes`, which ascend. Throws std::invalid_argument when they do not, or when
  /// an offset is larger than 24 h.
  ZoneRules(std::string name, std::chrono::seconds offset, std::vector<Change> changes);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::span<const Change> changes() const noexcept { return changes_; }

  /// Local time less UTC. O(log changes), like all below.
  [[nodiscard]] std::chrono::seconds offset(Time at) const noexcept;
  [[nodiscard]] LocalTime local(Time at) const noexcept;
  /// When the clocks show `local`. A time that they skip means the first instant behind the gap.
  [[nodiscard]] Time utc(LocalTime local, WhenTwice which) const noexcept;

  friend bool operator==(const ZoneRules&, const ZoneRules&) = default;

 private:
  /// Segment n lies in front of change n, the last one behind all of them.
  [[nodiscard]] std::size_t segment_of(Time at) const noexcept;
  [[nodiscard]] std::chrono::seconds segment_offset(std::size_t segment) const noexcept {
    return segment == 0 ? offset_ : changes_[segment - 1].offset;
  }

  std::string name_ = "UTC";
  std::chrono::seconds offset_{0};
  std::vector<Change> changes_;
};

}  // namespace dojima::time
