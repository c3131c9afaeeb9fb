#include "dojima/time/clock.hpp"

#include <ctime>

namespace dojima::time {
namespace {

std::int64_t read_ns(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t process_offset_ns() noexcept {
  static const std::int64_t offset = read_ns(CLOCK_REALTIME) - read_ns(CLOCK_MONOTONIC);
  return offset;
}

}  // namespace

SystemClock::SystemClock() noexcept : offset_ns_(process_offset_ns()) {}

Time SystemClock::now() noexcept {
  return from_nanoseconds(read_ns(CLOCK_MONOTONIC) + offset_ns_);
}

Ticks read_ticks() noexcept {
  return Ticks{static_cast<std::uint64_t>(read_ns(CLOCK_MONOTONIC))};
}

}  // namespace dojima::time
