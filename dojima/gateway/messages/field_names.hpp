#pragma once

// The protocol's fields that a client fills, as FIX names and numbers them: for what a client reads of a refusal.
// Constant table, no allocation, O(fields).

#include <string_view>

#include "dojima/fix/tags.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/market/order.hpp"

namespace dojima::gateway {

/// "TimeInForce(59)" of "TIF". The protocol's name may be cut to the 20 characters that its Reject has room for. Empty:
/// a client fills no such field.
[[nodiscard]] std::string_view fix_name_of(std::string_view native) noexcept;
/// 59 of "TIF": the field that fills it in a message of this type and version. Two fields say when an order expires,
/// by its time in force. 0: the message has no such field.
[[nodiscard]] fix::Tag fix_tag_of(std::string_view native, FixVersion version, fix::MsgType type,
                                  market::TimeInForce time_in_force) noexcept;

}  // namespace dojima::gateway
