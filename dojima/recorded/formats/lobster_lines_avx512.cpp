// A line in one register: AVX-512 (BW, VBMI, VBMI2). The places of the five commas are compressed out of 0 to 63 by the
// mask of where commas are; from them four lanes of 16 bytes get the digits of time (its point taken out), order, size
// and price, each with its last digit at the lane's end, by one permutation; three multiplications make four numbers.

#include "dojima/base/straight_line.hpp"
#include "dojima/recorded/formats/lobster_lines.hpp"

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 finds the deliberately undefined registers of its own header uninitialised.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <bit>
#include <immintrin.h>

namespace dojima::recorded::detail {
namespace {

template <class Each>
consteval std::array<char, k_lobster_block> bytes_of(Each each) {
  std::array<char, k_lobster_block> bytes{};
  for (int i = 0; i < static_cast<int>(k_lobster_block); ++i)
    bytes[static_cast<std::size_t>(i)] = static_cast<char>(each(i));
  return bytes;
}
alignas(64) constexpr auto k_places = bytes_of([](int i) { return i; });
/// Lane by lane: which comma its number ends at, and which one is before it (63: none; a -1 is there).
alignas(64) constexpr auto k_end_commas = bytes_of([](int i) { return i / 16 == 0 ? 0 : i / 16 + 1; });
alignas(64) constexpr auto k_commas_before = bytes_of([](int i) { return i / 16 == 0 ? 63 : i / 16; });
alignas(64) constexpr auto k_places_to_end = bytes_of([](int i) { return i % 16 - 16; });

#define DOJIMA_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,bmi2,lzcnt,popcnt")))

DOJIMA_AVX512 void read_lines(LobsterLines& lines) noexcept {
  const __m512i places = _mm512_load_si512(k_places.data());
  const __m512i end_commas = _mm512_load_si512(k_end_commas.data());
  const __m512i commas_before = _mm512_load_si512(k_commas_before.data());
  const __m512i places_to_end = _mm512_load_si512(k_places_to_end.data());
  const __m512i ones = _mm512_set1_epi8(-1);
  const __m512i zero_digit = _mm512_set1_epi8('0');
  const __m512i tens = _mm512_set1_epi16(10 | 1 << 8);
  const __m512i hundreds = _mm512_set1_epi32(100 | 1 << 16);
  const __m512i ten_thousands = _mm512_set1_epi32(10'000 | 1 << 16);
  const __m512i hundred_million = _mm512_set1_epi64(100'000'000);
  // Values of lanes 0 to 3 as 64-bit words 0, 2, 4, 6, into time, order, quantity, price.
  const __m512i into_event = _mm512_setr_epi64(0, 0, 2, 0, 6, 4, 0, 0);
  constexpr __mmask8 k_numbers = 0b0011'0101;
  constexpr std::uint64_t k_last_bytes = 0x8000'8000'8000'8000, k_first_and_last = 0x8001'8001'8001'8001;
  const char* at = lines.at;
  RecordedEvent* out = lines.out;
  std::uint64_t line = lines.line;
  while (out != lines.out_end && static_cast<std::size_t>(lines.end - at) >= k_lobster_room) {
    const __m512i text = _mm512_loadu_si512(at);
    const std::size_t size = _tzcnt_u64(_mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('\n')));
    const std::uint64_t commas =
        _bzhi_u64(_mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8(',')), static_cast<unsigned>(size));
    const std::uint64_t point = _tzcnt_u64(_mm512_cmpeq_epi8_mask(text, _mm512_set1_epi8('.')));
    const std::uint64_t after_time = _blsr_u64(commas);
    const std::uint64_t first = _tzcnt_u64(commas), second = _tzcnt_u64(after_time), last = 63 - _lzcnt_u64(commas);

    // The digits of each number, its last one at the end of its lane, zeros in front.
    const __m512i comma_places = _mm512_mask_compress_epi8(ones, commas, places);
    __m512i from = _mm512_add_epi8(_mm512_permutexvar_epi8(end_commas, comma_places), places_to_end);
    const __m512i before = _mm512_permutexvar_epi8(commas_before, comma_places);
    const __mmask64 is_at_point_or_before =
        _mm512_cmple_epi8_mask(from, _mm512_set1_epi8(static_cast<char>(point))) & 0xffff;
    from = _mm512_mask_add_epi8(from, is_at_point_or_before, from, ones);
    const __mmask64 is_digit = _mm512_cmpgt_epi8_mask(from, before);
    const __m512i digits = _mm512_maskz_sub_epi8(is_digit, _mm512_permutexvar_epi8(from, text), zero_digit);
    const __m512i pairs = _mm512_maddubs_epi16(digits, tens);
    const __m512i fours = _mm512_madd_epi16(pairs, hundreds);
    const __m512i eights = _mm512_madd_epi16(_mm512_packus_epi32(fours, fours), ten_thousands);
    const __m512i numbers = _mm512_add_epi64(_mm512_mul_epu32(eights, hundred_million), _mm512_srli_epi64(eights, 32));

    const auto type = static_cast<unsigned char>(at[first + 1] - '1');  // 0 to 5
    const bool is_sell = at[last + 1] == '-';
    const std::uint64_t direction = last + 1 + (is_sell ? 1 : 0);
    const std::uint64_t fraction = first - point - 1;
    const bool is_usual =
        all(_mm_popcnt_u64(commas) == 5, size < k_lobster_block, second == first + 2, type < 6, point <= 9,
            fraction <= 9, at[direction] == '1', size == direction + 1, (is_digit & k_first_and_last) == k_last_bytes,
            _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9)) == 0);
    if (!is_usual) [[unlikely]]
      break;
    _mm512_storeu_si512(out, _mm512_maskz_permutexvar_epi64(k_numbers, into_event, numbers));
    const auto time = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(numbers)));
    out->event_time =
        time::from_nanoseconds(lines.midnight_ns + static_cast<std::int64_t>(time * k_nanoseconds_of[fraction]));
    out->receive_time = k_unknown_time;
    out->sequence = ++line;
    const LobsterTail& tail = k_lobster_tails[2u * (type + 1u) + (is_sell ? 1u : 0u)];
    out->kind = tail.kind;
    out->side = tail.side;
    out->flags = tail.flags;
    ++lines.type_count[type + 1];
    ++out;
    at += size + 1;
  }
  lines.at = at;
  lines.out = out;
  lines.line = line;
}

}  // namespace

LobsterKernel avx512_lobster_kernel() noexcept {
  const bool has = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
                   __builtin_cpu_supports("bmi2");
  return has ? &read_lines : nullptr;
}

}  // namespace dojima::recorded::detail

#else

namespace dojima::recorded::detail {
LobsterKernel avx512_lobster_kernel() noexcept {
  return nullptr;
}
}  // namespace dojima::recorded::detail

#endif
