// The part of the evidence that asks the kernel by system calls instead of reading files.

#include <cerrno>
#include <cstring>
#include <fstream>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "dojima/evidence/evidence.hpp"

namespace dojima::evidence {
namespace {

const char* policy_name(int policy) {
  switch (policy) {
    case SCHED_OTHER:
      return "other";
    case SCHED_BATCH:
      return "batch";
    case SCHED_IDLE:
      return "idle";
    case SCHED_FIFO:
      return "fifo";
    case SCHED_RR:
      return "rr";
    default:
      return "deadline";
  }
}

std::string outcome(bool is_done) {
  return is_done ? "ok" : std::string("unavailable: ") + std::strerror(errno);
}

std::string try_event(std::uint32_t type, std::uint64_t config) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.disabled = 1;
  event.exclude_kernel = 1;
  const long file = ::syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
  const std::string result = outcome(file >= 0);
  if (file >= 0) ::close(static_cast<int>(file));
  return result;
}

std::string try_locking() {
  constexpr std::size_t k_bytes = std::size_t{1} << 20;
  void* memory = ::mmap(nullptr, k_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return outcome(false);
  const std::string result = outcome(::mlock(memory, k_bytes) == 0);
  ::munmap(memory, k_bytes);
  return result;
}

/// Locked memory of the process in KiB, as the kernel counts it.
Document locked_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmLck:")) return std::strtoll(line.c_str() + 6, nullptr, 10);
  }
  return nullptr;
}

}  // namespace

Document applied_settings() {
  Document applied;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  Document list = Document::array();
  if (::sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(static_cast<std::size_t>(cpu), &cpus)) list.push(cpu);
    }
  }
  applied.set("cpus", std::move(list));
  sched_param parameters{};
  ::sched_getparam(0, &parameters);
  // The flag that children do not inherit the policy is no policy.
  applied.set("policy", policy_name(::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK));
  applied.set("priority", parameters.sched_priority);
  errno = 0;
  applied.set("nice", ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid())));
  applied.set("locked_memory_kib", locked_memory());
  applied.set("timer_slack_ns", ::prctl(PR_GET_TIMERSLACK));
  return applied;
}

Document probe_capability() {
  Document capability = Document::object();
  std::thread trial([&capability] {
    cpu_set_t cpus;
    capability.set("affinity", outcome(::sched_getaffinity(0, sizeof cpus, &cpus) == 0 &&
                                       ::sched_setaffinity(0, sizeof cpus, &cpus) == 0));
    capability.set("memory_locking", try_locking());
    capability.set("hardware_counters", try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES));
    capability.set("software_counters", try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES));
    // Last: the thread ends with whatever policy this leaves it.
    sched_param parameters{};
    parameters.sched_priority = 1;
    capability.set("fifo", outcome(::sched_setscheduler(0, SCHED_FIFO, &parameters) == 0));
  });
  trial.join();
  return capability;
}

}  // namespace dojima::evidence
