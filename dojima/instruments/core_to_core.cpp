#include "dojima/instruments/core_to_core.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "dojima/base/assert.hpp"
#include "dojima/instruments/cpu_list.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::instruments {
namespace {

/// Two lines apart: the processor fetches lines in pairs.
constexpr std::size_t k_apart = 128;

/// What travels: a number each way.
struct Rally {
  alignas(k_apart) std::atomic<std::uint64_t> request = 0;
  alignas(k_apart) std::atomic<std::uint64_t> answer = 0;
  alignas(k_apart) std::atomic<bool> is_over = false;
};

/// Waits for a number; false when the rally ends before it comes.
bool wait_for(const std::atomic<std::uint64_t>& word, std::uint64_t number, const Rally& rally,
              const StopFlag& stop) noexcept {
  while (word.load(std::memory_order_acquire) != number) {
    if (rally.is_over.load(std::memory_order_relaxed) || stop.is_set()) return false;
  }
  return true;
}

/// Both sides of one measurement; `stamps` beyond its size are not made.
struct Sides {
  Rally rally;
  std::vector<Exchange> exchanges;
  std::vector<std::uint64_t> batch_cycles;
  std::size_t batches = 0;
  std::size_t done = 0;
  std::size_t batches_done = 0;
};

void ask(Sides& sides, std::size_t batch, std::uint64_t length, const StopFlag& stop) noexcept {
  const std::uint64_t until = measure::cycles() + length;
  std::uint64_t number = 0;
  for (Exchange& exchange : sides.exchanges) {
    exchange.sent = measure::cycles_fenced_begin();
    if (exchange.sent >= until) break;
    sides.rally.request.store(++number, std::memory_order_release);
    if (!wait_for(sides.rally.answer, number, sides.rally, stop)) break;
    exchange.received = measure::cycles_fenced_end();
    ++sides.done;
  }
  for (std::uint64_t& lasted : sides.batch_cycles) {
    const std::uint64_t begin = measure::cycles_fenced_begin();
    if (sides.done < sides.exchanges.size() || begin >= until) break;
    bool is_complete = true;
    for (std::size_t i = 0; i < batch && is_complete; ++i) {
      sides.rally.request.store(++number, std::memory_order_release);
      is_complete = wait_for(sides.rally.answer, number, sides.rally, stop);
    }
    if (!is_complete) break;
    lasted = measure::cycles_fenced_end() - begin;
    ++sides.batches_done;
  }
  sides.rally.is_over.store(true, std::memory_order_relaxed);
}

void answer(Sides& sides, const StopFlag& stop) noexcept {
  std::uint64_t number = 0;
  for (Exchange& exchange : sides.exchanges) {
    if (!wait_for(sides.rally.request, ++number, sides.rally, stop)) return;
    exchange.passed = measure::cycles_fenced_begin();
    sides.rally.answer.store(number, std::memory_order_release);
  }
  while (wait_for(sides.rally.request, ++number, sides.rally, stop)) {
    sides.rally.answer.store(number, std::memory_order_release);
  }
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<std::int64_t>(a - b);
}

double round_trip_ns(const CorePair& pair, const measure::CycleClock& clock) {
  std::vector<double> each;
  for (const std::uint64_t lasted : pair.batch_cycles) {
    each.push_back(static_cast<double>(lasted) * clock.ns_per_cycle() / static_cast<double>(pair.batch));
  }
  return each.empty() ? std::numeric_limits<double>::quiet_NaN() : measure::median(each);
}

measure::Histogram histogram_of(const CorePair& pair, const measure::CycleClock& clock) {
  measure::Histogram histogram;
  for (const Exchange& exchange : pair.exchanges)
    histogram.record(clock.nanoseconds(exchange.received - exchange.sent));
  return histogram;
}

evidence::Table pair_table(const std::vector<CorePair>& pairs, const measure::CycleClock& clock) {
  evidence::Table table{"core_to_core",
                        "from one processor to another and back",
                        {{"from"},
                         {"to"},
                         {"exchanges"},
                         {"round_trip_ns", 1, true, "median of batches without stamps"},
                         {"stamped_p50_ns", 0, true, "of single exchanges, which show the step of the clock"},
                         {"stamped_p99_ns"},
                         {"stamped_min_ns"},
                         {"offset_ns", 1, true, "by how much the counter of `to` is ahead"},
                         {"offset_bound_ns", 1, true, "how far off that may be, by causality"}}};
  for (const CorePair& pair : pairs) {
    const measure::Histogram histogram = histogram_of(pair, clock);
    if (histogram.count() == 0) {
      const evidence::Unmeasured none{"no exchange came to its end in the time allowed"};
      table.add_row({pair.from, pair.to, 0, none, none, none, none, none, none});
      continue;
    }
    const CounterOffset offset = offset_of(pair.exchanges);
    const double width = static_cast<double>(offset.high_cycles - offset.low_cycles) * clock.ns_per_cycle();
    const double middle = static_cast<double>(offset.high_cycles + offset.low_cycles) / 2 * clock.ns_per_cycle();
    const evidence::Unmeasured contradiction{"the exchanges contradict each other: the counters do not run alike"};
    table.add_row({pair.from, pair.to, pair.exchanges.size(), round_trip_ns(pair, clock), histogram.value_at(0.5),
                   histogram.value_at(0.99), histogram.min(),
                   offset.is_contradiction() ? evidence::Cell(contradiction) : evidence::Cell(middle),
                   offset.is_contradiction() ? evidence::Cell(contradiction) : evidence::Cell(width / 2)});
  }
  return table;
}

/// One way, taken for half of the way there and back.
evidence::Table matrix_of(const std::vector<int>& cpus, const std::vector<CorePair>& pairs,
                          const measure::CycleClock& clock) {
  evidence::Table table{"matrix", "one way in ns: half a round trip", {{"from"}}};
  for (const int cpu : cpus) table.columns.push_back({"cpu_" + std::to_string(cpu), 1});
  for (const int from : cpus) {
    std::vector<evidence::Cell> row = {from};
    for (const int to : cpus) {
      const auto pair = std::ranges::find_if(pairs, [&](const CorePair& one) {
        return (one.from == from && one.to == to) || (one.from == to && one.to == from);
      });
      if (from == to) {
        row.emplace_back(evidence::Unmeasured{"a processor does not send to itself"});
      } else if (pair == pairs.end()) {
        row.emplace_back(evidence::Unmeasured{"the run ended before this pair"});
      } else {
        row.emplace_back(round_trip_ns(*pair, clock) / 2);
      }
    }
    table.add_row(std::move(row));
  }
  return table;
}

evidence::Table overhead_table(const std::vector<CorePair>& pairs, const measure::CycleClock& clock) {
  evidence::Table table{"overhead", "what the instrument itself costs", {{"from"}, {"to"}, {"what"}, {"ns", 2}}};
  for (const CorePair& pair : pairs) {
    const measure::Histogram histogram = histogram_of(pair, clock);
    if (histogram.count() == 0) continue;
    table.add_row({pair.from, pair.to, "three stamps an exchange: median with them less that without",
                   static_cast<double>(histogram.value_at(0.5)) - round_trip_ns(pair, clock)});
    table.add_row({pair.from, pair.to, "the step of the clock", clock.quantum_ns()});
  }
  return table;
}

}  // namespace

CounterOffset offset_of(std::span<const Exchange> exchanges) {
  DOJIMA_ASSERT(!exchanges.empty(), "an offset has to be seen at least once");
  CounterOffset offset{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  for (const Exchange& exchange : exchanges) {
    offset.low_cycles = std::max(offset.low_cycles, difference(exchange.passed, exchange.received));
    offset.high_cycles = std::min(offset.high_cycles, difference(exchange.passed, exchange.sent));
  }
  return offset;
}

std::expected<CorePair, std::string> measure_core_pair(int from, int to, const CorePairPlan& plan,
                                                       const measure::CycleClock& clock,
                                                       const std::function<bool()>& go_on) {
  Sides sides;
  sides.exchanges.resize(plan.exchanges);
  sides.batch_cycles.resize(std::max<std::size_t>(1, plan.exchanges / plan.batch));
  const auto length = static_cast<std::uint64_t>(static_cast<double>(plan.time_cap.count()) / clock.ns_per_cycle());
  const auto outcome = run_on_cores(
      {from, to}, {},
      [&](std::size_t index, const StopFlag& stop) {
        if (index == 0) {
          ask(sides, plan.batch, length, stop);
        } else {
          answer(sides, stop);
        }
      },
      go_on);
  if (!outcome) return std::unexpected(outcome.error());
  CorePair pair{from, to, {}, std::move(sides.batch_cycles), plan.batch, outcome->was_stopped};
  pair.batch_cycles.resize(sides.batches_done);
  const std::size_t warm_up = sides.done / 10;
  pair.exchanges.assign(sides.exchanges.begin() + static_cast<std::ptrdiff_t>(warm_up),
                        sides.exchanges.begin() + static_cast<std::ptrdiff_t>(sides.done));
  return pair;
}

void add_core_to_core(evidence::Artefact& artefact, const std::vector<int>& cpus, const std::vector<CorePair>& pairs,
                      const measure::CycleClock& clock) {
  evidence::Document named = evidence::Document::array();
  for (const int cpu : cpus) named.push(cpu);
  artefact.set_parameter("cpus", std::move(named));
  evidence::Table table = pair_table(pairs, clock);
  if (cpus.size() < 2) table.notes.emplace_back("Unavailable: it takes two processors, and one may be used.");
  artefact.add_table(std::move(table));
  artefact.add_table(matrix_of(cpus, pairs, clock)).add_table(overhead_table(pairs, clock));
  for (const CorePair& pair : pairs) {
    const std::string arm = std::to_string(pair.from) + " to " + std::to_string(pair.to);
    evidence::RunRecord& run = artefact.begin_run({.arm = pairs.size() > 1 ? arm : std::string()});
    const double round_trip = round_trip_ns(pair, clock);
    if (round_trip == round_trip) run.add_figure("round_trip", "ns", round_trip);
    if (!pair.exchanges.empty())
      run.add_histogram({"exchange", evidence::Role::total}, histogram_of(pair, clock).view());
  }
}

}  // namespace dojima::instruments
