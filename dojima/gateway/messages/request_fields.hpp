#pragma once

// Reading single fields of a client's request, with the refusals of those that cannot be used. Pure functions over a
// view: no allocation, O(1) each.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"

namespace dojima::gateway {

using Refused = std::unexpected<Refusal>;

inline constexpr std::int64_t k_quantity_max = std::numeric_limits<std::int32_t>::max();

/// Reasons differ by the kind of answer: 103 for a new order, 102 for the other two.
struct Reasons {
  std::uint16_t unknown_symbol, unsupported, quantity, other;
};
inline constexpr Reasons k_new_order_reasons{order_reject::k_unknown_symbol, order_reject::k_unsupported_characteristic,
                                             order_reject::k_incorrect_quantity, order_reject::k_other};
inline constexpr Reasons k_change_reasons{cancel_reject::k_other, cancel_reject::k_exchange_option,
                                          cancel_reject::k_other, cancel_reject::k_other};

using RefusalText = TextInPlace<255>;
/// What the client reads of it: its text with the value in place.
[[nodiscard]] RefusalText text_of(const Refusal& refusal) noexcept;
/// It with that text, which stays with the caller.
[[nodiscard]] inline Refusal with_text(Refusal refusal, const RefusalText& text) noexcept {
  refusal.text = text.c_str();
  refusal.value = {};
  return refusal;
}

[[nodiscard]] inline Refused refuse(std::uint16_t reason, fix::Tag tag, const char* text) noexcept {
  return Refused(Refusal{.answer = Refusal::Answer::report, .reason = reason, .tag = tag, .text = text});
}

// Refusals are made apart from those who read requests: what is taken pays nothing for them.

/// What the client reads of a field: its value, or that there is none.
[[nodiscard, gnu::cold]] std::string_view said_of(const fix::MessageView& view, fix::Tag tag) noexcept;

/// The same; the text has a '%' where the client reads the value, and another one for what contradicts it.
[[nodiscard, gnu::cold]] Refused refuse_value(std::uint16_t reason, fix::Tag tag, const char* text,
                                              std::string_view value, std::string_view other = {}) noexcept;
/// The value is that of the tag in the message.
[[nodiscard, gnu::cold]] Refused refuse_value(std::uint16_t reason, fix::Tag tag, const char* text,
                                              const fix::MessageView& view, std::string_view other = {}) noexcept;
/// The same; the other value is a number.
[[nodiscard, gnu::cold]] Refused refuse_number(std::uint16_t reason, fix::Tag tag, const char* text,
                                               const fix::MessageView& view, std::int64_t other) noexcept;

/// A value that is a character, as the client reads it.
[[nodiscard]] inline TextInPlace<1> character(char value) noexcept {
  return TextInPlace<1>{}.add({&value, 1});
}

/// A field that would change what a request means and has no place at the venue, and the refusal's text with its '%'.
struct Uncarried {
  fix::Tag tag;
  const char* text;
};
/// None of them is there.
[[nodiscard]] inline Read check_absent(const fix::MessageView& view, std::span<const Uncarried> fields,
                                       std::uint16_t reason) noexcept {
  for (const Uncarried& field : fields)
    if (view.has(field.tag)) return refuse_value(reason, field.tag, field.text, view);
  return {};
}

/// A value that does not have its tag's format or range is the session's business. The text is what was expected.
[[nodiscard]] inline Refused unreadable(const Error& error) noexcept {
  const auto reason = static_cast<std::uint16_t>(fix::reason_of(error));
  return Refused(
      Refusal{Refusal::Answer::session, reason, error.field, error.expected == nullptr ? "" : error.expected});
}

/// The venue cannot be asked now.
[[nodiscard]] inline Refused unavailable(const char* text) noexcept {
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::BusinessRejectReason::application_not_available);
  return Refused(Refusal{Refusal::Answer::business, k_reason, 0, text});
}

/// `value`, `other`: of the fields that want this one, as of refuse_value().
[[nodiscard, gnu::cold]] Refused missing(fix::Tag tag, const char* text, std::string_view value = {},
                                         std::string_view other = {}) noexcept;

/// An id that the answer repeats has at most 64 characters.
[[nodiscard]] inline Read check_repeatable(const fix::MessageView& view, fix::Tag tag) noexcept {
  constexpr std::size_t k_longest = 64;
  constexpr auto k_reason = static_cast<std::uint16_t>(fix::RejectReason::value_incorrect);
  if (view.find(tag).value_or(std::string_view{}).size() <= k_longest) return {};
  return Refused(Refusal{Refusal::Answer::session, k_reason, tag, "at most 64 characters"});
}

/// A number between two bounds in an optional field; an absent one leaves `value` alone. `text`: as of refuse_value().
template <class T>
[[nodiscard]] Read read_number(const fix::MessageView& view, fix::Tag tag, std::int64_t least, std::int64_t most,
                               const Reasons& reasons, const char* text, T& value) noexcept {
  if (!view.has(tag)) return {};
  const Result<std::int64_t> number = view.integer(tag);
  if (!number) return unreadable(number.error());
  if (*number < least || *number > most) return refuse_value(reasons.unsupported, tag, text, view);
  value = static_cast<T>(*number);
  return {};
}

/// A text with room for it in an optional field. `text`: as of refuse_value().
template <std::size_t Capacity>
[[nodiscard]] Read read_text(const fix::MessageView& view, fix::Tag tag, const Reasons& reasons, const char* text,
                             Text<Capacity>& value) noexcept {
  const std::optional<std::string_view> found = view.find(tag);
  if (!found) return {};
  const Result<Text<Capacity>> fits = Text<Capacity>::from(*found);
  if (!fits || fits->view() != *found) return refuse_value(reasons.other, tag, text, *found);
  value = *fits;
  return {};
}

inline constexpr const char* k_account_text = "Account(1)=% is too long: at most 10 characters";

/// `text`: as of refuse_value().
[[nodiscard]] inline std::expected<market::Quantity, Refusal> read_quantity(const fix::MessageView& view, fix::Tag tag,
                                                                            std::int64_t least, const Reasons& reasons,
                                                                            const char* text) noexcept {
  const Result<market::Quantity> quantity = view.quantity(tag);
  if (!quantity) return unreadable(quantity.error());
  if (quantity->lots < least || quantity->lots > k_quantity_max) return refuse_value(reasons.quantity, tag, text, view);
  return *quantity;
}

/// Symbol(55), SecurityID(48) with source 8, or both if they agree.
[[nodiscard]] std::expected<std::uint32_t, Refusal> read_instrument(const fix::MessageView& view,
                                                                    const SymbolTable& symbols,
                                                                    const Reasons& reasons) noexcept;

}  // namespace dojima::gateway
