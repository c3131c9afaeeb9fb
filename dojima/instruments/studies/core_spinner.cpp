#include "dojima/instruments/studies/core_spinner.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace dojima::instruments {
namespace {

/// What the child does: only calls that are allowed after a fork of a program with threads.
[[noreturn]] void spin(int cpu, unsigned seconds) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sigaction fatal{};
  fatal.sa_handler = SIG_DFL;
  ::sigaction(SIGALRM, &fatal, nullptr);
  ::sigaction(SIGTERM, &fatal, nullptr);
  ::alarm(seconds);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(cpu), &one);
  // Whoever made it may have a real-time policy, which children inherit: the load must not.
  const sched_param ordinary{};
  if (::sched_setaffinity(0, sizeof one, &one) != 0 || ::sched_setscheduler(0, SCHED_OTHER, &ordinary) != 0) ::_exit(1);
  std::uint64_t state = 1;
  while (true) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(state));
  }
}

}  // namespace

CoreSpinner::CoreSpinner(int cpu, std::chrono::nanoseconds limit) : process_(0) {
  const auto seconds = static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(limit).count());
  process_ = ::fork();
  if (process_ < 0)
    throw std::system_error(errno, std::generic_category(), "a process that computes beside the measurement");
  if (process_ == 0) spin(cpu, seconds);
}

CoreSpinner::~CoreSpinner() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace dojima::instruments
