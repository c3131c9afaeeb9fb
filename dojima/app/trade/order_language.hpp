#pragma once

// Orders as people type them, read into an OrderEntry: what comes behind `buy` and `sell`, and behind `amend N`. A pure
// function of the words and of the day; the error is a sentence that says what is wrong and how it is written.
//
//   100 KAGA @ 12.5 ioc        100 KAGA market close       100 KAGA stop 12.7 @ 12.8
//   100 KAGA offset 25 close   100 KAGA peg min=50         100 KAGA @ 12.5 gtd 2026-12-24 display=10 account=RICE

#include <string_view>

#include "dojima/app/trade/order_entry.hpp"
#include "dojima/app/trade/words.hpp"
#include "dojima/time/time.hpp"

namespace dojima::app {

/// Reads all that is left of the line, beginning with the quantity. `now` gives the day of a time without one.
[[nodiscard]] Understood<OrderEntry> read_order(WordReader& words, market::Side side, time::Time now);

/// Reads what is left of `amend N`: at least one of quantity, price, stop price and what is displayed.
[[nodiscard]] Understood<Amendment> read_amendment(WordReader& words);

/// The words for a time in force, `gtd 2026-12-24` with its end; "day" for a day order.
[[nodiscard]] std::string time_in_force_text(const market::OrderTerms& terms);

/// The words and options of an order, a line each.
[[nodiscard]] std::string_view order_help();

/// Every word and option name of an order, for completion and for "did you mean".
[[nodiscard]] const std::vector<std::string>& order_words();

}  // namespace dojima::app
