// From the clients to the venue.

#include "dojima/base/assert.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/fsm/machine.hpp"
#include "dojima/gateway/client_key.hpp"
#include "dojima/gateway/client_to_exchange_machine.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/mit/identifiers.hpp"

namespace dojima::gateway {
namespace {

using Refused = std::unexpected<Refusal>;

constexpr std::string_view k_nothing;

Refused refused(std::uint16_t reason, fix::Tag tag, const char* text) noexcept {
  return Refused(Refusal{Refusal::Answer::report, reason, tag, text});
}

Refused unavailable(const char* text) noexcept {
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::BusinessRejectReason::application_not_available);
  return Refused(Refusal{Refusal::Answer::business, k_reason, 0, text});
}

/// The ClientOrderID of a request at the venue.
[[nodiscard]] Text<20> name_of(std::uint64_t number) noexcept {
  std::array<char, mit::k_base62_max> text;
  return Text<20>::cut(mit::format_base62_shortest(number, text));
}

/// What the venue's connection said to a command, as an answer to the client.
Refused not_sent(const Error& error, RequestKind kind) noexcept {
  const bool is_new = kind == RequestKind::new_order;
  if (error.code == ErrorCode::wrong_state) return unavailable("the venue is not connected");
  if (error.code == ErrorCode::no_room)
    return refused(is_new ? order_reject::k_other : cancel_reject::k_other, 0, "the connection to the venue is full");
  return refused(is_new ? order_reject::k_unsupported_characteristic : cancel_reject::k_exchange_option, 0,
                 error.expected == nullptr ? "the venue's protocol cannot carry this" : error.expected);
}

}  // namespace

void Translator::on_client(std::uint32_t client, const fix::MessageView& message, Time now) {
  const fix::MsgType type = message.msg_type();
  const bool is_new = type == fix::type::k_new_order_single;
  const bool is_change = type == fix::type::k_order_cancel_request || type == fix::type::k_order_cancel_replace_request;
  Fate fate;
  Asked asked{.client = client, .message = message, .now = now, .fate = fate};
  if (is_new || is_change) {
    ask(asked);
    if (const Done done = read_ids(asked, is_new); !done) return refuse(asked, done.error());
    fate.standing = stand(asked, is_new);
  }
  fsm::process<ClientToExchange>(fate.standing, static_cast<ClientToExchange::Event>(type), *this, asked);
}

/// A number of its own for every request, sent or refused, so that the probe's first stage is taken before all work.
void Translator::ask(Asked& asked) {
  ++counters_.requests;
  asked.number = records_.take_number();
  if (probe_ != nullptr && asked.number) {
    probe_->mark(stages_.in, *asked.number);
    probe_->bind(*asked.number, client_key(asked.client, asked.message.find(tag::k_cl_ord_id).value_or(k_nothing)));
  }
}

Translator::Done Translator::read_ids(Asked& asked, bool is_new) const {
  const auto own = read_id(asked.message, tag::k_cl_ord_id);
  if (!own) return Refused(own.error());
  asked.id = *own;
  if (is_new) return {};
  const auto target = read_id(asked.message, tag::k_orig_cl_ord_id);
  if (!target) return Refused(target.error());
  asked.orig = *target;
  return {};
}

/// Finds the order that the message is about: a new order's own id, should it be known, else the one to change.
Translator::Standing Translator::stand(Asked& asked, bool is_new) const {
  asked.is_venue_up = clients_[asked.client].venue->is_logged_on();
  if (!asked.is_venue_up) return Standing::nobody;
  if (is_new) return records_.knows(asked.client, asked.id) ? Standing::known : Standing::nobody;
  asked.order = records_.find_order(asked.client, asked.orig);
  if (!asked.order) return Standing::nobody;
  const Order& order = records_.order_at(*asked.order);
  if (order.state == OrderState::lost) return Standing::lost;
  if (!is_open(order.state)) return Standing::closed;
  return order.pending != k_nowhere ? Standing::busy : Standing::open;
}

bool Translator::is_sent_before(const Asked& asked) const noexcept {
  return asked.message.is_set(tag::k_poss_resend) && records_.find_order(asked.client, asked.id).has_value();
}

bool Translator::is_id_known(const Asked& asked) const noexcept {
  return records_.knows(asked.client, asked.id);
}

void Translator::try_new_order(const Asked& asked) {
  if (const Done done = send_new_order(asked); !done) refuse(asked, done.error());
}

void Translator::try_cancel(const Asked& asked) {
  if (const Done done = send_cancel(asked); !done) refuse(asked, done.error());
}

void Translator::try_replace(const Asked& asked) {
  if (const Done done = send_replace(asked); !done) refuse(asked, done.error());
}

void Translator::refuse_unavailable(const Asked& asked) {
  refuse(asked, unavailable("the venue is not connected").error());
}

void Translator::refuse_duplicate_order(const Asked& asked) {
  refuse(asked, refused(order_reject::k_duplicate, tag::k_cl_ord_id, "duplicate ClOrdID").error());
}

void Translator::refuse_duplicate_change(const Asked& asked) {
  refuse(asked, refused(cancel_reject::k_duplicate, tag::k_cl_ord_id, "duplicate ClOrdID").error());
}

void Translator::refuse_unknown(const Asked& asked) {
  refuse(asked, refused(cancel_reject::k_unknown_order, tag::k_orig_cl_ord_id, "unknown order").error());
}

void Translator::refuse_lost(const Asked& asked) {
  constexpr const char* text = "the venue no longer knows this order";
  refuse(asked, refused(cancel_reject::k_unknown_order, tag::k_orig_cl_ord_id, text).error());
}

void Translator::refuse_too_late(const Asked& asked) {
  refuse(asked, refused(cancel_reject::k_too_late, 0, "the order is closed").error());
}

void Translator::refuse_pending(const Asked& asked) {
  constexpr const char* text = "another cancel or replace of this order is not answered yet";
  refuse(asked, refused(cancel_reject::k_pending, 0, text).error());
}

Translator::Done Translator::send_new_order(const Asked& asked) {
  market::NewOrder command = clients_[asked.client].order_template;
  if (Done done = read_new_order(asked.message, symbols_, command); !done) return done;
  if (!asked.number) return refused(order_reject::k_other, 0, "no room for another request");
  const std::optional<std::uint32_t> place = records_.open_order();
  if (!place) return refused(order_reject::k_other, 0, "no room for another order");

  command.labels.client_order_id = name_of(*asked.number);
  Order& order = records_.order_at(*place);
  order.cl_ord_id = asked.id;
  order.terms = command.terms;
  order.account = command.labels.account;
  order.naming = *asked.number;
  order.client = asked.client;
  order.instrument = command.header.instrument;
  Request& request = records_.open_request(*asked.number);
  request.cl_ord_id = asked.id;
  request.client = asked.client;
  request.order = *place;
  Done done = dispatch(asked, request, command);
  if (!done) records_.undo_order(*place);
  return done;
}

Translator::Done Translator::send_cancel(const Asked& asked) {
  const Order& order = records_.order_at(*asked.order);
  if (Done done = read_cancel(asked.message, symbols_, order); !done) return done;
  if (!asked.number) return refused(cancel_reject::k_other, 0, "no room for another request");
  market::Cancel command;
  command.header.instrument = order.instrument;
  command.order = order.order_id;
  command.client_order_id = name_of(*asked.number);
  if (order.order_id.value == 0) command.original_client_order_id = name_of(order.naming);
  command.side = order.terms.side;
  return dispatch(asked, open_change(asked, RequestKind::cancel), command);
}

Translator::Done Translator::send_replace(const Asked& asked) {
  const Order& order = records_.order_at(*asked.order);
  market::OrderTerms terms;
  Text<10> account;
  if (Done done = read_replace(asked.message, symbols_, order, terms, account); !done) return done;
  if (!asked.number) return refused(cancel_reject::k_other, 0, "no room for another request");
  market::Replace command;
  command.header.instrument = order.instrument;
  command.order = order.order_id;
  command.client_order_id = name_of(*asked.number);
  if (order.order_id.value == 0) command.original_client_order_id = name_of(order.naming);
  // A negative price says "none" or "unchanged"; the client's own prices are above zero.
  constexpr market::Price k_none{-1};
  command.limit = terms.limit.units != 0 || terms.sub_type == market::OrderSubType::offset ? terms.limit : k_none;
  command.stop = terms.stop.units != 0 ? terms.stop : k_none;
  command.quantity = terms.quantity;
  command.displayed = terms.displayed;
  command.minimum = terms.minimum;
  command.expiry = terms.expiry;
  command.offset_bp = terms.offset_bp;
  command.side = terms.side;
  command.group = terms.group == order.terms.group ? std::uint8_t{0} : terms.group;
  command.passive = terms.passive;
  command.account = account;
  Request& request = open_change(asked, RequestKind::replace);
  request.terms = terms;
  request.account = account;
  return dispatch(asked, request, command);
}

Request& Translator::open_change(const Asked& asked, RequestKind kind) {
  Request& request = records_.open_request(*asked.number);
  request.kind = kind;
  request.cl_ord_id = asked.id;
  request.orig_cl_ord_id = asked.orig;
  request.client = asked.client;
  request.order = *asked.order;
  return request;
}

/// The record is complete: it goes into the log, then to the venue. A failure leaves nothing behind.
template <class Command>
Translator::Done Translator::dispatch(const Asked& asked, Request& request, Command& command) {
  request.client_sequence = asked.message.msg_seq_num().value_or(market::Sequence{}).value;
  records_.name_order(request.client, request.cl_ord_id, request.order);
  const bool is_logged = log_ == nullptr || log_->append({.number = request.number,
                                                          .client_sequence = request.client_sequence,
                                                          .client = request.client,
                                                          .order = request.order,
                                                          .cl_ord_id = request.cl_ord_id,
                                                          .orig_cl_ord_id = request.orig_cl_ord_id},
                                                         command.header, asked.now);
  const Result<void> sent =
      is_logged ? clients_[request.client].venue->send(command) : fail(ErrorCode::no_room, 0, 0, 0, "room in the log");
  if (!sent) {
    if (is_logged && log_ != nullptr) log_->withdraw(request.number, asked.now);
    const RequestKind kind = request.kind;
    records_.undo_request(request);
    if (!is_logged)
      return refused(kind == RequestKind::new_order ? order_reject::k_other : cancel_reject::k_other, 0,
                     "the gateway's log is full");
    return not_sent(sent.error(), kind);
  }
  asked.fate.request = &request;
  fsm::process<ClientToExchange>(asked.fate.standing, ClientToExchange::Event::sent, *this, asked);
  return {};
}

void Translator::count_sent(const Asked& asked) {
  DOJIMA_ASSERT(asked.fate.request != nullptr, "only dispatch says that something was sent");
  ++counters_.sent;
  mark(stages_.out, asked.fate.request->number);
}

/// One change of an order at a time.
void Translator::hold_order(const Asked& asked) {
  DOJIMA_ASSERT(asked.fate.request != nullptr, "only dispatch says that something was sent");
  const Request& request = *asked.fate.request;
  records_.order_at(request.order).pending = records_.place_of(request);
  count_sent(asked);
}

void Translator::refuse(const Asked& asked, const Refusal& refusal) {
  ++counters_.refused;
  fix::Session& session = *clients_[asked.client].session;
  switch (refusal.answer) {
    case Refusal::Answer::session:
      if (!session.reject(asked.message, static_cast<fix::RejectReason>(refusal.reason), refusal.tag, refusal.text))
        ++counters_.undelivered;
      break;
    case Refusal::Answer::business:
      if (!fix::business_reject(session, asked.message, static_cast<fix::BusinessRejectReason>(refusal.reason),
                                refusal.text))
        ++counters_.undelivered;
      break;
    case Refusal::Answer::report:
      refuse_with_report(asked, refusal);
      break;
  }
  if (asked.number) mark(stages_.back_out, *asked.number);
}

void Translator::refuse_with_report(const Asked& asked, const Refusal& refusal) {
  const fix::MessageView& message = asked.message;
  const fix::MsgType type = message.msg_type();
  const std::string_view id = message.find(tag::k_cl_ord_id).value_or(k_nothing);
  if (type == fix::type::k_new_order_single) {
    fix::Writer writer = begin(asked.client, fix::type::k_execution_report);
    write_refusal(writer, message,
                  {.type = '8',
                   .exec_id = own_exec_id(),
                   .cl_ord_id = id,
                   .reject_reason = refusal.reason,
                   .text = refusal.text,
                   .time = asked.now});
    return send(asked.client, writer);
  }
  const bool is_unknown = refusal.reason == cancel_reject::k_unknown_order;
  fix::Writer writer = begin(asked.client, fix::type::k_order_cancel_reject);
  write_cancel_refusal(writer, {.order = asked.order && !is_unknown ? &records_.order_at(*asked.order) : nullptr,
                                .cl_ord_id = id,
                                .orig_cl_ord_id = message.find(tag::k_orig_cl_ord_id).value_or(k_nothing),
                                .response_to = type == fix::type::k_order_cancel_request ? '1' : '2',
                                .reason = refusal.reason,
                                .text = refusal.text,
                                .time = asked.now});
  send(asked.client, writer);
}

/// PossResend(97) on an order that is known: not a second order, but the state of the first.
void Translator::answer_possible_resend(const Asked& asked) {
  ++counters_.refused;
  const Order& order = records_.order_at(*records_.find_order(asked.client, asked.id));
  tell_execution(order, {.type = 'I',
                         .exec_id = own_exec_id(),
                         .cl_ord_id = asked.message.find(tag::k_cl_ord_id).value_or(k_nothing),
                         .text = "known order, sent before",
                         .time = asked.now});
  if (asked.number) mark(stages_.back_out, *asked.number);
}

void Translator::count_unsupported(const Asked&) {
  ++counters_.unsupported;
}

void Translator::refuse_unsupported(const Asked& asked) {
  ++counters_.unsupported;
  fix::Session& session = *clients_[asked.client].session;
  if (fix::business_reject(session, asked.message, fix::BusinessRejectReason::unsupported_message_type)) return;
  // It repeats the message's id, which may be too long for any answer.
  if (!session.reject(asked.message, fix::RejectReason::other, 0, "unsupported message type")) ++counters_.undelivered;
}

}  // namespace dojima::gateway
