#pragma once

// What many sockets receive and send, through one io_uring of the kernel: a thread that sleeps gives its sends, says
// where bytes may come in, and waits for them in one system call. One thread; no allocation after make().
//
//   std::unique_ptr<Ring> ring = Ring::make();     // null: the system has none, or does not let us
//   ring->receive(socket, 7, room);                // the room stays where it is until its event
//   ring->send(socket, 7, bytes);                  // the bytes stay where they are until the next enter()
//   ring->enter(1, 50ms);                          // sends, then sleeps until something comes
//   while (const auto event = ring->next()) use(event->key, event->result);

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "dojima/base/bytes.hpp"

struct io_uring_sqe;  // NOLINT(readability-identifier-naming): the kernel's
struct io_uring_cqe;  // NOLINT(readability-identifier-naming)

namespace dojima::net {

class Ring {
 public:
  enum class Kind : std::uint8_t {
    received,  ///< so many bytes; 0: the peer has ended its stream; below: an errno, negative
    sent,      ///< so many bytes were taken; below 0: an errno, negative
    ready,     ///< the descriptor that was watched has something
    other,     ///< of no matter
  };
  struct Event {
    std::uint64_t key = 0;
    Kind kind = Kind::other;
    std::int32_t result = 0;
  };

  /// Null: the kernel is older than 6.1, or this process may not use it.
  [[nodiscard]] static std::unique_ptr<Ring> make();
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Keys are below 2^56.

  /// Whatever the descriptor receives next becomes one event. One at a time for a key. Handed over behind the sends.
  void receive(int descriptor, std::uint64_t key, Room room) noexcept;
  /// The event of receiving with this key comes soon, whatever has come.
  void cancel(std::uint64_t key) noexcept;
  /// What the kernel takes at once.
  void send(int descriptor, std::uint64_t key, Bytes bytes) noexcept;
  /// One event when the descriptor, which may be an epoll set, has something to read.
  void watch(int descriptor, std::uint64_t key) noexcept;

  /// Hands over all of this; then, within `limit`, sleeps until there are `least` events besides those of the sends,
  /// which are done when it returns. One system call, as a rule. Like the kernel's other sleeps one may end late, by
  /// the timer slack that the thread had when it called this first.
  void enter(unsigned least, std::chrono::nanoseconds limit) noexcept;

  /// What has happened, oldest first. No system call.
  [[nodiscard]] std::optional<Event> next() noexcept;

  /// Events that may wait to be taken by next().
  static constexpr std::size_t k_events = 4096;

 private:
  Ring() = default;
  [[nodiscard]] bool set_up();
  [[nodiscard]] io_uring_sqe& order(std::uint64_t key, Kind kind) noexcept;
  void order_receives() noexcept;
  void enable() noexcept;

  struct Receive {
    std::uint64_t key = 0;
    Room room;
    int descriptor = -1;
  };
  struct Mapped {
    void* at = nullptr;
    std::size_t size = 0;
    ~Mapped();
  };

  int ring_ = -1;
  Mapped queues_, entries_;
  unsigned* submission_tail_ = nullptr;
  unsigned* completion_head_ = nullptr;
  unsigned* completion_tail_ = nullptr;
  unsigned submission_mask_ = 0, completion_mask_ = 0;
  io_uring_cqe* completions_ = nullptr;
  unsigned tail_ = 0;                 // of the submissions, with what is not handed over
  unsigned orders_ = 0;               // not handed over
  unsigned sends_ = 0;                // of these
  std::array<Receive, 64> receives_;  // wanted, and no order yet: what is to be sent goes first
  std::size_t wanted_receives_ = 0;
  bool is_enabled_ = false;
  std::chrono::nanoseconds timer_slack_{0};
};

}  // namespace dojima::net
