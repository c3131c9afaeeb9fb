#include "server_thread.hpp"

#include "bench/other_processors.hpp"

#include <exception>
#include <fmt/core.h>
#include <fstream>
#include <pthread.h>
#include <stdexcept>
#include <time.h>
#include <unistd.h>

namespace dojima::bench {
namespace {

constexpr useconds_t k_look_us = 500;  // between two looks of a busy server that is not measured

/// The number behind `name` in what the kernel says of a thread of this process.
std::uint64_t status_of(pid_t thread, const std::string& name) {
  std::ifstream status(fmt::format("/proc/self/task/{}/status", thread));
  for (std::string word; status >> word;) {
    std::uint64_t value = 0;
    if (word == name && status >> value) return value;
  }
  return 0;
}

}  // namespace

bool ServerControl::ends_turn(bool is_busy) const {
  if (is_busy && !is_measured) ::usleep(k_look_us);
  return is_stopped;
}

ThreadUse operator-(const ThreadUse& later, const ThreadUse& earlier) noexcept {
  return {.calls = later.calls - earlier.calls,
          .empty_calls = later.empty_calls - earlier.empty_calls,
          .sleeps = later.sleeps - earlier.sleeps,
          .preemptions = later.preemptions - earlier.preemptions,
          .processor_ns = later.processor_ns - earlier.processor_ns};
}

ServerThread::ServerThread(std::function<void(ServerControl&)> serve) {
  const int own = ::sched_getcpu();
  thread_ = std::thread([this, own, serve = std::move(serve)] {
    OnOtherProcessors::leave(own);
    id_ = ::gettid();
    count_calls_into(calls_);
    try {
      serve(control_);
    } catch (const std::exception& error) {
      trouble_ = error.what();
      has_failed_ = true;
    }
  });
  while (control_.port == 0 && !has_failed_) std::this_thread::yield();
  if (!has_failed_) return;
  thread_.join();
  throw std::runtime_error(trouble_);
}

ServerThread::~ServerThread() {
  control_.is_stopped = true;
  thread_.join();
  if (has_failed_) fmt::print(stderr, "a server ended: {}\n", trouble_);
}

ThreadUse ServerThread::use() const {
  ThreadUse used{.calls = calls_.useful, .empty_calls = calls_.empty};
  used.sleeps = status_of(id_, "voluntary_ctxt_switches:");
  used.preemptions = status_of(id_, "nonvoluntary_ctxt_switches:");
  clockid_t clock{};
  timespec spent{};
  // The handle is not const to the library, which does not change it.
  if (::pthread_getcpuclockid(const_cast<std::thread&>(thread_).native_handle(), &clock) == 0 &&
      ::clock_gettime(clock, &spent) == 0)
    used.processor_ns =
        static_cast<std::uint64_t>(spent.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(spent.tv_nsec);
  return used;
}

}  // namespace dojima::bench
