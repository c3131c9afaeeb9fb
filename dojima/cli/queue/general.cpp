// dojima queue mg1, md1, gim1, mmpp, simulate

#include <memory>
#include <utility>

#include "dojima/cli/command.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/cli/queue/trace.hpp"
#include "dojima/queueing/formulas/general_queues.hpp"
#include "dojima/queueing/formulas/modulated.hpp"
#include "dojima/queueing/sampler.hpp"

namespace dojima::cli {
namespace {

using queueing::Answer;
using queueing::Comparison;
using queueing::Law;
using queueing::Simulated;

struct GeneralOptions : QueueOptions {
  std::string between = "exponential";
  int burst_share = 250;
  int burst_factor = 7;
  double burst_length = 10;  // mean gaps
};

/// 1 / --service; 0: it was not given.
double service_mean(const GeneralOptions& options) {
  return options.service == 0 ? 0 : 1 / options.service;
}

evidence::Artefact& set_rates(const GeneralOptions& options, evidence::Artefact& artefact) {
  return artefact.set_parameter("arrival", options.arrival).set_parameter("service", options.service);
}

Answer<bool> fill_mg1(const GeneralOptions& options, evidence::Artefact& artefact) {
  const auto service = law_of(options.law, service_mean(options), TracedTimes::services);
  if (!service) return std::unexpected(service.error());
  const double mean = service->mean();
  artefact.set_parameter("arrival", options.arrival).set_parameter("service", 1 / mean);
  artefact.set_parameter("law", options.law);
  auto station = queueing::mg1(options.arrival, *service);
  if (!station) return std::unexpected(station.error());
  Comparison comparison{.formula = std::move(*station), .scale = mean};
  if (const auto deviation = queueing::mg1_wait_deviation(options.arrival, *service))
    comparison.more.push_back({.figure = "wait_deviation_s", .formula = *deviation});
  if (options.law == "constant") {
    comparison.formula = *queueing::md1(options.arrival, options.service);
  } else if (auto wait = queueing::mg1_wait(options.arrival, *service, 1e-5)) {
    const auto kept = std::make_shared<const queueing::Mg1Wait>(std::move(*wait));
    comparison.tail_kind = "approximation";
    comparison.formula->wait_exceeds = [kept](double t) { return kept->middle(t); };
  }
  const auto simulate = [&] {
    return queueing::simulate(Law::exponential(1 / options.arrival), *service, 1, options.run());
  };
  return add_compared(options, 1 / options.arrival, mean, comparison, simulate, artefact);
}

Answer<bool> fill_gim1(const GeneralOptions& options, evidence::Artefact& artefact) {
  set_rates(options, artefact).set_parameter("between", options.between);
  if (const auto right = queueing::checked_load(options.arrival, options.service); !right)
    return std::unexpected(right.error());
  const auto between = law_of(options.between, 1 / options.arrival, TracedTimes::gaps);
  if (!between) return std::unexpected(between.error());
  auto station = queueing::gim1(*between, options.service);
  if (!station) return std::unexpected(station.error());
  Comparison comparison{.formula = std::move(*station), .scale = 1 / options.service};
  const auto simulate = [&] {
    return queueing::simulate(*between, Law::exponential(1 / options.service), 1, options.run());
  };
  return add_compared(options, 1 / options.arrival, 1 / options.service, comparison, simulate, artefact);
}

Answer<bool> fill_mmpp(const GeneralOptions& options, evidence::Artefact& artefact) {
  set_rates(options, artefact)
      .set_parameter("burst_share", options.burst_share)
      .set_parameter("burst_factor", options.burst_factor)
      .set_parameter("burst_length", options.burst_length);
  const flow::ArrivalConfig bursts{.model = flow::ArrivalModel::bursts,
                                   .burst_share = static_cast<std::uint32_t>(options.burst_share),
                                   .burst_factor = static_cast<std::uint32_t>(options.burst_factor),
                                   .burst_length = time::Duration{static_cast<std::int64_t>(
                                       options.burst_length * static_cast<double>(queueing::ModelSampler::k_gap))}};
  auto station = queueing::mmpp2_m1(queueing::mmpp2_of(bursts, options.arrival), options.service);
  if (!station) return std::unexpected(station.error());
  Comparison comparison{.formula = std::move(*station), .scale = 1 / options.service};
  const auto simulate = [&] {
    return queueing::simulate(bursts, options.arrival, Law::exponential(1 / options.service), 1, options.run());
  };
  return add_compared(options, 1 / options.arrival, 1 / options.service, comparison, simulate, artefact);
}

/// GI/G/c has no formula: bounds and approximations, each called so, beside what was simulated.
Answer<bool> fill_simulate(const GeneralOptions& options, evidence::Artefact& artefact) {
  const auto service = law_of(options.law, service_mean(options), TracedTimes::services);
  if (!service) return std::unexpected(service.error());
  const double mean = service->mean();
  artefact.set_parameter("arrival", options.arrival)
      .set_parameter("service", 1 / mean)
      .set_parameter("between", options.between)
      .set_parameter("law", options.law)
      .set_parameter("servers", options.servers);
  const auto load = queueing::checked_load(options.arrival, options.servers / mean);
  if (!load) return std::unexpected(load.error());
  const auto between = law_of(options.between, 1 / options.arrival, TracedTimes::gaps);
  if (!between) return std::unexpected(between.error());
  if (options.servers == 0 || !options.is_simulated())
    return std::unexpected(queueing::impossible("a simulation needs servers and --jobs"));
  if (const auto right = options.checked(1 / options.arrival, mean); !right) return std::unexpected(right.error());
  const Simulated seen = queueing::simulate(*between, *service, options.servers, options.run());
  Comparison comparison{.seen = &seen, .scale = mean};
  const queueing::TwoMoments moments{.arrival_rate = options.arrival,
                                     .service_rate = 1 / mean,
                                     .arrival_scv = between->scv(),
                                     .service_scv = service->scv()};
  const auto add = [&](const char* figure, const char* kind, const Answer<double>& value) {
    if (value) comparison.more.push_back({.figure = figure, .formula = *value, .kind = kind, .seen = seen.mean_wait()});
  };
  if (options.servers == 1) {
    add("wait_s, Kingman", "upper bound", kingman_upper_bound(moments));
    add("wait_s, Marchal", "lower bound", marchal_lower_bound(moments));
    add("wait_s, Marchal", "approximation", marchal_approximation(moments));
  }
  add("wait_s, Allen-Cunneen", "approximation", allen_cunneen_approximation(moments, options.servers));
  queueing::add_comparison(artefact, comparison);
  return true;
}

using GeneralFill = Answer<bool> (*)(const GeneralOptions&, evidence::Artefact&);

std::shared_ptr<GeneralOptions> begin(Command command) {
  auto options = std::make_shared<GeneralOptions>();
  options->add_arrival(command);
  options->add_service(command);
  return options;
}

/// Of a command whose services may be captured ones, which have a mean of their own.
std::shared_ptr<GeneralOptions> begin_with_law(Command command) {
  auto options = std::make_shared<GeneralOptions>();
  options->add_arrival(command);
  command.add_option("--service", options->service,
                     "Requests a second that one server can serve; of captured services their own otherwise");
  command.add_option("--law", options->law, std::string("Of services: ") + k_laws).show_default();
  return options;
}

void finish_general(Command command, const std::string& name, std::shared_ptr<GeneralOptions> options, int& status,
                    GeneralFill fill) {
  options->add_run(command);
  command.on_run([=, options = std::move(options), &status] {
    status = show_queue(name, *options, [&](evidence::Artefact& artefact) { return fill(*options, artefact); });
  });
}

}  // namespace

void add_queue_general(Command queue, int& status) {
  Command mg1 = queue.add_command("mg1", "One server, Poisson arrivals, services of any law (Pollaczek and Khinchine)");
  auto options = begin_with_law(mg1);
  mg1.footer("example: dojima queue mg1 --arrival 20000 --law trace:captured/venue.svc");
  finish_general(mg1, "mg1", options, status, fill_mg1);

  Command md1 = queue.add_command("md1", "One server, Poisson arrivals, services that all take the same time");
  options = begin(md1);
  options->law = "constant";
  finish_general(md1, "md1", options, status, fill_mg1);

  Command gim1 = queue.add_command("gim1", "One server, exponential services, times between arrivals of any law");
  options = begin(gim1);
  gim1.add_option("--between", options->between, std::string("Between arrivals: ") + k_laws).show_default();
  finish_general(gim1, "gim1", options, status, fill_gim1);

  Command mmpp =
      queue.add_command("mmpp", "One server, exponential services, arrivals in bursts (MMPP with two states)");
  options = begin(mmpp);
  mmpp.add_option("--burst-share", options->burst_share, "Thousandths of the time that are busy")
      .between(1, 999)
      .show_default();
  mmpp.add_option("--burst-factor", options->burst_factor, "How many times the calm rate the busy one is")
      .between(2, 100)
      .show_default();
  mmpp.add_option("--burst-length", options->burst_length, "Mean length of a burst, in mean times between arrivals")
      .between(0.01, 10'000.0)
      .show_default();
  finish_general(mmpp, "mmpp", options, status, fill_mmpp);

  Command simulate = queue.add_command("simulate", "Any laws, any number of servers; bounds and approximations beside");
  options = begin_with_law(simulate);
  options->add_servers(simulate);
  simulate.add_option("--between", options->between, std::string("Between arrivals: ") + k_laws).show_default();
  simulate.footer(
      "example: dojima queue simulate --arrival 0.8 --service 1 --between erlang:2 --law hyperexponential:4");
  finish_general(simulate, "simulate", options, status, fill_simulate);
}

}  // namespace dojima::cli
