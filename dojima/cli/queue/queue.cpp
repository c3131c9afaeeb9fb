// dojima queue ...

#include "dojima/cli/queue/queue.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/core.h>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"

namespace dojima::cli {

void QueueOptions::add_arrival(Command command) {
  command.add_option("--arrival", arrival, "Requests a second, on average").required();
}

void QueueOptions::add_service(Command command) {
  command.add_option("--service", service, "Requests a second that one server can serve").required();
}

void QueueOptions::add_servers(Command command) {
  command.add_option("--servers", servers, "How many serve").show_default();
}

void QueueOptions::add_run(Command command) {
  command.add_option("--jobs", jobs, "Requests to simulate, the first tenth left out; 0: the formula alone")
      .show_default()
      .check([](const std::string& text) {
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        const bool is_right = number == 0 || (number >= static_cast<double>(queueing::Run::k_least_jobs) &&
                                              number <= static_cast<double>(queueing::Run::k_most_jobs));
        return is_right ? std::string()
                        : fmt::format("0, or {} to {}", queueing::Run::k_least_jobs, queueing::Run::k_most_jobs);
      });
  command.add_option("--seed", seed, "Of the simulation").show_default();
  instrument.add_to(command);
}

queueing::Answer<double> QueueOptions::checked(double first_mean, double second_mean) const {
  return is_simulated() ? queueing::checked_scale(first_mean, second_mean) : 1.0;
}

queueing::Answer<double> QueueOptions::network_scale(const std::vector<double>& means, double gap) const {
  return is_simulated() ? queueing::network_scale(means, gap, run().jobs) : 1.0;
}

queueing::Run QueueOptions::run() const noexcept {
  return {.jobs = instrument.is_quick ? std::min<std::size_t>(jobs, 100'000) : jobs, .seed = seed};
}

int refuse(const queueing::Refusal& refusal) {
  if (refusal.kind == queueing::RefusalKind::unstable) {
    fmt::print("{}\n", refusal.text);
    return k_failed;
  }
  complain(refusal.text);
  return k_usage;
}

int show_queue(const std::string& name, const QueueOptions& options, const FillArtefact& fill) {
  InstrumentRun run(options.instrument);
  if (!run.can_write()) return k_environment;
  evidence::Artefact artefact("dojima queue " + name);
  if (const auto filled = fill(artefact); !filled) return refuse(filled.error());
  artefact.set_parameter("jobs", options.run().jobs).set_parameter("seed", options.seed);
  return run.finish(artefact, {});
}

void add_queue(Command program, int& status) {
  Command queue = program.add_command("queue", "How long requests wait in line: formulas beside simulations");
  queue.require_command();
  add_queue_markov(queue, status);
  add_queue_general(queue, status);
  add_queue_hawkes(queue, status);
  add_queue_erlang(queue, status);
  add_queue_systems(queue, status);
  add_queue_fit(queue, status);
  add_queue_forecast(queue, status);
  add_queue_claims(queue, status);
  add_queue_fill(queue, status);
  queue.footer(
      "Rates are per second, times in seconds. An overload is an answer: it is printed, exit status 1.\n"
      "example: dojima queue mmc --arrival 8 --service 1 --servers 10 --report mmc.html");
}

}  // namespace dojima::cli
