#include "dojima/gateway/wiring/client_link.hpp"

#include <utility>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/messages/logon_reader.hpp"
#include "dojima/gateway/setup/session_setup.hpp"

namespace dojima::gateway {

ClientLink::ClientLink(const Parts& parts, std::uint32_t index, const GatewayConfig& config, const ClientConfig& client)
    : parts_(parts),
      index_(index),
      own_store_(parts.gateway.stores != nullptr ? nullptr
                                                 : std::make_unique<fix::MemoryStore>(fix::StoreCapacity{
                                                       config.limits.store_messages, config.limits.store_bytes})),
      session_(parts.scheduler, schedule_of(config, client), session_config(config, client, parts.early, parts.gateway),
               *this, store(config, client), {}, parts.scheduler.now()),
      due_timer_(parts.scheduler, *this) {
  parts_.translator.set_timer(index, due_timer_);
}

fix::MessageStore& ClientLink::store(const GatewayConfig& config, const ClientConfig& client) {
  if (own_store_ != nullptr) return *own_store_;
  return store_of(*parts_.gateway.stores, config, client);
}

fix::LogonDecision ClientLink::on_logon_request(fix::Session&, const fix::MessageView& logon, Time) {
  const auto wanted = read_cancel_on_disconnect(logon);
  if (!wanted) {
    refusal_ = text_of(wanted.error());
    return {.is_accepted = false, .text = refusal_.view()};
  }
  cancel_on_disconnect_ = *wanted;
  return {};
}

void ClientLink::on_logon(fix::Session&, Time now) {
  parts_.translator.on_client_up(index_, cancel_on_disconnect_, now);
  if (observer() != nullptr) observer()->on_client_up(index_, now);
}

void ClientLink::on_logout(fix::Session& session, std::string_view reason, Time now) {
  parts_.translator.on_client_down(index_, session.has_ended_by_logout(), now);
  parts_.flow.on_client(index_);
  if (observer() != nullptr) observer()->on_client_down(index_, reason, now);
}

void ClientLink::on_message(fix::Session&, const fix::MessageView& message, Time now) {
  const std::size_t written = parts_.flow.written_while_short();
  parts_.translator.on_client(index_, message, now);
  parts_.flow.on_request(index_);
  parts_.flow.check_room(written, parts_.translator.counters().unwritten);
}

void ClientLink::on_reject(fix::Session&, const fix::MessageView& reject, Time now) {
  if (observer() == nullptr) return;
  const auto number = reject.sequence(fix::tag::k_ref_seq_num).value_or(market::Sequence{}).value;
  observer()->on_trouble(index_,
                         {ErrorCode::refused, fix::tag::k_ref_seq_num, 0, static_cast<std::int64_t>(number),
                          "messages that the client accepts"},
                         now);
}

void ClientLink::on_trouble(fix::Session&, const Error& error) {
  if (observer() != nullptr) observer()->on_trouble(index_, error, parts_.scheduler.now());
}

void ClientLink::go_on(Time now) {
  if (std::exchange(is_due_, false)) on_due(now);
}

void ClientLink::on_due(Time now) {
  is_due_ = parts_.flow.is_short_of_room();
  if (!is_due_) parts_.translator.on_due(index_, now);
}

}  // namespace dojima::gateway
