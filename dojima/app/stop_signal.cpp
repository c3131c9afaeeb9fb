#include "dojima/app/stop_signal.hpp"

#include <atomic>

namespace dojima::app {
namespace {

std::atomic<bool> is_stop_raised{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may write it");

extern "C" void dojima_on_stop_signal(int signal) {
  if (is_stop_raised.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

StopSignal::StopSignal() {
  is_stop_raised = false;
  struct sigaction action{};
  action.sa_handler = dojima_on_stop_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before_interrupt_);
  sigaction(SIGTERM, &action, &before_terminate_);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &before_interrupt_, nullptr);
  sigaction(SIGTERM, &before_terminate_, nullptr);
}

bool StopSignal::is_raised() const noexcept {
  return is_stop_raised.load(std::memory_order_relaxed);
}

}  // namespace dojima::app
