#include "dojima/net/address.hpp"

#include <boost/asio/ip/address.hpp>
#include <charconv>

namespace dojima::net {
namespace {

namespace ip = boost::asio::ip;

constexpr const char* k_shape = "HOST:PORT with a numeric host or localhost, e.g. 127.0.0.1:9878";

}  // namespace

bool is_host(std::string_view host) {
  if (host.empty() || host == "localhost") return true;
  boost::system::error_code error;
  static_cast<void>(ip::make_address(host, error));
  return !error;
}

bool is_loopback(std::string_view host) {
  if (host.empty() || host == "localhost") return true;
  boost::system::error_code error;
  const ip::address address = ip::make_address(host, error);
  return !error && address.is_loopback();
}

Result<link::Address> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return fail(ErrorCode::malformed, 0, 0, 0, k_shape);
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return fail(ErrorCode::malformed, 0, 0, 0, k_shape);
  }
  if (host.empty() || !is_host(host)) return fail(ErrorCode::malformed, 0, 0, 0, k_shape);
  link::Address address{std::string(host), 0};
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc{} || end != port.data() + port.size())
    return fail(ErrorCode::out_of_range, 0, static_cast<std::uint32_t>(colon + 1), 0, "a port from 0 to 65535");
  return address;
}

std::string text_of(const link::Address& address) {
  const bool is_bracketed = address.host.find(':') != std::string::npos;
  std::string text = is_bracketed ? "[" + address.host + "]" : address.host;
  text += ':';
  text += std::to_string(address.port);
  return text;
}

}  // namespace dojima::net
