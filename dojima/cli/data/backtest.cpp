// dojima backtest FILE

#include "dojima/backtest/backtest.hpp"

#include <fmt/core.h>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/market/price.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

using backtest::BacktestSettings;

const std::map<std::string, backtest::ExchangeKind> k_exchanges = {{"levels", backtest::ExchangeKind::levels},
                                                                   {"orders", backtest::ExchangeKind::orders},
                                                                   {"match", backtest::ExchangeKind::match}};
const std::map<std::string, backtest::FillRule> k_fill_rules = {{"partial", backtest::FillRule::partial},
                                                                {"whole", backtest::FillRule::whole}};

struct BacktestRequest {
  BacktestSettings settings;
  std::string exchange = "levels", queue = "power3:3", fills = "partial";
  std::string maker_fee = "0", taker_fee = "0", trade_fee = "0";
  std::string mark_every = "1s", silence = "0", fills_file;
  std::string speed = "max";
  std::vector<std::string> sets;
  std::size_t seed = 1;
  bool lists_strategies = false;
  RecordedInput file;
  EventChoice choice;
  InstrumentOptions output;
};

void list_strategies() {
  for (const backtest::StrategyKind& kind : backtest::strategy_kinds()) {
    fmt::print("{}: {}\n", kind.name, kind.meaning);
    for (const backtest::Parameter& parameter : kind.parameters)
      fmt::print("  {:<14} {:<8} {}\n", parameter.name, parameter.standard, parameter.meaning);
  }
}

template <class Value, class Parsed>
bool take(Value& value, const Parsed& parsed, const char* option) {
  if (parsed) {
    value = *parsed;
    return true;
  }
  complain(std::string(option) + ": " + parsed.error());
  return false;
}

bool read_sets(BacktestRequest& request) {
  for (const std::string& set : request.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      complain("--set takes NAME=VALUE; got \"" + set + "\"");
      return false;
    }
    request.settings.parameters[set.substr(0, equals)] = set.substr(equals + 1);
  }
  return true;
}

/// False: something makes no sense; that has been told.
bool read_request(BacktestRequest& request) {
  BacktestSettings& settings = request.settings;
  const auto recorded = request.file.options();
  if (!recorded || !request.choice.read() || !read_sets(request)) return false;
  settings.file = request.file.file;
  settings.recorded = *recorded;
  settings.from = request.choice.from_time;
  settings.until = request.choice.until_time;
  settings.symbols = request.choice.symbols;
  settings.seed = request.seed;
  settings.exchange.kind = k_exchanges.at(request.exchange);
  settings.exchange.fills = k_fill_rules.at(request.fills);
  if (request.speed != "max") {
    const auto speed = market::parse_scaled(
        request.speed.starts_with('x') ? std::string_view(request.speed).substr(1) : std::string_view(request.speed), 3,
        "a speed");
    if (!speed || *speed < 100 || *speed > 10'000'000) {
      complain("--speed takes max, or a number from 0.1 to 10000 such as x600; got \"" + request.speed + "\"");
      return false;
    }
    settings.speed = static_cast<double>(*speed) / 1000;
  }
  const auto trade_fee = market::parse_scaled(request.trade_fee, backtest::k_fee_decimals, "an amount");
  if (!trade_fee) {
    complain("--trade-fee takes an amount of the currency, such as 0.01; got \"" + request.trade_fee + "\"");
    return false;
  }
  settings.fees.per_trade = *trade_fee;
  if (!take(settings.exchange.queue, backtest::parse_queue_model(request.queue), "--queue") ||
      !take(settings.fees.maker, backtest::parse_rate(request.maker_fee), "--maker-fee") ||
      !take(settings.fees.taker, backtest::parse_rate(request.taker_fee), "--taker-fee") ||
      !take(settings.mark_every, backtest::parse_duration(request.mark_every), "--mark-every") ||
      !take(settings.exchange.silence, backtest::parse_duration(request.silence), "--silence"))
    return false;
  if (settings.mark_every == time::Duration{}) {
    complain("--mark-every takes a time above 0");
    return false;
  }
  return true;
}

int run_backtest_command(BacktestRequest& request) {
  if (request.lists_strategies) {
    list_strategies();
    return k_success;
  }
  if (request.file.file.empty()) {
    complain("a back-test needs a file of recorded data; --list names the strategies");
    return k_usage;
  }
  if (!read_request(request)) return k_usage;
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  const backtest::BacktestHooks hooks{.is_interrupted = [&run] { return run.is_interrupted(); },
                                      .progress = [&run](double done) { run.show("back-test", 100 * done, 100, "%"); }};
  time::SystemClock clock;
  const auto result = backtest::run_backtest(request.settings, hooks, clock);
  if (!result) {
    complain(result.error());
    return k_usage;
  }
  if (!request.fills_file.empty() && !backtest::write_fills(request.fills_file, *result)) {
    complain(request.fills_file + ": cannot be written");
    return k_environment;
  }
  evidence::Artefact artefact = backtest::artefact_of(request.settings, *result);
  const int status = run.finish(artefact, {});
  if (!result->trouble.empty()) complain(result->trouble);
  return status;
}

}  // namespace

void add_backtest(Command program, int& status) {
  Command command = program.add_command("backtest", "Let a strategy trade in recorded market data");
  auto request = std::make_shared<BacktestRequest>();
  BacktestSettings& settings = request->settings;
  command.add_option("file", request->file.file, "Recorded data").type_name("FILE");
  request->file.add_options_to(command);
  command.add_option("--strategy", settings.strategy, "By name; --list shows them").show_default();
  command.add_option("--set", request->sets, "A parameter of the strategy, NAME=VALUE; may be given often")
      .one_value_a_mention()
      .type_name("NAME=VALUE");
  command.add_flag("--list", request->lists_strategies, "The strategies and their parameters");
  command
      .add_option("--exchange", request->exchange,
                  "levels: place in the queue estimated; orders: exact place; match: own orders in a book that matches")
      .one_of(k_exchanges)
      .show_default();
  command
      .add_option("--queue", request->queue,
                  "levels: risk_averse, power1, power2, power3 (with an exponent: power3:3), log1 or log2")
      .show_default();
  command
      .add_option("--fills", request->fills,
                  "levels: partial: as much as a trade reaches; whole: all of the order at once")
      .one_of(k_fill_rules)
      .show_default();
  command.add_option("--lot", settings.lot, "levels: smallest quantity; without it the unit of the data");
  command
      .add_option("--entry", settings.latencies.entry,
                  "Latency of requests: 1ms, triples:FILE (sent,exchange,received) or samples:FILE")
      .show_default();
  command.add_option("--entry-cancel", settings.latencies.cancel, "The same of cancels");
  command.add_option("--entry-replace", settings.latencies.replace, "The same of replacements");
  command.add_option("--response", settings.latencies.response, "Latency of reports, as --entry").show_default();
  command.add_option("--response-trade", settings.latencies.trade, "The same of trades");
  command
      .add_option("--feed", settings.latencies.feed,
                  "Latency of market data: recorded (receive less event time), or as --entry")
      .show_default();
  command.add_option("--maker-fee", request->maker_fee, "Of the value: 0.0002, 0.02% or 2bp; below 0: a rebate")
      .show_default();
  command.add_option("--taker-fee", request->taker_fee, "Likewise, of fills that took").show_default();
  command.add_option("--trade-fee", request->trade_fee, "For each fill, in the currency").show_default();
  command.add_option("--mark-every", request->mark_every, "Time between two looks at the equity").show_default();
  command
      .add_option("--silence", request->silence,
                  "No order takes when its instrument had no event for longer than this; 0: any time")
      .show_default();
  command.add_option("--orders", settings.exchange.orders, "match: room for live orders")
      .between(std::size_t{1}, std::size_t{1} << 30)
      .show_default();
  command.add_option("--speed", request->speed, "max, or times the clock's speed, 0.1 to 10000").show_default();
  command.add_option("--seed", request->seed, "Of latencies that are drawn").show_default();
  command.add_option("--csv", request->fills_file, "Write the fills into this file").type_name("FILE");
  request->choice.add_to(command);
  request->output.json.add_to(command);
  command.add_option("--report", request->output.page, "Write a report page").type_name("FILE");
  command.add_flag("--no-progress", request->output.is_silent, "No live line");
  command.footer(
      "Events before --from build the books; the strategy trades from there on. Exit status 1: the file is damaged or\n"
      "the strategy failed; results so far are shown all the same.\n"
      "example: dojima backtest usdm_btcusdt_20240808.gz --strategy touch --set quantity=0.01 --taker-fee 0.05%\n"
      "example: dojima backtest day.events --exchange orders --strategy glft --csv fills.csv --report run.html");
  command.on_run([request, &status] { status = run_backtest_command(*request); });
}

}  // namespace dojima::cli
