// dojima-book-run TABLE COMPETITOR: one batch of a competitor, for tools that look at a process from outside
// (tools/book_instructions.py). Flows are the short ones of --quick. Prints how many operations the batch had.

#include "book_tables.hpp"

#include <cstdio>
#include <string_view>

#include "dojima/measure/timed_section.hpp"

namespace {

/// A name of its own, so that a profiler finds the batch and nothing else.
[[gnu::noinline]] std::uint64_t run_batch(dojima::harness::Competitor& competitor) {
  return competitor.run().total();
}

}  // namespace

int main(int count, char** words) {
  using namespace dojima;
  if (count != 3) {
    std::fputs("usage: dojima-book-run TABLE COMPETITOR\n", stderr);
    return 2;
  }
  const std::string_view wanted = words[1], competitor = words[2];
  const bench::Scale scale{true, measure::CycleClock::calibrate()};
  for (const harness::BenchTable& table :
       {bench::perfeval_table(scale), bench::deep_table(scale), bench::itch_table(scale), bench::features_table(scale),
        bench::clients_table(scale)})
    for (const harness::BenchCompetitor& each : table.competitors) {
      if (table.name != wanted || each.name != competitor) continue;
      const auto made = each.make(harness::BenchCase({}, 1));
      made->prepare();
      std::printf("%llu\n", static_cast<unsigned long long>(run_batch(*made)));
      return 0;
    }
  std::fprintf(stderr, "no competitor '%s' in a table '%s'; tables: perfeval, deep, itch, features, clients\n",
               words[2], words[1]);
  return 2;
}
