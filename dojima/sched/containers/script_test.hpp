#pragma once

// Bytes as a script of operations, at the top level and inside callbacks, run against a scheduler and against the slow
// and obvious model of one. For the property tests and the fuzz target: both must leave the same log.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dojima/sched/core/basic_scheduler.hpp"

namespace dojima::sched::script {

inline constexpr std::size_t k_events = 6;
inline constexpr std::size_t k_timers = 5;
inline constexpr std::size_t k_capacity = 48;
inline constexpr std::size_t k_cancellable = 12;

/// Who fired: an event below 100, a timer from 100 on; `user` is what was given with the entry, 0 for none.
using OnFire = std::function<void(int who, std::int64_t due, std::uintptr_t user)>;

/// The model: a list searched from the front.
class NaiveWorld {
 public:
  /// `has_users`: entries carry a user; `has_one_entry`: an event with an entry is refused another.
  NaiveWorld(OnFire on_fire, bool has_users, bool has_one_entry)
      : on_fire_(std::move(on_fire)), has_users_(has_users), has_one_entry_(has_one_entry) {}

  bool schedule(std::size_t event, std::int64_t at, std::uintptr_t user) {
    if (!has_room() || (has_one_entry_ && has_entry(event))) return false;
    insert(at, static_cast<int>(event), user, 0);
    return true;
  }
  std::uint64_t schedule_cancellable(std::size_t event, std::int64_t at, std::uintptr_t user) {
    const auto with_handle =
        std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.handle != 0; });
    if (!has_room() || static_cast<std::size_t>(with_handle) >= k_cancellable) return 0;
    insert(at, static_cast<int>(event), user, ++handles_);
    return handles_;
  }
  bool cancel(std::uint64_t handle) {
    return handle != 0 && std::erase_if(entries_, [&](const Entry& entry) { return entry.handle == handle; }) != 0;
  }
  void arm(std::size_t timer, std::int64_t at) {
    at = std::max(at, now_);
    Timer& state = timers_[timer];
    state.deadline = at;
    if (state.entry && *state.entry <= at) return;
    remove_entry_of(timer);
    state.entry = at;
    insert(at, 100 + static_cast<int>(timer), 0, 0);
  }
  void disarm(std::size_t timer) { timers_[timer].deadline.reset(); }
  void replace(std::size_t timer) {
    remove_entry_of(timer);
    timers_[timer] = {};
  }
  SchedulerBase::Fired check(std::int64_t until, std::size_t most) {
    std::size_t fired = 0;
    for (;;) {
      const auto next = std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
        return std::pair(a.at, a.order) < std::pair(b.at, b.order);
      });
      if (next == entries_.end() || next->at > until) break;
      if (fired == most && !is_silent(*next)) return {fired, false};
      const Entry entry = *next;
      entries_.erase(next);
      if (entry.who >= 100) {
        Timer& state = timers_[static_cast<std::size_t>(entry.who - 100)];
        state.entry.reset();
        if (!state.deadline) continue;
        if (*state.deadline > entry.at) {
          state.entry = state.deadline;
          insert(*state.deadline, entry.who, 0, 0);
          continue;
        }
        state.deadline.reset();
      }
      ++fired;
      now_ = entry.at;
      on_fire_(entry.who, entry.at, has_users_ ? entry.user : 0);
    }
    now_ = std::max(now_, until);
    return {fired, true};
  }

  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] std::size_t size() const {
    const auto armed =
        std::count_if(timers_.begin(), timers_.end(), [](const Timer& timer) { return timer.deadline.has_value(); });
    return static_cast<std::size_t>(armed) + plain();
  }
  /// When the next callback is due.
  [[nodiscard]] std::int64_t next_due() const {
    std::int64_t next = INT64_MAX;
    for (const Entry& entry : entries_) {
      if (entry.who < 100) next = std::min(next, entry.at);
    }
    for (const Timer& timer : timers_) next = std::min(next, timer.deadline.value_or(INT64_MAX));
    return next;
  }

 private:
  struct Entry {
    std::int64_t at;
    std::uint64_t order;
    int who;
    std::uintptr_t user;
    std::uint64_t handle;
  };
  struct Timer {
    std::optional<std::int64_t> deadline, entry;
  };
  [[nodiscard]] bool is_silent(const Entry& entry) const {
    return entry.who >= 100 && timers_[static_cast<std::size_t>(entry.who - 100)].deadline != entry.at;
  }
  void insert(std::int64_t at, int who, std::uintptr_t user, std::uint64_t handle) {
    entries_.push_back({std::max(at, now_), order_++, who, user, handle});
  }
  void remove_entry_of(std::size_t timer) {
    std::erase_if(entries_, [&](const Entry& entry) { return entry.who == 100 + static_cast<int>(timer); });
  }
  [[nodiscard]] std::size_t plain() const {
    return static_cast<std::size_t>(
        std::count_if(entries_.begin(), entries_.end(), [](const Entry& entry) { return entry.who < 100; }));
  }
  [[nodiscard]] bool has_room() const { return plain() + k_timers < k_capacity; }
  [[nodiscard]] bool has_entry(std::size_t event) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [&](const Entry& entry) { return entry.who == static_cast<int>(event) && entry.handle == 0; });
  }

  OnFire on_fire_;
  bool has_users_;
  bool has_one_entry_;
  std::int64_t now_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t handles_ = 0;
  std::vector<Entry> entries_;
  std::array<Timer, k_timers> timers_;
};

/// A scheduler over `Queue`, with real events and timers.
template <class Queue>
class RealWorld {
 public:
  template <class... Arguments>
  explicit RealWorld(OnFire on_fire, Arguments&&... arguments)
      : on_fire_(std::move(on_fire)), scheduler_(std::forward<Arguments>(arguments)...) {
    for (std::size_t i = 0; i < k_events; ++i) events_[i].set(*this, static_cast<int>(i));
    for (std::size_t i = 0; i < k_timers; ++i) replace(i);
  }

  bool schedule(std::size_t event, std::int64_t at, std::uintptr_t user) {
    if constexpr (Queue::k_has_user) {
      return scheduler_.schedule(events_[event], time::from_nanoseconds(at), reinterpret_cast<void*>(user));
    } else {
      return scheduler_.schedule(events_[event], time::from_nanoseconds(at));
    }
  }
  Handle schedule_cancellable(std::size_t event, std::int64_t at, std::uintptr_t user) {
    return scheduler_.schedule_cancellable(events_[event], time::from_nanoseconds(at), reinterpret_cast<void*>(user));
  }
  bool cancel(Handle handle) { return scheduler_.cancel(handle); }
  void arm(std::size_t timer, std::int64_t at) { timers_[timer]->timer.arm(time::from_nanoseconds(at)); }
  void disarm(std::size_t timer) { timers_[timer]->timer.disarm(); }
  void replace(std::size_t timer) {
    timers_[timer].reset();
    timers_[timer] = std::make_unique<Owner>(*this, 100 + static_cast<int>(timer));
  }
  SchedulerBase::Fired check(std::int64_t until, std::size_t most) {
    return scheduler_.check(time::from_nanoseconds(until), most);
  }
  [[nodiscard]] std::int64_t now() const { return time::nanoseconds_of(scheduler_.now()); }
  [[nodiscard]] std::size_t size() const { return scheduler_.size(); }
  [[nodiscard]] std::int64_t next_due() const { return time::nanoseconds_of(scheduler_.next_due()); }

 private:
  class Scripted final : public Queue::Scheduled {
   public:
    void set(RealWorld& world, int who) {
      world_ = &world;
      who_ = who;
    }
    void fire(Time due, void* user) override {
      world_->on_fire_(who_, time::nanoseconds_of(due), reinterpret_cast<std::uintptr_t>(user));
    }

   private:
    RealWorld* world_ = nullptr;
    int who_ = 0;
  };
  struct Owner {
    Owner(RealWorld& its_world, int its_number)
        : world(its_world), who(its_number), timer(its_world.scheduler_, *this) {}
    void on_due(Time due) { world.on_fire_(who, time::nanoseconds_of(due), 0); }
    RealWorld& world;
    int who;
    TimerOf<&Owner::on_due> timer;
  };
  class OverQueue final : public BasicScheduler<Queue> {
   public:
    template <class... Arguments>
    explicit OverQueue(Arguments&&... arguments)
        : BasicScheduler<Queue>(k_capacity, k_cancellable, Time{}, std::forward<Arguments>(arguments)...) {}
  };

  OnFire on_fire_;
  std::array<Scripted, k_events> events_;
  OverQueue scheduler_;
  std::array<std::unique_ptr<Owner>, k_timers> timers_;
};

/// One line of the log: what, who or how many, when, and one thing more.
using Line = std::array<std::int64_t, 4>;

template <class World>
class Interpreter {
 public:
  template <class... Arguments>
  explicit Interpreter(std::span<const std::uint8_t> bytes, Arguments&&... arguments)
      : bytes_(bytes),
        world_([this](int who, std::int64_t due, std::uintptr_t user) { on_fire(who, due, user); },
               std::forward<Arguments>(arguments)...) {}

  /// The whole script, then everything that is still pending.
  const std::vector<Line>& run() {
    while (at_ < bytes_.size()) act(true);
    for (std::size_t timer = 0; timer < k_timers; ++timer) world_.disarm(timer);
    check(INT64_MAX - 1, SIZE_MAX);
    return log_;
  }
  /// What next_due() said after each operation.
  [[nodiscard]] const std::vector<std::int64_t>& next_dues() const { return next_dues_; }

 private:
  std::uint8_t next() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }

  /// From now on: a number of steps of 1 ns to half of all time, or into the past.
  std::int64_t next_time() {
    constexpr std::array<std::int64_t, 16> k_steps = {0,
                                                      1,
                                                      40,
                                                      1'000,
                                                      1 << 12,
                                                      1 << 16,
                                                      1 << 20,
                                                      1 << 23,
                                                      30'000'000,
                                                      400'000'000,
                                                      4'000'000'000,
                                                      60'000'000'000,
                                                      3'600'000'000'000,
                                                      86'400'000'000'000,
                                                      100'000'000'000'000'000,
                                                      2'000'000'000'000'000'000};
    const std::uint8_t byte = next();
    const std::int64_t step = k_steps[byte / 16], now = world_.now();
    const std::int64_t count = byte % 16;
    if (count == 15) return now - step;
    if (step != 0 && count > (INT64_MAX - 1 - now) / step) return INT64_MAX - 1;
    return now + step * count;
  }

  void act(bool is_top) {
    const std::uint8_t what = next();
    const std::uint8_t which = what / 16;
    switch (what % 16) {
      case 0:
      case 1:
      case 2:
      case 3: {
        const std::size_t event = which % k_events;
        const std::int64_t at = next_time();
        note(1, static_cast<std::int64_t>(event), at, world_.schedule(event, at, users_++) ? 1 : 0);
        break;
      }
      case 4:
      case 5: {
        const std::int64_t at = next_time();
        const auto handle = world_.schedule_cancellable(which % k_events, at, users_++);
        note(2, which, at, handle ? 1 : 0);
        handles_[handle_count_++ % handles_.size()] = handle;
        break;
      }
      case 6:
        note(3, which, world_.cancel(handles_[which]) ? 1 : 0, 0);
        break;
      case 7:
      case 8:
      case 9:
        world_.arm(which % k_timers, next_time());
        break;
      case 10:
        world_.disarm(which % k_timers);
        break;
      case 11:
        world_.replace(which % k_timers);
        break;
      default:
        if (is_top) check(next_time(), which == 0 ? 3 : 1000);
        break;
    }
    note(4, static_cast<std::int64_t>(world_.size()), world_.now(), 0);
    next_dues_.push_back(world_.next_due());
  }

  void check(std::int64_t until, std::size_t most) {
    fired_in_check_ = 0;
    SchedulerBase::Fired fired;
    std::size_t count = 0;
    do {
      fired = world_.check(until, most - count);
      count += fired.count;
      // Preparation may have been bounded: that is not the limit of callbacks.
    } while (!fired.is_drained && count < most);
    note(5, static_cast<std::int64_t>(count), world_.now(), fired.is_drained ? 1 : 0);
  }

  void on_fire(int who, std::int64_t due, std::uintptr_t user) {
    note(6, who, due, static_cast<std::int64_t>(user));
    // Half of the callbacks do something, up to two things; a check ends.
    if (++fired_in_check_ > 200 || at_ >= bytes_.size()) return;
    for (std::uint8_t more = next() % 4; more > 1; --more) act(false);
  }

  void note(std::int64_t what, std::int64_t who, std::int64_t when, std::int64_t more) {
    log_.push_back({what, who, when, more});
  }

  using HandleOfWorld = decltype(std::declval<World&>().schedule_cancellable(0, 0, 0));

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::uintptr_t users_ = 1;
  std::size_t fired_in_check_ = 0;
  std::array<HandleOfWorld, 16> handles_{};
  std::size_t handle_count_ = 0;
  std::vector<Line> log_;
  std::vector<std::int64_t> next_dues_;
  World world_;
};

/// Whether a scheduler over `Queue`, made with `arguments`, does with this script what the model does.
template <class Queue, class... Arguments>
[[nodiscard]] bool agrees_with_model(std::span<const std::uint8_t> bytes, bool has_one_entry,
                                     const Arguments&... arguments) {
  Interpreter<RealWorld<Queue>> real(bytes, arguments...);
  Interpreter<NaiveWorld> naive(bytes, Queue::k_has_user, has_one_entry);
  if (real.run() != naive.run()) return false;
  // Never later than the next callback; entries that fire nothing may make it earlier.
  return std::equal(real.next_dues().begin(), real.next_dues().end(), naive.next_dues().begin(),
                    naive.next_dues().end(), [](std::int64_t found, std::int64_t due) { return found <= due; });
}

}  // namespace dojima::sched::script
