#include "dojima/link/host_pattern.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

namespace dojima::link {
namespace {

/// The whole text as a number from 0 to `most`.
std::optional<std::uint32_t> number_of(std::string_view text, std::uint32_t most) noexcept {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, trouble] = std::from_chars(text.data(), end, number);
  if (trouble != std::errc{} || rest != end || number > most) return std::nullopt;
  return number;
}

/// Four numbers with points between them, the first one in the highest byte.
std::optional<std::uint32_t> ipv4_of(std::string_view text) noexcept {
  std::uint32_t address = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t point = part == 3 ? text.size() : text.find('.');
    if (point == std::string_view::npos) return std::nullopt;
    const auto number = number_of(text.substr(0, point), 255);
    if (!number) return std::nullopt;
    address = address << 8 | *number;
    text.remove_prefix(part == 3 ? point : point + 1);
  }
  return address;
}

struct Network {
  std::uint32_t address, mask;
};

std::optional<Network> network_of(std::string_view pattern) noexcept {
  const std::size_t slash = pattern.find('/');
  const auto address = ipv4_of(pattern.substr(0, slash));
  const auto bits = number_of(pattern.substr(slash + 1), 32);
  if (!address || !bits) return std::nullopt;
  return Network{*address, *bits == 0 ? 0 : ~std::uint32_t{0} << (32 - *bits)};
}

}  // namespace

bool host_matches(std::string_view host, std::string_view pattern) noexcept {
  if (pattern.find('/') == std::string_view::npos) return host == pattern;
  const auto network = network_of(pattern);
  const auto address = ipv4_of(host);
  return network && address && ((*address ^ network->address) & network->mask) == 0;
}

bool is_host_pattern(std::string_view pattern) noexcept {
  return pattern.find('/') == std::string_view::npos ? !pattern.empty() : network_of(pattern).has_value();
}

}  // namespace dojima::link
