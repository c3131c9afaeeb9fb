// A program for tools/branch_misses.py: one way to get from a code to its body, below callgrind, which simulates a
// branch predictor. branch_probe WAY KEYS STREAM, where KEYS is 4, 7, 16 (types of one byte) or 64 (random codes).
// Prints how many events were counted.

#include "dispatch.hpp"

#include <cstdio>
#include <memory>
#include <string_view>
#include <valgrind/callgrind.h>

namespace {

using namespace dojima::bench;

template <class KeySet, class Way>
int count(std::string_view kind) {
  const Input<KeySet> input(stream(kind, k_count<KeySet>, 1));
  auto sessions = std::make_unique<Sessions>();
  Way way;
  CALLGRIND_START_INSTRUMENTATION;
  way.run(input, *sessions);  // the predictor learns
  CALLGRIND_ZERO_STATS;
  way.run(input, *sessions);
  CALLGRIND_STOP_INSTRUMENTATION;
  std::printf("%zu events counted, digest %016llx\n", k_events, static_cast<unsigned long long>(digest_of(*sessions)));
  return 0;
}

template <class KeySet>
int of_keys(std::string_view way, std::string_view kind) {
  if (way == "if_else") return count<KeySet, IfElse<KeySet, Trivial>>(kind);
  if (way == "switch") return count<KeySet, Switch<KeySet, Trivial>>(kind);
  if (way == "hash_functions") return count<KeySet, HashAndFunctions<KeySet, Trivial>>(kind);
  if (way == "hashed_tuple")
    return count<KeySet, typename OfMachine<dojima::fsm::HashedTuple>::template Way<KeySet, Trivial>>(kind);
  return 2;
}

}  // namespace

int main(int argument_count, char** words) {
  if (argument_count != 4) return 2;
  const std::string_view way = words[1], keys = words[2], kind = words[3];
  if (keys == "4") return of_keys<FixTypes<4>>(way, kind);
  if (keys == "7") return of_keys<FixTypes<7>>(way, kind);
  if (keys == "16") return of_keys<FixTypes<16>>(way, kind);
  if (keys == "64") return of_keys<RandomCodes<64>>(way, kind);
  return 2;
}
