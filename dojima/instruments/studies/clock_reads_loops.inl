// The loops of clock_reads.hpp, included by two units that are compiled differently. Only functions of C and of the
// kernel are called: an inline function of a C++ header would be compiled without optimisation here and, being merged
// with its other copies, be slow everywhere. Macros, because a lambda or a template would be a call of its own in the
// unit without optimisation.

// clang-format off
#define DOJIMA_KEEP(value) asm volatile("" : : "r"(value) : "memory")

#define DOJIMA_TIMED(NAME, TYPE, BEGIN, END, SPAN, CALL)                                     \
  void NAME(std::size_t repetitions, std::size_t calls, std::int64_t* spans) {               \
    for (std::size_t i = 0; i < repetitions; ++i) {                                          \
      TYPE begin;                                                                            \
      TYPE end;                                                                              \
      BEGIN;                                                                                 \
      for (std::size_t j = 0; j < calls; ++j) { CALL; }                                      \
      END;                                                                                   \
      spans[i] = SPAN;                                                                       \
    }                                                                                        \
  }

#if defined(__x86_64__)
#define DOJIMA_CYCLES_BEGIN _mm_lfence(); begin = static_cast<std::int64_t>(__rdtsc())
#define DOJIMA_CYCLES_END unsigned processor; end = static_cast<std::int64_t>(__rdtscp(&processor)); _mm_lfence()
#else
#define DOJIMA_CYCLES_BEGIN begin = now_of(CLOCK_MONOTONIC)
#define DOJIMA_CYCLES_END end = now_of(CLOCK_MONOTONIC)
#endif

#define DOJIMA_LOOPS(NAME, CALL)                                                             \
  DOJIMA_TIMED(NAME##_by_monotonic, timespec, clock_gettime(CLOCK_MONOTONIC, &begin),        \
               clock_gettime(CLOCK_MONOTONIC, &end),                                         \
               std::int64_t{end.tv_sec - begin.tv_sec} * 1000000000 + (end.tv_nsec - begin.tv_nsec), CALL) \
  DOJIMA_TIMED(NAME##_by_cycles, std::int64_t, DOJIMA_CYCLES_BEGIN, DOJIMA_CYCLES_END, end - begin, CALL)

std::int64_t now_of(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

#define DOJIMA_GETTIME(NAME, CLOCK)                                                          \
  DOJIMA_LOOPS(NAME, timespec now; clock_gettime(CLOCK, &now); DOJIMA_KEEP(&now))            \
  std::int64_t NAME##_now() { return now_of(CLOCK); }

DOJIMA_LOOPS(gettimeofday, timeval now; ::gettimeofday(&now, nullptr); DOJIMA_KEEP(&now))
std::int64_t gettimeofday_now() {
  timeval now;
  ::gettimeofday(&now, nullptr);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_usec * 1000;
}
DOJIMA_LOOPS(time, const time_t now = ::time(nullptr); DOJIMA_KEEP(now))
std::int64_t time_now() { return std::int64_t{::time(nullptr)} * 1000000000; }
DOJIMA_GETTIME(monotonic, CLOCK_MONOTONIC)
DOJIMA_GETTIME(realtime, CLOCK_REALTIME)
DOJIMA_GETTIME(monotonic_raw, CLOCK_MONOTONIC_RAW)
DOJIMA_GETTIME(boottime, CLOCK_BOOTTIME)
DOJIMA_GETTIME(tai, CLOCK_TAI)
DOJIMA_GETTIME(monotonic_coarse, CLOCK_MONOTONIC_COARSE)
DOJIMA_GETTIME(realtime_coarse, CLOCK_REALTIME_COARSE)
DOJIMA_GETTIME(process_cpu, CLOCK_PROCESS_CPUTIME_ID)
DOJIMA_GETTIME(thread_cpu, CLOCK_THREAD_CPUTIME_ID)
DOJIMA_LOOPS(monotonic_syscall, timespec now; ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now); DOJIMA_KEEP(&now))
std::int64_t monotonic_syscall_now() {
  timespec now;
  ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}
DOJIMA_LOOPS(library_clock, const clock_t now = ::clock(); DOJIMA_KEEP(now))
std::int64_t library_clock_now() { return std::int64_t{::clock()} * (1000000000 / CLOCKS_PER_SEC); }
DOJIMA_LOOPS(resource_usage, rusage now; ::getrusage(RUSAGE_THREAD, &now); DOJIMA_KEEP(&now))
std::int64_t resource_usage_now() {
  rusage now;
  ::getrusage(RUSAGE_THREAD, &now);
  return std::int64_t{now.ru_utime.tv_sec + now.ru_stime.tv_sec} * 1000000000 +
         std::int64_t{now.ru_utime.tv_usec + now.ru_stime.tv_usec} * 1000;
}
// Their now() is in the library; what they return is kept by its address.
DOJIMA_LOOPS(steady_clock, const auto now = std::chrono::steady_clock::now(); DOJIMA_KEEP(&now))
DOJIMA_LOOPS(system_clock, const auto now = std::chrono::system_clock::now(); DOJIMA_KEEP(&now))
DOJIMA_LOOPS(high_resolution_clock, const auto now = std::chrono::high_resolution_clock::now(); DOJIMA_KEEP(&now))
DOJIMA_LOOPS(sched_getcpu, const int now = ::sched_getcpu(); DOJIMA_KEEP(now))
DOJIMA_LOOPS(empty, DOJIMA_KEEP(j))

#if defined(__x86_64__)
/// Nanoseconds of a cycle as a fraction of 2^32; what it is does not change what the multiplication costs.
volatile std::uint64_t ns_per_cycle_fraction = 0x62000000;

DOJIMA_LOOPS(rdtsc, const std::uint64_t now = __rdtsc(); DOJIMA_KEEP(now))
DOJIMA_LOOPS(lfence_rdtsc, _mm_lfence(); const std::uint64_t now = __rdtsc(); DOJIMA_KEEP(now))
DOJIMA_LOOPS(lfence_rdtsc_lfence, _mm_lfence(); const std::uint64_t now = __rdtsc(); _mm_lfence(); DOJIMA_KEEP(now))
DOJIMA_LOOPS(rdtscp, unsigned cpu; const std::uint64_t now = __rdtscp(&cpu); DOJIMA_KEEP(now))
DOJIMA_LOOPS(rdtscp_lfence, unsigned cpu; const std::uint64_t now = __rdtscp(&cpu); _mm_lfence(); DOJIMA_KEEP(now))
DOJIMA_LOOPS(rdtsc_to_ns,
             const std::uint64_t cycles = __rdtsc();
             const auto now = static_cast<std::uint64_t>(Wide{cycles} * ns_per_cycle_fraction >> 32);
             DOJIMA_KEEP(now))
std::int64_t rdtsc_now() { return static_cast<std::int64_t>(__rdtsc()); }
std::int64_t rdtscp_now() { unsigned cpu; return static_cast<std::int64_t>(__rdtscp(&cpu)); }
#endif

#define DOJIMA_READ(NAME, WAY, NOW, IS_CYCLES, ID) \
  ClockRead{#NAME, WAY, NAME##_by_monotonic, NAME##_by_cycles, NOW, IS_CYCLES, ID}

constexpr ClockRead k_reads[] = {
    DOJIMA_READ(gettimeofday, "vdso", gettimeofday_now, false, CLOCK_REALTIME),
    DOJIMA_READ(monotonic, "vdso", monotonic_now, false, CLOCK_MONOTONIC),
    DOJIMA_READ(realtime, "vdso", realtime_now, false, CLOCK_REALTIME),
    DOJIMA_READ(monotonic_raw, "vdso", monotonic_raw_now, false, CLOCK_MONOTONIC_RAW),
    DOJIMA_READ(boottime, "vdso", boottime_now, false, CLOCK_BOOTTIME),
    DOJIMA_READ(tai, "vdso", tai_now, false, CLOCK_TAI),
    DOJIMA_READ(monotonic_coarse, "vdso", monotonic_coarse_now, false, CLOCK_MONOTONIC_COARSE),
    DOJIMA_READ(realtime_coarse, "vdso", realtime_coarse_now, false, CLOCK_REALTIME_COARSE),
    DOJIMA_READ(time, "vdso", time_now, false, -1),
    DOJIMA_READ(steady_clock, "vdso", nullptr, false, CLOCK_MONOTONIC),
    DOJIMA_READ(system_clock, "vdso", nullptr, false, CLOCK_REALTIME),
    DOJIMA_READ(high_resolution_clock, "vdso", nullptr, false, CLOCK_REALTIME),
    DOJIMA_READ(monotonic_syscall, "system call", monotonic_syscall_now, false, CLOCK_MONOTONIC),
    DOJIMA_READ(process_cpu, "system call", process_cpu_now, false, CLOCK_PROCESS_CPUTIME_ID),
    DOJIMA_READ(thread_cpu, "system call", thread_cpu_now, false, CLOCK_THREAD_CPUTIME_ID),
    DOJIMA_READ(library_clock, "system call", library_clock_now, false, CLOCK_PROCESS_CPUTIME_ID),
    DOJIMA_READ(resource_usage, "system call", resource_usage_now, false, -1),
#if defined(__x86_64__)
    DOJIMA_READ(rdtsc, "instruction", rdtsc_now, true, -1),
    DOJIMA_READ(lfence_rdtsc, "instruction", nullptr, true, -1),
    DOJIMA_READ(lfence_rdtsc_lfence, "instruction", nullptr, true, -1),
    DOJIMA_READ(rdtscp, "instruction", rdtscp_now, true, -1),
    DOJIMA_READ(rdtscp_lfence, "instruction", nullptr, true, -1),
    DOJIMA_READ(rdtsc_to_ns, "instruction", nullptr, true, -1),
#endif
    DOJIMA_READ(sched_getcpu, "vdso", nullptr, false, -1),
    DOJIMA_READ(empty, "none", nullptr, false, -1),
};
// clang-format on
