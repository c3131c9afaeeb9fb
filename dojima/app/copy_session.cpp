#include "dojima/app/copy_session.hpp"

#include <fmt/core.h>
#include <string_view>
#include <utility>

#include "dojima/app/trade/native_request.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {

CopySession::CopySession(CopySessionOptions options, CopySessionHandler& handler)
    : options_(std::move(options)),
      handler_(handler),
      station_({.scheduler = mit::CopyClient::k_timers + 1, .idle = options_.idle, .fabric = {.max_connections = 1}}),
      client_({.user = options_.user, .password = options_.password}, *options_.dialect, station_.scheduler(), *this),
      retry_(station_.scheduler(), *this) {
  begin_anew();
}

void CopySession::begin_anew() {
  client_.forget();
  for (const std::uint8_t partition : options_.partitions) client_.follow(partition);
}

void CopySession::connect(time::Time) {
  station_.fabric().connect(options_.where, client_);
}

CopySessionEnd CopySession::run(const std::function<bool()>& goes_on) {
  connect(station_.scheduler().now());
  station_.run([&] { return !is_over_ && goes_on(); });
  is_over_ = true;
  retry_.disarm();
  client_.logout("bye");
  station_.run_at_most(std::chrono::seconds{2}, [&] { return client_.is_connected(); });
  return how_;
}

void CopySession::end(CopySessionEnd how) {
  is_over_ = true;
  how_ = how;
}

/// Numbers of another day, or of another venue, are none of this one.
void CopySession::on_copies_logged_on(mit::CopyClient&, const mit::VenueDay& day, time::Time) {
  const bool is_other = was_logged_on_ && day.is_said() && day_.is_said() && day != day_;
  if (is_other) begin_anew();
  if (!was_logged_on_ || is_other)
    handler_.on_copy_note(
        day.is_said() ? fmt::format("logged on at {}, day {} of the venue", net::text_of(options_.where), day.number)
                      : fmt::format("logged on at {}", net::text_of(options_.where)));
  was_logged_on_ = true;
  is_loss_noted_ = false;
  day_ = day;
}

void CopySession::on_copy(mit::CopyClient&, const market::OwnerReport& report, std::int32_t code, time::Time) {
  ++copies_;
  handler_.on_copy(report, code);
}

void CopySession::on_copies_complete(mit::CopyClient&, time::Time) {
  if (options_.ends_when_complete) end(CopySessionEnd::done);
}

void CopySession::on_copies_refused(mit::CopyClient& client, std::uint8_t partition, mit::Recovery why, time::Time) {
  if (why == mit::Recovery::unknown_partition) return;
  handler_.on_copy_note(fmt::format("partition {} cannot be followed from number {} on: the venue does not have it",
                                    partition, client.highest(partition).value));
  end(CopySessionEnd::refused);
}

void CopySession::on_copies_end(mit::CopyClient&, const mit::CopyOutcome& outcome, time::Time now) {
  if (is_over_) return;
  const std::string where = net::text_of(options_.where);
  if (!was_logged_on_) {
    handler_.on_copy_note(outcome.reason == link::CloseReason::refused
                              ? fmt::format("nobody listens at {}; does the venue have a [drop_copy] port?", where)
                          : outcome.logon_code != 0
                              ? fmt::format("{} did not take the logon: {}", where, logon_code_text(outcome.logon_code))
                              : fmt::format("no session at {}: {}", where,
                                            outcome.text.empty() ? link::name_of(outcome.reason) : outcome.text));
    return end(outcome.logon_code != 0 ? CopySessionEnd::refused : CopySessionEnd::unreachable);
  }
  if (outcome.text.starts_with("end of day")) begin_anew();
  if (!std::exchange(is_loss_noted_, true))
    handler_.on_copy_note(fmt::format("the session ended: {}; it is tried again",
                                      outcome.text.empty() ? link::name_of(outcome.reason) : outcome.text));
  retry_.arm(now + options_.retry);
}

}  // namespace dojima::app
