#include "dojima/mit/copy_client.hpp"

#include <algorithm>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {

CopyClient::CopyClient(const CopyClientOptions& options, const Dialect& dialect, sched::Scheduler& scheduler,
                       CopyClientHandler& handler)
    : MemberSession({.user = options.user,
                     .password = options.password,
                     .new_password = {},
                     .heartbeat = options.heartbeat,
                     .reply_intervals = options.reply_intervals,
                     .silence_intervals = options.silence_intervals},
                    dialect, scheduler),
      handler_(handler) {}

void CopyClient::follow(std::uint8_t partition, market::Sequence last) {
  DOJIMA_ASSERT((!is_connected() || state_ == State::logging_on) && partition > 0 && partition < 128 &&
                    count_ < k_most_partitions,
                "partitions are named before the connection", partition, count_);
  followed_[count_++] = {partition, last};
}

market::Sequence CopyClient::highest(std::uint8_t partition) const noexcept {
  const auto end = followed_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto found =
      std::find_if(followed_.begin(), end, [=](const Followed& each) { return each.partition == partition; });
  return found == end ? market::Sequence{} : found->highest;
}

void CopyClient::on_open(link::Transport& transport, Time now) {
  attach(transport);
  state_ = State::logging_on;
  answered_ = 0;
  outcome_ = {};
  if (!put_logon(now)) end("no room for a message");
}

std::size_t CopyClient::on_bytes(Bytes bytes, Time now) {
  return read_messages(
      bytes, [this] { return state_ != State::idle && state_ != State::closing; },
      [&](Bytes message, char) { on_message(message, now); },
      [this](Bytes, const Error&) { end("stream out of step"); });
}

void CopyClient::on_message(Bytes message, Time now) {
  if (state_ == State::following) watch_timer_.arm(now + silence_);
  Outbound reply;
  if (!dialect_.decode_reply(message, reply)) return;  // one that cannot be read; the session goes on
  switch (reply.kind) {
    case Outbound::Kind::logon_reply:
      if (state_ != State::logging_on) return;
      outcome_.logon_code = reply.logon_reply.code;
      if (reply.logon_reply.code != code::k_success) return end("logon refused");
      heartbeat_timer_.arm(now + heartbeat_);
      handler_.on_copies_logged_on(*this, reply.logon_reply.venue_day, now);
      return ask(now);
    case Outbound::Kind::missed_ack:
      return on_ack(reply.missed_ack.response, now);
    case Outbound::Kind::missed_report:
      if (state_ == State::following) handler_.on_copies_complete(*this, now);
      return;
    case Outbound::Kind::report:
      return take(reply.report, now);
    case Outbound::Kind::reject:
      return end(state_ == State::logging_on ? "logon rejected" : "request rejected");
    case Outbound::Kind::logout:
      end_text_ = state_ == State::leaving ? Text<40>{} : Text<40>::cut(reply.logout.reason.view());
      return end(end_text_.view());
    case Outbound::Kind::system_status:
    case Outbound::Kind::heartbeat:
    case Outbound::Kind::none:
      return;
  }
}

void CopyClient::ask(Time now) {
  state_ = State::following;
  watch_timer_.arm(now + silence_);
  for (std::size_t at = 0; at < count_; ++at) {
    const MissedMessageRequest request{followed_[at].partition, std::max(followed_[at].highest, market::Sequence{1})};
    if (!put(true, [&](Room room) { return dialect_.encode_missed_request(request, room); }))
      return end("no room for a message");
  }
}

void CopyClient::on_ack(Recovery response, Time now) {
  if (state_ != State::following || answered_ == count_) return;
  const std::uint8_t partition = followed_[answered_++].partition;
  if (response != Recovery::good) handler_.on_copies_refused(*this, partition, response, now);
}

/// The last one that had arrived comes once more, as the first of what the venue has from there on.
void CopyClient::take(const Report& report, Time now) {
  const auto end = followed_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto followed = std::find_if(followed_.begin(), end,
                                     [&](const Followed& each) { return each.partition == report.report.partition; });
  if (state_ != State::following || followed == end || report.report.sequence <= followed->highest) {
    ++outcome_.duplicates;
    return;
  }
  followed->highest = report.report.sequence;
  ++outcome_.copies;
  handler_.on_copy(*this, report.report, report.code, now);
}

void CopyClient::logout(std::string_view text) {
  if (state_ == State::logging_on) return end(text);
  if (state_ != State::following) return;
  state_ = State::leaving;
  put_logout(text);
  watch_timer_.arm(scheduler_.now() + heartbeat_);
}

void CopyClient::on_heartbeat_due(Time due) {
  put_heartbeat(due);
}

void CopyClient::on_watch_due(Time) {
  switch (state_) {
    case State::logging_on:
      return end("no answer to the logon");
    case State::following:
      return end("no heartbeat");
    case State::leaving:
      return end("");
    case State::idle:
    case State::closing:
      return;
  }
}

void CopyClient::end(std::string_view text) {
  if (state_ == State::closing) return;
  state_ = State::closing;
  close(text);
}

void CopyClient::on_closed(link::CloseReason reason, Time now) {
  detach();
  state_ = State::idle;
  CopyOutcome outcome = std::exchange(outcome_, {});
  const Text<40> text = take_end_text();
  outcome.reason = reason;
  outcome.text = text.view();
  handler_.on_copies_end(*this, outcome, now);
}

}  // namespace dojima::mit
