// dojima replay FILE

#include "dojima/replay/replay.hpp"

#include <charconv>
#include <cstdio>
#include <expected>
#include <filesystem>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "dojima/app/dashboard/replay_watch.hpp"
#include "dojima/app/dashboard_config.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/dashboard_option.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/journal/journal_folders.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/progress.hpp"
#include "dojima/cli/terminal_keys.hpp"
#include "dojima/replay/journal_replay.hpp"
#include "dojima/time/clock.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::cli {
namespace {

const std::map<std::string, recorded::Keeper> k_keepers = {
    {"depth", recorded::Keeper::depth}, {"mirror", recorded::Keeper::mirror}, {"match", recorded::Keeper::match}};

struct ReplayRequest {
  replay::ReplaySettings settings;
  std::string speed;  // empty: max, or 1 where somebody watches
  std::string book;   // empty: depth for a file, match for a directory
  double bar_seconds = 60;
  RecordedInput file;
  EventChoice choice;
  InstrumentOptions output;
  bool has_dashboard = false;
  std::string dashboard;  // HOST:PORT; empty: where nobody says another one
};

/// "max", "events", "600" or "x600". False: that has been reported.
bool read_speed(std::string text, replay::ReplaySettings& settings) {
  if (text == "max" || text == "events") {
    settings.pace = text == "max" ? replay::Pace::flat_out : replay::Pace::event_driven;
    return true;
  }
  settings.pace = replay::Pace::paced;
  if (text.starts_with('x')) text.erase(0, 1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), settings.speed);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (is_number && settings.speed >= 0.1 && settings.speed <= 10'000) return true;
  complain("--speed takes max, events, or a number from 0.1 to 10000 such as x600; got \"" + text + "\"");
  return false;
}

// ---- A venue's journal directory -----------------------------------------------------------------------------------

/// The first option that a directory does not support; empty: there is none.
std::string unsupported(const ReplayRequest& request) {
  const replay::ReplaySettings& settings = request.settings;
  const replay::ReplaySettings defaults;
  if (!request.speed.empty() && request.speed != "max") return "--speed " + request.speed;
  if (request.has_dashboard) return "--dashboard";
  if (!request.book.empty() && request.book != "match") return "--book " + request.book;
  if (settings.is_checking) return "--check";
  if (!request.file.format.empty()) return "--format";
  if (!request.file.date.empty()) return "--date";
  if (request.bar_seconds != ReplayRequest{}.bar_seconds) return "--bar";
  if (settings.depth != defaults.depth) return "--depth";
  if (settings.books.orders != defaults.books.orders) return "--orders";
  return {};
}

int replay_directory(ReplayRequest& request) {
  if (const std::string what = unsupported(request); !what.empty()) {
    complain(what +
             " is for files; of a venue's journal directory dojima replay takes --book match, --speed max, --only, "
             "--symbol, --from, --until and --out");
    return k_usage;
  }
  if (!request.choice.read()) return k_usage;
  const auto folders = journal_folders(request.file.file);
  if (!folders) {
    complain(folders.error());
    return k_usage;
  }
  replay::JournalReplaySettings settings{.symbols = request.choice.symbols,
                                         .from = request.choice.from_time,
                                         .until = request.choice.until_time,
                                         .out = request.settings.out};
  if (!request.file.symbol.empty()) settings.symbols.push_back(request.file.symbol);
  std::vector<replay::PartitionJournal> journals;
  journals.reserve(folders->size());
  for (const JournalFolder& folder : *folders)
    journals.push_back({std::filesystem::path(folder.path).filename().string(), folder.disk.get()});
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  const replay::JournalReplayHooks hooks{.is_interrupted = [&run] { return run.is_interrupted(); },
                                         .progress =
                                             [&run](std::uint64_t done, std::uint64_t total) {
                                               run.show("records", static_cast<double>(done),
                                                        static_cast<double>(total), "");
                                             }};
  time::SystemClock clock;
  const auto result = replay::replay_journals(journals, settings, hooks, clock);
  if (!result) {
    complain(result.error());
    return k_usage;
  }
  evidence::Artefact artefact = artefact_of(settings, *result);
  return run.finish(artefact, {});
}

// ---- A file --------------------------------------------------------------------------------------------------------

/// The screens of the replay; null: none were asked for. Nothing: they make no sense or cannot be had, which has been
/// reported; then the status.
std::expected<std::unique_ptr<app::ReplayWatch>, int> start_watch(const ReplayRequest& request, ProgressLine& line) {
  if (!request.has_dashboard) return nullptr;
  // Said before an address is: what cannot be read is not shown.
  if (request.settings.file != "-")
    if (const auto file = recorded::RecordedFile::open(request.settings.file, request.settings.recorded); !file) {
      complain(file.error());
      return std::unexpected(k_usage);
    }
  auto dashboard = app::parse_dashboard(request.dashboard);
  if (!dashboard) {
    complain(dashboard.error());
    return std::unexpected(k_usage);
  }
  auto watch = std::make_unique<app::ReplayWatch>(
      app::ReplayWatchOptions{.name = std::filesystem::path(request.settings.file).filename().string(),
                              .dashboard = *std::move(dashboard),
                              .can_jump = replay::can_jump(request.settings),
                              .on_over = [&line] {
                                line.clear();
                                complain("the file is over; the dashboard stays until Ctrl-C, and the result follows");
                              }});
  if (const auto where = watch->start(); !where) {
    complain(where.error());
    return std::unexpected(k_environment);
  }
  std::FILE* const out = request.output.json.is_on_stdout() ? stderr : stdout;
  fmt::print(out, "{}\n", watch->describe());
  std::fflush(out);
  return watch;
}

/// The line for a replay that had nothing to do; empty: it had.
std::string what_is_missing(const replay::ReplaySettings& settings, const replay::ReplayResult& result) {
  if (result.was_interrupted || !result.trouble.empty()) return {};
  if (result.events == 0 && !settings.symbols.empty())
    return fmt::format("{}: it has nothing of {}", settings.file, settings.symbols.front());
  if (!settings.from || result.events == 0 || *settings.from <= result.last) return {};
  char text[time::k_timestamp_max];
  return fmt::format("{}: its last event is of {}, before --from", settings.file,
                     time::format_timestamp(result.last, 9, text));
}

int run_replay(ReplayRequest& request) {
  std::error_code ignored;
  if (std::filesystem::is_directory(request.file.file, ignored)) return replay_directory(request);
  replay::ReplaySettings& settings = request.settings;
  const auto recorded = request.file.options();
  if (request.has_dashboard && (request.speed == "max" || request.speed == "events")) {
    complain("--dashboard shows a replay whose time goes on: leave --speed " + request.speed +
             " out, or say how many times the clock's, such as --speed 60");
    return k_usage;
  }
  if (request.speed.empty()) request.speed = request.has_dashboard ? "1" : "max";
  if (!recorded || !request.choice.read() || !read_speed(request.speed, settings)) return k_usage;
  settings.file = request.file.file;
  settings.recorded = *recorded;
  settings.from = request.choice.from_time;
  settings.until = request.choice.until_time;
  settings.symbols = request.choice.symbols;
  settings.books.keeper = k_keepers.at(request.book.empty() ? "depth" : request.book);
  settings.books.counts_crossings = settings.is_checking;
  settings.bar = time::Duration{static_cast<std::int64_t>(request.bar_seconds * 1e9)};
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  ProgressLine line(!request.output.is_silent);
  const TerminalKeys keys;
  replay::ReplayHooks hooks{.is_interrupted = [&] { return run.is_interrupted(); }};
  if (line.is_shown()) hooks.show = [&](const replay::ReplayNow& now) { line.show(to_text(now)); };
  if (keys.is_terminal()) hooks.key = [&] { return keys.next(); };
  const auto watch = start_watch(request, line);
  if (!watch) return watch.error();
  hooks.watcher = watch->get();
  time::SystemClock clock;
  const auto result = replay::replay(settings, hooks, clock);
  line.clear();
  if (!result) {
    complain(result.error());
    return k_usage;
  }
  if (const std::string missing = what_is_missing(settings, *result); !missing.empty()) {
    complain(missing);
    return k_usage;
  }
  evidence::Artefact artefact = artefact_of(settings, *result);
  return run.finish(artefact, {});
}

}  // namespace

void add_replay(Command program, int& status) {
  Command command = program.add_command("replay", "Put recorded market data, or a venue's journal, through the books");
  auto request = std::make_shared<ReplayRequest>();
  replay::ReplaySettings& settings = request->settings;
  request->file.add_to(command);
  command.add_option("--speed", request->speed,
                     "max: flat out, the default; events: from event to event through the scheduler; or times the "
                     "clock's speed, 0.1 to 10000; with --dashboard 1");
  command
      .add_option("--book", request->book,
                  "depth (default of files): what rests at each price; mirror: every order in its queue; match: "
                  "recorded orders and trades as orders of a matching book, or a journal's commands as they were")
      .one_of(k_keepers);
  command.add_flag("--check", settings.is_checking,
                   "Compare with the recorded book, where there is one, and levels with orders");
  command
      .add_option("--out", settings.out,
                  "Write bars.csv and snapshots.csv into this folder; of a journal directory trades.csv and books.csv")
      .type_name("FOLDER");
  command.add_option("--bar", request->bar_seconds, "Seconds of a bar, and between snapshots")
      .between(0.001, 86'400.0)
      .show_default();
  command.add_option("--depth", settings.depth, "Levels of a snapshot").between(1, 1000).show_default();
  command.add_option("--orders", settings.books.orders, "mirror, match: room for live orders")
      .between(std::size_t{1}, std::size_t{1} << 30)
      .show_default();
  add_dashboard_option(
      command, request->has_dashboard, request->dashboard,
      "Show books and trades to browsers, by default at 127.0.0.1:9300, who may pause, pace and move time");
  request->choice.add_to(command);
  request->output.json.add_to(command);
  command.add_flag("--no-progress", request->output.is_silent, "No live line");
  command.footer(
      "In a terminal a paced replay obeys keys: space pauses and goes on, s makes one step, + and - change the speed,\n"
      "q ends. Events before --from go through the book at once. Exit status 1: the check found a contradiction, or "
      "the\n"
      "file is damaged. FILE may be the journal directory of a venue (dojima venue --journal DIR): its commands go "
      "through\n"
      "partitions made from it; --only, --symbol, --from, --until and --out apply.\n"
      "example: dojima replay AMZN_2012-06-21_34200000_57600000_message_1.csv.gz --speed x600 --check\n"
      "example: dojima replay day.itch.gz --only AAPL --from 2020-01-30T15:00:00 --dashboard\n"
      "example: dojima replay day --book match --out trades");
  command.on_run([request, &status] { status = run_replay(*request); });
}

}  // namespace dojima::cli
