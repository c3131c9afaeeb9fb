#pragma once

// What the threads of this program ask of the kernel. The functions of the C library that make such calls are wrapped
// by this program's link (CMakeLists.txt has the list) and counted for the thread that calls them, if it has a counter.
// What libraries ask of the kernel from within (a lock's futex) is not seen: `strace -f -c` sees all.

#include <atomic>
#include <cstdint>

namespace dojima::bench {

/// Of one thread, which alone writes them; anybody reads.
struct CallCounts {
  std::atomic<std::uint64_t> useful{0};  ///< moved bytes, changed something, or a wait that reported something
  std::atomic<std::uint64_t> empty{0};   ///< reads and waits that found nothing, and yields
  std::atomic<std::uint64_t> sleeps{0};  ///< waits that were allowed to sleep, whatever they found
};

/// From here on the calls of this thread are counted there; it outlives the thread.
void count_calls_into(CallCounts& counts) noexcept;

}  // namespace dojima::bench
