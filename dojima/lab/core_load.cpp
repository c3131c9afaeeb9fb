#include "dojima/lab/core_load.hpp"

#include <cerrno>
#include <cstring>
#include <sched.h>

#include "dojima/lab/evidence.hpp"
#include "dojima/lab/pinning.hpp"

namespace dojima::lab {

CoreSpinner::CoreSpinner(int cpu, std::chrono::nanoseconds limit)
    : thread_([this, cpu, limit] {
        if (!pin_to_processor(cpu).cpu) return;
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

std::expected<Document, std::string> run_on_core(const CoreSetting& setting, const std::function<void()>& work) {
  std::expected<Document, std::string> applied = Document::object();
  std::thread thread([&] {
    const Pinning pinning = pin_to_processor(setting.cpu);
    if (!pinning.cpu) {
      applied = std::unexpected(pinning.reason);
      return;
    }
    sched_param parameters{};
    parameters.sched_priority = setting.is_real_time ? setting.priority : 0;
    if (::sched_setscheduler(0, setting.is_real_time ? SCHED_FIFO : SCHED_OTHER, &parameters) != 0) {
      applied =
          std::unexpected(std::string(setting.is_real_time ? "SCHED_FIFO: " : "SCHED_OTHER: ") + std::strerror(errno));
      return;
    }
    applied = applied_settings();
    work();
  });
  thread.join();
  return applied;
}

}  // namespace dojima::lab
