#include "dojima/net/asio_fabric.hpp"

#include <cerrno>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/net/sockets/asio_fabric_impl.hpp"

namespace dojima::net {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using link::CloseReason;

/// After a connection could not be accepted, the next one is not tried for so long.
constexpr time::Duration k_accept_pause{std::chrono::milliseconds{100}};

int make_bell() {
  const int bell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (bell < 0) throw std::system_error(errno, std::system_category(), "eventfd");
  return bell;
}

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

}  // namespace

Room AsioFabric::Impl::Slot::prepare(std::size_t size) {
  if (state != State::open) return {};
  const Room room = output.prepare(size);
  if (room.size() < size) wanted_room = std::min(size, output.capacity());
  return room;
}

void AsioFabric::Impl::Slot::commit(std::size_t size) {
  if (state != State::open) return;
  output.commit(size);
  if (is_dirty) return;
  is_dirty = true;
  impl.dirty_.push_back(index);
}

AsioFabric::Impl::Impl(sched::Scheduler& scheduler, const FabricOptions& options)
    : scheduler_(scheduler), options_(options), bell_(io_, make_bell()) {
  await_wake();
  slots_.reserve(options.max_connections);
  free_.reserve(options.max_connections);
  ready_.reserve(options.max_connections);
  working_.reserve(options.max_connections);
  dirty_.reserve(options.max_connections);
  direct_.reserve(k_direct_places);
  failures_.reserve(options.max_connections);
  telling_.reserve(options.max_connections);
  for (std::uint32_t index = 0; index < options.max_connections; ++index)
    slots_.push_back(std::make_unique<Slot>(*this, index));
  for (std::uint32_t index = static_cast<std::uint32_t>(options.max_connections); index-- > 0;) free_.push_back(index);
}

AsioFabric::Impl::~Impl() {
  // Operations live in the memory of slots and doors: they come back before those go.
  error_code ignored;
  bell_.close(ignored);
  for (auto& port : ports_) port->listener.close(ignored);
  for (auto& slot : slots_) slot->socket.close(ignored);
  io_.poll();
}

// ----------------------------------------------------------------------------------------------------------- listening

Result<link::Address> AsioFabric::Impl::listen(const link::Address& address, link::Acceptor& acceptor) {
  if (ports_.size() == options_.max_listeners)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(options_.max_listeners), "fewer listeners");
  error_code error;
  const tcp::endpoint endpoint = endpoint_of(address, error);
  if (error) return unavailable(error);
  auto port = std::make_unique<ListeningPort>(io_);
  port->listener.open(endpoint.protocol(), error);
  // A port whose last connections are still timing out may be listened on again; one with a listener may not.
  if (!error) port->listener.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && options_.socket_buffer != 0)
    port->listener.set_option(asio::socket_base::receive_buffer_size(static_cast<int>(options_.socket_buffer)), error);
  if (!error) port->listener.bind(endpoint, error);
  if (!error) port->listener.listen(asio::socket_base::max_listen_connections, error);
  if (error) return unavailable(error);
  const tcp::endpoint bound = port->listener.local_endpoint(error);
  if (error) return unavailable(error);
  port->acceptor = &acceptor;
  ports_.push_back(std::move(port));
  await_peer(*ports_.back());
  return address_of(bound);
}

void AsioFabric::Impl::await_peer(ListeningPort& port) {
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
  link::Connection* session = free_.empty() ? nullptr : port.acceptor->on_accept(address_of(port.peer));
  if (session == nullptr) {
    ++counts_.refused;
    port.arriving.close(ignored);
  } else {
    ++counts_.accepted;
    Slot& slot = *take_slot(*session);
    slot.socket = std::move(port.arriving);
    set_up(slot.socket);
    open(slot, now);
  }
  await_peer(port);
  return 1;
}

void AsioFabric::Impl::stop_listening() {
  error_code ignored;
  for (auto& port : ports_) port->listener.close(ignored);
}

// ------------------------------------------------------------------------------------------------------------- opening

void AsioFabric::Impl::connect(const link::Address& address, link::Connection& session) {
  error_code error;
  const tcp::endpoint endpoint = endpoint_of(address, error);
  if (error || free_.empty()) {
    failures_.push_back({&session, CloseReason::failed});
    return;
  }
  Slot& slot = *take_slot(session);
  slot.state = State::connecting;
  slot.socket.open(endpoint.protocol(), error);
  if (error) {
    slot.error = error;
    slot.is_connect_done = true;
    list(slot);
    return;
  }
  set_up(slot.socket);
  allow(slot, options_.connect_timeout);
  ++slot.pending;
  slot.socket.async_connect(endpoint, with_memory(slot.write_memory, [this, &slot](const error_code& result) {
                              slot.error = result;
                              slot.is_connect_done = true;
                              operation_done(slot);
                            }));
}

void AsioFabric::Impl::set_up(Socket& socket) {
  // Options that cannot be set cost speed, not correctness; a broken socket shows at the first read.
  error_code ignored;
  socket.non_blocking(true, ignored);
  socket.set_option(tcp::no_delay(true), ignored);
  if (options_.socket_buffer == 0) return;
  const int size = static_cast<int>(options_.socket_buffer);
  socket.set_option(asio::socket_base::send_buffer_size(size), ignored);
  socket.set_option(asio::socket_base::receive_buffer_size(size), ignored);
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
  slot.error.clear();
  slot.is_read_done = slot.is_connect_done = slot.is_writable = slot.is_waiting_to_write = slot.is_late = false;
  return &slot;
}

void AsioFabric::Impl::open(Slot& slot, Time now) {
  slot.state = State::open;
  slot.session->on_open(slot, now);
  start_reading(slot);
}

void AsioFabric::Impl::start_reading(Slot& slot) {
  const Room room = slot.input.prepare_all();
  ++slot.pending;
  slot.socket.async_read_some(asio::buffer(room.data(), room.size()),
                              with_memory(slot.read_memory, [this, &slot](const error_code& result, std::size_t size) {
                                slot.error = result;
                                slot.bytes_read = size;
                                slot.is_read_done = true;
                                operation_done(slot);
                              }));
}

/// After a read that brought something.
void AsioFabric::Impl::read_on(Slot& slot) {
  const bool is_open = slot.state == State::open;
  if (is_open && (slot.is_direct || take_direct_place(slot))) return;
  if (!is_open) slot.input.clear();
  leave_direct_place(slot);
  start_reading(slot);
}

/// Every handler ends here.
void AsioFabric::Impl::operation_done(Slot& slot) {
  --slot.pending;
  if (slot.state == State::releasing) {
    if (slot.pending == 0) release(slot);
  } else {
    list(slot);
  }
}

void AsioFabric::Impl::list(Slot& slot) {
  if (slot.is_listed) return;
  slot.is_listed = true;
  ready_.push_back(slot.index);
}

// ---------------------------------------------------------------------------------------------------------- delivering

std::size_t AsioFabric::Impl::deliver(Time now) {
  seen_wakes_ = wakes_.load(std::memory_order_acquire);
  look();
  std::size_t work = 0;
  std::swap(telling_, failures_);
  for (const Failure& failure : telling_) failure.session->on_closed(failure.reason, now);
  work += telling_.size();
  telling_.clear();
  for (std::size_t index = 0; index < ports_.size(); ++index) {
    ListeningPort& port = *ports_[index];
    if (port.is_done) work += accept_peer(port, now);
    if (port.again <= now) {
      port.again = time::k_never;
      await_peer(port);
    }
  }
  std::swap(working_, ready_);
  for (const std::uint32_t index : working_) {
    slots_[index]->is_listed = false;
    process(*slots_[index], now);
  }
  work += working_.size();
  working_.clear();
  return work;
}

void AsioFabric::Impl::process(Slot& slot, Time now) {
  if (slot.is_connect_done) process_connect(slot, now);
  if (slot.is_writable) {
    slot.is_writable = false;
    write(slot);
  }
  if (slot.is_read_done) process_read(slot, now);
  const bool has_room = slot.output.capacity() - slot.output.size() >= slot.wanted_room;
  if (slot.state == State::open && slot.wanted_room != 0 && has_room) {
    slot.wanted_room = 0;
    slot.session->on_writable(now);
  }
  if (slot.is_late) expire(slot);
  // An end that the session brought about in this very call is told in the next turn: then the slot is listed again.
  if (slot.state == State::ended && !slot.is_listed) tell_end(slot, now);
}

void AsioFabric::Impl::process_connect(Slot& slot, Time now) {
  slot.is_connect_done = false;
  if (slot.state != State::connecting) return;
  allow_all_time(slot);
  if (!slot.error) {
    open(slot, now);
    return;
  }
  slot.reason = reason_of(slot.error);
  slot.state = State::ended;
}

void AsioFabric::Impl::process_read(Slot& slot, Time now) {
  slot.is_read_done = false;
  const error_code error = slot.error;
  counts_.bytes_in += slot.bytes_read;
  if (slot.state == State::open) {
    slot.input.commit(slot.bytes_read);
    if (slot.bytes_read != 0) hand_over(slot, now);
  }
  if (!error) {
    read_on(slot);
    return;
  }
  switch (slot.state) {
    case State::open:
      slot.reason = reason_of(error);
      [[fallthrough]];
    case State::closing:
      // The peer has ended its stream; it may still read what we had to say.
      slot.state = State::closing;
      write(slot);
      if (slot.state == State::closing) end(slot);
      list(slot);
      break;
    case State::lingering:
      release(slot);
      break;
    default:
      break;
  }
}

void AsioFabric::Impl::hand_over(Slot& slot, Time now) {
  const Bytes shown = slot.input.view();
  const std::size_t used = slot.session->on_bytes(shown, now);
  DOJIMA_ASSERT(used <= shown.size(), "a session uses what it was shown");
  if (slot.state != State::open) return;  // it closed meanwhile, which forgot the input
  slot.input.consume(used);
  if (slot.input.is_full()) close(slot, CloseReason::input_overflow);
}

// ------------------------------------------------------------------------------------------------------------- sending

std::size_t AsioFabric::Impl::finish() {
  const std::size_t count = dirty_.size();
  for (const std::uint32_t index : dirty_) {
    Slot& slot = *slots_[index];
    slot.is_dirty = false;
    write(slot);
  }
  dirty_.clear();
  return count;
}

void AsioFabric::Impl::write(Slot& slot) {
  if (slot.state != State::open && slot.state != State::closing) return;
  while (!slot.output.is_empty() && !slot.is_waiting_to_write) {
    const Bytes bytes = slot.output.view();
    error_code error;
    const std::size_t sent = slot.socket.write_some(asio::buffer(bytes.data(), bytes.size()), error);
    if (is_full(error)) {
      await_room(slot);
    } else if (error) {
      // The peer takes nothing any more. What it had sent before comes in first; the read then finds the end.
      slot.output.clear();
    } else {
      slot.output.consume(sent);
      counts_.bytes_out += sent;
    }
  }
  if (slot.wanted_room != 0 && slot.output.capacity() - slot.output.size() >= slot.wanted_room) list(slot);
  if (slot.state == State::closing && slot.output.is_empty()) {
    end(slot);
    list(slot);
  }
}

void AsioFabric::Impl::await_room(Slot& slot) {
  slot.is_waiting_to_write = true;
  ++slot.pending;
  slot.socket.async_wait(Socket::wait_write, with_memory(slot.write_memory, [this, &slot](const error_code&) {
                           slot.is_waiting_to_write = false;
                           slot.is_writable = true;
                           operation_done(slot);
                         }));
}

// -------------------------------------------------------------------------------------------------------------- ending

void AsioFabric::Impl::close(Slot& slot, CloseReason reason) {
  if (slot.state != State::open) return;
  slot.state = State::closing;
  slot.reason = reason;
  slot.input.clear();
  allow(slot, options_.linger);
  if (reason == CloseReason::output_overflow) slot.output.clear();  // it does not read: nothing will leave
  if (slot.is_dirty) return;
  slot.is_dirty = true;
  dirty_.push_back(slot.index);
}

/// Nothing more leaves.
void AsioFabric::Impl::end(Slot& slot) {
  error_code ignored;
  slot.socket.shutdown(Socket::shutdown_send, ignored);
  slot.output.clear();
  slot.state = State::ended;
}

void AsioFabric::Impl::tell_end(Slot& slot, Time now) {
  DOJIMA_ASSERT(slot.state == State::ended, "told once");
  slot.session->on_closed(slot.reason, now);
  slot.session = nullptr;
  const bool is_by_us = slot.reason == CloseReason::by_us || slot.reason == CloseReason::input_overflow;
  if (is_by_us && slot.pending != 0) {
    slot.state = State::lingering;
    allow(slot, options_.linger);
  } else {
    release(slot);
  }
}

/// A connect without an answer, or a closed connection whose peer does not take or end its stream.
void AsioFabric::Impl::expire(Slot& slot) {
  slot.is_late = false;
  switch (slot.state) {
    case State::connecting:
      slot.reason = CloseReason::timed_out;
      slot.state = State::ended;
      break;
    case State::closing:
      end(slot);
      break;
    case State::lingering:
      release(slot);
      break;
    default:
      break;
  }
}

/// How long connecting, closing and lingering may take; 0: no limit.
void AsioFabric::Impl::allow(Slot& slot, time::Duration allowance) {
  allow_all_time(slot);
  if (allowance != time::Duration::zero()) slot.limit.arm(scheduler_.now() + allowance);
}

void AsioFabric::Impl::allow_all_time(Slot& slot) {
  slot.limit.disarm();
  slot.is_late = false;
}

/// Closes the socket; the slot is free again when its operations have come back.
void AsioFabric::Impl::release(Slot& slot) {
  leave_direct_place(slot);
  error_code ignored;
  slot.socket.close(ignored);
  allow_all_time(slot);
  slot.state = State::releasing;
  if (slot.pending != 0) return;
  slot.state = State::free;
  free_.push_back(slot.index);
}

// ------------------------------------------------------------------------------------------------------------- waiting

void AsioFabric::Impl::wait(Time until, Time now) {
  if (!ready_.empty() || !failures_.empty() || until <= now) return;
  for (const auto& port : ports_) {
    if (port->is_done) return;
  }
  time::Duration limit = k_longest_wait;
  if (until - now < limit) limit = until - now;
  // The kernel counts in milliseconds and rounds up: the last part of one is spent awake, so that no timer is late.
  limit = std::chrono::floor<std::chrono::milliseconds>(limit);
  if (limit <= time::Duration::zero()) return;
  turns_since_wait_ = 0;
  leave_direct_places();
  // Whoever wakes counts first and looks whether the loop sleeps then; the loop does it the other way round.
  is_asleep_.store(true, std::memory_order_seq_cst);
  if (wakes_.load(std::memory_order_seq_cst) == seen_wakes_) io_.run_one_for(limit);
  is_asleep_.store(false, std::memory_order_relaxed);
}

void AsioFabric::Impl::wake() noexcept {
  wakes_.fetch_add(1, std::memory_order_seq_cst);
  if (!is_asleep_.load(std::memory_order_seq_cst)) return;
  const std::uint64_t one = 1;
  static_cast<void>(::write(bell_.native_handle(), &one, sizeof one));
}

void AsioFabric::Impl::await_wake() {
  bell_.async_wait(Bell::wait_read, with_memory(bell_memory_, [this](const error_code& error) {
                     if (error) return;
                     std::uint64_t rung = 0;
                     static_cast<void>(::read(bell_.native_handle(), &rung, sizeof rung));
                     await_wake();
                   }));
}

std::size_t AsioFabric::Impl::open_connections() const noexcept {
  std::size_t count = 0;
  for (const auto& slot : slots_) {
    if (slot->session != nullptr) ++count;
  }
  return count;
}

// ---------------------------------------------------------------------------------------------------------- the handle

AsioFabric::AsioFabric(sched::Scheduler& scheduler, const FabricOptions& options)
    : impl_(std::make_unique<Impl>(scheduler, options)) {}
AsioFabric::~AsioFabric() = default;

Result<link::Address> AsioFabric::listen(const link::Address& address, link::Acceptor& acceptor) {
  return impl_->listen(address, acceptor);
}
void AsioFabric::connect(const link::Address& address, link::Connection& connection) {
  impl_->connect(address, connection);
}
void AsioFabric::stop_listening() {
  impl_->stop_listening();
}
std::size_t AsioFabric::deliver(Time now) {
  return impl_->deliver(now);
}
std::size_t AsioFabric::finish(Time) {
  return impl_->finish();
}
void AsioFabric::wake() noexcept {
  impl_->wake();
}
void AsioFabric::wait(Time until, Time now) {
  impl_->wait(until, now);
}
std::size_t AsioFabric::open_connections() const noexcept {
  return impl_->open_connections();
}
std::size_t AsioFabric::used_connections() const noexcept {
  return impl_->used_connections();
}
const FabricCounts& AsioFabric::counts() const noexcept {
  return impl_->counts();
}

}  // namespace dojima::net
