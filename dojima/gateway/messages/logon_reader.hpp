#pragma once

// What a client's Logon asks the gateway for, beyond its session. A pure function over a view: no allocation.

#include <expected>
#include <optional>

#include "dojima/fix/message.hpp"
#include "dojima/gateway/client_limits.hpp"
#include "dojima/gateway/messages/request_reader.hpp"

namespace dojima::gateway {

/// CancelOnDisconnect(27030); none where the Logon does not say. A refusal's value is the Logon's.
[[nodiscard]] std::expected<std::optional<CancelOnDisconnect>, Refusal> read_cancel_on_disconnect(
    const fix::MessageView& logon) noexcept;

}  // namespace dojima::gateway
