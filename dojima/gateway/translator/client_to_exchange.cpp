#include "dojima/gateway/translator/client_to_exchange.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/gateway/client_to_exchange_machine.hpp"
#include "dojima/gateway/messages/report_writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/routes/order_names.hpp"
#include "dojima/gateway/translator/translator_engine.hpp"

namespace dojima::gateway {
namespace {

constexpr std::string_view k_nothing;

/// Why the venue's connection did not take a command, as an answer to the client.
Refused not_sent(const Error& error, RequestKind kind) noexcept {
  const bool is_new = kind == RequestKind::new_order;
  if (error.code == ErrorCode::wrong_state) return unavailable("the venue is not connected");
  if (error.code == ErrorCode::no_room)
    return gateway::refuse(is_new ? order_reject::k_other : cancel_reject::k_other, 0,
                           "the connection to the venue is full");
  return gateway::refuse(is_new ? order_reject::k_unsupported_characteristic : cancel_reject::k_exchange_option, 0,
                         error.expected == nullptr ? "the venue's protocol cannot carry this" : error.expected);
}

}  // namespace

ClientToExchange::ClientToExchange(const Parts& parts, std::span<const SymbolConfig> symbols,
                                   std::span<const ClientConfig> clients)
    : symbols_(parts.symbols),
      records_(parts.records),
      channels_(parts.channels),
      probe_(parts.probe),
      counters_(parts.counters),
      mass_cancels_(parts.mass_cancels),
      limits_(parts.limits),
      waiting_(parts.waiting),
      answers_(parts.answers),
      order_cancels_(parts.order_cancels),
      users_(parts.users),
      chain_(parts.chain),
      quotes_(parts.quotes),
      status_(parts.symbols, parts.records, parts.users, parts.channels, clients.size()),
      reference_(parts.channels, symbols, clients, parts.users),
      journal_(parts.journal) {
  templates_.reserve(clients.size());
  for (const ClientConfig& client : clients) templates_.push_back(make_template(client.defaults));
}

void ClientToExchange::on_message(std::uint32_t client, const fix::MessageView& view, Time now) {
  const fix::MsgType type = view.msg_type();
  const bool is_new = type == fix::type::k_new_order_single;
  const bool is_change = type == fix::type::k_order_cancel_request || type == fix::type::k_order_cancel_replace_request;
  // An answer that is kept says that the message was received: they survive together or not at all.
  fix::Session& session = channels_.session(client);
  session.store().count_received({session.next_incoming().value + 1});
  Outcome outcome;
  ClientMessage message{.client = client, .view = view, .now = now, .outcome = outcome};
  message.sub_id = read_sub_id(message);
  channels_.set_reply_sub_id(message.sub_id);
  process(message, type, is_new, is_change);
  channels_.flush();
  channels_.set_reply_sub_id({});
}

void ClientToExchange::process(ClientMessage& message, fix::MsgType type, bool is_new, bool is_change) {
  Outcome& outcome = message.outcome;
  if (is_new || is_change) {
    number_request(message);
    Done done = read_ids(message, is_new);
    if (done) done = check_sub_id(message);
    if (!done) return refuse(message, done.error());
    outcome.target = find_target(message, is_new);
    if (type == fix::type::k_order_cancel_request) end_waiting_replace(message);
  }
  fsm::process<Machine, TranslatorEngine>(outcome.target, static_cast<Machine::Event>(type), *this, message);
}

/// Empty: it names none, or it is no matter.
std::string_view ClientToExchange::read_sub_id(const ClientMessage& message) const {
  if (!users_.has_sub_ids(message.client)) return {};
  return message.view.find(fix::tag::k_sender_sub_id).value_or(k_nothing);
}

ClientToExchange::Done ClientToExchange::check_sub_id(const ClientMessage& message) const {
  if (message.sub_id.empty() || users_.has_sub_id(message.client, message.sub_id)) return {};
  const bool is_new = message.view.msg_type() == fix::type::k_new_order_single;
  return gateway::refuse(is_new ? order_reject::k_other : cancel_reject::k_other, fix::tag::k_sender_sub_id,
                         "unknown SenderSubID(50): the client has no such trader");
}

/// A number of its own for every request, sent or refused, so that the probe's first stage is taken before all work.
void ClientToExchange::number_request(ClientMessage& message) {
  ++counters_.requests;
  message.number = records_.take_number();
  if (probe_.is_on() && message.number)
    probe_.mark_request_in(*message.number, message.client, message.view.find(tag::k_cl_ord_id).value_or(k_nothing));
  if (message.number) {
    DOJIMA_ASSERT(*message.number >= next_number_, "the numbers of requests increase", *message.number, next_number_,
                  message.client);
    next_number_ = *message.number + 1;
  }
  message.sequence = message.view.msg_seq_num().value_or(market::Sequence{}).value;
  const market::Sequence due = channels_.session(message.client).next_incoming();
  DOJIMA_ASSERT(message.sequence == due.value, "a session delivers the message that is due", message.client,
                message.sequence, due);
}

ClientToExchange::Done ClientToExchange::read_ids(ClientMessage& message, bool is_new) const {
  const auto own = read_id(message.view, tag::k_cl_ord_id);
  if (!own) return Refused(own.error());
  message.id = *own;
  if (is_new) return {};
  const bool is_named_by_venue = !message.view.has(tag::k_orig_cl_ord_id) && message.view.has(tag::k_order_id);
  if (is_named_by_venue) return {};
  const auto target = read_id(message.view, tag::k_orig_cl_ord_id);
  if (!target) return Refused(target.error());
  message.orig = *target;
  return {};
}

/// Finds the order that the message is about: a new order's own id, should it be known, else the one to change. And the
/// venue user that it goes through.
ClientToExchange::TargetState ClientToExchange::find_target(ClientMessage& message, bool is_new) const {
  if (is_new) {
    message.user = user_of_symbol(message);
    message.is_venue_up = !message.user || channels_.is_venue_ready(*message.user);
    const bool is_used = message.is_venue_up && records_.knows_id(message.client, message.id);
    return is_used ? TargetState::id_used : TargetState::absent;
  }
  message.order = records_.find_order(message.client, message.orig);
  if (!message.order) message.order = find_by_order_id(message);
  if (message.order) find_quote_side(message);
  message.user =
      message.order ? std::as_const(records_).order_at(*message.order).user : users_.of(message.client).front();
  message.is_venue_up = message.order ? channels_.is_venue_ready(*message.user) : is_any_ready(message.client);
  if (!message.is_venue_up || !message.order) return TargetState::absent;
  const Order& order = std::as_const(records_).order_at(*message.order);
  if (order.state == OrderState::lost) return TargetState::lost;
  if (!is_open(order.state)) return TargetState::closed;
  return order.pending_change != k_no_slot ? TargetState::change_pending : TargetState::open;
}

/// Where there is one user, it is not worth a look. None for a symbol that is unknown, or at a venue where the client
/// does not trade.
std::optional<std::uint32_t> ClientToExchange::user_of_symbol(const ClientMessage& message) const {
  const auto users = users_.of(message.client);
  if (users.size() == 1 && users_.venues() == 1) return users.front();
  std::uint8_t venue = 0;
  if (users_.venues() > 1) {
    const auto instrument = read_instrument(message.view, symbols_, k_new_order_reasons);
    if (!instrument) return std::nullopt;
    venue = users_.venue_of(*instrument);
  }
  return users_.at(message.client, venue, message.sub_id, message.view.find(tag::k_account).value_or(k_nothing));
}

bool ClientToExchange::is_any_ready(std::uint32_t client) const noexcept {
  return std::ranges::any_of(users_.of(client), [this](std::uint32_t user) { return channels_.is_venue_ready(user); });
}

/// OrderID(37) names an order that OrigClOrdID(41) does not; 41 is then the order's own id.
std::optional<std::uint32_t> ClientToExchange::find_by_order_id(ClientMessage& message) const {
  const auto slot = gateway::find_by_order_id(records_, users_, message.client,
                                              message.view.find(tag::k_order_id).value_or(k_nothing));
  if (!slot) return std::nullopt;
  const ClOrdId& own = records_.id_of(std::as_const(records_).order_at(*slot));
  const bool is_quote = is_quote_side(std::as_const(records_).order_at(*slot));
  if (!is_quote && records_.find_order(message.client, own) != slot)
    return std::nullopt;  // another order has the id by now
  message.orig = own;
  return slot;
}

bool ClientToExchange::is_possible_resend(const ClientMessage& message) const noexcept {
  const bool is_repeated = message.view.is_set(tag::k_poss_resend) || message.view.is_set(fix::tag::k_poss_dup_flag);
  return is_repeated && records_.find_order(message.client, message.id).has_value();
}

bool ClientToExchange::is_id_known(const ClientMessage& message) const noexcept {
  return records_.knows_id(message.client, message.id);
}

void ClientToExchange::try_new_order(const ClientMessage& message) {
  if (const Done done = send_new_order(message); !done) refuse(message, done.error());
}

void ClientToExchange::try_cancel(const ClientMessage& message) {
  if (const Done done = send_cancel(message); !done) refuse(message, done.error());
}

void ClientToExchange::try_replace(const ClientMessage& message) {
  if (const Done done = send_replace(message); !done) refuse(message, done.error());
}

void ClientToExchange::refuse_unavailable(const ClientMessage& message) {
  const bool is_recovering = message.user && channels_.venue(*message.user).is_logged_on();
  refuse(message,
         unavailable(is_recovering ? "what was missed of the venue is being recovered" : "the venue is not connected")
             .error());
}

void ClientToExchange::refuse_duplicate_order(const ClientMessage& message) {
  refuse(message, gateway::refuse(order_reject::k_duplicate, tag::k_cl_ord_id, "duplicate ClOrdID").error());
}

void ClientToExchange::refuse_duplicate_change(const ClientMessage& message) {
  refuse(message, gateway::refuse(cancel_reject::k_duplicate, tag::k_cl_ord_id, "duplicate ClOrdID").error());
}

void ClientToExchange::refuse_unknown(const ClientMessage& message) {
  refuse(message, gateway::refuse(cancel_reject::k_unknown_order, tag::k_orig_cl_ord_id, "unknown order").error());
}

void ClientToExchange::refuse_lost(const ClientMessage& message) {
  constexpr const char* text = "the venue no longer knows this order";
  refuse(message, gateway::refuse(cancel_reject::k_unknown_order, tag::k_orig_cl_ord_id, text).error());
}

void ClientToExchange::refuse_too_late(const ClientMessage& message) {
  refuse(message, gateway::refuse(cancel_reject::k_too_late, 0, "the order is closed").error());
}

void ClientToExchange::refuse_pending(const ClientMessage& message) {
  constexpr const char* text = "another cancel or replace of this order is not answered yet";
  refuse(message, gateway::refuse(cancel_reject::k_pending, 0, text).error());
}

ClientToExchange::Done ClientToExchange::send_new_order(const ClientMessage& message) {
  market::NewOrder command = templates_[message.client];
  if (Done done = read_new_order(message.view, symbols_, command); !done) return done;
  if (!message.user)
    return gateway::refuse(order_reject::k_unknown_symbol, tag::k_symbol,
                           message.sub_id.empty()
                               ? "the client does not trade at the venue of this symbol"
                               : "the client's SenderSubID(50) does not trade at the venue of this symbol");
  const LimitedRequest limited =
      limited_request(true, command.header.instrument, command.terms, command.labels.account.view());
  if (Done done = check_limits(message, limited); !done) return done;
  if (!message.number) return gateway::refuse(order_reject::k_other, 0, "no room for another request");
  const std::optional<std::uint32_t> slot = records_.open_order();
  if (!slot) return gateway::refuse(order_reject::k_other, 0, "no room for another order");

  command.labels.client_order_id = venue_id_of(*message.number);
  Order& order = records_.order_at(*slot);
  order.terms = command.terms;
  order.account = command.labels.account;
  order.current_request = *message.number;
  order.client = message.client;
  order.user = static_cast<std::uint16_t>(*message.user);
  order.instrument = command.header.instrument;
  Request& request = records_.open_request(*message.number, message.client);
  request.order = *slot;
  records_.name_order(order, records_.add_id(request, message.id, *slot));
  Done done = dispatch(message, request, command);
  if (done)
    limits_.note_order(message.client, limited, message.now);
  else
    records_.undo_order(*slot);
  return done;
}

ClientToExchange::Done ClientToExchange::send_cancel(const ClientMessage& message) {
  const Order& order = std::as_const(records_).order_at(*message.order);
  if (Done done = read_cancel(message.view, symbols_, order); !done) return done;
  if (!has_room_for_change(message)) return refuse_full();
  if (waiting_.has(message.client, order.current_request)) return cancel_unsent(message);
  market::Cancel command = cancel_command(*message.number, order);
  Done done = dispatch(message, open_change(message, RequestKind::cancel), command);
  if (done) count_cancel(message);
  return done;
}

ClientToExchange::Done ClientToExchange::send_replace(const ClientMessage& message) {
  const Order& order = std::as_const(records_).order_at(*message.order);
  if (is_quote_side(order))
    return gateway::refuse(cancel_reject::k_exchange_option, 0, "a quote is changed by another Quote(S)");
  market::OrderTerms terms;
  Text<10> account;
  if (Done done = read_replace(message.view, symbols_, order, terms, account); !done) return done;
  const std::string_view limited_account = account.is_empty() ? order.account.view() : account.view();
  if (Done done = check_limits(message, limited_request(false, order.instrument, terms, limited_account)); !done)
    return done;
  if (!has_room_for_change(message)) return refuse_full();
  market::Replace command = replace_command(*message.number, order, terms, account);
  Request& request = open_change(message, RequestKind::replace);
  RequestedChange& change = records_.change_of(request);
  change.terms = terms;
  change.account = account;
  return dispatch(message, request, command);
}

/// To the venue, or to those that wait for the client's rate.
template <class Command>
Result<void> ClientToExchange::hand_over(const ClientMessage& message, const Request& request, Command& command) {
  mit::ClientSession& venue = channels_.venue(*message.user);
  if constexpr (!std::is_same_v<Command, market::Cancel>) {
    if (message.outcome.must_wait) {
      waiting_.push(request.client, request.number, command);
      return {};
    }
    const Result<void> sent = venue.send(command);
    if (sent) limits_.note_sent(request.client, message.now);
    return sent;
  } else {
    return venue.send(command);
  }
}

void ClientToExchange::answer_status(const ClientMessage& message) {
  ++counters_.status_requests;
  status_.answer_order(message.client, message.view, message.now);
}

void ClientToExchange::answer_mass_status(const ClientMessage& message) {
  ++counters_.status_requests;
  status_.answer_all(message.client, message.view, message.now);
}

/// The client does not know a trade that it was sent: for people to settle, who hear of it.
void ClientToExchange::note_unknown_trade(const ClientMessage& message) {
  ++counters_.unknown_trades;
  channels_.note_unknown_trade(message.client, message.view, message.now);
}

void ClientToExchange::answer_securities(const ClientMessage& message) {
  reference_.answer_securities(message.client, message.view);
}

void ClientToExchange::answer_definition(const ClientMessage& message) {
  reference_.answer_definition(message.client, message.view);
}

void ClientToExchange::answer_trading_session(const ClientMessage& message) {
  reference_.answer_trading_session(message.client, message.view);
}

void ClientToExchange::answer_user(const ClientMessage& message) {
  reference_.answer_user(message.client, message.view);
}

bool ClientToExchange::has_room_for_change(const ClientMessage& message) const noexcept {
  return message.number && records_.has_room_for_changes();
}

ClientToExchange::Done ClientToExchange::refuse_full() {
  return gateway::refuse(cancel_reject::k_other, 0, "no room for another request");
}

/// Its id addresses the order from now on.
Request& ClientToExchange::open_change(const ClientMessage& message, RequestKind kind) {
  Request& request = records_.open_request(*message.number, message.client);
  request.kind = kind;
  request.order = *message.order;
  // First what it names: that may be an id of the past, which must not be forgotten for the new one.
  records_.open_change(request, message.orig);
  records_.add_id(request, message.id, *message.order);
  return request;
}

/// The record is complete: it goes into the journal, then to the venue. A failure leaves nothing behind.
template <class Command>
ClientToExchange::Done ClientToExchange::dispatch(const ClientMessage& message, Request& request, Command& command) {
  request.client_sequence = message.sequence;
  DOJIMA_CHECK_SLOW(request.kind == RequestKind::new_order ||
                        is_quote_side(std::as_const(records_).order_at(request.order)) ||
                        records_.find_order(request.client, records_.orig_of(request)) == request.order,
                    "OrigClOrdID addresses the order that the request changes", request.number, request.order);
  DOJIMA_ASSERT(records_.find_request(request.number) == &request, "a report finds the request by its number",
                request.number, request.client);
  const bool is_written = journal_.write(false, &channels_.session(request.client).store());
  const Result<void> sent =
      is_written ? hand_over(message, request, command) : fail(ErrorCode::no_room, 0, 0, 0, "room in the journal");
  if (!sent) {
    const RequestKind kind = request.kind;
    records_.undo_request(request);
    if (!is_written)
      return gateway::refuse(kind == RequestKind::new_order ? order_reject::k_other : cancel_reject::k_other, 0,
                             "the gateway's journal is full");
    return not_sent(sent.error(), kind);
  }
  message.outcome.request = &request;
  fsm::process<Machine, TranslatorEngine>(message.outcome.target, Machine::Event::sent, *this, message);
  return {};
}

void ClientToExchange::count_sent(const ClientMessage& message) {
  DOJIMA_ASSERT(message.outcome.request != nullptr, "only dispatch says that something was sent", message.client,
                message.number.value_or(0));
  ++counters_.sent;
  probe_.mark_request_out(message.outcome.request->number);
}

/// One change of an order at a time.
void ClientToExchange::count_sent_change(const ClientMessage& message) {
  DOJIMA_ASSERT(message.outcome.request != nullptr, "only dispatch says that something was sent", message.client,
                message.number.value_or(0));
  const Request& request = *message.outcome.request;
  const Order& order = std::as_const(records_).order_at(request.order);
  DOJIMA_ASSERT(order.pending_change == k_no_slot, "one change of an order is pending at a time", request.number,
                request.order, order.pending_change);
  records_.set_pending_change(request.order, records_.slot_of(request));
  count_sent(message);
}

void ClientToExchange::refuse(const ClientMessage& message, const Refusal& refusal) {
  ++counters_.refused;
  if (refusal.answer != Refusal::Answer::report)
    channels_.send_reject(message.client, message.view, refusal);
  else if (message.view.msg_type() == fix::type::k_new_order_single)
    send_order_reject(message, refusal);
  else
    send_cancel_reject(message, refusal);
  if (message.number) probe_.mark_report_out(*message.number);
}

/// ExecutionReport(8) of an order that has no record.
void ClientToExchange::send_order_reject(const ClientMessage& message, const Refusal& refusal) {
  fix::Writer writer = channels_.begin(message.client, fix::type::k_execution_report);
  write_order_reject(writer, channels_.form(message.client), message.view,
                     {.type = '8',
                      .exec_id = channels_.next_exec_id(),
                      .cl_ord_id = message.view.find(tag::k_cl_ord_id).value_or(k_nothing),
                      .reject_reason = refusal.reason,
                      .text = refusal.text,
                      .time = message.now});
  channels_.send(message.client, writer);
}

void ClientToExchange::send_cancel_reject(const ClientMessage& message, const Refusal& refusal) {
  const bool is_cancel = message.view.msg_type() == fix::type::k_order_cancel_request;
  const bool is_unknown = refusal.reason == cancel_reject::k_unknown_order;
  fix::Writer writer = channels_.begin(message.client, fix::type::k_order_cancel_reject);
  write_cancel_reject(
      writer, channels_.form(message.client),
      {.order = message.order && !is_unknown ? &std::as_const(records_).order_at(*message.order) : nullptr,
       .cl_ord_id = message.view.find(tag::k_cl_ord_id).value_or(k_nothing),
       .orig_cl_ord_id = message.view.find(tag::k_orig_cl_ord_id).value_or(k_nothing),
       .response_to = is_cancel ? '1' : '2',
       .reason = refusal.reason,
       .text = refusal.text,
       .time = message.now});
  channels_.send(message.client, writer);
}

/// PossResend(97) on an order that is known: not a second order, but the state of the first.
void ClientToExchange::answer_possible_resend(const ClientMessage& message) {
  ++counters_.refused;
  const Order& order = std::as_const(records_).order_at(*records_.find_order(message.client, message.id));
  channels_.send_execution(order, {.type = 'I',
                                   .exec_id = channels_.next_exec_id(),
                                   .cl_ord_id = message.view.find(tag::k_cl_ord_id).value_or(k_nothing),
                                   .text = "known order, sent before",
                                   .time = message.now});
  if (message.number) probe_.mark_report_out(*message.number);
}

void ClientToExchange::count_unsupported(const ClientMessage&) {
  ++counters_.unsupported;
}

void ClientToExchange::refuse_unsupported(const ClientMessage& message) {
  ++counters_.unsupported;
  channels_.send_unsupported(message.client, message.view);
}

}  // namespace dojima::gateway
