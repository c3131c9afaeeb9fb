// How connections come to be: listening, accepting and connecting, all by Asio. Once open, a socket is taken out of
// Asio and given to the poller.

#include <cerrno>
#include <sys/socket.h>
#include <system_error>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/net/sockets/fabric_parts.hpp"

namespace dojima::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using link::CloseReason;

/// After a connection could not be accepted, the next one is not tried for so long.
constexpr time::Duration k_accept_pause{std::chrono::milliseconds{100}};

CloseReason reason_of(const error_code& error) noexcept {
  if (error == asio::error::eof || error == asio::error::connection_reset || error == asio::error::broken_pipe)
    return CloseReason::by_peer;
  if (error == asio::error::connection_refused) return CloseReason::refused;
  if (error == asio::error::timed_out) return CloseReason::timed_out;
  return CloseReason::failed;
}

tcp::endpoint endpoint_of(const link::Address& address, error_code& error) {
  const std::string& host = address.host.empty() || address.host == "localhost" ? "127.0.0.1" : address.host;
  return {asio::ip::make_address(host, error), address.port};
}

link::Address address_of(const tcp::endpoint& endpoint) {
  return {endpoint.address().to_string(), endpoint.port()};
}

std::unexpected<Error> unavailable(const error_code& error) {
  const char* expected = "an address of this machine";
  if (error == asio::error::address_in_use) expected = "a port that nobody listens on";
  if (error == asio::error::access_denied) expected = "a port that this user may listen on";
  return fail(ErrorCode::unavailable, 0, 0, error.value(), expected);
}

error_code no_memory() {
  return asio::error::no_memory;
}

}  // namespace

// ----------------------------------------------------------------------------------------------------------- listening

Result<link::Address> AsioFabric::Impl::listen(const link::Address& address, link::Acceptor& acceptor) {
  if (ports_.size() == options_.max_listeners)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(options_.max_listeners), "fewer listeners");
  error_code error;
  const tcp::endpoint endpoint = endpoint_of(address, error);
  if (error) return unavailable(error);
  auto port = std::make_unique<ListeningPort>(io_);
  port->listener.open(endpoint.protocol(), error);
  if (!error) keep_from_children(port->listener.native_handle());
  // A port whose last connections are still timing out may be listened on again; one with a listener may not.
  if (!error) port->listener.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && options_.socket_buffer != 0)
    port->listener.set_option(asio::socket_base::receive_buffer_size(static_cast<int>(options_.socket_buffer)), error);
  if (!error) port->listener.bind(endpoint, error);
  if (!error) port->listener.listen(asio::socket_base::max_listen_connections, error);
  if (!error && !poller_.add(port->listener.native_handle(), k_asio, Poller::k_changes)) error = no_memory();
  if (error) return unavailable(error);
  const tcp::endpoint bound = port->listener.local_endpoint(error);
  if (error) return unavailable(error);
  port->acceptor = &acceptor;
  ports_.push_back(std::move(port));
  await_peer(*ports_.back());
  return address_of(bound);
}

void AsioFabric::Impl::await_peer(ListeningPort& port) {
  is_asio_due_ = true;  // the kernel's queue may have one already
  port.listener.async_accept(port.arriving, port.peer, with_memory(port.memory, [&port](const error_code& error) {
                               port.is_done = true;
                               port.error = error;
                             }));
}

std::size_t AsioFabric::Impl::accept_peer(ListeningPort& port, Time now) {
  port.is_done = false;
  if (!port.listener.is_open()) return 0;
  error_code ignored;
  if (port.error) {
    // No more descriptors, or no memory: what waits in the kernel's queue would fail again at once, and again.
    ++counts_.accept_failures;
    port.again = now + k_accept_pause;
    return 1;
  }
  if (free_.empty()) make_place();
  link::Connection* session = nullptr;
  if (free_.empty()) {
    port.acceptor->on_turned_away(address_of(port.peer));
  } else {
    session = port.acceptor->on_accept(address_of(port.peer));
  }
  if (session == nullptr) {
    ++counts_.refused;
    port.arriving.close(ignored);
  } else {
    ++counts_.accepted;
    Slot& slot = *take_slot(*session);
    set_up(port.arriving);
    open(slot, port.arriving, now);
    // A ring gives the place back only when it has seen the end of what it received into: before the next one comes.
    if (ring_ != nullptr && free_.empty()) make_place();
  }
  await_peer(port);
  return 1;
}

void AsioFabric::Impl::stop_listening() {
  error_code ignored;
  for (auto& port : ports_) port->listener.close(ignored);
  is_asio_due_ = true;
}

// ------------------------------------------------------------------------------------------------------------- opening

void AsioFabric::Impl::connect(const link::Address& address, link::Connection& session) {
  error_code error;
  const tcp::endpoint endpoint = endpoint_of(address, error);
  if (free_.empty()) make_place();
  if (error || free_.empty()) {
    failures_.push_back({&session, CloseReason::failed});
    return;
  }
  Slot& slot = *take_slot(session);
  slot.state = State::connecting;
  slot.connecting.open(endpoint.protocol(), error);
  if (!error && !poller_.add(slot.connecting.native_handle(), k_asio, Poller::k_changes)) error = no_memory();
  if (error) {
    slot.connect_error = error;
    slot.is_connect_done = true;
    list(slot);
    return;
  }
  set_up(slot.connecting);
  allow(slot, options_.connect_timeout);
  slot.is_connect_pending = is_asio_due_ = true;
  slot.connecting.async_connect(endpoint, with_memory(slot.connect_memory, [this, &slot](const error_code& result) {
                                  slot.is_connect_pending = false;
                                  slot.connect_error = result;
                                  slot.is_connect_done = true;
                                  if (slot.state == State::releasing) return release(slot);
                                  list(slot);
                                }));
}

void AsioFabric::Impl::set_up(Socket& socket) {
  // Options that cannot be set cost speed, not correctness; a broken socket shows at the first read.
  error_code ignored;
  keep_from_children(socket.native_handle());
  socket.non_blocking(true, ignored);
  socket.set_option(tcp::no_delay(true), ignored);
  if (options_.busy_poll_us != 0) {
    const int microseconds = static_cast<int>(options_.busy_poll_us);
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_BUSY_POLL, &microseconds, sizeof microseconds);
  }
  if (options_.socket_buffer == 0) return;
  const int size = static_cast<int>(options_.socket_buffer);
  socket.set_option(asio::socket_base::send_buffer_size(size), ignored);
  socket.set_option(asio::socket_base::receive_buffer_size(size), ignored);
}

/// Of the connections that only wait for their peer's end of the stream the oldest waits no longer.
void AsioFabric::Impl::make_place() {
  Slot* oldest = nullptr;
  for (const auto& slot : slots_) {
    if (slot->state == State::lingering && (oldest == nullptr || slot->lingers_since < oldest->lingers_since))
      oldest = slot.get();
  }
  if (oldest != nullptr) release(*oldest);
}

AsioFabric::Impl::Slot* AsioFabric::Impl::take_slot(link::Connection& session) {
  DOJIMA_ASSERT(!free_.empty(), "asked for before");
  Slot& slot = *slots_[free_.back()];
  free_.pop_back();
  slot.session = &session;
  slot.reason = CloseReason::none;
  slot.input.clear();
  slot.output.clear();
  slot.wanted_room = 0;
  slot.is_readable = slot.is_writable = slot.is_connect_done = slot.is_late = false;
  slot.is_unread = slot.is_resumed = slot.is_broken = slot.has_ended = false;
  return &slot;
}

void AsioFabric::Impl::process_connect(Slot& slot, Time now) {
  slot.is_connect_done = false;
  if (slot.state != State::connecting) return;
  allow_all_time(slot);
  if (!slot.connect_error) {
    poller_.remove(slot.connecting.native_handle());
    open(slot, slot.connecting, now);
    return;
  }
  slot.reason = reason_of(slot.connect_error);
  slot.state = State::ended;
}

/// The connection has the socket from now on.
void AsioFabric::Impl::open(Slot& slot, Socket& socket, Time now) {
  error_code failed;
  const auto descriptor = socket.release(failed);
  DOJIMA_ASSERT(!failed && descriptor >= 0, "an open socket leaves Asio", failed.value());
  slot.socket.take(descriptor);
  slot.is_reading = ring_ != nullptr || poller_.add(descriptor, slot.index, Poller::k_input);
  slot.is_awaiting_room = false;
  slot.state = State::open;
  if (ring_ != nullptr) receive(slot);
  slot.session->on_open(slot, now);
  if (slot.is_reading || slot.state != State::open) return;
  // The system has no room for it: it would never be heard.
  close(slot, CloseReason::failed);
}

}  // namespace dojima::net
