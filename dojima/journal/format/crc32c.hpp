#pragma once

// CRC-32C (Castagnoli; iSCSI, RFC 3720 appendix B.4), by the processor's instruction where it has one and by tables
// otherwise: the same numbers. It finds every error burst of up to 32 bits and every one to three flipped bits of a
// record of any size that the journal takes.
//
//   std::uint32_t whole = crc32c(second, crc32c(first));   // the same as over both at once

#include <cstdint>

#include "dojima/base/bytes.hpp"

namespace dojima::journal {

/// The sum of `bytes` behind bytes whose sum is `before`. O(size), about 8 bytes in 3 cycles with the instruction.
[[nodiscard]] std::uint32_t crc32c(Bytes bytes, std::uint32_t before = 0) noexcept;

/// The same by tables, on every processor.
[[nodiscard]] std::uint32_t crc32c_by_table(Bytes bytes, std::uint32_t before = 0) noexcept;

/// Whether `crc32c` uses the processor's instruction here.
[[nodiscard]] bool has_crc32c_instruction() noexcept;

}  // namespace dojima::journal
