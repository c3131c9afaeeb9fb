#include "dojima/mit/lse_21_2.hpp"

#include "dojima/mit/codec/codec.hpp"

namespace dojima::mit::lse_21_2 {

constinit const Dialect k_dialect = dialect_of<Tables>();

}  // namespace dojima::mit::lse_21_2
