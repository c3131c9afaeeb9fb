// dojima backtest FILE

#include <memory>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/backtest_request.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

/// False: one makes no sense; that has been told.
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

int run_backtest_command(BacktestRequest& request) {
  if (request.lists_strategies) {
    list_strategies();
    return k_success;
  }
  if (request.shows_market) {
    print_standard_market();
    return k_success;
  }
  if (request.file.file.empty() && request.exchange != "market") {
    complain("a back-test needs a file of recorded data; --list names the strategies");
    return k_usage;
  }
  if (!read_sets(request) || !request.read()) return k_usage;
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  const backtest::BacktestHooks hooks{.is_interrupted = [&run] { return run.is_interrupted(); },
                                      .progress = [&run](double done) { run.show("back-test", 100 * done, 100, "%"); }};
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
  command.add_option("--speed", request->speed, "max, or times the clock's speed, 0.1 to 10000").show_default();
  command.add_option("--seed", request->seed, "Of latencies that are drawn; of a market without a file").show_default();
  command.add_option("--csv", request->table_file, "Write the fills into this file").type_name("FILE");
  command.footer(
      "Events before --from build the books; the strategy trades from there on. Exit status 1: the file is damaged or\n"
      "the strategy failed; results so far are shown all the same.\n"
      "example: dojima backtest usdm_btcusdt_20240808.gz --strategy touch --set quantity=0.01 --taker-fee 0.05%\n"
      "example: dojima backtest --exchange market --population examples/market/rice.toml --strategy glft\n"
      "example: dojima backtest day.events --exchange orders --strategy glft --csv fills.csv --report run.html");
  auto was_calibrated = std::make_shared<bool>(false);
  add_calibrate(command, *was_calibrated, status);
  command.on_run([request, was_calibrated, &status] {
    if (!*was_calibrated) status = run_backtest_command(*request);
  });
}

}  // namespace dojima::cli
