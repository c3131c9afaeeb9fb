#include "dojima/app/trade/trade_command.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <optional>

#include "dojima/app/nearest.hpp"
#include "dojima/app/trade/order_language.hpp"

namespace dojima::app {
namespace {

using market::Side;
using Parsed = Understood<TradeCommand>;

constexpr std::uint32_t k_longest_wait = 3600;

/// The command, if nothing is left of the line.
Parsed whole(TradeCommand command, const WordReader& words, const char* shape) {
  if (!words.is_over()) return wrong(fmt::format("\"{}\" is too much; write: {}", words.peek(), shape));
  return command;
}

Parsed read_enter(WordReader& words, Side side, time::Time now) {
  auto order = read_order(words, side, now);
  if (!order) return wrong(order.error());
  return TradeCommand{.verb = TradeVerb::enter, .order = *std::move(order)};
}

Parsed read_buy(WordReader& words, time::Time now) {
  return read_enter(words, Side::buy, now);
}
Parsed read_sell(WordReader& words, time::Time now) {
  return read_enter(words, Side::sell, now);
}

/// "market buy 100 KAGA ioc" is "buy 100 KAGA market ioc".
Parsed read_market(WordReader& words, time::Time now) {
  const bool is_buy = words.take_if("buy");
  if (!is_buy && !words.take_if("sell")) return wrong("write: market buy|sell QUANTITY SYMBOL; help shows more");
  std::vector<std::string> order{words.take(), words.take(), "market"};
  if (order[1].empty()) return wrong("a market order needs QUANTITY and SYMBOL");
  while (!words.is_over()) order.push_back(words.take());
  WordReader rotated(std::move(order));
  return read_enter(rotated, is_buy ? Side::buy : Side::sell, now);
}

Parsed read_amend(WordReader& words, time::Time) {
  const std::string word = words.take();
  const auto order = number_in<std::uint32_t>(word);
  auto amendment = order ? read_amendment(words) : Understood<Amendment>{};
  if (word.empty()) return wrong("write: amend ORDER QUANTITY @ PRICE; the quantity is the new total");
  if (!order) return wrong(fmt::format("\"{}\" is not an order's number; write: amend ORDER QUANTITY @ PRICE", word));
  if (!amendment) return wrong(amendment.error());
  return TradeCommand{.verb = TradeVerb::amend, .amendment = *amendment, .number = *order};
}

Parsed read_cancel(WordReader& words, time::Time) {
  const char* const shape = "cancel ORDER, or cancel all";
  if (words.take_if("all")) return whole({.verb = TradeVerb::cancel_all}, words, shape);
  const auto order = number_in<std::uint32_t>(words.take());
  if (!order) return wrong(fmt::format("write: {}", shape));
  return whole({.verb = TradeVerb::cancel, .number = *order}, words, shape);
}

Parsed read_mass_cancel(WordReader& words, time::Time) {
  const char* const shape = "masscancel all | symbol NAME | segment NAME | group 1-255 [symbol NAME], and firm";
  TradeCommand command{.verb = TradeVerb::mass_cancel};
  MassCancelScope& scope = command.scope;
  if (words.is_over()) return wrong(fmt::format("write: {}", shape));
  while (!words.is_over()) {
    const std::string word = lower(words.take());
    if (word == "all") continue;
    if (word == "firm") {
      scope.is_firm = true;
    } else if (word == "symbol" && !words.is_over()) {
      scope.symbol = words.take();
    } else if (word == "segment" && !words.is_over()) {
      scope.segment = words.take();
    } else if (word == "group") {
      const auto group = number_in<std::uint8_t>(words.take());
      if (!group || *group == 0) return wrong(fmt::format("a group is a number from 1 to 255; write: {}", shape));
      scope.group = *group;
    } else {
      return wrong(fmt::format("\"{}\" is nothing that can be cancelled; write: {}", word, shape));
    }
  }
  if (!scope.segment.empty() && (!scope.symbol.empty() || scope.group != 0))
    return wrong(fmt::format("a segment stands alone; write: {}", shape));
  return command;
}

/// "10 @ 99", or "0" for nothing.
Understood<void> read_quote_side(WordReader& words, market::Quantity& size, market::Price& price) {
  const std::string word = words.take();
  if (word == "0") return {};
  const auto lots = quantity_in(word);
  if (!lots) return std::unexpected(lots.error());
  if (!words.take_if("@")) return std::unexpected("a size of a quote is followed by @ and its price");
  const auto at = price_in(words.take());
  if (!at) return std::unexpected(at.error());
  size = *lots;
  price = *at;
  return {};
}

Parsed read_quote(WordReader& words, time::Time) {
  const char* const shape = "quote SYMBOL SIZE @ BID / SIZE @ ASK; 0 instead of SIZE @ PRICE: no such side";
  TradeCommand command{.verb = TradeVerb::quote};
  QuoteTerms& quote = command.quote;
  quote.symbol = words.take();
  if (quote.symbol.empty()) return wrong(fmt::format("write: {}", shape));
  auto read = read_quote_side(words, quote.bid_size, quote.bid);
  if (read && !words.take_if("/")) read = std::unexpected("the bid and the ask have / between them");
  if (read) read = read_quote_side(words, quote.ask_size, quote.ask);
  if (!read) return wrong(fmt::format("{}; write: {}", read.error(), shape));
  if (quote.bid_size.lots != 0 && quote.ask_size.lots != 0 && quote.bid >= quote.ask)
    return wrong("the bid of a quote is below its ask");
  return whole(std::move(command), words, shape);
}

Parsed read_status(WordReader& words, time::Time) {
  const char* const shape = "status ORDER, or status all [SYMBOL]";
  if (words.take_if("all")) {
    TradeCommand command{.verb = TradeVerb::status_all, .text = words.take()};
    return whole(std::move(command), words, shape);
  }
  const auto order = number_in<std::uint32_t>(words.take());
  if (!order) return wrong(fmt::format("write: {}", shape));
  return whole({.verb = TradeVerb::status, .number = *order}, words, shape);
}

Parsed read_dont_know(WordReader& words, time::Time) {
  const char* const shape = "dk TRADE symbol|side|quantity|order|price|other";
  struct Reason {
    const char* word;
    char value;
  };
  constexpr std::array k_reasons{Reason{"symbol", 'A'}, Reason{"side", 'B'},  Reason{"quantity", 'C'},
                                 Reason{"order", 'D'},  Reason{"price", 'E'}, Reason{"other", 'Z'}};
  const auto trade = number_in<std::uint32_t>(words.take());
  const auto reason = std::ranges::find(k_reasons, words.is_over() ? "other" : lower(words.take()), &Reason::word);
  if (!trade || reason == k_reasons.end()) return wrong(fmt::format("write: {}", shape));
  return whole({.verb = TradeVerb::dont_know, .number = *trade, .reason = reason->value}, words, shape);
}

Parsed read_save(WordReader& words, time::Time) {
  const char* const shape = "save FILE [orders|trades|positions]";
  TradeCommand command{.verb = TradeVerb::save, .text = words.take()};
  if (command.text.empty()) return wrong(fmt::format("write: {}", shape));
  if (words.take_if("trades")) {
    command.table = BlotterTable::trades;
  } else if (words.take_if("positions")) {
    command.table = BlotterTable::positions;
  } else {
    words.take_if("orders");
  }
  return whole(std::move(command), words, shape);
}

Parsed read_wait(WordReader& words, time::Time) {
  const auto seconds = number_in<std::uint32_t>(words.take());
  if (!seconds || *seconds > k_longest_wait || !words.is_over()) return wrong("write: wait SECONDS, at most an hour");
  return TradeCommand{.verb = TradeVerb::wait, .number = *seconds};
}

Parsed read_repeat(WordReader& words, time::Time) {
  const auto times = number_in<std::uint32_t>(words.take());
  if (!times || *times == 0 || !words.is_over()) return wrong("write: repeat TIMES, the lines, and end");
  return TradeCommand{.verb = TradeVerb::repeat, .number = *times};
}

Parsed read_source(WordReader& words, time::Time) {
  TradeCommand command{.verb = TradeVerb::source, .text = words.rest()};
  if (command.text.empty()) return wrong("write: source FILE");
  return command;
}

Parsed read_expect(WordReader& words, time::Time) {
  const auto expectation = read_expectation(words);
  if (!expectation) return wrong(expectation.error());
  return TradeCommand{.verb = TradeVerb::expect, .expectation = *expectation};
}

/// A command with at most one word behind it.
template <TradeVerb k_verb>
Parsed read_optional(WordReader& words, time::Time) {
  TradeCommand command{.verb = k_verb, .text = words.take()};
  return whole(std::move(command), words, "one word at most");
}

template <TradeVerb k_verb>
Parsed read_alone(WordReader& words, time::Time) {
  if (!words.is_over()) return wrong(fmt::format("\"{}\" is too much: this command stands alone", words.peek()));
  return TradeCommand{.verb = k_verb};
}

struct Verb {
  const char* word;
  Parsed (*read)(WordReader& words, time::Time now);
};
constexpr std::array k_trade_verbs{Verb{"buy", read_buy},
                                   Verb{"sell", read_sell},
                                   Verb{"market", read_market},
                                   Verb{"amend", read_amend},
                                   Verb{"cancel", read_cancel},
                                   Verb{"masscancel", read_mass_cancel},
                                   Verb{"quote", read_quote},
                                   Verb{"unquote", read_optional<TradeVerb::unquote>},
                                   Verb{"status", read_status},
                                   Verb{"securities", read_optional<TradeVerb::securities>},
                                   Verb{"session", read_alone<TradeVerb::session_status>},
                                   Verb{"user", read_optional<TradeVerb::user_status>},
                                   Verb{"dk", read_dont_know},
                                   Verb{"list", read_alone<TradeVerb::list>},
                                   Verb{"blotter", read_alone<TradeVerb::blotter>},
                                   Verb{"trades", read_alone<TradeVerb::trades>},
                                   Verb{"position", read_optional<TradeVerb::positions>},
                                   Verb{"save", read_save},
                                   Verb{"wait", read_wait},
                                   Verb{"expect", read_expect},
                                   Verb{"repeat", read_repeat},
                                   Verb{"end", read_alone<TradeVerb::end>},
                                   Verb{"source", read_source},
                                   Verb{"help", read_optional<TradeVerb::help>},
                                   Verb{"quit", read_alone<TradeVerb::quit>},
                                   Verb{"exit", read_alone<TradeVerb::quit>}};

}  // namespace

const std::vector<std::string>& trade_verbs() {
  static const std::vector<std::string> s_words = [] {
    std::vector<std::string> words;
    for (const Verb& verb : k_trade_verbs) words.emplace_back(verb.word);
    return words;
  }();
  return s_words;
}

Understood<TradeCommand> parse_trade_command(std::string_view line, time::Time now) {
  WordReader words(split_words(line));
  if (words.is_over() || words.peek().front() == '#') return TradeCommand{};
  const std::string word = words.take();
  const auto verb = std::ranges::find(k_trade_verbs, lower(word), &Verb::word);
  if (verb != k_trade_verbs.end()) return verb->read(words, now);
  const auto meant = nearest(lower(word), trade_verbs());
  return wrong(fmt::format("\"{}\" is no command{}; help shows them all", word,
                           meant ? fmt::format("; did you mean {}?", *meant) : ""));
}

std::string_view trade_help() {
  return "buy 100 KAGA @ 12.5          a limit order, good for the day; sell likewise\n"
         "buy 100 KAGA @ 12.5 ioc      what trades at once, the rest is cancelled; fok: all at once or nothing\n"
         "buy 100 KAGA market          at any price; \"help order\": all types, times in force and options\n"
         "amend 3 80 @ 12.4            order 3: 80 in all (fills included), at 12.4; either of them, stop=, display=\n"
         "cancel 3                     order 3; cancel all: every open order\n"
         "masscancel group 7           one request: all, symbol NAME, segment NAME, group N [symbol NAME]; firm\n"
         "quote KAGA 5 @ 99 / 7 @ 101  both sides of a quote, or its next terms; 0 for a side that shall not be\n"
         "unquote [KAGA]               takes the quote of a symbol back, or all\n"
         "status 3                     what the gateway knows of order 3; status all [SYMBOL]: of all that are open\n"
         "securities [SYMBOL]          what can be traded; session: the trading session; user [NAME]: who is known\n"
         "dk 2 price                   trade 2 is not ours: symbol, side, quantity, order, price, other\n"
         "list                         open orders\n"
         "blotter, trades              all orders of this run, their executions\n"
         "position [KAGA]              what was bought and sold\n"
         "save FILE [trades|positions] the orders, or that, as CSV\n"
         "wait 5                       five seconds\n"
         "expect 3 filled within 5     fails the script otherwise; \"help expect\": all that can be expected\n"
         "repeat 3 ... end, source FILE\n"
         "                             lines several times, lines of a file\n"
         "help, quit\n";
}

}  // namespace dojima::app
