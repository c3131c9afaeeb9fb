#pragma once

// The protocol's fields that a client fills, as FIX names them: for texts that a client reads. Constant table, no
// allocation, O(fields).

#include <string_view>

namespace dojima::gateway {

/// "TimeInForce(59)" of "TIF". The protocol's name may be cut to the 20 characters that its Reject has room for. Empty:
/// a client fills no such field.
[[nodiscard]] std::string_view fix_name_of(std::string_view native) noexcept;

}  // namespace dojima::gateway
