#include "dojima/app/trade/fix/fix_trade_session.hpp"

#include <fmt/core.h>
#include <stdexcept>

#include "dojima/app/trade/fix/fix_report.hpp"
#include "dojima/app/trade/fix/fix_request.hpp"
#include "dojima/app/trade/fix/tags.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

constexpr std::size_t k_session_timers = 4;
/// Requests whose number is remembered, for a Reject that names it.
constexpr std::size_t k_remembered = 4096;

fix::SessionConfig session_config(const TradeOptions& options) {
  return {.role = fix::Role::initiator,
          .begin_string = std::string(gateway::begin_string_of(options.version)),
          .sender_comp_id = options.sender,
          .target_comp_id = options.target,
          .reset_on_logon = true,  // nothing is remembered from one run to the next
          .logon_timeout = options.answer_timeout,
          .username = options.username,
          .password = options.password,
          .new_password = options.new_password,
          .default_appl_ver_id = std::string(gateway::application_version_of(options.version)),
          .dictionary = &gateway::order_entry_dictionary(options.version),
          .checks = {.user_tags = true}};  // the venue's own fields
}

fix::InitiatorOptions initiator_options(const TradeOptions& options) {
  const auto each = static_cast<unsigned>(options.gateways.size());
  return {.hosts = options.gateways,
          .delay_max = std::chrono::seconds{10},
          .attempts_in_a_row = options.attempts == 0 ? each : options.attempts};
}

/// Null: without TLS.
std::unique_ptr<net::TlsFabric> secured(const TradeOptions& options, sched::Scheduler& scheduler,
                                        link::Fabric& fabric) {
  if (!options.tls) return nullptr;
  const auto context = net::TlsContext::make(net::TlsRole::client, *options.tls);
  if (!context) throw std::runtime_error("tls: " + context.error().text);
  return std::make_unique<net::TlsFabric>(fabric, scheduler, *context,
                                          net::TlsFabricOptions{.max_connections = FixTradeSession::k_connections});
}

}  // namespace

std::size_t FixTradeSession::timers() {
  return k_session_timers + net::TlsFabric::timers({.max_connections = k_connections});
}

FixTradeSession::FixTradeSession(sched::Scheduler& scheduler, link::Fabric& fabric, const TradeOptions& options,
                                 TradeSessionHandler& handler)
    : options_(options),
      handler_(handler),
      secure_(secured(options, scheduler, fabric)),
      session_(scheduler, session_config(options), *this),
      initiator_(scheduler, secure_ ? *secure_ : fabric, session_, initiator_options(options), this) {}

Understood<void> FixTradeSession::send(const TradeRequest& request) {
  const auto message = fix_request_of(request, {.version = options_.version, .user = options_.sender});
  if (!message) return std::unexpected(message.error());
  fix::Writer writer = session_.begin(message->type);
  for (const FixFieldText& field : message->fields) writer.field(field.tag, std::string_view(field.value));
  if (message->has_transact_time) writer.field(tag::k_transact_time, request.time);
  const auto sent = session_.send(writer);
  if (!sent) return std::unexpected(describe_error(sent.error()));
  ids_by_sequence_[sent->value] = std::string(request.id);
  if (ids_by_sequence_.size() > k_remembered) ids_by_sequence_.erase(ids_by_sequence_.begin());
  if (request.command.verb == TradeVerb::status) questions_[request.order->id] = std::string(request.id);
  return {};
}

/// The request that RefSeqNum(45) means; empty: unknown.
std::string FixTradeSession::id_of(const fix::MessageView& message) const {
  const auto number = message.sequence(tag::k_ref_seq_num);
  const auto found = number ? ids_by_sequence_.find(number->value) : ids_by_sequence_.end();
  return found == ids_by_sequence_.end() ? std::string{} : found->second;
}

void FixTradeSession::on_logon(fix::Session&, Time now) {
  was_logged_on_ = true;
  const std::string password = options_.new_password.empty() ? "" : ", with a new password from the next logon on";
  handler_.on_logged_on(fmt::format("logged on to {} as {}{}", options_.target, options_.sender, password), now);
}

void FixTradeSession::on_logout(fix::Session&, std::string_view reason, Time) {
  handler_.on_logged_out(fmt::format("logged out: {}", reason));
}

/// Before the logon the initiator says what went wrong, and goes on.
void FixTradeSession::on_closed(fix::Session&, link::CloseReason, Time) {
  if (was_logged_on_) handler_.on_closed();
}

void FixTradeSession::on_attempt(const fix::Attempt&, Time now) {
  handler_.on_attempt(now);
}

void FixTradeSession::on_failure(const fix::Attempt& attempt, fix::AttemptFailure failure, link::CloseReason reason,
                                 Time) {
  const std::string where = net::text_of(attempt.host);
  switch (failure) {
    case fix::AttemptFailure::not_connected:
      return handler_.on_note(reason == link::CloseReason::refused
                                  ? fmt::format("nobody listens at {}; is the gateway running?", where)
                                  : fmt::format("no connection to {}: {}", where, link::name_of(reason)));
    case fix::AttemptFailure::closed_early:
      return handler_.on_note(
          fmt::format("the gateway ended the connection before the logon ({}); does it know {} and {}?",
                      link::name_of(reason), options_.sender, options_.target));
    case fix::AttemptFailure::no_answer:
      return handler_.on_note("no logon: the gateway does not answer");
    case fix::AttemptFailure::refused:
      return handler_.on_note(fmt::format("{} did not take the logon", where));
  }
}

void FixTradeSession::on_gave_up(unsigned, Time) {
  handler_.on_gave_up();
}

void FixTradeSession::on_trouble(fix::Session&, const Error& error) {
  handler_.on_note(fmt::format("trouble: {}", describe_error(error)));
}

void FixTradeSession::on_reject(fix::Session&, const fix::MessageView& reject, Time) {
  const auto field = reject.find(tag::k_ref_tag_id);
  handler_.on_refused(id_of(reject), fmt::format("{}{}", reject.find(tag::k_text).value_or("no text"),
                                                 field ? fmt::format(" (field {})", *field) : ""));
}

void FixTradeSession::on_message(fix::Session& session, const fix::MessageView& message, Time now) {
  auto report = read_fix_report(message, session.dictionary_of(message));
  if (!report) return handler_.on_note("a message that is no answer to a request");
  if (report->kind == TradeReportKind::request_rejected && report->id.empty()) report->id = id_of(message);
  if (report->kind == TradeReportKind::status) {
    const auto question = questions_.extract(report->original_id);
    if (report->id.empty() && !question.empty()) report->id = question.mapped();
  }
  handler_.on_report(*report, now);
}

}  // namespace dojima::app
