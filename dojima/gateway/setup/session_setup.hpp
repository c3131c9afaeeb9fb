#pragma once

// What a gateway's configuration means for its FIX sessions: their names, rules, hours and stores. Pure, but for stores
// that are opened. For the start: allocates, throws.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/fix/acceptor.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/fix/schedule.hpp"
#include "dojima/fix/session_config.hpp"
#include "dojima/fix/store.hpp"
#include "dojima/gateway/config.hpp"
#include "dojima/gateway/gateway.hpp"

namespace dojima::gateway {

/// The configuration itself. Throws std::invalid_argument where it makes no sense.
const GatewayConfig& checked(const GatewayConfig& config);

/// Connections at a time: of all sessions, and of those that have not logged on.
[[nodiscard]] std::size_t links_of(const GatewayConfig& config) noexcept;
[[nodiscard]] fix::SessionAcceptorOptions acceptor_options(const GatewayConfig& config);

/// A drop copy's session is configured as a client's.
[[nodiscard]] ClientConfig identity_of(const DropCopyConfig& copy);
/// Places of the clients that it follows.
[[nodiscard]] std::vector<std::uint32_t> clients_of(const GatewayConfig& config, const DropCopyConfig& copy);

/// Throws std::invalid_argument for a template that is not there.
[[nodiscard]] fix::SessionConfig session_config(const GatewayConfig& config, const ClientConfig& client,
                                                fix::EarlyBuffers& early, const GatewayParts& parts);
[[nodiscard]] fix::SessionSchedule schedule_of(const GatewayConfig& config, const ClientConfig& client);
/// The session's store on disk. Throws std::runtime_error when there is no room for it.
[[nodiscard]] fix::MessageStore& store_of(fix::JournalStores& stores, const GatewayConfig& config,
                                          const ClientConfig& client);

}  // namespace dojima::gateway
