#pragma once

// A scheduler over any container of entries: the interface and the loop that fires, the same for the production
// containers and their rivals, so that one test suite and one benchmark hold for all. The containers' rivals are in
// sched/containers/; for just a scheduler take scheduler.hpp.

#include <algorithm>
#include <cstddef>
#include <utility>

#include "dojima/sched/core/entry_queue.hpp"
#include "dojima/sched/core/instant.hpp"
#include "dojima/sched/core/scheduler_base.hpp"

namespace dojima::sched {

template <EntryQueue Queue>
class BasicScheduler : public SchedulerBase {
 public:
  using Scheduled = typename Queue::Scheduled;

  /// One more entry for `event`. False: full, nothing changed. A past `at` means now().
  [[nodiscard]] bool schedule(Scheduled& event, Time at) { return enter(event, at, nullptr); }
  /// `user` is handed to the callback.
  [[nodiscard]] bool schedule(Scheduled& event, Time at, void* user)
    requires(Queue::k_has_user)
  {
    return enter(event, at, user);
  }

  /// As schedule(), for an entry that can be cancelled. A handle that is false: full, nothing changed. O(1) amortised.
  [[nodiscard]] Handle schedule_cancellable(Event& event, Time at, void* user = nullptr) {
    Handle handle;
    if (!has_room() || !has_ticket()) return handle;
    if (is_purge_due()) queue_.erase_if([this](Event& entry) { return discard_if_cancelled(entry); });
    admit(event);
    queue_.push_own(std::max(instant_of(at), now_), &take_ticket(event, handle), user);
    return handle;
  }
  /// The entry will not fire. False: it has fired or was cancelled before. O(1).
  bool cancel(Handle handle) noexcept { return cancel_ticket(handle); }

  /// When the next entry is due; `k_never` when none will fire. While some will, the pending entry of a timer that was
  /// postponed or disarmed, and that of a cancelled handle, count until their time: nothing fires before.
  [[nodiscard]] Time next_due() const {
    const Instant next = size() == 0 ? k_no_instant : queue_.next();
    return next == k_no_instant ? time::k_never : time_of(next);
  }

  /// Fires what is due at or before `now`, in order, at most `max_events` entries. An earlier `now` than before fires
  /// nothing new. Callbacks may schedule at now(): such an entry fires in the same check, behind existing ties.
  Fired check(Time now, std::size_t max_events) {
    DOJIMA_ASSERT(!is_firing_, "check is not called from a callback", now_);
    const Instant limit = instant_of(now);
    queue_.refill();
    if (limit < queue_.lower_bound()) {
      now_ = std::max(now_, limit);
      return {0, true};
    }
    return fire_until(limit, max_events);
  }

  [[nodiscard]] const Queue& queue() const noexcept { return queue_; }

 protected:
  template <class... Arguments>
  BasicScheduler(std::size_t capacity, std::size_t cancellable, Time start, Arguments&&... arguments)
      // Cancelled entries stay until their time comes or all tickets are used up.
      : SchedulerBase(capacity, cancellable, start),
        queue_(capacity + 2 * cancellable, instant_of(start), std::forward<Arguments>(arguments)...) {}
  ~BasicScheduler() {
    queue_.for_each([this](Event& event) { forget(event); });
  }

 private:
  bool enter(Scheduled& event, Time at, void* user) {
    if (!has_room()) [[unlikely]]
      return false;
    if constexpr (requires { queue_.can_hold(event); }) {
      if (!queue_.can_hold(event)) return false;
    }
    admit(event);
    queue_.push(std::max(instant_of(at), now_), &event, user);
    return true;
  }

  /// Entries that come up without a callback, of postponed and disarmed timers and cancelled handles, are bounded too.
  static constexpr std::size_t k_most_silent = 8192;

  [[gnu::noinline]] Fired fire_until(Instant limit, std::size_t max_events) {
    struct Firing {
      explicit Firing(bool& its_flag) : flag(its_flag) { flag = true; }
      ~Firing() { flag = false; }
      bool& flag;
    } firing{is_firing_};
    std::size_t fired = 0, silent = 0;
    for (;;) {
      if (!queue_.is_due(limit)) [[unlikely]] {
        const Readiness readiness = queue_.prepare(limit);
        if (readiness == Readiness::busy) return {fired, false};
        if (readiness == Readiness::none) break;
      }
      if (fired == max_events && !is_silent(queue_.first().at, *queue_.first().event)) [[unlikely]]
        return {fired, false};
      const auto entry = queue_.take();
      if (come_up(entry.at, *entry.event, entry.user())) {
        ++fired;
      } else if (++silent == k_most_silent) [[unlikely]] {
        return {fired, false};
      }
    }
    now_ = std::max(now_, limit);
    return {fired, true};
  }

  void insert(Instant at, Event& entry) override { queue_.push_own(at, &entry, nullptr); }
  void remove(Instant at, Event& entry) override { queue_.erase(at, &entry); }

  mutable Queue queue_;
  bool is_firing_ = false;
};

}  // namespace dojima::sched
