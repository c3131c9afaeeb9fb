#pragma once

// Which of many descriptors have something for their owner: an epoll set. Each is added once, with a key that comes
// back as long as there is something to read, so reading and waiting change nothing in the set. No allocation after
// construction; one thread.
//
//   Poller poller;
//   if (!poller.add(socket, 7, Poller::k_input)) ...              // the system has no room for it
//   for (const Poller::Ready& ready : poller.look(50ms)) read(ready.key());

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/epoll.h>

namespace dojima::net {

class Poller {
 public:
  /// What is waited for.
  enum Interest : std::uint32_t {
    k_input = EPOLLIN | EPOLLRDHUP,  ///< something to read, or the end, for as long as it is there
    k_output = EPOLLOUT,             ///< room to write, for as long as it is there
    k_nothing = EPOLLET,             ///< an error or the end of both streams, once
    k_changes = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,  ///< once whenever anything is new
  };
  struct Ready {
    epoll_event event;
    [[nodiscard]] std::uint32_t key() const noexcept { return event.data.u32; }
    [[nodiscard]] bool has_input() const noexcept { return (event.events & ~std::uint32_t{EPOLLOUT}) != 0; }
    /// The connection is broken, or both its streams have ended.
    [[nodiscard]] bool has_failed() const noexcept { return (event.events & (EPOLLERR | EPOLLHUP)) != 0; }
    [[nodiscard]] bool has_room() const noexcept { return (event.events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) != 0; }
  };

  /// Throws std::system_error: no more descriptors.
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  /// False: the system has no room for one more.
  [[nodiscard]] bool add(int descriptor, std::uint32_t key, std::uint32_t interest) noexcept;
  /// Of one that was added.
  void change(int descriptor, std::uint32_t key, std::uint32_t interest) noexcept;
  /// Of one that was added and is still open. What look() gave before may still name it.
  void remove(int descriptor) noexcept;
  /// What has something now, or within `limit`; at most k_most of them, those that have waited longest. The span dies
  /// with the next call. Where the kernel waits by whole milliseconds only (before Linux 5.11) the limit is rounded
  /// down to one.
  [[nodiscard]] std::span<const Ready> look(std::chrono::nanoseconds limit) noexcept;

  /// Which another one, or a Ring, may watch: it has input when something is ready.
  [[nodiscard]] int descriptor() const noexcept { return set_; }

  static constexpr std::size_t k_most = 256;

 private:
  [[nodiscard]] int wait(std::chrono::nanoseconds limit) noexcept;

  int set_;
  std::array<Ready, k_most> ready_;
};

}  // namespace dojima::net
