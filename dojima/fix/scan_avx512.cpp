// The kernels with AVX-512 (BW, VBMI2, VPOPCNTDQ): 64 bytes at a time, and tags eight at a time.

#include "dojima/fix/scan_tag.hpp"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 finds the deliberately undefined registers of its own header uninitialised.
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#define DOJIMA_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt")))
#endif

namespace dojima::fix::detail {

#if defined(__x86_64__)
namespace {

DOJIMA_AVX512 inline __m512i first_bytes(const char* text, std::size_t size) noexcept {
  return _mm512_maskz_loadu_epi8(_bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(size)), text);
}

DOJIMA_AVX512 std::uint8_t sum_avx512(const char* text, std::size_t size) noexcept {
  __m512i sums = _mm512_setzero_si512();
  std::size_t at = 0;
  for (; at + 64 <= size; at += 64) sums = _mm512_add_epi8(sums, _mm512_loadu_si512(text + at));
  sums = _mm512_add_epi8(sums, first_bytes(text + at, size - at));
  return static_cast<std::uint8_t>(_mm512_reduce_add_epi64(_mm512_sad_epu8(sums, _mm512_setzero_si512())));
}

constexpr std::size_t k_lanes = 8;

/// Places of separators, behind one that stands in front of the first byte.
struct Separators {
  std::uint16_t places[k_scan_fields_max + 64];
};

/// How many there are; k_irregular: more than `room`, or one in two bytes.
DOJIMA_AVX512 inline std::size_t find_separators(const char* text, std::size_t end, std::uint16_t* places,
                                                 std::size_t room) noexcept {
  alignas(64) static constexpr auto k_steps = [] {
    struct {
      unsigned char bytes[64];
    } steps{};
    for (unsigned char i = 0; i < 64; ++i) steps.bytes[i] = i;
    return steps;
  }();
  const __m512i steps = _mm512_load_si512(k_steps.bytes);
  std::size_t count = 0;
  for (std::size_t base = 0; base < end; base += 64) {
    const std::size_t left = end - base;
    const __m512i bytes = left >= 64 ? _mm512_loadu_si512(text + base) : first_bytes(text + base, left);
    const std::uint64_t found = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(1));
    const auto here = static_cast<std::size_t>(_mm_popcnt_u64(found));
    if (here > 32 || count + here > room) [[unlikely]] {
      return k_irregular;
    }
    const __m256i packed = _mm512_castsi512_si256(_mm512_maskz_compress_epi8(found, steps));
    const __m512i wide = _mm512_add_epi16(_mm512_cvtepu8_epi16(packed), _mm512_set1_epi16(static_cast<short>(base)));
    _mm512_storeu_si512(places + count, wide);
    count += here;
  }
  return count;
}

/// Eight fields at once. `ends` are the places of their separators, `begins` those of their first digits.
DOJIMA_AVX512 inline __m512i entries_of(__m512i words, __m512i begins, __m512i ends, __mmask8 lanes,
                                        unsigned& trouble) noexcept {
  const __m512i ones = _mm512_set1_epi64(static_cast<long long>(k_ones));
  const __m512i zeros = _mm512_set1_epi8('0');
  const __m512i difference = _mm512_xor_si512(words, _mm512_set1_epi8('='));
  const __m512i equals = _mm512_and_si512(_mm512_andnot_si512(difference, _mm512_sub_epi64(difference, ones)),
                                          _mm512_set1_epi64(static_cast<long long>(k_highs)));
  // Bits below the first one: 7 more than 8 for each digit; 64 where there is none.
  const __m512i below =
      _mm512_popcnt_epi64(_mm512_andnot_si512(equals, _mm512_add_epi64(equals, _mm512_set1_epi64(-1))));
  const __m512i bits = _mm512_sub_epi64(below, _mm512_set1_epi64(7));
  const __m512i digits = _mm512_srli_epi64(bits, 3);
  // Digits to the top, zeros below: "35=" becomes "00000035".
  const __m512i text = _mm512_or_si512(_mm512_sllv_epi64(words, _mm512_sub_epi64(_mm512_set1_epi64(64), bits)),
                                       _mm512_srlv_epi64(zeros, bits));
  const __m512i values = _mm512_sub_epi8(text, zeros);
  const __m512i pairs = _mm512_maddubs_epi16(values, _mm512_set1_epi16(0x010a));
  const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));
  const __m512i tags =
      _mm512_add_epi64(_mm512_mul_epu32(fours, _mm512_set1_epi64(10'000)), _mm512_srli_epi64(fours, 32));
  const __m512i value = _mm512_add_epi64(_mm512_add_epi64(begins, digits), _mm512_set1_epi64(1));
  const __m512i size = _mm512_sub_epi64(ends, value);

  const __mmask64 no_digits = _mm512_cmpgt_epu8_mask(values, _mm512_set1_epi8(9));
  trouble |= no_digits != 0 ? 1u : 0u;
  trouble |= _mm512_mask_cmp_epu64_mask(lanes, _mm512_sub_epi64(digits, _mm512_set1_epi64(1)), _mm512_set1_epi64(5),
                                        _MM_CMPINT_NLT);
  trouble |= _mm512_mask_cmpgt_epi64_mask(lanes, tags, _mm512_set1_epi64(0xffff));
  trouble |= _mm512_mask_cmple_epi64_mask(lanes, size, _mm512_setzero_si512());
  trouble |=
      _mm512_mask_cmpeq_epi64_mask(lanes, _mm512_and_si512(words, _mm512_set1_epi64(0xff)), _mm512_set1_epi64('0'));
  return _mm512_or_si512(_mm512_or_si512(tags, _mm512_slli_epi64(size, 16)), _mm512_slli_epi64(value, 32));
}

DOJIMA_AVX512 std::size_t index_avx512(const char* text, std::size_t end, FieldEntry* entries,
                                       std::size_t room) noexcept {
  static_assert(sizeof(FieldEntry) == 8, "an entry is one lane");
  constexpr std::size_t k_longest = 65'000;
  if (end > k_longest || room > k_scan_fields_max) return k_irregular;
  Separators separators;
  std::uint16_t* places = separators.places + 1;
  separators.places[0] = 0xffff;  // the byte in front of the first one
  const std::size_t count = find_separators(text, end, places, room);
  if (count == k_irregular) return k_irregular;
  unsigned trouble = 0;
  for (std::size_t at = 0; at < count; at += k_lanes) {
    const auto lanes = static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(count - at < 8 ? count - at : 8)));
    const __m128i before = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + at - 1));
    const __m128i behind = _mm_loadu_si128(reinterpret_cast<const __m128i*>(places + at));
    const __m512i begins = _mm512_cvtepu16_epi64(_mm_add_epi16(before, _mm_set1_epi16(1)));
    const __m512i ends = _mm512_cvtepu16_epi64(behind);
    // "00000001=" in lanes that have no field: nothing is wrong with them.
    const __m512i idle = _mm512_set1_epi64(0x3d31);
    const __m512i words = _mm512_mask_i64gather_epi64(idle, lanes, begins, text, 1);
    _mm512_storeu_si512(entries + at, entries_of(words, begins, ends, lanes, trouble));
  }
  return trouble != 0 ? k_irregular : count;
}

constexpr Kernels k_avx512{Isa::avx512, "AVX-512", sum_avx512, index_avx512};

}  // namespace

const Kernels* avx512_kernels() noexcept {
  const bool has_all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vpopcntdq") &&
                       __builtin_cpu_supports("bmi2");
  return has_all ? &k_avx512 : nullptr;
}
#else
const Kernels* avx512_kernels() noexcept {
  return nullptr;
}
#endif

}  // namespace dojima::fix::detail
