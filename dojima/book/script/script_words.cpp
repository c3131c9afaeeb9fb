#include "dojima/book/script/script_words.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace dojima::book {
namespace {

using market::OrderSubType;
using market::OrderType;
using market::Phase;
using market::Price;
using market::Side;
using market::TimeInForce;

template <class Value, std::size_t Count>
using Names = std::array<std::pair<std::string_view, Value>, Count>;

constexpr Names<TimeInForce, 12> k_times{{{"day", TimeInForce::day},
                                          {"gtc", TimeInForce::good_till_cancel},
                                          {"ioc", TimeInForce::immediate_or_cancel},
                                          {"fok", TimeInForce::fill_or_kill},
                                          {"gtd", TimeInForce::good_till_date},
                                          {"gtt", TimeInForce::good_till_time},
                                          {"opg", TimeInForce::at_the_opening},
                                          {"atc", TimeInForce::at_the_close},
                                          {"gfa", TimeInForce::good_for_next_auction},
                                          {"gfx", TimeInForce::good_for_intraday_auction},
                                          {"gfs", TimeInForce::good_for_scheduled_auction},
                                          {"cpx", TimeInForce::closing_price_cross}}};
constexpr Names<Phase, market::k_phases> k_phase_names{{{"continuous", Phase::continuous},
                                                        {"opening_call", Phase::opening_call},
                                                        {"intraday_call", Phase::intraday_call},
                                                        {"reopening_call", Phase::reopening_call},
                                                        {"closing_call", Phase::closing_call},
                                                        {"closing_price_cross", Phase::closing_price_cross},
                                                        {"halted", Phase::halted},
                                                        {"closed", Phase::closed}}};
constexpr Names<Policy, 4> k_policies{{{"fifo", Policy::fifo},
                                       {"pro_rata", Policy::pro_rata},
                                       {"top_pro_rata", Policy::top_pro_rata},
                                       {"size_time", Policy::size_time}}};
constexpr Names<SelfTrade, 5> k_self_trades{{{"allowed", SelfTrade::allowed},
                                             {"cancel_newest", SelfTrade::cancel_newest},
                                             {"cancel_oldest", SelfTrade::cancel_oldest},
                                             {"cancel_both", SelfTrade::cancel_both},
                                             {"decrement", SelfTrade::decrement}}};
constexpr Names<SelfTradeScope, 3> k_scopes{
    {{"owner", SelfTradeScope::owner}, {"account", SelfTradeScope::account}, {"group", SelfTradeScope::group}}};
constexpr Names<bool, 2> k_answers{{{"yes", true}, {"no", false}}};

template <class Value, std::size_t Count>
Value one_of(const Names<Value, Count>& names, std::string_view word) {
  for (const auto& [name, value] : names)
    if (name == word) return value;
  std::string known;
  for (const auto& [name, value] : names) known += " " + std::string(name);
  throw ScriptTrouble("\"" + std::string(word) + "\" is none of" + known);
}

template <class Value, std::size_t Count>
Value choice(ScriptLine& line, std::string_view key, const Names<Value, Count>& names, Value otherwise) {
  const auto word = line.value(key);
  return word ? one_of(names, *word) : otherwise;
}

std::string printable(std::string_view text) {
  constexpr std::size_t k_longest = 160;
  std::string line(text.substr(0, k_longest));
  for (char& character : line)
    if (character < ' ' || character > '~') character = '?';
  if (text.size() > k_longest) line += "...";
  return line;
}

}  // namespace

ScriptTrouble::ScriptTrouble(std::string_view text) : std::runtime_error(printable(text)) {}

ScriptLine::ScriptLine(std::string_view line) {
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#') break;
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos)
      words_.push_back(word);
    else if (!values_.emplace(word.substr(0, equals), word.substr(equals + 1)).second)
      throw ScriptTrouble(std::string(word.substr(0, equals)) + " is given twice");
  }
}

std::string_view ScriptLine::next() {
  return at_ < words_.size() ? words_[at_++] : std::string_view{};
}

std::string_view ScriptLine::take(const char* what) {
  const std::string_view word = next();
  if (word.empty()) throw ScriptTrouble(std::string("missing: ") + what);
  return word;
}

std::optional<std::string_view> ScriptLine::value(std::string_view key) {
  const auto found = values_.find(key);
  if (found == values_.end()) return std::nullopt;
  const std::string_view value = found->second;
  values_.erase(found);
  return value;
}

std::int64_t ScriptLine::number(std::string_view key, std::int64_t otherwise) {
  const auto word = value(key);
  return word ? script_number(*word) : otherwise;
}

Price ScriptLine::price(std::string_view key, Price otherwise) {
  const auto word = value(key);
  return word ? script_price(*word) : otherwise;
}

void ScriptLine::end() const {
  if (at_ < words_.size()) throw ScriptTrouble("\"" + std::string(words_[at_]) + "\" means nothing here");
  if (!values_.empty()) throw ScriptTrouble("\"" + std::string(values_.begin()->first) + "=\" means nothing here");
}

std::int64_t script_number(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size())
    throw ScriptTrouble("\"" + std::string(word) + "\" is not a whole number");
  return number;
}

bool script_yes(ScriptLine& line, std::string_view key) {
  return choice(line, key, k_answers, false);
}

Price script_price(std::string_view word) {
  const auto price = market::parse_price(word);
  if (!price) throw ScriptTrouble("\"" + std::string(word) + "\" is not a price");
  return *price;
}

ScriptBook read_book(ScriptLine& line) {
  ScriptBook book;
  book.tick = line.price("tick", book.tick);
  book.lowest = line.price("lowest", book.lowest);
  book.highest = line.price("highest", book.highest);
  book.largest = line.number("largest", book.largest);
  book.orders = script_narrow(line, "orders", book.orders);
  book.owners = script_narrow(line, "owners", book.owners);
  book.levels = script_narrow(line, "levels", book.levels);
  book.hidden_levels = script_narrow(line, "hidden_levels", book.hidden_levels);
  book.stop_levels = script_narrow(line, "stop_levels", book.stop_levels);
  book.rules.policy = choice(line, "policy", k_policies, book.rules.policy);
  book.rules.self_trade = choice(line, "self_trade", k_self_trades, book.rules.self_trade);
  book.rules.scope = choice(line, "own", k_scopes, book.rules.scope);
  book.rules.seed = script_narrow(line, "seed", book.rules.seed);
  book.rules.most_peaks = line.number("peaks", book.rules.most_peaks);
  if (auto accounts = line.value("accounts"))
    while (!accounts->empty()) {
      const std::size_t comma = std::min(accounts->find(','), accounts->size());
      book.rules.accounts.push_back(
          script_narrowed<std::uint16_t>("accounts", script_number(accounts->substr(0, comma))));
      accounts->remove_prefix(std::min(comma + 1, accounts->size()));
    }
  return book;
}

market::NewOrder read_order(Side side, ScriptLine& line) {
  market::NewOrder command;
  market::OrderTerms& terms = command.terms;
  terms.side = side;
  terms.quantity = {script_number(line.take("quantity"))};
  terms.type = OrderType::none;
  const std::string_view word = line.peek();
  if (word == "market" || word == "to_limit") {
    static_cast<void>(line.next());
    terms.type = word == "market" ? OrderType::market : OrderType::market_to_limit;
  } else if (word == "stop" || word == "trail") {
    static_cast<void>(line.next());
    terms.stop = script_price(line.take("stop price or distance"));
    terms.type = word == "stop" ? OrderType::stop : OrderType::trailing_stop;
  } else if (word == "peg") {
    static_cast<void>(line.next());
    terms.sub_type = OrderSubType::pegged;
    terms.type = OrderType::market;
    terms.stop = line.price("offset", {});
  } else if (word == "offset") {
    static_cast<void>(line.next());
    terms.sub_type = OrderSubType::offset;
    terms.type = OrderType::limit;
    terms.offset_bp = script_narrowed<std::int32_t>("offset", script_number(line.take("basis points")));
  }
  if (line.peek() == "@") {
    static_cast<void>(line.next());
    terms.limit = script_price(line.take("limit price"));
    if (terms.type == OrderType::stop)
      terms.type = OrderType::stop_limit;
    else if (terms.type == OrderType::none || terms.sub_type == OrderSubType::pegged)
      terms.type = OrderType::limit;
  }
  if (terms.type == OrderType::none)
    throw ScriptTrouble("missing: @ PRICE, market, to_limit, stop, trail, peg or offset");
  terms.time_in_force = choice(line, "tif", k_times, TimeInForce::day);
  terms.expiry = time::from_nanoseconds(line.number("until", 0));
  terms.displayed = {line.number("show", terms.quantity.lots)};
  if (script_yes(line, "random")) terms.sub_type = OrderSubType::random_peak;
  terms.minimum = {line.number("min", 0)};
  if (script_yes(line, "aon")) terms.flags = market::k_all_or_none;
  terms.passive = script_narrow(line, "passive", terms.passive);
  terms.group = script_narrow(line, "group", terms.group);
  command.header.user = script_narrow(line, "owner", command.header.user);
  return command;
}

market::Replace read_replace(ScriptLine& line) {
  market::Replace command;
  command.quantity = {script_number(line.take("the new total"))};
  if (line.peek() == "@") {
    static_cast<void>(line.next());
    command.limit = script_price(line.take("limit price"));
  }
  command.displayed = {line.number("show", command.quantity.lots)};
  command.stop = line.price("stop", {-market::k_price_scale});
  command.minimum = {line.number("min", 0)};
  command.expiry = time::from_nanoseconds(line.number("until", 0));
  command.passive = script_narrow<std::uint8_t>(line, "passive", 0);
  command.group = script_narrow<std::uint8_t>(line, "group", 0);
  command.offset_bp = script_narrow<std::int32_t>(line, "bp", 0);
  return command;
}

market::MassCancel read_mass_cancel(ScriptLine& line) {
  market::MassCancel command;
  command.header.user = script_narrow<std::uint16_t>(line, "owner", 0);
  if (const auto side = line.value("side")) command.side = read_side(*side);
  command.group = script_narrow<std::uint8_t>(line, "group", 0);
  command.is_everyone = script_yes(line, "everyone");
  command.is_account = script_yes(line, "account");
  return command;
}

Side read_side(std::string_view word) {
  constexpr Names<Side, 2> k_sides{{{"buy", Side::buy}, {"sell", Side::sell}}};
  return one_of(k_sides, word);
}

Phase read_phase(std::string_view word) {
  return one_of(k_phase_names, word);
}

std::string_view name_of(Phase phase) noexcept {
  return k_phase_names[static_cast<std::size_t>(phase)].first;
}

std::string_view name_of(market::BookReportKind kind) noexcept {
  constexpr std::array<std::string_view, 15> names{
      "none",   "accepted",  "added",       "traded",  "replaced",      "cancelled", "expired",   "rejected",
      "parked", "triggered", "replenished", "reduced", "phase_changed", "uncrossed", "indicative"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(market::Reason reason) noexcept {
  constexpr std::array<std::string_view, static_cast<std::size_t>(market::k_last_reason) + 1> names{
      "none",
      "unknown_instrument",
      "unknown_order",
      "unknown_user",
      "not_owner",
      "not_supported",
      "price_not_on_tick",
      "price_out_of_range",
      "quantity_out_of_range",
      "side_mismatch",
      "nothing_changed",
      "quantity_already_executed",
      "order_table_full",
      "levels_full",
      "too_many_orders",
      "market_without_price",
      "book_closed",
      "time_in_force",
      "by_owner",
      "session_ended",
      "display_not_allowed",
      "no_price",
      "linked_order",
      "expiry_passed",
      "self_trade",
      "passive_only",
      "linked_executed",
      "time_expired",
      "wrong_phase",
      "killed",
      "not_permitted",
      "rate_exceeded",
      "price_collar",
      "value_out_of_range",
      "open_value",
      "position_limit",
      "duplicate_order",
      "repeated_executions",
      "limits_full",
      "protection",
      "by_operator"};
  return names[static_cast<std::size_t>(reason)];
}

std::string_view name_of(Side side) noexcept {
  return side == Side::buy ? "buy" : side == Side::sell ? "sell" : "none";
}

std::string text_of(Price price) {
  std::array<char, market::k_price_text_max> text{};
  return std::string(market::format_price(price, text));
}

}  // namespace dojima::book
