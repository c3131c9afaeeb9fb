// dojima queue mm1, mmc, mmck, mminf, finite

#include <utility>

#include "dojima/cli/command.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/queueing/formulas/markov_queues.hpp"

namespace dojima::cli {
namespace {

using queueing::Answer;
using queueing::Comparison;
using queueing::Law;
using queueing::Station;

struct MarkovOptions : QueueOptions {
  std::uint32_t room = 0;
  std::uint32_t sources = 0;
  double think = 0;
};

/// Waits and losses of a station with a bounded room.
struct Bounded final : queueing::NetworkObserver {
  explicit Bounded(std::size_t jobs) : waits(jobs), losses(jobs) {}
  void on_visit(const queueing::Visit& visit) override { waits.add(visit.wait()), losses.add(0); }
  void on_lost(std::uint32_t, std::uint32_t, queueing::Ticks) override { losses.add(1); }
  queueing::Observed waits;
  queueing::Observed losses;
};

Answer<bool> fill_mmc(const MarkovOptions& options, evidence::Artefact& artefact) {
  artefact.set_parameter("arrival", options.arrival)
      .set_parameter("service", options.service)
      .set_parameter("servers", options.servers);
  auto station = queueing::mmc(options.arrival, options.service, options.servers);
  if (!station) return std::unexpected(station.error());
  Comparison comparison{.formula = std::move(*station), .scale = 1 / options.service};
  const auto simulate = [&] {
    return queueing::simulate(Law::exponential(1 / options.arrival), Law::exponential(1 / options.service),
                              options.servers, options.run());
  };
  return add_compared(options, 1 / options.arrival, 1 / options.service, comparison, simulate, artefact);
}

Answer<bool> fill_mmck(const MarkovOptions& options, evidence::Artefact& artefact) {
  artefact.set_parameter("arrival", options.arrival)
      .set_parameter("service", options.service)
      .set_parameter("servers", options.servers)
      .set_parameter("room", options.room);
  auto station = queueing::mmck(options.arrival, options.service, options.servers, options.room);
  if (!station) return std::unexpected(station.error());
  Comparison comparison{.formula = std::move(*station), .scale = 1 / options.service};
  std::optional<queueing::Simulated> seen;
  if (options.is_simulated()) {
    const auto scale = options.network_scale({1 / options.service}, 1 / options.arrival);
    if (!scale) return std::unexpected(scale.error());
    const queueing::NetworkSpec spec{.classes = {{.between = Law::exponential(1 / options.arrival),
                                                  .services = {Law::exponential(1 / options.service)}}},
                                     .stations = {{.servers = options.servers, .room = options.room}},
                                     .capacity = options.room + std::size_t{16},
                                     .ticks_per_unit = *scale};
    Bounded bounded(options.run().jobs);
    queueing::Network network(spec, options.seed, bounded);
    if (!network.run(options.run().jobs) || bounded.waits.size() < queueing::Run::k_least_jobs)
      return std::unexpected(queueing::impossible("too few of the simulated requests are served: more --jobs"));
    comparison.more.push_back(
        {.figure = "lost", .formula = comparison.formula->means.loss, .seen = bounded.losses.mean()});
    seen = queueing::Simulated{.waits = std::move(bounded.waits), .ticks_per_unit = spec.ticks_per_unit};
    comparison.seen = &*seen;
  }
  queueing::add_comparison(artefact, comparison);
  return true;
}

Answer<bool> fill_mminf(const MarkovOptions& options, evidence::Artefact& artefact) {
  artefact.set_parameter("arrival", options.arrival).set_parameter("service", options.service);
  auto station = queueing::mm_infinite(options.arrival, options.service);
  if (!station) return std::unexpected(station.error());
  queueing::add_comparison(artefact, {.formula = std::move(*station), .scale = 1 / options.service});
  return true;
}

Answer<bool> fill_finite(const MarkovOptions& options, evidence::Artefact& artefact) {
  artefact.set_parameter("sources", options.sources)
      .set_parameter("think", options.think)
      .set_parameter("service", options.service)
      .set_parameter("law", options.law);
  const queueing::FiniteSource source{
      .sources = options.sources, .think_rate = options.think, .service_rate = options.service};
  const bool is_constant = options.law == "constant";
  auto station = is_constant ? queueing::md1_finite_source(source) : queueing::mm1_finite_source(source);
  if (!station) return std::unexpected(station.error());
  Comparison comparison{.formula = std::move(*station), .scale = 1 / options.service};
  const auto simulate = [&] {
    return queueing::simulate_finite_source(
        Law::exponential(1 / options.think),
        is_constant ? Law::constant(1 / options.service) : Law::exponential(1 / options.service), options.sources,
        options.run());
  };
  return add_compared(options, 1 / options.think, 1 / options.service, comparison, simulate, artefact);
}

using MarkovFill = Answer<bool> (*)(const MarkovOptions&, evidence::Artefact&);

/// Registers what the command does.
void run_markov(Command command, const std::string& name, std::shared_ptr<MarkovOptions> options, int& status,
                MarkovFill fill) {
  command.on_run([=, options = std::move(options), &status] {
    status = show_queue(name, *options, [&](evidence::Artefact& artefact) { return fill(*options, artefact); });
  });
}

}  // namespace

void add_queue_markov(Command queue, int& status) {
  for (const std::string name : {"mm1", "mmc", "mmck", "mminf"}) {
    const char* meaning =
        name == "mm1"    ? "One server: exponential times between arrivals and of service"
        : name == "mmc"  ? "Several servers, one line (Erlang C)"
        : name == "mmck" ? "Several servers and room for so many: who finds it full is lost (Erlang B: room = servers)"
                         : "A server for everybody";
    Command command = queue.add_command(name, meaning);
    auto options = std::make_shared<MarkovOptions>();
    options->add_arrival(command);
    options->add_service(command);
    if (name == "mmc" || name == "mmck") options->add_servers(command);
    if (name == "mmck") command.add_option("--room", options->room, "Most requests waiting or in service").required();
    options->add_run(command);
    run_markov(command, name, options, status, name == "mmck" ? fill_mmck : name == "mminf" ? fill_mminf : fill_mmc);
  }
  Command finite = queue.add_command("finite", "So many customers who think, ask one server, wait, think again");
  auto options = std::make_shared<MarkovOptions>();
  finite.add_option("--sources", options->sources, "How many customers").required();
  finite.add_option("--think", options->think, "1 / mean time that one thinks, per second").required();
  options->add_service(finite);
  finite.add_option("--law", options->law, "Of services: exponential or constant")
      .one_of({"exponential", "constant"})
      .show_default();
  options->add_run(finite);
  finite.footer("example: dojima queue finite --sources 4 --think 500000 --service 2000000 --law constant");
  run_markov(finite, "finite", options, status, fill_finite);
}

}  // namespace dojima::cli
