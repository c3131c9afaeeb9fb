// expect: a key is in the set twice
#include "dojima/fsm/key_lookup.hpp"

struct Types {
#ifdef CORRECTED
  static constexpr std::array keys{'D', 'F', 'G'};
#else
  static constexpr std::array keys{'D', 'F', 'D'};
#endif
};

static_assert(dojima::fsm::KeyLookup<Types>::k_size == 3);
