#pragma once

// The same texts and sums as those of summed_text.hpp with AVX-512: texts are copied by masks, whatever their length,
// and eight digits are made by two multiplications of eight lanes (IFMA). Builds for one processor that has it use them
// in place of the others; builds for any processor have them for their tests alone. Pure functions, no allocation; up
// to k_touched characters behind what they write may be touched, and none behind what they read.

#include "dojima/fix/written.hpp"

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

/// Copies 1 to 16 characters.
[[nodiscard]] DOJIMA_FIX_AVX512 CopiedText copy_short_text(char* to, const char* from, std::size_t size) noexcept {
  const auto mask = static_cast<__mmask16>(_bzhi_u32(0xffff, static_cast<unsigned>(size)));
  const __m128i text = _mm_maskz_loadu_epi8(mask, from);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), text);
  return {{to + size, reinterpret_cast<Lanes>(text), 0},
          reinterpret_cast<Lanes>(_mm_cmpeq_epi8(text, _mm_set1_epi8(1)))};
}

/// The fraction n / 10^8, n / 10^7 ... n / 10 in units of 2^-52, rounded up; the first one would be so far up that 7 of
/// 69,999,999 came out: it is rounded down, and k_bias lifts it by less than 10^-8.
inline constexpr std::array<std::uint64_t, 8> k_fractions{45'035'996,         450'359'963,        4'503'599'628,
                                                          45'035'996'274,     450'359'962'738,    4'503'599'627'371,
                                                          45'035'996'273'705, 450'359'962'737'050};
inline constexpr std::array<std::uint64_t, 8> k_bias{30'000'000};

/// The eight characters of a number below 10^8, zeros in front: the first one in the lowest byte. Each lane takes the
/// fraction behind its digit's place, and the digit is the whole part of ten times that.
[[nodiscard]] DOJIMA_FIX_AVX512 std::uint64_t eight_digits(std::uint64_t value) noexcept {
  const __m512i number = _mm512_set1_epi64(static_cast<long long>(value));
  const __m512i fractions =
      _mm512_madd52lo_epu64(_mm512_loadu_si512(k_bias.data()), number, _mm512_loadu_si512(k_fractions.data()));
  const __m512i digits = _mm512_madd52hi_epu64(_mm512_set1_epi64('0'), fractions, _mm512_set1_epi64(10));
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_maskz_cvtepi64_epi8(0xff, digits)));
}

}  // namespace dojima::fix::avx512
#endif
