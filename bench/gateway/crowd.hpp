#pragma once

// Several FIX clients of one thread, which send orders at the same time.

#include "order_client.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <sys/epoll.h>
#include <vector>

namespace dojima::bench {

struct CrowdOptions {
  std::uint16_t port = 0;
  std::size_t clients = 1;
  bool is_session = true;
};

class Crowd {
 public:
  /// Connects all, and logs them on. Throws std::runtime_error.
  explicit Crowd(const CrowdOptions& options);
  ~Crowd();
  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;

  /// When the first and when the last client had all its answers, in seconds from the first order on.
  struct Done {
    double first_s = 0;
    double last_s = 0;
  };
  /// Each sends `each` orders, at most `on_their_way` of them unanswered at a time, until all are answered. Client
  /// `first` begins. Throws std::runtime_error when that takes over a minute.
  Done send_orders(std::size_t each, std::size_t on_their_way, std::size_t first);
  void cancel_all();
  [[nodiscard]] std::size_t size() const noexcept { return clients_.size(); }

 private:
  using SteadyClock = std::chrono::steady_clock;
  void send(std::size_t client);
  [[nodiscard]] std::size_t hear(std::size_t client, std::size_t each);

  int set_;
  std::vector<epoll_event> ready_;
  std::vector<std::unique_ptr<OrderClient>> clients_;
  std::vector<std::size_t> sent_, answered_;
  std::vector<SteadyClock::time_point> last_;
};

/// Whether so many sockets can be open. Raises what this process may raise.
[[nodiscard]] bool has_room_for_sockets(std::size_t sockets);

}  // namespace dojima::bench
