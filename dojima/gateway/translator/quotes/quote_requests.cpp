#include "dojima/gateway/translator/quotes/quote_requests.hpp"

#include <array>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/gateway/messages/quote_reader.hpp"
#include "dojima/gateway/messages/quote_writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/venue_commands.hpp"
#include "dojima/gateway/order_tags.hpp"
#include "dojima/gateway/translator/mass_cancel_requests.hpp"

namespace dojima::gateway {
namespace {

RefusedFor refused_for_of_quote(std::uint16_t reason) noexcept {
  switch (reason) {
    case quote_reject::k_unknown_symbol:
      return RefusedFor::unknown_symbol;
    case quote_reject::k_exceeds_limit:
      return RefusedFor::limit;
    case quote_reject::k_unknown_quote:
      return RefusedFor::unknown_order;
    case quote_reject::k_duplicate:
      return RefusedFor::duplicate;
    case quote_reject::k_not_authorized:
      return RefusedFor::not_supported;
    default:
      return RefusedFor::other;
  }
}

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

void QuoteRequests::enter(const ClientMessage& message) {
  ++parts_.counters.requests;
  if (const Done done = send(message); !done) refuse_message(message, done.error());
}

Done QuoteRequests::send(const ClientMessage& message) {
  const auto id = read_id(message.view, tag::k_quote_id);
  if (!id) return Refused(id.error());
  if (Done done = check_client(message); !done) return done;
  if (parts_.records.knows_id(message.client, *id) || parts_.mass_cancels.has(message.client, *id))
    return refuse(quote_reject::k_duplicate, tag::k_quote_id, "duplicate QuoteID");
  market::Quote command;
  Target target{.user = parts_.users.of(message.client).front(), .id = *id};
  if (Done done = read_quote(message.view, parts_.symbols, parts_.templates[message.client], command, target.parties);
      !done)
    return done;
  std::array sides{Side{terms_of_side(command, market::Side::buy)}, Side{terms_of_side(command, market::Side::sell)}};
  for (Side& side : sides) side.live = parts_.quotes.find(target.user, command.header.instrument, side.terms.side);
  if (Done done = check(message, target, command, sides); !done) return done;
  return send_sides(message, target, command, sides);
}

/// Whether the client may quote at all. The venue keeps a quote for each of its users in an instrument, so that two
/// clients of one user would change each other's.
Done QuoteRequests::check_client(const ClientMessage& message) const {
  if (!parts_.users.is_alone(message.client))
    return refuse(quote_reject::k_not_authorized, 0,
                  "a client that shares its venue user, or has several, has no quotes");
  if (!parts_.channels.is_any_venue_ready(message.client)) return unavailable("the venue is not connected");
  return {};
}

/// What the quote is held against: what it would change, and the client's limits, side by side.
Done QuoteRequests::check(const ClientMessage& message, const Target& target, const market::Quote& command,
                          std::span<const Side> sides) {
  const std::uint32_t instrument = command.header.instrument;
  std::uint32_t new_orders = 0;
  bool is_any = false;
  for (const Side& side : sides) {
    is_any = is_any || side.live || side.terms.quantity.lots != 0;
    if (!side.live) new_orders += side.terms.quantity.lots != 0 ? 1 : 0;
    if (!side.live) continue;
    const Order& order = std::as_const(parts_.records).order_at(*side.live);
    if (order.state == OrderState::pending_new || order.pending_change != k_no_slot)
      return refuse(quote_reject::k_other, 0, "another change of this quote is not answered yet");
  }
  if (!is_any) return refuse(quote_reject::k_unknown_quote, 0, "there is no quote to take back");
  for (const Side& side : sides) {
    if (side.terms.quantity.lots == 0) continue;
    if (Done done =
            parts_.request_limits.check(message, limited_request(!side.live, instrument, side.terms, k_no_text));
        !done) {
      Refused refused = refuse(quote_reject::k_exceeds_limit, done.error().tag, done.error().text);
      refused.error().why = done.error().why;
      return refused;
    }
    if (message.outcome.must_wait)
      return refuse(quote_reject::k_exceeds_limit, 0,
                    "orders and replaces above the client's limit in a second: a quote does not wait");
  }
  const ClientLimits& limits = parts_.limits.limits(message.client);
  if (limits.open_orders != 0 && new_orders != 0 &&
      std::uint64_t{parts_.limits.open_orders(message.client)} + new_orders > limits.open_orders)
    return refuse(quote_reject::k_exceeds_limit, 0, "open orders above the client's limit");
  if (!parts_.quotes.has_room(target.user, instrument))
    return refuse(quote_reject::k_other, 0, "no room for another quote");
  return {};
}

/// Records first, then the journal, then the venue. A failure leaves nothing behind.
Done QuoteRequests::send_sides(const ClientMessage& message, const Target& target, market::Quote& command,
                               std::span<Side> sides) {
  const std::optional<std::uint64_t> first = parts_.records.take_pair();
  if (!first || !parts_.records.has_room_for_changes(sides.size()))
    return refuse(quote_reject::k_other, 0, "no room for another request");
  for (std::size_t at = 0; at < sides.size(); ++at)
    if (!open_side(message, target, command.header.instrument, *first + at, sides[at], sides[0].request)) {
      undo_sides(sides);
      return refuse(quote_reject::k_other, 0, "no room for another order");
    }
  command.labels.client_order_id = venue_id_of(*first);
  if (!parts_.journal.write(false, &parts_.channels.session(message.client).store())) {
    undo_sides(sides);
    return refuse(quote_reject::k_other, 0, "the gateway's journal is full");
  }
  const Result<void> sent = parts_.channels.venue(target.user).send(command);
  if (!sent) {
    undo_sides(sides);
    if (sent.error().code == ErrorCode::wrong_state) return unavailable("the venue is not connected");
    if (sent.error().code == ErrorCode::no_room)
      return refuse(quote_reject::k_other, 0, "the connection to the venue is full");
    uncarried_text_ = uncarried_text(command, parts_.channels.venue(target.user).dialect(), sent.error());
    return refuse(quote_reject::k_other, 0, uncarried_text_.c_str());
  }
  note_sent(message, command.header.instrument, sides);
  return {};
}

/// The request of one side: a new order, a change of the one that is there, its end, or nothing. `bid`: the other
/// side's, whose id it shares; may be null. False: no slot for the order.
bool QuoteRequests::open_side(const ClientMessage& message, const Target& target, std::uint32_t instrument,
                              std::uint64_t number, Side& side, const Request* bid) {
  const bool is_wanted = side.terms.quantity.lots != 0;
  if (!side.live && !is_wanted) return true;
  std::optional<std::uint32_t> slot = side.live;
  if (!slot) {
    slot = parts_.records.open_order();
    if (!slot) return false;
    Order& order = parts_.records.order_at(*slot);
    order.terms = side.terms;
    order.current_request = number;
    order.client = message.client;
    order.user = static_cast<std::uint16_t>(target.user);
    order.instrument = instrument;
    if (!target.parties.is_empty()) parts_.records.set_parties(*slot, target.parties);
  }
  Request& request = parts_.records.open_request(number, message.client);
  request.client_sequence = message.view.msg_seq_num().value_or(market::Sequence{}).value;
  request.order = *slot;
  request.kind = !side.live ? RequestKind::new_order : is_wanted ? RequestKind::replace : RequestKind::cancel;
  if (side.live)
    parts_.records.open_change(request, parts_.records.id_of(std::as_const(parts_.records).order_at(*slot))).terms =
        side.terms;
  if (bid != nullptr)
    parts_.records.share_id(request, bid->cl_ord_id);
  else
    parts_.records.add_id(request, target.id, *slot);
  if (!side.live) parts_.records.name_order(parts_.records.order_at(*slot), request.cl_ord_id);
  request.quote = side.terms.side == market::Side::buy ? QuoteSide::bid : QuoteSide::ask;
  request.wants_status = wants_status(message.view);
  if (request.kind == RequestKind::replace && !target.parties.is_empty())
    parts_.records.want_parties(request, target.parties);
  side.request = &request;
  return true;
}

void QuoteRequests::undo_sides(std::span<Side> sides) {
  // Backwards: the id is the first one's.
  for (std::size_t at = sides.size(); at-- != 0;) {
    Request* const request = std::exchange(sides[at].request, nullptr);
    if (request == nullptr) continue;
    const std::uint32_t slot = request->order;
    const bool is_new = request->kind == RequestKind::new_order;
    parts_.records.undo_request(*request);
    if (is_new) parts_.records.undo_order(slot);
  }
}

void QuoteRequests::note_sent(const ClientMessage& message, std::uint32_t instrument, std::span<const Side> sides) {
  parts_.limits.note_sent(message.client, message.now);
  for (const Side& side : sides) {
    if (side.request == nullptr) continue;
    ++parts_.counters.sent;
    const std::uint32_t slot = side.request->order;
    if (side.request->kind != RequestKind::new_order) {
      parts_.records.set_pending_change(slot, parts_.records.slot_of(*side.request));
      continue;
    }
    parts_.quotes.set(slot);
    parts_.limits.note_order(message.client, limited_request(true, instrument, side.terms, k_no_text), message.now);
  }
}

// ---- The end of quotes ----------------------------------------------------------------------------------------------

void QuoteRequests::cancel(const ClientMessage& message) {
  ++parts_.counters.requests;
  if (const Done done = send_cancel(message); !done) refuse_message(message, done.error());
}

/// A mass cancel of quotes at the venue; the one that is named by its id is the user's only one in its instrument.
Done QuoteRequests::send_cancel(const ClientMessage& message) {
  if (Done done = check_client(message); !done) return done;
  market::MassCancel command;
  if (message.view.find(tag::k_quote_cancel_type) == "5") {
    const auto id = read_id(message.view, tag::k_quote_id);
    if (!id) return Refused(id.error());
    const std::optional<std::uint32_t> slot = parts_.records.find_order(message.client, *id);
    const Order* const order = slot ? &std::as_const(parts_.records).order_at(*slot) : nullptr;
    const bool is_live = order != nullptr && is_quote_side(*order) && parts_.records.id_of(*order) == *id &&
                         (is_open(order->state) || parts_.quotes.find_other(*order));
    if (!is_live) return refuse(quote_reject::k_unknown_quote, tag::k_quote_id, "unknown quote");
    command.header.instrument = order->instrument;
    command.of = market::MassCancelOf::quotes;
  } else if (Done done = read_quote_cancel(message.view, parts_.symbols, command); !done) {
    return done;
  }
  const std::optional<std::uint64_t> number = parts_.records.take_number();
  if (!number) return refuse(quote_reject::k_other, 0, "no room for another request");
  command.client_order_id = venue_id_of(*number);
  if (!parts_.journal.write_number(&parts_.channels.session(message.client).store()))
    return refuse(quote_reject::k_other, 0, "the gateway's journal is full");
  if (Done sent =
          send_mass_cancel(parts_.channels.venue(parts_.users.of(message.client).front()), command, uncarried_text_);
      !sent) {
    Refusal refusal = sent.error();
    if (refusal.answer == Refusal::Answer::report) refusal.reason = quote_reject::k_other;
    return Refused(refusal);
  }
  parts_.mass_cancels.add({.number = *number,
                           .client_sequence = message.view.msg_seq_num().value_or(market::Sequence{}).value,
                           .client = message.client,
                           .user = parts_.users.of(message.client).front(),
                           .instrument = command.header.instrument,
                           .is_of_quotes = true,
                           .cl_ord_id = ClOrdId::from(message.text(tag::k_quote_id)).value_or(ClOrdId{}),
                           .type = {},
                           .segment = {}});
  ++parts_.counters.sent;
  return {};
}

void QuoteRequests::refuse_message(const ClientMessage& message, const Refusal& read) {
  const RefusalText text = text_of(read);
  const Refusal refusal = with_text(read, text);
  parts_.counters.count_refusal(refused_for(refusal, refused_for_of_quote(refusal.reason)));
  parts_.channels.note_reject(message.client, message.view, refusal);
  if (refusal.answer != Refusal::Answer::report)
    return parts_.channels.send_reject(message.client, message.view, refusal);
  const ReportForm& form = parts_.channels.form(message.client);
  fix::Writer writer = parts_.channels.begin(message.client, quote_status_type(form.version));
  write_quote_status(writer, form,
                     {.quote_id = message.text(tag::k_quote_id),
                      .symbol = message.text(tag::k_symbol),
                      .status = QuoteStatus::rejected,
                      .reason = refusal.reason,
                      .text = refusal.text,
                      .time = message.now});
  parts_.channels.send(message.client, writer);
}

}  // namespace dojima::gateway
