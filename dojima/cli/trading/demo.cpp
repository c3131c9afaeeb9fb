// dojima demo

#include <chrono>
#include <cstdio>
#include <expected>
#include <fmt/core.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <thread>

#include "dojima/app/demo/knee.hpp"
#include "dojima/app/demo/presentation.hpp"
#include "dojima/app/demo/run.hpp"
#include "dojima/app/stop_signal.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/dashboard_option.hpp"
#include "dojima/cli/output.hpp"
#include "dojima/cli/progress.hpp"
#include "dojima/cli/trading/loop_options.hpp"
#include "dojima/evidence/build_identity.hpp"
#include "dojima/evidence/evidence.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/measure/timing_clock.hpp"
#include "dojima/time/clock.hpp"

namespace dojima::cli {
namespace {

namespace demo = app::demo;

struct DemoOptions {
  demo::Settings settings;
  std::string topology = "two";
  std::string idle = "yield";
  std::string durability = "process";
  std::vector<std::string> kill;
  std::vector<std::string> services;
  std::string stalls;
  std::int64_t handicap_ns = 0;
  std::string dashboard;  // HOST:PORT
  bool has_dashboard = false;
  LoopOption loop;
  JsonOption json;
  std::string report;
  bool is_silent = false;
  bool is_knee = false;
};

const std::map<std::string, journal::Durability> k_durabilities = {{"none", journal::Durability::none},
                                                                   {"process", journal::Durability::process},
                                                                   {"power", journal::Durability::power}};

/// Fills in the settings from the texts. False: something makes no sense; that has been said.
bool read_settings(DemoOptions& options) {
  demo::Settings& settings = options.settings;
  settings.topology = *demo::topology_of(options.topology);
  settings.idle = *net::idle_policy_of(options.idle);
  // A day in seconds is one of virtual time: nobody has to say so.
  if (settings.is_day) settings.is_virtual = true;
  settings.durability = k_durabilities.at(options.durability);
  const auto loop = options.loop.settings();
  if (!loop) return false;
  settings.loop = *loop;
  settings.handicap = time::Duration{options.handicap_ns};
  auto services = demo::parse_service_plan(options.services);
  if (!services) {
    complain(services.error());
    return false;
  }
  settings.services = std::move(*services);
  if (!options.stalls.empty()) {
    auto stalls = demo::read_stalls(options.stalls);
    if (!stalls) {
      complain(stalls.error());
      return false;
    }
    settings.stalls = std::move(*stalls);
  }
  for (const std::string& process : options.kill)
    (process == "gateway" ? settings.kills_gateway : settings.kills_venue) = true;
  settings.program = "/proc/self/exe";
  if (options.has_dashboard) {
    auto dashboard = app::parse_dashboard(options.dashboard);
    if (!dashboard) {
      complain(dashboard.error());
      return false;
    }
    settings.dashboard = *std::move(dashboard);
  }
  // Nobody can watch or operate a day that is over in a second.
  if ((options.has_dashboard || settings.admin_port >= 0) && settings.is_virtual && settings.speed == 0)
    settings.speed = 1;
  if (const char* wrong = demo::complaint(settings)) {
    complain(wrong);
    return false;
  }
  return true;
}

/// Runs it and shows on the terminal what happens meanwhile.
auto run_and_show(DemoOptions& options, const app::StopSignal& stop) {
  demo::Settings& settings = options.settings;
  ProgressLine progress(!options.is_silent);
  demo::ShowProgress show;
  if (progress.is_shown()) show = [&](const demo::Progress& now) { progress.show(demo::text_of(now, settings)); };
  settings.show_dashboard = [&](const std::string& url) {
    progress.clear();
    std::FILE* const out = options.json.is_on_stdout() ? stderr : stdout;
    fmt::print(out, "dashboard {}\n", url);
    std::fflush(out);
  };
  settings.show_admin = [&](const std::string& line) {
    progress.clear();
    std::FILE* const out = options.json.is_on_stdout() ? stderr : stdout;
    fmt::print(out, "{}\n", line);
    std::fflush(out);
  };
  settings.hold_dashboard = [&] {
    if (stop.is_raised()) return;
    progress.clear();
    complain("the flow is over; the dashboard stays until Ctrl-C, and the result follows");
    while (!stop.is_raised()) std::this_thread::sleep_for(std::chrono::milliseconds{50});
  };
  const demo::ShowProgress before_kill = [&](const demo::Progress& now) {
    progress.clear();
    fmt::print("killed after {:.3f} s: {} requests sent, {} answered by then\n", now.seconds, now.sent, now.answered);
    fmt::print("dojima journal recover {0}; dojima replay {0} --book match\n", settings.journal);
    std::fflush(stdout);
  };
  auto result = demo::run(settings, [&] { return stop.is_raised(); }, show, before_kill);
  progress.clear();
  return result;
}

/// The demo at rising rates. Its first rate is --rate, each run as long as --seconds say.
int run_knee(const DemoOptions& options) {
  demo::KneeSettings knee{.settings = options.settings};
  if (!options.report.empty()) {
    complain("--knee prints a table; --report is of one run");
    return k_usage;
  }
  if (!options.json.can_write()) return k_environment;
  const app::StopSignal stop;
  const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
  time::SystemClock clock;
  const time::Time begin = clock.now();
  const auto print = [&](const std::string& line) {
    if (options.json.is_on_stdout()) return;
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  print(demo::knee_header(options.settings));
  std::expected<demo::KneeResult, std::string> result;
  try {
    result = demo::find_knee(
        knee, [&] { return stop.is_raised(); }, [&](const demo::KneeStep& step) { print(demo::text_of(step)); });
  } catch (const std::invalid_argument& wrong) {
    complain(wrong.what());
    return k_usage;
  }
  if (!result) {
    complain(result.error());
    return k_environment;
  }
  if (!options.json.is_on_stdout()) fmt::print("\n{}", demo::text_of(*result));
  if (options.json.is_wanted()) {
    const time::Time end = clock.now();
    evidence::Artefact artefact = demo::artefact_of(*result);
    const measure::TimingClock timing = measure::measure_timing_clock();
    artefact.set_evidence(evidence.finish({.created = end,
                                           .elapsed = end - begin,
                                           .applied = evidence::Document::object(),
                                           .ns_per_tick = 1,
                                           .quantum_ns = timing.quantum_ns,
                                           .read_overhead_ns = timing.reading_ns}));
    if (!options.json.write(artefact.text())) return k_environment;
  }
  return result->is_ok() && result->knee() != 0 ? k_success : k_failed;
}

int run_demo(DemoOptions options) {
  if (!read_settings(options)) return k_usage;
  if (options.is_knee) return run_knee(options);
  const auto rate = static_cast<double>(options.settings.rate);
  if (const auto overload = demo::overload_of(options.settings.services, rate)) {
    fmt::print("{}\n", *overload);
    return k_failed;
  }
  if (!options.json.can_write() || (!options.report.empty() && !can_write_file(options.report))) return k_environment;
  const app::StopSignal stop;
  const evidence::EvidenceCollector evidence({.build = evidence::build_identity(), .argv = command_line()});
  time::SystemClock clock;
  const time::Time begin = clock.now();
  const auto result = run_and_show(options, stop);
  if (!result) {
    complain(result.error());
    return k_environment;
  }
  if (!options.json.is_on_stdout()) fmt::print("{}", demo::text_of(*result));
  if (options.json.is_wanted() || !options.report.empty()) {
    const time::Time end = clock.now();
    evidence::Artefact artefact = demo::artefact_of(*result);
    const measure::TimingClock timing = measure::measure_timing_clock();
    artefact.set_evidence(evidence.finish({.created = end,
                                           .elapsed = end - begin,
                                           .applied = result->applied,
                                           .ns_per_tick = 1,
                                           .quantum_ns = timing.quantum_ns,
                                           .read_overhead_ns = timing.reading_ns}));
    if (options.json.is_wanted() && !options.json.write(artefact.text())) return k_environment;
    if (!options.report.empty() && !write_file(options.report, evidence::report({artefact}))) return k_environment;
  }
  return result->is_ok() ? k_success : k_failed;
}

}  // namespace

void add_demo(Command program, int& status) {
  Command command = program.add_command(
      "demo", "Run venue, gateway and FIX clients on this machine, and show latencies, trades and checks");
  auto options = std::make_shared<DemoOptions>();
  demo::Settings& settings = options->settings;
  command.add_option("--seconds", settings.seconds, "How long requests are made").show_default();
  command.add_option("--clients", settings.clients, "FIX clients, 1 to 64").show_default();
  command.add_option("--rate", settings.rate, "Requests per second, all clients together").show_default();
  command.add_option("--seed", settings.seed, "Of the order flow").show_default();
  command.add_flag("--knee", options->is_knee,
                   "The demo at rising rates, from --rate on, until it answers less than falls due, and at twice the "
                   "last good one: rate, p50, p99 and processor time of each thread; --idle block shows what is used");
  command
      .add_option("--topology", options->topology,
                  "Threads: shared (one), two (clients | gateway and venue), three (each its own)")
      .one_of({"shared", "two", "three"})
      .show_default();
  command
      .add_option("--venue-threads", settings.venue_threads,
                  "Of the venue: 1 for all, or one for sessions and the others for partitions, 1 to 5")
      .show_default();
  command.add_option("--idle", options->idle, "When there is nothing to do: spin, yield, block or ring")
      .one_of({"spin", "yield", "block", "ring"})
      .show_default();
  options->loop.add_to(command);
  command.add_flag("--virtual", settings.is_virtual,
                   "The same flow in virtual time over a simulated network: same seed, same trades");
  command
      .add_option("--service", options->services,
                  "What gateway and venue take for each message in virtual time: a law and its mean such as "
                  "exponential:20us, or a service trace; with gateway=, reports= or venue= in front only there; repeat")
      .one_value_per_use()
      .type_name("[WHERE=]LAW:TIME|FILE");
  command
      .add_option("--stalls", options->stalls,
                  "With --service: interrupt the gateway's and the venue's thread where a machine did, by the gaps of "
                  "dojima lab jitter --gaps FILE")
      .type_name("FILE");
  command.add_option("--speed", settings.speed,
                     "Of virtual time, times the clock's: 0.1 to 10000 (default: from event to event); same trades");
  command.add_flag("--day", settings.is_day,
                   "A whole trading day in --seconds of virtual time: opening, intraday, re-opening and closing "
                   "auctions, price bands, halts; the indicative price in the progress line");
  command
      .add_option("--handicap-ns", options->handicap_ns,
                  "Processor time that the venue wastes on every request: a slower program for `lab ab` to find")
      .show_default();
  command.add_option("--journal", settings.journal, "Keep every command in this folder, which must hold no journal yet")
      .type_name("FOLDER");
  command.add_option("--durability", options->durability, "Of the journal: none, process or power")
      .one_of(k_durabilities)
      .show_default();
  command.add_option("--kill-after", settings.kill_after,
                     "Kill this process after so many seconds of flow, as nobody can prepare for; needs --journal");
  command
      .add_option("--kill", options->kill,
                  "Kill these while clients trade on, and start them again: gateway, venue, or both with a comma; then "
                  "both are processes of their own, with journals")
      .delimiter(',')
      .one_of({"gateway", "venue"});
  command.add_option("--kills", settings.kills, "How many of them, evenly over the flow, 1 to 1000").show_default();
  add_dashboard_option(
      command, options->has_dashboard, options->dashboard,
      "Show the venue's market to browsers, by default at 127.0.0.1:9300, until Ctrl-C; virtual time then keeps to "
      "the clock's (--speed 1) and can be paused on the page");
  command.add_flag(
      "--feed", settings.has_feed,
      "A reader of the market data, whose lines lose datagrams, rebuilds the books: they are the venue's at "
      "the end; in virtual time");
  command.add_flag("--limits", settings.has_limits,
                   "Limits of size, price, rate, open orders, position and repetition that the flow meets; what they "
                   "refuse is counted on both sides");
  command
      .add_option("--admin", settings.admin_port,
                  "Port of this machine where dojima admin and Prometheus reach the venue, 0: any free one; the token "
                  "is said; virtual time then keeps to the clock's (--speed 1)")
      .type_name("PORT");
  options->json.add_to(command);
  command.add_option("--report", options->report, "Write the result as one HTML page to FILE").type_name("FILE");
  command.add_flag("--no-progress", options->is_silent, "No progress line");
  command.footer(
      "Every request has a due time; latency counts from there, so a client that falls behind is not hidden.\n"
      "example: dojima demo --seconds 5 --clients 4 --rate 20000 --json demo.json --report demo.html\n"
      "         dojima demo --virtual --rate 20000 --service gateway=constant:5us --service venue=exponential:20us\n"
      "         dojima demo --seconds 10 --rate 2000 --kill gateway,venue --kills 6\n"
      "         dojima demo --day --seconds 120 --dashboard\n"
      "         dojima demo --day --seconds 20 --feed --limits\n"
      "         dojima demo --seconds 60 --admin 9877    # and dojima admin --connect 127.0.0.1:9877 kill DEMO1 "
      "cancel\n"
      "         dojima demo --knee --seconds 3 --rate 20000 --idle block");
  command.on_run([options, &status] { status = run_demo(*options); });
}

}  // namespace dojima::cli
