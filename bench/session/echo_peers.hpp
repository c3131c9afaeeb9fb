#pragma once

// Who answers a client over loopback, each on a thread of its own: sockets that only echo, and sessions.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "dojima/net/idle.hpp"

namespace dojima::bench {

/// What a server and its client's thread say to each other.
struct Control {
  std::atomic<std::uint16_t> port{0};   ///< set when it listens
  std::atomic<bool> is_stopped{false};  ///< it returns
  std::atomic<bool> is_measured{
      false};  ///< else it looks for work now and then only, and leaves the processor to others
};

/// A thread that serves until this object ends. It may run on any processor but the one of its maker, where there is
/// another.
class Served {
 public:
  explicit Served(std::function<void(Control&)> serve);
  ~Served();
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  [[nodiscard]] Control& control() noexcept { return control_; }

 private:
  Control control_;
  std::thread thread_;
};

/// Bytes come back as they are: recv and send in turn. Busy: recv does not wait.
void serve_raw(Control& control, bool is_busy);

enum class KeepsIn : std::uint8_t { memory, journal };

/// A fix::Session with its dictionary and all checks; `folder` is for a store in a journal.
void serve_session(Control& control, net::IdlePolicy idle, KeepsIn store, const std::string& folder);

/// Another processor than this thread's, where there is one.
void leave_processor_of(int processor);
[[nodiscard]] std::uint16_t free_port();

}  // namespace dojima::bench
