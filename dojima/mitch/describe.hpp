#pragma once

// MIT303 for people: the messages of units as text, and the page of the protocol in docs/layouts. Made from the tables
// alone. Allocates; not for the way of a message.
//
//   for (const MessageText& message : describe_units(bytes).messages) show(lines_of(message));

#include <cstddef>
#include <string>
#include <vector>

#include "dojima/base/layout_text.hpp"
#include "dojima/mitch/unit.hpp"

namespace dojima::mitch {

struct UnitsText {
  std::vector<MessageText> messages;  ///< heartbeats too, without fields
  std::size_t units = 0;
  std::string trouble;   ///< why the bytes could not be followed to their end; empty when they could
  std::size_t rest = 0;  ///< the bytes that were not read
};

/// Units back to back, as in a file or on a TCP channel, or the one of a datagram. Marked are types that nobody knows,
/// a length that is not the type's, values that the tables do not have. What is no unit ends it.
[[nodiscard]] UnitsText describe_units(Bytes bytes);

/// The page of the protocol: the unit header and every message with its picture and table. Markdown.
[[nodiscard]] std::string layouts_page();

}  // namespace dojima::mitch
