#include "dojima/gateway/translator/request_targets.hpp"

#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/order_tags.hpp"
#include "dojima/gateway/routes/order_names.hpp"

namespace dojima::gateway {

std::expected<TargetState, Refusal> RequestTargets::find(ClientMessage& message, bool is_new) const {
  Done done = read_ids(message, is_new);
  if (done) done = check_sub_id(message);
  if (!done) return Refused(done.error());
  return find_target(message, is_new);
}

/// Empty: it names none, or it is no matter.
std::string_view RequestTargets::read_sub_id(const ClientMessage& message) const {
  if (!parts_.users.has_sub_ids(message.client)) return {};
  return message.text(fix::tag::k_sender_sub_id);
}

Done RequestTargets::check_sub_id(const ClientMessage& message) const {
  if (message.sub_id.empty() || parts_.users.has_sub_id(message.client, message.sub_id)) return {};
  const bool is_new = message.view.msg_type() == fix::type::k_new_order_single;
  return refuse(is_new ? order_reject::k_other : cancel_reject::k_other, fix::tag::k_sender_sub_id,
                "unknown SenderSubID(50): the client has no such trader");
}

Done RequestTargets::read_ids(ClientMessage& message, bool is_new) const {
  if (Done own = read_id(message.view, tag::k_cl_ord_id, message.id); !own) return own;
  if (is_new) return {};
  const bool is_named_by_venue = !message.view.has(tag::k_orig_cl_ord_id) && message.view.has(tag::k_order_id);
  if (is_named_by_venue) return {};
  return read_id(message.view, tag::k_orig_cl_ord_id, message.orig);
}

/// None for a symbol that is unknown, or at a venue where the client does not trade.
std::optional<std::uint32_t> RequestTargets::user_among_several(const ClientMessage& message) const {
  std::uint8_t venue = 0;
  if (parts_.users.venues() > 1) {
    const auto instrument = read_instrument(message.view, parts_.symbols, k_new_order_reasons);
    if (!instrument) return std::nullopt;
    venue = parts_.users.venue_of(*instrument);
  }
  return parts_.users.at(message.client, venue, message.sub_id, message.text(tag::k_account));
}

/// Where there is one user, it is not worth a look.
[[gnu::always_inline]] inline std::optional<std::uint32_t> RequestTargets::user_of_symbol(
    const ClientMessage& message) const {
  const auto users = parts_.users.of(message.client);
  if (users.size() == 1 && parts_.users.venues() == 1) [[likely]]
    return users.front();
  return user_among_several(message);
}

/// Finds the order that the message is about: a new order's own id, should it be known, else the one to change. And the
/// venue user that it goes through.
TargetState RequestTargets::find_target(ClientMessage& message, bool is_new) const {
  if (is_new) {
    message.user = user_of_symbol(message);
    message.is_venue_up = !message.user || parts_.channels.is_venue_ready(*message.user);
    const bool is_used = message.is_venue_up && parts_.records.knows_id(message.client, message.id);
    return is_used ? TargetState::id_used : TargetState::absent;
  }
  message.order = parts_.records.find_order(message.client, message.orig);
  if (!message.order) message.order = find_by_order_id(message);
  if (message.order) find_side(message);
  message.user = message.order ? parts_.records.order_at(*message.order).user : parts_.users.of(message.client).front();
  message.is_venue_up = message.order ? parts_.channels.is_venue_ready(*message.user)
                                      : parts_.channels.is_any_venue_ready(message.client);
  if (!message.is_venue_up || !message.order) return TargetState::absent;
  const Order& order = parts_.records.order_at(*message.order);
  if (order.state == OrderState::lost) return TargetState::lost;
  if (!is_open(order.state)) return TargetState::closed;
  return order.pending_change != k_no_slot ? TargetState::change_pending : TargetState::open;
}

/// OrderID(37) names an order that OrigClOrdID(41) does not; 41 is then the order's own id.
std::optional<std::uint32_t> RequestTargets::find_by_order_id(ClientMessage& message) const {
  const auto slot =
      gateway::find_by_order_id(parts_.records, parts_.users, message.client, message.text(tag::k_order_id));
  if (!slot) return std::nullopt;
  const ClOrdId& own = parts_.records.id_of(parts_.records.order_at(*slot));
  const bool is_quote = is_quote_side(parts_.records.order_at(*slot));
  if (!is_quote && parts_.records.find_order(message.client, own) != slot)
    return std::nullopt;  // another order has the id by now
  message.orig = own;
  return slot;
}

/// Both sides of a quote have its id: Side(54) says which one is meant, and one that is over means the other.
void RequestTargets::find_side(ClientMessage& message) const {
  const Order& order = parts_.records.order_at(*message.order);
  if (!is_quote_side(order)) [[likely]]
    return;
  const char side = order.terms.side == market::Side::buy ? '1' : '2';
  const bool is_meant = message.text(tag::k_side) == std::string_view(&side, 1);
  if (is_meant) return;
  if (const std::optional<std::uint32_t> other = parts_.quotes.find_other(order)) message.order = other;
}

}  // namespace dojima::gateway
