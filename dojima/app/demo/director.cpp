#include "dojima/app/demo/director.hpp"

namespace dojima::app::demo {

void Director::enter(Phase phase, time::Time now) {
  phase_ = phase;
  since_ = unchanged_since_ = now;
  if (phase == Phase::flowing) flow_begin_ = now;
  board_.phase.store(phase, std::memory_order_release);
}

void Director::give_up(const char* why, time::Time now) {
  failure_ = why;
  enter(Phase::logging_off, now);
}

void Director::step(time::Time now) {
  if (!is_begun_) {
    is_begun_ = true;
    since_ = now;
  }
  const bool is_stopped = board_.is_stop_wanted.load(std::memory_order_relaxed);
  const bool is_late = now - since_ >= k_start_patience;
  switch (phase_) {
    case Phase::meeting:
      if (is_stopped) return give_up("stopped before the flow began", now);
      if (board_.gateway.is_up.load(std::memory_order_acquire)) return enter(Phase::logging_on, now);
      if (is_late) give_up("the gateway could not log on to the venue within ten seconds", now);
      return;
    case Phase::logging_on:
      if (is_stopped) return give_up("stopped before the flow began", now);
      if (board_.clients.logged_on.load(std::memory_order_acquire) == clients_) return enter(Phase::flowing, now);
      if (is_late) give_up("the clients could not log on to the gateway within ten seconds", now);
      return;
    case Phase::flowing:
      // The clients end their flow themselves when a stop is wanted.
      if (board_.clients.is_flow_over.load(std::memory_order_acquire)) enter(Phase::draining, now);
      return;
    case Phase::draining:
      return step_draining(now);
    case Phase::capturing:
      if (board_.venue.is_captured.load(std::memory_order_acquire)) enter(Phase::logging_off, now);
      return;
    case Phase::logging_off: {
      const bool is_quiet = board_.clients.connected.load(std::memory_order_acquire) == 0 &&
                            board_.gateway.is_idle.load(std::memory_order_acquire);
      if (is_quiet || now - since_ >= k_drain_patience) enter(Phase::over, now);
      return;
    }
    case Phase::over:
      return;
  }
}

/// Everything is answered when all counts agree and stay so for a moment; when they stay without agreeing, something
/// was lost, and the checks will say what.
void Director::step_draining(time::Time now) {
  const std::array<std::uint64_t, 5> facts = {
      board_.clients.sent.load(std::memory_order_acquire), board_.clients.answered.load(std::memory_order_acquire),
      board_.clients.received.load(std::memory_order_acquire),
      board_.gateway.to_clients.load(std::memory_order_acquire), board_.venue.sent.load(std::memory_order_acquire)};
  if (facts != facts_) {
    facts_ = facts;
    unchanged_since_ = now;
    return;
  }
  if (now - unchanged_since_ >= (is_even() ? k_settled : k_drain_patience)) enter(Phase::capturing, now);
}

/// Of the facts seen last: whether nothing is on its way any more.
bool Director::is_even() const noexcept {
  const auto [sent, answered, received, to_clients, from_venue] = facts_;
  return sent == answered && received == to_clients &&
         board_.gateway.from_venue.load(std::memory_order_acquire) >= from_venue;
}

time::Time Director::next_time() const noexcept {
  switch (phase_) {
    case Phase::meeting:
    case Phase::logging_on:
      return is_begun_ ? since_ + k_start_patience : time::k_never;
    case Phase::draining:
      return unchanged_since_ + (is_even() ? k_settled : k_drain_patience);
    case Phase::logging_off:
      return since_ + k_drain_patience;
    case Phase::flowing:
    case Phase::capturing:
    case Phase::over:
      break;
  }
  return time::k_never;
}

}  // namespace dojima::app::demo
