#include "dojima/app/trade/order_language.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dojima/app/nearest.hpp"
#include "dojima/app/trade/order_draft.hpp"

namespace dojima::app {
namespace {

const char* const k_order_shape =
    "write: buy|sell QUANTITY SYMBOL @ PRICE [day|ioc|fok|...] [key=value...], or market instead of @ PRICE";
const char* const k_amend_shape =
    "write: amend ORDER QUANTITY @ PRICE, or any of them, stop=PRICE, display=QUANTITY, hidden; the quantity is the "
    "new "
    "total";

/// `key=value` in two; no key where there is no '='.
struct Option {
  std::string key, value;
};
Option option_in(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return {};
  return {lower(std::string_view(word).substr(0, equals)), word.substr(equals + 1)};
}

Understood<void> read_one(WordReader& words, OrderDraft& draft) {
  const std::string word = words.take();
  const Option option = option_in(word);
  const auto known =
      option.key.empty() ? read_order_word(word, words, draft) : read_order_option(option.key, option.value, draft);
  if (!known) return wrong(known.error());
  if (*known) return {};
  if (price_in(word)) return wrong(fmt::format("\"{}\" comes where @ PRICE or market belongs", word));
  const auto meant = nearest(option.key.empty() ? lower(word) : option.key, order_words());
  return wrong(
      fmt::format("\"{}\" is no word of an order{}", word, meant ? fmt::format("; did you mean {}?", *meant) : ""));
}

Understood<void> read_displayed(Amendment& amendment, const std::string& value) {
  if (value == "0") {
    amendment.displayed = market::Quantity{};
    return {};
  }
  const auto quantity = quantity_in(value);
  if (!quantity) return wrong(quantity.error());
  amendment.displayed = *quantity;
  return {};
}

Understood<void> read_price_into(std::optional<market::Price>& price, const std::string& value, const char* name) {
  if (price) return wrong(fmt::format("{} is said twice", name));
  const auto read = price_in(value);
  if (!read) return wrong(read.error());
  price = *read;
  return {};
}

Understood<void> read_quantity_into(Amendment& amendment, const std::string& value) {
  if (amendment.quantity) return wrong("the quantity is said twice");
  const auto read = quantity_in(value);
  if (!read) return wrong(read.error());
  amendment.quantity = *read;
  return {};
}

Understood<void> read_change(WordReader& words, Amendment& amendment) {
  const std::string word = words.take();
  const Option option = option_in(word);
  const std::string name = option.key.empty() ? lower(word) : option.key;
  const auto value = [&] { return option.key.empty() ? words.take() : option.value; };
  if (name == "@" || name == "price") return read_price_into(amendment.limit, value(), "the price");
  if (name == "stop") return read_price_into(amendment.stop, value(), "stop");
  if (name == "display") return read_displayed(amendment, value());
  if (name == "hidden") return read_displayed(amendment, "0");
  if (name == "quantity") return read_quantity_into(amendment, value());
  // `amend 3 80 12.4`: the second number is the price.
  if (amendment.quantity && !amendment.limit && price_in(word)) return read_price_into(amendment.limit, word, "");
  if (!amendment.quantity) return read_quantity_into(amendment, word);
  return wrong(fmt::format("\"{}\" is nothing that can be amended; {}", word, k_amend_shape));
}

}  // namespace

const std::vector<std::string>& order_words() {
  static const std::vector<std::string> s_words = [] {
    std::vector<std::string> words = order_word_names();
    for (const std::string& key : order_option_names()) words.push_back(key);
    return words;
  }();
  return s_words;
}

Understood<OrderEntry> read_order(WordReader& words, market::Side side, time::Time now) {
  OrderDraft draft{.now = now};
  const std::string quantity = words.take();
  draft.entry.symbol = words.take();
  if (words.is_over()) return wrong(k_order_shape);
  const auto lots = quantity_in(quantity);
  if (!lots) return wrong(lots.error());
  draft.entry.terms.side = side;
  draft.entry.terms.quantity = *lots;
  while (!words.is_over())
    if (auto read = read_one(words, draft); !read) return wrong(fmt::format("{}; {}", read.error(), k_order_shape));
  auto order = draft.finish();
  if (!order) return wrong(fmt::format("{}; {}", order.error(), k_order_shape));
  return order;
}

Understood<Amendment> read_amendment(WordReader& words) {
  Amendment amendment;
  if (words.is_over()) return wrong(k_amend_shape);
  while (!words.is_over())
    if (auto read = read_change(words, amendment); !read) return wrong(read.error());
  return amendment;
}

std::string_view order_help() {
  return "an order: buy|sell QUANTITY SYMBOL, its price, its time in force, and options, in any order\n"
         "@ 12.5                       a limit order\n"
         "market                       at any price; mtl: what is left becomes a limit order\n"
         "stop 12.7 [@ 12.8]           waits until trades reach 12.7\n"
         "peg [@ 12.5]                 at the middle of the market, no further than the limit\n"
         "offset 25 [@ 12.5]           in the closing call, 25 basis points off the reference; with close\n"
         "day ioc fok gtc              until the end of the day, at once, all at once or not at all, until cancelled\n"
         "gtd 2026-12-24, gtt 16:30    until that day, until that time (UTC)\n"
         "opg close intraday next scheduled gfa\n"
         "                             for the opening, closing, intraday, next, next scheduled, or any auction\n"
         "cpx atclose avd vdc          closing price cross, at the closing price, auctions with volume discovery\n"
         "display=10 peak=10 hidden    an iceberg, one with peaks of random size, nothing shown\n"
         "min=50 pegs=any|nopegs       the least that a pegged order trades, and against which orders\n"
         "passive=99                   passive-only rule: 99, 100, 1, 2 or 3\n"
         "group=7                      group for mass cancels, 1 to 255\n"
         "account=TEXT trader=TEXT     whose it is\n"
         "capacity=agency|dealing|matched clearing=client|house owner=none|retail|provider\n"
         "client=N decision=N executing=N[:firm|:algo|:person]   parties by number\n"
         "named anonymous              whether the market sees who it is\n"
         "dea liquidity algo           direct electronic access, liquidity provision, an algorithm\n";
}

}  // namespace dojima::app
