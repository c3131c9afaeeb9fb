#pragma once

// `link` over real sockets, connections over TCP and datagrams over UDP: the fabric of one thread, a source of its
// loop. It is polled once per turn, in `deliver`; sessions are called only from there, with the loop's time, and what
// they wrote leaves in `finish`. Input and output buffers are bounded and pooled with their connection; a fixed number
// of connections exists, more are refused when they arrive. Once connections are open nothing is allocated. One thread,
// the loop's; sessions, acceptors and receivers outlive the fabric or their last callback.
//
//   net::AsioFabric fabric(scheduler, {.max_connections = 8});       // the scheduler of its loop
//   const auto where = fabric.listen({"127.0.0.1", 0}, acceptor);   // a Result; where->port is the real port
//   sched::Source* const sources[] = {&fabric};
//   sched::Loop loop(scheduler, pacer, sources);
//
// A peer that does not read fills the output buffer: prepare() is empty until on_writable. close() sends what is
// committed and notifies the session at the next turn after that; the socket then waits up to `linger` for the peer's
// end of the stream, so that a farewell is not destroyed by a reset. Where no place is left for a new connection, the
// socket that has waited longest makes room.
//
// A datagram leaves when it is sent. Multicast leaves and arrives by one interface of this machine, that of loopback
// unless configured otherwise.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "dojima/link/connection.hpp"
#include "dojima/link/datagram.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::net {

using time::Time;

struct FabricOptions {
  /// Open, opening and closing ones together. One more is turned away, and the acceptor hears of it (on_turned_away).
  std::size_t max_connections = 64;
  std::size_t max_listeners = 8;
  std::size_t input_capacity = 1 << 16;   ///< bytes; the largest message a session can be shown
  std::size_t output_capacity = 1 << 18;  ///< bytes committed and not yet taken by the kernel
  std::size_t socket_buffer = 0;          ///< bytes asked of the kernel for each direction; 0: its own choice
  std::uint32_t busy_poll_us = 0;         ///< SO_BUSY_POLL of each connection; 0: the system's
  /// wait() returns at most so often a second, but for a few times at once: what arrives meanwhile is served together,
  /// at less cost and later. At most 1,000,000; 0: whenever something arrives.
  std::uint32_t max_wakes = 0;
  /// `max_wakes` counts only while a wake has more to read with it than without, which is tried now and then for a few:
  /// not where peers wait for the answer before they send more.
  bool wakes_by_trial = false;
  /// For loops that sleep when idle: one system call for a turn, by the kernel's io_uring, where there is one (Linux
  /// 6.1) and the process may use it. What is sent then leaves with wait(), or in the next turn.
  bool ring = false;
  time::Duration connect_timeout{std::chrono::seconds{5}};
  time::Duration linger{std::chrono::seconds{1}};  ///< how long close() waits for the peer, by the loop's time
  std::string multicast_interface = "127.0.0.1";   ///< an IPv4 address of this machine
  std::uint8_t multicast_hops = 1;                 ///< routers that multicast passes, and one: 1 stays in this network
  std::size_t datagram_buffer = 1 << 22;           ///< bytes asked of the kernel for what a subscription has not read
};

struct FabricCounts {
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;  ///< arrived and turned away: no connection free, or the acceptor would not
  /// The system had no descriptor or no memory for it: it waits in the kernel's queue, and is tried again ten times a
  /// second.
  std::uint64_t accept_failures = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t datagrams_in = 0;
  std::uint64_t datagrams_out = 0;
  std::uint64_t datagrams_failed = 0;  ///< the kernel did not take them
};

class AsioFabric final : public link::Fabric, public link::DatagramFabric, public sched::Source {
 public:
  /// Takes all memory, and a timer for each connection: timers(options) of the scheduler's entries. The scheduler must
  /// outlive it. Throws std::bad_alloc, std::length_error (the scheduler is full) or std::system_error (no more file
  /// descriptors).
  AsioFabric(sched::Scheduler& scheduler, const FabricOptions& options);
  /// Closes all sockets at once. Sessions are not notified.
  ~AsioFabric();

  AsioFabric(const AsioFabric&) = delete;
  AsioFabric& operator=(const AsioFabric&) = delete;

  [[nodiscard]] static std::size_t timers(const FabricOptions& options) noexcept { return options.max_connections; }

  /// `host` is a numeric address or "localhost"; "" means 127.0.0.1. `unavailable` with the system's errno in `got`
  /// (EADDRINUSE: the port is taken, EINVAL: no address); `no_room` beyond `max_listeners`.
  [[nodiscard]] Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor) override;

  /// As link::Fabric. Trouble (no connection free, no such address) is reported by on_closed from the loop.
  void connect(const link::Address& address, link::Connection& connection) override;

  /// A group is an IPv4 multicast address, or the address of one receiver; `host` as of listen(). `unavailable` with
  /// the system's errno in `got`: no route there, no such interface. Throws std::bad_alloc.
  [[nodiscard]] Result<link::DatagramSender*> publish(const link::Address& group) override;
  /// A multicast group may have many subscribers of this machine; an address of this machine has one (EADDRINUSE).
  /// Port 0, of an address of this machine: any free one. `no_room` where the poller has none. Throws std::bad_alloc.
  [[nodiscard]] Result<link::Address> subscribe(const link::Address& group, link::DatagramReceiver& receiver) override;

  /// Nobody listens any more. Live connections and subscriptions stay.
  void stop_listening();

  // As a source of the loop: asked every turn.
  [[nodiscard]] Time next_time() override { return k_every_turn; }
  std::size_t deliver(Time now) override;
  std::size_t finish(Time now) override;
  /// What was written leaves now, for callers that make no more turns.
  void flush();

  /// Sleeps until a socket has something for the next turn, `until` is reached, or `k_longest_wait` has passed; for
  /// loops that block when idle. Of `until` the last part of a millisecond is spent awake, with
  /// FabricOptions::max_wakes asleep. Calls nobody.
  void wait(Time until, Time now);
  /// The next wait() does not sleep, and one that sleeps now ends: something outside the sockets has happened. What a
  /// turn that began later could see needs no wake. Any thread; a system call only while the loop sleeps.
  void wake() noexcept;
  static constexpr time::Duration k_longest_wait{std::chrono::milliseconds{50}};

  /// Whether FabricOptions::ring was asked for and the system has one.
  [[nodiscard]] bool has_ring() const noexcept;
  /// Connections whose session has not had on_closed yet.
  [[nodiscard]] std::size_t open_connections() const noexcept;
  /// Connections in use, those included that only wait for their peer's end of the stream.
  [[nodiscard]] std::size_t used_connections() const noexcept;
  [[nodiscard]] const FabricCounts& counts() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dojima::net
