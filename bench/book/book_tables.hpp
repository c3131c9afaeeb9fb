#pragma once

// The tables of dojima-bench-book. A short run (--quick) does the same with fewer operations.

#include "dojima/harness/bench_harness.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::bench {

struct Scale {
  bool is_quick = false;
  measure::CycleClock clock;
};

[[nodiscard]] harness::BenchTable perfeval_table(const Scale& scale);
[[nodiscard]] harness::BenchTable ab_table(const Scale& scale);
[[nodiscard]] harness::BenchTable storages_table(const Scale& scale);
[[nodiscard]] harness::BenchTable allocator_table();
[[nodiscard]] harness::BenchTable deep_table(const Scale& scale);
[[nodiscard]] harness::BenchTable itch_table(const Scale& scale);
[[nodiscard]] harness::BenchTable features_table(const Scale& scale);
[[nodiscard]] harness::BenchTable clients_table(const Scale& scale);

}  // namespace dojima::bench
