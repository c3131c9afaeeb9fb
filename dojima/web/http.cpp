#include "dojima/web/http.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <system_error>

namespace dojima::web {
namespace {

/// A whole number up to the maximum, digits alone.
[[nodiscard]] bool is_number(std::string_view text, unsigned maximum) noexcept {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value <= maximum;
}

[[nodiscard]] bool is_v4(std::string_view text) noexcept {
  for (int part = 0; part < 4; ++part) {
    const std::size_t point = part < 3 ? text.find('.') : text.size();
    if (point == std::string_view::npos || !is_number(text.substr(0, point), 255)) return false;
    text.remove_prefix(std::min(point + 1, text.size()));
  }
  return true;
}

}  // namespace

bool is_own_host(std::string_view host) noexcept {
  std::string_view port;
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos || host.find(':') > end) return false;
    if (host.substr(1, end - 1).find_first_not_of("0123456789abcdefABCDEF:.") != std::string_view::npos) return false;
    port = host.substr(end + 1);
    return port.empty() || (port.front() == ':' && is_number(port.substr(1), 65'535));
  }
  const std::size_t colon = host.find(':');
  if (colon != std::string_view::npos && !is_number(host.substr(colon + 1), 65'535)) return false;
  const std::string_view name = host.substr(0, colon);
  return name == "localhost" || is_v4(name);
}

bool is_own_origin(std::string_view origin, std::string_view host) noexcept {
  if (origin.empty()) return true;
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) return origin.substr(scheme.size()) == host;
  return false;
}

bool is_same_secret(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  unsigned difference = 0;
  for (std::size_t at = 0; at < left.size(); ++at)
    difference |= static_cast<unsigned char>(left[at]) ^ static_cast<unsigned>(static_cast<unsigned char>(right[at]));
  return difference == 0;
}

}  // namespace dojima::web
