#pragma once

// Assertions for programmer errors. `DOJIMA_ASSERT` is on in every build: a broken invariant stops the process, and
// recovery takes over. `DOJIMA_CHECK_SLOW` is for checks that cost more than a compare; it is on where
// DOJIMA_SLOW_CHECKS is defined (debug and sanitizer builds). Up to four values after the meaning are printed with
// their names, so that a crash report explains itself:
//
//   DOJIMA_ASSERT(leaves <= quantity, "an order never has more left than it began with", leaves, quantity);
//
//   book.cpp:12: broken invariant: an order never has more left than it began with (leaves <= quantity);
//   leaves, quantity = 7, 5

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace dojima {

/// A value as an assertion prints it: integers, enumerations, pointers only as null or not, and the house's own
/// one-number types (`value`, `units`, `lots`, `count`, nanoseconds of a Time). Anything else prints as "?".
struct AssertionValue {
  enum class Kind : std::uint8_t { unsigned_number, signed_number, real, opaque };
  Kind kind = Kind::opaque;
  std::uint64_t bits = 0;
  double real = 0;
};

template <class T>
[[nodiscard]] constexpr AssertionValue assertion_value(const T& value) noexcept {
  using Kind = AssertionValue::Kind;
  if constexpr (std::is_enum_v<T>) {
    return assertion_value(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>)
      return {.kind = Kind::signed_number, .bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
    else
      return {.kind = Kind::unsigned_number, .bits = static_cast<std::uint64_t>(value)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {.kind = Kind::real, .real = static_cast<double>(value)};
  } else if constexpr (std::is_pointer_v<T> || std::is_null_pointer_v<T>) {
    return {.kind = Kind::unsigned_number, .bits = value == nullptr ? 0U : 1U};
  } else if constexpr (requires { value.time_since_epoch().count(); }) {
    return assertion_value(value.time_since_epoch().count());
  } else if constexpr (requires { value.count() + 1; }) {
    return assertion_value(value.count());
  } else if constexpr (requires { value.value + 1; }) {
    return assertion_value(value.value);
  } else if constexpr (requires { value.units + 1; }) {
    return assertion_value(value.units);
  } else if constexpr (requires { value.lots + 1; }) {
    return assertion_value(value.lots);
  } else if constexpr (requires { value.count + 1; }) {
    return assertion_value(value.count);
  } else {
    return {};
  }
}

/// Prints the broken condition with its place to stderr and aborts. Never returns, allocates nothing. Not marked cold:
/// that changes what compilers inline around it.
[[noreturn]] void assertion_failed(const char* condition, const char* meaning, const char* file, int line) noexcept;

/// The same with values.
[[noreturn]] void assertion_failed(const char* condition, const char* meaning, const char* file, int line,
                                   const char* names, const AssertionValue* values, std::size_t count) noexcept;

template <class... Values>
[[noreturn, gnu::noinline]] void assertion_failed_with(const char* condition, const char* meaning, const char* file,
                                                       int line, const char* names, Values... values) noexcept {
  static_assert(sizeof...(Values) <= 4, "an assertion names at most four values");
  const AssertionValue all[] = {assertion_value(values)..., AssertionValue{}};
  assertion_failed(condition, meaning, file, line, names, all, sizeof...(Values));
}

}  // namespace dojima

#define DOJIMA_ASSERT(condition, meaning, ...)                                                          \
  do {                                                                                                  \
    if (!(condition)) [[unlikely]]                                                                      \
      ::dojima::assertion_failed##__VA_OPT__(_with)(#condition, meaning, __FILE__,                      \
                                                    __LINE__ __VA_OPT__(, #__VA_ARGS__, ) __VA_ARGS__); \
  } while (false)

#if defined(DOJIMA_SLOW_CHECKS)
#define DOJIMA_CHECK_SLOW(condition, meaning, ...) DOJIMA_ASSERT(condition, meaning __VA_OPT__(, ) __VA_ARGS__)
#else
#define DOJIMA_CHECK_SLOW(condition, meaning, ...) static_cast<void>(0)
#endif
