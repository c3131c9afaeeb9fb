#include "dojima/app/trade/native_trade_session.hpp"

#include <fmt/core.h>

#include "dojima/app/trade/native_request.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

/// AppIDs of the protocol.
constexpr std::uint8_t k_first_partition = 1, k_last_partition = 4;

}  // namespace

NativeTradeSession::NativeTradeSession(Station& station, const TradeOptions& options, TradeSessionHandler& handler)
    : station_(station),
      options_(options),
      handler_(handler),
      session_({.user = options.username, .password = options.password, .new_password = options.new_password},
               *options.native->dialect, station.scheduler(), *this),
      recovery_({.user = options.username,
                 .password = options.new_password.empty() ? options.password : options.new_password},
                *options.native->dialect, station.scheduler(), *this) {}

void NativeTradeSession::start(Time now) {
  connect(now);
}

void NativeTradeSession::connect(Time now) {
  handler_.on_attempt(now);
  station_.fabric().connect(options_.gateways[host_], session_);
}

void NativeTradeSession::stop() {
  is_leaving_ = true;
  session_.logout("bye");
}

Understood<void> NativeTradeSession::send(const TradeRequest& request) {
  const NativeTradeOptions& native = *options_.native;
  const auto hand_over = [&](const auto& command) -> Understood<void> {
    if (!command) return std::unexpected(command.error());
    if (auto sent = session_.send(*command); !sent)
      return std::unexpected(
          fmt::format("{} cannot carry this: {}", native.dialect->name, describe_error(sent.error())));
    return {};
  };
  switch (request.command.verb) {
    case TradeVerb::enter:
      return hand_over(native_order(request, native));
    case TradeVerb::amend: {
      auto sent = hand_over(native_replace(request, native));
      if (sent) amendments_[std::string(request.id)] = request.command.amendment;
      return sent;
    }
    case TradeVerb::cancel:
      return hand_over(native_cancel(request, native));
    case TradeVerb::mass_cancel:
      return hand_over(native_mass_cancel(request, native));
    case TradeVerb::quote:
      return hand_over(native_quote(request, native));
    case TradeVerb::unquote:
      return hand_over(native_unquote(request, native));
    default:
      break;
  }
  return std::unexpected("MIT203 has no message for this; FIX has");
}

void NativeTradeSession::on_logged_on(mit::ClientSession&, std::int32_t days, Time now) {
  was_logged_on_ = true;
  if (days >= 0) handler_.on_note(fmt::format("the password expires in {} days", days));
  if (options_.native->recovery) {
    recovery_.forget();
    for (std::uint8_t partition = k_first_partition; partition <= k_last_partition; ++partition)
      recovery_.ask_for(partition, {});
    return station_.fabric().connect(*options_.native->recovery, recovery_);
  }
  is_logged_on_ = true;
  handler_.on_logged_on(fmt::format("logged on to the venue as {}", options_.username), now);
}

void NativeTradeSession::on_logon_refused(mit::ClientSession&, std::int32_t code, Time) {
  handler_.on_note(
      fmt::format("{} did not take the logon: {}", net::text_of(options_.gateways[host_]), logon_code_text(code)));
}

void NativeTradeSession::on_report(mit::ClientSession&, const market::OwnerReport& report, std::int32_t code,
                                   Time now) {
  pass(report, code, now);
}

void NativeTradeSession::on_recovered(mit::RecoveryClient&, const market::OwnerReport& report, std::int32_t code,
                                      Time now) {
  pass(report, code, now);
}

/// Each numbered report once, whichever channel brings it first.
void NativeTradeSession::pass(const market::OwnerReport& report, std::int32_t code, Time now) {
  if (!is_logged_on_ && report.sequence.value != 0 &&
      !delivered_.insert({report.partition, report.sequence.value}).second)
    return;
  TradeReport record = native_report(report, code);
  // A report of MIT203 does not repeat what was asked for.
  if (const auto amendment = amendments_.extract(record.id); !amendment.empty()) {
    record.total = amendment.mapped().quantity;
    record.limit = amendment.mapped().limit;
    record.stop = amendment.mapped().stop;
    record.displayed = amendment.mapped().displayed;
  }
  handler_.on_report(record, now);
}

void NativeTradeSession::on_system_status(mit::ClientSession&, const mit::SystemStatus& status, Time) {
  if (status.status == mit::SystemStatus::k_partition_unavailable)
    handler_.on_note(
        fmt::format("the venue says that partition {} is not available; it may refuse orders", status.partition));
}

void NativeTradeSession::on_recovery_status(mit::RecoveryClient&, const mit::SystemStatus& status, Time) {
  const bool is_away = status.status == mit::SystemStatus::k_recovery_unavailable;
  handler_.on_note(is_away ? fmt::format("partition {} cannot be recovered now; waiting", status.partition)
                           : fmt::format("partition {} can be recovered again", status.partition));
}

void NativeTradeSession::on_recovery_end(mit::RecoveryClient&, const mit::RecoveryOutcome& outcome, Time now) {
  if (!session_.is_logged_on()) return;
  delivered_.clear();
  is_logged_on_ = true;
  if (!outcome.is_complete)
    handler_.on_note(fmt::format("the recovery channel did not give everything: {}",
                                 outcome.logon_code != 0 ? logon_code_text(outcome.logon_code)
                                 : outcome.is_away
                                     ? fmt::format("partition {} cannot be recovered now", outcome.partition)
                                     : std::string(link::name_of(outcome.reason))));
  handler_.on_logged_on(
      fmt::format("logged on to the venue as {}, {} reports recovered", options_.username, outcome.recovered), now);
}

void NativeTradeSession::on_reject(mit::ClientSession&, const mit::Reject& reject, Time) {
  handler_.on_refused(std::string(reject.client_order_id.view()),
                      fmt::format("{}{}", code_text(reject.code),
                                  reject.reason.is_empty() ? "" : fmt::format(": {}", reject.reason.view())));
}

void NativeTradeSession::on_end(mit::ClientSession&, link::CloseReason reason, std::string_view text, Time now) {
  if (was_logged_on_ || is_leaving_) {
    if (!is_leaving_)
      handler_.on_logged_out(fmt::format("logged out: {}", text.empty() ? link::name_of(reason) : text));
    return handler_.on_closed();
  }
  const std::string where = net::text_of(options_.gateways[host_]);
  handler_.on_note(reason == link::CloseReason::refused
                       ? fmt::format("nobody listens at {}; is the venue running?", where)
                       : fmt::format("no session at {}: {}", where, text.empty() ? link::name_of(reason) : text));
  host_ = (host_ + 1) % options_.gateways.size();
  const auto each = static_cast<unsigned>(options_.gateways.size());
  if (++failed_ >= (options_.attempts == 0 ? each : options_.attempts)) return handler_.on_gave_up();
  connect(now);
}

void NativeTradeSession::on_trouble(mit::ClientSession&, const Error& error, Time) {
  handler_.on_note(fmt::format("trouble: {}", describe_error(error)));
}

}  // namespace dojima::app
