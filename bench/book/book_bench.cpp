// dojima-bench-book: what an order costs in the book, storage by storage.

#include "book_tables.hpp"

#include <algorithm>
#include <string_view>

#include "dojima/lab/build_identity.hpp"
#include "dojima/lab/timed_section.hpp"

int main(int count, char** words) {
  using namespace dojima;
  const lab::CycleClock clock = lab::CycleClock::calibrate();
  const bench::Scale scale{
      std::any_of(words, words + count, [](const char* word) { return std::string_view(word) == "--quick"; }), clock};
  return lab::run_benchmarks(
      {.name = "book",
       .tables = {bench::perfeval_table(scale), bench::ab_table(scale), bench::storages_table(scale),
                  bench::allocator_table(), bench::deep_table(scale), bench::itch_table(scale),
                  bench::features_table(scale), bench::clients_table(scale)},
       .build = lab::build_identity(),
       .notes = "p50, p99, p999 of single operations, nothing subtracted: " +
                to_text(lab::measure_section_cost<lab::Fencing::fenced>(clock), clock)},
      count, words);
}
