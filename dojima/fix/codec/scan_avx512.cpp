// The kernels with AVX-512 (BW, VBMI, VBMI2, VPOPCNTDQ): 64 bytes at a time, and tags eight at a time.

#include <array>

#include "dojima/fix/codec/scan_tag.hpp"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 finds the deliberately undefined registers of its own header uninitialised.
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#define DOJIMA_AVX512 \
  __attribute__((     \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi,bmi2,lzcnt,popcnt")))
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

constexpr std::size_t k_lanes = 8, k_block = 64;
constexpr std::size_t k_fields_of_block = 16;  // `1=a` and its separator are the shortest

/// 64 numbers, one a byte.
template <class Each>
consteval std::array<unsigned char, k_block> bytes_of(Each each) {
  std::array<unsigned char, k_block> bytes{};
  for (unsigned i = 0; i < k_block; ++i) bytes[i] = static_cast<unsigned char>(each(i));
  return bytes;
}
alignas(64) constexpr auto k_steps = bytes_of([](unsigned i) { return i; });
alignas(64) constexpr auto k_steps_before = bytes_of([](unsigned i) { return i - 1; });
alignas(64) constexpr auto k_lane_of = bytes_of([](unsigned i) { return i / k_lanes; });
alignas(64) constexpr auto k_place_in_lane = bytes_of([](unsigned i) { return i % k_lanes; });

DOJIMA_AVX512 inline __m512i of(const std::array<unsigned char, k_block>& bytes) noexcept {
  return _mm512_load_si512(bytes.data());
}

/// Keeps a constant in its register: the compiler would make it anew in every turn of the loop.
DOJIMA_AVX512 inline __m512i kept(__m512i value) noexcept {
  asm("" : "+v"(value));
  return value;
}

struct Constants {
  __m512i steps, steps_before, lane_of, place_in_lane;
  __m512i separator, equals, minus_ones, highs, all, zeros, low_byte, word_bits, nine, low_half;
  __m512i tens, hundreds, ten_thousands;
};

DOJIMA_AVX512 inline Constants constants() noexcept {
  return {.steps = kept(of(k_steps)),
          .steps_before = kept(of(k_steps_before)),
          .lane_of = kept(of(k_lane_of)),
          .place_in_lane = kept(of(k_place_in_lane)),
          .separator = kept(_mm512_set1_epi8(1)),
          .equals = kept(_mm512_set1_epi8('=')),
          .minus_ones = kept(_mm512_set1_epi64(-static_cast<long long>(k_ones))),
          .highs = kept(_mm512_set1_epi64(static_cast<long long>(k_highs))),
          .all = kept(_mm512_set1_epi64(-1)),
          .zeros = kept(_mm512_set1_epi8('0')),
          .low_byte = kept(_mm512_set1_epi64(0xff)),
          .word_bits = kept(_mm512_set1_epi64(64)),
          .nine = kept(_mm512_set1_epi8(9)),
          .low_half = kept(_mm512_set1_epi64(0xffff0000)),
          .tens = kept(_mm512_set1_epi16(0x010a)),
          .hundreds = kept(_mm512_set1_epi32(0x00010064)),
          .ten_thousands = kept(_mm512_set1_epi64(10'000))};
}

/// What was wrong with fields so far.
struct Trouble {
  __m512i bits;    // anything: a character of a tag that is no digit, or a tag too large
  __mmask8 lanes;  // any: no tag, a zero in front, or an empty value
};

/// Where the fields of a block are in it, up to sixteen.
struct Places {
  __m128i begins, lasts;               // of tags and of values
  std::size_t begin_count, end_count;  // a field that has no end in the block has no last byte
};

DOJIMA_AVX512 inline __mmask8 first_lanes(std::size_t count) noexcept {
  return static_cast<__mmask8>(_bzhi_u32(0xff, static_cast<unsigned>(count)));
}

/// The entries of the first eight fields that begin in `here`; `next` is the block behind it and `origin` the place
/// behind the first byte of it.
[[gnu::always_inline]] DOJIMA_AVX512 inline __m512i entries_of(__m512i here, __m512i next, __m512i origin,
                                                               const Places& places, const Constants& k,
                                                               Trouble& trouble) noexcept {
  const __m512i sources =
      _mm512_add_epi8(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(places.begins), k.lane_of), k.place_in_lane);
  const __m512i words = _mm512_permutex2var_epi8(here, sources, next);
  const __m512i difference = _mm512_xor_si512(words, k.equals);
  const __m512i equals =
      _mm512_and_si512(_mm512_andnot_si512(difference, _mm512_add_epi64(difference, k.minus_ones)), k.highs);
  // The bytes below the first one; seven where there is none, which no tag has.
  const __m512i below = _mm512_srli_epi64(_mm512_xor_si512(equals, _mm512_add_epi64(equals, k.all)), 8);
  const __m512i bits = _mm512_popcnt_epi64(below);
  const __m512i digits = _mm512_and_si512(_mm512_xor_si512(words, k.zeros), below);
  // The last digit to the top: "35=" becomes "00000035".
  const __m512i values = _mm512_sllv_epi64(digits, _mm512_sub_epi64(k.word_bits, bits));
  const __m512i fours = _mm512_madd_epi16(_mm512_maddubs_epi16(values, k.tens), k.hundreds);
  const __m512i tags = _mm512_add_epi64(_mm512_mul_epu32(fours, k.ten_thousands), _mm512_srli_epi64(fours, 32));
  const __m512i equals_at = _mm512_add_epi64(_mm512_cvtepu8_epi64(places.begins), _mm512_srli_epi64(bits, 3));
  const __m512i size = _mm512_sub_epi64(_mm512_cvtepu8_epi64(places.lasts), equals_at);

  const __mmask8 lanes = first_lanes(places.begin_count), closed = first_lanes(places.end_count);
  const __m512i beyond = _mm512_or_si512(_mm512_subs_epu8(values, k.nine), _mm512_srli_epi64(tags, 16));
  trouble.bits = _mm512_mask_or_epi64(trouble.bits, lanes, trouble.bits, beyond);
  trouble.lanes |= _mm512_mask_testn_epi64_mask(lanes, digits, k.low_byte);
  trouble.lanes |= _mm512_mask_testn_epi64_mask(closed, size, size);
  return _mm512_or_si512(_mm512_or_si512(tags, _mm512_and_si512(_mm512_slli_epi64(size, 16), k.low_half)),
                         _mm512_slli_epi64(_mm512_add_epi64(equals_at, origin), 32));
}

DOJIMA_AVX512 inline __m512i block_at(const char* text, std::size_t end, std::size_t base) noexcept {
  const std::size_t left = end > base ? end - base : 0;
  return first_bytes(text + base, left < k_block ? left : k_block);
}

/// The numbers of the bits that are set, sixteen at most. Zen 5 waits for what was in the register that it compresses
/// into, also when nothing of it is to stay: a zero has no past.
DOJIMA_AVX512 inline __m128i places_of(std::uint64_t bits, __m512i steps) noexcept {
  return _mm512_castsi512_si128(_mm512_mask_compress_epi8(kept(_mm512_setzero_si512()), bits, steps));
}

/// Block by block: separators become places by compression, the eight bytes at the beginning of every field come out
/// of this block and the next one by one permutation, and tags are converted eight at a time.
DOJIMA_AVX512 std::size_t index_avx512(const char* text, std::size_t end, FieldEntry* entries,
                                       std::size_t room) noexcept {
  static_assert(sizeof(FieldEntry) == 8 && k_scan_slack >= k_lanes, "an entry is one lane");
  constexpr std::size_t k_longest = 65'000;
  if (end > k_longest || room > k_scan_fields_max) return k_irregular;
  const Constants k = constants();
  Trouble trouble{_mm512_setzero_si512(), 0};
  bool is_irregular = false;
  std::size_t count = 0;
  std::uint64_t begins_first = 1;  // whether a field begins with the block; if not, one of before goes on
  __m512i here = block_at(text, end, 0);
  for (std::size_t base = 0; base < end; base += k_block) {
    const __m512i next = block_at(text, end, base + k_block);
    const std::uint64_t separators = _mm512_cmpeq_epi8_mask(here, k.separator);
    const std::size_t left = end - base;
    const std::uint64_t begins =
        _bzhi_u64(separators << 1 | begins_first, static_cast<unsigned>(left < k_block ? left : k_block));
    std::uint64_t ends = separators;
    if (begins_first == 0 && separators != 0) {
      FieldEntry& open = entries[count - 1];
      open.size =
          static_cast<std::uint16_t>(base + static_cast<std::size_t>(std::countr_zero(separators)) - open.begin);
      is_irregular |= open.size == 0;
      ends &= ends - 1;
    }
    Places places{.begins = {},
                  .lasts = {},
                  .begin_count = static_cast<std::size_t>(_mm_popcnt_u64(begins)),
                  .end_count = static_cast<std::size_t>(_mm_popcnt_u64(ends))};
    if (places.begin_count > k_fields_of_block || count + places.begin_count > room) [[unlikely]] {
      return k_irregular;
    }
    places.begins = places_of(begins, k.steps);
    places.lasts = places_of(ends, k.steps_before);
    const std::size_t behind_first = base + 1;
    const __m512i origin = _mm512_set1_epi64(static_cast<long long>(behind_first));
    FieldEntry* to = entries + count;
    count += places.begin_count;
    _mm512_storeu_si512(to, entries_of(here, next, origin, places, k, trouble));
    if (places.begin_count > k_lanes) {
      places.begins = _mm_srli_si128(places.begins, k_lanes);
      places.lasts = _mm_srli_si128(places.lasts, k_lanes);
      places.begin_count -= k_lanes;
      places.end_count -= k_lanes;
      to += k_lanes;
      _mm512_storeu_si512(to, entries_of(here, next, origin, places, k, trouble));
    }
    begins_first = separators >> 63;
    here = next;
  }
  is_irregular |= trouble.lanes != 0 || _mm512_test_epi64_mask(trouble.bits, trouble.bits) != 0;
  return is_irregular ? k_irregular : count;
}

constexpr Kernels k_avx512{Isa::avx512, "AVX-512", sum_avx512, index_avx512};

}  // namespace

const Kernels* avx512_kernels() noexcept {
  const bool has_all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                       __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                       __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2");
  return has_all ? &k_avx512 : nullptr;
}
#else
const Kernels* avx512_kernels() noexcept {
  return nullptr;
}
#endif

}  // namespace dojima::fix::detail
