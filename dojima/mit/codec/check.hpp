#pragma once

// The validation of a message by the table of its type, for every type of every dialect: values, texts, numbers and
// the codes that the protocol has for them. What the session reads (dialect.hpp) is checked by its codec, rule by rule
// as here, and beyond by what depends on other fields. Stateless functions: any thread, no allocation, O(length).
//
//   Reject refusal;
//   if (!check_message(lse_21_2::k_dialect, bytes, refusal)) ... what the protocol would answer

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::mit {

/// Whether a message of any type of the dialect keeps the protocol's rules; on failure `refusal` is the Reject
/// prescribed for it. The header first, then every field in wire order, then (of `D G q`) what depends on others.
/// Reserved fields are not looked at.
[[nodiscard]] Result<void> check_message(const Dialect& dialect, Bytes message, Reject& refusal);

/// The table of a type; null when the dialect has none. O(1).
[[nodiscard]] const MessageLayout* find_layout(const Dialect& dialect, char type) noexcept;

}  // namespace dojima::mit
