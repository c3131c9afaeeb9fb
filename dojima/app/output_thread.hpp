#pragma once

// A thread that writes into what a person named, perhaps a pipe: that its reader is gone is an error of the call there
// (EPIPE), not the end of the process.
//
//   thread_ = start_output_thread("feed file", [this](const std::stop_token& stop) { run(stop); });

#include <csignal>
#include <pthread.h>
#include <thread>
#include <utility>

#include "dojima/base/thread_name.hpp"

namespace dojima::app {

/// Runs `run(stop_token)` in a thread of that name, with SIGPIPE blocked in its thread alone.
template <class Run>
[[nodiscard]] std::jthread start_output_thread(const char* name, Run run) {
  return std::jthread([name, run = std::move(run)](const std::stop_token& stop) {
    name_this_thread(name);
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    run(stop);
  });
}

}  // namespace dojima::app
