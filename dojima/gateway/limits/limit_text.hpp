#pragma once

// A broken limit in words for people, with the limit and the value, and as codes of FIX. Pure functions, no allocation.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/gateway/fix_version.hpp"
#include "dojima/gateway/limits/limit_check.hpp"

namespace dojima::gateway {

/// Text(58) of at most 119 characters, put together in place; what does not fit is left out.
class LimitText {
 public:
  LimitText& add(std::string_view text) noexcept;
  /// With a comma between thousands: "1,200,000".
  LimitText& add(Notional number) noexcept;
  /// Of 10^-decimals each, without zeros at the end: "1,200,000.5".
  LimitText& add(Notional number, unsigned decimals) noexcept;
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }
  /// Ends with a null; valid until the text changes or dies.
  [[nodiscard]] const char* c_str() const noexcept { return text_.data(); }

 private:
  std::array<char, 120> text_{};
  std::size_t size_ = 0;
};

/// "order value 1,200,000 above the client's limit of 1,000,000".
[[nodiscard]] LimitText text_of(Limit broken, const ClientLimits& limits, const LimitUsage& usage,
                                const LimitedRequest& request, Time now) noexcept;

/// OrdRejReason(103) of a new order that breaks the limit, as the version has it.
[[nodiscard]] std::uint16_t order_reject_of(Limit broken, FixVersion version) noexcept;
/// CxlRejReason(102) of a replace that does.
[[nodiscard]] std::uint16_t cancel_reject_of(Limit broken, FixVersion version) noexcept;

}  // namespace dojima::gateway
