#include "dojima/mit/reject_codes.hpp"

namespace dojima::mit {
namespace {

using market::Reason;

constexpr auto k_last_reason = static_cast<std::int32_t>(market::k_last_reason);

}  // namespace

Reason reason_of(std::int32_t code) noexcept {
  if (code == code::k_unknown_instrument) return Reason::unknown_instrument;
  if (code == code::k_unknown_user) return Reason::unknown_user;
  if (code == code::k_user_suspended) return Reason::killed;
  const std::int64_t number = std::int64_t{code} - code::k_own_reasons;
  if (number < 1 || number > k_last_reason) return Reason::none;
  const auto reason = static_cast<Reason>(number);
  // Reasons with a documented code have no second one of ours.
  return code_of(reason) == code ? reason : Reason::none;
}

}  // namespace dojima::mit
