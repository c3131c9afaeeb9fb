#include "dojima/sched/scheduler.hpp"

#include <algorithm>
#include <stdexcept>

namespace dojima::sched {
namespace {
constexpr std::size_t k_arity = 4;
}

Timer::Timer(Scheduler& scheduler) : scheduler_(scheduler) {
  scheduler_.reserve(*this);
}
Timer::~Timer() {
  scheduler_.release(*this);
}
void Timer::arm(Time at) {
  scheduler_.arm(*this, at);
}
void Timer::disarm() {
  scheduler_.disarm(*this);
}
void Timer::fire(Time due, void*) {
  on_due(due);
}

Scheduler::Scheduler(std::size_t capacity, Time start) : capacity_(capacity), now_(start) {
  entries_.reserve(capacity);
}

Scheduler::~Scheduler() {
  DOJIMA_ASSERT(reserved_ == 0, "a scheduler outlives its timers");
  for (const Entry& entry : entries_) --entry.event->pending_;
}

void Scheduler::reserve(Timer&) {
  if (reserved_ + events_ >= capacity_) throw std::length_error("scheduler: no room for one more timer");
  ++reserved_;
}

void Scheduler::release(Timer& timer) {
  if (timer.position_ != Timer::k_none) remove_at(timer.position_);
  --reserved_;
}

bool Scheduler::schedule(Event& event, Time at) {
  if (reserved_ + events_ >= capacity_) return false;
  ++events_;
  push(Entry{std::max(at, now_), next_order_++, &event, nullptr});
  return true;
}

void Scheduler::arm(Timer& timer, Time at) {
  if (at == time::k_never) return disarm(timer);
  at = std::max(at, now_);
  timer.deadline_ = at;
  if (timer.position_ == Timer::k_none) {
    push(Entry{at, next_order_++, &timer, &timer});
  } else if (at < entries_[timer.position_].at) {
    remove_at(timer.position_);
    push(Entry{at, next_order_++, &timer, &timer});
  }
}

void Scheduler::disarm(Timer& timer) {
  timer.deadline_ = time::k_never;
  if (timer.position_ != Timer::k_none) remove_at(timer.position_);
}

Scheduler::Fired Scheduler::check(Time now, std::size_t max_events) {
  DOJIMA_ASSERT(!is_firing_, "check is not called from a callback");
  is_firing_ = true;
  struct Done {
    bool& flag;
    ~Done() { flag = false; }
  } done{is_firing_};
  std::size_t count = 0;
  while (!entries_.empty() && entries_.front().at <= now) {
    const Entry entry = entries_.front();
    const bool is_postponed = entry.timer != nullptr && entry.timer->deadline_ > entry.at;
    if (!is_postponed && count == max_events) return {count, false};
    now_ = std::max(now_, entry.at);
    remove_at(0);
    if (is_postponed) {
      push(Entry{entry.timer->deadline_, next_order_++, entry.event, entry.timer});
      continue;
    }
    if (entry.timer != nullptr) {
      entry.timer->deadline_ = time::k_never;
    } else {
      --events_;
    }
    ++count;
    entry.event->fire(now_, nullptr);
  }
  now_ = std::max(now_, now);
  return {count, true};
}

void Scheduler::push(Entry entry) {
  DOJIMA_ASSERT(entries_.size() < capacity_, "room was reserved");
  ++entry.event->pending_;
  entries_.push_back(entry);
  sift_up(entries_.size() - 1, entry);
}

void Scheduler::remove_at(std::size_t position) {
  const Entry removed = entries_[position];
  --removed.event->pending_;
  if (removed.timer != nullptr) removed.timer->position_ = Timer::k_none;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (position == entries_.size()) return;
  if (position > 0 && last.is_before(entries_[(position - 1) / k_arity])) {
    sift_up(position, last);
  } else {
    sift_down(position, last);
  }
}

void Scheduler::place(std::size_t position, const Entry& entry) noexcept {
  entries_[position] = entry;
  if (entry.timer != nullptr) entry.timer->position_ = static_cast<std::uint32_t>(position);
}

void Scheduler::sift_up(std::size_t position, Entry entry) noexcept {
  while (position > 0) {
    const std::size_t parent = (position - 1) / k_arity;
    if (!entry.is_before(entries_[parent])) break;
    place(position, entries_[parent]);
    position = parent;
  }
  place(position, entry);
}

void Scheduler::sift_down(std::size_t position, Entry entry) noexcept {
  for (;;) {
    const std::size_t first = position * k_arity + 1;
    if (first >= entries_.size()) break;
    std::size_t best = first;
    const std::size_t end = std::min(first + k_arity, entries_.size());
    for (std::size_t child = first + 1; child < end; ++child) {
      if (entries_[child].is_before(entries_[best])) best = child;
    }
    if (!entries_[best].is_before(entry)) break;
    place(position, entries_[best]);
    position = best;
  }
  place(position, entry);
}

}  // namespace dojima::sched
