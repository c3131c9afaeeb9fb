// dojima-bench-book: what an order costs in the book, storage by storage.

#include "book_tables.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "dojima/lab/build_identity.hpp"
#include "dojima/lab/timed_section.hpp"

int main(int count, char** words) {
  using namespace dojima;
  const lab::CycleClock clock = lab::CycleClock::calibrate();
  const bench::Scale scale{
      std::any_of(words, words + count, [](const char* word) { return std::string_view(word) == "--quick"; }), clock};
  std::vector<lab::BenchTable> tables{bench::perfeval_table(scale), bench::ab_table(scale),
                                      bench::storages_table(scale), bench::allocator_table(),
                                      bench::deep_table(scale),     bench::itch_table(scale),
                                      bench::features_table(scale), bench::clients_table(scale)};
  // Columns of all tables: ns_per_op, ops_per_second, allocations_per_op; what storages compete for says storage.
  for (lab::BenchTable& table : tables) {
    table.operation = "op";
    for (const char* of_storages : {"perfeval", "storages", "deep", "itch"})
      if (table.name == of_storages) table.competitor = "storage";
  }
  return lab::run_benchmarks({.name = "book",
                              .tables = std::move(tables),
                              .build = lab::build_identity(),
                              .notes = "p50, p99, p999 of single operations, nothing subtracted: " +
                                       to_text(lab::measure_section_cost<lab::Fencing::fenced>(clock), clock)},
                             count, words);
}
