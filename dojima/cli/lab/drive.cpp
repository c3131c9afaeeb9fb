// dojima lab drive

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "dojima/app/demo/presentation.hpp"
#include "dojima/app/demo/run.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/cli/lab/lab.hpp"
#include "dojima/cli/queue/arrivals.hpp"
#include "dojima/measure/timing_clock.hpp"
#include "dojima/queueing/trace_study.hpp"

namespace dojima::cli {
namespace {

namespace demo = app::demo;
using measure::ServiceRecord;

struct DriveOptions {
  InstrumentOptions instrument;
  ArrivalOptions arrivals;
  demo::Settings settings{.seconds = 5, .clients = 2, .rate = 5'000};
  std::vector<std::string> services;
  double load = 0;
  std::string folder;
  bool is_over_sockets = false;
  std::string topology;
};

struct Stage {
  const char* name;
  std::uint16_t kind;
};
constexpr Stage k_drive_stages[] = {
    {"gateway", demo::k_gateway_kind}, {"venue", demo::k_venue_kind}, {"road", demo::k_road_kind}};

/// How well a stage's own arrivals and services give its waits again, by Lindley's recursion. `close_ns`: what the
/// clock cannot distinguish.
std::vector<evidence::Cell> replayed(const std::string& path, std::span<const ServiceRecord> records, double close_ns,
                                     bool is_over_sockets) {
  const auto trace = queueing::trace_of(records, records.front().kind);
  if (!trace) return {path, "-", "-", "-", "-", "-", "-", "-", trace.error().text};
  const queueing::ReplayCheck check = queueing::replay(*trace, close_ns);
  const char* const verdict = check.most_in_service > 1   ? "several at once: no single server"
                              : check.share_close == 1    ? "the same waits"
                              : check.share_close >= 0.99 ? "the same but for a few"
                              : is_over_sockets           ? "others: they have the way through the kernel in them"
                                                          : "others: something else had the processor";
  return {path,
          check.most_in_service,
          check.mean_measured / 1e3,
          check.mean_replayed / 1e3,
          check.p99_measured / 1e3,
          check.p99_replayed / 1e3,
          check.share_close,
          check.largest_difference_ns,
          verdict};
}

/// Writes a trace for each stage that has services, and what is in it as tables. False: that has been reported.
bool write_traces(const DriveOptions& options, const demo::DemoResult& result, double close_ns,
                  evidence::Artefact& artefact) {
  evidence::Table table{.name = "traces",
                        .title = "service traces written: dojima queue fit FILE",
                        .columns = {{"file"},
                                    {"kind"},
                                    {"services"},
                                    {"per_second", 0},
                                    {"load", 4},
                                    {"mean_service_us", 3},
                                    {"mean_wait_us", 3}}};
  evidence::Table again{
      .name = "replay",
      .title = "waits as captured, and as the capture's own arrivals and services give them",
      .columns = {{"file"},
                  {"at_once"},
                  {"mean_wait_us", 3},
                  {"mean_replayed_us", 3},
                  {"p99_wait_us", 3},
                  {"p99_replayed_us", 3},
                  {"share_same", 5},
                  {"largest_difference_ns", 0},
                  {"verdict"}},
      .notes = {fmt::format("same: within {:g} ns, {}", close_ns,
                            close_ns > 0 ? "two steps or readings of the clock" : "in virtual time")}};
  for (const Stage& stage : k_drive_stages) {
    std::vector<ServiceRecord> records;
    std::ranges::copy_if(result.services, std::back_inserter(records),
                         [&](const ServiceRecord& record) { return record.kind == stage.kind; });
    if (records.empty()) continue;
    double service = 0;
    double wait = 0;
    for (const ServiceRecord& record : records) {
      service += static_cast<double>(record.end_ns - record.start_ns);
      wait += static_cast<double>(record.start_ns - record.arrival_ns);
    }
    const auto n = static_cast<double>(records.size());
    const double span = static_cast<double>(records.back().arrival_ns - records.front().arrival_ns);
    const std::string path = (std::filesystem::path(options.folder) / (std::string(stage.name) + ".svc")).string();
    if (!write_file(path, measure::encode_service_trace(records))) return false;
    table.add_row({path, stage.kind, records.size(), span > 0 ? n / span * 1e9 : 0, span > 0 ? service / span : 0,
                   service / n / 1e3, wait / n / 1e3});
    again.add_row(replayed(path, records, close_ns, options.is_over_sockets));
  }
  artefact.add_table(std::move(table)).add_table(std::move(again));
  return true;
}

/// The rate that a load of the busiest place takes, when each request has one report.
std::uint64_t rate_of(double load, const demo::ServicePlan& plan) {
  const double gateway = plan.at(demo::Serving::gateway).mean_ns + plan.at(demo::Serving::reports).mean_ns;
  const double busiest = std::max(gateway, plan.at(demo::Serving::venue).mean_ns);
  return static_cast<std::uint64_t>(std::max(1.0, load * 1e9 / busiest + 0.5));
}

/// The settings in the words; nothing: what is wrong with them has been reported.
std::optional<demo::Settings> settings_of(const DriveOptions& options) {
  demo::Settings settings = options.settings;
  const bool is_virtual = settings.is_virtual;
  const auto wrong = [](const std::string& text) {
    complain(text);
    return std::nullopt;
  };
  auto services = demo::parse_service_plan(options.services);
  if (!services) return wrong(services.error());
  if (is_virtual && options.is_over_sockets)
    return wrong("there are no sockets in virtual time: leave one of both out");
  if (!options.is_over_sockets && !options.topology.empty())
    return wrong("threads are shared out over sockets only: say --sockets, or leave --topology out");
  if (is_virtual && services->is_none())
    return wrong("in virtual time nothing takes time by itself: give services, such as --service exponential:20us");
  if (!is_virtual && !services->is_none())
    return wrong(
        "services are given in virtual time only: say --virtual, or leave --service out and they are measured");
  if (options.load > 0 && !is_virtual)
    return wrong("what a request takes is not known before it was measured: give --rate, not --load");
  settings.services = std::move(*services);
  if (options.load > 0) settings.rate = rate_of(options.load, settings.services);
  settings.is_virtual = !options.is_over_sockets;
  settings.is_timed = !is_virtual && !options.is_over_sockets;
  if (!options.topology.empty()) settings.topology = *demo::topology_of(options.topology);
  settings.arrivals = options.arrivals.config();
  settings.keeps_services = true;
  if (options.instrument.is_quick) settings.seconds = std::min(settings.seconds, 0.5);
  if (const char* complaint = demo::complaint(settings)) return wrong(complaint);
  return settings;
}

int drive(const DriveOptions& options) {
  const auto settings = settings_of(options);
  if (!settings) return k_usage;
  if (const auto overload = demo::overload_of(settings->services, static_cast<double>(settings->rate))) {
    fmt::print("{}\n", *overload);
    return k_failed;
  }
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  if (error) {
    complain(fmt::format("{}: {}", options.folder, error.message()));
    return k_environment;
  }
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  const auto result = demo::run(
      *settings, [&] { return run.is_interrupted(); },
      [&](const demo::Progress& now) {
        run.show("flow", now.seconds, settings->seconds, options.settings.is_virtual ? "s of virtual time" : "s");
      });
  if (!result) {
    complain(result.error());
    return k_environment;
  }
  evidence::Artefact artefact = demo::artefact_of(*result, "dojima lab drive");
  artefact.set_parameter("arrivals", options.arrivals.model);
  artefact.set_parameter("sockets", options.is_over_sockets);
  const measure::TimingClock timing = measure::measure_timing_clock();
  const double close_ns = options.settings.is_virtual ? 0 : 2 * timing.resolution_ns();
  if (!write_traces(options, *result, close_ns, artefact)) return k_environment;
  return run.finish(artefact, {.ns_per_tick = 1, .quantum_ns = timing.quantum_ns});
}

}  // namespace

void add_lab_drive(Command lab, int& status) {
  Command command = lab.add_command("drive", "Open loop against gateway and venue in this process: service traces");
  auto options = std::make_shared<DriveOptions>();
  demo::Settings& settings = options->settings;
  command.add_option("--out", options->folder, "Where gateway.svc, venue.svc and road.svc are written")
      .required()
      .type_name("FOLDER");
  command.add_option("--seconds", settings.seconds, "How long requests are made").show_default();
  command.add_option("--clients", settings.clients, "FIX clients, 1 to 64").show_default();
  command.add_option("--rate", settings.rate, "Requests per second, all clients together").show_default();
  command.add_option("--load", options->load, "Instead, in virtual time: of the busiest place, one report a request")
      .positive();
  command.add_option("--seed", settings.seed, "Of the order flow and the services").show_default();
  options->arrivals.add_to(command, {"poisson", "bursts", "hawkes"}, "When requests fall due");
  command.add_flag("--virtual", settings.is_virtual, "In virtual time, with the services given; nothing is measured");
  command
      .add_option("--service", options->services,
                  "As of dojima demo: exponential:20us, venue=constant:5us, a service trace; repeat")
      .one_value_per_use()
      .type_name("[WHERE=]LAW:TIME|FILE");
  command.add_flag("--sockets", options->is_over_sockets, "Over loopback sockets, in threads of their own");
  command.add_option("--topology", options->topology, "Of the threads over sockets: as of dojima demo; two otherwise")
      .one_of({"shared", "two", "three"});
  options->instrument.add_to(command);
  command.footer(
      "Without --virtual one thread does each request from the client to the answer and no request before its due "
      "time;\n"
      "it spins in between. road.svc has due time, beginning and end of each, gateway.svc and venue.svc what they "
      "took.\n"
      "With --sockets requests overlap: road.svc has due time, sending and answer, and at gateway and venue a message\n"
      "arrives when the one before sent it.\n"
      "example: dojima lab drive --rate 5000 --out captured && dojima queue fit captured/road.svc\n"
      "         dojima lab drive --virtual --service venue=exponential:20us --load 0.5 --arrivals bursts --out calm");
  command.on_run([options, &status] { status = drive(*options); });
}

}  // namespace dojima::cli
