#pragma once

// Who answers a client over loopback, each on a thread of its own: sockets that only echo, and sessions.

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>

#include "dojima/net/idle.hpp"

namespace dojima::bench {

/// What a server and its client's thread say to each other.
struct Control {
  std::atomic<std::uint16_t> port{0};   ///< set when it listens
  std::atomic<bool> is_stopped{false};  ///< it returns
  /// Else it looks for work now and then only, and leaves the processor to others.
  std::atomic<bool> is_measured{false};
  std::uint64_t echoes = 0;                                               ///< so far; the server's thread's own
  std::uint64_t echoes_most = std::numeric_limits<std::uint64_t>::max();  ///< it returns after so many
  /// Whether the server goes on.
  [[nodiscard]] bool is_wanted() const noexcept { return !is_stopped && echoes < echoes_most; }
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

struct RawOptions {
  bool is_busy = true;  ///< recv does not wait
  std::string pem{};    ///< over TLS, with the certificate and key of this file
};
/// Bytes come back as they are: recv and send in turn. One connection.
void serve_raw(Control& control, const RawOptions& options);
/// The same for so many connections of one thread, which looks all the time: epoll_wait, recv and send.
void serve_raw_sockets(Control& control, std::size_t sockets);

enum class KeepsIn : std::uint8_t { memory, journal };

struct SessionOptions {
  net::IdlePolicy idle = net::IdlePolicy::spin;
  KeepsIn store = KeepsIn::journal;
  std::string folder{};      ///< of the journal
  std::string pem{};         ///< over TLS, with the certificate and key of this file
  std::size_t sessions = 1;  ///< with CLIENT0, CLIENT1 ...; one alone is CLIENT
};
/// What their client of that number is called.
[[nodiscard]] std::string client_name(std::size_t number, std::size_t sessions);

/// fix::Session with its dictionary and all checks.
void serve_sessions(Control& control, const SessionOptions& options);

[[nodiscard]] std::uint16_t free_port();

}  // namespace dojima::bench
