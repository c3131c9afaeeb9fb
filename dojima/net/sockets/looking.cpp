// How the sockets are looked at: by the poller, by reading a few directly, and asleep.

#include <algorithm>
#include <chrono>
#include <span>
#include <thread>
#include <unistd.h>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/net/sockets/fabric_parts.hpp"

namespace dojima::net {
namespace {

// A loop that never sleeps reads its connections itself, without asking the poller, while they are few: one system call
// for an input instead of two. The poller, which knows the ports and the peers that have sent nothing yet, is asked
// after every turn with input, and else once in so many turns; for input of those that are read anyway it does not
// wait. Of more connections none is read so: all are served alike.
constexpr std::uint32_t k_turns_to_look = 8;
constexpr std::uint32_t k_turns_awake = 64;  // so long after its last sleep a loop counts as one that never sleeps

}  // namespace

/// What has something is listed.
void AsioFabric::Impl::look() {
  if (ring_ != nullptr) return look_by_ring();
  if (turns_since_wait_ < k_turns_awake) ++turns_since_wait_;
  if (used_connections() > k_direct_places) leave_direct_places();
  if (is_asio_due_) [[unlikely]]
    run_asio();
  // The sleep that has just ended found what there is. In the turn behind that one there is seldom more: the loop will
  // sleep again, which is a look, or else looks in the turn that follows.
  const bool has_looked = std::exchange(has_looked_, false);
  if (std::exchange(has_woken_, has_looked) || has_looked) return;
  if (!direct_.empty() && !had_direct_input_ && ++turns_since_look_ < k_turns_to_look) return;
  turns_since_look_ = 0;
  note(poller_.look(std::chrono::milliseconds{0}));
}

void AsioFabric::Impl::note(std::span<const Poller::Ready> ready) {
  bool has_asio = false;
  for (const Poller::Ready& each : ready) {
    const std::uint32_t key = each.key();
    if (key >= k_group) [[unlikely]] {
      has_asio |= key == k_asio;
      if (key == k_bell) hear_bell();
      if (key < k_bell) subscriptions_[key - k_group]->is_readable = true;
      continue;
    }
    Slot& slot = *slots_[key];
    const bool is_writable = slot.is_awaiting_room && each.has_room();
    if (is_writable) await_room(slot, false);
    slot.is_broken |= slot.is_unread && each.has_failed();
    if (slot.is_direct && !is_writable && !slot.is_broken) continue;  // it is read anyway
    slot.is_writable |= is_writable;
    slot.is_readable |= each.has_input();
    list(slot);
  }
  if (has_asio) run_asio();
}

/// Its handlers note what came. What begins after this may be done at once, and shows when this is called again.
void AsioFabric::Impl::run_asio() {
  is_asio_due_ = false;
  io_.poll();
}

// -------------------------------------------------------------------------------------------------------- direct reads

void AsioFabric::Impl::take_direct_place(Slot& slot) {
  if (ring_ != nullptr || slot.is_direct || turns_since_wait_ < k_turns_awake || used_connections() > k_direct_places)
    return;
  DOJIMA_ASSERT(direct_.size() < k_direct_places, "a place for every connection", direct_.size(), slot.index);
  slot.is_direct = true;
  direct_.push_back(slot.index);
  watch(slot);
}

void AsioFabric::Impl::leave_direct_place(Slot& slot) {
  if (!slot.is_direct) return;
  slot.is_direct = false;
  std::erase(direct_, slot.index);
  watch(slot);
}

/// For a loop that is about to sleep, and when there are more connections than places.
void AsioFabric::Impl::leave_direct_places() {
  while (!direct_.empty()) leave_direct_place(*slots_[direct_.back()]);
}

/// How many had something.
std::size_t AsioFabric::Impl::read_directly(Time now) {
  std::size_t work = 0;
  for (std::size_t place = direct_.size(); place-- > 0;) {
    Slot& slot = *slots_[direct_[place]];
    slot.is_readable = slot.is_reading;
    if (process(slot, now)) ++work;
  }
  had_direct_input_ = work != 0;
  return work;
}

// ------------------------------------------------------------------------------------------------------------- waiting

void AsioFabric::Impl::wait(Time until, Time now) {
  if (!ready_.empty() || !failures_.empty() || !arrived_.empty() || is_poller_ready_ || is_asio_due_ || until <= now)
    return;
  for (const auto& port : ports_) {
    if (port->is_done) return;
  }
  time::Duration limit = k_longest_wait;
  if (until - now < limit) limit = until - now;
  if (wake_limit_.is_set()) return sleep_seldom(limit);
  // The kernel counts in milliseconds and rounds up: the last part of one is spent awake, so that no timer is late.
  const auto whole = std::chrono::floor<std::chrono::milliseconds>(limit);
  if (whole > std::chrono::milliseconds::zero()) sleep(whole);
}

/// Until something is there, and not at all when it was woken since the turn began.
void AsioFabric::Impl::sleep(std::chrono::nanoseconds limit) {
  turns_since_wait_ = 0;
  leave_direct_places();
  // A waking thread counts first and looks whether the loop sleeps then; the loop does it the other way round.
  is_asleep_.store(true, std::memory_order_seq_cst);
  if (wakes_.load(std::memory_order_seq_cst) == seen_wakes_) {
    if (ring_ != nullptr)
      sleep_by_ring(limit);
    else
      note(poller_.look(limit));
    has_looked_ = true;
  }
  is_asleep_.store(false, std::memory_order_relaxed);
}

/// Of a loop whose wakes are limited: as long as it has to whatever comes, a wake() too, then until something is there.
void AsioFabric::Impl::sleep_seldom(std::chrono::nanoseconds limit) {
  const auto begin = WakeLimit::Clock::now();
  const bool may_hold = !options_.wakes_by_trial || hold_trials_.allow(counts_.bytes_in);
  if (const auto pause = wake_limit_.pause(begin); may_hold && pause > std::chrono::nanoseconds::zero()) {
    if (ring_ != nullptr)
      pause_by_ring(pause);
    else
      std::this_thread::sleep_for(pause);
    limit = std::max(limit - (WakeLimit::Clock::now() - begin), std::chrono::nanoseconds::zero());
  }
  // What a ring has found before the pause waits no longer, and what came meanwhile comes with it.
  const bool has_found = !arrived_.empty() || is_poller_ready_;
  sleep(has_found ? std::chrono::nanoseconds::zero() : limit);
  wake_limit_.note(WakeLimit::Clock::now());
}

void AsioFabric::Impl::wake() noexcept {
  wakes_.fetch_add(1, std::memory_order_seq_cst);
  if (!is_asleep_.load(std::memory_order_seq_cst)) return;
  const std::uint64_t one = 1;
  static_cast<void>(::write(bell_, &one, sizeof one));
}

void AsioFabric::Impl::hear_bell() {
  std::uint64_t rung = 0;
  static_cast<void>(::read(bell_, &rung, sizeof rung));
}

}  // namespace dojima::net
