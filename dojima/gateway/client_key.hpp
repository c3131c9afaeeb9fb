#pragma once

// How a probe identifies a client's requests.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dojima::gateway {

/// The number under which a probe knows a client's request: the client's place in the configuration << 40, plus the
/// decimal digits behind the last '-' of its ClOrdID ("DEMO1-000042" is 42; no digits there: 0), modulo 2^40.
[[nodiscard]] constexpr std::uint64_t client_key(std::size_t client, std::string_view cl_ord_id) noexcept {
  constexpr unsigned k_bits = 40;
  const std::size_t dash = cl_ord_id.rfind('-');
  std::uint64_t number = 0;
  for (const char c : cl_ord_id.substr(dash == std::string_view::npos ? 0 : dash + 1)) {
    if (c < '0' || c > '9') {
      number = 0;
      break;
    }
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return std::uint64_t{client} << k_bits | (number & ((std::uint64_t{1} << k_bits) - 1));
}

}  // namespace dojima::gateway
