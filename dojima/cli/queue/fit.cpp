// dojima queue fit

#include <memory>
#include <utility>

#include "dojima/cli/command.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/cli/queue/trace.hpp"
#include "dojima/queueing/trace_presentation.hpp"

namespace dojima::cli {
namespace {

struct FitOptions {
  QueueOptions shared;
  TraceOptions trace;
  std::size_t most = 20'000;
  double close_ns = 20;
};

queueing::Answer<bool> fill_fit(const FitOptions& options, evidence::Artefact& artefact) {
  const auto read = read_trace(options.trace);
  if (!read) return std::unexpected(read.error());
  artefact.set_parameter("kind", read->kind)
      .set_parameter("kinds", read->kinds)
      .set_parameter("requests", read->trace.size());
  const auto fit = queueing::fit_arrivals(read->trace.arrivals(), options.most);
  if (!fit) return std::unexpected(queueing::impossible(options.trace.file + ": " + fit.error().text));
  queueing::add_arrival_fit(artefact, *fit);
  queueing::add_service_study(artefact, queueing::study_services(read->trace, options.trace.stall_ns));
  queueing::add_replay(artefact, queueing::replay(read->trace, options.close_ns), options.close_ns);
  return true;
}

}  // namespace

void add_queue_fit(Command queue, int& status) {
  Command command =
      queue.add_command("fit", "What a service trace says: arrivals, services, stalls, and which models fit");
  auto options = std::make_shared<FitOptions>();
  options->shared.jobs = 0;
  options->trace.add_to(command);
  command.add_option("--most", options->most, "Models are fitted to so many arrivals, from the first on")
      .between(std::size_t{400}, std::size_t{1'000'000})
      .show_default();
  command
      .add_option("--close-ns", options->close_ns,
                  "Replayed waits agree when they are so close: two steps of the clock, or two readings where those "
                  "take longer")
      .show_default();
  options->shared.instrument.add_to(command);
  command.footer("example: dojima lab lock --trace waits.svc && dojima queue fit waits.svc --kind 2 --report fit.html");
  command.on_run([=, &status] {
    status =
        show_queue("fit", options->shared, [&](evidence::Artefact& artefact) { return fill_fit(*options, artefact); });
  });
}

}  // namespace dojima::cli
