#pragma once

// Addresses as people write them: "127.0.0.1:9878", "[::1]:9878", "localhost:9878". Cold path.

#include <string>
#include <string_view>

#include "dojima/link/connection.hpp"

namespace dojima::net {

/// Reads HOST:PORT. The host is not resolved: numeric addresses and "localhost" only; a colon in it needs brackets.
[[nodiscard]] Result<link::Address> parse_address(std::string_view text);

/// HOST:PORT, with brackets around an IPv6 host.
[[nodiscard]] std::string text_of(const link::Address& address);

/// Whether only this machine can reach it: 127.0.0.0/8, ::1, "localhost" or an empty host.
[[nodiscard]] bool is_loopback(std::string_view host);

/// Whether `host` is something `listen` and `connect` understand.
[[nodiscard]] bool is_host(std::string_view host);

}  // namespace dojima::net
