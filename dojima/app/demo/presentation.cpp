#include "dojima/app/demo/presentation.hpp"

#include <algorithm>
#include <fmt/core.h>

#include "dojima/evidence/table.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::app::demo {
namespace {

evidence::Table latency_table(const DemoResult& result) {
  evidence::Table table{
      .name = "latency",
      .title = "latency by stage, microseconds",
      .columns = {{"stage"}, {"count"}, {"p50_us", 1}, {"p90_us", 1}, {"p99_us", 1}, {"p999_us", 1}, {"max_us", 1}}};
  for (const PartLatency& part : result.measured.parts) {
    const auto at = [&](double share) -> evidence::Cell {
      if (!measure::percentile_support(part.nanoseconds.count(), share).is_printable)
        return evidence::Unmeasured{"too few requests for this percentile"};
      return static_cast<double>(part.nanoseconds.value_at(share)) / 1000.0;
    };
    table.add_row({part.name, part.nanoseconds.count(), at(0.5), at(0.9), at(0.99), at(0.999),
                   static_cast<double>(part.nanoseconds.max()) / 1000.0});
  }
  if (result.measured.unmeasured != 0)
    table.notes.push_back(fmt::format("{} answered requests never reached every stage (the gateway refused them, say)",
                                      result.measured.unmeasured));
  return table;
}

evidence::Table stations_table(const DemoResult& result) {
  evidence::Table table{
      .name = "stations",
      .title = "places that take time for messages, executions included",
      .columns = {
          {"station"}, {"messages"}, {"load", 4}, {"mean_service_us", 3}, {"mean_wait_us", 3}, {"longest_wait_us", 1}}};
  double gateway = 0;  // its one thread has requests and reports to do
  for (const StationLoad& of : result.stations) {
    table.add_row(
        {of.name, of.messages, of.load, of.mean_service_ns / 1e3, of.mean_wait_ns / 1e3, of.longest_wait_ns / 1e3});
    if (of.name != name_of(Serving::venue)) gateway += of.load;
    if (of.load >= 1) table.notes.push_back(of.name + " has more to do than it can: its line grew with the flow");
  }
  if (gateway > 0) table.notes.push_back(fmt::format("load of the gateway's thread: {:.4f}", gateway));
  return table;
}

/// The numbers of the run, as name and value.
std::vector<std::pair<std::string, std::uint64_t>> totals(const DemoResult& result) {
  return {{"requests", result.clients.sent},
          {"answered", result.clients.answered},
          {"orders_accepted", result.clients.accepted},
          {"orders_rejected", result.clients.rejected},
          {"changes_rejected", result.clients.changes_rejected},
          {"executions", result.clients.executions},
          {"trades", result.venue.trades},
          {"volume", result.venue.volume},
          {"resting_orders", result.venue.resting.size()}};
}

evidence::Table totals_table(const DemoResult& result) {
  evidence::Table table{.name = "totals", .title = "what was done", .columns = {{"what"}, {"count"}}};
  for (const auto& [name, value] : totals(result)) table.add_row({name, value});
  return table;
}

std::string digest_of(const DemoResult& result) {
  return fmt::format("{:016x}", result.venue.trade_digest);
}

evidence::Table digest_table(const DemoResult& result) {
  evidence::Table table{.name = "trades", .title = "all trades in their order", .columns = {{"digest"}}};
  table.add_row({digest_of(result)});
  return table;
}

std::string shown_price(market::Price price) {
  char digits[market::k_price_text_max];
  return price.units == 0 ? "-" : std::string(market::format_price(price, digits));
}

evidence::Table day_table(const DemoResult& result) {
  evidence::Table table{.name = "day",
                        .title = "the trading day",
                        .columns = {{"symbol"},
                                    {"opening_price"},
                                    {"opening_volume"},
                                    {"closing_price"},
                                    {"closing_volume"},
                                    {"auctions"},
                                    {"auction_volume"},
                                    {"interruptions"},
                                    {"extensions"},
                                    {"indicative_prices"}}};
  for (const simulate::DayStatistics& of : result.day)
    table.add_row({of.symbol, shown_price(of.opening), of.opening_volume, shown_price(of.closing), of.closing_volume,
                   of.auctions, of.auction_volume, of.interruptions, of.extensions, of.indicative_prices});
  table.notes.push_back(fmt::format(
      "{} auction lots of {} traded",
      [&] {
        std::int64_t volume = 0;
        for (const simulate::DayStatistics& of : result.day) volume += of.auction_volume;
        return volume;
      }(),
      result.venue.volume));
  return table;
}

std::string_view name_of_reason(market::DayReason reason) noexcept {
  switch (reason) {
    case market::DayReason::extended:
      return "extended";
    case market::DayReason::shortened:
      return "shortened";
    case market::DayReason::price_outside_range:
      return "price outside its band";
    case market::DayReason::manual:
      return "by the operator";
    case market::DayReason::scheduled:
      break;
  }
  return "scheduled";
}

evidence::Table phases_table(const DemoResult& result) {
  evidence::Table table{
      .name = "phases", .title = "phases in their order", .columns = {{"at_s", 3}, {"symbol"}, {"phase"}, {"reason"}}};
  for (const DayStep& step : result.day_steps)
    table.add_row(
        {step.at_s, step.symbol, std::string(simulate::name_of(step.phase)), std::string(name_of_reason(step.reason))});
  return table;
}

/// Latency and throughput over the time of the flow.
void add_series(evidence::Artefact& run, const Measured& measured) {
  evidence::Series latency{.name = "latency", .columns = {"p50", "p99", "max"}};
  evidence::Series answers{
      .name = "answers", .kind = evidence::SeriesKind::throughput, .unit = "1/s", .columns = {"answers"}};
  for (const Stretch& stretch : measured.stretches) {
    const auto shown = [](std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds); };
    answers.rows.push_back({stretch.begin_s, static_cast<double>(stretch.answered) / measured.stretch_s});
    if (stretch.p99_ns == 0) continue;
    latency.rows.push_back({stretch.begin_s, shown(stretch.p50_ns), shown(stretch.p99_ns), shown(stretch.max_ns)});
  }
  // The last stretch is cut short by the end of the flow.
  if (answers.rows.size() > 1) answers.rows.pop_back();
  run.add_series(std::move(latency)).add_series(std::move(answers));
}

evidence::Table kills_table(const DemoResult& result) {
  evidence::Table table{.name = "kills",
                        .title = "processes killed and started again",
                        .columns = {{"at_s", 3}, {"process"}, {"down_ms", 1}, {"back_ms", 1}}};
  for (const Kill& kill : result.kills) table.add_row({kill.at_s, kill.process, kill.down_ms, kill.back_ms});
  return table;
}

std::string topology_text(const DemoResult& result) {
  if (has_kills(result.settings)) return "clients, gateway and venue are a process each";
  if (result.settings.is_timed) return "one thread in this process, no request before it is due by the clock";
  if (result.settings.is_virtual) {
    const double speed = result.settings.speed;
    const std::string pace = speed == 0 ? "virtual time" : fmt::format("virtual time, {:g} times the clock's", speed);
    const std::string& services = result.settings.services.text;
    return pace + ", one thread, simulated network" + (services.empty() ? "" : "; services " + services) +
           (result.settings.stalls.is_none() ? "" : "; stalls " + result.settings.stalls.text);
  }
  const std::size_t loops = threads(result.settings.topology) + result.partition_work.threads;
  std::string names;
  for (const std::string& name : thread_names(result.settings)) names += (names.empty() ? "" : " | ") + name;
  std::string text = fmt::format("{} {}: {}, idle {}", loops, loops == 1 ? "thread" : "threads", names,
                                 net::name_of(result.settings.idle));
  if (const PartitionWork& work = result.partition_work; work.threads != 0)
    text += fmt::format("; of the venue's commands {} by {} of the partitions, {} by the one of the sessions",
                        work.by_thread, work.threads == 1 ? "the thread" : fmt::format("{} threads", work.threads),
                        work.by_sessions);
  if (result.settings.handicap.count() != 0)
    text += fmt::format("; the venue wastes {} ns on every request", result.settings.handicap.count());
  return text;
}

}  // namespace

std::string text_of(const DemoResult& result) {
  const Settings& settings = result.settings;
  std::string text = fmt::format("{} clients, {} requests per second, {:.3f} s of flow{}, seed {}; {}\n\n",
                                 settings.clients, settings.rate, result.flow_seconds,
                                 result.is_interrupted ? " (interrupted)" : "", settings.seed, topology_text(result));
  text += evidence::to_text(totals_table(result));
  text += fmt::format("\ntrade digest {}\n\n", digest_of(result));
  if (!result.kills.empty()) text += evidence::to_text(kills_table(result)) + "\n";
  for (const ThreadLoad& thread : result.threads)
    text += fmt::format("{}: {:.0f} % of a processor\n", thread.thread, thread.busy() * 100);
  if (!result.threads.empty()) text += "\n";
  if (result.memory.is_known()) text += text_of(result.memory) + "\n\n";
  for (const std::string& line : result.loop_lines) text += line + "\n";
  if (!result.loop_lines.empty()) text += "\n";
  if (!result.day.empty())
    text += evidence::to_text(phases_table(result)) + "\n" + evidence::to_text(day_table(result)) + "\n";
  if (!result.measured.parts.empty()) text += evidence::to_text(latency_table(result)) + "\n";
  if (!result.stations.empty()) text += evidence::to_text(stations_table(result)) + "\n";
  text += "checks\n";
  for (const simulate::Check& check : result.checks)
    text += fmt::format("  {:<6} {}: {}\n", check.is_ok ? "ok" : "FAILED", check.name, check.detail);
  if (!result.trouble.empty()) text += fmt::format("\ntrouble: {}\n", result.trouble);
  if (!result.history.empty()) text += "\nthe first order that broke a check\n";
  for (const std::string& line : result.history) text += line + "\n";
  return text;
}

evidence::Artefact artefact_of(const DemoResult& result, const std::string& command) {
  const Settings& settings = result.settings;
  evidence::Artefact run(command);
  run.set_parameter("seconds", settings.seconds)
      .set_parameter("clients", settings.clients)
      .set_parameter("rate_per_s", settings.rate)
      .set_parameter("seed", settings.seed)
      .set_parameter("topology", settings.is_timed     ? "one thread"
                                 : settings.is_virtual ? "virtual"
                                                       : name_of(settings.topology))
      .set_parameter("idle", net::name_of(settings.idle))
      .set_parameter("virtual", settings.is_virtual && !settings.is_timed)
      .set_parameter("speed", settings.speed)
      .set_parameter("handicap_ns", settings.handicap.count())
      .set_parameter("resting_target", settings.resting_target)
      .set_parameter("day", settings.is_day)
      .set_parameter("kills", has_kills(settings) ? settings.kills : 0)
      .set_parameter("kills_gateway", settings.kills_gateway)
      .set_parameter("kills_venue", settings.kills_venue);
  if (!settings.services.is_none()) run.set_parameter("service", settings.services.text);
  if (!settings.stalls.is_none()) run.set_parameter("stalls", settings.stalls.text);
  if (!settings.loop.asks_for_nothing()) run.set_parameter("loop", result.loop);
  run.add_table(totals_table(result)).add_table(digest_table(result));
  if (!result.kills.empty()) run.add_table(kills_table(result));
  if (!result.day.empty()) run.add_table(day_table(result)).add_table(phases_table(result));
  // Over real sockets requests of several clients meet in another order every time.
  const evidence::Rule rule = settings.is_virtual ? evidence::Rule::equal : evidence::Rule::shown;
  run.add_rule({.table = "totals", .column = "count", .rule = rule});
  run.add_rule({.table = "trades", .column = "digest", .rule = rule});
  run.add_figure("flow_seconds", "s", result.flow_seconds).add_figure("interrupted", "", result.is_interrupted ? 1 : 0);
  for (const auto& [name, value] : totals(result)) run.add_figure(name, "", static_cast<double>(value));
  if (result.flow_seconds > 0)
    run.add_figure("requests_per_s", "1/s", static_cast<double>(result.clients.sent) / result.flow_seconds);
  if (result.memory.is_known())
    run.add_figure("resident_begin_bytes", "B", static_cast<double>(result.memory.begin_bytes))
        .add_figure("resident_end_bytes", "B", static_cast<double>(result.memory.end_bytes));
  for (const simulate::Check& check : result.checks) run.add_check(check.name, check.is_ok, check.detail);
  if (result.measured.parts.empty()) return run;
  run.add_table(latency_table(result));
  if (!result.stations.empty()) {
    run.add_table(stations_table(result));
    for (const char* column : {"p50_us", "p99_us", "max_us"})
      run.add_rule({.table = "latency", .column = column, .rule = evidence::Rule::equal});
    for (const char* column : {"messages", "load", "mean_wait_us"})
      run.add_rule({.table = "stations", .column = column, .rule = evidence::Rule::equal});
  }
  for (const PartLatency& part : result.measured.parts) {
    const bool is_total = &part == &result.measured.parts.back();
    run.add_histogram({.name = part.name, .role = is_total ? evidence::Role::total : evidence::Role::stage},
                      part.nanoseconds.view());
  }
  add_series(run, result.measured);
  return run;
}

std::string text_of(const Progress& progress, const Settings& settings) {
  if (progress.phase < Phase::flowing) return "starting";
  if (progress.phase > Phase::draining) return "checking";
  const auto all = static_cast<std::uint64_t>(settings.seconds * static_cast<double>(settings.rate));
  const double rate = progress.seconds > 0 ? static_cast<double>(progress.answered) / progress.seconds : 0;
  return fmt::format("{:.0f} answers/s, {} of about {} requests answered, {:.0f} s left{}{}", rate, progress.answered,
                     all, std::max(0.0, settings.seconds - progress.seconds), progress.day.empty() ? "" : "; ",
                     progress.day);
}

}  // namespace dojima::app::demo
