#pragma once

// Short texts in records of a fixed length, written in one piece. A record that is read soon after it was written is
// handed over by the processor without a way through the cache only where what is read lies in what one store wrote;
// else the reader waits until the parts are there. Stateless, no allocation.

#include <cstdint>
#include <cstring>

namespace dojima::gateway {

/// Sixteen bytes by one store; the lowest byte of `first` is the first.
[[gnu::always_inline]] inline void store_pair(char* at, std::uint64_t first, std::uint64_t second) noexcept {
  using Pair __attribute__((vector_size(16))) = std::uint64_t;
  const Pair pair{first, second};
  std::memcpy(at, &pair, sizeof pair);
}

/// Whether one of eight characters is null.
[[nodiscard, gnu::always_inline]] inline bool has_null(std::uint64_t characters) noexcept {
  constexpr std::uint64_t k_ones = 0x0101'0101'0101'0101;
  return ((characters - k_ones) & ~characters & k_ones << 7U) != 0;
}

}  // namespace dojima::gateway
