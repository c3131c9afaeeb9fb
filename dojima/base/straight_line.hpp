#pragma once

// Decisions without branches, for loops over data: which kind of event comes next, for instance, no branch prediction
// can know, and a branch that was mispredicted costs as much as a dozen instructions. Pure functions.
//
//   if (all(order.id == id, order.quantity != 0)) ...   // both are asked, one branch
//   const auto price = either(mask, first, second);     // none

#include <concepts>
#include <cstdint>

namespace dojima {

/// Whether all are true; all are looked at.
template <std::same_as<bool>... Facts>
[[nodiscard, gnu::always_inline]] constexpr bool all(Facts... facts) noexcept {
  return (static_cast<unsigned>(facts) & ...) != 0;
}

/// Either of two by a mask of all bits or none. The compiler would make a branch of `?:`.
template <std::integral Number>
[[nodiscard, gnu::always_inline]] constexpr Number either(std::uint64_t mask, Number first, Number second) noexcept {
  const auto picked = (static_cast<std::uint64_t>(first) & mask) | (static_cast<std::uint64_t>(second) & ~mask);
  return static_cast<Number>(picked);
}

}  // namespace dojima
