#include "dojima/net/asio_fabric.hpp"

#include <cerrno>
#include <cstring>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/net/sockets/fabric_parts.hpp"

namespace dojima::net {
namespace {

using link::CloseReason;

int make_bell() {
  const int bell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (bell < 0) throw std::system_error(errno, std::system_category(), "eventfd");
  return bell;
}

/// Why a stream ended; 0: in order.
CloseReason reason_of(int trouble) noexcept {
  if (trouble == 0 || trouble == ECONNRESET || trouble == EPIPE) return CloseReason::by_peer;
  return trouble == ETIMEDOUT ? CloseReason::timed_out : CloseReason::failed;
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
    : scheduler_(scheduler),
      options_(options),
      ring_(options.ring ? Ring::make() : nullptr),
      arriving_(std::make_unique<std::byte[]>(options.input_capacity)),
      wake_limit_(options.max_wakes),
      bell_(make_bell()) {
  if (ring_ != nullptr) arrived_.reserve(std::max(options.max_connections, Ring::k_events));
  if (!poller_.add(bell_, k_bell, Poller::k_input)) throw std::system_error(errno, std::system_category(), "epoll_ctl");
  slots_.reserve(options.max_connections);
  free_.reserve(options.max_connections);
  ready_.reserve(options.max_connections);
  working_.reserve(options.max_connections);
  dirty_.reserve(options.max_connections);
  direct_.reserve(k_direct_places);
  failures_.reserve(options.max_connections);
  notifying_.reserve(options.max_connections);
  for (std::uint32_t index = 0; index < options.max_connections; ++index)
    slots_.push_back(std::make_unique<Slot>(*this, index));
  for (std::uint32_t index = static_cast<std::uint32_t>(options.max_connections); index-- > 0;) free_.push_back(index);
}

AsioFabric::Impl::~Impl() {
  flush();
  ring_.reset();  // before the memory that it receives into
  // Operations live in the memory of slots and ports: they come back before those go.
  boost::system::error_code ignored;
  for (auto& port : ports_) port->listener.close(ignored);
  for (auto& slot : slots_) slot->connecting.close(ignored);
  io_.poll();
  ::close(bell_);
}

// ---------------------------------------------------------------------------------------------------------- delivering

void AsioFabric::Impl::list(Slot& slot) {
  if (slot.is_listed) return;
  slot.is_listed = true;
  ready_.push_back(slot.index);
}

std::size_t AsioFabric::Impl::deliver(Time now) {
  seen_wakes_ = wakes_.load(std::memory_order_acquire);
  look();
  std::size_t work = 0;
  std::swap(notifying_, failures_);
  for (const Failure& failure : notifying_) failure.session->on_closed(failure.reason, now);
  work += notifying_.size();
  notifying_.clear();
  for (std::size_t index = 0; index < ports_.size(); ++index) {
    ListeningPort& port = *ports_[index];
    if (port.is_done) work += accept_peer(port, now);
    if (port.again <= now) {
      port.again = time::k_never;
      await_peer(port);
    }
  }
  std::swap(working_, ready_);
  if (!direct_.empty()) work += read_directly(now);
  if (!arrived_.empty()) work += deliver_arrived(now);
  for (const std::uint32_t index : working_) {
    slots_[index]->is_listed = false;
    process(*slots_[index], now);
  }
  work += working_.size();
  working_.clear();
  if (!subscriptions_.empty()) work += receive_datagrams(now);
  return work;
}

/// Whether it had something to read.
bool AsioFabric::Impl::process(Slot& slot, Time now) {
  if (slot.is_connect_done) process_connect(slot, now);
  if (slot.is_writable) {
    slot.is_writable = false;
    write(slot);
  }
  if (slot.is_resumed || slot.is_broken) [[unlikely]]
    resume(slot, now);
  const bool has_read = std::exchange(slot.is_readable, false) && ring_ == nullptr && read(slot, now);
  const bool has_room = slot.output.capacity() - slot.output.size() >= slot.wanted_room;
  if (slot.wanted_room != 0 && has_room && slot.state == State::open) {
    slot.wanted_room = 0;
    slot.session->on_writable(now);
  }
  if (slot.is_late) expire(slot);
  // An end that the session brought about in this very call is reported in the next turn: then the slot is listed
  // again.
  if (slot.state == State::ended && !slot.is_listed) notify_end(slot, now);
  return has_read;
}

/// What has arrived, once, as much as there is room for. False: nothing, not even the end.
bool AsioFabric::Impl::read(Slot& slot, Time now) {
  if (!slot.is_reading || slot.is_unread) return false;
  // Most messages come whole and are used at once: what is not used is kept, and read on behind it.
  const bool is_shared = slot.input.is_empty() || slot.state != State::open;
  const Room room = is_shared ? Room{arriving_.get(), options_.input_capacity} : slot.input.prepare_all();
  const StreamSocket::Moved got = slot.socket.read(room);
  if (got.is_not_now()) return false;
  if (got.size == 0) {
    end_of_input(slot, got.trouble, now);
    return true;
  }
  counts_.bytes_in += got.size;
  if (slot.state != State::open) return true;  // it is closing, and the peer does not know yet
  if (is_shared) {
    hand_over(slot, Bytes(room.first(got.size)), now);
  } else {
    slot.input.commit(got.size);
    hand_over(slot, slot.input.view(), now);
  }
  if (slot.state == State::open) take_direct_place(slot);
  return true;
}

/// `shown` is what the slot keeps, or what has arrived where it keeps nothing.
void AsioFabric::Impl::hand_over(Slot& slot, Bytes shown, Time now) {
  const std::size_t used = slot.session->on_bytes(shown, now);
  DOJIMA_ASSERT(used <= shown.size(), "a session uses what it was shown", used, shown.size());
  if (slot.state != State::open) return;  // it closed meanwhile, which forgot the input
  if (!slot.input.is_empty()) {
    slot.input.consume(used);
  } else if (used < shown.size()) {
    const Bytes rest = shown.subspan(used);
    const Room room = slot.input.prepare(rest.size());
    std::memcpy(room.data(), rest.data(), rest.size());
    slot.input.commit(rest.size());
  }
  if (slot.input.is_full() && !slot.is_unread) close(slot, CloseReason::input_overflow);
}

/// The peer has ended its stream, in order or not. It is reported to the session at once: before what the peer sends
/// over its next connection, though both are found in one turn.
void AsioFabric::Impl::end_of_input(Slot& slot, int trouble, Time now) {
  slot.is_reading = false;
  leave_direct_place(slot);
  watch(slot);
  switch (slot.state) {
    case State::open:
      slot.reason = reason_of(trouble);
      [[fallthrough]];
    case State::closing:
      // It may still read what we had to say.
      slot.state = State::closing;
      write(slot);
      if (slot.state == State::closing) end(slot);
      notify_end(slot, now);
      break;
    case State::lingering:
      release(slot);
      break;
    default:
      break;
  }
}

// ------------------------------------------------------------------------------------------------------------- sending

std::size_t AsioFabric::Impl::finish() {
  const std::size_t count = dirty_.size() - counted_;
  // With a ring what was written to leaves with the sleep that follows, or in the next turn.
  if (ring_ != nullptr) {
    counted_ = dirty_.size();
    return count;
  }
  flush();
  return count;
}

void AsioFabric::Impl::flush() {
  for (const std::uint32_t index : dirty_) {
    slots_[index]->is_dirty = false;
    write(*slots_[index]);
  }
  dirty_.clear();
  counted_ = 0;
}

void AsioFabric::Impl::write(Slot& slot) {
  if (slot.state != State::open && slot.state != State::closing) return;
  while (!slot.output.is_empty() && !slot.is_awaiting_room) {
    const StreamSocket::Moved sent = slot.socket.write(slot.output.view());
    if (sent.is_not_now()) {
      await_room(slot, true);
    } else if (sent.trouble != 0) {
      // The peer takes nothing any more. What it had sent before comes in first; the read then finds the end.
      slot.output.clear();
    } else {
      slot.output.consume(sent.size);
      counts_.bytes_out += sent.size;
    }
  }
  if (slot.wanted_room != 0 && slot.output.capacity() - slot.output.size() >= slot.wanted_room) list(slot);
  if (slot.state == State::closing && slot.output.is_empty()) {
    end(slot);
    list(slot);
  }
}

void AsioFabric::Impl::await_room(Slot& slot, bool is_awaited) {
  slot.is_awaiting_room = is_awaited;
  watch(slot);
}

/// Has the poller wait for what the connection waits for.
void AsioFabric::Impl::watch(Slot& slot) {
  if (ring_ != nullptr) return watch_rarely(slot);
  const bool is_input_awaited = slot.is_reading && !slot.is_unread && !slot.is_direct;
  const std::uint32_t interest =
      (is_input_awaited ? Poller::k_input : 0U) | (slot.is_awaiting_room ? Poller::k_output : 0U);
  poller_.change(slot.socket.descriptor(), slot.index, interest == 0 ? std::uint32_t{Poller::k_nothing} : interest);
}

/// What has come and is not read fills the kernel's buffers, until the peer's are full too.
void AsioFabric::Impl::set_reading(Slot& slot, bool is_wanted) {
  if (slot.state != State::open || slot.is_unread != is_wanted) return;
  slot.is_unread = !is_wanted;
  slot.is_resumed = is_wanted;
  if (slot.is_reading) watch(slot);
  if (!is_wanted) return;
  slot.is_readable = true;
  list(slot);
}

/// Shows the session what was kept while it wanted no bytes; or its connection broke then.
void AsioFabric::Impl::resume(Slot& slot, Time now) {
  const bool is_broken = std::exchange(slot.is_broken, false) && slot.is_unread;
  if (is_broken && slot.state == State::open) return end_of_input(slot, ECONNRESET, now);
  const bool is_resumed = std::exchange(slot.is_resumed, false) && !slot.is_unread;
  if (is_resumed && slot.state == State::open && !slot.input.is_empty()) hand_over(slot, slot.input.view(), now);
  if (ring_ == nullptr || !is_resumed || slot.is_unread || !slot.is_reading) return;
  if (std::exchange(slot.has_ended, false)) return end_of_input(slot, 0, now);
  receive(slot);
}

// -------------------------------------------------------------------------------------------------------------- ending

void AsioFabric::Impl::close(Slot& slot, CloseReason reason) {
  if (slot.state != State::open) return;
  set_reading(slot, true);  // the peer's end is awaited
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
  slot.socket.end_output();
  slot.output.clear();
  slot.state = State::ended;
}

void AsioFabric::Impl::notify_end(Slot& slot, Time now) {
  DOJIMA_ASSERT(slot.state == State::ended, "reported once");
  slot.session->on_closed(slot.reason, now);
  slot.session = nullptr;
  const bool is_by_us = slot.reason == CloseReason::by_us || slot.reason == CloseReason::input_overflow;
  if (is_by_us && slot.is_reading) {
    slot.state = State::lingering;
    slot.lingers_since = now;
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

/// Closes the socket; the slot is free again when a connect of it has come back.
void AsioFabric::Impl::release(Slot& slot) {
  leave_direct_place(slot);
  if (slot.socket.is_open()) {
    if (ring_ == nullptr || std::exchange(slot.is_polled, false)) poller_.remove(slot.socket.descriptor());
    if (slot.is_receiving) {
      ring_->cancel(slot.index);
      ring_->enter(0, {});  // before the descriptor is another socket's
    }
    slot.socket.close();
  }
  boost::system::error_code ignored;
  slot.connecting.close(ignored);
  slot.is_reading = slot.is_awaiting_room = false;
  allow_all_time(slot);
  slot.state = State::releasing;
  if (slot.is_connect_pending) {
    is_asio_due_ = true;
    return;
  }
  if (slot.is_receiving) return;  // into its input
  slot.state = State::free;
  free_.push_back(slot.index);
}

// ---------------------------------------------------------------------------------------------------------- the handle

std::size_t AsioFabric::Impl::open_connections() const noexcept {
  std::size_t count = 0;
  for (const auto& slot : slots_) {
    if (slot->session != nullptr) ++count;
  }
  return count;
}

AsioFabric::AsioFabric(sched::Scheduler& scheduler, const FabricOptions& options)
    : impl_(std::make_unique<Impl>(scheduler, options)) {}
AsioFabric::~AsioFabric() = default;

Result<link::Address> AsioFabric::listen(const link::Address& address, link::Acceptor& acceptor) {
  return impl_->listen(address, acceptor);
}
void AsioFabric::connect(const link::Address& address, link::Connection& connection) {
  impl_->connect(address, connection);
}
Result<link::DatagramSender*> AsioFabric::publish(const link::Address& group) {
  return impl_->publish(group);
}
Result<link::Address> AsioFabric::subscribe(const link::Address& group, link::DatagramReceiver& receiver) {
  return impl_->subscribe(group, receiver);
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
void AsioFabric::flush() {
  impl_->flush();
}
void AsioFabric::wake() noexcept {
  impl_->wake();
}
void AsioFabric::wait(Time until, Time now) {
  impl_->wait(until, now);
}
bool AsioFabric::has_ring() const noexcept {
  return impl_->has_ring();
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
