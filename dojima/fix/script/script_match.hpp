#pragma once

// Whether a message is the one that a script expects.

#include <string>
#include <string_view>

#include "dojima/base/bytes.hpp"

namespace dojima::fix {

/// A message as a script writes it: its fields with `|` between them, without 8, 9 and 10.
[[nodiscard]] std::string script_text_of(Bytes message);

/// What differs, in words; empty: nothing. `expected` are fields as a script has them, `|` between them; 8, 9, 10, 49,
/// 52 and 56 are only compared where they are named. O(fields^2).
[[nodiscard]] std::string difference(std::string_view expected, Bytes message, bool is_order_fixed);

/// Puts 8, 9 and 10 around fields ("35=0|34=1"), and 49, 52, 56 behind MsgSeqNum where they are not there.
[[nodiscard]] std::string script_message(std::string_view fields, std::string_view begin_string,
                                         std::string_view sender, std::string_view target, std::string_view now);

}  // namespace dojima::fix
