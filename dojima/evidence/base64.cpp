#include "dojima/evidence/base64.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dojima::evidence {
namespace {

constexpr std::string_view k_signs = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t k_no_sign = 64;

constexpr std::array<std::uint8_t, 256> k_values = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(k_no_sign);
  for (std::size_t value = 0; value < k_signs.size(); ++value) {
    values[static_cast<unsigned char>(k_signs[value])] = static_cast<std::uint8_t>(value);
  }
  return values;
}();

}  // namespace

std::string to_base64(std::span<const unsigned char> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t there = std::min<std::size_t>(bytes.size() - at, 3);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < there ? bytes[at + i] : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += i <= there ? k_signs[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::optional<std::vector<unsigned char>> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  std::vector<unsigned char> bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t group = 0;  // all bits so far; those above the newest 24 fall out
  for (std::size_t at = 0; at < text.size() - padding; ++at) {
    const std::uint8_t value = k_values[static_cast<unsigned char>(text[at])];
    if (value == k_no_sign) return std::nullopt;
    group = group << 6 | value;
    // The first sign of four begins a byte, each other one ends one.
    if (at % 4 != 0) bytes.push_back(static_cast<unsigned char>(group >> (6 - 2 * (at % 4))));
  }
  if ((group & ((1u << (2 * padding)) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace dojima::evidence
