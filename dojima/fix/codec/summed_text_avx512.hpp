#pragma once

// The same texts and sums as those of summed_text.hpp with AVX-512: texts are copied by masks, whatever their length,
// and eight digits are made by two multiplications of eight lanes (IFMA). Builds for one processor that has it use them
// in place of the others; builds for any processor have them for their tests alone. Pure functions, no allocation; up
// to k_touched characters behind what they write may be touched, and none behind what they read.

#include "dojima/fix/codec/written.hpp"

#if defined(__x86_64__)
#include <array>
#include <immintrin.h>

#if defined(DOJIMA_FIX_HAS_AVX512)
#define DOJIMA_FIX_AVX512 [[gnu::always_inline]] inline
#else
#define DOJIMA_FIX_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512ifma,bmi,bmi2"))) inline
#endif

namespace dojima::fix::avx512 {

/// Whether this processor has what the functions need.
[[nodiscard]] inline bool is_here() noexcept {
  return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("bmi2");
}

/// What the functions load. In memory, where the compiler does not see them: it would make each anew in general
/// registers wherever it is used.
struct Operands {
  alignas(64) std::array<std::uint64_t, 8> fractions, bias, tens;
  alignas(16) std::array<std::uint8_t, 16> separators;
};
extern const Operands k_operands;

/// Copies 1 to 16 characters.
[[nodiscard]] DOJIMA_FIX_AVX512 CopiedText copy_short_text(char* to, const char* from, std::size_t size) noexcept {
  const auto mask = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<unsigned>(size)));
  const __m128i text = _mm_maskz_loadu_epi8(mask, from);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), text);
  return {{to + size, reinterpret_cast<Lanes>(text), 0, 0},
          reinterpret_cast<Lanes>(
              _mm_cmpeq_epi8(text, _mm_load_si128(reinterpret_cast<const __m128i*>(k_operands.separators.data()))))};
}

/// The eight digits of a number below 10^8 as numbers, the first one in the lowest byte. Each lane takes the fraction
/// behind its digit's place, and the digit is the whole part of ten times that.
[[nodiscard]] DOJIMA_FIX_AVX512 Lanes eight_digits(std::uint64_t value) noexcept {
  const __m512i number = _mm512_set1_epi64(static_cast<long long>(value));
  const __m512i fractions = _mm512_madd52lo_epu64(_mm512_load_si512(k_operands.bias.data()), number,
                                                  _mm512_load_si512(k_operands.fractions.data()));
  const __m512i digits =
      _mm512_madd52hi_epu64(_mm512_setzero_si512(), fractions, _mm512_load_si512(k_operands.tens.data()));
  return reinterpret_cast<Lanes>(_mm512_maskz_cvtepi64_epi8(0xff, digits));
}

}  // namespace dojima::fix::avx512
#endif
