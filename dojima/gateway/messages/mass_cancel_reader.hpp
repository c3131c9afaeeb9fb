#pragma once

// OrderMassCancelRequest(q) as a command of the venue. Pure functions over a view, no allocation.

#include "dojima/fix/message.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/market/command.hpp"

namespace dojima::gateway {

/// MassCancelRequestType(530) 7 all, 1 an instrument, 9 a segment, 56 a group, 57 both; TargetPartyRole(1464) 76 the
/// client's own orders, which is also meant without it, 1 its firm's. `command` is filled but for its id. A refusal's
/// reason is MassCancelRejectReason(532).
[[nodiscard]] Read read_mass_cancel(const fix::MessageView& view, const SymbolTable& symbols,
                                    market::MassCancel& command) noexcept;

}  // namespace dojima::gateway
