// expect: (key ^ Seed) % Denominator has a collision over these keys
#include "dojima/fsm/key_lookup.hpp"

struct Types {
  static constexpr std::array keys{'D', 'F', 'G'};
};

#ifdef CORRECTED
using Lookup = dojima::fsm::KeyLookup<Types, dojima::fsm::XorModuloOf<1, 3>>;
#else
using Lookup = dojima::fsm::KeyLookup<Types, dojima::fsm::XorModuloOf<0, 3>>;
#endif

static_assert(Lookup::index('F') == 1);
