// The part of ClientToExchange that is about mass cancels of clients, carried out by the venue where they are of all
// orders of a venue user, else order by order.

#include "dojima/fix/business_reject.hpp"
#include "dojima/gateway/messages/mass_cancel_reader.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/order_tags.hpp"
#include "dojima/gateway/translator/client_to_exchange.hpp"

namespace dojima::gateway {
namespace {

constexpr std::string_view k_nothing;
constexpr std::uint16_t k_mass_cancel_other = 99;  // MassCancelRejectReason(532)

}  // namespace

/// No record of a request: its answers find the orders by the venue's ids. In the counts it is a request like others.
ClientToExchange::Done ClientToExchange::send_mass_cancel(const ClientMessage& message) {
  const auto id = read_id(message.view, tag::k_cl_ord_id);
  if (!id) return Refused(id.error());
  if (!message.sub_id.empty() && !users_.has_sub_id(message.client, message.sub_id))
    return gateway::refuse(k_mass_cancel_other, fix::tag::k_sender_sub_id, "unknown SenderSubID(50)");
  if (!is_any_ready(message.client)) return unavailable("the venue is not connected");
  if (records_.knows_id(message.client, *id) || mass_cancels_.has(message.client, *id))
    return gateway::refuse(k_mass_cancel_other, tag::k_cl_ord_id, "duplicate ClOrdID");
  market::MassCancel command;
  if (Done done = read_mass_cancel(message.view, symbols_, command); !done) return done;
  const bool is_alone = users_.is_alone(message.client);
  if (Done done = check_mass_cancel(message, command); !done) return done;
  // What waits is not overtaken by a cancel that means it.
  waiting_.refuse_all(message.client, "a mass cancel came before this left", message.now, command.header.instrument);
  const std::optional<std::uint64_t> number = records_.take_number();
  if (!number) return gateway::refuse(k_mass_cancel_other, 0, "no room for another request");
  command.client_order_id = venue_id_of(*number);
  if (!journal_.write_number(&channels_.session(message.client).store()))
    return gateway::refuse(k_mass_cancel_other, 0, "the gateway's journal is full");
  if (is_alone) {
    if (Done sent = send_mass_cancel_command(users_.of(message.client).front(), command); !sent) return sent;
  }
  add_mass_cancel(message, *number, *id);
  if (!is_alone)
    order_cancels_.begin(message.client,
                         {.below = *number,
                          .instrument = command.header.instrument,
                          .group = command.group,
                          .sub_id = users_.stored_sub_id(message.client, message.sub_id),
                          .mass = *number},
                         message.now);
  ++counters_.sent;
  return {};
}

/// Whether it can be carried out where no mass cancel at a venue is of the client's orders alone.
ClientToExchange::Done ClientToExchange::check_mass_cancel(const ClientMessage& message,
                                                           const market::MassCancel& command) const {
  constexpr std::uint16_t k_not_supported = 0;
  if (users_.is_alone(message.client)) return {};
  if (command.is_account || !command.segment.is_empty())
    return gateway::refuse(
        k_not_supported, 0,
        "a client that shares its venue user, or has several, cancels all its orders, or those of an "
        "instrument or a group");
  const std::uint32_t instrument = command.header.instrument;
  const auto user = instrument == 0 ? std::nullopt : users_.at(message.client, users_.venue_of(instrument));
  if (user && !channels_.is_venue_ready(*user)) return unavailable("the venue is not connected");
  if (order_cancels_.is_running(message.client))
    return gateway::refuse(k_mass_cancel_other, 0, "another mass cancel is under way");
  return {};
}

ClientToExchange::Done ClientToExchange::send_mass_cancel_command(std::uint32_t user,
                                                                  const market::MassCancel& command) {
  const Result<void> sent = channels_.venue(user).send(command);
  if (sent) return {};
  if (sent.error().code == ErrorCode::wrong_state) return unavailable("the venue is not connected");
  const char* const text = sent.error().expected;
  return gateway::refuse(k_mass_cancel_other, 0, text == nullptr ? "the venue's protocol cannot carry this" : text);
}

void ClientToExchange::add_mass_cancel(const ClientMessage& message, std::uint64_t number, const ClOrdId& id) {
  mass_cancels_.add({.number = number,
                     .client = message.client,
                     .user = users_.of(message.client).front(),
                     .cl_ord_id = id,
                     .type = Text<2>::cut(message.view.find(tag::k_mass_cancel_request_type).value_or(k_nothing))});
}

void ClientToExchange::try_mass_cancel(const ClientMessage& message) {
  ++counters_.requests;
  const Done done = send_mass_cancel(message);
  if (done) return;
  ++counters_.refused;
  if (done.error().answer != Refusal::Answer::report)
    channels_.send_reject(message.client, message.view, done.error());
  else
    send_mass_cancel_reject(message, done.error());
}

void ClientToExchange::send_mass_cancel_reject(const ClientMessage& message, const Refusal& refusal) {
  fix::Writer writer = channels_.begin(message.client, fix::type::k_order_mass_cancel_report);
  write_mass_cancel_report(writer, channels_.form(message.client),
                           {.report_id = channels_.next_exec_id(),
                            .cl_ord_id = message.view.find(tag::k_cl_ord_id).value_or(k_nothing),
                            .type = message.view.find(tag::k_mass_cancel_request_type).value_or(k_nothing),
                            .reject_reason = refusal.reason,
                            .text = refusal.text,
                            .time = message.now});
  channels_.send(message.client, writer);
}

}  // namespace dojima::gateway
