#include "dojima/gateway/records/record_image.hpp"

#include <array>

namespace dojima::gateway {
namespace {

// A field more is a field to be written.
static_assert(sizeof(Order) == 152 && sizeof(Request) == 32 && sizeof(RequestedChange) == 88 &&
              sizeof(market::OrderTerms) == 64);

constexpr std::uint8_t k_is_answered = 1, k_is_stale = 2, k_has_terms = 4, k_is_chained = 8, k_is_bid = 16,
                       k_is_ask = 32, k_is_id_shared = 64, k_wants_status = 128;

template <std::size_t Capacity>
bool read_text(StateReader& in, Text<Capacity>& text) noexcept {
  std::string_view view;
  if (!gateway::read_text(in, view, Capacity)) return false;
  text = Text<Capacity>::cut(view);
  return true;
}

void add_kind(EntryWriter& out, EntryKind kind) noexcept {
  out.add(static_cast<std::uint8_t>(kind));
}

}  // namespace

bool read_text(StateReader& in, std::string_view& text, std::size_t most) noexcept {
  std::uint8_t size = 0;
  if (!in.read(size)) return false;
  if (size > most || size > in.left()) return in.fail("a text that fits its field");
  text = as_text(in.view(size));
  return true;
}

void write_order(EntryWriter& out, std::uint32_t slot, const Order& order, const ClOrdId& id) noexcept {
  add_kind(out, EntryKind::order);
  out.add(slot);
  out.add(order.generation);
  out.add(order.client);
  out.add(order.instrument);
  out.add(static_cast<std::uint8_t>(order.state));
  out.add(std::uint8_t{order.is_stale});
  out.add_text(id.view());
  out.add_text(order.account.view());
  out.add(order.terms);
  out.add(order.order_id.value);
  out.add(order.cumulative.lots);
  out.add(order.unpriced.lots);
  const Notional notional = order.notional;
  out.add(static_cast<std::uint64_t>(notional));
  out.add(static_cast<std::uint64_t>(notional >> 64));
  out.add(order.current_request);
}

bool read_order(StateReader& in, std::uint32_t& slot, SavedOrder& order) noexcept {
  std::uint8_t state = 0;
  std::uint64_t low = 0, high = 0;
  order = {};
  if (!in.read(slot) || !in.read(order.generation) || !in.read(order.client) || !in.read(order.instrument) ||
      !in.read(state) || !in.read(order.is_stale) || !read_text(in, order.cl_ord_id_text) ||
      !read_text(in, order.account) || !in.read(order.terms) || !in.read(order.order_id.value) ||
      !in.read(order.cumulative.lots) || !in.read(order.unpriced.lots) || !in.read(low) || !in.read(high) ||
      !in.read(order.current_request))
    return false;
  if (state > static_cast<std::uint8_t>(OrderState::lost)) return in.fail("a state of an order");
  order.state = static_cast<OrderState>(state);
  order.notional = static_cast<Notional>(high) << 64 | static_cast<Notional>(low);
  if (order.cumulative.lots < 0 || order.unpriced.lots < 0 || order.unpriced > order.cumulative ||
      order.cumulative > order.terms.quantity)
    return in.fail("executed quantities within an order's own");
  return true;
}

namespace {

void add_parties(EntryWriter& out, const OrderParties& parties) noexcept {
  out.add(parties.given);
  out.add(parties.clearing);
  out.add(parties.roles);
  out.add_text(parties.trader.view());
  out.add(parties.client);
  out.add(parties.decision_maker);
  out.add(parties.executing_trader);
}

bool read_said_parties(StateReader& in, OrderParties& parties) noexcept {
  constexpr std::uint8_t k_all_given = 15, k_all_roles = 63, k_house = 3;
  if (!in.read(parties.given) || !in.read(parties.clearing) || !in.read(parties.roles) ||
      !read_text(in, parties.trader) || !in.read(parties.client) || !in.read(parties.decision_maker) ||
      !in.read(parties.executing_trader))
    return false;
  const bool is_clearing = parties.clearing <= 1 || parties.clearing == k_house;
  if (parties.given > k_all_given || parties.roles > k_all_roles || !is_clearing) return in.fail("parties of an order");
  return true;
}

}  // namespace

void write_parties(EntryWriter& out, std::uint32_t slot, const OrderParties& parties) noexcept {
  add_kind(out, EntryKind::order_parties);
  out.add(slot);
  add_parties(out, parties);
}

bool read_parties(StateReader& in, std::uint32_t& slot, OrderParties& parties) noexcept {
  return in.read(slot) && read_said_parties(in, parties);
}

bool read_quote_parties(StateReader& in, std::uint64_t& number, OrderParties& parties) noexcept {
  return in.read(number) && read_said_parties(in, parties);
}

void write_request(EntryWriter& out, const Records& records, const Request& request) noexcept {
  const bool has_terms = request.kind == RequestKind::replace && !request.is_answered;
  add_kind(out, EntryKind::request);
  out.add(request.number);
  out.add(request.client_sequence);
  out.add(std::uint32_t{request.client});
  out.add(request.order);
  out.add(static_cast<std::uint8_t>(request.kind));
  out.add(static_cast<std::uint8_t>(
      (request.is_answered ? k_is_answered : 0) | (request.is_stale ? k_is_stale : 0) |
      (request.is_chained ? k_is_chained : 0) | (has_terms ? k_has_terms : 0) |
      (request.quote == QuoteSide::bid ? k_is_bid : 0) | (request.quote == QuoteSide::ask ? k_is_ask : 0) |
      (request.is_id_shared ? k_is_id_shared : 0) | (request.wants_status ? k_wants_status : 0)));
  out.add_text(records.id_of(request).view());
  out.add_text(records.orig_of(request).view());
  if (!has_terms) return;
  const RequestedChange& change = records.change_of(request);
  out.add(change.terms);
  out.add_text(change.account.view());
  const OrderParties* const parties = records.wanted_parties(request);
  if (parties == nullptr) return;
  add_kind(out, EntryKind::quote_parties);
  out.add(request.number);
  add_parties(out, *parties);
}

bool read_request(StateReader& in, SavedRequest& request) noexcept {
  std::uint8_t kind = 0, flags = 0;
  std::uint32_t client = 0;
  request = SavedRequest{};
  if (!in.read(request.number) || !in.read(request.client_sequence) || !in.read(client) || !in.read(request.order) ||
      !in.read(kind) || !in.read(flags) || !read_text(in, request.cl_ord_id_text) ||
      !read_text(in, request.orig_cl_ord_id))
    return false;
  if (client >= ClientOrderIds::k_clients_most) return in.fail("a client's number");
  request.client = static_cast<std::uint16_t>(client);
  if (kind > static_cast<std::uint8_t>(RequestKind::replace)) return in.fail("a kind of request");
  constexpr unsigned k_of_quote = k_is_id_shared | k_wants_status, k_both_sides = k_is_bid | k_is_ask;
  if ((flags & k_both_sides) == k_both_sides || ((flags & k_of_quote) != 0 && (flags & k_both_sides) == 0))
    return in.fail("flags of a request");
  request.kind = static_cast<RequestKind>(kind);
  request.is_used = true;
  request.is_answered = (flags & k_is_answered) != 0;
  request.is_stale = (flags & k_is_stale) != 0;
  request.is_chained = (flags & k_is_chained) != 0;
  if ((flags & k_both_sides) != 0) request.quote = (flags & k_is_bid) != 0 ? QuoteSide::bid : QuoteSide::ask;
  request.is_id_shared = (flags & k_is_id_shared) != 0;
  request.wants_status = (flags & k_wants_status) != 0;
  return (flags & k_has_terms) == 0 || (in.read(request.terms) && read_text(in, request.account));
}

void write_unknown_trade(EntryWriter& out, const UnknownTrade& trade) noexcept {
  add_kind(out, EntryKind::unknown_trade);
  out.add(trade.client);
  out.add(static_cast<std::int64_t>(trade.time.time_since_epoch().count()));
  out.add(static_cast<std::uint8_t>(trade.reason));
  out.add_text(trade.order_id.view());
  out.add_text(trade.exec_id.view());
  out.add_text(trade.text.view());
}

bool read_unknown_trade(StateReader& in, UnknownTrade& trade) noexcept {
  std::int64_t nanoseconds = 0;
  std::uint8_t reason = 0;
  if (!in.read(trade.client) || !in.read(nanoseconds) || !in.read(reason) || !read_text(in, trade.order_id) ||
      !read_text(in, trade.exec_id) || !read_text(in, trade.text))
    return false;
  trade.time = time::from_nanoseconds(nanoseconds);
  trade.reason = static_cast<char>(reason);
  return true;
}

void write_past_id(EntryWriter& out, const ClientOrderIds::Key& key, const ClientOrderIds::Target& target) noexcept {
  add_kind(out, EntryKind::past_id);
  out.add(key.client);
  out.add_text(key.id.view());
  out.add(target.order);
  out.add(target.generation);
}

bool read_past_id(StateReader& in, ClientOrderIds::Key& key, ClientOrderIds::Target& target) noexcept {
  return in.read(key.client) && read_text(in, key.id) && in.read(target.order) && in.read(target.generation);
}

}  // namespace dojima::gateway
