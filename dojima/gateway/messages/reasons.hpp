#pragma once

// Why the venue refused, in FIX: OrdRejReason(103), CxlRejReason(102) and a text that keeps the venue's own code. Pure
// functions, no allocation.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

#include "dojima/market/report.hpp"

namespace dojima::gateway {

/// Text(58) of at most `Capacity` characters, put together in place; what does not fit is left out.
template <std::size_t Capacity>
class TextInPlace {
 public:
  TextInPlace& add(std::string_view text) noexcept {
    for (const char c : text) {
      // A separator or a character outside ASCII would spoil the FIX message.
      if (size_ < Capacity) text_[size_++] = c >= ' ' && c <= '~' ? c : '?';
    }
    return *this;
  }
  TextInPlace& add(std::int64_t number) noexcept {
    const auto [end, error] = std::to_chars(text_.data() + size_, text_.data() + Capacity, number);
    if (error == std::errc{}) size_ = static_cast<std::size_t>(end - text_.data());
    return *this;
  }
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), size_}; }
  /// Ends with a null; valid until the text changes or dies.
  [[nodiscard]] const char* c_str() const noexcept { return text_.data(); }

 private:
  std::array<char, Capacity + 1> text_{};
  std::size_t size_ = 0;
};
using ReasonText = TextInPlace<127>;

/// OrdRejReason(103) of a new order refused for this reason.
[[nodiscard]] std::uint16_t order_reject_of(market::Reason reason) noexcept;
/// CxlRejReason(102) of a cancel or replace refused for this reason, while the order is open.
[[nodiscard]] std::uint16_t cancel_reject_of(market::Reason reason) noexcept;

/// What the code of the venue means, in words; "refused by the venue" for one that is not known. Static.
[[nodiscard]] std::string_view words_of(std::int32_t code) noexcept;
/// "20006 price not on tick".
[[nodiscard]] ReasonText text_of(std::int32_t code) noexcept;
/// "9901 OrderQty(38): value, format or length invalid": a code with the field that the venue named, as FIX names it.
[[nodiscard]] ReasonText text_of(std::int32_t code, std::string_view field) noexcept;

}  // namespace dojima::gateway
