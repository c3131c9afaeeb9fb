// dojima gen

#include <fmt/core.h>
#include <map>
#include <memory>
#include <stdexcept>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/data/queue_reactive_input.hpp"
#include "dojima/cli/lab/instrument.hpp"
#include "dojima/recorded/days/calibration.hpp"
#include "dojima/recorded/days/generated_day.hpp"
#include "dojima/recorded/files/convert.hpp"
#include "dojima/recorded/files/event_file.hpp"

namespace dojima::cli {
namespace {

using flow::ArrivalModel;

const std::map<std::string, ArrivalModel> k_models = {
    {"poisson", ArrivalModel::poisson}, {"bursts", ArrivalModel::bursts}, {"hawkes", ArrivalModel::hawkes}};

const char* const k_queue_reactive = "queue-reactive";

std::string model_name(ArrivalModel model) {
  for (const auto& [name, value] : k_models)
    if (value == model) return name;
  return {};
}

struct GenRequest {
  std::string out, to, like, model, start;
  std::uint64_t seed = 1;
  std::uint64_t rate = 0;  // 0: the model's, or the file's
  std::uint64_t requests = 0;
  double seconds = 0;
  std::uint32_t instruments = 1;
  std::uint32_t clients = 0;
  std::size_t resting = 0;
  std::uint32_t branching = 0, burst_share = 0, burst_factor = 0;
  double memory_ms = 0, burst_ms = 0;
  std::int64_t mid_move = -1;
  RecordedInput file;
  InstrumentOptions output;
};

/// None: that has been reported.
std::optional<recorded::GeneratedDayConfig> like_file(const GenRequest& request, InstrumentRun& run) {
  const auto options = request.file.options();
  if (!options) return std::nullopt;
  auto file = recorded::RecordedFile::open(request.like, *options);
  if (!file) {
    complain(file.error());
    return std::nullopt;
  }
  recorded::Calibration calibration;
  std::uint64_t events = 0;
  for (auto batch = file->reader().next_batch(); !batch.empty() && !run.is_interrupted();
       batch = file->reader().next_batch()) {
    calibration.take(batch, file->reader().instruments());
    events += batch.size();
    const auto progress = file->progress();
    run.show("like " + request.like, static_cast<double>(events),
             progress && *progress > 0 ? static_cast<double>(events) / *progress : 0, "events");
  }
  if (const std::string trouble = file->trouble(); !trouble.empty()) complain(trouble);
  auto config = calibration.config(request.seed);
  if (config) return *std::move(config);
  complain(request.like + ": " + config.error());
  return std::nullopt;
}

recorded::GeneratedDayConfig plain_day(const GenRequest& request) {
  recorded::GeneratedDayConfig config;
  config.flow.seed = request.seed;
  config.instruments.clear();
  for (std::uint32_t at = 0; at < request.instruments; ++at)
    config.instruments.push_back({.symbol = request.instruments == 1 ? "RICE" : fmt::format("RICE{}", at + 1)});
  return config;
}

time::Duration milliseconds(double count) {
  return time::Duration{static_cast<std::int64_t>(count * 1e6)};
}

/// What was said wins over the file and the defaults.
void apply_options(const GenRequest& request, recorded::GeneratedDayConfig& config) {
  flow::ArrivalConfig& arrivals = config.flow.arrivals;
  if (!request.model.empty()) arrivals.model = k_models.at(request.model);
  if (request.rate != 0) config.flow.rate = request.rate;
  if (request.clients != 0) config.flow.clients = request.clients;
  if (request.resting != 0) config.resting_target = request.resting;
  if (request.branching != 0) arrivals.branching = request.branching;
  if (request.burst_share != 0) arrivals.burst_share = request.burst_share;
  if (request.burst_factor != 0) arrivals.burst_factor = request.burst_factor;
  if (request.memory_ms > 0) arrivals.memory = milliseconds(request.memory_ms);
  if (request.burst_ms > 0) arrivals.burst_length = milliseconds(request.burst_ms);
  if (request.mid_move >= 0) config.flow.mid_move = static_cast<std::uint32_t>(request.mid_move);
  if (request.requests != 0) {
    config.requests = request.requests;
    config.length = {};
  }
  if (request.seconds > 0) config.length = milliseconds(request.seconds * 1000);
  if (config.requests == 0 && config.length <= time::Duration{}) config.requests = 100'000;
}

evidence::Table model_table(const recorded::GeneratedDayConfig& config) {
  const flow::ArrivalConfig& arrivals = config.flow.arrivals;
  const flow::Shares& shares = config.flow.shares;
  evidence::Table table{.name = "model", .title = "what was generated", .columns = {{"what"}, {"value", 3}}};
  table.add_row({"arrivals", model_name(arrivals.model)});
  table.add_row({"requests_per_second", config.flow.rate});
  if (arrivals.model == ArrivalModel::hawkes) {
    table.add_row({"branching_thousandths", arrivals.branching});
    table.add_row({"memory_ms", static_cast<double>(arrivals.memory.count()) / 1e6});
  }
  if (arrivals.model == ArrivalModel::bursts) {
    table.add_row({"burst_share_thousandths", arrivals.burst_share});
    table.add_row({"burst_factor", arrivals.burst_factor});
    table.add_row({"burst_ms", static_cast<double>(arrivals.burst_length.count()) / 1e6});
  }
  table.add_row({"cancel_thousandths", shares.cancel});
  table.add_row({"replace_thousandths", shares.replace});
  table.add_row(
      {"aggressive_thousandths", shares.market + shares.immediate_or_cancel + shares.fill_or_kill + shares.crossing});
  table.add_row({"mid_move_thousandths", config.flow.mid_move});
  table.add_row({"instruments", config.instruments.size()});
  return table;
}

/// False: the start makes no sense; that has been reported.
bool apply_start(const GenRequest& request, time::Time& start) {
  if (request.start.empty()) return true;
  const auto moment = recorded::parse_moment(request.start);
  if (!moment) {
    complain(moment.error());
    return false;
  }
  start = *moment;
  return true;
}

recorded::Format format_of(const GenRequest& request) {
  return request.to.empty() ? recorded::format_for(request.out) : *recorded::format_named(request.to);
}

/// The day of a queue-reactive market; none: what is wrong has been reported.
std::optional<recorded::QueueReactiveDayConfig> queue_reactive_config(const GenRequest& request, InstrumentRun& run) {
  if (request.like.empty()) {
    complain("--model queue-reactive has no rates of its own: --like names a recorded day, or a file of parameters");
    return std::nullopt;
  }
  const auto options = request.file.options();
  if (!options) return std::nullopt;
  auto market = market_like(request.like, *options, run);
  if (!market) {
    complain(market.error());
    return std::nullopt;
  }
  recorded::QueueReactiveDayConfig config{.model = std::move(market->model), .seed = request.seed};
  config.events = request.requests;
  if (request.requests != 0) config.model.length = milliseconds(1e12);
  if (request.seconds > 0) config.model.length = milliseconds(request.seconds * 1000);
  if (!apply_start(request, config.model.start)) return std::nullopt;
  return config;
}

int generate_queue_reactive(const GenRequest& request, InstrumentRun& run) {
  const auto config = queue_reactive_config(request, run);
  if (!config) return k_usage;
  std::optional<recorded::QueueReactiveDay> day;
  try {
    day.emplace(*config);
  } catch (const std::invalid_argument& error) {
    complain(request.like + ": " + error.what());
    return k_usage;
  }
  const double length_s = static_cast<double>(config->model.length.count()) * 1e-9;
  const recorded::ConvertHooks hooks{.is_interrupted = [&] { return run.is_interrupted(); },
                                     .show =
                                         [&](const recorded::ConvertNow&) {
                                           const auto done =
                                               static_cast<double>((day->now() - config->model.start).count());
                                           if (config->events != 0) {
                                             run.show("generated", static_cast<double>(day->changes()),
                                                      static_cast<double>(config->events), "changes");
                                           } else {
                                             run.show("generated", done * 1e-9, length_s, "s");
                                           }
                                         }};
  const auto result = recorded::write_events(*day, request.out, format_of(request), hooks);
  if (!result) {
    complain(result.error());
    return k_environment;
  }
  evidence::Artefact artefact("dojima gen");
  artefact.set_parameter("seed", request.seed)
      .set_parameter("model", k_queue_reactive)
      .set_parameter("to", std::string(recorded::name_of(format_of(request))));
  evidence::Table table{.name = "written",
                        .title = "what was written",
                        .columns = {{"changes"}, {"events"}, {"trades"}, {"bytes"}, {"seconds", 3}}};
  table.add_row({day->changes(), result->events_written, day->type_counts().back().count, result->bytes_written,
                 static_cast<double>((day->now() - config->model.start).count()) / 1e9});
  artefact.add_table(std::move(table));
  return run.finish(artefact, {});
}

int generate(const GenRequest& request) {
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  if (request.model == k_queue_reactive) return generate_queue_reactive(request, run);
  recorded::GeneratedDayConfig config;
  if (request.like.empty()) {
    config = plain_day(request);
  } else {
    auto like = like_file(request, run);
    if (!like) return k_usage;
    config = *std::move(like);
  }
  apply_options(request, config);
  if (!apply_start(request, config.start)) return k_usage;
  recorded::GeneratedDay day(config);
  const recorded::Format format = format_of(request);
  const recorded::ConvertHooks hooks{
      .is_interrupted = [&] { return run.is_interrupted(); },
      .show =
          [&](const recorded::ConvertNow&) {
            const double total = config.requests != 0 ? static_cast<double>(config.requests)
                                                      : static_cast<double>(config.length.count()) * 1e-9 *
                                                            static_cast<double>(config.flow.rate);
            run.show("generated", static_cast<double>(day.requests()), total, "requests");
          }};
  const auto result = recorded::write_events(day, request.out, format, hooks);
  if (!result) {
    complain(result.error());
    return k_environment;
  }
  evidence::Artefact artefact("dojima gen");
  artefact.set_parameter("seed", request.seed)
      .set_parameter("model", model_name(config.flow.arrivals.model))
      .set_parameter("to", std::string(recorded::name_of(format)));
  artefact.add_table(model_table(config));
  evidence::Table table{.name = "written",
                        .title = "what was written",
                        .columns = {{"requests"}, {"events"}, {"trades"}, {"bytes"}, {"seconds", 3}}};
  table.add_row({day.requests(), result->events_written, day.type_counts().back().count, result->bytes_written,
                 static_cast<double>((day.now() - config.start).count()) / 1e9});
  artefact.add_table(std::move(table));
  return run.finish(artefact, {});
}

}  // namespace

void add_gen(Command program, int& status) {
  Command command =
      program.add_command("gen", "Make recorded data: order flow of a model, through the matching book, as a file");
  auto request = std::make_shared<GenRequest>();
  command.add_option("--out", request->out, "File to write: CSV when its name ends in .csv, else the compact format")
      .required();
  command.add_option("--to", request->to, "Write this format, whatever the name says")
      .one_of(recorded::writable_formats());
  command
      .add_option(
          "--model", request->model,
          "When requests arrive: poisson, bursts (a rate that jumps: MMPP) or hawkes (they excite each other); or "
          "queue-reactive: a market whose rates depend on its queues, with --like")
      .one_of({"poisson", "bursts", "hawkes", k_queue_reactive});
  command
      .add_option("--like", request->like,
                  "Take rate, clustering, sizes, distances from the mid and shares from this recorded file; "
                  "queue-reactive: also a file of parameters, as dojima queue calibrate writes them")
      .type_name("FILE");
  request->file.add_options_to(command);
  command.add_option("--seed", request->seed, "Same seed, same file").show_default();
  command.add_option("--rate", request->rate, "Requests per second in the mean (default 20000)");
  command.add_option("--requests", request->requests, "How many (default 100000, or as long as the file of --like)");
  command.add_option("--seconds", request->seconds, "How long");
  command.add_option("--start", request->start, "When the day begins: 2023-11-14T22:13:20 (UTC)").type_name("TIME");
  command.add_option("--instruments", request->instruments, "How many, without --like").between(1, 1000).show_default();
  command.add_option("--clients", request->clients, "Who send them (default 4)").between(1, 1000);
  command.add_option("--resting", request->resting,
                     "Orders of a client, instrument and side that cancels leave alone (25)");
  command.add_option("--branching", request->branching, "hawkes: arrivals that one causes, in thousandths (700)")
      .between(0, 990);
  command.add_option("--memory-ms", request->memory_ms, "hawkes: how long one excites others (10)");
  command.add_option("--burst-share", request->burst_share, "bursts: of the time, in thousandths (100)")
      .between(1, 999);
  command.add_option("--burst-factor", request->burst_factor, "bursts: times the calm rate (10)").between(2, 100);
  command.add_option("--burst-ms", request->burst_ms, "bursts: their mean length (50)");
  command
      .add_option("--mid-move", request->mid_move, "Chance in thousandths that the mid moves a tick at a request (20)")
      .between(0, 1000);
  request->output.json.add_to(command);
  command.add_flag("--no-progress", request->output.is_silent, "No progress line");
  command.footer(
      "example: dojima gen --model hawkes --rate 5000 --seconds 60 --out day.events\n"
      "         dojima gen --like AMZN_2012-06-21_34200000_57600000_message_1.csv.gz --out like-amzn.csv");
  command.on_run([request, &status] { status = generate(*request); });
}

}  // namespace dojima::cli
