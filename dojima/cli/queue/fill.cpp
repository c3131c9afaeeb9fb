// dojima queue fill, dojima queue calibrate

#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/data/queue_reactive_input.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/queueing/fills/fill_presentation.hpp"
#include "dojima/recorded/days/queue_reactive_calibration.hpp"
#include "dojima/recorded/files/convert.hpp"

namespace dojima::cli {
namespace {

using queueing::Answer;
using recorded::RecordedEvent;
using recorded::RecordedInstrument;

struct FillOptions {
  InstrumentOptions instrument;
  RecordedInput input;
  std::string only;
  std::string out;
  std::string fit_until, place = "back";
  double horizon_s = 10, every_s = 1, block_s = 300, confidence = 0.95;
  std::size_t runs = 400;
  std::uint64_t seed = 1;
};

queueing::Refusal wrong(const FillOptions& options, const std::string& text) {
  return queueing::impossible(options.input.file + ": " + text);
}

time::Duration duration_of(double seconds) {
  return time::Duration{static_cast<std::int64_t>(seconds * 1e9)};
}

/// Gives all events of the file to `take`.
template <class Take>
Answer<bool> read_events(const FillOptions& options, InstrumentRun& run, const char* what, Take take) {
  const auto opened = options.input.options();
  if (!opened) return std::unexpected(queueing::impossible("an option makes no sense"));
  auto file = recorded::RecordedFile::open(options.input.file, *opened);
  if (!file) return std::unexpected(queueing::impossible(file.error()));
  std::uint64_t events = 0;
  for (auto batch = file->reader().next_batch(); !batch.empty(); batch = file->reader().next_batch()) {
    if (run.is_interrupted()) return std::unexpected(queueing::impossible("interrupted"));
    take(batch, file->reader().instruments());
    events += batch.size();
    const auto progress = file->progress();
    run.show(what, static_cast<double>(events), progress && *progress > 0 ? static_cast<double>(events) / *progress : 0,
             "events");
  }
  if (const std::string trouble = file->trouble(); !trouble.empty())
    return std::unexpected(queueing::impossible(trouble));
  return true;
}

/// What the first pass finds.
struct Overview {
  std::uint32_t instrument = 0;
  std::int64_t tick = 1, order_quantity = 1;
  time::Time first = recorded::k_unknown_time, last = recorded::k_unknown_time;
};

Answer<Overview> look_over(const FillOptions& options, InstrumentRun& run) {
  if (options.input.file == "-")
    return std::unexpected(queueing::impossible("the recording is read twice: name a file, not standard input"));
  recorded::OrderQuantity orders;
  Overview seen;
  const auto read = read_events(options, run, "orders", [&](auto events, const auto& instruments) {
    orders.take(events, instruments);
    for (const RecordedEvent& event : events) {
      const time::Time now = event.replay_time();
      if (now == recorded::k_unknown_time) continue;
      if (seen.first == recorded::k_unknown_time) seen.first = now;
      seen.last = std::max(seen.last, now);
    }
  });
  if (!read) return std::unexpected(read.error());
  const auto instrument = orders.instrument(options.only);
  if (!instrument) return std::unexpected(wrong(options, instrument.error()));
  seen.instrument = *instrument;
  seen.tick = orders.tick(*instrument);
  seen.order_quantity = orders.mean(*instrument);
  return seen;
}

/// A moment, or a share of the day: "50%".
Answer<time::Time> fit_until(const FillOptions& options, const Overview& seen) {
  if (options.fit_until.ends_with('%')) {
    double percent = 0;
    const char* const end = options.fit_until.data() + options.fit_until.size() - 1;
    const auto read = std::from_chars(options.fit_until.data(), end, percent);
    if (read.ec != std::errc{} || read.ptr != end || !(percent > 0 && percent < 100))
      return std::unexpected(
          queueing::impossible(fmt::format("--fit-until: \"{}\" is no share between 0% and 100%", options.fit_until)));
    return seen.first + time::Duration{static_cast<std::int64_t>(static_cast<double>((seen.last - seen.first).count()) *
                                                                 percent / 100)};
  }
  const auto moment = recorded::parse_moment(options.fit_until);
  if (!moment) return std::unexpected(queueing::impossible("--fit-until: " + moment.error()));
  if (*moment <= seen.first || *moment >= seen.last)
    return std::unexpected(wrong(options, "--fit-until is not within its time: nothing to fit, or nothing to judge"));
  return *moment;
}

Answer<recorded::QueueReactiveCalibration> calibration_for(const FillOptions& options, const Overview& seen) {
  try {
    return recorded::QueueReactiveCalibration({}, seen.instrument, seen.tick, seen.order_quantity);
  } catch (const std::exception& error) {
    return std::unexpected(wrong(options, error.what()));
  }
}

Answer<bool> study_fills(const FillOptions& options, InstrumentRun& run, evidence::Artefact& artefact) {
  const auto seen = look_over(options, run);
  if (!seen) return std::unexpected(seen.error());
  const auto until = fit_until(options, *seen);
  if (!until) return std::unexpected(until.error());
  auto calibration = calibration_for(options, *seen);
  if (!calibration) return std::unexpected(calibration.error());
  queueing::TouchRatesCounter rates(seen->instrument, seen->tick, seen->order_quantity);
  const time::Duration horizon = duration_of(options.horizon_s);
  std::string symbol;
  std::optional<queueing::FillSampler> sampler;
  const auto read = read_events(options, run, "fills", [&](auto events, const auto& instruments) {
    if (!sampler && seen->instrument < instruments.size())
      sampler.emplace(queueing::FillPlan{.horizon = horizon,
                                         .every = duration_of(options.every_s),
                                         .is_asked_again = options.place == "any",
                                         .symbol = instruments[seen->instrument].symbol});
    if (sampler) sampler->take(events, instruments);
    std::size_t fitted = 0;
    while (fitted < events.size() && events[fitted].replay_time() < *until) ++fitted;
    calibration->take(events.first(fitted), instruments);
    rates.take(events.first(fitted), instruments);
  });
  if (!read) return std::unexpected(read.error());
  auto samples = sampler->finish();
  if (!samples) return std::unexpected(wrong(options, samples.error().text));
  const auto model = calibration->model();
  if (!model) return std::unexpected(wrong(options, model.error()));
  const queueing::FillStudyPlan plan{
      .fit_until = *until,
      .horizon = horizon,
      .tick = seen->tick,
      .order_quantity = seen->order_quantity,
      .touch_rates = &rates,
      .queue_reactive = model->rates,
      .runs = options.instrument.is_quick ? std::min<std::size_t>(options.runs, 100) : options.runs,
      .block_s = options.block_s,
      .confidence = options.confidence,
      .seed = options.seed};
  const auto study = queueing::study_fills(*samples, plan);
  if (!study) return std::unexpected(wrong(options, study.error().text));
  artefact.set_parameter("fit_until_ns", time::nanoseconds_of(*until))
      .set_parameter("horizon_s", options.horizon_s)
      .set_parameter("every_s", options.every_s)
      .set_parameter("place", options.place)
      .set_parameter("runs", plan.runs)
      .set_parameter("tick", seen->tick)
      .set_parameter("order_quantity", seen->order_quantity)
      .set_parameter("seed", options.seed);
  queueing::add_fill_study(artefact, *study, plan);
  return true;
}

Answer<bool> calibrate(const FillOptions& options, InstrumentRun& run, evidence::Artefact& artefact) {
  const auto opened = options.input.options();
  if (!opened) return std::unexpected(queueing::impossible("an option makes no sense"));
  const auto market = calibrated_market(options.input.file, *opened, options.only, run);
  if (!market) return std::unexpected(queueing::impossible(market.error()));
  const recorded::QueueReactiveModel* const model = &market->model;
  if (!write_file(options.out, recorded::write_queue_reactive(*model)))
    return std::unexpected(queueing::impossible(options.out + ": not written"));
  evidence::Table table{.name = "rates",
                        .title = "events a second at one price, by distance from the middle and length of the queue",
                        .columns = {{.name = "distance"},
                                    {.name = "length"},
                                    {.name = "limit", .decimals = 4},
                                    {.name = "cancel", .decimals = 4},
                                    {.name = "execution", .decimals = 4},
                                    {.name = "share_of_time", .decimals = 4}}};
  for (std::size_t at = 0; at < model->rates.distances.size(); ++at) {
    double seconds = 0;
    for (std::uint32_t length = 0; length < model->rates.lengths; ++length)
      seconds += static_cast<double>(model->rates.of(at, length).occupancy);
    for (std::uint32_t length = 0; length < model->rates.lengths; ++length) {
      const flow::QueueRates& rates = model->rates.of(at, length);
      table.add_row({model->rates.distances[at], length, static_cast<double>(rates.limit) / 1e6,
                     static_cast<double>(rates.cancel) / 1e6, static_cast<double>(rates.execution) / 1e6,
                     seconds > 0 ? static_cast<double>(rates.occupancy) / seconds : 0});
    }
  }
  table.notes.push_back(fmt::format("{} of {} changes of the book lay within the distances; an order is {}, a tick {}",
                                    market->events_within, market->events_seen, model->order_quantity,
                                    model->instrument.tick));
  artefact.add_table(std::move(table));
  return true;
}

using FillRun = Answer<bool> (*)(const FillOptions&, InstrumentRun&, evidence::Artefact&);

void run_fill(Command command, const char* name, std::shared_ptr<FillOptions> options, int& status, FillRun work) {
  command.on_run([=, options = std::move(options), &status] {
    InstrumentRun run(options->instrument);
    if (!run.can_write()) {
      status = k_environment;
      return;
    }
    evidence::Artefact artefact(std::string("dojima queue ") + name);
    const auto done = work(*options, run, artefact);
    status = done ? run.finish(artefact, {}) : refuse(done.error());
  });
}

void add_fill_options(Command command, FillOptions& options) {
  command
      .add_option("--fit-until", options.fit_until,
                  "What is known by then is fitted, the rest is judged: 2012-06-21T16:45:00 (UTC), or 50%")
      .required()
      .type_name("TIME");
  command.add_option("--horizon", options.horizon_s, "Filled within so many seconds")
      .between(1e-3, 86'400.0)
      .show_default();
  command.add_option("--every", options.every_s, "Seconds between two orders of a side")
      .between(1e-3, 86'400.0)
      .show_default();
  command
      .add_option("--place", options.place,
                  "back: orders are judged as they join; any: again and again while they wait at the best price")
      .one_of({"back", "any"})
      .show_default();
  command.add_option("--runs", options.runs, "Simulations of the queue-reactive market, a state")
      .between(std::size_t{10}, std::size_t{1'000'000})
      .show_default();
  command.add_option("--block", options.block_s, "Seconds that the bootstrap draws together")
      .between(1.0, 86'400.0)
      .show_default();
  command.add_option("--confidence", options.confidence, "Of the skill's interval").between(0.5, 0.99).show_default();
  command.add_option("--seed", options.seed, "Of simulations and bootstrap").show_default();
}

}  // namespace

void add_queue_fill(Command queue, int& status) {
  Command fills = queue.add_command("fill", "Whether an order in a queue is filled in time: forecasts, judged");
  auto options = std::make_shared<FillOptions>();
  options->input.add_to(fills);
  fills.add_option("--only", options->only, "The instrument; the one with the most orders otherwise")
      .type_name("SYMBOL");
  add_fill_options(fills, *options);
  options->instrument.add_to(fills);
  fills.footer("example: dojima queue fill day.itch.gz --only AMZN --fit-until 50% --report fills.html");
  run_fill(fills, "fill", options, status, study_fills);

  Command rates = queue.add_command("calibrate", "The queue-reactive market that is like a recorded day, as a file");
  options = std::make_shared<FillOptions>();
  options->input.add_to(rates);
  rates.add_option("--only", options->only, "The instrument; the one with the most orders otherwise")
      .type_name("SYMBOL");
  rates.add_option("--out", options->out, "File for the parameters, which dojima gen --like takes").required();
  options->instrument.add_to(rates);
  rates.footer(
      "example: dojima queue calibrate day.itch.gz --out day.qr && dojima gen --model queue-reactive "
      "--like day.qr --out like.events");
  run_fill(rates, "calibrate", options, status, calibrate);
}

}  // namespace dojima::cli
