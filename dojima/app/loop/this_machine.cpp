// The machine of machine_settings.hpp as the kernel has it.

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dojima/app/loop/machine_settings.hpp"

namespace dojima::app {
namespace {

constexpr std::uintptr_t k_huge = std::uintptr_t{1} << 21;
constexpr int k_collapse = 25;  // MADV_COLLAPSE of Linux 6.1, which the headers of some systems do not name

int outcome(int result) {
  return result == 0 ? 0 : errno;
}

/// A number of KiB behind `key` in one of the kernel's files of this process; 0: it is not there.
std::int64_t kib_of(const char* file, std::string_view key) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(key)) return std::strtoll(line.c_str() + key.size(), nullptr, 10);
  }
  return 0;
}

/// Private writable memory without a file, of at least one large page: begin and end.
struct Area {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

std::vector<Area> large_areas() {
  std::vector<Area> areas;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Area area;
    const char* const last = line.data() + line.size();
    const auto [dash, first_trouble] = std::from_chars(line.data(), last, area.begin, 16);
    if (first_trouble != std::errc{} || dash == last) continue;
    const auto [space, trouble] = std::from_chars(dash + 1, last, area.end, 16);
    if (trouble != std::errc{} || !std::string_view(space, last).starts_with(" rw-p")) continue;
    const bool has_file = line.find('/') != std::string::npos || line.find("[stack") != std::string::npos;
    area.begin = (area.begin + k_huge - 1) / k_huge * k_huge;
    area.end = area.end / k_huge * k_huge;
    if (!has_file && area.end > area.begin) areas.push_back(area);
  }
  return areas;
}

class ThisMachine final : public Machine {
 public:
  ~ThisMachine() override {
    if (socket_ >= 0) ::close(socket_);
  }

  int pin(int processor) override {
    if (processor >= CPU_SETSIZE) return EINVAL;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(processor), &set);
    return outcome(::sched_setaffinity(0, sizeof set, &set));
  }
  int set_policy(RealTime policy) override {
    sched_param parameters{};
    parameters.sched_priority = policy.priority;
    // Threads that this one starts are as everybody.
    const int kind = (policy.policy == RealTime::Policy::fifo ? SCHED_FIFO : SCHED_RR) | SCHED_RESET_ON_FORK;
    return outcome(::sched_setscheduler(0, kind, &parameters));
  }
  int lock_memory() override { return outcome(::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)); }
  int take_huge_pages() override {
    int trouble = ENOMEM;  // there is nothing that large
    for (const Area& area : large_areas()) {
      void* const begin = reinterpret_cast<void*>(area.begin);  // NOLINT(performance-no-int-to-ptr): as the kernel says
      trouble = outcome(::madvise(begin, area.end - area.begin, MADV_HUGEPAGE));
      if (trouble != 0) return trouble;
      // What is there already is moved now where the kernel can; where not, its own thread does that in time.
      static_cast<void>(::madvise(begin, area.end - area.begin, k_collapse));
    }
    return trouble;
  }
  int set_timer_slack(std::int64_t nanoseconds) override {
    return outcome(::prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(nanoseconds), 0, 0, 0));
  }
  int set_busy_poll(std::int64_t microseconds) override {
    if (socket_ < 0) socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return errno;
    const int value = static_cast<int>(microseconds);
    return outcome(::setsockopt(socket_, SOL_SOCKET, SO_BUSY_POLL, &value, sizeof value));
  }

  [[nodiscard]] std::vector<int> processors() const override {
    std::vector<int> all;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return all;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) all.push_back(processor);
    }
    return all;
  }
  [[nodiscard]] std::string policy() const override {
    sched_param parameters{};
    ::sched_getparam(0, &parameters);
    switch (::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) {
      case SCHED_FIFO:
        return "fifo " + std::to_string(parameters.sched_priority);
      case SCHED_RR:
        return "rr " + std::to_string(parameters.sched_priority);
      case SCHED_OTHER:
        return "other";
      default:
        return "another one";
    }
  }
  [[nodiscard]] std::int64_t locked_kib() const override { return kib_of("/proc/self/status", "VmLck:"); }
  [[nodiscard]] std::int64_t huge_kib() const override { return kib_of("/proc/self/smaps_rollup", "AnonHugePages:"); }
  [[nodiscard]] std::int64_t timer_slack_ns() const override { return ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); }
  [[nodiscard]] std::int64_t busy_poll_us() const override {
    int value = 0;
    socklen_t size = sizeof value;
    if (socket_ < 0 || ::getsockopt(socket_, SOL_SOCKET, SO_BUSY_POLL, &value, &size) != 0) return 0;
    return value;
  }

 private:
  int socket_ = -1;
};

}  // namespace

Machine& this_machine() {
  static ThisMachine machine;
  return machine;
}

}  // namespace dojima::app
