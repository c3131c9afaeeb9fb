// dojima sweep [FILE] --set k=v1,v2

#include "dojima/backtest/sweep.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <memory>
#include <thread>
#include <vector>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/backtest_request.hpp"

namespace dojima::cli {
namespace {

struct SweepRequest {
  BacktestRequest run;
  std::size_t threads = 0;
  std::string by = "profit";
};

/// False: one makes no sense; that has been reported.
bool read_axes(const SweepRequest& request, backtest::SweepSettings& settings) {
  for (const std::string& set : request.run.sets) {
    auto axis = backtest::parse_axis(set);
    if (!axis) {
      complain(axis.error());
      return false;
    }
    if (axis->name == "market.length_ms" && !request.run.length.empty()) {
      complain("--length is market.length_ms, which --set sets as well");
      return false;
    }
    // One value is as good as a setting, but is in the table like the others.
    settings.axes.push_back(*std::move(axis));
  }
  return true;
}

bool is_column(std::string_view name) {
  std::string_view columns = backtest::sweep_columns();
  while (true) {
    const std::size_t comma = columns.find(',');
    if (columns.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) return false;
    columns.remove_prefix(comma + 1);
  }
}

/// One for each point, of the file and the point's values of the market's keys. `run` outlives it.
backtest::SweepMarkets markets_of(const BacktestRequest& run) {
  const auto make = [&run](const backtest::ParameterTexts& keys) {
    std::vector<app::Override> overrides;
    for (const auto& [name, value] : keys) overrides.push_back({name, value});
    return run.market_with(overrides);
  };
  return {.make = make, .text = run.market_text()};
}

int run_sweep_command(SweepRequest& request) {
  if (request.run.lists_strategies) {
    list_strategies();
    return k_success;
  }
  if (request.run.shows_market) {
    print_standard_market();
    return k_success;
  }
  if (request.run.file.file.empty() && request.run.exchange != "market") {
    complain("a sweep needs a file of recorded data, or --exchange market; --list names the strategies");
    return k_usage;
  }
  if (!is_column(request.by)) {
    complain("--by takes a column of the table: " + std::string(backtest::sweep_columns()) + "; got \"" + request.by +
             "\"");
    return k_usage;
  }
  backtest::SweepSettings settings;
  if (!request.run.read() || !read_axes(request, settings)) return k_usage;
  settings.base = request.run.settings;
  if (request.run.market) settings.markets = markets_of(request.run);
  settings.threads = request.threads != 0 ? request.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::string& table = request.run.table_file;
  if (!table.empty()) settings.part = table + ".part";
  InstrumentRun run(request.run.output);
  if (!run.can_write() || (!table.empty() && !can_write_file(table))) return k_environment;
  const backtest::SweepHooks hooks{.is_interrupted = [&run] { return run.is_interrupted(); },
                                   .progress =
                                       [&run](std::size_t done, std::size_t points) {
                                         run.show("sweep", static_cast<double>(done), static_cast<double>(points),
                                                  "points");
                                       }};
  const auto result = backtest::run_sweep(settings, hooks);
  if (!result) {
    complain(result.error());
    return k_usage;
  }
  const bool is_whole = result->done == result->rows.size();
  if (!table.empty() && is_whole) {
    if (!write_file(table, backtest::sweep_text(*result))) return k_environment;
    std::error_code ignored;
    std::filesystem::remove(settings.part, ignored);
  }
  evidence::Artefact artefact = backtest::artefact_of(settings, *result, request.by);
  const int status = run.finish(artefact, {});
  if (!is_whole && !table.empty())
    complain(fmt::format("{} of {} points are in {}; the same command goes on from there", result->done,
                         result->rows.size(), settings.part));
  return status;
}

}  // namespace

void add_sweep(Command program, int& status) {
  Command command = program.add_command(
      "sweep", "Back-tests over one day, or in generated markets, for every combination of parameters");
  auto request = std::make_shared<SweepRequest>();
  request->run.add_to(command);
  command
      .add_option("--set", request->run.sets,
                  "A parameter and its values: NAME=V1,V2 or NAME=FROM..TO or NAME=FROM..TO..STEP; may be given often. "
                  "Of the strategy, or run.entry, run.response, run.feed, run.computing, run.queue, "
                  "run.exchange, run.fills, run.silence, run.maker_fee, run.taker_fee, or keys of the market: "
                  "market.seed=1..20")
      .one_value_per_use()
      .type_name("NAME=VALUES");
  command.add_option("--threads", request->threads, "How many runs at a time; 0: one for each processor")
      .between(std::size_t{0}, std::size_t{1024})
      .show_default();
  command.add_option("--by", request->by, "The column by which points are the best, the largest first").show_default();
  command
      .add_option("--seed", request->run.seed,
                  "Of the sweep; a run's follows from it and the run's parameters. Of a market without a file, too")
      .show_default();
  command
      .add_option("--csv", request->run.table_file,
                  "Write the table into this file. FILE.part has what is done until then: an interrupted sweep goes on "
                  "from it")
      .type_name("FILE");
  command.footer(
      "The table is the same to the byte for any number of threads, and for a sweep that was interrupted and goes on.\n"
      "Exit status 1: a run failed, or not all points are done.\n"
      "example: dojima sweep day.events --exchange orders --strategy grid --set levels=1..5 --set spacing=1,2,4 --csv "
      "grid.csv\n"
      "example: dojima sweep --exchange market --length 10s --strategy glft --set gamma=0.1..0.5..0.1 "
      "--set market.seed=1..20 --csv seeds.csv\n"
      "example: dojima sweep day.events --set run.entry=100us,1ms,10ms --set period=10ms..50ms..10ms --report "
      "sweep.html");
  command.on_run([request, &status] { status = run_sweep_command(*request); });
}

}  // namespace dojima::cli
