#pragma once

// A server of dojima/app on a thread of its own, for tests over real sockets.

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

namespace interop {

/// A server on a thread of its own, from its making to its end.
template <class Server>
class Running {
 public:
  template <class... Arguments>
  explicit Running(Arguments&&... arguments) : server_(std::forward<Arguments>(arguments)...) {
    const auto where = server_.start();
    if (!where) throw std::runtime_error("cannot listen");
    port_ = where->port;
    thread_ = std::thread([this] { server_.run([this] { return is_stopped_.load(); }); });
  }
  ~Running() {
    is_stopped_ = true;
    thread_.join();
  }
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  Server server_;
  std::atomic<bool> is_stopped_{false};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace interop
