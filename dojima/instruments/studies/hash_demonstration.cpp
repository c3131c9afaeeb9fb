#include "dojima/instruments/studies/hash_demonstration.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "dojima/evidence/svg.hpp"
#include "dojima/instruments/hash_tables.hpp"
#include "dojima/instruments/studies/hash_cells.hpp"
#include "dojima/measure/sample_summary.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

/// What one clock saw of the stalls of its run.
struct Sight {
  double largest_ns = 0;
  std::uint64_t above_1_ms = 0;
  std::int64_t preemptions = 0;
  double off_processor_ns = 0;
};

/// Over all runs of a cell: one of them may by chance have been spared.
std::optional<Sight> sight_of(const HashCell* cell) {
  if (cell == nullptr) return std::nullopt;
  Sight sight;
  for (const HashRun& run : cell->runs) {
    const std::vector<double> values = values_of(run);
    sight.largest_ns = std::max(sight.largest_ns, std::ranges::max(values));
    sight.above_1_ms += measure::count_beyond(values, 1e6);
    sight.preemptions += run.preemptions;
    sight.off_processor_ns += run.elapsed_ns - run.on_processor_ns;
  }
  return sight;
}

std::string ns_text(double value) {
  return evidence::value_text(value, "ns");
}

void add_statement(evidence::Table& table, std::string statement, std::optional<bool> holds, std::string figures) {
  table.add_row({std::move(statement), holds ? evidence::Cell(*holds) : evidence::Cell(evidence::Unmeasured{figures}),
                 std::move(figures)});
}

/// With the ordinary policy beside a spinner: who saw the preemptions?
void add_blindness(evidence::Table& table, const HashStudy& study, double tick_ns) {
  const auto blind = sight_of(find(study, HashClock::process_cpu, false, true));
  const auto seeing = sight_of(find(study, HashClock::monotonic, false, true));
  const char* statement = "The processor-time clock hides preemption";
  if (!blind || !seeing)
    return add_statement(table, statement, std::nullopt, "not measured with both clocks on a shared processor");
  const bool was_stopped = blind->preemptions > 0 && seeing->preemptions > 0;
  const std::string figures = "process_cpu: taken off the processor " + std::to_string(blind->preemptions) +
                              " times for " + ns_text(blind->off_processor_ns) + " in all, largest time " +
                              ns_text(blind->largest_ns) + ", " + std::to_string(blind->above_1_ms) +
                              " above 1 ms; monotonic: " + std::to_string(seeing->preemptions) + " times for " +
                              ns_text(seeing->off_processor_ns) + ", largest time " + ns_text(seeing->largest_ns) +
                              ", " + std::to_string(seeing->above_1_ms) + " above 1 ms";
  if (!was_stopped) return add_statement(table, statement, std::nullopt, "no preemption in these runs; " + figures);
  add_statement(table, statement, blind->largest_ns < tick_ns && seeing->largest_ns >= tick_ns, figures);
}

/// What the real-time policy does to the largest time that a wall clock sees.
void add_priority(evidence::Table& table, const HashStudy& study) {
  const auto other = sight_of(find(study, HashClock::monotonic, false, true));
  const auto fifo = sight_of(find(study, HashClock::monotonic, true, true));
  const char* statement = "Real-time priority keeps the other thread away";
  if (!other || !fifo) {
    const auto forbidden =
        std::ranges::find_if(study.cells, [](const HashCell& one) { return one.is_real_time && !one.trouble.empty(); });
    return add_statement(table, statement, std::nullopt,
                         forbidden == study.cells.end() ? "not measured" : forbidden->trouble);
  }
  const bool was_stopped = other->preemptions > 0;
  const std::string figures = "monotonic, loaded: largest time " + ns_text(other->largest_ns) +
                              " with SCHED_OTHER and " + ns_text(fifo->largest_ns) + " with SCHED_FIFO, preemptions " +
                              std::to_string(other->preemptions) + " and " + std::to_string(fifo->preemptions);
  add_statement(table, statement, was_stopped ? std::optional(fifo->preemptions < other->preemptions) : std::nullopt,
                figures);
}

/// How many values of all runs lie above the mean of their run plus one deviation, a share; and the deviations' median.
struct Bulk {
  double share_beyond_1 = 0;
  double deviation_ns = 0;
};

std::optional<Bulk> bulk_of(const HashCell* cell) {
  if (cell == nullptr) return std::nullopt;
  Bulk bulk;
  std::vector<double> deviations;
  double values_in_all = 0;
  for (const HashRun& run : cell->runs) {
    const std::vector<double> values = values_of(run);
    const measure::SampleSummary summary = measure::summarise(values);
    bulk.share_beyond_1 += static_cast<double>(measure::count_beyond(values, summary.mean + summary.deviation));
    values_in_all += static_cast<double>(values.size());
    deviations.push_back(summary.deviation);
  }
  bulk.share_beyond_1 /= values_in_all;
  bulk.deviation_ns = measure::median(deviations);
  return bulk;
}

/// The article's two conclusions by its own clock and count: with priority fewer values lie beyond one deviation,
/// loaded and idle; and the largest are as large as before.
void add_article_view(evidence::Table& table, const HashStudy& study) {
  const auto value = [&](bool is_real_time, bool is_loaded) {
    return find(study, HashClock::process_cpu, is_real_time, is_loaded);
  };
  const auto other = sight_of(value(false, true)), fifo = sight_of(value(true, true));
  const char* tightens = "By the article's clock, real-time priority tightens the bulk";
  const char* persists = "By the article's clock, the tails persist";
  const auto other_loaded = bulk_of(value(false, true)), fifo_loaded = bulk_of(value(true, true));
  const auto other_idle = bulk_of(value(false, false)), fifo_idle = bulk_of(value(true, false));
  if (!other_loaded || !fifo_loaded || !other_idle || !fifo_idle) {
    add_statement(table, tightens, std::nullopt, "not measured with both policies and both loads");
  } else {
    const auto pair = [](const Bulk& plain, const Bulk& prior) {
      return evidence::share_text(std::round(plain.share_beyond_1 * 1e6) / 1e6) + " and " +
             evidence::share_text(std::round(prior.share_beyond_1 * 1e6) / 1e6) + " beyond one deviation of " +
             ns_text(plain.deviation_ns) + " and " + ns_text(prior.deviation_ns);
    };
    add_statement(table, tightens,
                  fifo_loaded->share_beyond_1 < other_loaded->share_beyond_1 &&
                      fifo_idle->share_beyond_1 < other_idle->share_beyond_1,
                  "SCHED_OTHER and SCHED_FIFO, loaded: " + pair(*other_loaded, *fifo_loaded) +
                      "; idle: " + pair(*other_idle, *fifo_idle) +
                      "; the article: 169 and 82 of 100,000, 130 and 89, where idle the deviation grew");
  }
  if (!other || !fifo) return add_statement(table, persists, std::nullopt, "not measured with both policies");
  const double ratio = other->largest_ns / fifo->largest_ns;
  add_statement(table, persists, ratio < 10,
                "process_cpu, loaded: largest time " + ns_text(other->largest_ns) + " with SCHED_OTHER, " +
                    ns_text(fifo->largest_ns) + " with SCHED_FIFO; the article: 189,705 ns and 188,273 ns");
}

/// The clock costs more than the work that it times.
void add_cost(evidence::Table& table, const HashStudy& study) {
  const HashCell* cpu = find(study, HashClock::process_cpu, false, false);
  const HashCell* wall = find(study, HashClock::monotonic, false, false);
  const char* statement = "The processor-time clock costs more than the work";
  if (cpu == nullptr || wall == nullptr)
    return add_statement(table, statement, std::nullopt, "not measured with both clocks on an idle processor");
  const double with_cpu = measure::median(values_of(*middle_run(*cpu)));
  const double with_wall = measure::median(values_of(*middle_run(*wall)));
  add_statement(
      table, statement, with_cpu > 2 * with_wall,
      "median of the same work: " + ns_text(with_cpu) + " by process_cpu, " + ns_text(with_wall) + " by monotonic");
}

}  // namespace

evidence::Table demonstration_table(const HashStudy& study, double tick_ns) {
  evidence::Table table{
      "demonstration", "what these runs show, over all runs of a cell", {{"statement"}, {"holds"}, {"figures"}}};
  add_blindness(table, study, tick_ns);
  add_article_view(table, study);
  add_priority(table, study);
  add_cost(table, study);
  table.notes = {"A preemption costs a slice, at least one tick (" + ns_text(tick_ns) +
                 "). \"holds\" is empty where the runs had no preemption to show, or the machine forbids one side."};
  return table;
}

}  // namespace dojima::instruments
