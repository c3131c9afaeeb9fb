#include "dojima/lab/core_spinner.hpp"

#include <cstdint>
#include <sched.h>

#include "dojima/lab/pinning.hpp"

namespace dojima::lab {
namespace {

/// Whoever makes the spinner may run with a real-time policy, which threads inherit: this one must not.
bool take_ordinary_place(int cpu) {
  const sched_param ordinary{};
  return ::sched_setscheduler(0, SCHED_OTHER, &ordinary) == 0 && pin_to_processor(cpu).cpu == cpu;
}

}  // namespace

CoreSpinner::CoreSpinner(int cpu, std::chrono::nanoseconds limit)
    : thread_([this, cpu, limit] {
        if (!take_ordinary_place(cpu)) return;
        const auto end = std::chrono::steady_clock::now() + limit;
        std::uint64_t state = 1;
        while (!is_over_.load(std::memory_order_relaxed) && std::chrono::steady_clock::now() < end) {
          for (int i = 0; i < 10'000; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            asm volatile("" : "+r"(state));
          }
        }
      }) {}

CoreSpinner::~CoreSpinner() {
  is_over_.store(true, std::memory_order_relaxed);
  thread_.join();
}

}  // namespace dojima::lab
