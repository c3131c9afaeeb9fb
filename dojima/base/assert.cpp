#include "dojima/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace dojima {

void assertion_failed(const char* condition, const char* meaning, const char* file, int line) noexcept {
  std::fprintf(stderr, "%s:%d: broken invariant: %s (%s)\n", file, line, meaning, condition);
  std::abort();
}

}  // namespace dojima
