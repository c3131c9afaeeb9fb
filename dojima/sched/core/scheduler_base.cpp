#include "dojima/sched/core/scheduler_base.hpp"

#include <algorithm>
#include <stdexcept>

namespace dojima::sched {

Timer::Timer(SchedulerBase& scheduler) : Event(Kind::timer), scheduler_(scheduler) {
  if (!scheduler.has_room()) throw std::length_error("scheduler: no room for one more timer");
  ++scheduler.reserved_;
}

Timer::~Timer() {
  disarm();
  if (entry_ != k_no_instant) scheduler_.remove(entry_, *this);
  DOJIMA_ASSERT(scheduler_.reserved_ > 0, "each timer had reserved its entry", scheduler_.reserved_);
  --scheduler_.reserved_;
}

void Timer::arm(Time at) {
  if (at == time::k_never) return disarm();
  const Instant deadline = std::max(instant_of(at), scheduler_.now_);
  if (!is_armed()) {
    ++scheduler_.armed_;
    pending_ = 1;
  }
  deadline_ = deadline;
  if (entry_ <= deadline) return;  // it comes up first, and moves then
  if (entry_ != k_no_instant) scheduler_.remove(entry_, *this);
  entry_ = deadline;
  scheduler_.insert(deadline, *this);
}

void Timer::disarm() noexcept {
  if (!is_armed()) return;
  DOJIMA_ASSERT(scheduler_.armed_ > 0, "a timer that is armed was counted", scheduler_.armed_, deadline_);
  deadline_ = k_no_instant;
  pending_ = 0;
  --scheduler_.armed_;
}

void Timer::fire(Time due, void*) {
  on_due(due);
}

void Ticket::fire(Time, void*) {
  DOJIMA_ASSERT(false, "a ticket fires its event, never itself");
}

SchedulerBase::SchedulerBase(std::size_t capacity, std::size_t cancellable, Time start)
    : now_(instant_of(start)), capacity_(capacity), tickets_(2 * cancellable) {
  DOJIMA_ASSERT(tickets_.size() < k_no_ticket, "a ticket's number has 32 bits", tickets_.size());
  for (auto ticket = tickets_.rbegin(); ticket != tickets_.rend(); ++ticket) free_ticket(*ticket);
}

SchedulerBase::~SchedulerBase() {
  DOJIMA_ASSERT(reserved_ == 0 && armed_ == 0, "a scheduler outlives its timers", reserved_, armed_);
  DOJIMA_ASSERT(events_ == 0 && cancellable_ == 0, "every entry that was counted was in the container", events_,
                cancellable_);
}

Ticket& SchedulerBase::take_ticket(Event& event, Handle& handle) noexcept {
  DOJIMA_ASSERT(free_ticket_ != k_no_ticket, "a purge has freed those of cancelled entries");
  Ticket& ticket = tickets_[free_ticket_];
  DOJIMA_ASSERT(ticket.target_ == nullptr, "a free ticket has no event", free_ticket_, ticket.generation_);
  handle = {.generation = ++ticket.generation_, .ticket = free_ticket_};
  free_ticket_ = ticket.next_free_;
  ticket.target_ = &event;
  ++cancellable_;
  return ticket;
}

bool SchedulerBase::cancel_ticket(Handle handle) noexcept {
  if (handle.ticket >= tickets_.size()) return false;
  Ticket& ticket = tickets_[handle.ticket];
  DOJIMA_ASSERT(handle.generation <= ticket.generation_, "a handle comes from the scheduler that it is given to",
                handle.ticket, handle.generation, ticket.generation_);
  if (ticket.generation_ != handle.generation || ticket.target_ == nullptr) return false;
  --ticket.target_->pending_;
  ticket.target_ = nullptr;
  DOJIMA_ASSERT(events_ > 0 && cancellable_ > 0, "an entry with a handle was counted", events_, cancellable_);
  --events_;
  --cancellable_;
  return true;
}

bool SchedulerBase::discard_if_cancelled(Event& event) noexcept {
  const auto address = reinterpret_cast<std::uintptr_t>(&event);
  const auto first = reinterpret_cast<std::uintptr_t>(tickets_.data());
  // Only tickets are looked at: other events of a large container are cold.
  if (address - first >= tickets_.size() * sizeof(Ticket)) return false;
  Ticket& ticket = tickets_[(address - first) / sizeof(Ticket)];
  if (ticket.target_ != nullptr) return false;
  free_ticket(ticket);
  return true;
}

bool SchedulerBase::come_up_by_rule(Instant at, Event& event, void* user) {
  if (event.kind_ == Event::Kind::ticket) {
    auto& ticket = static_cast<Ticket&>(event);
    Event* const target = ticket.target_;
    free_ticket(ticket);
    if (target == nullptr) return false;
    DOJIMA_ASSERT(target->pending_ > 0 && cancellable_ > 0 && events_ > 0, "an entry with a handle was counted",
                  target->pending_, cancellable_, events_);
    --target->pending_;
    --cancellable_;
    --events_;
    now_ = at;
    target->fire(time_of(at), user);
    return true;
  }
  auto& timer = static_cast<Timer&>(event);
  timer.entry_ = k_no_instant;
  if (!timer.is_armed()) return false;
  DOJIMA_ASSERT(timer.deadline_ >= at, "the entry of an armed timer comes up at its deadline or before",
                timer.deadline_, at, now_);
  if (timer.deadline_ > at) {
    timer.entry_ = timer.deadline_;
    insert(timer.deadline_, timer);
    return false;
  }
  timer.disarm();
  now_ = at;
  timer.on_due(time_of(at));
  return true;
}

bool SchedulerBase::is_silent(Instant at, const Event& event) noexcept {
  if (event.kind_ == Event::Kind::plain) return false;
  if (event.kind_ == Event::Kind::ticket) return static_cast<const Ticket&>(event).target_ == nullptr;
  return static_cast<const Timer&>(event).deadline_ != at;
}

void SchedulerBase::forget(Event& event) noexcept {
  if (event.kind_ == Event::Kind::plain) {
    --event.pending_;
    --events_;
  } else if (event.kind_ == Event::Kind::ticket) {
    auto& ticket = static_cast<Ticket&>(event);
    if (ticket.target_ == nullptr) return;
    --ticket.target_->pending_;
    --events_;
    --cancellable_;
  }
}

void SchedulerBase::free_ticket(Ticket& ticket) noexcept {
  ticket.target_ = nullptr;
  ++ticket.generation_;  // handles of the entry that was are of the past
  ticket.next_free_ = free_ticket_;
  free_ticket_ = static_cast<std::uint32_t>(&ticket - tickets_.data());
}

}  // namespace dojima::sched
