#pragma once

// What was wrong with a message, for its sender: the error of a read or a check as a sentence with the field, what was
// expected and what came. Secrets are not shown. No allocation, O(fields).
//
//   std::array<char, k_error_text_max> room;
//   describe(*view.quantity(tag::k_order_qty).error(), view, room)  // "field 38: expected a whole number >= 0,
//   got 5.5"

#include <cstddef>
#include <span>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/fix/message.hpp"

namespace dojima::fix {

/// Room for every such sentence whose `expected` has at most 96 characters.
inline constexpr std::size_t k_error_text_max = 160;

/// Written into `room` and cut to its size: the part written. `error` is about `message`; of its value at most 32
/// characters are shown, those that are not printable as '?'.
std::string_view describe(const Error& error, const MessageView& message, std::span<char> room) noexcept;

}  // namespace dojima::fix
