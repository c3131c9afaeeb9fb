#pragma once

// What a FIX gateway says to a terminal client, as a plain record: execution reports of all versions, refusals, and the
// answers to questions. A pure function of the message; the record owns its texts.

#include "dojima/app/trade/trade_report.hpp"
#include "dojima/base/error.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/message.hpp"

namespace dojima::app {

/// `not_supported`: a message that a client of orders does not expect; else what a field that matters lacks. The
/// dictionary is that of the session.
[[nodiscard]] Result<TradeReport> read_fix_report(const fix::MessageView& message, const fix::Dictionary& dictionary);

}  // namespace dojima::app
