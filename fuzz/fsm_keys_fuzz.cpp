// A key file as a stranger wrote it: parse_keys gives keys or an error with a line, and every set of keys has a lookup
// that finds them all and nothing else.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "dojima/fsm/built_lookup.hpp"
#include "dojima/fsm/hash_search.hpp"

using namespace dojima;  // NOLINT(google-build-using-namespace): one small program

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_lookup(const std::vector<std::uint64_t>& keys) {
  const Result<fsm::BuiltLookup> lookup = fsm::BuiltLookup::build(keys);
  std::vector<std::uint64_t> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  const bool has_twice = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  require(lookup.has_value() != has_twice);
  if (!lookup) return;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    require(lookup->index(keys[i]) == i);
    for (const std::uint64_t stranger : {keys[i] + 1, keys[i] ^ std::uint64_t{1} << (i % 64U)})
      require(lookup->index(stranger) == lookup->miss() || std::binary_search(sorted.begin(), sorted.end(), stranger));
  }
}

void check_search(const std::vector<std::uint64_t>& keys, std::string_view checkpoint) {
  Result<fsm::HashSearch> search = fsm::HashSearch::begin(keys, {.seeds_max = 256});
  if (!search) return;
  static_cast<void>(search->resume(checkpoint));
  search->run(1, 4);
  Result<fsm::HashSearch> again = fsm::HashSearch::begin(keys, {.seeds_max = 256});
  require(again->resume(search->checkpoint()).has_value());
  require(again->status() == search->status());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<std::uint64_t>> keys = fsm::parse_keys(text);
  if (!keys) {
    require(keys.error().offset > 0);
    return 0;
  }
  check_lookup(*keys);
  check_search(*keys, text);
  return 0;
}
