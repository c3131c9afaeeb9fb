#pragma once

// For whom a client's order is: parties with their qualifiers, capacity, clearing account, MiFID flags, whether its
// name is shown. Pure functions over a view; fields that are absent leave the client's defaults.

#include "dojima/fix/message.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/market/command.hpp"

namespace dojima::gateway {

/// OrderCapacity(528), in FIX 4.2 Rule80A(47); AccountType(581); OwnerType(522); PreTradeAnonymity(1091);
/// OrderOrigination(1724) and OrderAttributes(2593); Account(1); Parties(453). `said`: those of the parties and of the
/// account type that are there, for the order's reports. O(fields).
[[nodiscard]] Read read_owner(const fix::MessageView& view, market::NewOrder& order, OrderParties& said) noexcept;
/// OrderCancelReplaceRequest(G): what it says of these is what the order has, but for Account(1), which can be changed,
/// and OrderOrigination(1724) and OrderAttributes(2593), which no record keeps. O(fields).
[[nodiscard]] Read check_owner_unchanged(const fix::MessageView& view, const Order& order,
                                         const OwnerOfOrder& owner) noexcept;
/// Of these Account(1) alone. O(1).
[[nodiscard]] Read read_account(const fix::MessageView& view, market::OrderLabels& labels) noexcept;

}  // namespace dojima::gateway
