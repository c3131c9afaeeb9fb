#pragma once

// A server on a thread of its own, beside the client that measures it, and what that thread has used so far.

#include "call_counts.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>
#include <thread>

namespace dojima::bench {

/// What a server's thread and its owner say to each other.
struct ServerControl {
  std::atomic<std::uint16_t> port{0};   ///< set when it listens
  std::atomic<bool> is_stopped{false};  ///< it returns
  /// Else a server that never sleeps looks for work now and then only, and leaves the processor to others.
  std::atomic<bool> is_measured{false};
  /// For the end of each turn: whether to end. Naps where the server shall look now and then only.
  [[nodiscard]] bool ends_turn(bool is_busy) const;
};

/// So far; differences say what a batch took.
struct ThreadUse {
  std::uint64_t calls = 0, empty_calls = 0;  ///< CallCounts
  std::uint64_t sleeps = 0;                  ///< it gave the processor away of its own accord
  std::uint64_t preemptions = 0;             ///< it had to
  std::uint64_t processor_ns = 0;            ///< user and system
};
[[nodiscard]] ThreadUse operator-(const ThreadUse& later, const ThreadUse& earlier) noexcept;

class ServerThread {
 public:
  /// Runs `serve`, which sets the port, and waits for that. The thread may run on any processor but the one of its
  /// maker, where there is another. Throws std::runtime_error with what `serve` threw before it listened.
  explicit ServerThread(std::function<void(ServerControl&)> serve);
  ~ServerThread();
  ServerThread(const ServerThread&) = delete;
  ServerThread& operator=(const ServerThread&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return control_.port; }
  void set_measured(bool is_measured) noexcept { control_.is_measured = is_measured; }
  [[nodiscard]] ThreadUse use() const;

 private:
  ServerControl control_;
  CallCounts calls_;
  std::atomic<pid_t> id_{0};
  std::atomic<bool> has_failed_{false};
  std::string trouble_;  // written before has_failed_
  std::thread thread_;
};

}  // namespace dojima::bench
