#pragma once

// What AsioFabric::Impl has many of: connections, listening ports, and the ends of groups of datagrams.

#include <boost/asio/basic_datagram_socket.hpp>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>

#include "dojima/link/buffer.hpp"
#include "dojima/net/sockets/asio_fabric_impl.hpp"
#include "dojima/net/sockets/handler_memory.hpp"
#include "dojima/net/sockets/stream_socket.hpp"

namespace dojima::net {

// With the executor's own type nothing is erased, so nothing is copied or allocated per operation.
using Listener = boost::asio::basic_socket_acceptor<boost::asio::ip::tcp, boost::asio::io_context::executor_type>;
using DatagramSocket = boost::asio::basic_datagram_socket<boost::asio::ip::udp, boost::asio::io_context::executor_type>;

/// Programs that this one starts get no copy of a socket: they would keep a port taken, and a connection open, that are
/// closed here. Asio does not ask for it.
inline void keep_from_children(int descriptor) noexcept {
  static_cast<void>(::fcntl(descriptor, F_SETFD, FD_CLOEXEC));
}

/// One pooled connection. What carrying bytes needs comes first.
struct alignas(64) AsioFabric::Impl::Slot final : link::Transport {
  Slot(Impl& owner, std::uint32_t place)
      : impl(owner),
        index(place),
        input(owner.options_.input_capacity),
        output(owner.options_.output_capacity),
        limit(owner.scheduler_, *this),
        connecting(owner.io_) {}

  Room prepare(std::size_t size) override;
  void commit(std::size_t size) override;
  [[nodiscard]] std::size_t unsent() const override { return output.size(); }
  void flush() override { impl.write(*this); }
  void close(link::CloseReason why) override { impl.close(*this, why); }
  void set_reading(bool is_wanted) override { impl.set_reading(*this, is_wanted); }

  /// Connecting, closing or lingering has taken too long; what follows from that is done in `deliver`.
  void on_limit(Time) {
    is_late = true;
    impl.list(*this);
  }

  Impl& impl;
  const std::uint32_t index;
  StreamSocket socket;  // from open to released
  link::Connection* session = nullptr;
  State state = State::free;
  link::CloseReason reason = link::CloseReason::none;
  Time lingers_since{};
  bool is_readable = false;       // something came, or the peer's end
  bool is_reading = false;        // the peer has not ended its stream
  bool is_unread = false;         // the session wants no bytes now
  bool is_resumed = false;        // it wants them again, and has not been shown what was kept
  bool is_broken = false;         // found while it was not read
  bool is_awaiting_room = false;  // the kernel took no more; it says when it does
  bool is_writable = false;       // it has
  bool is_direct = false;         // in direct_
  bool is_listed = false;         // in ready_
  bool is_dirty = false;          // in dirty_
  bool is_late = false;
  // With a ring.
  bool is_receiving = false;      // the kernel puts what comes to `arriving`
  bool is_polled = false;         // in the poller
  bool has_ended = false;         // found while it was not read
  std::byte* arriving = nullptr;  // in the input, behind what is kept
  std::size_t wanted_room = 0;    // what prepare() had not; 0: nobody waits
  link::ByteQueue input;          // what the session has not used yet; what it uses at once is never here
  link::ByteQueue output;
  sched::TimerOf<&Slot::on_limit> limit;
  // While it connects.
  Socket connecting;
  bool is_connect_pending = false, is_connect_done = false;
  boost::system::error_code connect_error;
  HandlerMemory connect_memory;
};

struct AsioFabric::Impl::ListeningPort {
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

/// The way to a group.
struct AsioFabric::Impl::Publication final : link::DatagramSender {
  explicit Publication(Impl& owner) : impl(owner), socket(owner.io_) {}
  bool send(Bytes datagram) override { return impl.send(*this, datagram); }
  Impl& impl;
  DatagramSocket socket;
};

struct AsioFabric::Impl::Subscription {
  explicit Subscription(boost::asio::io_context& io) : socket(io) {}
  DatagramSocket socket;
  link::DatagramReceiver* receiver = nullptr;
  bool is_readable = false;
};

}  // namespace dojima::net
