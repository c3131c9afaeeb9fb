#pragma once

// MIT203 for people: the messages of a stream as text, and the page of a dialect in docs/layouts. Made from the tables
// of the dialect alone, so every message that has a table is shown. Allocates; not for the way of a message.
//
//   for (const MessageText& message : describe_stream(lse_21_2::k_dialect, bytes).messages) show(lines_of(message));

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/layout_text.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::mit {

/// Every dialect that there is, the default first.
[[nodiscard]] std::span<const Dialect* const> dialects() noexcept;
/// By its name, "LSE-21.2"; null when there is none.
[[nodiscard]] const Dialect* find_dialect(std::string_view name) noexcept;

struct StreamText {
  std::vector<MessageText> messages;
  std::string trouble;   ///< why the stream could not be followed to its end; empty when it could
  std::size_t rest = 0;  ///< the bytes that were not read
};

/// The messages of one direction of a connection. Marked are a length that is not the type's, values that the tables do
/// not have, and what the message would be refused for, with the code. Bytes that begin no
/// message end it.
[[nodiscard]] StreamText describe_stream(const Dialect& dialect, Bytes bytes);

/// The page of a dialect: every message with its picture and table. Markdown.
[[nodiscard]] std::string page_of(const Dialect& dialect);

}  // namespace dojima::mit
