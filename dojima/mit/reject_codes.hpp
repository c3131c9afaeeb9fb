#pragma once

// Reject codes: the few that the published MIT203 material documents, and Dojima's own range for everything else. The
// own codes (20001-20999) are not those of MIT801, the complete list of the London Stock Exchange, which MIT203 does
// not contain. Plain constants and total functions.

#include <cstdint>
#include <string_view>

#include "dojima/market/report.hpp"

namespace dojima::mit {

namespace code {

// LogonReply
inline constexpr std::int32_t k_success = 0;
inline constexpr std::int32_t k_invalid_credentials = 1;
inline constexpr std::int32_t k_already_logged_in = 2;
inline constexpr std::int32_t k_new_password_refused = 3;
inline constexpr std::int32_t k_user_not_found = 4;
inline constexpr std::int32_t k_user_locked = 8;
inline constexpr std::int32_t k_password_expired = 9;
inline constexpr std::int32_t k_unauthorised_front_end = 11;
inline constexpr std::int32_t k_password_too_short = 14;
inline constexpr std::int32_t k_password_too_long = 15;

// Reject
inline constexpr std::int32_t k_replace_quantity = 1000;  ///< order quantity of a cancel/replace not positive
inline constexpr std::int32_t k_value_missing = 9900;
inline constexpr std::int32_t k_value_invalid = 9901;  ///< value, format or length

// Reports
inline constexpr std::int32_t k_expiry_invalid = 1501;
inline constexpr std::int32_t k_unknown_instrument = 9000;  ///< documented for a sister venue of the family
inline constexpr std::int32_t k_unknown_user = 9100;
inline constexpr std::int32_t k_partition_suspended = 9998;
inline constexpr std::int32_t k_system_suspended = 9999;

// Dojima's own, not MIT801. A `market::Reason` without a documented code is 20000 + its number.
inline constexpr std::int32_t k_own_reasons = 20000;
inline constexpr std::int32_t k_not_logged_on = 20901;   ///< Reject: a message before the logon was accepted
inline constexpr std::int32_t k_second_logon = 20902;    ///< Reject: a Logon inside a session
inline constexpr std::int32_t k_no_session = 20904;      ///< LogonReply: recovery without a real-time session
inline constexpr std::int32_t k_rate_exceeded = 20903;   ///< Reject: more messages per second than the user may send
inline constexpr std::int32_t k_logons_busy = 20906;     ///< LogonReply: too many wait to be compared; try again
inline constexpr std::int32_t k_user_suspended = 20905;  ///< the operator lets the user, its account or nobody trade

}  // namespace code

/// The wire code of a reason; 0 for none. Total and one-to-one.
[[nodiscard]] constexpr std::int32_t code_of(market::Reason reason) noexcept {
  switch (reason) {
    case market::Reason::none:
      return code::k_success;
    case market::Reason::unknown_instrument:
      return code::k_unknown_instrument;
    case market::Reason::unknown_user:
      return code::k_unknown_user;
    case market::Reason::killed:
      return code::k_user_suspended;
    case market::Reason::expiry_passed:
      return code::k_expiry_invalid;
    default:
      return code::k_own_reasons + static_cast<std::int32_t>(reason);
  }
}

/// The reason of a wire code; `none` for a code that means none of ours.
[[nodiscard]] market::Reason reason_of(std::int32_t code) noexcept;

/// What a code of a report or reject means, for people: the words that every program says. Empty for 0 and for a code
/// that is not known. Static.
[[nodiscard]] std::string_view words_of(std::int32_t code) noexcept;
/// The same of a LogonReply, whose small numbers mean something else than those of others may.
[[nodiscard]] std::string_view words_of_logon(std::int32_t code) noexcept;

}  // namespace dojima::mit
