#include "hardware_counters.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace dojima::bench_sched {
namespace {

/// A counter of this thread in user mode; negative: there is none, and errno says why.
int open_counter(std::uint32_t type, std::uint64_t config) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.disabled = 1;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
}

constexpr std::uint64_t k_first_level =
    PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16;

}  // namespace

HardwareCounters::HardwareCounters()
    : files_{open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
             open_counter(PERF_TYPE_HW_CACHE, k_first_level),
             open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES)} {
  for (const int file : files_) {
    if (file < 0 && complaint_.empty()) complaint_ = std::string("perf_event_open: ") + std::strerror(errno);
  }
  counts_.fill(std::nan(""));
}

HardwareCounters::~HardwareCounters() {
  for (const int file : files_) {
    if (file >= 0) ::close(file);
  }
}

void HardwareCounters::begin() noexcept {
  for (const int file : files_) {
    if (file < 0) continue;
    ::ioctl(file, PERF_EVENT_IOC_RESET, 0);
    ::ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  }
}

void HardwareCounters::end() noexcept {
  for (std::size_t kind = 0; kind < files_.size(); ++kind) {
    if (files_[kind] < 0) continue;
    ::ioctl(files_[kind], PERF_EVENT_IOC_DISABLE, 0);
    std::uint64_t count = 0;
    counts_[kind] =
        ::read(files_[kind], &count, sizeof count) == sizeof count ? static_cast<double>(count) : std::nan("");
  }
}

}  // namespace dojima::bench_sched
