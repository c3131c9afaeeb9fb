// The part of ClientToExchange that is about limits of clients: what breaks one, and what cancels do to requests that
// wait for the rate.

#include <utility>

#include "dojima/gateway/client_to_exchange_machine.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/translator/client_to_exchange.hpp"
#include "dojima/gateway/translator/translator_engine.hpp"

namespace dojima::gateway {

/// Whether what the order is, or would become, is within the client's limits, and whether it has to wait for the rate.
ClientToExchange::Done ClientToExchange::check_limits(const ClientMessage& message, const LimitedRequest& request) {
  const std::uint32_t waiting = waiting_.size(message.client);
  const LimitVerdict verdict = limits_.check(message.client, request, waiting, message.now);
  message.outcome.must_wait = verdict.must_wait;
  const std::uint16_t full = request.is_new ? order_reject::k_other : cancel_reject::k_other;
  if (verdict.must_wait && waiting_.is_full())
    return gateway::refuse(full, 0, "no room for another request that waits");
  if (!verdict.broken) return {};
  ++counters_.limited;
  const ClientLimits& limits = limits_.limits(message.client);
  limit_text_ = text_of(*verdict.broken, limits, limits_.usage(message.client, request, waiting), request, message.now);
  if (*verdict.broken == Limit::rate && limits.rate_action == RateAction::logout) end_above_rate(message.client);
  const FixVersion version = channels_.form(message.client).version;
  const std::uint16_t reason =
      request.is_new ? order_reject_of(*verdict.broken, version) : cancel_reject_of(*verdict.broken, version);
  return gateway::refuse(reason, 0, limit_text_.c_str());
}

/// A cancel always goes; where the rate ends sessions it is counted, and one above it ends the session.
void ClientToExchange::count_cancel(const ClientMessage& message) {
  if (limits_.limits(message.client).rate_action != RateAction::logout) return;
  if (limits_.rate_free(message.client) > message.now) end_above_rate(message.client);
  limits_.note_sent(message.client, message.now);
}

void ClientToExchange::end_above_rate(std::uint32_t client) {
  if (channels_.end_session(client, "requests above the client's limit in a second")) ++counters_.rate_logouts;
}

/// A cancel does not wait behind a replace that has not left; the replace is over then.
void ClientToExchange::end_waiting_replace(const ClientMessage& message) {
  if (message.outcome.target != TargetState::change_pending || is_id_known(message)) return;
  if (!read_cancel(message.view, symbols_, std::as_const(records_).order_at(*message.order))) return;
  if (waiting_.refuse_replace(*message.order, "the order is cancelled before this left", message.now))
    message.outcome.target = TargetState::open;
}

/// The order waits for the client's rate: it is over without the venue.
ClientToExchange::Done ClientToExchange::cancel_unsent(const ClientMessage& message) {
  const std::uint64_t number = std::as_const(records_).order_at(*message.order).current_request;
  Request& cancel = open_change(message, RequestKind::cancel);
  cancel.client_sequence = message.sequence;
  if (!journal_.write(false, &channels_.session(cancel.client).store())) {
    records_.undo_request(cancel);
    return gateway::refuse(cancel_reject::k_other, 0, "the gateway's journal is full");
  }
  message.outcome.request = &cancel;
  fsm::process<Machine, TranslatorEngine>(message.outcome.target, Machine::Event::sent, *this, message);
  waiting_.forget(message.client, number);
  answers_.cancel_unsent(cancel, message.now);
  probe_.mark_report_out(*message.number);
  return {};
}

}  // namespace dojima::gateway
