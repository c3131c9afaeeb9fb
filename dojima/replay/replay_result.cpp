#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

#include "dojima/measure/statistics.hpp"
#include "dojima/replay/replay.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::replay {
namespace {

std::string time_text(time::Time at) {
  char text[time::k_timestamp_max];
  return at == recorded::k_unknown_time ? std::string() : std::string(time::format_timestamp(at, 9, text));
}

std::string_view name_of(Pace pace) {
  return pace == Pace::flat_out ? "flat out" : pace == Pace::paced ? "paced" : "event driven";
}

std::string_view name_of(recorded::Keeper keeper) {
  return keeper == recorded::Keeper::depth ? "depth" : keeper == recorded::Keeper::mirror ? "mirror" : "match";
}

evidence::Table summary(const ReplaySettings& settings, const ReplayResult& result) {
  evidence::Table table{.name = "replay", .title = "what went through the books", .columns = {{"what"}, {"value", 3}}};
  table.add_row({"first", time_text(result.first)});
  table.add_row({"last", time_text(result.last)});
  table.add_row({"events", result.events});
  table.add_row({"elapsed_s", result.elapsed_s});
  const double rate = static_cast<double>(result.events) / std::max(result.elapsed_s, 1e-9);
  table.add_row({"events_per_second", static_cast<std::int64_t>(rate)});
  table.add_row({"instruments", result.instruments});
  table.add_row({"live_orders", result.live_orders});
  table.add_row({"trades", result.counts.trades});
  table.add_row({"unknown_orders", result.counts.unknown});
  table.add_row({"refused", result.counts.refused});
  if (settings.books.counts_crossings) table.add_row({"crossings", result.counts.crossings});
  if (settings.books.keeper == recorded::Keeper::match) {
    table.add_row({"executions_matched", result.counts.matched});
    table.add_row({"executions_matched_otherwise", result.counts.matched_others});
  }
  table.add_row({"digest", fmt::format("{:016x}", result.digest)});
  return table;
}

evidence::Table lateness(const ReplaySettings& settings, const ReplayResult& result) {
  const measure::Histogram& late = *result.lateness;
  evidence::Table table{.name = "lateness",
                        .title = "from an event's due time to its delivery, microseconds of the clock",
                        .columns = {{"speed", 1},
                                    {"deliveries"},
                                    {"p50_us", 1},
                                    {"p90_us", 1},
                                    {"p99_us", 1},
                                    {"p999_us", 1},
                                    {"max_us", 1},
                                    {"speed_error", 6}}};
  const auto at = [&](double share) -> evidence::Cell {
    if (!measure::percentile_support(late.count(), share).is_printable)
      return evidence::Unmeasured{"too few events for this percentile"};
    return static_cast<double>(late.value_at(share)) / 1000.0;
  };
  table.add_row({settings.speed, late.count(), at(0.5), at(0.9), at(0.99), at(0.999),
                 static_cast<double>(late.max()) / 1000.0, result.speed_error});
  return table;
}

evidence::Table check_table(const recorded::WindowCounts& counts) {
  evidence::Table table{.name = "check",
                        .title = "against the recorded book, row by row",
                        .columns = {{"rows"},
                                    {"exact"},
                                    {"not_determinable"},
                                    {"contradictions"},
                                    {"resyncs"},
                                    {"resync_percent", 2},
                                    {"best_wrong"}}};
  table.add_row({counts.rows, counts.exact, counts.undetermined, counts.contradictions, counts.resyncs,
                 100.0 * static_cast<double>(counts.resyncs) / static_cast<double>(counts.rows), counts.best_wrong});
  return table;
}

}  // namespace

std::string to_text(const ReplayNow& now) {
  const std::string at = time_text(now.time);
  constexpr std::size_t k_day = 9, k_shown = 12;  // "20120621-", then "13:30:00.017"
  std::string text = at.size() < k_day + k_shown ? std::string() : at.substr(k_day, k_shown);
  text += fmt::format("  {} {} / {}", now.symbol, now.bid.empty() ? "-" : now.bid, now.ask.empty() ? "-" : now.ask);
  if (!now.last.empty()) text += "  last " + now.last;
  const double rate = static_cast<double>(now.events) / std::max(now.elapsed_s, 1e-9);
  text += rate >= 1e6 ? fmt::format("  {:.1f} M events/s", rate / 1e6) : fmt::format("  {:.0f} events/s", rate);
  if (now.progress) text += fmt::format("  {:.0f} %", 100 * *now.progress);
  if (now.speed != 0) text += fmt::format("  x{:g}", now.speed);
  return now.is_paused ? text + "  paused" : text;
}

evidence::Artefact artefact_of(const ReplaySettings& settings, const ReplayResult& result) {
  evidence::Artefact artefact("dojima replay");
  artefact.set_parameter("format", result.format)
      .set_parameter("file", std::filesystem::path(result.names.front()).filename().string())
      .set_parameter("book", std::string(name_of(settings.books.keeper)))
      .set_parameter("pace", std::string(name_of(settings.pace)))
      .set_parameter("speed", settings.speed)
      .set_parameter("check", settings.is_checking)
      .set_parameter("was_interrupted", result.was_interrupted);
  artefact.add_table(summary(settings, result)).add_table(result.books);
  if (result.lateness) {
    artefact.add_table(lateness(settings, result));
    if (result.lateness->count() != 0)
      artefact.add_histogram({.name = "lateness", .role = evidence::Role::other}, result.lateness->view());
  }
  if (result.window) {
    artefact.add_table(check_table(*result.window));
    const recorded::WindowCounts& counts = *result.window;
    artefact.add_check(
        "recorded book", counts.contradictions == 0,
        counts.contradictions == 0
            ? fmt::format("{} rows: {} exact, {} not determinable, no contradiction", counts.rows, counts.exact,
                          counts.undetermined)
            : fmt::format("{} contradictions, the first in row {}", counts.contradictions, counts.first_contradiction));
  }
  if (result.keepers_agree)
    artefact.add_check("levels and orders agree", *result.keepers_agree,
                       "the book of orders and a book of levels beside it");
  // Each command that a venue took is in such a file, but not what its books are made from.
  if (result.format == "commands")
    artefact.add_check(
        "books", false,
        "a file of a venue's commands names no instruments, so there are no books of it; dojima replay of "
        "a journal directory (dojima venue --journal DIR) has them");
  artefact.add_check("whole file", result.trouble.empty(), result.trouble);
  return artefact;
}

}  // namespace dojima::replay
