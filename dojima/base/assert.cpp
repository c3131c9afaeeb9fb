#include "dojima/base/assert.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace dojima {

void assertion_failed(const char* condition, const char* meaning, const char* file, int line) noexcept {
  assertion_failed(condition, meaning, file, line, "", nullptr, 0);
}

void assertion_failed(const char* condition, const char* meaning, const char* file, int line, const char* names,
                      const AssertionValue* values, std::size_t count) noexcept {
  std::fprintf(stderr, "%s:%d: broken invariant: %s (%s)", file, line, meaning, condition);
  if (count != 0) std::fprintf(stderr, "; %s =", names);
  for (std::size_t at = 0; at < count; ++at) {
    std::fputs(at == 0 ? " " : ", ", stderr);
    switch (values[at].kind) {
      case AssertionValue::Kind::unsigned_number:
        std::fprintf(stderr, "%" PRIu64, values[at].bits);
        break;
      case AssertionValue::Kind::signed_number:
        std::fprintf(stderr, "%" PRId64, static_cast<std::int64_t>(values[at].bits));
        break;
      case AssertionValue::Kind::real:
        std::fprintf(stderr, "%.17g", values[at].real);
        break;
      case AssertionValue::Kind::opaque:
        std::fputs("?", stderr);
        break;
    }
  }
  std::fputs("\n", stderr);
  std::abort();
}

}  // namespace dojima
