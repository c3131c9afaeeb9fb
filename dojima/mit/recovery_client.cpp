#include "dojima/mit/recovery_client.hpp"

#include <utility>

namespace dojima::mit {

void RecoveryClient::on_open(link::Transport& transport, Time now) {
  current_ = 0;
  outcome_ = {};
  for (Asked& asked : asked_) asked.is_away = false;  // each connection is told anew
  if (open(transport, now) && !is_reading_wanted_) hold(k_by_owner);
}

void RecoveryClient::set_reading(bool is_wanted) {
  is_reading_wanted_ = is_wanted;
  if (!is_wanted) {
    if (state_ != State::closing && state_ != State::leaving) hold(k_by_owner);
    return;
  }
  if (!is_held()) return;
  resume(k_by_owner);
  watch_timer_.arm(scheduler_.now() + silence_);
}

void RecoveryClient::on_logged_on(const VenueDay& day, Time now) {
  handler_.on_recovery_logged_on(*this, day, now);
  go_on(now);
}

void RecoveryClient::on_reject(Time now) {
  if (state_ == State::asking) give_up(Recovery::unavailable, now);
}

void RecoveryClient::on_ack(Recovery response, Time now) {
  if (state_ != State::asking) return;
  if (response != Recovery::good) return give_up(response, now);
  state_ = State::receiving;
  watch_timer_.arm(now + silence_);
}

void RecoveryClient::take(const Report& report, Time now) {
  if (state_ != State::receiving) return;
  Asked& asked = asked_[current_];
  const market::Sequence number = report.report.sequence;
  if (report.report.partition != asked.partition || number <= asked.highest) {
    ++outcome_.duplicates;
    if (report.report.partition == asked.partition && number == asked.highest)
      handler_.on_repeated(*this, report.report, now);
    return;
  }
  asked.highest = number;
  has_progress_ = true;
  ++outcome_.recovered;
  handler_.on_recovered(*this, report.report, report.code, now);
}

void RecoveryClient::on_report_end(Recovery response, Time now) {
  if (state_ != State::receiving) return;
  if (response == Recovery::limit && has_progress_) return ask(now);
  if (response != Recovery::good) return give_up(response, now);
  ++current_;
  go_on(now);
}

/// What the venue cannot serve now is asked for again when it says that it can.
void RecoveryClient::on_status(const SystemStatus& status, Time now) {
  Asked* const asked = find(status.partition);
  if (asked == nullptr || state_ == State::logging_on || state_ == State::leaving) return;
  if (status.status != SystemStatus::k_recovery_unavailable && status.status != SystemStatus::k_recovery_resumed)
    return;
  asked->is_away = status.status == SystemStatus::k_recovery_unavailable;
  handler_.on_recovery_status(*this, status, now);
  if (state_ == State::waiting && asked == &asked_[current_] && !asked->is_away) ask(now);
}

/// The partition waits: the end of the connection meanwhile is no refusal.
void RecoveryClient::wait(Time now) {
  state_ = State::waiting;
  watch_timer_.arm(now + silence_);
}

/// This partition cannot be recovered; the others may. One that is not there, and of which nothing has come, misses
/// nothing.
void RecoveryClient::give_up(Recovery response, Time now) {
  if (response == Recovery::unavailable && asked_[current_].is_away) return wait(now);
  if (response == Recovery::unknown_partition) outcome_.absent.set(asked_[current_].partition);
  const bool is_nothing = response == Recovery::unknown_partition && asked_[current_].highest.value == 0;
  if (!is_nothing && outcome_.partition == 0) {
    outcome_.partition = asked_[current_].partition;
    outcome_.response = response;
  }
  ++current_;
  go_on(now);
}

void RecoveryClient::go_on(Time now) {
  if (current_ < count_) return ask(now);
  outcome_.is_complete = outcome_.partition == 0;
  leave(now);
}

void RecoveryClient::ask(Time now) {
  state_ = State::asking;
  has_progress_ = false;
  watch_timer_.arm(now + reply_timeout_);
  write([&](Room room) { return dialect_.encode_missed_request(request_of(asked_[current_]), room); });
}

void RecoveryClient::leave(Time now) {
  state_ = State::leaving;
  heartbeat_timer_.disarm();
  watch_timer_.arm(now + heartbeat_);
  write([&](Room room) { return dialect_.encode_logout({Text<20>::cut("recovered")}, room); });
}

/// Our few messages fit any connection; one that takes none is of no use.
template <class Encode>
void RecoveryClient::write(Encode encode) {
  const bool is_session = state_ != State::leaving;
  if (!put(is_session, encode)) end("no room for a message");
}

void RecoveryClient::on_end(link::CloseReason reason, std::string_view text, Time now) {
  RecoveryOutcome outcome = std::exchange(outcome_, {});
  if (outcome.partition == 0 && current_ < count_ && asked_[current_].is_away) {
    outcome.partition = asked_[current_].partition;
    outcome.is_away = true;
  }
  outcome.logon_code = std::exchange(logon_code_, 0);
  outcome.reason = reason;
  outcome.text = text;
  handler_.on_recovery_end(*this, outcome, now);
}

}  // namespace dojima::mit
