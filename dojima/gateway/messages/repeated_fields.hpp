#pragma once

// What a change of an order, OrderCancelReplaceRequest(G) or OrderCancelRequest(F), repeats of it and cannot change:
// refusals that say both values. Whose the order is, check_owner_unchanged() compares (owner_reader.hpp).

#include "dojima/fix/message.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/market/order.hpp"

namespace dojima::gateway {

inline constexpr const char* k_pegged_exec_inst_text = "PeggedExecInst(27021)=% is out of range: 0 to 2";

/// The message names another instrument than its order, by its symbol or by its number.
[[nodiscard, gnu::cold]] Refused refuse_instrument(const fix::MessageView& view, const SymbolTable& symbols,
                                                   const Order& order) noexcept;
[[nodiscard, gnu::cold]] Refused refuse_side(const fix::MessageView& view, const Order& order) noexcept;
/// The message has another type, by its letter or by whether there is a price.
[[nodiscard, gnu::cold]] Refused refuse_type(const fix::MessageView& view, const Order& order) noexcept;
[[nodiscard, gnu::cold]] Refused refuse_time_in_force(const fix::MessageView& view, const Order& order) noexcept;

/// DisplayMethod(1084): peaks of one size stay of one size, and random ones random.
[[nodiscard]] Read check_display_method(const fix::MessageView& view, const Order& order) noexcept;
/// PeggedExecInst(27021): the venue's change has no field for it.
[[nodiscard]] Read check_peg_unchanged(const fix::MessageView& view, const market::OrderTerms& before) noexcept;

}  // namespace dojima::gateway
