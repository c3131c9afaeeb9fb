// The kernels with SSE4.2 and POPCNT: 16 bytes at a time.

#include "dojima/fix/codec/scan_tag.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define DOJIMA_SSE __attribute__((target("sse4.2,popcnt")))
#endif

namespace dojima::fix::detail {

#if defined(__x86_64__)
namespace {

DOJIMA_SSE std::uint8_t sum_sse(const char* text, std::size_t size) noexcept {
  __m128i sums = _mm_setzero_si128();
  std::size_t at = 0;
  for (; at + 16 <= size; at += 16)
    sums = _mm_add_epi8(sums, _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at)));
  const __m128i halves = _mm_sad_epu8(sums, _mm_setzero_si128());
  auto sum = static_cast<std::uint32_t>(_mm_cvtsi128_si32(halves) + _mm_extract_epi16(halves, 4));
  for (; at < size; ++at) sum += static_cast<unsigned char>(text[at]);
  return static_cast<std::uint8_t>(sum);
}

DOJIMA_SSE inline std::uint64_t separators_of_16(const char* text) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(1))));
}

struct Masks {
  DOJIMA_SSE static std::uint64_t of(const char* block) noexcept {
    return separators_of_16(block) | separators_of_16(block + 16) << 16 | separators_of_16(block + 32) << 32 |
           separators_of_16(block + 48) << 48;
  }
};

DOJIMA_SSE std::size_t index_sse(const char* text, std::size_t end, FieldEntry* entries, std::size_t room) noexcept {
  return index_by_masks<Masks>(text, end, entries, room);
}

constexpr Kernels k_sse{Isa::sse, "SSE", sum_sse, index_sse};

}  // namespace

const Kernels* sse_kernels() noexcept {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") ? &k_sse : nullptr;
}
#else
const Kernels* sse_kernels() noexcept {
  return nullptr;
}
#endif

}  // namespace dojima::fix::detail
