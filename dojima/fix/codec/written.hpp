#pragma once

// What was written and the sum of its characters, which CheckSum(10) asks for: what is written has just been in a
// register, where its sum costs a few instructions; a message that is read again at once waits for its own stores.
// Pure functions, no allocation.
//
//   ByteSums sums;  sums.add(written.lanes);  written.sum + sums.total()   // the sum, modulo 256

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/base/digits.hpp"

#if defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512IFMA__) && defined(__BMI2__)
#define DOJIMA_FIX_HAS_AVX512 1  // every processor that this build is for has it
#endif

namespace dojima::fix {

/// Sixteen characters, or as many zeros and characters, side by side.
using Lanes [[gnu::vector_size(16)]] = std::uint8_t;
using LaneWords [[gnu::vector_size(16)]] = std::uint64_t;

[[nodiscard, gnu::always_inline]] inline Lanes lanes_of(std::uint64_t first, std::uint64_t second = 0) noexcept {
  return reinterpret_cast<Lanes>(LaneWords{first, second});
}

/// What may be touched behind the end of what was written.
inline constexpr std::size_t k_touched = 16;

/// Where what was written ends, and its characters: up to sixteen in the lanes, zeros among them; digits that are
/// there without their '0', by their number; and the sum of all others.
struct Written {
  char* end = nullptr;
  Lanes lanes{};
  std::uint32_t digits = 0;
  std::uint32_t sum = 0;
  /// What the lanes do not have.
  [[nodiscard, gnu::always_inline]] std::uint32_t beside() const noexcept { return sum + digits * '0'; }
};

/// Sixteen sums modulo 256 side by side.
class ByteSums {
 public:
  [[gnu::always_inline]] void add(Lanes lanes) noexcept { sums_ += lanes; }
  [[gnu::always_inline]] void add(const ByteSums& other) noexcept { sums_ += other.sums_; }
  [[nodiscard]] std::uint8_t total() const noexcept;

 private:
  Lanes sums_{};
};

/// The sum of eight characters.
[[nodiscard, gnu::always_inline]] constexpr std::uint32_t sum_of(std::uint64_t word) noexcept {
  constexpr std::uint64_t k_every_second = 0x00ff00ff00ff00ff;
  const std::uint64_t pairs = (word & k_every_second) + (word >> 8 & k_every_second);
  return static_cast<std::uint32_t>((pairs * 0x0001000100010001) >> 48);
}

/// The sum of any characters. O(size).
[[nodiscard]] inline std::uint32_t sum_of(std::string_view text) noexcept {
  std::uint32_t sum = 0;
  for (; text.size() >= 8; text.remove_prefix(8)) sum += sum_of(load_word(text.data()));
  for (const char character : text) sum += static_cast<unsigned char>(character);
  return sum;
}

inline std::uint8_t ByteSums::total() const noexcept {
  const Lanes upper = lanes_of(reinterpret_cast<LaneWords>(sums_)[1]);
  return static_cast<std::uint8_t>(sum_of(reinterpret_cast<LaneWords>(sums_ + upper)[0]));
}

struct CopiedText {
  Written text;
  Lanes separators{};  ///< not all zeros: SOH (0x01) is among the characters
};

[[nodiscard, gnu::always_inline]] inline bool is_any(Lanes lanes) noexcept {
  const auto words = reinterpret_cast<LaneWords>(lanes);
  return (words[0] | words[1]) != 0;
}

}  // namespace dojima::fix
