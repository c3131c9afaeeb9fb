#pragma once

// Which hosts a pattern allows: a host as the network names it ("127.0.0.1", "::1"), or an IPv4 network with the number
// of its leading bits ("10.1.0.0/16"). Pure functions, no allocation.

#include <string_view>

namespace dojima::link {

/// Whether `host` is what the pattern names. A pattern with a slash that is no network of IPv4 matches nothing; so does
/// a host that is no IPv4 address against a network.
[[nodiscard]] bool host_matches(std::string_view host, std::string_view pattern) noexcept;

/// Whether the pattern can match anything: no slash, or a network of IPv4.
[[nodiscard]] bool is_host_pattern(std::string_view pattern) noexcept;

}  // namespace dojima::link
