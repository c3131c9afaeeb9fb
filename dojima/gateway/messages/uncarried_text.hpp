#pragma once

// Why a command did not leave, for the client: which FIX field, with which value, the protocol of its venue cannot
// carry, and which values it has. The codecs say it in fields of the protocol; here are their names in FIX. Pure
// functions over a dialect's tables, no allocation, O(fields).
//
//   "TimeInForce(59)=1 (good till cancel) is not accepted by this venue (LSE-21.2): it has 0, 2, 3, 4, 6, 7, 8, ..."

#include "dojima/base/error.hpp"
#include "dojima/gateway/messages/reasons.hpp"
#include "dojima/market/command.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::gateway {

using UncarriedText = TextInPlace<191>;

/// `error`: what the dialect's encoder said of the command.
[[nodiscard]] UncarriedText uncarried_text(const market::NewOrder& command, const mit::Dialect& dialect,
                                           const Error& error) noexcept;
[[nodiscard]] UncarriedText uncarried_text(const market::Replace& command, const mit::Dialect& dialect,
                                           const Error& error) noexcept;
[[nodiscard]] UncarriedText uncarried_text(const market::Cancel& command, const mit::Dialect& dialect,
                                           const Error& error) noexcept;
[[nodiscard]] UncarriedText uncarried_text(const market::MassCancel& command, const mit::Dialect& dialect,
                                           const Error& error) noexcept;
[[nodiscard]] UncarriedText uncarried_text(const market::Quote& command, const mit::Dialect& dialect,
                                           const Error& error) noexcept;

}  // namespace dojima::gateway
