#pragma once

// The two loops over every byte of a message, in the ways this processor has: the sum of all bytes, and where each
// field begins and ends. All ways give the same on every input; tests compare them. Chosen once at run time. Pure
// functions, no allocation.
//
//   const Kernels& fastest = kernels();
//   fastest.sum(text, size);

#include <cstddef>
#include <cstdint>

#include "dojima/fix/tags.hpp"

namespace dojima::fix {

/// One field of an indexed message.
struct FieldEntry {
  Tag tag = 0;
  std::uint16_t size = 0;   ///< of the value
  std::uint32_t begin = 0;  ///< of the value, counted from the beginning of the message
  friend bool operator==(const FieldEntry&, const FieldEntry&) = default;
};

/// Instruction sets, the later ones faster.
enum class Isa : std::uint8_t { scalar, sse, avx2, avx512 };

struct Kernels {
  Isa isa = Isa::scalar;
  const char* name = "";
  /// The sum of `size` bytes modulo 256.
  std::uint8_t (*sum)(const char* text, std::size_t size) noexcept = nullptr;
  /// Notes every field of text[0, end), which ends with a separator and has at least 7 more bytes behind it. Entries
  /// beyond those counted are scratch: `entries` has room for `room` + k_scan_slack. Gives how many fields there are,
  /// or k_irregular where something needs a closer look: a tag that is none of 1 to 65535 in its shortest form, an
  /// empty value, more than `room` fields, `end` above 65,000.
  std::size_t (*index)(const char* text, std::size_t end, FieldEntry* entries, std::size_t room) noexcept = nullptr;
};

inline constexpr std::size_t k_irregular = ~std::size_t{0};
inline constexpr std::size_t k_scan_slack = 8;
/// The most fields a kernel can count.
inline constexpr std::size_t k_scan_fields_max = 1000;

/// The fastest that this processor has.
[[nodiscard]] const Kernels& kernels() noexcept;
/// One in particular; null: this processor, or this build, does not have it.
[[nodiscard]] const Kernels* kernels_of(Isa isa) noexcept;

namespace detail {
[[nodiscard]] const Kernels* scalar_kernels() noexcept;
[[nodiscard]] const Kernels* sse_kernels() noexcept;
[[nodiscard]] const Kernels* avx2_kernels() noexcept;
[[nodiscard]] const Kernels* avx512_kernels() noexcept;
}  // namespace detail

}  // namespace dojima::fix
