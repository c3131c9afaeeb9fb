// dojima-bench-sched: the run wheel beside its rivals: std::priority_queue, std::multimap, a flat multimap and the
// three containers of the article "Hybrid Containers for C++", all behind the same interface and firing the same
// sequence.

#include "sched_tables.hpp"

#include "dojima/lab/build_identity.hpp"

int main(int count, char** words) {
  using namespace dojima;
  using namespace dojima::bench_sched;
  return lab::run_benchmarks({.name = "sched",
                              .tables = {hold_table(), rounds_table(), skew_table(), design_table(), rearm_table(),
                                         mixed_table(), layers_table(), live_table(), opening_table(), cores_table()},
                              .build = lab::build_identity(),
                              .notes = "simulated cache misses: tools/cache_misses.py; a soak: dojima-sched-hold"},
                             count, words);
}
