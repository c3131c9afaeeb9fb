#include "dojima/base/fixed_map.hpp"

namespace dojima {
namespace {

/// The 64-bit finaliser of MurmurHash3 (public domain constants): every input bit reaches every output bit.
constexpr std::uint64_t mix(std::uint64_t value) noexcept {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

}  // namespace

std::uint64_t hash_bytes(const void* data, std::size_t size) noexcept {
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ size;
  for (; size >= 8; size -= 8, at += 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    hash = mix(hash ^ word) + 0x9e3779b97f4a7c15ULL;
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, at, size);
  return mix(hash ^ rest);
}

}  // namespace dojima
