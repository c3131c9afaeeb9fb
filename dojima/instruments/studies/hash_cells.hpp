#pragma once

// What the tables of the timed hash have in common: the key of a row, a row of gaps, and one cell of the study.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "dojima/evidence/table.hpp"
#include "dojima/instruments/studies/hash_study.hpp"

namespace dojima::instruments {

inline const char* policy_name(bool is_real_time) {
  return is_real_time ? "fifo" : "other";
}
inline const char* load_name(bool is_loaded) {
  return is_loaded ? "loaded" : "idle";
}

inline std::vector<double> values_of(const HashRun& run) {
  return {run.times.begin(), run.times.end()};
}

inline std::vector<evidence::Cell> key_of(const HashCell& cell) {
  return {name_of(cell.clock), policy_name(cell.is_real_time), load_name(cell.is_loaded)};
}

inline std::vector<evidence::Column> key_columns() {
  return {{"clock"}, {"policy"}, {"load"}};
}

/// The row's key, then for each of the other columns why there is nothing.
inline std::vector<evidence::Cell> gap_row(std::vector<evidence::Cell> row, const evidence::Table& table,
                                           const std::string& reason) {
  while (row.size() < table.columns.size()) row.emplace_back(evidence::Unmeasured{reason});
  return row;
}

inline const HashCell* find(const HashStudy& study, HashClock clock, bool is_real_time, bool is_loaded) {
  const auto found = std::ranges::find_if(study.cells, [&](const HashCell& one) {
    return one.clock == clock && one.is_real_time == is_real_time && one.is_loaded == is_loaded && !one.runs.empty();
  });
  return found == study.cells.end() ? nullptr : &*found;
}

}  // namespace dojima::instruments
