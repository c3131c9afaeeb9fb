#include "dojima/app/trade_command.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <optional>
#include <vector>

#include "dojima/app/nearest.hpp"

namespace dojima::app {
namespace {

using market::OrderType;
using market::Side;
using market::TimeInForce;
using Parsed = std::expected<TradeCommand, std::string>;
using Words = std::vector<std::string>;

constexpr std::uint32_t k_longest_wait = 3600;
const char* const k_enter_shape = "write: buy|sell QUANTITY SYMBOL @ PRICE [day|ioc|fok], or market instead of @ PRICE";
const char* const k_amend_shape = "write: amend ORDER QUANTITY @ PRICE; the quantity is the new total";

/// Words between blanks; '@' is a word of its own.
Words words_of(std::string_view line) {
  Words words;
  bool is_open = false;
  for (const char character : line) {
    if (character == ' ' || character == '\t' || character == '\r') {
      is_open = false;
    } else if (character == '@') {
      words.emplace_back("@");
      is_open = false;
    } else {
      if (!is_open) words.emplace_back();
      words.back() += character;
      is_open = true;
    }
  }
  return words;
}

std::string lower(std::string word) {
  std::ranges::transform(word, word.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return word;
}

std::unexpected<std::string> wrong(std::string text) {
  return std::unexpected(std::move(text));
}

std::optional<std::uint32_t> number_in(const std::string& word) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<TimeInForce> time_in_force_of(const std::string& word) {
  if (word == "day") return TimeInForce::day;
  if (word == "ioc") return TimeInForce::immediate_or_cancel;
  if (word == "fok") return TimeInForce::fill_or_kill;
  return std::nullopt;
}

std::expected<void, std::string> read_quantity(const std::string& word, TradeCommand& command) {
  const auto quantity = market::parse_quantity(word);
  if (!quantity || quantity->lots <= 0)
    return wrong(fmt::format("\"{}\" is not a quantity: a whole number above 0", word));
  command.quantity = *quantity;
  return {};
}

std::expected<void, std::string> read_price(const std::string& word, TradeCommand& command) {
  const auto price = market::parse_price(word);
  if (!price) return wrong(fmt::format("\"{}\" is not a price with at most eight decimals", word));
  command.price = *price;
  return {};
}

/// Behind the side: QUANTITY SYMBOL, how much it may cost, how long it stands.
Parsed read_enter(const Words& words, Side side) {
  TradeCommand command{.verb = TradeVerb::enter, .side = side};
  if (words.size() < 4) return wrong(k_enter_shape);
  if (auto read = read_quantity(words[1], command); !read) return wrong(read.error());
  command.symbol = words[2];
  std::size_t at = 3;
  if (words[at] == "@") ++at;
  if (at == words.size()) return wrong(k_enter_shape);
  if (lower(words[at]) == "market") {
    command.type = OrderType::market;
  } else if (words[at - 1] != "@") {
    return wrong(fmt::format("\"{}\" comes where @ PRICE or market should stand; {}", words[at], k_enter_shape));
  } else if (auto read = read_price(words[at], command); !read) {
    return wrong(read.error());
  }
  ++at;
  if (at == words.size()) return command;
  const auto time_in_force = time_in_force_of(lower(words[at]));
  if (!time_in_force || at + 1 != words.size())
    return wrong(fmt::format("\"{}\" is not day, ioc or fok; {}", words[at], k_enter_shape));
  command.time_in_force = *time_in_force;
  return command;
}

Parsed read_amend(const Words& words) {
  TradeCommand command{.verb = TradeVerb::amend};
  const bool has_at = words.size() == 5 && words[3] == "@";
  if (!has_at && words.size() != 4) return wrong(k_amend_shape);
  const auto order = number_in(words[1]);
  if (!order) return wrong(fmt::format("\"{}\" is not an order's number; {}", words[1], k_amend_shape));
  command.order = *order;
  if (auto read = read_quantity(words[2], command); !read) return wrong(read.error());
  if (auto read = read_price(words.back(), command); !read) return wrong(read.error());
  return command;
}

Parsed read_cancel(const Words& words) {
  if (words.size() == 2 && lower(words[1]) == "all") return TradeCommand{.verb = TradeVerb::cancel_all};
  const auto order = words.size() == 2 ? number_in(words[1]) : std::nullopt;
  if (!order) return wrong("write: cancel ORDER, or cancel all");
  return TradeCommand{.verb = TradeVerb::cancel, .order = *order};
}

Parsed read_wait(const Words& words) {
  const auto seconds = words.size() == 2 ? number_in(words[1]) : std::nullopt;
  if (!seconds || *seconds > k_longest_wait) return wrong("write: wait SECONDS, at most an hour");
  return TradeCommand{.verb = TradeVerb::wait, .seconds = *seconds};
}

}  // namespace

std::expected<TradeCommand, std::string> parse_trade_command(std::string_view line) {
  Words words = words_of(line);
  if (words.empty() || words.front().front() == '#') return TradeCommand{};
  const std::string verb = lower(words.front());
  if (verb == "buy") return read_enter(words, Side::buy);
  if (verb == "sell") return read_enter(words, Side::sell);
  if (verb == "market" && words.size() >= 2) {
    // "market buy 100 KAGA ioc" is "buy 100 KAGA market ioc".
    std::rotate(words.begin(), words.begin() + 1,
                words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(words.size(), 4)));
    const std::string side = lower(words.front());
    if (side == "buy" || side == "sell") return read_enter(words, side == "buy" ? Side::buy : Side::sell);
  }
  if (verb == "amend") return read_amend(words);
  if (verb == "cancel") return read_cancel(words);
  if (verb == "wait") return read_wait(words);
  const auto alone = [&](TradeVerb what) -> Parsed {
    if (words.size() != 1) return wrong(fmt::format("{} stands alone", verb));
    return TradeCommand{.verb = what};
  };
  if (verb == "list") return alone(TradeVerb::list);
  if (verb == "help") return alone(TradeVerb::help);
  if (verb == "quit" || verb == "exit") return alone(TradeVerb::quit);
  const std::array<std::string, 9> known = {"buy", "sell", "market", "amend", "cancel", "list", "wait", "help", "quit"};
  const auto meant = nearest(verb, known);
  return wrong(fmt::format("\"{}\" is no command{}; help shows them all", words.front(),
                           meant ? fmt::format("; did you mean {}?", *meant) : ""));
}

std::string_view trade_help() {
  return "buy 100 KAGA @ 12.5          a limit order, good for the day; sell likewise\n"
         "buy 100 KAGA @ 12.5 ioc      what trades at once, the rest is cancelled; fok: all at once or nothing\n"
         "buy 100 KAGA market          at any price\n"
         "amend 3 80 @ 12.4            order 3: 80 in all (fills included), at 12.4\n"
         "cancel 3                     order 3; cancel all: every open order\n"
         "list                         open orders\n"
         "wait 5                       five seconds\n"
         "help, quit\n";
}

}  // namespace dojima::app
