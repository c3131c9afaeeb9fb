// dojima queue priority, interrupted, jackson, closed

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "dojima/cli/command.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/queueing/experiments.hpp"
#include "dojima/queueing/formulas/closed_network.hpp"
#include "dojima/queueing/formulas/jackson.hpp"
#include "dojima/queueing/formulas/priorities.hpp"

namespace dojima::cli {
namespace {

using queueing::Answer;
using queueing::FigureRow;
using queueing::Law;
using queueing::PriorityClass;

struct SystemsOptions : QueueOptions {
  std::vector<std::string> classes;
  bool is_preemptive = false;
  double outage_rate = 0;
  double outage_length = 0;
  std::string outage_law = "exponential";
  std::vector<std::string> stations;
  std::vector<std::string> routes;
  std::uint32_t customers = 0;
  double think_time = 0;
};

/// "a,b,c" as texts.
std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Answer<double> number_in(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size())
    return std::unexpected(queueing::impossible(fmt::format("\"{}\" is no number", text)));
  return value;
}

/// "ARRIVAL,SERVICE[,LAW]" in rates.
Answer<PriorityClass> class_in(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() < 2 || parts.size() > 3)
    return std::unexpected(
        queueing::impossible(fmt::format("\"{}\" is not ARRIVAL,SERVICE or ARRIVAL,SERVICE,LAW", text)));
  const auto arrival = number_in(parts[0]);
  if (!arrival) return std::unexpected(arrival.error());
  const auto service = number_in(parts[1]);
  if (!service) return std::unexpected(service.error());
  const auto law = queueing::parse_law(parts.size() == 3 ? parts[2] : "exponential", 1 / *service);
  if (!law) return std::unexpected(law.error());
  return PriorityClass{*arrival, *law};
}

Answer<bool> fill_priority(const SystemsOptions& options, evidence::Artefact& artefact) {
  std::vector<PriorityClass> classes;
  queueing::NetworkSpec spec{.classes = {}, .stations = {{}}};
  spec.stations[0].discipline =
      options.is_preemptive ? queueing::Discipline::preemptive_resume : queueing::Discipline::priority;
  std::vector<double> times;
  double arrivals = 0;
  evidence::Document given = evidence::Document::array();
  for (const std::string& text : options.classes) {
    const auto read = class_in(text);
    if (!read) return std::unexpected(read.error());
    times.insert(times.end(), {1 / read->arrival_rate, read->service.mean()});
    arrivals += read->arrival_rate;
    spec.classes.push_back({.between = Law::exponential(1 / read->arrival_rate),
                            .priority = static_cast<std::uint32_t>(classes.size()),
                            .services = {read->service}});
    classes.push_back(*read);
    given.push(text);
  }
  artefact.set_parameter("classes", std::move(given)).set_parameter("preemptive", options.is_preemptive);
  const auto means = options.is_preemptive ? preemptive_resume(classes) : nonpreemptive(classes);
  if (!means) return std::unexpected(means.error());
  const double scale = classes.front().service.mean();
  const auto ticks = options.network_scale(times, 1 / arrivals);
  if (!ticks) return std::unexpected(ticks.error());
  spec.ticks_per_unit = *ticks;
  std::vector<FigureRow> rows;
  std::optional<Answer<queueing::SimulatedNetwork>> seen;
  if (options.is_simulated()) {
    seen = queueing::simulate(spec, options.run());
    if (!*seen) return std::unexpected(seen->error());
  }
  for (std::size_t k = 0; k < classes.size(); ++k) {
    rows.push_back({.figure = fmt::format("class {} wait_s", k + 1), .formula = (*means)[k].wait});
    if (seen && (**seen).waits[k].waits.size() >= queueing::Run::k_least_jobs)
      rows.back().seen = (**seen).waits[k].mean_wait();
    rows.push_back({.figure = fmt::format("class {} response_s", k + 1), .formula = (*means)[k].response});
    if (seen && (**seen).responses[k].waits.size() >= queueing::Run::k_least_jobs)
      rows.back().seen = (**seen).responses[k].mean_wait();
  }
  artefact.add_table(queueing::figure_table("classes", "by class, the first before the others", rows, scale));
  return true;
}

Answer<bool> fill_interrupted(const SystemsOptions& options, evidence::Artefact& artefact) {
  artefact.set_parameter("arrival", options.arrival)
      .set_parameter("service", options.service)
      .set_parameter("law", options.law)
      .set_parameter("outages_per_s", options.outage_rate)
      .set_parameter("outage_s", options.outage_length)
      .set_parameter("outage_law", options.outage_law);
  const auto service = queueing::parse_law(options.law, 1 / options.service);
  if (!service) return std::unexpected(service.error());
  const auto length = queueing::parse_law(options.outage_law, options.outage_length);
  if (!length) return std::unexpected(length.error());
  const queueing::Interruptions by{.rate = options.outage_rate, .length = *length};
  auto station = queueing::interrupted_mg1(options.arrival, *service, by);
  if (!station) return std::unexpected(station.error());
  queueing::Comparison comparison{.formula = std::move(*station), .scale = 1 / options.service};
  std::optional<Answer<queueing::SimulatedNetwork>> seen;
  if (options.is_simulated()) {
    const auto ticks = options.network_scale({1 / options.service, options.outage_length, 1 / options.outage_rate},
                                             1 / options.arrival);
    if (!ticks) return std::unexpected(ticks.error());
    const queueing::NetworkSpec spec{
        .classes = {{.between = Law::exponential(1 / options.arrival), .services = {*service}}},
        .stations = {{.interruptions = by}},
        .ticks_per_unit = *ticks};
    seen = queueing::simulate(spec, options.run());
    if (!*seen) return std::unexpected(seen->error());
    comparison.seen = &(**seen).waits[0];
    if (comparison.seen->waits.size() < 100)
      return std::unexpected(queueing::impossible("too few of the simulated requests are served: more --jobs"));
  }
  comparison.formula->means.delayed = std::nan("");
  queueing::add_comparison(artefact, comparison);
  return true;
}

/// "FROM,TO,SHARE", stations counted from 1.
Answer<bool> read_route(const std::string& text, queueing::JacksonNetwork& network) {
  const std::vector<std::string> parts = split(text, ',');
  const std::size_t n = network.stations.size();
  double values[3] = {};
  for (std::size_t i = 0; i < 3 && parts.size() == 3; ++i) {
    const auto value = number_in(parts[i]);
    if (!value) return std::unexpected(value.error());
    values[i] = *value;
  }
  const auto is_station = [n](double value) {
    return value >= 1 && value <= static_cast<double>(n) && value == std::floor(value);
  };
  if (parts.size() != 3 || !is_station(values[0]) || !is_station(values[1]))
    return std::unexpected(
        queueing::impossible(fmt::format("\"{}\" is not FROM,TO,SHARE with stations 1 to {}", text, n)));
  network.routing[(static_cast<std::size_t>(values[0]) - 1) * n + static_cast<std::size_t>(values[1]) - 1] = values[2];
  return true;
}

/// "ARRIVAL,SERVICE[,SERVERS]"
Answer<queueing::JacksonStation> station_in(const std::string& text) {
  const std::vector<std::string> parts = split(text, ',');
  double values[3] = {0, 0, 1};
  for (std::size_t i = 0; i < parts.size() && i < 3; ++i) {
    const auto value = number_in(parts[i]);
    if (!value) return std::unexpected(value.error());
    values[i] = *value;
  }
  if (parts.size() < 2 || parts.size() > 3 || !(values[2] >= 1 && values[2] <= 1e5))
    return std::unexpected(
        queueing::impossible(fmt::format("\"{}\" is not ARRIVAL,SERVICE or ARRIVAL,SERVICE,SERVERS", text)));
  return queueing::JacksonStation{values[0], values[1], static_cast<std::uint32_t>(values[2])};
}

/// The same network for the simulation: a class for each station at which requests arrive.
queueing::NetworkSpec spec_of(const queueing::JacksonNetwork& network, double ticks_per_unit) {
  queueing::NetworkSpec spec{.classes = {}, .stations = {}, .ticks_per_unit = ticks_per_unit};
  std::vector<Law> services;
  for (const auto& station : network.stations) {
    spec.stations.push_back({.servers = station.servers});
    services.push_back(Law::exponential(1 / station.service_rate));
  }
  for (std::uint32_t i = 0; i < network.stations.size(); ++i) {
    if (network.stations[i].arrival_rate <= 0) continue;
    spec.classes.push_back({.between = Law::exponential(1 / network.stations[i].arrival_rate),
                            .first_station = i,
                            .services = services,
                            .routing = network.routing});
  }
  return spec;
}

Answer<bool> fill_jackson(const SystemsOptions& options, evidence::Artefact& artefact) {
  queueing::JacksonNetwork network;
  evidence::Document given = evidence::Document::array();
  for (const std::string& text : options.stations) {
    const auto station = station_in(text);
    if (!station) return std::unexpected(station.error());
    network.stations.push_back(*station);
    given.push(text);
  }
  network.routing.assign(network.stations.size() * network.stations.size(), 0.0);
  artefact.set_parameter("stations", std::move(given));
  evidence::Document ways = evidence::Document::array();
  for (const std::string& text : options.routes) {
    if (const auto right = read_route(text, network); !right) return right;
    ways.push(text);
  }
  artefact.set_parameter("routes", std::move(ways));
  const auto formula = queueing::jackson(network);
  if (!formula) return std::unexpected(formula.error());
  std::optional<Answer<queueing::SimulatedNetwork>> seen;
  double arrivals = 0;
  for (const auto& station : network.stations) arrivals += station.arrival_rate;
  if (options.is_simulated()) {
    std::vector<double> times;
    for (const auto& station : network.stations) {
      times.push_back(1 / station.service_rate);
      if (station.arrival_rate > 0) times.push_back(1 / station.arrival_rate);
    }
    const auto ticks = options.network_scale(times, 1 / arrivals);
    if (!ticks) return std::unexpected(ticks.error());
    seen = queueing::simulate(spec_of(network, *ticks), options.run());
    if (!*seen) return std::unexpected(seen->error());
  }
  std::vector<FigureRow> rows;
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const queueing::Means& means = formula->stations[i].means;
    rows.push_back({.figure = fmt::format("station {} load", i + 1), .formula = means.load});
    rows.push_back({.figure = fmt::format("station {} wait_s", i + 1), .formula = means.wait});
    const std::size_t classes = seen ? (**seen).responses.size() : 0;
    if (classes == 1 && (**seen).waits[i].waits.size() >= queueing::Run::k_least_jobs)
      rows.back().seen = (**seen).waits[i].mean_wait();
    rows.push_back({.figure = fmt::format("station {} requests", i + 1), .formula = means.system});
    if (seen) rows.back().seen = queueing::Estimate{.value = (**seen).mean_numbers[i]};
  }
  rows.push_back({.figure = "network requests", .formula = formula->system});
  rows.push_back({.figure = "network response_s", .formula = formula->response});
  if (seen && (**seen).responses.size() == 1) rows.back().seen = (**seen).responses[0].mean_wait();
  artefact.add_table(
      figure_table("stations", "an open network of stations", rows, 1 / network.stations[0].service_rate));
  return true;
}

/// "VISITS,SERVICE[,SERVERS]"
Answer<queueing::ClosedStation> closed_station_in(const std::string& text) {
  const auto station = station_in(text);  // of the same form
  if (!station) return std::unexpected(station.error());
  return queueing::ClosedStation{station->arrival_rate, station->service_rate, station->servers};
}

/// The same network for the simulation. A round begins with thinking; then stations are visited, each as often as its
/// visits say, and after each visit the round may be over: so rounds have as many visits on average as are wanted.
queueing::NetworkSpec spec_of(const queueing::ClosedNetwork& network, double ticks_per_unit) {
  const std::size_t width = network.stations.size() + 1;
  double visits = 0;
  for (const auto& station : network.stations) visits += station.visits;
  const double over = visits > 1 ? 1 / visits : 1;  // after a visit
  const double none = visits < 1 ? 1 - visits : 0;  // after thinking
  queueing::ClassSpec customers{.customers = network.customers, .services = {}, .routing = {}};
  // Nobody thinks: as short as can be.
  customers.services.push_back(network.think_time > 0 ? Law::exponential(network.think_time)
                                                      : Law::constant(2 / ticks_per_unit));
  queueing::NetworkSpec spec{.classes = {},
                             .stations = {{.servers = network.customers}},
                             .capacity = network.customers,
                             .ticks_per_unit = ticks_per_unit};
  for (const auto& station : network.stations) {
    customers.services.push_back(Law::exponential(1 / station.service_rate));
    spec.stations.push_back({.servers = station.servers});
  }
  for (std::size_t from = 0; from < width; ++from) {
    const double back = from == 0 ? none : over;
    customers.routing.push_back(back);
    for (const auto& station : network.stations) customers.routing.push_back((1 - back) * station.visits / visits);
  }
  spec.classes.push_back(std::move(customers));
  return spec;
}

Answer<bool> fill_closed(const SystemsOptions& options, evidence::Artefact& artefact) {
  queueing::ClosedNetwork network{.customers = options.customers, .think_time = options.think_time, .stations = {}};
  evidence::Document given = evidence::Document::array();
  for (const std::string& text : options.stations) {
    const auto station = closed_station_in(text);
    if (!station) return std::unexpected(station.error());
    network.stations.push_back(*station);
    given.push(text);
  }
  artefact.set_parameter("customers", options.customers)
      .set_parameter("think_time", options.think_time)
      .set_parameter("stations", std::move(given));
  const auto formula = queueing::closed_network(network);
  if (!formula) return std::unexpected(formula.error());
  std::optional<Answer<queueing::SimulatedNetwork>> seen;
  if (options.is_simulated()) {
    std::vector<double> times;
    for (const auto& station : network.stations) times.push_back(1 / station.service_rate);
    if (network.think_time > 0) times.push_back(network.think_time);
    const auto ticks = options.network_scale(times, formula->round_time / options.customers);
    if (!ticks) return std::unexpected(ticks.error());
    seen = queueing::simulate(spec_of(network, *ticks), options.run());
    if (!*seen) return std::unexpected(seen->error());
  }
  std::vector<FigureRow> rows = {{.figure = "rounds_per_s", .formula = formula->throughput},
                                 {.figure = "round_s", .formula = formula->round_time},
                                 {.figure = "thinking", .formula = formula->thinking}};
  if (seen) {
    rows[1].seen = (**seen).responses[0].mean_wait();
    rows[2].seen = queueing::Estimate{.value = (**seen).mean_numbers[0]};
  }
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const queueing::Means& means = formula->stations[i].means;
    rows.push_back({.figure = fmt::format("station {} utilisation", i + 1), .formula = means.utilisation});
    rows.push_back({.figure = fmt::format("station {} delayed", i + 1), .formula = means.delayed});
    const bool is_seen = seen && (**seen).waits[i + 1].waits.size() >= queueing::Run::k_least_jobs;
    if (is_seen) rows.back().seen = (**seen).waits[i + 1].share_above(0);
    rows.push_back({.figure = fmt::format("station {} wait_s", i + 1), .formula = means.wait});
    if (is_seen) rows.back().seen = (**seen).waits[i + 1].mean_wait();
    rows.push_back({.figure = fmt::format("station {} requests", i + 1), .formula = means.system});
    if (seen) rows.back().seen = queueing::Estimate{.value = (**seen).mean_numbers[i + 1]};
  }
  artefact.add_table(
      figure_table("stations", "so many customers who go round between stations", rows, formula->round_time));
  return true;
}

using SystemsFill = Answer<bool> (*)(const SystemsOptions&, evidence::Artefact&);

void finish_systems(Command command, const std::string& name, std::shared_ptr<SystemsOptions> options, int& status,
                    SystemsFill fill) {
  options->add_run(command);
  command.on_run([=, options = std::move(options), &status] {
    status = show_queue(name, *options, [&](evidence::Artefact& artefact) { return fill(*options, artefact); });
  });
}

}  // namespace

void add_queue_systems(Command queue, int& status) {
  Command priority = queue.add_command("priority", "One server, classes of requests that go before others");
  auto options = std::make_shared<SystemsOptions>();
  priority
      .add_option("--class", options->classes, "ARRIVAL,SERVICE[,LAW] of a class, the first before the next; repeat")
      .one_value_per_use()
      .required();
  priority.add_flag("--preemptive", options->is_preemptive, "A service is put aside for a request of a higher class");
  priority.footer("example: dojima queue priority --class 0.3,1 --class 0.4,1,erlang:2");
  finish_systems(priority, "priority", options, status, fill_priority);

  Command interrupted = queue.add_command("interrupted", "One server that is taken away for a while, now and then");
  options = std::make_shared<SystemsOptions>();
  options->add_arrival(interrupted);
  options->add_service(interrupted);
  interrupted.add_option("--law", options->law, "Of services").show_default();
  interrupted.add_option("--outage-rate", options->outage_rate, "Interruptions a second of a server that works")
      .required()
      .positive();
  interrupted.add_option("--outage", options->outage_length, "Mean length of one, in seconds").required().positive();
  interrupted.add_option("--outage-law", options->outage_law, "Of their lengths").show_default();
  interrupted.footer(
      "example: dojima queue interrupted --arrival 250000 --service 500000 --outage-rate 250 --outage 0.0002");
  finish_systems(interrupted, "interrupted", options, status, fill_interrupted);

  Command jackson = queue.add_command("jackson", "An open network of stations with exponential services");
  options = std::make_shared<SystemsOptions>();
  jackson.add_option("--station", options->stations, "ARRIVAL,SERVICE[,SERVERS] of a station; repeat")
      .one_value_per_use()
      .required();
  jackson.add_option("--route", options->routes, "FROM,TO,SHARE: what part goes on, stations counted from 1; repeat")
      .one_value_per_use();
  jackson.footer("example: dojima queue jackson --station 1,2 --station 0,1.25 --route 1,2,1");
  finish_systems(jackson, "jackson", options, status, fill_jackson);

  Command closed = queue.add_command("closed", "So many customers who go round between stations and thinking");
  options = std::make_shared<SystemsOptions>();
  closed.add_option("--customers", options->customers, "How many, 1 to 10000").required();
  closed.add_option("--think-time", options->think_time, "Mean seconds that one thinks in a round").show_default();
  closed
      .add_option("--station", options->stations,
                  "VISITS,SERVICE[,SERVERS]: visits in a round, services a second of one server; repeat")
      .one_value_per_use()
      .required();
  closed.footer("example: dojima queue closed --customers 8 --think-time 0.001 --station 1,5000 --station 3,20000,2");
  finish_systems(closed, "closed", options, status, fill_closed);
}

}  // namespace dojima::cli
