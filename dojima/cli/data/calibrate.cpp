// dojima backtest calibrate FILE

#include <algorithm>
#include <fmt/core.h>
#include <memory>
#include <thread>

#include "dojima/backtest/queue_calibration.hpp"
#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/data/data.hpp"
#include "dojima/cli/lab/instrument.hpp"

namespace dojima::cli {
namespace {

struct CalibrateRequest {
  RecordedInput file;
  EventChoice choice;
  std::string life = "1s";
  std::size_t passes = 2, threads = 0;
  InstrumentOptions output;
};

int calibrate(CalibrateRequest& request) {
  const auto recorded_options = request.file.options();
  if (!recorded_options || !request.choice.read()) return k_usage;
  const auto life = backtest::parse_duration(request.life);
  if (!life || *life == time::Duration{}) {
    complain("--life takes a time above 0, such as 1s; got \"" + request.life + "\"");
    return k_usage;
  }
  backtest::QueueCalibrationSettings settings{.life = *life, .passes = request.passes};
  settings.threads = request.threads != 0 ? request.threads : std::max(1U, std::thread::hardware_concurrency());
  settings.day.file = request.file.file;
  settings.day.recorded = *recorded_options;
  settings.day.from = request.choice.from_time;
  settings.day.until = request.choice.until_time;
  settings.day.symbols = request.choice.symbols;
  InstrumentRun run(request.output);
  if (!run.can_write()) return k_environment;
  const auto result = backtest::calibrate_queue(settings, {.is_interrupted = [&run] { return run.is_interrupted(); },
                                                           .progress =
                                                               [&run](std::size_t done, std::size_t runs) {
                                                                 run.show("calibrate", static_cast<double>(done),
                                                                          static_cast<double>(runs), "runs");
                                                               }});
  if (!result) {
    complain(result.error());
    return k_usage;
  }
  evidence::Artefact artefact = backtest::artefact_of(settings, *result);
  return run.finish(artefact, {});
}

}  // namespace

void add_calibrate(Command backtest, bool& was_run, int& status) {
  Command command =
      backtest.add_command("calibrate", "Which queue model is nearest to the truth, on a day with orders");
  auto request = std::make_shared<CalibrateRequest>();
  request->file.add_to(command);
  command.add_option("--life", request->life, "How long a probe waits for its fill before it is cancelled")
      .show_default();
  command.add_option("--passes", request->passes, "How often over the day, each with probes at other instants")
      .between(std::size_t{1}, std::size_t{100})
      .show_default();
  command.add_option("--threads", request->threads, "How many runs at a time; 0: one for each processor")
      .between(std::size_t{0}, std::size_t{1024})
      .show_default();
  request->choice.add_to(command);
  request->output.json.add_to(command);
  command.add_option("--report", request->output.page, "Write a report page").type_name("FILE");
  command.add_flag("--no-progress", request->output.is_silent, "No live line");
  command.footer(
      "Probes of one lot join both best prices. They run through the exchange `orders`, which knows their place, and\n"
      "through `levels` with each queue model; the nearest model comes first. Exit status 1: fewer than 30 fills.\n"
      "example: dojima backtest calibrate day.events --life 500ms --report calibration.html");
  command.on_run([request, &was_run, &status] {
    was_run = true;
    status = calibrate(*request);
  });
}

}  // namespace dojima::cli
