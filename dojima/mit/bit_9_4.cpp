#include "dojima/mit/bit_9_4.hpp"

#include "dojima/mit/codec/codec.hpp"

namespace dojima::mit::bit_9_4 {

constinit const Dialect k_dialect = dialect_of<Tables>();

}  // namespace dojima::mit::bit_9_4
