// dojima queue predict, compare, whatif

#include "dojima/queueing/forecast.hpp"

#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dojima/cli/cli.hpp"
#include "dojima/cli/command.hpp"
#include "dojima/cli/queue/arrivals.hpp"
#include "dojima/cli/queue/queue.hpp"
#include "dojima/cli/queue/trace.hpp"

namespace dojima::cli {
namespace {

using evidence::Cell;
using queueing::Answer;
using queueing::Forecast;
using queueing::Forecaster;

struct ForecastOptions {
  QueueOptions shared;
  TraceOptions trace;
  double rate = 0;
  double load = 0;
  ArrivalOptions arrivals{.model = "captured"};
  queueing::ForecastPlan plan;
  std::string latencies;           // of predict
  std::vector<std::string> steps;  // of predict over time
  double seconds = 0;
  std::size_t parts = 20;
  std::string against;
  double close_ns = 20;
  std::string slo;
};

Answer<queueing::Scenario> scenario_of(const ForecastOptions& options, const Forecaster& forecaster) {
  if (options.rate > 0 && options.load > 0)
    return std::unexpected(queueing::impossible("--rate and --load say the same; give one"));
  queueing::Scenario scenario{.rate = options.rate};
  if (options.load > 0)
    scenario.rate = forecaster.rate() * options.load / forecaster.load_of({.rate = forecaster.rate()});
  if (options.arrivals.model != "captured") scenario.arrivals = options.arrivals.config();
  return scenario;
}

void add_scenario_options(Command command, ForecastOptions& options) {
  options.shared.jobs = 0;
  options.trace.add_to(command);
  command.add_option("--rate", options.rate, "Requests a second; as captured otherwise").positive();
  command.add_option("--load", options.load, "Instead: work over time, stalls included").positive();
  options.arrivals.add_to(command, {"captured", "poisson", "bursts", "hawkes"},
                          "captured: the captured gaps, stretched; or a model");
  command.add_option("--replicates", options.plan.replicates, "Runs as long as the capture")
      .between(std::size_t{20}, std::size_t{1'000})
      .show_default();
  command.add_option("--block", options.plan.block, "Consecutive services that are drawn together")
      .between(std::size_t{1}, std::size_t{100'000})
      .show_default();
  command.add_option("--confidence", options.plan.confidence, "Of the interval").between(0.5, 0.95).show_default();
  command.add_option("--seed", options.plan.seed, "Of the replicates").show_default();
  options.shared.instrument.add_to(command);
}

struct Capture {
  queueing::Trace trace;
  Forecaster forecaster;
};

Answer<Capture> read_capture(const ForecastOptions& options) {
  auto read = read_trace(options.trace);
  if (!read) return std::unexpected(read.error());
  auto forecaster = Forecaster::from(read->trace, queueing::study_services(read->trace, options.trace.stall_ns));
  if (!forecaster) return std::unexpected(queueing::impossible(options.trace.file + ": " + forecaster.error().text));
  return Capture{std::move(read->trace), std::move(*forecaster)};
}

/// A forecast outside of what was captured says so.
const char* range_of(bool is_beyond) {
  return is_beyond ? "beyond what was captured" : "within what was captured";
}

evidence::Table forecast_table(const Forecast& forecast) {
  evidence::Table table{.name = "forecast",
                        .title = "the wait, and where another capture of this length would lie",
                        .columns = {{.name = "figure"},
                                    {.name = "forecast_ns", .decimals = 0},
                                    {.name = "low_ns", .decimals = 0},
                                    {.name = "high_ns", .decimals = 0},
                                    {.name = "growth_for_1_percent", .decimals = 4}}};
  const auto add = [&](const char* name, const measure::Interval& interval, Cell growth) {
    table.add_row({name, interval.estimate, interval.low, interval.high, std::move(growth)});
  };
  add("mean", forecast.mean, forecast.mean_sensitivity);
  add("p50", forecast.p50, "-");
  add("p99", forecast.p99, forecast.p99_sensitivity);
  if (forecast.has_p999) {
    add("p99.9", forecast.p999, "-");
  } else {
    table.notes.emplace_back("too few requests captured for p99.9: it takes 11112");
  }
  table.add_row({"range", range_of(forecast.is_beyond), "-", "-", "-"});
  table.notes.push_back(fmt::format("load {:.4f}, captured at {:.4f}; growth: how much longer for services 1 % longer",
                                    forecast.load, forecast.captured_load));
  return table;
}

void set_parameters(const ForecastOptions& options, const queueing::Scenario& scenario, evidence::Artefact& artefact) {
  artefact.set_parameter("rate", scenario.rate)
      .set_parameter("arrivals", options.arrivals.model)
      .set_parameter("replicates", options.plan.replicates)
      .set_parameter("block", options.plan.block)
      .set_parameter("confidence", options.plan.confidence)
      .set_parameter("replicate_seed", options.plan.seed);
}

/// "AT,RATE"
Answer<queueing::RateStep> step_in(const std::string& text) {
  queueing::RateStep step;
  const char* const end = text.data() + text.size();
  const auto at = std::from_chars(text.data(), end, step.at_s);
  if (at.ec == std::errc{} && at.ptr != end && *at.ptr == ',') {
    const auto rate = std::from_chars(at.ptr + 1, end, step.rate);
    if (rate.ec == std::errc{} && rate.ptr == end) return step;
  }
  return std::unexpected(queueing::impossible(fmt::format("\"{}\" is not SECONDS,RATE", text)));
}

Answer<queueing::Course> course_of(const ForecastOptions& options) {
  if (options.rate > 0 || options.load > 0)
    return std::unexpected(queueing::impossible("--step says the rates: leave --rate and --load out"));
  queueing::Course course{.steps = {}, .seconds = options.seconds, .parts = options.parts};
  for (const std::string& text : options.steps) {
    const auto step = step_in(text);
    if (!step) return std::unexpected(step.error());
    course.steps.push_back(*step);
  }
  return course;
}

/// The wait part by part, as a table and a chart.
void add_over_time(std::span<const queueing::PartForecast> parts, double captured_load, evidence::Artefact& artefact) {
  evidence::Table table{.name = "over_time",
                        .title = "the wait of requests that arrive then, and where another course would lie",
                        .columns = {{.name = "from_s", .decimals = 6},
                                    {.name = "to_s", .decimals = 6},
                                    {.name = "requests", .decimals = 0},
                                    {.name = "load", .decimals = 4},
                                    {.name = "mean_ns", .decimals = 0},
                                    {.name = "low_ns", .decimals = 0},
                                    {.name = "high_ns", .decimals = 0},
                                    {.name = "p99_ns", .decimals = 0},
                                    {.name = "p99_low_ns", .decimals = 0},
                                    {.name = "p99_high_ns", .decimals = 0},
                                    {.name = "range"}}};
  evidence::Chart chart{.name = "over_time",
                        .title = "The wait over time",
                        .kind = evidence::ChartKind::lines,
                        .x = {"time", "s"},
                        .y = {"mean wait", "ns"}};
  evidence::ChartCurve mean{"forecast", {}}, low{"low", {}}, high{"high", {}};
  bool has_p99 = true;
  for (const queueing::PartForecast& part : parts) {
    const auto of_p99 = [&part](double value) { return part.has_p99 ? Cell(value) : Cell("-"); };
    has_p99 = has_p99 && part.has_p99;
    table.add_row({part.from_s, part.to_s, part.requests, part.load, part.mean.estimate, part.mean.low, part.mean.high,
                   of_p99(part.p99.estimate), of_p99(part.p99.low), of_p99(part.p99.high),
                   part.load >= 1 ? "overload: the line grows" : range_of(part.load > captured_load * 1.02)});
    const double middle = (part.from_s + part.to_s) / 2;
    mean.points.push_back({middle, part.mean.estimate});
    low.points.push_back({middle, part.mean.low});
    high.points.push_back({middle, part.mean.high});
  }
  if (!has_p99) table.notes.emplace_back("a part with fewer than 1000 requests has no p99");
  table.notes.push_back(fmt::format("captured at load {:.4f}; it begins with an empty line", captured_load));
  chart.curves = {std::move(mean), std::move(low), std::move(high)};
  artefact.add_table(std::move(table)).add_chart(std::move(chart));
}

/// The waits of rates that change.
Answer<bool> fill_over_time(const ForecastOptions& options, const Forecaster& forecaster,
                            evidence::Artefact& artefact) {
  const auto course = course_of(options);
  if (!course) return std::unexpected(course.error());
  queueing::Scenario scenario;
  if (options.arrivals.model != "captured") scenario.arrivals = options.arrivals.config();
  evidence::Document steps = evidence::Document::array();
  for (const std::string& text : options.steps) steps.push(text);
  set_parameters(options, scenario, artefact);
  artefact.set_parameter("steps", std::move(steps)).set_parameter("seconds", course->seconds);
  const auto parts = forecaster.over_time(scenario, *course, options.plan);
  if (!parts) return std::unexpected(parts.error());
  add_over_time(*parts, forecaster.load_of({.rate = forecaster.rate()}), artefact);
  return true;
}

/// One replicate's requests as dojima backtest takes measured round trips: sent, at the exchange when they have been
/// served, and received at once. Times rise from line to line, so of requests that are served in one nanosecond, or
/// overtaken by another server's, the later ones are left out.
std::string latency_file(const std::vector<queueing::Stay>& stays) {
  std::string text = "kind,sent,exchange,received\n";
  std::uint64_t last_sent = 0, last_served = 0;
  for (const queueing::Stay& stay : stays) {
    const std::uint64_t served = stay.arrival_ns + stay.response_ns;
    if (stay.arrival_ns <= last_sent || served <= last_served) continue;
    fmt::format_to(std::back_inserter(text), "submit,{},{},{}\n", stay.arrival_ns, served, served);
    last_sent = stay.arrival_ns;
    last_served = served;
  }
  return text;
}

Answer<bool> fill_predict(const ForecastOptions& options, evidence::Artefact& artefact) {
  const auto capture = read_capture(options);
  if (!capture) return std::unexpected(capture.error());
  if (!options.steps.empty() && !options.latencies.empty())
    return std::unexpected(queueing::impossible("--latencies are those of one rate: leave --step out"));
  if (!options.steps.empty()) return fill_over_time(options, capture->forecaster, artefact);
  const auto scenario = scenario_of(options, capture->forecaster);
  if (!scenario) return std::unexpected(scenario.error());
  set_parameters(options, *scenario, artefact);
  const auto forecast = capture->forecaster.predict(*scenario, options.plan);
  if (!forecast) return std::unexpected(forecast.error());
  artefact.add_table(forecast_table(*forecast));
  if (options.latencies.empty()) return true;
  queueing::Scenario at = *scenario;
  if (at.rate == 0) at.rate = capture->forecaster.rate();
  if (!write_file(options.latencies, latency_file(capture->forecaster.stays(at, options.plan, 0))))
    return std::unexpected(queueing::impossible(options.latencies + ": not written"));
  return true;
}

/// The forecast for a second capture's rate, beside what that measured. Replicates are as long as it is, and both are
/// without the first tenth: so the interval is that of such a capture.
Answer<bool> fill_compare(const ForecastOptions& options, evidence::Artefact& artefact) {
  const auto capture = read_capture(options);
  if (!capture) return std::unexpected(capture.error());
  ForecastOptions of_second = options;
  of_second.trace.file = options.against;
  const auto second = read_capture(of_second);
  if (!second) return std::unexpected(second.error());
  auto scenario = scenario_of(options, capture->forecaster);
  if (!scenario) return std::unexpected(scenario.error());
  if (scenario->rate == 0) scenario->rate = second->forecaster.rate();
  set_parameters(options, *scenario, artefact);
  queueing::ForecastPlan plan = options.plan;
  plan.requests = second->forecaster.requests();
  const auto forecast = capture->forecaster.predict(*scenario, plan);
  if (!forecast) return std::unexpected(forecast.error());
  const std::vector<double> waits = queueing::settled_waits(second->trace);
  double mean = 0;
  for (const double wait : waits) mean += wait / static_cast<double>(waits.size());
  evidence::Table table{.name = "compare",
                        .title = "the forecast beside a second capture",
                        .columns = {{.name = "figure"},
                                    {.name = "forecast_ns", .decimals = 0},
                                    {.name = "low_ns", .decimals = 0},
                                    {.name = "high_ns", .decimals = 0},
                                    {.name = "measured_ns", .decimals = 0},
                                    {.name = "ratio", .decimals = 4},
                                    {.name = "verdict"}}};
  const auto add = [&](const char* name, const measure::Interval& interval, double measured) {
    const bool is_inside = interval.low <= measured && measured <= interval.high;
    table.add_row({name, interval.estimate, interval.low, interval.high, measured,
                   measured > 0 ? Cell(interval.estimate / measured) : Cell("-"), is_inside ? "inside" : "outside"});
  };
  add("mean", forecast->mean, mean);
  add("p50", forecast->p50, measure::quantile(waits, 0.5));
  add("p99", forecast->p99, measure::quantile(waits, 0.99));
  if (forecast->has_p999) add("p99.9", forecast->p999, measure::quantile(waits, 0.999));
  const double distance =
      queueing::wait_distance(capture->forecaster.replicate(*scenario, plan, 0), waits, options.close_ns);
  table.notes.push_back(
      fmt::format("largest distance of both distributions: {:.4f}, waits up to {:g} ns counted as none", distance,
                  options.close_ns));
  table.add_row({"range", range_of(forecast->is_beyond), "-", "-", "-", "-", "-"});
  table.notes.push_back(fmt::format("load {:.4f}, captured at {:.4f}", forecast->load, forecast->captured_load));
  table.notes.push_back(fmt::format(
      "both without their first tenth, in which the line still fills; forecast for a capture of {} requests, "
      "as the second one is",
      plan.requests));
  artefact.add_table(std::move(table));
  return true;
}

struct Slo {
  double share = 0;
  double limit_ns = 0;
};

/// "p99.9<=20us"
Answer<Slo> slo_in(const std::string& text) {
  const auto wrong = [&text] {
    return std::unexpected(queueing::impossible(fmt::format("\"{}\" is no promise such as p99.9<=20us", text)));
  };
  const std::size_t sign = text.find("<=");
  if (sign == std::string::npos || !text.starts_with("p")) return wrong();
  Slo slo;
  const char* const middle = text.data() + sign;
  const char* const end = text.data() + text.size();
  const auto percent = std::from_chars(text.data() + 1, middle, slo.share);
  const auto limit = std::from_chars(middle + 2, end, slo.limit_ns);
  if (percent.ec != std::errc{} || percent.ptr != middle || limit.ec != std::errc{}) return wrong();
  const std::string unit(limit.ptr, end);
  const double factor = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : unit == "s" ? 1e9 : 0;
  slo.share /= 100;
  slo.limit_ns *= factor;
  if (!(slo.share > 0 && slo.share < 1) || !(slo.limit_ns > 0)) return wrong();
  return slo;
}

Answer<bool> fill_whatif(const ForecastOptions& options, evidence::Artefact& artefact) {
  const auto slo = slo_in(options.slo);
  if (!slo) return std::unexpected(slo.error());
  const auto capture = read_capture(options);
  if (!capture) return std::unexpected(capture.error());
  const auto scenario = scenario_of(options, capture->forecaster);
  if (!scenario) return std::unexpected(scenario.error());
  set_parameters(options, *scenario, artefact);
  artefact.set_parameter("slo", options.slo);
  evidence::Table table{.name = "whatif",
                        .title = "the largest load at which " + options.slo + " of the wait holds",
                        .columns = {{.name = "case"},
                                    {.name = "rate_per_s", .decimals = 0},
                                    {.name = "low_per_s", .decimals = 0},
                                    {.name = "high_per_s", .decimals = 0},
                                    {.name = "load", .decimals = 4},
                                    {.name = "ratio", .decimals = 3},
                                    {.name = "range"}}};
  queueing::Scenario more = *scenario;
  more.servers = 2;
  queueing::Scenario even = *scenario;
  even.variance_factor = 0.5;
  queueing::Scenario calm = *scenario;
  calm.has_stalls = false;
  const std::pair<const char*, const queueing::Scenario*> cases[] = {
      {"as captured", &*scenario}, {"one server more", &more}, {"half the variance", &even}, {"no stalls", &calm}};
  double first = 0;  // the rate as captured; 0: there is none, and nothing to compare with
  for (const auto& [name, each] : cases) {
    const auto rate = capture->forecaster.largest_rate(*each, options.plan, slo->share, slo->limit_ns);
    if (!rate && rate.error().kind == queueing::RefusalKind::impossible) return std::unexpected(rate.error());
    if (!rate) {
      table.add_row({name, 0, 0, 0, 0, "-", "-"});
      table.notes.push_back(fmt::format("{}: {}", name, rate.error().text));
      continue;
    }
    queueing::Scenario at = *each;
    at.rate = rate->estimate;
    if (each == &*scenario) first = rate->estimate;
    table.add_row({name, rate->estimate, rate->low, rate->high, capture->forecaster.load_of(at),
                   first > 0 ? evidence::Cell(rate->estimate / first) : evidence::Cell("-"),
                   range_of(rate->estimate > 1.02 * capture->forecaster.rate() || at.arrivals.has_value())});
  }
  table.notes.push_back(fmt::format("captured at {:.0f} a second", capture->forecaster.rate()));
  artefact.add_table(std::move(table));
  return true;
}

using ForecastFill = Answer<bool> (*)(const ForecastOptions&, evidence::Artefact&);

void run_forecast(Command command, const std::string& name, std::shared_ptr<ForecastOptions> options, int& status,
                  ForecastFill fill) {
  command.on_run([=, options = std::move(options), &status] {
    status = show_queue(name, options->shared, [&](evidence::Artefact& artefact) { return fill(*options, artefact); });
  });
}

}  // namespace

void add_queue_forecast(Command queue, int& status) {
  Command predict = queue.add_command("predict", "From a captured trace to the waits under another load");
  auto options = std::make_shared<ForecastOptions>();
  add_scenario_options(predict, *options);
  predict
      .add_option("--latencies", options->latencies,
                  "Write how long one replicate's requests take: what dojima backtest --entry lab:FILE#submit reads")
      .type_name("FILE");
  predict
      .add_option("--step", options->steps,
                  "SECONDS,RATE: from then on so many requests a second; repeat. Forecasts the waits over time instead")
      .one_value_per_use();
  predict.add_option("--seconds", options->seconds, "How long that lasts").positive();
  predict
      .add_option("--requests", options->plan.requests,
                  "Of the capture that is forecast; as many as were captured otherwise")
      .between(std::size_t{1'000}, std::size_t{100'000'000});
  predict.add_option("--parts", options->parts, "Parts of equal length, each with its own figures")
      .between(std::size_t{1}, std::size_t{1'000})
      .show_default();
  predict.footer(
      "example: dojima queue predict waits.svc --kind 2 --load 0.8 --arrivals poisson\n"
      "         dojima queue predict venue.svc --step 0,5000 --step 2,60000 --step 4,5000 --seconds 10");
  run_forecast(predict, "predict", options, status, fill_predict);

  Command compare = queue.add_command("compare", "A forecast from one capture, held against a second one");
  options = std::make_shared<ForecastOptions>();
  add_scenario_options(compare, *options);
  compare
      .add_option("--against", options->against,
                  "The second trace; its rate is forecast unless --rate or --load is given")
      .required()
      .existing_file();
  compare.add_option("--close-ns", options->close_ns, "Waits up to this count as none in the distance").show_default();
  compare.footer("example: dojima queue compare calm.svc --against busy.svc");
  run_forecast(compare, "compare", options, status, fill_compare);

  Command whatif = queue.add_command("whatif", "The largest load that keeps a promise, and what would raise it");
  options = std::make_shared<ForecastOptions>();
  add_scenario_options(whatif, *options);
  whatif.add_option("--slo", options->slo, "A quantile of the wait and its limit, such as p99.9<=20us").required();
  whatif.footer("example: dojima queue whatif waits.svc --slo 'p99.9<=20us'");
  run_forecast(whatif, "whatif", options, status, fill_whatif);
}

}  // namespace dojima::cli
