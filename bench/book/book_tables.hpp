#pragma once

// The tables of dojima-bench-book. A short run (--quick) does the same with fewer operations.

#include "dojima/lab/bench_harness.hpp"
#include "dojima/lab/cycle_clock.hpp"

namespace dojima::bench {

struct Scale {
  bool is_quick = false;
  lab::CycleClock clock;
};

[[nodiscard]] lab::BenchTable perfeval_table(const Scale& scale);
[[nodiscard]] lab::BenchTable ab_table(const Scale& scale);
[[nodiscard]] lab::BenchTable storages_table(const Scale& scale);
[[nodiscard]] lab::BenchTable allocator_table();
[[nodiscard]] lab::BenchTable deep_table(const Scale& scale);
[[nodiscard]] lab::BenchTable itch_table(const Scale& scale);
[[nodiscard]] lab::BenchTable features_table(const Scale& scale);
[[nodiscard]] lab::BenchTable clients_table(const Scale& scale);

}  // namespace dojima::bench
