#pragma once

// Whether the costly assertions (DOJIMA_CHECK_SLOW) are on: a test of what only they find is skipped without them.

namespace dojima {

#if defined(DOJIMA_SLOW_CHECKS)
inline constexpr bool k_has_slow_checks = true;
#else
inline constexpr bool k_has_slow_checks = false;
#endif
inline constexpr const char* k_no_slow_checks = "skipped: costly checks are on in debug and sanitizer builds";

}  // namespace dojima
