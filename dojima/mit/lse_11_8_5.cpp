#include "dojima/mit/lse_11_8_5.hpp"

#include "dojima/mit/codec/codec.hpp"

namespace dojima::mit::lse_11_8_5 {

constinit const Dialect k_dialect = dialect_of<Tables>();

}  // namespace dojima::mit::lse_11_8_5
