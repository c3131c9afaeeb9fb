#include "dojima/gateway/client_limits.hpp"

#include <algorithm>
#include <string_view>

namespace dojima::gateway {
namespace {

[[nodiscard]] bool has_texts_up_to(const std::vector<std::string>& texts, std::size_t longest) noexcept {
  return std::ranges::all_of(texts, [&](std::string_view text) { return !text.empty() && text.size() <= longest; });
}

}  // namespace

Result<void> validate(const ClientLimits& limits) noexcept {
  const auto out_of_range = [](std::int64_t got, const char* expected) {
    return fail(ErrorCode::out_of_range, 0, 0, got, expected);
  };
  if (limits.rate > ClientLimits::k_rate_max) return out_of_range(limits.rate, "a rate of 0 to 100000 a second");
  if (limits.rate_action > RateAction::logout)
    return out_of_range(static_cast<std::int64_t>(limits.rate_action), "reject, queue or logout above the rate");
  if (limits.rate_action == RateAction::queue && limits.queue == 0)
    return out_of_range(0, "room for at least one request that waits");
  if (limits.quantity.lots < 0) return out_of_range(limits.quantity.lots, "a quantity of 0 or more");
  if (limits.value < 0) return out_of_range(limits.value, "a value of 0 or more");
  if (limits.collar_bp > ClientLimits::k_collar_max) return out_of_range(limits.collar_bp, "a collar of 0 to 10000 %");
  if (limits.duplicate_window.count() < 0 || limits.duplicate_window.count() > ClientLimits::k_duplicate_ms_max)
    return out_of_range(limits.duplicate_window.count(), "a window for duplicates of 0 to 3600000 ms");
  if (limits.symbols.size() > ClientLimits::k_symbols_max)
    return out_of_range(static_cast<std::int64_t>(limits.symbols.size()), "at most 64 symbols");
  if (limits.accounts.size() > ClientLimits::k_accounts_max)
    return out_of_range(static_cast<std::int64_t>(limits.accounts.size()), "at most 24 accounts");
  if (!has_texts_up_to(limits.symbols, ClientLimits::k_symbol_size))
    return fail(ErrorCode::too_long, 0, 0, 0, "symbols of 1 to 24 characters");
  if (!has_texts_up_to(limits.accounts, ClientLimits::k_account_size))
    return fail(ErrorCode::too_long, 0, 0, 0, "accounts of 1 to 10 characters");
  return {};
}

}  // namespace dojima::gateway
