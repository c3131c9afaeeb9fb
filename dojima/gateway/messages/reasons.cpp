#include "dojima/gateway/messages/reasons.hpp"

#include "dojima/gateway/messages/field_names.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
using market::Reason;

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
  const std::string_view words = mit::words_of(code);
  return words.empty() ? "refused by the venue" : words;
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
