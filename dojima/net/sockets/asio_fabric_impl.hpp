#pragma once

// The inside of AsioFabric: its connections, and what is on its way for each. opening.cpp has how they come to be,
// asio_fabric.cpp what becomes of them, looking.cpp and ring_looking.cpp how the sockets are looked at, datagrams.cpp
// the groups. Asio listens, accepts, connects and has the sockets of groups; an open connection is a plain socket in a
// Poller, which also says when Asio or a group has something, or in a Ring. What there are many of: fabric_parts.hpp.

#include <atomic>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/sockets/hold_trials.hpp"
#include "dojima/net/sockets/poller.hpp"
#include "dojima/net/sockets/ring.hpp"
#include "dojima/net/sockets/wake_limit.hpp"

namespace dojima::net {

/// A TCP socket of Asio. With the executor's own type nothing is erased, so nothing is copied or allocated per
/// operation.
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

/// What is ready is only noted and its connection put on a list; sessions are called from `deliver`, which works
/// through that list. So the sockets can be looked at anywhere, also in `wait`.
class AsioFabric::Impl {
 public:
  Impl(sched::Scheduler& scheduler, const FabricOptions& options);
  ~Impl();

  Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor);
  void connect(const link::Address& address, link::Connection& session);
  Result<link::DatagramSender*> publish(const link::Address& group);
  Result<link::Address> subscribe(const link::Address& group, link::DatagramReceiver& receiver);
  void stop_listening();
  std::size_t deliver(Time now);
  std::size_t finish();
  void flush();
  void wait(Time until, Time now);
  void wake() noexcept;

  [[nodiscard]] bool has_ring() const noexcept { return ring_ != nullptr; }
  [[nodiscard]] std::size_t open_connections() const noexcept;
  [[nodiscard]] std::size_t used_connections() const noexcept { return slots_.size() - free_.size(); }
  [[nodiscard]] const FabricCounts& counts() const noexcept { return counts_; }

 private:
  enum class State : std::uint8_t {
    free,
    connecting,
    open,
    closing,    // close() was called, or the peer is gone: what is committed still leaves
    ended,      // the session will be notified in the next deliver
    lingering,  // the session was notified; the peer's end of the stream is awaited
    releasing,  // the socket is closed; a connect is still coming back
  };

  struct Slot;           // one pooled connection
  struct ListeningPort;  // where peers are accepted
  struct Publication;    // the way to a group of datagrams
  struct Subscription;   // what comes from one
  struct Failure {
    link::Connection* session;
    link::CloseReason reason;
  };

  // opening.cpp
  void await_peer(ListeningPort& port);
  std::size_t accept_peer(ListeningPort& port, Time now);
  void set_up(Socket& socket);
  void make_place();
  Slot* take_slot(link::Connection& session);
  void process_connect(Slot& slot, Time now);
  void open(Slot& slot, Socket& socket, Time now);
  // looking.cpp
  void look();
  void note(std::span<const Poller::Ready> ready);
  void run_asio();
  [[nodiscard]] std::size_t read_directly(Time now);
  void take_direct_place(Slot& slot);
  void leave_direct_place(Slot& slot);
  void leave_direct_places();
  void hear_bell();
  void sleep(std::chrono::nanoseconds limit);
  void sleep_seldom(std::chrono::nanoseconds limit);
  // ring_looking.cpp
  void receive(Slot& slot);
  void watch_rarely(Slot& slot);
  [[nodiscard]] bool order_sends();
  void take_events();
  void note_sent(Slot& slot, int result);
  void look_by_ring();
  void watch_poller();
  void sleep_by_ring(std::chrono::nanoseconds limit);
  void pause_by_ring(std::chrono::nanoseconds length);
  [[nodiscard]] std::size_t deliver_arrived(Time now);
  void on_arrived(Slot& slot, int result, Time now);
  void take_in(Slot& slot, std::size_t size, Time now);
  // datagrams.cpp
  bool send(Publication& publication, Bytes datagram);
  std::size_t receive_datagrams(Time now);
  std::size_t receive(Subscription& subscription, Time now);
  // asio_fabric.cpp
  bool process(Slot& slot, Time now);
  bool read(Slot& slot, Time now);
  void hand_over(Slot& slot, Bytes shown, Time now);
  void resume(Slot& slot, Time now);
  void end_of_input(Slot& slot, int trouble, Time now);
  void write(Slot& slot);
  void await_room(Slot& slot, bool is_awaited);
  void watch(Slot& slot);
  void set_reading(Slot& slot, bool is_wanted);
  void close(Slot& slot, link::CloseReason reason);
  void end(Slot& slot);
  void notify_end(Slot& slot, Time now);
  void expire(Slot& slot);
  void release(Slot& slot);
  void list(Slot& slot);
  void allow(Slot& slot, time::Duration allowance);
  void allow_all_time(Slot& slot);

  // Keys of the poller besides the indices of slots.
  static constexpr std::uint32_t k_asio = UINT32_MAX, k_bell = k_asio - 1, k_group = 1U << 31U;
  static constexpr std::size_t k_direct_places = 4;

  sched::Scheduler& scheduler_;
  FabricOptions options_;
  boost::asio::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ = boost::asio::make_work_guard(io_);
  Poller poller_;
  std::unique_ptr<Ring> ring_;        // null: the poller has everything
  std::vector<Ring::Event> arrived_;  // and not shown yet
  bool is_poller_watched_ = false;    // by the ring
  bool is_poller_ready_ = false;
  std::size_t counted_ = 0;                // of dirty_, by finish() before
  std::unique_ptr<std::byte[]> arriving_;  // where bytes are read that no part of a message waits for
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::uint32_t> ready_;    // something came back, or an end has to be reported
  std::vector<std::uint32_t> working_;  // the part of it that this deliver works through
  std::vector<std::uint32_t> dirty_;    // written to since the last finish
  std::vector<std::uint32_t> direct_;   // connections that are read in every turn
  WakeLimit wake_limit_;
  HoldTrials hold_trials_;
  std::uint32_t turns_since_wait_ = 0;
  std::uint32_t turns_since_look_ = 0;
  bool had_direct_input_ = false;
  bool has_looked_ = false;   // in wait(), after the turn before
  bool has_woken_ = false;    // the turn before began with what wait() had found
  bool is_asio_due_ = false;  // an operation of it has begun or has something
  std::atomic<std::uint32_t> wakes_{0};
  std::atomic<bool> is_asleep_{false};
  std::uint32_t seen_wakes_ = 0;  // before the turn in hand
  int bell_;                      // rung by wake() while the loop sleeps
  std::vector<std::uint32_t> free_;
  std::vector<Failure> failures_;  // connects that failed at once
  std::vector<Failure> notifying_;
  FabricCounts counts_;
  std::vector<std::unique_ptr<ListeningPort>> ports_;
  std::vector<std::unique_ptr<Publication>> publications_;
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
};

}  // namespace dojima::net