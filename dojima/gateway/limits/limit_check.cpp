#include "dojima/gateway/limits/limit_check.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace dojima::gateway {
namespace {

[[nodiscard]] bool is_permitted(const std::vector<std::string>& permitted, std::string_view text) noexcept {
  return permitted.empty() || std::binary_search(permitted.begin(), permitted.end(), text, std::less<>{});
}

/// Further from the reference than so many hundredths of a percent of it. Exact.
[[nodiscard]] bool is_outside(market::Price price, market::Price reference, std::uint32_t collar_bp) noexcept {
  constexpr Notional k_whole = 10'000;
  const Notional distance = static_cast<Notional>(price.units) - reference.units;
  return (distance < 0 ? -distance : distance) * k_whole > static_cast<Notional>(reference.units) * collar_bp;
}

[[nodiscard]] std::optional<Limit> check_terms(const ClientLimits& limits, const LimitUsage& usage,
                                               const LimitedRequest& request) noexcept {
  if (limits.quantity.lots != 0 && request.quantity > limits.quantity) return Limit::quantity;
  const bool has_price = request.price.units != 0, has_reference = usage.reference.units > 0;
  if (limits.collar_bp != 0 && has_price && has_reference &&
      is_outside(request.price, usage.reference, limits.collar_bp))
    return Limit::price;
  if (limits.value == 0) return std::nullopt;
  if (!has_price && !has_reference) return Limit::no_price;
  const Notional most = static_cast<Notional>(limits.value) * market::k_price_scale;
  return value_of(request, usage.reference) > most ? std::optional(Limit::value) : std::nullopt;
}

[[nodiscard]] std::optional<Limit> check_history(const ClientLimits& limits, const LimitUsage& usage,
                                                 const LimitedRequest& request, Time now) noexcept {
  if (!request.is_new) return std::nullopt;
  if (limits.open_orders != 0 && usage.open_orders >= limits.open_orders) return Limit::open_orders;
  const bool is_repeated = usage.last_same && now - *usage.last_same < limits.duplicate_window;
  return is_repeated ? std::optional(Limit::duplicate) : std::nullopt;
}

}  // namespace

LimitedRequest limited_request(bool is_new, std::uint32_t instrument, const market::OrderTerms& terms,
                               std::string_view account) noexcept {
  return {.is_new = is_new,
          .instrument = instrument,
          .side = terms.side,
          .price = terms.limit.units != 0 ? terms.limit : terms.stop,
          .quantity = terms.quantity,
          .account = account};
}

LimitVerdict check_limits(const ClientLimits& limits, const LimitUsage& usage, const LimitedRequest& request,
                          Time now) noexcept {
  if (usage.is_killed) return {.broken = Limit::killed};
  if (usage.is_draining && request.is_new) return {.broken = Limit::draining};
  if (!is_permitted(limits.symbols, usage.symbol)) return {.broken = Limit::symbol};
  if (!is_permitted(limits.accounts, request.account)) return {.broken = Limit::account};
  if (const auto broken = check_terms(limits, usage, request)) return {.broken = broken};
  if (const auto broken = check_history(limits, usage, request, now)) return {.broken = broken};
  const bool is_above_rate = limits.rate != 0 && now < usage.rate_free;
  if (is_above_rate && limits.rate_action != RateAction::queue) return {.broken = Limit::rate};
  // What waits is not overtaken, whatever the limits are by now.
  const bool must_wait = is_above_rate || usage.waiting != 0;
  if (must_wait && limits.rate_action == RateAction::queue && usage.waiting >= limits.queue)
    return {.broken = Limit::queue};
  return {.must_wait = must_wait};
}

}  // namespace dojima::gateway
