#include "dojima/gateway/messages/reasons.hpp"

#include "dojima/gateway/messages/field_names.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

using market::Reason;

[[nodiscard]] std::string_view words_of_reason(Reason reason) noexcept {
  switch (reason) {
    case Reason::none:
      return "refused by the venue";
    case Reason::unknown_instrument:
      return "unknown instrument";
    case Reason::unknown_order:
      return "unknown order";
    case Reason::unknown_user:
      return "unknown user";
    case Reason::not_owner:
      return "the order is not yours";
    case Reason::not_supported:
      return "not offered by the venue";
    case Reason::price_not_on_tick:
      return "price not on tick";
    case Reason::price_out_of_range:
      return "price out of range";
    case Reason::quantity_out_of_range:
      return "quantity out of range";
    case Reason::side_mismatch:
      return "the order has the other side";
    case Reason::nothing_changed:
      return "nothing would change";
    case Reason::quantity_already_executed:
      return "quantity already executed";
    case Reason::order_table_full:
      return "no room for another order";
    case Reason::levels_full:
      return "no room for another price level";
    case Reason::too_many_orders:
      return "too many open orders";
    case Reason::market_without_price:
      return "the market has no price";
    case Reason::book_closed:
      return "the book is closed";
    case Reason::time_in_force:
      return "not executed at once";
    case Reason::by_owner:
      return "by its owner";
    case Reason::session_ended:
      return "session ended";
    case Reason::display_not_allowed:
      return "displayed quantity not allowed";
    case Reason::no_price:
      return "no price to take";
    case Reason::linked_order:
      return "the linked order cannot be linked";
    case Reason::expiry_passed:
      return "expiry not in the future";
    case Reason::self_trade:
      return "would have traded with its own side";
    case Reason::passive_only:
      return "not as passive as it must be";
    case Reason::linked_executed:
      return "the linked order was executed";
    case Reason::time_expired:
      return "its time is over";
    case Reason::wrong_phase:
      return "not in this phase of the day";
    case Reason::killed:
      return "the venue has suspended the user from trading";
    case Reason::not_permitted:
      return "not permitted in this instrument";
    case Reason::rate_exceeded:
      return "too many orders in a second";
    case Reason::price_collar:
      return "price too far from the reference";
    case Reason::value_out_of_range:
      return "order value above the limit";
    case Reason::open_value:
      return "value of open orders above the limit";
    case Reason::position_limit:
      return "position above the limit";
    case Reason::duplicate_order:
      return "same as an order shortly before";
    case Reason::repeated_executions:
      return "executed too often in a short time";
    case Reason::limits_full:
      return "no room to count a limit";
    case Reason::protection:
      return "cancelled to protect its user";
    case Reason::by_operator:
      return "by the operator";
  }
  return "refused by the venue";
}

}  // namespace

std::uint16_t order_reject_of(Reason reason) noexcept {
  namespace code = order_reject;
  switch (reason) {
    case Reason::unknown_instrument:
      return code::k_unknown_symbol;
    case Reason::not_supported:
    case Reason::display_not_allowed:
      return code::k_unsupported_characteristic;
    case Reason::quantity_out_of_range:
      return code::k_incorrect_quantity;
    case Reason::price_out_of_range:
    case Reason::too_many_orders:
    case Reason::rate_exceeded:
    case Reason::price_collar:
    case Reason::value_out_of_range:
    case Reason::open_value:
    case Reason::position_limit:
    case Reason::repeated_executions:
      return code::k_exceeds_limit;
    case Reason::duplicate_order:
      return code::k_duplicate;
    case Reason::book_closed:
      return code::k_exchange_closed;
    case Reason::order_table_full:
    case Reason::levels_full:
    case Reason::market_without_price:
    case Reason::wrong_phase:
    case Reason::killed:
    case Reason::not_permitted:
    case Reason::limits_full:
      return code::k_exchange_option;
    default:
      return code::k_other;
  }
}

std::uint16_t cancel_reject_of(Reason reason) noexcept {
  namespace code = cancel_reject;
  switch (reason) {
    case Reason::unknown_order:
    case Reason::not_owner:
      return code::k_unknown_order;
    case Reason::quantity_already_executed:
      return code::k_too_late;
    case Reason::not_supported:
    case Reason::display_not_allowed:
    case Reason::order_table_full:
    case Reason::levels_full:
    case Reason::book_closed:
    case Reason::wrong_phase:
    case Reason::killed:
    case Reason::not_permitted:
    case Reason::rate_exceeded:
    case Reason::price_collar:
    case Reason::value_out_of_range:
    case Reason::open_value:
    case Reason::position_limit:
    case Reason::repeated_executions:
    case Reason::limits_full:
      return code::k_exchange_option;
    default:
      return code::k_other;
  }
}

std::string_view words_of(std::int32_t code) noexcept {
  namespace known = mit::code;
  switch (code) {
    case known::k_replace_quantity:
      return "order quantity of a replace not positive";
    case known::k_expiry_invalid:
      return "expiry invalid or passed";
    case known::k_value_missing:
      return "required value missing";
    case known::k_value_invalid:
      return "value, format or length invalid";
    case known::k_partition_suspended:
      return "partition suspended";
    case known::k_system_suspended:
      return "system suspended";
    case known::k_not_logged_on:
      return "not logged on";
    case known::k_rate_exceeded:
      return "message rate exceeded";
    case known::k_user_suspended:
      return "the venue has suspended the user from trading";
    default:
      return words_of_reason(mit::reason_of(code));
  }
}

ReasonText text_of(std::int32_t code) noexcept {
  ReasonText text;
  text.add(code).add(" ").add(words_of(code));
  return text;
}

ReasonText text_of(std::int32_t code, std::string_view field) noexcept {
  ReasonText text;
  text.add(code).add(" ");
  const std::string_view in_fix = fix_name_of(field);
  const std::string_view words = words_of(code);
  // What is no field's fault names its reason there.
  if (!field.empty() && field != words) text.add(in_fix.empty() ? field : in_fix).add(": ");
  text.add(words);
  return text;
}

}  // namespace dojima::gateway
