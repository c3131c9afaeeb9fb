#include "dojima/gateway/translator/mass_cancel_requests.hpp"

#include "dojima/gateway/messages/mass_cancel_reader.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

constexpr std::uint16_t k_not_supported = 0, k_mass_cancel_other = 99;  // MassCancelRejectReason(532)

}  // namespace

/// No record of a request: its answers find the orders by the venue's ids. In the counts it is a request like others.
Done MassCancelRequests::send(const ClientMessage& message) {
  const auto id = read_id(message.view, tag::k_cl_ord_id);
  if (!id) return Refused(id.error());
  if (!message.sub_id.empty() && !parts_.users.has_sub_id(message.client, message.sub_id))
    return refuse(k_mass_cancel_other, fix::tag::k_sender_sub_id, "unknown SenderSubID(50)");
  if (!parts_.channels.is_any_venue_ready(message.client)) return unavailable("the venue is not connected");
  if (parts_.records.knows_id(message.client, *id) || parts_.mass_cancels.has(message.client, *id))
    return refuse(k_mass_cancel_other, tag::k_cl_ord_id, "duplicate ClOrdID");
  market::MassCancel command;
  if (Done done = read_mass_cancel(message.view, parts_.symbols, command); !done) return done;
  const bool is_alone = parts_.users.is_alone(message.client);
  if (Done done = check(message, command); !done) return done;
  // What waits is not overtaken by a cancel that means it.
  parts_.waiting.refuse_all(message.client, "a mass cancel came before this left", message.now,
                            command.header.instrument);
  const std::optional<std::uint64_t> number = parts_.records.take_number();
  if (!number) return refuse(k_mass_cancel_other, 0, "no room for another request");
  command.client_order_id = venue_id_of(*number);
  if (!parts_.journal.write_number(&parts_.channels.session(message.client).store()))
    return refuse(k_mass_cancel_other, 0, "the gateway's journal is full");
  if (is_alone) {
    if (Done sent =
            send_mass_cancel(parts_.channels.venue(parts_.users.of(message.client).front()), command, uncarried_text_);
        !sent)
      return sent;
  }
  add(message, *number, *id, command.segment);
  if (!is_alone)
    parts_.order_cancels.begin(message.client,
                               {.below = *number,
                                .instrument = command.header.instrument,
                                .group = command.group,
                                .sub_id = parts_.users.stored_sub_id(message.client, message.sub_id),
                                .mass = *number},
                               message.now);
  ++parts_.counters.sent;
  return {};
}

/// Whether it can be carried out where no mass cancel at a venue is of the client's orders alone.
Done MassCancelRequests::check(const ClientMessage& message, const market::MassCancel& command) const {
  if (parts_.users.is_alone(message.client)) return {};
  if (command.is_account || !command.segment.is_empty())
    return refuse(k_not_supported, 0,
                  "a client that shares its venue user, or has several, cancels all its orders, or those of an "
                  "instrument or a group");
  const std::uint32_t instrument = command.header.instrument;
  const auto user = instrument == 0 ? std::nullopt : parts_.users.at(message.client, parts_.users.venue_of(instrument));
  if (user && !parts_.channels.is_venue_ready(*user)) return unavailable("the venue is not connected");
  if (parts_.order_cancels.is_running(message.client))
    return refuse(k_mass_cancel_other, 0, "another mass cancel is under way");
  return {};
}

Done send_mass_cancel(mit::ClientSession& venue, const market::MassCancel& command, UncarriedText& uncarried) {
  const Result<void> sent = venue.send(command);
  if (sent) return {};
  if (sent.error().code == ErrorCode::wrong_state) return unavailable("the venue is not connected");
  uncarried = uncarried_text(command, venue.dialect(), sent.error());
  return refuse(k_mass_cancel_other, 0, uncarried.c_str());
}

void MassCancelRequests::add(const ClientMessage& message, std::uint64_t number, const ClOrdId& id,
                             const Text<4>& segment) {
  parts_.mass_cancels.add({.number = number,
                           .client_sequence = message.view.msg_seq_num().value_or(market::Sequence{}).value,
                           .client = message.client,
                           .user = parts_.users.of(message.client).front(),
                           .cl_ord_id = id,
                           .type = Text<2>::cut(message.text(tag::k_mass_cancel_request_type)),
                           .segment = segment});
}

void MassCancelRequests::handle(const ClientMessage& message) {
  ++parts_.counters.requests;
  const Done done = send(message);
  if (done) return;
  const RefusalText text = text_of(done.error());
  const Refusal refusal = with_text(done.error(), text);
  const bool is_unsupported = refusal.reason == k_not_supported;
  parts_.counters.count_refusal(refused_for(refusal, is_unsupported ? RefusedFor::not_supported : RefusedFor::other));
  parts_.channels.note_reject(message.client, message.view, refusal);
  if (refusal.answer != Refusal::Answer::report)
    parts_.channels.send_reject(message.client, message.view, refusal);
  else
    send_reject(message, refusal);
}

void MassCancelRequests::send_reject(const ClientMessage& message, const Refusal& refusal) {
  fix::Writer writer = parts_.channels.begin(message.client, fix::type::k_order_mass_cancel_report);
  write_mass_cancel_report(writer, parts_.channels.form(message.client),
                           {.report_id = parts_.channels.next_exec_id(),
                            .cl_ord_id = message.text(tag::k_cl_ord_id),
                            .type = message.text(tag::k_mass_cancel_request_type),
                            .reject_reason = refusal.reason,
                            .text = refusal.text,
                            .time = message.now});
  parts_.channels.send(message.client, writer);
}

}  // namespace dojima::gateway
