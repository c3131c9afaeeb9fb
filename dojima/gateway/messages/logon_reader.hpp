#pragma once

// What a client's Logon asks the gateway for, beyond its session. A pure function over a view: no allocation.

#include <optional>

#include "dojima/base/error.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/gateway/client_limits.hpp"

namespace dojima::gateway {

/// CancelOnDisconnect(27030); none where the Logon does not say. Error: `out_of_range`, `expected` is a text for the
/// client.
[[nodiscard]] Result<std::optional<CancelOnDisconnect>> read_cancel_on_disconnect(
    const fix::MessageView& logon) noexcept;

}  // namespace dojima::gateway
