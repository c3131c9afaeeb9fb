// fix-script: plays test cases of the FIX session layer over TCP, one after the other, against an acceptor, or, where
// it listens, against an initiator; says for each whether the other side did what the case has, or where it did not.
// The language is described in dojima/fix/script.hpp.
//
//   fix-script --port 9878 --sender TW --target ISLD cases/*.fixcase
//   fix-script --listen 9878 --sender TW --target ISLD cases/initiator_*.fixcase

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "dojima/fix/script.hpp"
#include "dojima/net/asio_fabric.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/clock.hpp"

namespace {

using namespace dojima;

struct Options {
  std::string host = "127.0.0.1";
  std::uint16_t port = 9878;
  std::optional<std::uint16_t> listens_on;  ///< the other side is an initiator; 0: any free port, which is kept
  std::string begin_string = "FIX.4.4", sender = "TW", target = "ISLD";
  std::vector<std::string> variables;
  double patience = 2, slack = 0;
  unsigned repeat = 1;
  bool is_configured = false;  ///< the other side is configured as the cases have it
  bool is_quiet = false;
  std::vector<std::string> files;
};

/// What every case may use: names, version, and fields that depend on the version.
fix::ScriptVariables variables_of(const Options& options) {
  fix::ScriptVariables variables = fix::script_variables(options.begin_string);
  variables["sender"] = options.sender;
  variables["target"] = options.target;
  for (const std::string& variable : options.variables) {
    const std::size_t sign = variable.find('=');
    if (sign == 0 || sign == std::string::npos) throw std::invalid_argument("--set needs NAME=VALUE: " + variable);
    variables[variable.substr(0, sign)] = variable.substr(sign + 1);
  }
  return variables;
}

/// The trouble of one run; empty: the case passed.
std::string play(const fix::Script& script, Options& options, const fix::ScriptVariables& variables) {
  const net::FabricOptions fabric_options{.max_connections = 32};
  time::SystemClock clock;
  sched::Scheduler scheduler(net::AsioFabric::timers(fabric_options) + 1, clock.now());
  sched::LivePacer pacer(clock);
  net::AsioFabric fabric(scheduler, fabric_options);
  fix::ScriptRun run(scheduler, fabric, script,
                     {.address = {options.host, options.listens_on.value_or(options.port)},
                      .variables = variables,
                      .patience = time::Duration{static_cast<std::int64_t>(options.patience * 1e9)},
                      .slack = time::Duration{static_cast<std::int64_t>(options.slack * 1e9)}});
  sched::Source* const sources[] = {&fabric};
  sched::Loop loop(scheduler, pacer, sources);
  run.start();
  if (options.listens_on == 0 && run.trouble() == nullptr) {
    options.listens_on = run.listening_at().port;
    std::printf("listening on %s:%u\n", options.host.c_str(), *options.listens_on);
    std::fflush(stdout);
  }
  // The last closes leave before the sockets go.
  while (!run.is_finished() || fabric.open_connections() > 0) {
    if (loop.turn() == sched::Loop::Turn::idle)
      net::rest(net::IdlePolicy::block, fabric, loop.next_time(), scheduler.now());
  }
  if (run.trouble() == nullptr) return {};
  return "line " + std::to_string(run.trouble()->line) + ": " + run.trouble()->text;
}

enum class Outcome : std::uint8_t { passed, failed, left_out, unreadable };

/// Why the case is not for this run; empty: it is.
std::string reason_to_leave_out(const fix::Script& script, const Options& options) {
  if (!script.is_for(options.begin_string)) return "not for " + options.begin_string;
  if (script.accepts != options.listens_on.has_value()) return script.accepts ? "for initiators" : "for acceptors";
  if (script.config.empty() || options.is_configured) return {};
  std::string config;
  for (const auto& [key, value] : script.config) config += (config.empty() ? "" : ", ") + key + " = " + value;
  return "only where the other side is configured with " + config;
}

Outcome play_file(const std::string& file, Options& options, const fix::ScriptVariables& variables) {
  std::ifstream input(file);
  if (!input) {
    std::fprintf(stderr, "fix-script: cannot read %s\n", file.c_str());
    return Outcome::unreadable;
  }
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  const auto script = fix::parse_script(text);
  if (!script) {
    std::fprintf(stderr, "%s:%u: %s\n", file.c_str(), script.error().line, script.error().text.c_str());
    return Outcome::unreadable;
  }
  if (const std::string reason = reason_to_leave_out(*script, options); !reason.empty()) {
    if (!options.is_quiet) std::printf("left out  %s (%s)\n", file.c_str(), reason.c_str());
    return Outcome::left_out;
  }
  for (unsigned round = 0; round < options.repeat; ++round) {
    const std::string trouble = play(*script, options, variables);
    if (trouble.empty()) continue;
    std::printf("FAILED    %s: %s\n", file.c_str(), trouble.c_str());
    return Outcome::failed;
  }
  if (!options.is_quiet) std::printf("passed    %s\n", file.c_str());
  std::fflush(stdout);
  return Outcome::passed;
}

/// Exit status 0: all passed; 1: a case failed, or none was played; 2: a file is no script.
int play_all(Options& options) {
  const fix::ScriptVariables variables = variables_of(options);
  std::size_t counts[4] = {};
  for (const std::string& name : options.files) {
    std::vector<std::string> files{name};
    if (std::filesystem::is_directory(name)) {
      files.clear();
      for (const auto& entry : std::filesystem::directory_iterator(name)) {
        if (entry.path().extension() == ".fixcase") files.push_back(entry.path().string());
      }
      std::sort(files.begin(), files.end());
    }
    for (const std::string& file : files) ++counts[static_cast<std::size_t>(play_file(file, options, variables))];
  }
  const std::size_t passed = counts[0], failed = counts[1], left_out = counts[2], unreadable = counts[3];
  std::printf("%zu passed, %zu failed, %zu left out, %zu unreadable\n", passed, failed, left_out, unreadable);
  if (unreadable != 0) return 2;
  return failed == 0 && passed != 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) try {
  Options options;
  CLI::App app{
      "Plays test cases of the FIX session layer against an acceptor, or an initiator. Exit status 1: a case failed, "
      "or "
      "none was played; 2: wrong arguments, or a file that is no script."};
  app.add_option("--host", options.host, "the acceptor's address, or that to listen on")->capture_default_str();
  auto* const port = app.add_option("--port", options.port, "the acceptor's port")->capture_default_str();
  app.add_option("--listen", options.listens_on,
                 "the port to listen on: plays the cases for initiators, which connect to it; 0: any free one")
      ->excludes(port);
  app.add_option("--begin-string", options.begin_string, "FIX.4.0 to FIX.4.4, or FIXT.1.1")->capture_default_str();
  app.add_option("--sender", options.sender, "our CompID")->capture_default_str();
  app.add_option("--target", options.target, "the other side's CompID")->capture_default_str();
  app.add_flag(
      "--configured", options.is_configured,
      "the other side is configured as the cases demand (config in their files); else such cases are left out");
  app.add_option("--set", options.variables,
                 "NAME=VALUE, a variable of the scripts; goes before theirs; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--patience", options.patience, "seconds to wait for what is expected")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  app.add_option(
         "--slack", options.slack,
         "seconds that each side may be late on a machine that does other things too: times in the cases are so "
         "much wider, and silences shorter")
      ->check(CLI::Range(0.0, 60.0))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "play each case so often")
      ->check(CLI::Range(1u, 100'000u))
      ->capture_default_str();
  app.add_flag("--quiet", options.is_quiet, "show failures and the sum only");
  app.add_option("files", options.files, "cases (.fixcase), or folders of them")->required()->check(CLI::ExistingPath);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& trouble) {
    return app.exit(trouble) == 0 ? 0 : 2;
  }
  return play_all(options);
} catch (const std::exception& trouble) {
  std::fprintf(stderr, "fix-script: %s\n", trouble.what());
  return 2;
}
