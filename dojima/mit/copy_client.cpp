#include "dojima/mit/copy_client.hpp"

#include <utility>

namespace dojima::mit {

void CopyClient::on_open(link::Transport& transport, Time now) {
  answered_ = 0;
  outcome_ = {};
  static_cast<void>(open(transport, now));
}

void CopyClient::on_logged_on(const VenueDay& day, Time now) {
  handler_.on_copies_logged_on(*this, day, now);
  ask(now);
}

void CopyClient::ask(Time now) {
  state_ = State::receiving;
  watch_timer_.arm(now + silence_);
  for (std::size_t at = 0; at < count_; ++at) {
    if (!put(true, [&](Room room) { return dialect_.encode_missed_request(request_of(asked_[at]), room); }))
      return end("no room for a message");
  }
}

void CopyClient::on_ack(Recovery response, Time now) {
  if (state_ != State::receiving || answered_ == count_) return;
  const std::uint8_t partition = asked_[answered_++].partition;
  if (response != Recovery::good) handler_.on_copies_refused(*this, partition, response, now);
}

void CopyClient::on_report_end(Recovery, Time now) {
  if (state_ == State::receiving) handler_.on_copies_complete(*this, now);
}

/// The last one that had arrived comes once more, as the first of what the venue has from there on.
void CopyClient::take(const Report& report, Time now) {
  Asked* const asked = find(report.report.partition);
  if (state_ != State::receiving || asked == nullptr || report.report.sequence <= asked->highest) {
    ++outcome_.duplicates;
    return;
  }
  asked->highest = report.report.sequence;
  ++outcome_.copies;
  handler_.on_copy(*this, report.report, report.code, now);
}

void CopyClient::logout(std::string_view text) {
  if (state_ == State::logging_on) return end(text);
  if (state_ != State::receiving) return;
  state_ = State::leaving;
  put_logout(text);
  watch_timer_.arm(scheduler_.now() + heartbeat_);
}

void CopyClient::on_end(link::CloseReason reason, std::string_view text, Time now) {
  CopyOutcome outcome = std::exchange(outcome_, {});
  outcome.logon_code = std::exchange(logon_code_, 0);
  outcome.reason = reason;
  outcome.text = text;
  handler_.on_copies_end(*this, outcome, now);
}

}  // namespace dojima::mit
