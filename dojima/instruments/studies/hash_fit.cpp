#include "dojima/instruments/studies/hash_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dojima/evidence/svg.hpp"
#include "dojima/instruments/hash_tables.hpp"
#include "dojima/instruments/studies/hash_cells.hpp"
#include "dojima/measure/fit_tests.hpp"

namespace dojima::instruments {
namespace {

/// The step of a cell's clock, from its readings around nothing; 0: it takes any value.
double clock_step(const HashStudy& study, HashClock clock) {
  const auto found = std::ranges::find(study.overheads, clock, &HashOverhead::clock);
  if (found == study.overheads.end()) return study.quantum_ns;
  const std::vector<double> readings(found->times.begin(), found->times.end());
  return measure::clock_step_of(readings, study.quantum_ns);
}

void append_fits(std::vector<evidence::Cell>& row, const measure::Shape& shape) {
  const evidence::Unmeasured same{"all values of the bulk are the same"};
  for (std::size_t i = 0; i < std::size(measure::k_fit_models); ++i) {
    if (shape.bulk.empty()) {
      row.insert(row.end(), 4, evidence::Cell(same));
      continue;
    }
    const measure::FitTest& test = shape.bulk[i];
    for (const double value : {test.distance, test.p_value, test.location, test.scale}) row.emplace_back(value);
  }
}

void append_tail(std::vector<evidence::Cell>& row, const measure::Shape& shape) {
  row.emplace_back(shape.tail_count);
  if (shape.tail) {
    for (const double value : {shape.tail->scale, shape.tail->distance, shape.tail->p_value}) row.emplace_back(value);
  } else {
    row.insert(row.end(), 3, evidence::Cell(evidence::Unmeasured{"fewer than 30 values, or of fewer than 5 steps"}));
  }
  row.emplace_back(shape.stalls);
  row.emplace_back(shape.stall_limit);
}

evidence::Table empty_fit_table() {
  evidence::Table table{"fit",
                        "the clock's lattice, the bulk (up to the 99th percentile) against fitted distributions, and "
                        "what lies behind it",
                        key_columns()};
  table.columns.push_back({"quantum_ns", 2, true, "the step of the clock, where the values keep to it"});
  table.columns.push_back({"on_lattice", 4});
  table.columns.push_back({"unit_ns", 3, false, "what values are whole multiples of: compared at the edges between"});
  table.columns.push_back({"bulk_up_to_ns", 0});
  table.columns.push_back({"bulk_steps", 0, false, "different values in the bulk: below 5 a fit says nothing"});
  for (const char* model : {"exponential", "shifted_exponential", "lognormal"}) {
    const std::string name(model);
    table.columns.push_back({name + "_distance", 4, false, "of the bulk to the model cut off where the bulk ends"});
    table.columns.push_back({.name = name + "_p", .decimals = 4, .on_screen = false});
    table.columns.push_back({.name = name + "_location", .decimals = 4, .on_screen = false});
    table.columns.push_back({.name = name + "_scale", .decimals = 4, .on_screen = false});
  }
  table.columns.push_back({"tail_values", 0, false, "behind the bulk, without the stalls"});
  table.columns.push_back({"tail_scale_ns", 1, false, "the tail as an exponential: its mean"});
  table.columns.push_back({.name = "tail_distance", .decimals = 4, .on_screen = false});
  table.columns.push_back({.name = "tail_p", .decimals = 4, .on_screen = false});
  table.columns.push_back({"stalls"});
  table.columns.push_back({"stalls_above_ns", 0, false, "the nearest fit expects a hundredth of a value above"});
  table.columns.push_back({"verdict"});
  table.notes = {
      "Compared at the edges between the clock's steps, or between the units of the values. p below 0.01 is a bound, "
      "2 exp(-2 n D^2), otherwise from a parametric bootstrap of at most 99 samples. Values of 0, where a clock stood "
      "still, are left out.",
      "A handful of stalls decides any test of all values; so the bulk is fitted as cut off at its 99th percentile, "
      "and the tail apart."};
  return table;
}

}  // namespace

evidence::Table fit_table(const HashStudy& study) {
  evidence::Table table = empty_fit_table();
  for (const HashCell& cell : study.cells) {
    const HashRun* run = middle_run(cell);
    if (run == nullptr) {
      table.add_row(gap_row(key_of(cell), table, cell.trouble));
      continue;
    }
    std::vector<double> values = values_of(*run);
    std::erase_if(values, [](double value) { return value <= 0; });
    std::vector<evidence::Cell> row = key_of(cell);
    if (values.empty() || std::ranges::min(values) == std::ranges::max(values)) {
      table.add_row(gap_row(std::move(row), table, "the clock stood still: nothing to fit"));
      continue;
    }
    const measure::Lattice lattice = measure::lattice_of(values, clock_step(study, cell.clock));
    const double unit = lattice.quantum > 0 ? lattice.quantum : cell.clock == HashClock::tsc ? study.ns_per_cycle : 1.0;
    const evidence::Unmeasured none{"no lattice"};
    row.push_back(lattice.quantum > 0 ? evidence::Cell(lattice.quantum) : evidence::Cell(none));
    row.push_back(lattice.quantum > 0 ? evidence::Cell(lattice.share) : evidence::Cell(none));
    row.emplace_back(unit);
    const measure::Shape shape = measure::shape_of(values, unit);
    row.emplace_back(shape.limit);
    row.emplace_back(shape.bulk_steps);
    append_fits(row, shape);
    append_tail(row, shape);
    row.emplace_back(verdict_of(lattice, shape));
    table.add_row(std::move(row));
  }
  return table;
}

std::string verdict_of(const measure::Lattice& lattice, const measure::Shape& shape) {
  const auto tested = [](const measure::FitTest& test, std::string_view name, bool has_enough_steps) {
    char distance[32];
    std::snprintf(distance, sizeof distance, " (D %.3f)", test.distance);
    const char* verdict = test.is_rejected() ? "not " : has_enough_steps ? "perhaps " : "too few steps to tell from ";
    return verdict + std::string(name) + distance;
  };
  std::string text = "bulk up to " + evidence::value_text(shape.limit, "ns") + ": ";
  for (const measure::FitTest& test : shape.bulk)
    text += (&test == &shape.bulk.front() ? "" : ", ") + tested(test, name_of(test.model), shape.has_enough_steps());
  if (shape.bulk.empty()) text += "one value";
  text += "; tail: " + evidence::count_text(shape.tail_count) + (shape.tail_count == 1 ? " value" : " values");
  if (shape.tail)
    text += " " + evidence::value_text(shape.tail->scale, "ns") + " farther in the mean, " +
            tested(*shape.tail, "exponential", true);
  text += shape.stalls == 0 ? "; no stall" : "; " + evidence::count_text(shape.stalls) + " stall";
  if (shape.stalls > 1) text += "s";
  if (shape.stalls > 0) text += " up to " + evidence::value_text(shape.largest_stall, "ns");
  text += lattice.quantum > 0 ? "; a lattice of " + evidence::value_text(lattice.quantum, "ns") + " (" +
                                    evidence::share_text(std::round(lattice.share * 1e4) / 1e4) + " of the values)"
                              : std::string("; no lattice");
  return text;
}

}  // namespace dojima::instruments
