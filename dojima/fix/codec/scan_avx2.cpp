// The kernels with AVX2 and BMI: 32 bytes at a time.

#include "dojima/fix/codec/scan_tag.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define DOJIMA_AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))
#endif

namespace dojima::fix::detail {

#if defined(__x86_64__)
namespace {

DOJIMA_AVX2 std::uint8_t sum_avx2(const char* text, std::size_t size) noexcept {
  __m256i sums = _mm256_setzero_si256();
  std::size_t at = 0;
  for (; at + 32 <= size; at += 32)
    sums = _mm256_add_epi8(sums, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at)));
  if (const std::size_t rest = size - at; rest != 0 && size >= 32) {
    // The last 32 bytes again, those that were added before blanked out.
    alignas(32) static constexpr auto k_window = [] {
      struct {
        unsigned char bytes[64];
      } window{};
      for (int i = 32; i < 64; ++i) window.bytes[i] = 0xff;
      return window;
    }();
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + size - 32));
    const __m256i wanted = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(k_window.bytes + rest));
    sums = _mm256_add_epi8(sums, _mm256_and_si256(bytes, wanted));
    at = size;
  }
  const __m256i quarters = _mm256_sad_epu8(sums, _mm256_setzero_si256());
  const __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(quarters), _mm256_extracti128_si256(quarters, 1));
  auto sum = static_cast<std::uint32_t>(_mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4));
  for (; at < size; ++at) sum += static_cast<unsigned char>(text[at]);
  return static_cast<std::uint8_t>(sum);
}

DOJIMA_AVX2 inline std::uint64_t separators_of_32(const char* text) noexcept {
  const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(1))));
}

struct Masks {
  DOJIMA_AVX2 static std::uint64_t of(const char* block) noexcept {
    return separators_of_32(block) | separators_of_32(block + 32) << 32;
  }
};

DOJIMA_AVX2 std::size_t index_avx2(const char* text, std::size_t end, FieldEntry* entries, std::size_t room) noexcept {
  return index_by_masks<Masks>(text, end, entries, room);
}

constexpr Kernels k_avx2{Isa::avx2, "AVX2", sum_avx2, index_avx2};

}  // namespace

const Kernels* avx2_kernels() noexcept {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") ? &k_avx2
                                                                                                           : nullptr;
}
#else
const Kernels* avx2_kernels() noexcept {
  return nullptr;
}
#endif

}  // namespace dojima::fix::detail
