#include "dojima/cli/data/backtest_request.hpp"

#include <fmt/core.h>
#include <map>

#include "dojima/app/market_config.hpp"
#include "dojima/app/road/fix_road.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/market/price.hpp"

namespace dojima::cli {
namespace {

const std::map<std::string, backtest::ExchangeKind> k_exchanges = {{"levels", backtest::ExchangeKind::levels},
                                                                   {"orders", backtest::ExchangeKind::orders},
                                                                   {"match", backtest::ExchangeKind::match}};
constexpr const char* k_market_name = "market";
const std::map<std::string, backtest::FillRule> k_fill_rules = {{"partial", backtest::FillRule::partial},
                                                                {"whole", backtest::FillRule::whole}};

template <class Value, class Parsed>
bool take(Value& value, const Parsed& parsed, const char* option) {
  if (parsed) {
    value = *parsed;
    return true;
  }
  complain(std::string(option) + ": " + parsed.error());
  return false;
}

}  // namespace

void list_strategies() {
  for (const backtest::StrategyKind& kind : backtest::strategy_kinds()) {
    fmt::print("{}: {}\n", kind.name, kind.meaning);
    for (const backtest::Parameter& parameter : kind.parameters)
      fmt::print("  {:<14} {:<8} {}\n", parameter.name, parameter.standard, parameter.meaning);
  }
}

void print_standard_market() {
  fmt::print("{}", app::text_of(backtest::MarketConfig{.populations = backtest::standard_populations()}));
}

std::expected<backtest::MarketConfig, std::string> BacktestRequest::market_with(
    std::span<const app::Override> keys) const {
  auto made = app::parse_market(market_toml_, market_name_, keys);
  if (!made) return std::unexpected(made.error());
  if (market_length_) made->length = *market_length_;
  return *std::move(made);
}

std::string BacktestRequest::market_text() const {
  const auto made = market_with({});
  return made ? fmt::format("{}\n{}", app::text_of(*made), made->length.count()) : made.error();
}

bool BacktestRequest::read_market() {
  if (!file.file.empty() || !choice.from.empty() || !choice.until.empty() || !choice.symbols.empty()) {
    complain("the exchange market reads no recorded data: no FILE, --from, --until or --only");
    return false;
  }
  market_name_ = market_file.empty() ? "the standard market" : market_file;
  if (market_file.empty()) {
    market_toml_ = app::text_of(backtest::MarketConfig{.seed = seed, .populations = backtest::standard_populations()});
  } else if (auto text = app::read_text_file(market_file); text) {
    market_toml_ = *std::move(text);
  } else {
    complain(text.error());
    return false;
  }
  if (!length.empty()) {
    time::Duration duration{};
    if (!take(duration, backtest::parse_duration(length), "--length")) return false;
    if (duration <= time::Duration{}) {
      complain("--length takes a time above 0");
      return false;
    }
    market_length_ = duration;
  }
  auto made = market_with(market_sets);
  if (!made) {
    complain(made.error());
    return false;
  }
  market = *std::move(made);
  return read_road();
}

bool BacktestRequest::read_road() {
  if (!has_road) return true;
  app::FixRoadOptions options{.seed = seed, .print = [](const std::string& line) { complain(line); }};
  if (!road_delay.empty() && !take(options.delay, backtest::parse_duration(road_delay), "--road")) return false;
  if (options.delay > std::chrono::seconds{1}) {
    complain("--road takes the delay of a connection, at most 1s");
    return false;
  }
  auto scaled = app::with_eight_decimals(*std::move(market));
  if (!scaled) {
    complain(scaled.error());
    return false;
  }
  market = *std::move(scaled);
  make_road = app::fix_road(std::move(options));
  settings.road = road_delay.empty() ? "50us" : road_delay;
  // The road takes its time itself.
  const backtest::LatencyTexts standard;
  if (settings.latencies.entry == standard.entry) settings.latencies.entry = "0ns";
  if (settings.latencies.response == standard.response) settings.latencies.response = "0ns";
  return true;
}

bool BacktestRequest::read() {
  const auto recorded_options = file.options();
  if (!recorded_options || !choice.read()) return false;
  settings.file = file.file;
  settings.recorded = *recorded_options;
  settings.from = choice.from_time;
  settings.until = choice.until_time;
  settings.symbols = choice.symbols;
  settings.seed = seed;
  if (!latency_file.empty() &&
      !take(settings.latencies, backtest::measured_latencies(latency_file, settings.latencies), "--latency"))
    return false;
  if (exchange == k_market_name) {
    if (!read_market()) return false;
  } else {
    settings.exchange.kind = k_exchanges.at(exchange);
    if (!market_file.empty() || !length.empty() || has_road) {
      complain("--population, --length and --road are of --exchange market");
      return false;
    }
  }
  settings.exchange.fills = k_fill_rules.at(fills);
  if (has_dashboard && speed == "max") {
    complain(
        "--dashboard shows a run whose time goes on: leave --speed max out, or say how many times the clock's, "
        "such as --speed 60");
    return false;
  }
  if (speed.empty()) speed = has_dashboard ? "1" : "max";
  if (speed != "max") {
    const std::string_view number = std::string_view(speed).substr(speed.starts_with('x') ? 1 : 0);
    const auto times = market::parse_scaled(number, 3, "a speed");
    if (!times || *times < 100 || *times > 10'000'000) {
      complain("--speed takes max, or a number from 0.1 to 10000 such as x600; got \"" + speed + "\"");
      return false;
    }
    settings.speed = static_cast<double>(*times) / 1000;
  }
  const auto amount = market::parse_scaled(trade_fee, backtest::k_fee_decimals, "an amount");
  if (!amount) {
    complain("--trade-fee takes an amount of the currency, such as 0.01; got \"" + trade_fee + "\"");
    return false;
  }
  settings.fees.per_trade = *amount;
  if (!take(settings.exchange.queue, backtest::parse_queue_model(queue), "--queue") ||
      !take(settings.fees.maker, backtest::parse_rate(maker_fee), "--maker-fee") ||
      !take(settings.fees.taker, backtest::parse_rate(taker_fee), "--taker-fee") ||
      !take(settings.mark_every, backtest::parse_duration(mark_every), "--mark-every") ||
      !take(settings.exchange.silence, backtest::parse_duration(silence), "--silence"))
    return false;
  for (const std::string& text : venues) {
    auto venue = backtest::parse_venue(
        text, {.recorded = settings.recorded, .latencies = settings.latencies, .fees = settings.fees});
    if (!take(settings.venues.emplace_back(), venue, "--venue")) return false;
  }
  if (!venues.empty() && (!settings.file.empty() || exchange == k_market_name)) {
    complain("--venue names the days of all venues: no FILE, and no --exchange market");
    return false;
  }
  if (settings.mark_every == time::Duration{}) {
    complain("--mark-every takes a time above 0");
    return false;
  }
  return true;
}

void BacktestRequest::add_to(Command command) {
  const std::vector<std::string> exchanges{"levels", "orders", "match", k_market_name};
  command
      .add_option(
          "--population", market_file,
          "market: participants and timetables as TOML; --default-population prints one. Without it the standard ones")
      .type_name("FILE");
  command.add_option("--length", length, "market: how long it goes; without it as the file says, or 60s");
  command.add_flag("--default-population", shows_market, "Print the standard participants as a file for --population");
  command.add_option("FILE", file.file, "Recorded data");
  file.add_options_to(command);
  command.add_option("--strategy", settings.strategy, "By name; --list shows them").show_default();
  command.add_flag("--list", lists_strategies, "The strategies and their parameters");
  command
      .add_option("--exchange", exchange,
                  "levels: place in the queue estimated; orders: exact place; match: own orders in a book "
                  "that matches; market: no file, generated participants trade")
      .one_of(exchanges)
      .show_default();
  command
      .add_option("--queue", queue,
                  "levels: risk_averse, power1, power2, power3 (with an exponent: power3:3), log1 or log2")
      .show_default();
  command.add_option("--fills", fills, "levels: partial: as much as a trade reaches; whole: all of the order at once")
      .one_of(k_fill_rules)
      .show_default();
  command.add_option("--lot", settings.lot, "levels: smallest quantity; without it the unit of the data");
  command
      .add_option("--latency", latency_file,
                  "Latencies that dojima lab latency measured: of every kind in the file that no other option says")
      .type_name("FILE");
  command
      .add_option("--entry", settings.latencies.entry,
                  "Latency of requests: 1ms, triples:FILE (sent,exchange,received), samples:FILE or load:BASE+SERVICE")
      .show_default();
  command.add_option("--entry-cancel", settings.latencies.cancel, "The same of cancels");
  command.add_option("--entry-replace", settings.latencies.replace, "The same of replacements");
  command.add_option("--response", settings.latencies.response, "Latency of reports, as --entry").show_default();
  command.add_option("--response-trade", settings.latencies.trade, "The same of trades");
  command
      .add_option("--feed", settings.latencies.feed,
                  "Latency of market data: recorded (receive less event time), or as --entry")
      .show_default();
  command.add_option(
      "--computing", settings.latencies.computing,
      "What the strategy takes to compute, as --entry: so long nothing leaves, and it is not asked again");
  command.add_option("--maker-fee", maker_fee, "Of the value: 0.0002, 0.02% or 2bp; below 0: a rebate").show_default();
  command.add_option("--taker-fee", taker_fee, "Likewise, of fills that took").show_default();
  command.add_option("--trade-fee", trade_fee, "For each fill, in the currency").show_default();
  command.add_option("--mark-every", mark_every, "Time between two looks at the equity").show_default();
  command
      .add_option("--silence", silence,
                  "No order takes when its instrument had no event for longer than this; 0: any time")
      .show_default();
  command.add_option("--orders", settings.exchange.orders, "match: room for live orders")
      .between(std::size_t{1}, std::size_t{1} << 30)
      .show_default();
  choice.add_to(command);
  output.json.add_to(command);
  command.add_option("--report", output.page, "Write a report page").type_name("FILE");
  command.add_flag("--no-progress", output.is_silent, "No live line");
}

}  // namespace dojima::cli
