#pragma once

// Assertions for programmer errors. `DOJIMA_ASSERT` is on in every build: a broken invariant stops the process, and
// recovery takes over. `DOJIMA_CHECK_SLOW` is for checks that cost more than a compare; it is on where
// DOJIMA_SLOW_CHECKS is defined (debug and sanitizer builds).
//
//   DOJIMA_ASSERT(leaves <= quantity, "an order never has more left than it began with");

namespace dojima {

/// Prints the broken condition with its place to stderr and aborts. Never returns, allocates nothing.
[[noreturn]] void assertion_failed(const char* condition, const char* meaning, const char* file, int line) noexcept;

}  // namespace dojima

#define DOJIMA_ASSERT(condition, meaning)                                  \
  do {                                                                     \
    if (!(condition)) [[unlikely]]                                         \
      ::dojima::assertion_failed(#condition, meaning, __FILE__, __LINE__); \
  } while (false)

#if defined(DOJIMA_SLOW_CHECKS)
#define DOJIMA_CHECK_SLOW(condition, meaning) DOJIMA_ASSERT(condition, meaning)
#else
#define DOJIMA_CHECK_SLOW(condition, meaning) static_cast<void>(0)
#endif
