// The part of ClientToExchange that is about quotes: each side of one is an order of its own here, with a request of
// its own, while the venue knows both by one number.

#include <array>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/messages/quote_reader.hpp"
#include "dojima/gateway/messages/quote_writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/order_tags.hpp"
#include "dojima/gateway/translator/client_to_exchange.hpp"

namespace dojima::gateway {
namespace {

constexpr std::string_view k_no_text;

/// What the order of one side shall be.
[[nodiscard]] market::OrderTerms terms_of_side(const market::Quote& quote, market::Side side) noexcept {
  market::OrderTerms terms;
  terms.limit = side == market::Side::buy ? quote.bid : quote.ask;
  terms.quantity = terms.displayed = side == market::Side::buy ? quote.bid_size : quote.ask_size;
  terms.side = side;
  terms.type = market::OrderType::limit;
  terms.capacity = quote.capacity;
  terms.peg = quote.peg;
  terms.flags = static_cast<std::uint8_t>(quote.flags | market::k_quote);
  return terms;
}

}  // namespace

void ClientToExchange::try_quote(const ClientMessage& message) {
  ++counters_.requests;
  if (const Done done = send_quote(message); !done) refuse_quote_message(message, done.error());
}

ClientToExchange::Done ClientToExchange::send_quote(const ClientMessage& message) {
  const auto id = read_id(message.view, tag::k_quote_id);
  if (!id) return Refused(id.error());
  if (Done done = check_quoting(message); !done) return done;
  if (records_.knows_id(message.client, *id) || mass_cancels_.has(message.client, *id))
    return gateway::refuse(quote_reject::k_duplicate, tag::k_quote_id, "duplicate QuoteID");
  market::Quote command;
  if (Done done = read_quote(message.view, symbols_, templates_[message.client], command); !done) return done;
  const QuoteTarget target{.user = users_.of(message.client).front(), .id = *id};
  std::array sides{QuotedSide{terms_of_side(command, market::Side::buy)},
                   QuotedSide{terms_of_side(command, market::Side::sell)}};
  for (QuotedSide& side : sides) side.live = quotes_.find(target.user, command.header.instrument, side.terms.side);
  if (Done done = check_quote(message, target, command, sides); !done) return done;
  return enter_quote(message, target, command, sides);
}

/// Whether the client may quote at all. The venue keeps a quote for each of its users in an instrument, so that two
/// clients of one user would change each other's.
ClientToExchange::Done ClientToExchange::check_quoting(const ClientMessage& message) const {
  if (!users_.is_alone(message.client))
    return gateway::refuse(quote_reject::k_not_authorized, 0,
                           "a client that shares its venue user, or has several, has no quotes");
  if (!is_any_ready(message.client)) return unavailable("the venue is not connected");
  return {};
}

/// What the quote is held against: what it would change, and the client's limits, side by side.
ClientToExchange::Done ClientToExchange::check_quote(const ClientMessage& message, const QuoteTarget& target,
                                                     const market::Quote& command, std::span<const QuotedSide> sides) {
  const std::uint32_t instrument = command.header.instrument;
  std::uint32_t new_orders = 0;
  bool is_any = false;
  for (const QuotedSide& side : sides) {
    is_any = is_any || side.live || side.terms.quantity.lots != 0;
    if (!side.live) new_orders += side.terms.quantity.lots != 0 ? 1 : 0;
    if (!side.live) continue;
    const Order& order = std::as_const(records_).order_at(*side.live);
    if (order.state == OrderState::pending_new || order.pending_change != k_no_slot)
      return gateway::refuse(quote_reject::k_other, 0, "another change of this quote is not answered yet");
  }
  if (!is_any) return gateway::refuse(quote_reject::k_unknown_quote, 0, "there is no quote to take back");
  for (const QuotedSide& side : sides) {
    if (side.terms.quantity.lots == 0) continue;
    if (Done done = check_limits(message, limited_request(!side.live, instrument, side.terms, k_no_text)); !done)
      return gateway::refuse(quote_reject::k_exceeds_limit, done.error().tag, done.error().text);
    if (message.outcome.must_wait)
      return gateway::refuse(quote_reject::k_exceeds_limit, 0,
                             "orders and replaces above the client's limit in a second: a quote does not wait");
  }
  const ClientLimits& limits = limits_.limits(message.client);
  if (limits.open_orders != 0 && new_orders != 0 &&
      std::uint64_t{limits_.open_orders(message.client)} + new_orders > limits.open_orders)
    return gateway::refuse(quote_reject::k_exceeds_limit, 0, "open orders above the client's limit");
  if (!quotes_.has_room(target.user, instrument))
    return gateway::refuse(quote_reject::k_other, 0, "no room for another quote");
  return {};
}

/// Records first, then the journal, then the venue. A failure leaves nothing behind.
ClientToExchange::Done ClientToExchange::enter_quote(const ClientMessage& message, const QuoteTarget& target,
                                                     market::Quote& command, std::span<QuotedSide> sides) {
  const std::optional<std::uint64_t> first = records_.take_pair();
  if (!first || !records_.has_room_for_changes(sides.size()))
    return gateway::refuse(quote_reject::k_other, 0, "no room for another request");
  for (std::size_t at = 0; at < sides.size(); ++at)
    if (!open_side(message, target, command.header.instrument, *first + at, sides[at], sides[0].request)) {
      undo_sides(sides);
      return gateway::refuse(quote_reject::k_other, 0, "no room for another order");
    }
  command.labels.client_order_id = venue_id_of(*first);
  if (!journal_.write(false, &channels_.session(message.client).store())) {
    undo_sides(sides);
    return gateway::refuse(quote_reject::k_other, 0, "the gateway's journal is full");
  }
  const Result<void> sent = channels_.venue(target.user).send(command);
  if (!sent) {
    undo_sides(sides);
    if (sent.error().code == ErrorCode::wrong_state) return unavailable("the venue is not connected");
    if (sent.error().code == ErrorCode::no_room)
      return gateway::refuse(quote_reject::k_other, 0, "the connection to the venue is full");
    const char* const text = sent.error().expected;
    return gateway::refuse(quote_reject::k_other, 0, text == nullptr ? "the venue's protocol cannot carry this" : text);
  }
  note_quote_sent(message, command.header.instrument, sides);
  return {};
}

/// The request of one side: a new order, a change of the one that is there, its end, or nothing. `bid`: the other
/// side's, whose id it shares; may be null. False: no slot for the order.
bool ClientToExchange::open_side(const ClientMessage& message, const QuoteTarget& target, std::uint32_t instrument,
                                 std::uint64_t number, QuotedSide& side, const Request* bid) {
  const bool is_wanted = side.terms.quantity.lots != 0;
  if (!side.live && !is_wanted) return true;
  std::optional<std::uint32_t> slot = side.live;
  if (!slot) {
    slot = records_.open_order();
    if (!slot) return false;
    Order& order = records_.order_at(*slot);
    order.terms = side.terms;
    order.current_request = number;
    order.client = message.client;
    order.user = static_cast<std::uint16_t>(target.user);
    order.instrument = instrument;
  }
  Request& request = records_.open_request(number, message.client);
  request.client_sequence = message.view.msg_seq_num().value_or(market::Sequence{}).value;
  request.order = *slot;
  request.kind = !side.live ? RequestKind::new_order : is_wanted ? RequestKind::replace : RequestKind::cancel;
  if (side.live)
    records_.open_change(request, records_.id_of(std::as_const(records_).order_at(*slot))).terms = side.terms;
  if (bid != nullptr)
    records_.share_id(request, bid->cl_ord_id);
  else
    records_.add_id(request, target.id, *slot);
  if (!side.live) records_.name_order(records_.order_at(*slot), request.cl_ord_id);
  request.quote = side.terms.side == market::Side::buy ? QuoteSide::bid : QuoteSide::ask;
  request.wants_status = wants_status(message.view);
  side.request = &request;
  return true;
}

void ClientToExchange::undo_sides(std::span<QuotedSide> sides) {
  // Backwards: the id is the first one's.
  for (std::size_t at = sides.size(); at-- != 0;) {
    Request* const request = std::exchange(sides[at].request, nullptr);
    if (request == nullptr) continue;
    const std::uint32_t slot = request->order;
    const bool is_new = request->kind == RequestKind::new_order;
    records_.undo_request(*request);
    if (is_new) records_.undo_order(slot);
  }
}

void ClientToExchange::note_quote_sent(const ClientMessage& message, std::uint32_t instrument,
                                       std::span<const QuotedSide> sides) {
  limits_.note_sent(message.client, message.now);
  for (const QuotedSide& side : sides) {
    if (side.request == nullptr) continue;
    ++counters_.sent;
    const std::uint32_t slot = side.request->order;
    if (side.request->kind != RequestKind::new_order) {
      records_.set_pending_change(slot, records_.slot_of(*side.request));
      continue;
    }
    quotes_.set(slot);
    limits_.note_order(message.client, limited_request(true, instrument, side.terms, k_no_text), message.now);
  }
}

// ---- The end of quotes ----------------------------------------------------------------------------------------------

void ClientToExchange::try_quote_cancel(const ClientMessage& message) {
  ++counters_.requests;
  if (const Done done = send_quote_cancel(message); !done) refuse_quote_message(message, done.error());
}

/// A mass cancel of quotes at the venue; the one that is named by its id is the user's only one in its instrument.
ClientToExchange::Done ClientToExchange::send_quote_cancel(const ClientMessage& message) {
  if (Done done = check_quoting(message); !done) return done;
  market::MassCancel command;
  if (message.view.find(tag::k_quote_cancel_type) == "5") {
    const auto id = read_id(message.view, tag::k_quote_id);
    if (!id) return Refused(id.error());
    const std::optional<std::uint32_t> slot = records_.find_order(message.client, *id);
    const Order* const order = slot ? &std::as_const(records_).order_at(*slot) : nullptr;
    const bool is_live = order != nullptr && is_quote_side(*order) && records_.id_of(*order) == *id &&
                         (is_open(order->state) || quotes_.find_other(*order));
    if (!is_live) return gateway::refuse(quote_reject::k_unknown_quote, tag::k_quote_id, "unknown quote");
    command.header.instrument = order->instrument;
    command.of = market::MassCancelOf::quotes;
  } else if (Done done = read_quote_cancel(message.view, symbols_, command); !done) {
    return done;
  }
  const std::optional<std::uint64_t> number = records_.take_number();
  if (!number) return gateway::refuse(quote_reject::k_other, 0, "no room for another request");
  command.client_order_id = venue_id_of(*number);
  if (!journal_.write_number(&channels_.session(message.client).store()))
    return gateway::refuse(quote_reject::k_other, 0, "the gateway's journal is full");
  if (Done sent = send_mass_cancel_command(users_.of(message.client).front(), command); !sent) {
    Refusal refusal = sent.error();
    if (refusal.answer == Refusal::Answer::report) refusal.reason = quote_reject::k_other;
    return Refused(refusal);
  }
  mass_cancels_.add(
      {.number = *number,
       .client = message.client,
       .user = users_.of(message.client).front(),
       .instrument = command.header.instrument,
       .is_of_quotes = true,
       .cl_ord_id = ClOrdId::from(message.view.find(tag::k_quote_id).value_or(k_no_text)).value_or(ClOrdId{}),
       .type = {}});
  ++counters_.sent;
  return {};
}

void ClientToExchange::refuse_quote_message(const ClientMessage& message, const Refusal& refusal) {
  ++counters_.refused;
  if (refusal.answer != Refusal::Answer::report) return channels_.send_reject(message.client, message.view, refusal);
  const ReportForm& form = channels_.form(message.client);
  fix::Writer writer = channels_.begin(message.client, quote_status_type(form.version));
  write_quote_status(writer, form,
                     {.quote_id = message.view.find(tag::k_quote_id).value_or(k_no_text),
                      .symbol = message.view.find(tag::k_symbol).value_or(k_no_text),
                      .status = QuoteStatus::rejected,
                      .reason = refusal.reason,
                      .text = refusal.text,
                      .time = message.now});
  channels_.send(message.client, writer);
}

/// Both sides of a quote have its id: Side(54) says which one is meant, and one that is over means the other.
void ClientToExchange::find_quote_side(ClientMessage& message) const {
  const Order& order = std::as_const(records_).order_at(*message.order);
  if (!is_quote_side(order)) [[likely]]
    return;
  const char side = order.terms.side == market::Side::buy ? '1' : '2';
  const bool is_meant = message.view.find(tag::k_side).value_or(k_no_text) == std::string_view(&side, 1);
  if (is_meant) return;
  if (const std::optional<std::uint32_t> other = quotes_.find_other(order)) message.order = other;
}

}  // namespace dojima::gateway
