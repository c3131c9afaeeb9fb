#include "dojima/mit/recovery_client.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {

RecoveryClient::RecoveryClient(const RecoveryClientOptions& options, const Dialect& dialect,
                               sched::Scheduler& scheduler, RecoveryClientHandler& handler)
    : MemberSession({.user = options.user,
                     .password = options.password,
                     .new_password = {},
                     .heartbeat = options.heartbeat,
                     .reply_intervals = options.reply_intervals,
                     .silence_intervals = options.silence_intervals},
                    dialect, scheduler),
      handler_(handler) {}

void RecoveryClient::ask_for(std::uint8_t partition, market::Sequence last) {
  DOJIMA_ASSERT((!is_connected() || state_ == State::logging_on) && partition > 0 && partition < 128 &&
                    count_ < k_most_partitions,
                "partitions are named before the connection", partition, count_);
  missed_[count_++] = {partition, last};
}

market::Sequence RecoveryClient::highest(std::uint8_t partition) const noexcept {
  const auto end = missed_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto found =
      std::find_if(missed_.begin(), end, [=](const Missed& each) { return each.partition == partition; });
  return found == end ? market::Sequence{} : found->highest;
}

void RecoveryClient::on_open(link::Transport& transport, Time now) {
  attach(transport);
  state_ = State::logging_on;
  current_ = 0;
  outcome_ = {};
  if (!put_logon(now)) return end("no room for a message");
  if (!is_reading_wanted_) hold(k_by_owner);
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

std::size_t RecoveryClient::on_bytes(Bytes bytes, Time now) {
  return read_messages(
      bytes, [this] { return state_ != State::idle && state_ != State::closing; },
      [&](Bytes message, char) { on_message(message, now); },
      [this](Bytes, const Error&) { end("stream out of step"); });
}

void RecoveryClient::on_message(Bytes message, Time now) {
  if (state_ == State::receiving) watch_timer_.arm(now + silence_);
  Outbound reply;
  if (!dialect_.decode_reply(message, reply)) return;  // one that cannot be read; the session goes on
  switch (reply.kind) {
    case Outbound::Kind::logon_reply:
      if (state_ != State::logging_on) return;
      outcome_.logon_code = reply.logon_reply.code;
      if (reply.logon_reply.code != code::k_success) return end("logon refused");
      heartbeat_timer_.arm(now + heartbeat_);
      handler_.on_recovery_logged_on(*this, reply.logon_reply.venue_day, now);
      return go_on(now);
    case Outbound::Kind::missed_ack:
      return on_ack(reply.missed_ack.response, now);
    case Outbound::Kind::missed_report:
      return on_report_end(reply.missed_report.response, now);
    case Outbound::Kind::report:
      return take(reply.report, now);
    case Outbound::Kind::reject:
      if (state_ == State::logging_on) return end("logon rejected");
      if (state_ == State::asking) return give_up(Recovery::unavailable, now);
      return;
    case Outbound::Kind::logout:
      end_text_ = state_ == State::leaving ? Text<40>{} : Text<40>::cut(reply.logout.reason.view());
      return end(end_text_.view());
    case Outbound::Kind::system_status:  // a request that cannot be served is answered as well
    case Outbound::Kind::heartbeat:
    case Outbound::Kind::none:
      return;
  }
}

void RecoveryClient::on_ack(Recovery response, Time now) {
  if (state_ != State::asking) return;
  if (response != Recovery::good) return give_up(response, now);
  state_ = State::receiving;
  watch_timer_.arm(now + silence_);
}

void RecoveryClient::take(const Report& report, Time now) {
  if (state_ != State::receiving) return;
  Missed& missed = missed_[current_];
  const market::Sequence number = report.report.sequence;
  if (report.report.partition != missed.partition || number <= missed.highest) {
    ++outcome_.duplicates;
    if (report.report.partition == missed.partition && number == missed.highest)
      handler_.on_repeated(*this, report.report, now);
    return;
  }
  missed.highest = number;
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

/// This partition cannot be recovered; the others may. One that is not there, and of which nothing has come, misses
/// nothing.
void RecoveryClient::give_up(Recovery response, Time now) {
  const bool is_nothing = response == Recovery::unknown_partition && missed_[current_].highest.value == 0;
  if (!is_nothing && outcome_.partition == 0) {
    outcome_.partition = missed_[current_].partition;
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
  const Missed& missed = missed_[current_];
  const MissedMessageRequest request{missed.partition, std::max(missed.highest, market::Sequence{1})};
  write([&](Room room) { return dialect_.encode_missed_request(request, room); });
}

void RecoveryClient::leave(Time now) {
  state_ = State::leaving;
  heartbeat_timer_.disarm();
  watch_timer_.arm(now + heartbeat_);
  write([&](Room room) { return dialect_.encode_logout({Text<20>::cut("recovered")}, room); });
}

void RecoveryClient::on_heartbeat_due(Time due) {
  put_heartbeat(due);
}

void RecoveryClient::on_watch_due(Time due) {
  if (is_held()) return watch_timer_.arm(due + silence_);  // it is not the venue that is silent
  switch (state_) {
    case State::logging_on:
      return end("no answer to the logon");
    case State::asking:
      return end("no answer to a request");
    case State::receiving:
      return end("no heartbeat");
    case State::leaving:
      return end("");
    case State::idle:
    case State::closing:
      return;
  }
}

/// Our few messages fit any connection; one that takes none is of no use.
template <class Encode>
void RecoveryClient::write(Encode encode) {
  const bool is_session = state_ != State::leaving;
  if (!put(is_session, encode)) end("no room for a message");
}

void RecoveryClient::end(std::string_view text) {
  if (state_ == State::closing) return;
  state_ = State::closing;
  close(text);
}

void RecoveryClient::on_closed(link::CloseReason reason, Time now) {
  detach();
  state_ = State::idle;
  RecoveryOutcome outcome = std::exchange(outcome_, {});
  const Text<40> text = take_end_text();
  outcome.reason = reason;
  outcome.text = text.view();
  handler_.on_recovery_end(*this, outcome, now);
}

}  // namespace dojima::mit
