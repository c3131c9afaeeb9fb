// dojima-bench-book: what an order costs in the book, storage by storage.

#include "book_tables.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/evidence/build_identity.hpp"
#include "dojima/measure/timed_section.hpp"

int main(int count, char** words) {
  using namespace dojima;
  const measure::CycleClock clock = measure::CycleClock::calibrate();
  const bench::Scale scale{
      std::any_of(words, words + count, [](const char* word) { return std::string_view(word) == "--quick"; }), clock};
  std::vector<harness::BenchTable> tables{bench::perfeval_table(scale), bench::ab_table(scale),
                                          bench::storages_table(scale), bench::allocator_table(),
                                          bench::deep_table(scale),     bench::itch_table(scale),
                                          bench::features_table(scale), bench::clients_table(scale)};
  // Columns of all tables: ns_per_op, ops_per_second, allocations_per_op; what storages compete for says storage.
  for (harness::BenchTable& table : tables) {
    table.operation = "op";
    for (const char* of_storages : {"perfeval", "storages", "deep", "itch"})
      if (table.name == of_storages) table.competitor = "storage";
  }
  return harness::run_benchmarks(
      {.name = "book",
       .tables = std::move(tables),
       .build = evidence::build_identity(),
       .notes = "p50, p99, p999 of single operations, nothing subtracted: " +
                to_text(measure::measure_section_cost<measure::Fencing::fenced>(clock), clock)},
      count, words);
}
