// The loops of clock_reads.hpp, compiled with -O2 in every build (CMakeLists.txt).

#include <chrono>
#include <ctime>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "dojima/instruments/clock_reads.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace dojima::instruments {
namespace {

__extension__ using Wide = unsigned __int128;

#include "dojima/instruments/studies/clock_reads_loops.inl"

}  // namespace

ClockReads clock_reads_optimised() noexcept {
  return {k_reads, sizeof k_reads / sizeof k_reads[0]};
}

}  // namespace dojima::instruments
