#include "dojima/harness/bench_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace dojima::harness {
namespace {

std::string table_names(const BenchProgram& program) {
  std::string names;
  for (const BenchTable& table : program.tables) names += (names.empty() ? "" : ", ") + table.name;
  return names;
}

bool has_table(const BenchProgram& program, const std::string& name) {
  return std::any_of(program.tables.begin(), program.tables.end(),
                     [&name](const BenchTable& table) { return table.name == name; });
}

bool has_competitor(const BenchProgram& program, const std::string& name) {
  return std::any_of(program.tables.begin(), program.tables.end(), [&name](const BenchTable& table) {
    return std::any_of(table.competitors.begin(), table.competitors.end(),
                       [&name](const BenchCompetitor& one) { return one.name == name; });
  });
}

}  // namespace

BenchSettings BenchOptions::settings() const {
  BenchSettings settings;
  settings.seed = seed;
  settings.rounds = rounds;
  settings.rule.seed = seed;
  settings.rule.time_cap = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
  if (quick) {
    settings.warm_up = std::chrono::milliseconds{2};
    settings.slice = std::chrono::microseconds{200};
    if (rounds == 0) settings.rounds = 5;
  }
  return settings;
}

bool BenchOptions::asks_for(const BenchTable& table, const BenchCase& bench_case) const {
  if (quick && where.empty() && table.is_quick && !table.is_quick(bench_case)) return false;
  // Of several values of one parameter any is wanted.
  return std::all_of(where.begin(), where.end(), [&](const auto& wanted) {
    return std::any_of(bench_case.values().begin(), bench_case.values().end(), [&](const auto& value) {
      const std::int64_t* whole = value.second.integer();
      const std::string shown = whole != nullptr ? std::to_string(*whole) : to_text(value.second, 2);
      return value.first == wanted.first &&
             std::find(where.begin(), where.end(), std::pair(wanted.first, shown)) != where.end();
    });
  });
}

BenchTable BenchOptions::reduced(BenchTable table) const {
  if (only.empty()) return table;
  std::erase_if(table.competitors, [this](const BenchCompetitor& one) {
    return std::find(only.begin(), only.end(), one.name) == only.end();
  });
  return table;
}

std::expected<BenchOptions, BenchUsage> parse_bench_options(const BenchProgram& program, int count,
                                                            const char* const* words) {
  BenchOptions options;
  std::vector<std::string> where;
  std::string json;
  CLI::App app("Measures the tables: " + table_names(program), "dojima-bench-" + program.name);
  app.add_flag("--list", options.list, "Name the tables with their parameters and competitors");
  app.add_option("--table", options.tables, "Only these tables")->type_name("NAME");
  app.add_option("--where", where,
                 "Only cases with this parameter, e.g. n=1000; several values of one are alternatives")
      ->type_name("NAME=VALUE");
  app.add_option("--only", options.only, "Only this competitor; --list names them")->type_name("NAME");
  app.add_option("--rounds", options.rounds, "Exactly so many rounds instead of the stopping rule");
  app.add_option("--seconds", options.seconds, "At most so long for each case (default 10)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", options.seed, "Of inputs and of the order of competitors (default 1)");
  app.add_flag("--quick", options.quick, "A few short rounds of small cases: whether it works, not how fast");
  app.add_option("--cpu", options.cpu, "Run on this processor (default: the last one allowed)");
  app.add_flag("!--no-pin", options.pin, "Let the kernel choose the processor");
  app.add_flag("!--no-progress", options.progress, "No progress line");
  CLI::Option* to_json = app.add_option("--json", json, "Write the result as JSON; to stdout without a file")
                             ->expected(0, 1)
                             ->type_name("[FILE]");
  app.footer("Ctrl-C ends with the results so far.\nexample: dojima-bench-" + program.name + " --table " +
             (program.tables.empty() ? "NAME" : program.tables.front().name) + " --seconds 5 --json result.json");
  try {
    app.parse(count, words);
  } catch (const CLI::CallForHelp&) {
    return std::unexpected(BenchUsage{app.help(), 0});
  } catch (const CLI::ParseError& error) {
    return std::unexpected(
        BenchUsage{std::string(error.what()) + "\nsee dojima-bench-" + program.name + " --help\n", 2});
  }
  if (to_json->count() != 0) options.json = json;
  for (const std::string& name : options.tables) {
    if (!has_table(program, name)) {
      return std::unexpected(BenchUsage{"no table '" + name + "'; there are: " + table_names(program) + "\n", 2});
    }
  }
  for (const std::string& name : options.only) {
    if (!has_competitor(program, name))
      return std::unexpected(BenchUsage{"no competitor '" + name + "'; --list names them\n", 2});
  }
  for (const std::string& pair : where) {
    const std::size_t equal = pair.find('=');
    if (equal == std::string::npos) {
      return std::unexpected(BenchUsage{"--where needs NAME=VALUE, not '" + pair + "'\n", 2});
    }
    options.where.emplace_back(pair.substr(0, equal), pair.substr(equal + 1));
  }
  return options;
}

}  // namespace dojima::harness
