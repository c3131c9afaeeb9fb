// Reading without the reactor, for loops that never sleep.

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/net/sockets/asio_fabric_impl.hpp"

namespace dojima::net {
namespace {

// A loop that never sleeps reads its connections itself, without the reactor, while they are few: one system call for
// an input instead of two. The reactor, which has the ports and whoever has said nothing yet, is asked after every turn
// with input, and else once in so many turns. Of more connections none is read so: all are served alike.
constexpr std::uint32_t k_turns_to_reactor = 8;
constexpr std::uint32_t k_turns_awake = 64;  // so long after its last sleep a loop counts as one that never sleeps

}  // namespace

bool AsioFabric::Impl::take_direct_place(Slot& slot) {
  if (turns_since_wait_ < k_turns_awake || used_connections() > k_direct_places) return false;
  DOJIMA_ASSERT(direct_.size() < k_direct_places, "a place for every connection", direct_.size(), slot.index);
  slot.is_direct = true;
  direct_.push_back(slot.index);
  return true;
}

/// Whoever calls sees to it that it is read by an operation then, or never again.
void AsioFabric::Impl::leave_direct_place(Slot& slot) {
  if (!slot.is_direct) return;
  slot.is_direct = false;
  std::erase(direct_, slot.index);
}

/// Whether anything came.
bool AsioFabric::Impl::read_directly() {
  const std::size_t listed = ready_.size();
  for (std::size_t place = direct_.size(); place-- > 0;) {
    Slot& slot = *slots_[direct_[place]];
    DOJIMA_ASSERT(!slot.is_read_done, "one that is read directly has no read on its way", slot.index);
    if (slot.state == State::open) {
      read_directly(slot);
    } else {
      leave_direct_place(slot);  // it is closing: the peer's end of the stream is awaited
      start_reading(slot);
    }
  }
  return ready_.size() != listed;
}

void AsioFabric::Impl::read_directly(Slot& slot) {
  const Room room = slot.input.prepare_all();
  slot.bytes_read = slot.socket.read_some(boost::asio::buffer(room.data(), room.size()), slot.error);
  if (is_full(slot.error)) return;
  if (slot.error) leave_direct_place(slot);
  slot.is_read_done = true;
  list(slot);
}

/// One look at all sockets: what came is listed.
void AsioFabric::Impl::look() {
  if (turns_since_wait_ < k_turns_awake) ++turns_since_wait_;
  if (used_connections() > k_direct_places) leave_direct_places();
  const bool has_come = read_directly();
  const bool is_reactor_due = direct_.empty() || had_direct_input_ || ++turns_since_reactor_ >= k_turns_to_reactor;
  had_direct_input_ = has_come;
  if (!is_reactor_due) return;
  turns_since_reactor_ = 0;
  // Each connection has at most one operation of a kind, and new ones start when this has ended: it ends.
  io_.poll();
}

/// For a loop that is about to sleep, which whatever comes must wake, and when there are more connections than places.
void AsioFabric::Impl::leave_direct_places() {
  while (!direct_.empty()) {
    Slot& slot = *slots_[direct_.back()];
    leave_direct_place(slot);
    start_reading(slot);
  }
}

}  // namespace dojima::net
