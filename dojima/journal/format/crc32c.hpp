#pragma once

// CRC-32C (Castagnoli; iSCSI, RFC 3720 appendix B.4), by the processor's instruction where it has one and by tables
// otherwise: the same numbers. It finds every error burst of up to 32 bits and every one to three flipped bits of a
// record of any size that the journal takes.
//
//   std::uint32_t whole = crc32c(second, crc32c(first));   // the same as over both at once

#include <cstdint>
#include <cstring>
#if defined(__SSE4_2__)
#include <nmmintrin.h>
#endif

#include "dojima/base/bytes.hpp"

namespace dojima::journal {

/// The sum of `bytes` behind bytes whose sum is `before`, by the best way of the processor that runs this. O(size),
/// about 8 bytes in 3 cycles with the instruction.
[[nodiscard]] std::uint32_t crc32c_dispatched(Bytes bytes, std::uint32_t before = 0) noexcept;

/// The same; inline where the program is built for processors that have the instruction.
[[nodiscard]] inline std::uint32_t crc32c(Bytes bytes, std::uint32_t before = 0) noexcept {
#if defined(__SSE4_2__)
  const std::byte* at = bytes.data();
  std::size_t size = bytes.size();
  std::uint64_t sum = ~before;
  for (; size >= 8; at += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    sum = _mm_crc32_u64(sum, word);
  }
  auto low = static_cast<std::uint32_t>(sum);
  for (; size > 0; ++at, --size) low = _mm_crc32_u8(low, std::to_integer<std::uint8_t>(*at));
  return ~low;
#else
  return crc32c_dispatched(bytes, before);
#endif
}

/// The same by tables, on every processor.
[[nodiscard]] std::uint32_t crc32c_by_table(Bytes bytes, std::uint32_t before = 0) noexcept;

/// Whether `crc32c_dispatched` uses the processor's instruction here.
[[nodiscard]] bool has_crc32c_instruction() noexcept;

}  // namespace dojima::journal
