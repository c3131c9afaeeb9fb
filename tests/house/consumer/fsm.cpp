// The room of state machines, installed: a perfect hash of three keys is searched. Exit status 0 when all came as
// expected.

#include <cstdint>

#include "dojima/fsm/hash_search.hpp"

int main() {
  const std::uint64_t keys[] = {'8', 'D', 'G'};
  const auto search = dojima::fsm::HashSearch::begin(keys);
  return search && search->keys().size() == 3 ? 0 : 1;
}
