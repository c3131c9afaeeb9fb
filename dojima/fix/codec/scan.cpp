#include "dojima/fix/codec/scan.hpp"

#include "dojima/fix/codec/scan_tag.hpp"
#include "dojima/fix/codec/summed_text.hpp"

namespace dojima::fix {
namespace {

std::uint8_t sum_scalar(const char* text, std::size_t size) noexcept {
  // Eight sums modulo 256 side by side in one word: the high bit of each byte is added apart, so that no carry leaves
  // it. Two words of them, because each addition waits for the one before.
  const auto added = [](std::uint64_t sums, std::uint64_t word) noexcept {
    return ((sums & ~detail::k_highs) + (word & ~detail::k_highs)) ^ ((sums ^ word) & detail::k_highs);
  };
  std::uint64_t sums = 0, others = 0;
  std::size_t at = 0;
  for (; at + 16 <= size; at += 16) {
    sums = added(sums, detail::load8(text + at));
    others = added(others, detail::load8(text + at + 8));
  }
  if (at + 8 <= size) {
    sums = added(sums, detail::load8(text + at));
    at += 8;
  }
  sums = added(sums, others);
  if (size < 8) {
    std::uint32_t sum = 0;
    for (; at < size; ++at) sum += static_cast<unsigned char>(text[at]);
    return static_cast<std::uint8_t>(sum);
  }
  // The last eight bytes again, without those that were added before.
  if (at != size) sums = added(sums, detail::load8(text + size - 8) >> 8 * (8 - (size - at)));
  return static_cast<std::uint8_t>(sum_of(sums));
}

/// Where the next separator is: eight bytes at a time. There is one before the end, and 7 bytes behind it.
[[gnu::always_inline]] inline std::size_t next_separator(const char* text, std::size_t at) noexcept {
  for (;; at += 8) {
    const std::uint64_t found = detail::bytes_equal(detail::load8(text + at), 1);
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
  }
}

std::size_t index_scalar(const char* text, std::size_t end, FieldEntry* entries, std::size_t room) noexcept {
  constexpr std::size_t k_longest = 65'000;
  if (end > k_longest) return k_irregular;
  unsigned trouble = 0;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < end;) {
    if (count == room) return k_irregular;
    const std::size_t at = next_separator(text, begin);
    entries[count++] = detail::entry_of(text, begin, at, trouble);
    begin = at + 1;
  }
  return trouble != 0 ? k_irregular : count;
}

constexpr Kernels k_scalar{Isa::scalar, "scalar", sum_scalar, index_scalar};

}  // namespace

const Kernels* detail::scalar_kernels() noexcept {
  return &k_scalar;
}

const Kernels* kernels_of(Isa isa) noexcept {
  switch (isa) {
    case Isa::scalar:
      return detail::scalar_kernels();
    case Isa::sse:
      return detail::sse_kernels();
    case Isa::avx2:
      return detail::avx2_kernels();
    case Isa::avx512:
      return detail::avx512_kernels();
  }
  return nullptr;
}

const Kernels& kernels() noexcept {
  static const Kernels* const s_fastest = [] {
    for (const Isa isa : {Isa::avx512, Isa::avx2, Isa::sse}) {
      if (const Kernels* found = kernels_of(isa)) return found;
    }
    return detail::scalar_kernels();
  }();
  return *s_fastest;
}

}  // namespace dojima::fix
