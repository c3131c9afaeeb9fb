#pragma once

// The inside of AsioFabric: its connections, and what is on its way for each. asio_fabric.cpp has what becomes of them,
// direct_reads.cpp the reading that does without the reactor.

#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/link/buffer.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/sockets/handler_memory.hpp"

namespace dojima::net {

// With the executor's own type nothing is erased, so nothing is copied or allocated per operation.
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;
using Bell = boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type>;
using Listener = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;

[[nodiscard]] inline bool is_full(const boost::system::error_code& error) noexcept {
  return error == boost::asio::error::would_block || error == boost::asio::error::try_again;
}

/// The handlers of Asio only note what came and put the connection on a list; sessions are called from `deliver`,
/// which works through that list. So a handler can run at any place where the sockets are looked at, also in `wait`.
class AsioFabric::Impl {
 public:
  Impl(sched::Scheduler& scheduler, const FabricOptions& options);
  ~Impl();

  Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor);
  void connect(const link::Address& address, link::Connection& session);
  void stop_listening();
  std::size_t deliver(Time now);
  std::size_t finish();
  void wait(Time until, Time now);
  void wake() noexcept;

  [[nodiscard]] std::size_t open_connections() const noexcept;
  [[nodiscard]] std::size_t used_connections() const noexcept { return slots_.size() - free_.size(); }
  [[nodiscard]] const FabricCounts& counts() const noexcept { return counts_; }

 private:
  enum class State : std::uint8_t {
    free,
    connecting,
    open,
    closing,    // close() was called, or the peer is gone: what is committed still leaves
    ended,      // the session will be told in the next deliver
    lingering,  // the session was told; the peer's end of the stream is awaited
    releasing,  // the socket is closed; operations are still coming back
  };

  /// One pooled connection.
  struct Slot final : link::Transport {
    Slot(Impl& owner, std::uint32_t place)
        : impl(owner),
          index(place),
          limit(owner.scheduler_, *this),
          socket(owner.io_),
          input(owner.options_.input_capacity),
          output(owner.options_.output_capacity) {}

    Room prepare(std::size_t size) override;
    void commit(std::size_t size) override;
    [[nodiscard]] std::size_t unsent() const override { return output.size(); }
    void flush() override { impl.write(*this); }
    void close(link::CloseReason why) override { impl.close(*this, why); }

    /// Connecting, closing or lingering has taken too long; what follows from that is done in `deliver`.
    void on_limit(Time) {
      is_late = true;
      impl.list(*this);
    }

    Impl& impl;
    const std::uint32_t index;
    sched::TimerOf<&Slot::on_limit> limit;
    Socket socket;
    link::Connection* session = nullptr;
    State state = State::free;
    link::CloseReason reason = link::CloseReason::none;
    link::ByteQueue input;
    link::ByteQueue output;
    std::size_t wanted_room = 0;  // what prepare() had not; 0: nobody waits
    // What came back since the last deliver.
    boost::system::error_code error;
    std::size_t bytes_read = 0;
    bool is_read_done = false;
    bool is_connect_done = false;
    bool is_writable = false;
    bool is_late = false;
    bool is_direct = false;  // in direct_: no read is on its way
    // Operations on their way, each with its memory.
    std::uint8_t pending = 0;
    bool is_waiting_to_write = false;
    bool is_listed = false;  // in ready_
    bool is_dirty = false;   // in dirty_
    HandlerMemory read_memory;
    HandlerMemory write_memory;  // of connecting as well: never both
  };

  struct ListeningPort {
    explicit ListeningPort(boost::asio::io_context& io) : listener(io), arriving(io) {}
    Listener listener;
    Socket arriving;
    boost::asio::ip::tcp::endpoint peer;
    link::Acceptor* acceptor = nullptr;
    bool is_done = false;
    boost::system::error_code error;
    Time again = time::k_never;  // after a failure: when to accept again
    HandlerMemory memory;
  };

  struct Failure {
    link::Connection* session;
    link::CloseReason reason;
  };

  void await_wake();
  void await_peer(ListeningPort& port);
  std::size_t accept_peer(ListeningPort& port, Time now);
  void set_up(Socket& socket);
  void open(Slot& slot, Time now);
  void start_reading(Slot& slot);
  void read_on(Slot& slot);
  bool take_direct_place(Slot& slot);
  void leave_direct_place(Slot& slot);
  bool read_directly();
  void read_directly(Slot& slot);
  void look();
  void leave_direct_places();
  void process(Slot& slot, Time now);
  void process_connect(Slot& slot, Time now);
  void process_read(Slot& slot, Time now);
  void hand_over(Slot& slot, Time now);
  void write(Slot& slot);
  void await_room(Slot& slot);
  void close(Slot& slot, link::CloseReason reason);
  void end(Slot& slot);
  void tell_end(Slot& slot, Time now);
  void expire(Slot& slot);
  Slot* take_slot(link::Connection& session);
  void release(Slot& slot);
  void operation_done(Slot& slot);
  void list(Slot& slot);
  void allow(Slot& slot, time::Duration allowance);
  void allow_all_time(Slot& slot);

  sched::Scheduler& scheduler_;
  FabricOptions options_;
  boost::asio::io_context io_{BOOST_ASIO_CONCURRENCY_HINT_UNSAFE};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ = boost::asio::make_work_guard(io_);
  Bell bell_;  // rung by wake() while the loop sleeps
  std::atomic<std::uint32_t> wakes_{0};
  std::atomic<bool> is_asleep_{false};
  std::uint32_t seen_wakes_ = 0;  // before the turn in hand
  HandlerMemory bell_memory_;
  std::vector<std::unique_ptr<ListeningPort>> ports_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> ready_;    // something came back, or an end has to be told
  std::vector<std::uint32_t> working_;  // the part of it that this deliver works through
  std::vector<std::uint32_t> dirty_;    // written to since the last finish
  static constexpr std::size_t k_direct_places = 4;
  std::vector<std::uint32_t> direct_;  // connections that are read without the reactor
  std::uint32_t turns_since_wait_ = 0;
  std::uint32_t turns_since_reactor_ = 0;
  bool had_direct_input_ = false;
  std::vector<Failure> failures_;  // connects that failed at once
  std::vector<Failure> telling_;
  FabricCounts counts_;
};

}  // namespace dojima::net
