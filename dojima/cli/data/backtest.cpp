// dojima backtest FILE

#include <cstdio>
#include <expected>
#include <filesystem>
#include <fmt/core.h>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "dojima/app/dashboard/backtest_watch.hpp"
#include "dojima/app/dashboard_config.hpp"
#include "dojima/backtest/latency.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/dashboard_option.hpp"
#include "dojima/cli/data/backtest_request.hpp"
#include "dojima/cli/terminal_keys.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

/// False: one makes no sense; that has been reported.
bool read_sets(BacktestRequest& request) {
  for (const std::string& set : request.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      complain("--set takes NAME=VALUE; got \"" + set + "\"");
      return false;
    }
    // Parameters have no points in their names; keys of a market have.
    if (request.exchange == "market" && set.find('.') < equals)
      request.market_sets.push_back({set.substr(0, equals), set.substr(equals + 1)});
    else
      request.settings.parameters[set.substr(0, equals)] = set.substr(equals + 1);
  }
  return true;
}

/// The screens of the run; null: none were asked for. Nothing: they make no sense or cannot be had, which has been
/// reported; then the status.
std::expected<std::unique_ptr<app::BacktestWatch>, int> start_watch(const BacktestRequest& request) {
  if (!request.has_dashboard) return nullptr;
  auto dashboard = app::parse_dashboard(request.dashboard);
  if (!dashboard) {
    complain(dashboard.error());
    return std::unexpected(k_usage);
  }
  std::string where_it_trades = std::filesystem::path(request.file.file).filename().string();
  if (request.market) where_it_trades = "a generated market";
  if (!request.venues.empty()) where_it_trades = fmt::format("{} venues", request.venues.size());
  auto watch = std::make_unique<app::BacktestWatch>(app::BacktestWatchOptions{
      .name = request.settings.strategy + " in " + where_it_trades,
      .strategy = request.settings.strategy,
      .dashboard = *std::move(dashboard),
      .on_over = [] { complain("the run is over; the dashboard stays until Ctrl-C, and the result follows"); }});
  if (const auto where = watch->start(); !where) {
    complain(where.error());
    return std::unexpected(k_environment);
  }
  std::FILE* const out = request.output.json.is_on_stdout() ? stderr : stdout;
  fmt::print(out, "{}\n", watch->describe());
  std::fflush(out);
  return watch;
}

/// Of a terminal; empty: there is none.
std::function<int()> key_of(const std::optional<TerminalKeys>& keys) {
  if (!keys || !keys->is_terminal()) return {};
  return [&keys] { return keys->next(); };
}

int run_backtest_command(BacktestRequest& request) {
  if (request.lists_strategies) {
    list_strategies();
    return k_success;
  }
  if (request.shows_market) {
    print_standard_market();
    return k_success;
  }
  if (request.file.file.empty() && request.venues.empty() && request.exchange != "market") {
    complain("a back-test needs a file of recorded data; --list names the strategies");
    return k_usage;
  }
  if (request.settings.is_beside_record && (request.exchange != "match" || !request.venues.empty())) {
    complain("--beside-record is of --exchange match, and of one file");
    return k_usage;
  }
  if (!read_sets(request) || !request.read()) return k_usage;
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  const auto watch = start_watch(request);
  if (!watch) return watch.error();
  std::optional<TerminalKeys> keys;
  if (request.settings.speed) keys.emplace();
  const backtest::BacktestHooks hooks{.is_interrupted = [&run] { return run.is_interrupted(); },
                                      .progress = [&run](double done) { run.show("back-test", 100 * done, 100, "%"); },
                                      .make_road = request.make_road,
                                      .watcher = watch->get(),
                                      .key = key_of(keys)};
  time::SystemClock clock;
  const auto result = request.market ? backtest::run_backtest(request.settings, *request.market, hooks, clock)
                                     : backtest::run_backtest(request.settings, hooks, clock);
  if (!result) {
    complain(result.error());
    return k_usage;
  }
  if (!request.table_file.empty() && !backtest::write_fills(request.table_file, *result)) {
    complain(request.table_file + ": cannot be written");
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
  request->add_to(command);
  command
      .add_option("--set", request->sets,
                  "A parameter of the strategy, NAME=VALUE, or a key of the market (market.seed=7); may be given often")
      .one_value_per_use()
      .type_name("NAME=VALUE");
  command
      .add_option_or_flag(
          "--road", "",
          [request](const std::string& delay) {
            if (!delay.empty() && !backtest::parse_duration(delay))
              throw std::invalid_argument("--road takes the delay of a connection, such as 50us; got \"" + delay +
                                          "\"");
            request->has_road = true;
            request->road_delay = delay;
          },
          "market: the strategy's orders go by FIX through a gateway and by MIT203 to the venue, each of both "
          "connections with this delay one way; without --entry and --response there are no other latencies")
      .type_name("[50us]");
  command
      .add_option(
          "--venue", request->venues,
          "One of several venues in place of FILE, may be given often: its instruments are NAME:SYMBOL, and what "
          "is not said is as of the other options. KEY: feed, entry, entry_cancel, entry_replace, response, "
          "response_trade, maker_fee, taker_fee, trade_fee")
      .one_value_per_use()
      .type_name("NAME=FILE[,KEY=VALUE]");
  command.add_flag("--beside-record", request->settings.is_beside_record,
                   "match: the day once more without own orders, beside this run in the table record: how far the "
                   "recording is from itself");
  command.add_option("--speed", request->speed,
                     "max, the default, or times the clock's speed, 0.1 to 10000; with --dashboard 1");
  add_dashboard_option(
      command, request->has_dashboard, request->dashboard,
      "Show books, own orders, fills and the account to browsers, by default at 127.0.0.1:9300, who may pause and "
      "pace time");
  command.add_option("--seed", request->seed, "Of latencies that are drawn; of a market without a file").show_default();
  command.add_option("--csv", request->table_file, "Write the fills into this file").type_name("FILE");
  command.footer(
      "Events before --from build the books; the strategy trades from there on. In a terminal a run at a --speed of "
      "the\n"
      "clock obeys keys: space pauses and goes on, s makes one step, + and - change the speed, q ends. Exit status 1: "
      "the\n"
      "file is damaged or the strategy failed; results so far are shown all the same.\n"
      "example: dojima backtest usdm_btcusdt_20240808.gz --strategy touch --set quantity=0.01 --taker-fee 0.05%\n"
      "example: dojima backtest --venue A=a.events,entry=1ms --venue B=b.events,entry=4ms,taker_fee=5bp --strategy "
      "touch\n"
      "example: dojima backtest --exchange market --population examples/market/rice.toml --strategy glft\n"
      "example: dojima backtest day.events --exchange orders --strategy glft --csv fills.csv --report run.html");
  auto was_calibrated = std::make_shared<bool>(false);
  add_calibrate(command, *was_calibrated, status);
  command.on_run([request, was_calibrated, &status] {
    if (!*was_calibrated) status = run_backtest_command(*request);
  });
}

}  // namespace dojima::cli
