#include "dojima/base/assert.hpp"
#include "dojima/sched/wheel/slot_sort.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define DOJIMA_AVX512 __attribute__((target("avx512f")))
#define DOJIMA_AVX512_INLINE __attribute__((target("avx512f"), always_inline)) inline
#endif

namespace dojima::sched {

#if defined(__x86_64__)
namespace {

// Bitonic sorting networks over the lanes of one register (Batcher 1968). A stage compares each lane with a partner;
// the lanes of the mask, those with the higher number of the two, keep the greater key.

DOJIMA_AVX512_INLINE __m512i stage32(__m512i keys, __m512i partners, __mmask16 greater) {
  return _mm512_mask_max_epu32(_mm512_min_epu32(keys, partners), greater, keys, partners);
}

DOJIMA_AVX512_INLINE __m512i sort16(__m512i keys) {
  const __m512i reverse8 = _mm512_set_epi32(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
  const __m512i reverse16 = _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  constexpr __mmask16 k_1 = 0xAAAA, k_2 = 0xCCCC, k_4 = 0xF0F0, k_8 = 0xFF00;
  keys = stage32(keys, _mm512_shuffle_epi32(keys, _MM_PERM_CDAB), k_1);
  keys = stage32(keys, _mm512_shuffle_epi32(keys, _MM_PERM_ABCD), k_2);
  keys = stage32(keys, _mm512_shuffle_epi32(keys, _MM_PERM_CDAB), k_1);
  keys = stage32(keys, _mm512_permutexvar_epi32(reverse8, keys), k_4);
  keys = stage32(keys, _mm512_shuffle_epi32(keys, _MM_PERM_BADC), k_2);
  keys = stage32(keys, _mm512_shuffle_epi32(keys, _MM_PERM_CDAB), k_1);
  keys = stage32(keys, _mm512_permutexvar_epi32(reverse16, keys), k_8);
  keys = stage32(keys, _mm512_shuffle_i64x2(keys, keys, 0xB1), k_4);
  keys = stage32(keys, _mm512_shuffle_epi32(keys, _MM_PERM_BADC), k_2);
  return stage32(keys, _mm512_shuffle_epi32(keys, _MM_PERM_CDAB), k_1);
}

DOJIMA_AVX512_INLINE __m512i stage64(__m512i keys, __m512i partners, __mmask8 greater) {
  return _mm512_mask_max_epu64(_mm512_min_epu64(keys, partners), greater, keys, partners);
}

DOJIMA_AVX512_INLINE __m512i sort8(__m512i keys) {
  const __m512i reverse8 = _mm512_set_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  constexpr __mmask8 k_1 = 0xAA, k_2 = 0xCC, k_4 = 0xF0;
  keys = stage64(keys, _mm512_permutex_epi64(keys, 0xB1), k_1);
  keys = stage64(keys, _mm512_permutex_epi64(keys, 0x1B), k_2);
  keys = stage64(keys, _mm512_permutex_epi64(keys, 0xB1), k_1);
  keys = stage64(keys, _mm512_permutexvar_epi64(reverse8, keys), k_4);
  keys = stage64(keys, _mm512_permutex_epi64(keys, 0x4E), k_2);
  return stage64(keys, _mm512_permutex_epi64(keys, 0xB1), k_1);
}

template <class Key>
void sort_large_bucket(const Key* from, Key* to, std::size_t size) noexcept {
  for (std::size_t next = 0; next < size; ++next) {
    std::size_t at = next;
    for (; at > 0 && to[at - 1] > from[next]; --at) to[at] = to[at - 1];
    to[at] = from[next];
  }
}

}  // namespace

bool has_sorting_networks() noexcept {
  return __builtin_cpu_supports("avx512f") != 0;
}

namespace detail {

DOJIMA_AVX512 void sort_dealt_buckets(const std::uint32_t* from, std::uint32_t* to, const std::uint16_t* sizes,
                                      std::size_t buckets) noexcept {
  const __m512i greatest = _mm512_set1_epi32(-1);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t size = sizes[bucket];
    const auto lanes = static_cast<__mmask16>((1U << size) - 1);
    // All lanes are stored: what lies behind the bucket is written by those that follow.
    _mm512_storeu_epi32(to, sort16(_mm512_mask_loadu_epi32(greatest, lanes, from + bucket * k_lanes)));
    to += size;
  }
}

DOJIMA_AVX512 void sort_buckets_of_8(const std::uint64_t* from, std::uint64_t* to, const std::uint16_t* ends,
                                     std::size_t buckets) noexcept {
  const __m512i greatest = _mm512_set1_epi64(-1);
  for (std::size_t bucket = 0, begin = 0; bucket < buckets; ++bucket) {
    const std::size_t end = ends[bucket];
    const std::size_t size = end - begin;
    if (size <= 8) [[likely]] {
      const auto lanes = static_cast<__mmask8>((1U << size) - 1);
      // All lanes are stored: what lies behind the bucket is written by those that follow.
      _mm512_storeu_epi64(to + begin, sort8(_mm512_mask_loadu_epi64(greatest, lanes, from + begin)));
    } else {
      sort_large_bucket(from + begin, to + begin, size);
    }
    begin = end;
  }
}

}  // namespace detail

#else

bool has_sorting_networks() noexcept {
  return false;
}

namespace detail {

void sort_dealt_buckets(const std::uint32_t*, std::uint32_t*, const std::uint16_t*, std::size_t) noexcept {
  DOJIMA_ASSERT(false, "called without AVX-512");
}

void sort_buckets_of_8(const std::uint64_t*, std::uint64_t*, const std::uint16_t*, std::size_t) noexcept {
  DOJIMA_ASSERT(false, "called without AVX-512");
}

}  // namespace detail
#endif

}  // namespace dojima::sched
