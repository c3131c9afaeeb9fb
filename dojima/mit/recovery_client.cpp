#include "dojima/mit/recovery_client.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/mit/sessions/sending.hpp"

namespace dojima::mit {
namespace {

Text<25> checked(std::string_view text) {
  if (text.empty() || text.size() > 25)
    throw std::invalid_argument("recovery client: user and password have 1 to 25 characters");
  return Text<25>::cut(text);
}

}  // namespace

RecoveryClient::RecoveryClient(const RecoveryClientOptions& options, const Dialect& dialect,
                               sched::Scheduler& scheduler, RecoveryClientHandler& handler)
    : dialect_(dialect),
      scheduler_(scheduler),
      handler_(handler),
      heartbeat_(options.heartbeat),
      reply_timeout_(options.reply_intervals * options.heartbeat),
      silence_(options.silence_intervals * options.heartbeat),
      logon_{.user = checked(options.user), .password = checked(options.password), .new_password = {}},
      heartbeat_timer_(scheduler, *this),
      watch_timer_(scheduler, *this) {
  DOJIMA_ASSERT(options.heartbeat > Duration{0}, "times are positive", options.heartbeat);
}

void RecoveryClient::set_password(std::string_view password) {
  logon_.password = checked(password);
}

void RecoveryClient::ask_for(std::uint8_t partition, market::Sequence last) {
  DOJIMA_ASSERT(!is_connected() && partition > 0 && partition < 128 && count_ < k_most_partitions,
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
  DOJIMA_ASSERT(state_ == State::idle, "a session has one connection at a time", state_, now);
  transport_ = &transport;
  state_ = State::logging_on;
  current_ = 0;
  outcome_ = {};
  end_text_ = {};
  watch_timer_.arm(now + reply_timeout_);
  write([&](Room room) { return dialect_.encode_logon(logon_, room); });
}

std::size_t RecoveryClient::on_bytes(Bytes bytes, Time now) {
  std::size_t used = 0;
  while (state_ != State::idle && state_ != State::closing) {
    const Bytes rest = bytes.subspan(used);
    const Result<Frame> frame = read_frame(rest, dialect_.longest);
    if (!frame && frame.error().code != ErrorCode::incomplete) {
      close("stream out of step");
      break;
    }
    if (!frame || frame->size > rest.size()) return used;
    on_message(rest.first(frame->size), now);
    used += frame->size;
  }
  return bytes.size();
}

void RecoveryClient::on_message(Bytes message, Time now) {
  if (state_ == State::receiving) watch_timer_.arm(now + silence_);
  Outbound reply;
  if (!dialect_.decode_reply(message, reply)) return;  // one that cannot be read; the session goes on
  switch (reply.kind) {
    case Outbound::Kind::logon_reply:
      if (state_ != State::logging_on) return;
      outcome_.logon_code = reply.logon_reply.code;
      if (reply.logon_reply.code != code::k_success) return close("logon refused");
      heartbeat_timer_.arm(now + heartbeat_);
      return go_on(now);
    case Outbound::Kind::missed_ack:
      return on_ack(reply.missed_ack.response, now);
    case Outbound::Kind::missed_report:
      return on_report_end(reply.missed_report.response, now);
    case Outbound::Kind::report:
      return take(reply.report, now);
    case Outbound::Kind::reject:
      if (state_ == State::logging_on) return close("logon rejected");
      if (state_ == State::asking) return give_up(Recovery::unavailable, now);
      return;
    case Outbound::Kind::logout:
      end_text_ = state_ == State::leaving ? Text<40>{} : Text<40>::cut(reply.logout.reason.view());
      return close(end_text_.view());
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
  heartbeat_timer_.arm(due + heartbeat_);
  static_cast<void>(send_message(*transport_, dialect_, [&](Room room) { return dialect_.encode_heartbeat(room); }));
}

void RecoveryClient::on_watch_due(Time) {
  switch (state_) {
    case State::logging_on:
      return close("no answer to the logon");
    case State::asking:
      return close("no answer to a request");
    case State::receiving:
      return close("no heartbeat");
    case State::leaving:
      return close("");
    case State::idle:
    case State::closing:
      return;
  }
}

/// Our few messages fit any connection; one that takes none is of no use.
template <class Encode>
void RecoveryClient::write(Encode encode) {
  if (!send_message(*transport_, dialect_, encode)) return close("no room for a message");
  if (state_ != State::leaving) heartbeat_timer_.arm(scheduler_.now() + heartbeat_);
}

void RecoveryClient::close(std::string_view text) {
  if (state_ == State::closing) return;
  if (end_text_.is_empty()) end_text_ = Text<40>::cut(text);
  state_ = State::closing;
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_->close(link::CloseReason::by_us);
}

void RecoveryClient::on_closed(link::CloseReason reason, Time now) {
  heartbeat_timer_.disarm();
  watch_timer_.disarm();
  transport_ = nullptr;
  state_ = State::idle;
  RecoveryOutcome outcome = std::exchange(outcome_, {});
  const Text<40> text = std::exchange(end_text_, {});
  outcome.reason = reason;
  outcome.text = text.view();
  handler_.on_recovery_end(*this, outcome, now);
}

}  // namespace dojima::mit
