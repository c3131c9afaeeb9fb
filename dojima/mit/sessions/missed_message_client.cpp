#include "dojima/mit/sessions/missed_message_client.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {

MissedMessageClient::MissedMessageClient(const MissedMessageOptions& options, const Dialect& dialect,
                                         sched::Scheduler& scheduler)
    : MemberSession({.user = options.user,
                     .password = options.password,
                     .new_password = {},
                     .heartbeat = options.heartbeat,
                     .reply_intervals = options.reply_intervals,
                     .silence_intervals = options.silence_intervals},
                    dialect, scheduler) {}

void MissedMessageClient::add(std::uint8_t partition, market::Sequence last) {
  DOJIMA_ASSERT((!is_connected() || state_ == State::logging_on) && partition > 0 && partition < 128 &&
                    count_ < k_most_partitions,
                "partitions are named before the connection", partition, count_);
  asked_[count_++] = {.partition = partition, .highest = last};
}

auto MissedMessageClient::find(std::uint8_t partition) noexcept -> Asked* {
  const auto end = asked_.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto found = std::find_if(asked_.begin(), end, [=](const Asked& each) { return each.partition == partition; });
  return found == end ? nullptr : &*found;
}

market::Sequence MissedMessageClient::highest(std::uint8_t partition) const noexcept {
  for (std::size_t at = 0; at < count_; ++at)
    if (asked_[at].partition == partition) return asked_[at].highest;
  return {};
}

MissedMessageRequest MissedMessageClient::request_of(const Asked& asked) noexcept {
  return {asked.partition, std::max(asked.highest, market::Sequence{1})};
}

bool MissedMessageClient::open(link::Transport& transport, Time now) {
  attach(transport);
  state_ = State::logging_on;
  if (put_logon(now)) return true;
  end("no room for a message");
  return false;
}

std::size_t MissedMessageClient::on_bytes(Bytes bytes, Time now) {
  return read_messages(
      bytes, [this] { return state_ != State::idle && state_ != State::closing; },
      [&](Bytes message, char) { on_message(message, now); },
      [this](Bytes, const Error&) { end("stream out of step"); });
}

void MissedMessageClient::on_message(Bytes message, Time now) {
  if (state_ == State::receiving || state_ == State::waiting) watch_timer_.arm(now + silence_);
  Outbound reply;
  if (!dialect_.decode_reply(message, reply)) return;  // one that cannot be read; the session goes on
  switch (reply.kind) {
    case Outbound::Kind::logon_reply:
      if (state_ != State::logging_on) return;
      logon_code_ = reply.logon_reply.code;
      if (logon_code_ != code::k_success) return end("logon refused");
      heartbeat_timer_.arm(now + heartbeat_);
      return on_logged_on(reply.logon_reply.venue_day, now);
    case Outbound::Kind::missed_ack:
      return on_ack(reply.missed_ack.response, now);
    case Outbound::Kind::missed_report:
      return on_report_end(reply.missed_report.response, now);
    case Outbound::Kind::report:
      return take(reply.report, now);
    case Outbound::Kind::reject:
      return state_ == State::logging_on ? end("logon rejected") : on_reject(now);
    case Outbound::Kind::logout:
      end_text_ = state_ == State::leaving ? Text<40>{} : Text<40>::cut(reply.logout.reason.view());
      return end(end_text_.view());
    case Outbound::Kind::system_status:
      return on_status(reply.system_status, now);
    case Outbound::Kind::heartbeat:
    case Outbound::Kind::none:
      return;
  }
}

void MissedMessageClient::on_watch_due(Time due) {
  if (is_held()) return watch_timer_.arm(due + silence_);  // it is not the venue that is silent
  switch (state_) {
    case State::logging_on:
      return end("no answer to the logon");
    case State::asking:
      return end("no answer to a request");
    case State::receiving:
    case State::waiting:
      return end("no heartbeat");
    case State::leaving:
      return end("");
    case State::idle:
    case State::closing:
      return;
  }
}

void MissedMessageClient::end(std::string_view text) {
  if (state_ == State::closing) return;
  state_ = State::closing;
  close(text);
}

void MissedMessageClient::on_closed(link::CloseReason reason, Time now) {
  detach();
  state_ = State::idle;
  const Text<40> text = take_end_text();
  on_end(reason, text.view(), now);
}

}  // namespace dojima::mit
