#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {
namespace {

using market::Reason;

constexpr auto k_last_reason = static_cast<std::int32_t>(market::k_last_reason);

[[nodiscard]] std::string_view words_of_reason(Reason reason) noexcept {
  switch (reason) {
    case Reason::none:
      break;
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
      return "expiry passed, or too far ahead: a time of today, a date at most 89 days ahead";
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
  return {};
}

}  // namespace

Reason reason_of(std::int32_t code) noexcept {
  if (code == code::k_unknown_instrument) return Reason::unknown_instrument;
  if (code == code::k_unknown_user) return Reason::unknown_user;
  if (code == code::k_user_suspended) return Reason::killed;
  if (code == code::k_expiry_invalid) return Reason::expiry_passed;
  const std::int64_t number = std::int64_t{code} - code::k_own_reasons;
  if (number < 1 || number > k_last_reason) return Reason::none;
  const auto reason = static_cast<Reason>(number);
  // Reasons with a documented code have no second one of ours.
  return code_of(reason) == code ? reason : Reason::none;
}

std::string_view words_of(std::int32_t code) noexcept {
  switch (code) {
    case code::k_replace_quantity:
      return "order quantity of a replace not positive";
    case code::k_value_missing:
      return "required value missing";
    case code::k_value_invalid:
      return "value, format or length invalid";
    case code::k_partition_suspended:
      return "partition suspended";
    case code::k_system_suspended:
      return "system suspended";
    case code::k_not_logged_on:
      return "not logged on";
    case code::k_second_logon:
      return "already logged on";
    case code::k_no_session:
      return "no real-time session to recover for";
    case code::k_rate_exceeded:
      return "message rate exceeded";
    default:
      return words_of_reason(reason_of(code));
  }
}

std::string_view words_of_logon(std::int32_t code) noexcept {
  switch (code) {
    case code::k_invalid_credentials:
      return "name or password is wrong";
    case code::k_already_logged_in:
      return "the user is logged on already";
    case code::k_new_password_refused:
      return "the new password was refused";
    case code::k_user_not_found:
      return "unknown user";
    case code::k_user_locked:
      return "the user is locked";
    case code::k_password_expired:
      return "the password has expired";
    case code::k_unauthorised_front_end:
      return "this front end may not use the user";
    case code::k_password_too_short:
      return "the new password is too short";
    case code::k_password_too_long:
      return "the new password is too long";
    case code::k_logons_busy:
      return "too many logons wait; try again";
    default:
      return words_of(code);
  }
}

}  // namespace dojima::mit
