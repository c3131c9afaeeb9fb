#include "dojima/gateway/translator/client_to_exchange.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/fix/business_reject.hpp"
#include "dojima/gateway/client_to_exchange_machine.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/translator/translator_engine.hpp"

namespace dojima::gateway {
namespace {

/// Why the venue's connection did not take a command, as an answer to the client; `uncarried`: in words, where its
/// protocol cannot carry the command.
Refused not_sent(const Error& error, RequestKind kind, const char* uncarried) noexcept {
  const bool is_new = kind == RequestKind::new_order;
  if (error.code == ErrorCode::wrong_state) return unavailable("the venue is not connected");
  if (error.code == ErrorCode::no_room)
    return refuse(is_new ? order_reject::k_other : cancel_reject::k_other, 0, "the connection to the venue is full");
  return refuse(is_new ? order_reject::k_unsupported_characteristic : cancel_reject::k_exchange_option, 0, uncarried);
}

std::vector<market::NewOrder> templates_of(std::span<const ClientConfig> clients) {
  std::vector<market::NewOrder> templates;
  templates.reserve(clients.size());
  for (const ClientConfig& client : clients) templates.push_back(make_template(client.defaults));
  return templates;
}

/// What people will read, cut to the size: a client's text may have anything in it.
template <std::size_t Most>
[[nodiscard]] Text<Most> printable(std::string_view text) noexcept {
  std::array<char, Most> shown{};
  const std::size_t size = std::min(text.size(), Most);
  std::ranges::transform(text.substr(0, size), shown.begin(), [](char c) { return c >= ' ' && c <= '~' ? c : '?'; });
  return Text<Most>::cut({shown.data(), size});
}

}  // namespace

ClientToExchange::ClientToExchange(const Parts& parts, std::span<const SymbolConfig> symbols,
                                   std::span<const ClientConfig> clients)
    : symbols_(parts.symbols),
      records_(parts.records),
      channels_(parts.channels),
      probe_(parts.probe),
      limits_(parts.limits),
      waiting_(parts.waiting),
      answers_(parts.answers),
      chain_(parts.chain),
      counters_(parts.counters),
      templates_(templates_of(clients)),
      targets_({.symbols = parts.symbols,
                .records = parts.records,
                .channels = parts.channels,
                .users = parts.users,
                .quotes = parts.quotes}),
      refusals_(
          {.records = parts.records, .channels = parts.channels, .probe = parts.probe, .counters = parts.counters}),
      request_limits_(
          {.channels = parts.channels, .counters = parts.counters, .limits = parts.limits, .waiting = parts.waiting}),
      mass_cancels_({.symbols = parts.symbols,
                     .records = parts.records,
                     .channels = parts.channels,
                     .counters = parts.counters,
                     .journal = parts.journal,
                     .mass_cancels = parts.mass_cancels,
                     .waiting = parts.waiting,
                     .order_cancels = parts.order_cancels,
                     .users = parts.users}),
      quotes_({.symbols = parts.symbols,
               .records = parts.records,
               .channels = parts.channels,
               .counters = parts.counters,
               .journal = parts.journal,
               .mass_cancels = parts.mass_cancels,
               .limits = parts.limits,
               .request_limits = request_limits_,
               .users = parts.users,
               .quotes = parts.quotes,
               .templates = templates_}),
      status_(parts.symbols, parts.records, parts.users, parts.channels, clients.size()),
      reference_(parts.channels, symbols, clients, parts.users),
      journal_(parts.journal) {}

void ClientToExchange::on_message(std::uint32_t client, const fix::MessageView& view, Time now) {
  const fix::MsgType type = view.msg_type();
  const bool is_new = type == fix::type::k_new_order_single;
  const bool is_change = type == fix::type::k_order_cancel_request || type == fix::type::k_order_cancel_replace_request;
  // An answer that is kept says that the message was received: they survive together or not at all.
  fix::Session& session = channels_.session(client);
  session.store().count_received({session.next_incoming().value + 1});
  ClientMessage::Outcome outcome;
  ClientMessage message(client, view, now, outcome);
  message.sub_id = targets_.read_sub_id(message);
  channels_.set_reply_sub_id(message.sub_id);
  process(message, type, is_new, is_change);
  channels_.flush();
  channels_.set_reply_sub_id({});
}

void ClientToExchange::process(ClientMessage& message, fix::MsgType type, bool is_new, bool is_change) {
  ClientMessage::Outcome& outcome = message.outcome;
  if (is_new || is_change) {
    number_request(message);
    const auto target = targets_.find(message, is_new);
    if (!target) return refusals_.refuse(message, target.error());
    outcome.target = *target;
    if (type == fix::type::k_order_cancel_request) end_waiting_replace(message);
  }
  fsm::process<Machine, TranslatorEngine>(outcome.target, static_cast<Machine::Event>(type), *this, message);
}

/// A number of its own for every request, sent or refused, so that the probe's first stage is taken before all work.
void ClientToExchange::number_request(ClientMessage& message) {
  ++counters_.requests;
  message.number = records_.take_number();
  if (message.number && probe_.is_marked(*message.number))
    probe_.mark_request_in(*message.number, message.client, message.text(tag::k_cl_ord_id));
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

bool ClientToExchange::is_possible_resend(const ClientMessage& message) const noexcept {
  const bool is_repeated = message.view.is_set(tag::k_poss_resend) || message.view.is_set(fix::tag::k_poss_dup_flag);
  return is_repeated && records_.find_order(message.client, message.id).has_value();
}

bool ClientToExchange::is_id_known(const ClientMessage& message) const noexcept {
  return records_.knows_id(message.client, message.id);
}

void ClientToExchange::try_new_order(const ClientMessage& message) {
  if (const Done done = send_new_order(message); !done) refusals_.refuse(message, done.error());
}

void ClientToExchange::try_cancel(const ClientMessage& message) {
  if (const Done done = send_cancel(message); !done) refusals_.refuse(message, done.error());
}

void ClientToExchange::try_replace(const ClientMessage& message) {
  if (const Done done = send_replace(message); !done) refusals_.refuse(message, done.error());
}

void ClientToExchange::refuse_unavailable(const ClientMessage& message) {
  const char* text = "the venue is not connected";
  if (message.user && channels_.venue(*message.user).is_logged_on())
    text = channels_.wait_of(*message.user) == VenueWait::journal
               ? "what the venue's last session led to waits for room in the gateway's journal"
               : "what was missed of the venue is being recovered";
  refusals_.refuse(message, unavailable(text).error());
}

void ClientToExchange::refuse_duplicate_order(const ClientMessage& message) {
  refusals_.refuse(message, refuse(order_reject::k_duplicate, tag::k_cl_ord_id, "duplicate ClOrdID").error());
}

void ClientToExchange::refuse_duplicate_change(const ClientMessage& message) {
  refusals_.refuse(message, refuse(cancel_reject::k_duplicate, tag::k_cl_ord_id, "duplicate ClOrdID").error());
}

void ClientToExchange::refuse_unknown(const ClientMessage& message) {
  refusals_.refuse(message, refuse(cancel_reject::k_unknown_order, tag::k_orig_cl_ord_id, "unknown order").error());
}

void ClientToExchange::refuse_lost(const ClientMessage& message) {
  constexpr const char* text = "the venue no longer knows this order";
  refusals_.refuse(message, refuse(cancel_reject::k_unknown_order, tag::k_orig_cl_ord_id, text).error());
}

void ClientToExchange::refuse_too_late(const ClientMessage& message) {
  refusals_.refuse(message, refuse(cancel_reject::k_too_late, 0, "the order is closed").error());
}

void ClientToExchange::refuse_pending(const ClientMessage& message) {
  constexpr const char* text = "another cancel or replace of this order is not answered yet";
  refusals_.refuse(message, refuse(cancel_reject::k_pending, 0, text).error());
}

Done ClientToExchange::send_new_order(const ClientMessage& message) {
  market::NewOrder command = templates_[message.client];
  OrderParties parties;
  if (Done done = read_new_order(message.view, symbols_, command, parties); !done) return done;
  if (!message.user)
    return refuse(order_reject::k_unknown_symbol, tag::k_symbol,
                  message.sub_id.empty() ? "the client does not trade at the venue of this symbol"
                                         : "the client's SenderSubID(50) does not trade at the venue of this symbol");
  const LimitedRequest limited =
      limited_request(true, command.header.instrument, command.terms, command.labels.account.view());
  if (Done done = request_limits_.check(message, limited); !done) return done;
  if (!message.number) return refuse(order_reject::k_other, 0, "no room for another request");
  const std::optional<std::uint32_t> slot = records_.open_order();
  if (!slot) return refuse(order_reject::k_other, 0, "no room for another order");

  command.labels.client_order_id = venue_id_of(*message.number);
  Order& order = records_.order_at(*slot);
  order.terms = command.terms;
  order.account = command.labels.account;
  order.current_request = *message.number;
  order.client = message.client;
  order.user = static_cast<std::uint16_t>(*message.user);
  order.instrument = command.header.instrument;
  if (!parties.is_empty()) records_.set_parties(*slot, parties);
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

Done ClientToExchange::send_cancel(const ClientMessage& message) {
  const Order& order = std::as_const(records_).order_at(*message.order);
  if (Done done = read_cancel(message.view, symbols_, order); !done) return done;
  if (!has_room_for_change(message)) return refuse_full();
  if (waiting_.has(message.client, order.current_request)) return cancel_unsent(message);
  market::Cancel command = cancel_command(*message.number, order);
  Done done = dispatch(message, open_change(message, RequestKind::cancel), command);
  if (done) request_limits_.count_cancel(message);
  return done;
}

Done ClientToExchange::send_replace(const ClientMessage& message) {
  const Order& order = std::as_const(records_).order_at(*message.order);
  if (is_quote_side(order))
    return refuse(cancel_reject::k_exchange_option, 0, "a quote is changed by another Quote(S)");
  market::OrderTerms terms;
  Text<10> account;
  const OwnerOfOrder owner{records_.parties_of(order), templates_[message.client]};
  if (Done done = read_replace(message.view, symbols_, order, owner, terms, account); !done) return done;
  const std::string_view limited_account = account.is_empty() ? order.account.view() : account.view();
  if (Done done = request_limits_.check(message, limited_request(false, order.instrument, terms, limited_account));
      !done)
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

void ClientToExchange::try_mass_cancel(const ClientMessage& message) {
  mass_cancels_.handle(message);
}

void ClientToExchange::try_quote(const ClientMessage& message) {
  quotes_.enter(message);
}

void ClientToExchange::try_quote_cancel(const ClientMessage& message) {
  quotes_.cancel(message);
}

void ClientToExchange::answer_status(const ClientMessage& message) {
  ++counters_.status_requests;
  status_.answer_order(message.client, message.view, message.now);
}

void ClientToExchange::answer_mass_status(const ClientMessage& message) {
  ++counters_.status_requests;
  status_.answer_all(message.client, message.view, message.now);
}

/// The client does not know a trade that it was sent: that is kept, and people are notified and have to settle it.
void ClientToExchange::note_unknown_trade(const ClientMessage& message) {
  ++counters_.unknown_trades;
  const std::string_view reason = message.text(tag::k_dk_reason);
  journal_.note_unknown_trade({.time = message.now,
                               .client = message.client,
                               .reason = reason.empty() ? '\0' : printable<1>(reason).view().front(),
                               .order_id = printable<20>(message.text(fix::tag::k_order_id)),
                               .exec_id = printable<20>(message.text(fix::tag::k_exec_id)),
                               .text = printable<60>(message.text(fix::tag::k_text))});
  channels_.flush_all();
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

Done ClientToExchange::refuse_full() {
  return refuse(cancel_reject::k_other, 0, "no room for another request");
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
Done ClientToExchange::dispatch(const ClientMessage& message, Request& request, Command& command) {
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
      return refuse(kind == RequestKind::new_order ? order_reject::k_other : cancel_reject::k_other, 0,
                    "the gateway's journal is full");
    uncarried_text_ = uncarried_text(command, channels_.venue(*message.user).dialect(), sent.error());
    return not_sent(sent.error(), kind, uncarried_text_.c_str());
  }
  message.outcome.request = &request;
  fsm::process<Machine, TranslatorEngine>(message.outcome.target, Machine::Event::sent, *this, message);
  return {};
}

/// A cancel does not wait behind a replace that has not left; the replace is over then.
void ClientToExchange::end_waiting_replace(const ClientMessage& message) {
  if (message.outcome.target != TargetState::change_pending || is_id_known(message)) return;
  if (!read_cancel(message.view, symbols_, std::as_const(records_).order_at(*message.order))) return;
  if (waiting_.refuse_replace(*message.order, "the order is cancelled before this left", message.now))
    message.outcome.target = TargetState::open;
}

/// The order waits for the client's rate: it is over without the venue.
Done ClientToExchange::cancel_unsent(const ClientMessage& message) {
  const std::uint64_t number = std::as_const(records_).order_at(*message.order).current_request;
  Request& cancel = open_change(message, RequestKind::cancel);
  cancel.client_sequence = message.sequence;
  if (!journal_.write(false, &channels_.session(cancel.client).store())) {
    records_.undo_request(cancel);
    return refuse(cancel_reject::k_other, 0, "the gateway's journal is full");
  }
  message.outcome.request = &cancel;
  fsm::process<Machine, TranslatorEngine>(message.outcome.target, Machine::Event::sent, *this, message);
  waiting_.forget(message.client, number);
  answers_.cancel_unsent(cancel, message.now);
  probe_.mark_report_out(*message.number);
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

void ClientToExchange::answer_possible_resend(const ClientMessage& message) {
  refusals_.answer_possible_resend(message);
}

void ClientToExchange::count_unsupported(const ClientMessage&) {
  ++counters_.unsupported;
}

void ClientToExchange::refuse_unsupported(const ClientMessage& message) {
  ++counters_.unsupported;
  channels_.send_unsupported(message.client, message.view);
}

}  // namespace dojima::gateway
