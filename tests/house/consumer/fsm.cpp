// The room of state machines, installed: the hash of the keys in keys/order_types.txt, which the build searched, knows
// them and no others. Exit status 0 when all came as expected.

#include "order_types.hpp"

#include <cstdint>

#include "dojima/fsm/hash_search.hpp"
#include "dojima/fsm/key_lookup.hpp"

int main() {
  const std::uint64_t keys[] = {'8', 'D', 'G'};
  const auto search = dojima::fsm::HashSearch::begin(keys);
  if (!search || search->keys().size() != 3) return 1;
  if (OrderTypesLookup::index('F') != 1 || OrderTypesLookup::index('A' << 8 | 'E') != 3) return 2;
  return OrderTypesLookup::index('x') == OrderTypesLookup::k_miss ? 0 : 3;
}
