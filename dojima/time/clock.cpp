#include "dojima/time/clock.hpp"

#include <ctime>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

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

#if defined(__x86_64__)
namespace {

/// Whether the counter runs at a constant rate whatever the processor does (CPUID 80000007h, EDX bit 8).
bool has_steady_counter() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}

std::uint64_t read_counter() noexcept {
  return __rdtsc();
}

}  // namespace
#else
namespace {

bool has_steady_counter() noexcept {
  return false;
}

std::uint64_t read_counter() noexcept {
  return 0;
}

}  // namespace
#endif

namespace {

struct Reading {
  std::uint64_t ticks = 0;
  std::int64_t nanoseconds = 0;
};

/// Counter and clock at one instant: of several readings the one whose counter moved least meanwhile.
Reading read_both() noexcept {
  Reading best;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = read_counter();
    const std::int64_t now = read_ns(CLOCK_MONOTONIC);
    const std::uint64_t after = read_counter();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, now};
  }
  return best;
}

/// A first guess over two milliseconds; every calibration makes it better.
TickScale first_scale(bool has_counter, std::int64_t offset_ns) noexcept {
  if (!has_counter) return {0, 0, 1};
  const Reading begin = read_both();
  Reading end = begin;
  constexpr std::int64_t k_long_enough = 2'000'000;
  while (end.nanoseconds - begin.nanoseconds < k_long_enough) end = read_both();
  const double rate =
      static_cast<double>(end.nanoseconds - begin.nanoseconds) / static_cast<double>(end.ticks - begin.ticks);
  return {begin.ticks, begin.nanoseconds + offset_ns, rate};
}

}  // namespace

TscClock::TscClock() noexcept
    : has_counter_(has_steady_counter()), scale_(first_scale(has_counter_, process_offset_ns())) {}

void TscClock::calibrate() noexcept {
  if (!has_counter_) return;
  const Reading now = read_both();
  scale_.calibrate(now.ticks, now.nanoseconds + process_offset_ns());
}

Time TscClock::now() noexcept {
  if (!has_counter_) return system_.now();
  const std::uint64_t ticks = read_counter();
  if (scale_.is_due(ticks)) [[unlikely]] {
    calibrate();
    return from_nanoseconds(scale_.nanoseconds(read_counter()));
  }
  return from_nanoseconds(scale_.nanoseconds(ticks));
}

CoarseClock::CoarseClock() noexcept : offset_ns_(process_offset_ns()) {}

Time CoarseClock::now() noexcept {
  return from_nanoseconds(read_ns(CLOCK_MONOTONIC_COARSE) + offset_ns_);
}

Duration CoarseClock::resolution() noexcept {
  timespec step{};
  ::clock_getres(CLOCK_MONOTONIC_COARSE, &step);
  return std::chrono::seconds{step.tv_sec} + Duration{step.tv_nsec};
}

Ticks read_ticks() noexcept {
  return Ticks{static_cast<std::uint64_t>(read_ns(CLOCK_MONOTONIC))};
}

}  // namespace dojima::time
