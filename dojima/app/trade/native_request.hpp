#pragma once

// Requests of the terminal client as commands of the venue, and its reports as plain records. Pure functions.

#include <cstdint>

#include "dojima/app/trade/trade_options.hpp"
#include "dojima/app/trade/trade_report.hpp"
#include "dojima/app/trade/trade_session.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::app {

/// The number of an instrument: by the name that the options give it, or as it was typed.
[[nodiscard]] Understood<std::uint32_t> instrument_of(const std::string& symbol, const NativeTradeOptions& options);

/// A new order; what was not said is as a gateway's client has it by default: executing trader 3, clearing account 1,
/// capacity "any other", cancelled with the session as the user's set-up says.
[[nodiscard]] Understood<market::NewOrder> native_order(const TradeRequest& request, const NativeTradeOptions& options);
/// The final values: those that change, and those that the order has.
[[nodiscard]] Understood<market::Replace> native_replace(const TradeRequest& request,
                                                         const NativeTradeOptions& options);
[[nodiscard]] Understood<market::Cancel> native_cancel(const TradeRequest& request, const NativeTradeOptions& options);
[[nodiscard]] Understood<market::Quote> native_quote(const TradeRequest& request, const NativeTradeOptions& options);
/// Of the quote in a symbol, or of all.
[[nodiscard]] Understood<market::MassCancel> native_unquote(const TradeRequest& request,
                                                            const NativeTradeOptions& options);
[[nodiscard]] Understood<market::MassCancel> native_mass_cancel(const TradeRequest& request,
                                                                const NativeTradeOptions& options);

/// `code` is the reject code as on the wire; 0: none.
[[nodiscard]] TradeReport native_report(const market::OwnerReport& report, std::int32_t code);

/// What a code of a LogonReply, Reject or report says, in words.
[[nodiscard]] std::string code_text(std::int32_t code);
/// The same of a LogonReply.
[[nodiscard]] std::string logon_code_text(std::int32_t code);

}  // namespace dojima::app
