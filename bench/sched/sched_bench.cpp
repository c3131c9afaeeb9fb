// dojima-bench-sched: the run wheel beside its rivals: std::priority_queue, std::multimap, a flat multimap and the
// three containers of the article "Hybrid Containers for C++", all behind the same interface and firing the same
// sequence.

#include "sched_tables.hpp"

#include <cstdlib>
#include <unistd.h>

#include "dojima/evidence/build_identity.hpp"

namespace {

/// Starts this program anew with huge pages for all that anybody allocates: with a million objects, misses of the
/// address cache would be measured instead of containers. glibc reads its settings at the start only.
void ask_for_huge_pages(char** words) {
  if (std::getenv("GLIBC_TUNABLES") != nullptr) return;
  setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 1);
  execv("/proc/self/exe", words);  // returns where that cannot be: then without
}

}  // namespace

int main(int count, char** words) {
  using namespace dojima;
  using namespace dojima::bench_sched;
  ask_for_huge_pages(words);
  return harness::run_benchmarks(
      {.name = "sched",
       .tables = {hold_table(), users_table(), rounds_table(), skew_table(), design_table(), cancel_table(),
                  mixed_table(), layers_table(), misses_table(), live_table(), opening_table(), cores_table()},
       .build = evidence::build_identity(),
       .notes = "simulated cache misses: tools/cache_misses.py; a soak: dojima-sched-hold"},
      count, words);
}
