#include "dojima/backtest/strategies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <stdexcept>

#include "dojima/backtest/latency.hpp"
#include "dojima/backtest/strategies/parameters.hpp"
#include "dojima/market/price.hpp"

namespace dojima::backtest {
namespace {

constexpr double k_many = 1e9;

constexpr Parameter k_quantity{"quantity", ParameterKind::quantity, "1", "of each order, in the instrument's quantity"};
constexpr Parameter k_period{"period", ParameterKind::duration, "100ms", "time between two looks"};
constexpr Parameter k_position{
    "max_position", ParameterKind::whole, "10", "most that is held, long or short, in orders", 1, k_many};

constexpr std::array k_touch_parameters{
    k_quantity, k_period, k_position,
    Parameter{"offset", ParameterKind::whole, "0", "ticks behind the best price", 0, k_many}};
constexpr std::array k_grid_parameters{
    k_quantity,
    k_period,
    k_position,
    Parameter{"levels", ParameterKind::whole, "5", "orders a side", 1, 100},
    Parameter{"spacing", ParameterKind::whole, "1", "ticks between two orders", 1, k_many},
    Parameter{"offset", ParameterKind::whole, "0", "ticks from the best price to the first", 0, k_many}};
constexpr std::array k_glft_parameters{
    k_quantity,
    k_period,
    k_position,
    Parameter{"gamma", ParameterKind::real, "0.05", "aversion to risk, per tick of profit", 1e-6, 100},
    Parameter{"a", ParameterKind::real, "1", "A: orders that trade at the middle, per second", 1e-6, k_many},
    Parameter{"k", ParameterKind::real, "1.5", "k: how fast they get fewer, per tick from the middle", 1e-6, 1000},
    Parameter{"sigma", ParameterKind::real, "0", "ticks a root second; 0: measured as it goes", 0, k_many},
    Parameter{"half_life", ParameterKind::duration, "60s", "of what is measured for sigma"}};
constexpr std::array k_imbalance_parameters{
    k_quantity, k_period, k_position,
    Parameter{"threshold", ParameterKind::real, "0.7",
              "share of the bid in what rests at both best prices from which it buys; sells from the same of the ask",
              0.5, 1},
    Parameter{"style", ParameterKind::word, "take", "take: immediate or cancel; join: post-only at the best price"}};
constexpr std::array k_twap_parameters{
    Parameter{"side", ParameterKind::word, "buy", "buy or sell"},
    Parameter{"total", ParameterKind::quantity, "100", "to trade in all, in the instrument's quantity"},
    Parameter{"duration", ParameterKind::duration, "600s", "from the first event on"},
    Parameter{"slices", ParameterKind::whole, "10", "parts of the time; what is not done by the end of one is taken", 1,
              1'000'000}};

constexpr std::array<StrategyKind, 5> k_kinds{{
    {"touch", "makes a market at the best bid and ask", k_touch_parameters},
    {"grid", "keeps several orders on each side, some ticks apart", k_grid_parameters},
    {"glft", "makes a market around the quotes of Gueant, Lehalle and Fernandez-Tapia", k_glft_parameters},
    {"imbalance", "buys when much more rests at the best bid than at the best ask, and sells when much less does",
     k_imbalance_parameters},
    {"twap", "buys or sells a total in equal parts of time", k_twap_parameters},
}};

using Maker = std::unique_ptr<Strategy> (*)(const Parameters&);
constexpr std::array<Maker, k_kinds.size()> k_makers{make_touch, make_grid, make_glft, make_imbalance, make_twap};

std::size_t kind_of(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(k_kinds, name, &StrategyKind::name) - k_kinds.begin());
}

/// How many letters have to be put in, taken out or changed.
std::size_t distance_of(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t at = 0; at <= b.size(); ++at) row[at] = at;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

template <class Range, class Name>
std::string_view nearest(std::string_view word, const Range& range, Name name) {
  return std::ranges::min(range, {}, [&](const auto& one) { return distance_of(word, name(one)); }).name;
}

std::optional<double> real_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// What is wrong with it; empty: nothing.
std::string verdict_on(const Parameter& parameter, std::string_view text) {
  switch (parameter.kind) {
    case ParameterKind::whole: {
      const auto value = market::parse_scaled(text, 0, "a whole number");
      if (value && static_cast<double>(*value) >= parameter.least && static_cast<double>(*value) <= parameter.most)
        return {};
      return fmt::format("a whole number from {:.0f} to {:.0f}", parameter.least, parameter.most);
    }
    case ParameterKind::real: {
      const auto value = real_of(text);
      if (value && *value >= parameter.least && *value <= parameter.most) return {};
      return fmt::format("a number from {:g} to {:g}", parameter.least, parameter.most);
    }
    case ParameterKind::quantity: {
      const auto value = market::parse_scaled(text, market::k_scaled_decimals_max / 2, "a quantity");
      if (value && *value > 0) return {};
      return "a quantity above 0, with at most nine decimals";
    }
    case ParameterKind::duration: {
      const auto value = parse_duration(text);
      if (value && *value > Duration{}) return {};
      return "a time above 0, such as 100ms";
    }
    case ParameterKind::word: {
      // The words are in its meaning, each before a colon or a space.
      const bool is_known =
          parameter.name == "side" ? text == "buy" || text == "sell" : text == "take" || text == "join";
      if (is_known) return {};
      return std::string(parameter.meaning);
    }
  }
  return "nothing";
}

}  // namespace

std::span<const StrategyKind> strategy_kinds() noexcept {
  return k_kinds;
}

ParameterTexts values_in_force(std::string_view name, const ParameterTexts& texts) {
  ParameterTexts values;
  const std::size_t kind = kind_of(name);
  if (kind == k_kinds.size()) return values;
  for (const Parameter& parameter : k_kinds[kind].parameters) {
    const auto set = texts.find(parameter.name);
    values[std::string(parameter.name)] = set != texts.end() ? set->second : std::string(parameter.standard);
  }
  return values;
}

std::expected<std::unique_ptr<Strategy>, std::string> make_strategy(std::string_view name,
                                                                    const ParameterTexts& texts) {
  const std::size_t kind = kind_of(name);
  if (kind == k_kinds.size()) {
    std::string all;
    for (const StrategyKind& one : k_kinds) all += (all.empty() ? "" : ", ") + std::string(one.name);
    return std::unexpected(fmt::format("there is no strategy \"{}\": {}", name, all));
  }
  const auto parameters = k_kinds[kind].parameters;
  for (const auto& [word, text] : texts) {
    const auto parameter = std::ranges::find(parameters, word, &Parameter::name);
    if (parameter == parameters.end())
      return std::unexpected(fmt::format("strategy {} has no parameter \"{}\"; the nearest is \"{}\"", name, word,
                                         nearest(word, parameters, [](const Parameter& one) { return one.name; })));
    if (const std::string takes = verdict_on(*parameter, text); !takes.empty())
      return std::unexpected(fmt::format("parameter {} of strategy {} takes {}; got \"{}\"", word, name, takes, text));
  }
  return k_makers[kind](Parameters(values_in_force(name, texts)));
}

// ---- What they share -----------------------------------------------------------------------------------------------

const std::string& Parameters::text(std::string_view name) const {
  const auto found = values_.find(name);
  DOJIMA_ASSERT(found != values_.end(), "a strategy asks for parameters that it has", values_.size());
  return found->second;
}

std::int64_t Parameters::whole(std::string_view name) const {
  return market::parse_scaled(text(name), 0, "a whole number").value();
}

double Parameters::real(std::string_view name) const {
  return real_of(text(name)).value();
}

Duration Parameters::duration(std::string_view name) const {
  return parse_duration(text(name)).value();
}

std::int64_t quantity_of(std::string_view text, const RecordedInstrument& instrument) {
  const auto quantity = market::parse_scaled(text, instrument.quantity_decimals, "a quantity");
  if (quantity && *quantity > 0) return *quantity;
  throw std::invalid_argument(fmt::format("quantity {} is finer than {} has: {} decimals", text,
                                          instrument.symbol.empty() ? "the instrument" : instrument.symbol,
                                          instrument.quantity_decimals));
}

std::optional<Quotes> quotes_of(const Desk& desk, std::uint32_t instrument) {
  const auto bid = desk.best(instrument, Side::buy), ask = desk.best(instrument, Side::sell);
  if (!bid || !ask || bid->price >= ask->price) return std::nullopt;
  return Quotes{*bid, *ask};
}

void keep_at(Desk& desk, std::uint32_t instrument, Side side, std::span<const std::int64_t> prices,
             std::int64_t quantity) {
  constexpr std::size_t k_most = 256;
  std::array<bool, k_most> is_there{};
  std::vector<OrderNumber> away;
  for (const OwnOrder& order : desk.orders()) {
    if (order.instrument != instrument || order.side != side) continue;
    const auto wanted = std::ranges::find(prices, order.price);
    if (wanted != prices.end()) {
      is_there[static_cast<std::size_t>(wanted - prices.begin()) % k_most] = true;
    } else if (order.is_accepted && !order.is_changing) {
      away.push_back(order.number);
    }
  }
  for (const OrderNumber number : away) desk.cancel(number);
  for (std::size_t at = 0; at < prices.size() && at < k_most; ++at)
    if (!is_there[at])
      desk.submit(
          {.instrument = instrument, .side = side, .is_post_only = true, .price = prices[at], .quantity = quantity});
}

std::int64_t on_tick(double price, std::int64_t tick, Side side) {
  const double ticks = price / static_cast<double>(tick);
  return static_cast<std::int64_t>(side == Side::buy ? std::floor(ticks) : std::ceil(ticks)) * tick;
}

}  // namespace dojima::backtest
