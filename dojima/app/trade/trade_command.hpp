#pragma once

// What a person types to trade, as one plain record: `buy 100 KAGA @ 12.5 ioc`, `amend 3 80 @ 12.4`, `cancel 3`,
// `masscancel group 7`, `expect 3 filled`. A pure function; the error is a sentence that says what is wrong and how it
// is written. docs/cli.md has the whole language.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/trade/expectation.hpp"
#include "dojima/app/trade/order_entry.hpp"
#include "dojima/app/trade/words.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

enum class TradeVerb : std::uint8_t {
  nothing,
  enter,
  amend,
  cancel,
  cancel_all,   ///< every open order of this run, one by one
  mass_cancel,  ///< one request
  quote,        ///< both sides, or one
  unquote,      ///< the quote of a symbol, or all
  status,
  status_all,
  securities,
  session_status,  ///< of the market's trading session
  user_status,
  dont_know,  ///< an execution that is not ours
  list,
  blotter,
  trades,
  positions,
  save,
  wait,
  expect,
  repeat,
  end,
  source,
  help,
  quit,
};

/// What a mass cancel is about; what is not said is not looked at.
struct MassCancelScope {
  std::string symbol{};
  std::string segment{};
  std::uint8_t group = 0;
  bool is_firm = false;  ///< orders of everybody in the account
  friend bool operator==(const MassCancelScope&, const MassCancelScope&) = default;
};

/// Tables that `save` writes.
enum class BlotterTable : std::uint8_t { orders, trades, positions };

struct TradeCommand {
  TradeVerb verb = TradeVerb::nothing;
  OrderEntry order{};         ///< enter
  Amendment amendment{};      ///< amend
  MassCancelScope scope{};    ///< mass_cancel
  QuoteTerms quote{};         ///< quote
  Expectation expectation{};  ///< expect
  /// amend, cancel, status: the order, as shown when it was entered; dont_know: the trade, as `trades` shows it; wait:
  /// seconds; repeat: times.
  std::uint32_t number = 0;
  char reason = '\0';  ///< dont_know: DKReason(127)
  BlotterTable table = BlotterTable::orders;
  std::string
      text{};  ///< status_all, securities, positions, unquote: the symbol; save, source: the file; user_status; help
};

/// Reads one line. Empty lines and lines that begin with '#' are `nothing`. Words may be in any case; symbols, names
/// and files are kept. `now` gives the day of a time without one.
[[nodiscard]] Understood<TradeCommand> parse_trade_command(std::string_view line, time::Time now = {});

/// How the commands are written, a line each.
[[nodiscard]] std::string_view trade_help();

/// The words that a command can begin with.
[[nodiscard]] const std::vector<std::string>& trade_verbs();

}  // namespace dojima::app
