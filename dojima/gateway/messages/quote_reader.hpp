#pragma once

// A client's quotes as commands of the venue: pure functions from a FIX message and the client's defaults. As
// request_reader.hpp: a value that cannot be carried exactly is a refusal, whose reason is a QuoteRejectReason(300).
// docs/gateway.md has the table of fields. No allocation, O(fields).

#include <cstdint>

#include "dojima/fix/message.hpp"
#include "dojima/gateway/messages/request_reader.hpp"
#include "dojima/gateway/messages/symbol_table.hpp"
#include "dojima/gateway/records/order.hpp"
#include "dojima/market/command.hpp"

namespace dojima::gateway {

/// QuoteRejectReason(300), as far as it is used.
namespace quote_reject {
inline constexpr std::uint16_t k_unknown_symbol = 1;
inline constexpr std::uint16_t k_exceeds_limit = 3;
inline constexpr std::uint16_t k_unknown_quote = 5;
inline constexpr std::uint16_t k_duplicate = 6;
inline constexpr std::uint16_t k_invalid_spread = 7;
inline constexpr std::uint16_t k_invalid_price = 8;
inline constexpr std::uint16_t k_not_authorized = 9;
inline constexpr std::uint16_t k_other = 99;
}  // namespace quote_reject

/// Quote(S): `quote` becomes what it says, without a client order id; what it does not say is as in `defaults`, a new
/// order of the client's. `said`, which is empty, becomes what the message itself says of its parties and its account
/// type.
[[nodiscard]] Read read_quote(const fix::MessageView& view, const SymbolTable& symbols,
                              const market::NewOrder& defaults, market::Quote& quote, OrderParties& said) noexcept;

/// Whether Quote(S) or QuoteCancel(Z) wants to hear that it was accepted: QuoteResponseLevel(301) 2 or 3.
[[nodiscard]] bool wants_status(const fix::MessageView& view) noexcept;

/// QuoteCancel(Z), but for the type that names a single quote by its id: all quotes of the client, or that in an
/// instrument.
[[nodiscard]] Read read_quote_cancel(const fix::MessageView& view, const SymbolTable& symbols,
                                     market::MassCancel& command) noexcept;

}  // namespace dojima::gateway
