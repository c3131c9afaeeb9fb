#include "dojima/journal/format/crc32c.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace dojima::journal {
namespace {

constexpr std::uint32_t k_polynomial = 0x82f63b78;  // reflected
constexpr std::size_t k_slices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, k_slices>;

constexpr Tables make_tables() noexcept {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t sum = byte;
    for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? k_polynomial : 0);
    tables[0][byte] = sum;
  }
  for (std::size_t slice = 1; slice < k_slices; ++slice)
    for (std::size_t byte = 0; byte < 256; ++byte)
      tables[slice][byte] = (tables[slice - 1][byte] >> 8) ^ tables[0][tables[slice - 1][byte] & 255];
  return tables;
}

constexpr Tables k_tables = make_tables();

std::uint32_t byte_step(std::uint32_t sum, std::byte byte) noexcept {
  return (sum >> 8) ^ k_tables[0][(sum ^ std::to_integer<std::uint32_t>(byte)) & 255];
}

std::uint32_t sum_by_table(const std::byte* at, std::size_t size, std::uint32_t before) noexcept {
  std::uint32_t sum = ~before;
  for (; size >= 8; at += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    word ^= sum;
    sum = 0;
    for (std::size_t slice = 0; slice < k_slices; ++slice)
      sum ^= k_tables[k_slices - 1 - slice][(word >> (8 * slice)) & 255];
  }
  for (; size > 0; ++at, --size) sum = byte_step(sum, *at);
  return ~sum;
}

using Sum = std::uint32_t (*)(const std::byte*, std::size_t, std::uint32_t) noexcept;

#if defined(__x86_64__)

[[gnu::target("sse4.2")]] std::uint32_t sum_by_instruction(const std::byte* at, std::size_t size,
                                                           std::uint32_t before) noexcept {
  std::uint64_t sum = ~before;
  for (; size >= 8; at += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    sum = _mm_crc32_u64(sum, word);
  }
  auto low = static_cast<std::uint32_t>(sum);
  for (; size > 0; ++at, --size) low = _mm_crc32_u8(low, std::to_integer<std::uint8_t>(*at));
  return ~low;
}

Sum choose() noexcept {
  __builtin_cpu_init();  // this runs before main
  return __builtin_cpu_supports("sse4.2") != 0 ? sum_by_instruction : sum_by_table;
}

#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)

std::uint32_t sum_by_instruction(const std::byte* at, std::size_t size, std::uint32_t before) noexcept {
  std::uint32_t sum = ~before;
  for (; size >= 8; at += 8, size -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    sum = __crc32cd(sum, word);
  }
  for (; size > 0; ++at, --size) sum = __crc32cb(sum, std::to_integer<std::uint8_t>(*at));
  return ~sum;
}

Sum choose() noexcept {
  return sum_by_instruction;
}

#else

Sum choose() noexcept {
  return sum_by_table;
}

#endif

const Sum k_sum = choose();

}  // namespace

std::uint32_t crc32c_dispatched(Bytes bytes, std::uint32_t before) noexcept {
  return k_sum(bytes.data(), bytes.size(), before);
}

std::uint32_t crc32c_by_table(Bytes bytes, std::uint32_t before) noexcept {
  return sum_by_table(bytes.data(), bytes.size(), before);
}

bool has_crc32c_instruction() noexcept {
  return k_sum != sum_by_table;
}

}  // namespace dojima::journal
