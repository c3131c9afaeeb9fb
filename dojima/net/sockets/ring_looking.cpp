// How the sockets are looked at through a Ring, for loops that sleep. Bytes are received into their connections by the
// kernel, which is given the places with the next sleep, as it is given what shall be sent: so a turn takes one system
// call, which waits for what the next one delivers. What is rare (connecting, a peer that takes nothing, a wake) stays
// in the poller, which the ring watches as one of its descriptors.

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/net/sockets/fabric_parts.hpp"

namespace dojima::net {
namespace {

constexpr std::uint64_t k_poller_key = (std::uint64_t{1} << 56U) - 1;  // no connection has it

}  // namespace

/// The next bytes go behind what is kept. Not where there is no room for them, or nobody wants them.
void AsioFabric::Impl::receive(Slot& slot) {
  if (slot.is_receiving || !slot.is_reading || slot.is_unread) return;
  const Room room = slot.input.prepare_all();
  if (room.empty()) return;
  slot.is_receiving = true;
  slot.arriving = room.data();
  ring_->receive(slot.socket.descriptor(), slot.index, room);
}

/// Of a descriptor that the poller has while somebody waits for it.
void AsioFabric::Impl::watch_rarely(Slot& slot) {
  const bool is_forgotten = slot.is_reading && slot.is_unread && !slot.is_receiving;
  const bool is_wanted = slot.is_awaiting_room || is_forgotten;
  const std::uint32_t interest = slot.is_awaiting_room ? Poller::k_output : Poller::k_nothing;
  const int descriptor = slot.socket.descriptor();
  if (is_wanted && slot.is_polled) {
    poller_.change(descriptor, slot.index, interest);
  } else if (is_wanted) {
    slot.is_polled = poller_.add(descriptor, slot.index, interest);
    // The system has no room for it: what waits would wait for ever.
    if (!slot.is_polled) slot.is_broken = true, list(slot);
  } else if (std::exchange(slot.is_polled, false)) {
    poller_.remove(descriptor);
  }
}

/// What was written to since the last time, with what else is to be submitted to the kernel. Whether the loop may sleep
/// then: no session has to be notified at once that it has left.
bool AsioFabric::Impl::order_sends() {
  bool may_sleep = true;
  for (const std::uint32_t index : dirty_) {
    Slot& slot = *slots_[index];
    slot.is_dirty = false;
    const bool is_open = slot.state == State::open || slot.state == State::closing;
    may_sleep = may_sleep && slot.state == State::open && slot.wanted_room == 0;
    if (is_open && !slot.output.is_empty() && !slot.is_awaiting_room)
      ring_->send(slot.socket.descriptor(), slot.index, slot.output.view());
    else
      write(slot);
  }
  dirty_.clear();
  counted_ = 0;
  return may_sleep;
}

/// Takes what has happened: the ends of sends at once, the rest for the next turn.
void AsioFabric::Impl::take_events() {
  while (const auto event = ring_->next()) {
    if (event->kind == Ring::Kind::sent) {
      note_sent(*slots_[event->key], event->result);
    } else if (event->kind == Ring::Kind::received) {
      arrived_.push_back(*event);
    } else if (event->kind == Ring::Kind::ready) {
      is_poller_watched_ = false;
      is_poller_ready_ = true;
    }
  }
}

void AsioFabric::Impl::note_sent(Slot& slot, int result) {
  if (slot.state != State::open && slot.state != State::closing) return;
  if (result >= 0) {
    slot.output.consume(static_cast<std::size_t>(result));
    counts_.bytes_out += static_cast<std::uint64_t>(result);
  } else if (result != -EAGAIN && result != -EINTR) {
    slot.output.clear();  // as in write()
  }
  write(slot);  // the rest, and what follows from it
}

/// At the beginning of a turn. What the sleep before it has found is there already.
void AsioFabric::Impl::look_by_ring() {
  if (is_asio_due_) [[unlikely]]
    run_asio();
  const bool has_looked = std::exchange(has_looked_, false);
  if (!std::exchange(has_woken_, has_looked) && !has_looked) {
    static_cast<void>(order_sends());
    watch_poller();
    ring_->enter(0, {});
    take_events();
  }
  if (std::exchange(is_poller_ready_, false)) note(poller_.look(std::chrono::milliseconds{0}));
}

void AsioFabric::Impl::watch_poller() {
  if (!std::exchange(is_poller_watched_, true)) ring_->watch(poller_.descriptor(), k_poller_key);
}

void AsioFabric::Impl::sleep_by_ring(std::chrono::nanoseconds limit) {
  const bool may_sleep = order_sends() && ready_.empty();
  watch_poller();
  ring_->enter(may_sleep ? 1 : 0, limit);
  take_events();
}

/// Whatever arrives meanwhile. Not in the ring, where each arrival wakes the thread for the kernel's part of its work.
void AsioFabric::Impl::pause_by_ring(std::chrono::nanoseconds length) {
  const bool may_sleep = order_sends() && ready_.empty();
  watch_poller();
  ring_->enter(0, {});
  take_events();
  if (may_sleep) std::this_thread::sleep_for(length);
}

/// Shows the sessions what has arrived. How many had something.
std::size_t AsioFabric::Impl::deliver_arrived(Time now) {
  const std::size_t count = arrived_.size();
  for (const Ring::Event& event : arrived_) on_arrived(*slots_[event.key], event.result, now);
  arrived_.clear();
  return count;
}

void AsioFabric::Impl::on_arrived(Slot& slot, int result, Time now) {
  slot.is_receiving = false;
  if (slot.state == State::releasing) return release(slot);
  if (!slot.is_reading) return;  // its end came in another way
  if (result > 0) {
    take_in(slot, static_cast<std::size_t>(result), now);
  } else if (slot.is_unread) {
    // Behind what is kept, or at once where it broke: resume() says it.
    slot.has_ended = result == 0;
    slot.is_broken = result < 0 && result != -ECANCELED && result != -EINTR;
    list(slot);
  } else if (result != -ECANCELED && result != -EINTR) {
    end_of_input(slot, -result, now);
  }
  if (slot.state == State::free || slot.state == State::releasing) return;
  receive(slot);
  if (slot.is_unread) watch_rarely(slot);
}

/// `size` bytes have come to where the connection wanted them.
void AsioFabric::Impl::take_in(Slot& slot, std::size_t size, Time now) {
  counts_.bytes_in += size;
  if (slot.state != State::open) return;  // it is closing, and the peer does not know yet
  // What was kept in front of them may have been used meanwhile.
  const Room room = slot.input.prepare(size);
  DOJIMA_ASSERT(room.size() == size, "there was room for what came", size, slot.input.size());
  if (room.data() != slot.arriving) std::memmove(room.data(), slot.arriving, size);
  slot.input.commit(size);
  if (!slot.is_unread) hand_over(slot, slot.input.view(), now);
}

}  // namespace dojima::net
