#pragma once

// Why a server cannot listen at an address, and what to do, for a person. Cold path.

#include <string>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/link/connection.hpp"

namespace dojima::app {

/// What a person writes for any free port: an option with its value.
struct AnyPort {
  std::string_view words;
};

/// `error` is what listening answered: `unavailable` has the system's errno in `got`.
[[nodiscard]] std::string describe_listen_error(const link::Address& address, AnyPort any, const Error& error);
/// Where the port is a value of the configuration, `key`, e.g. "listen.port".
[[nodiscard]] std::string describe_listen_error(const link::Address& address, std::string_view key, const Error& error);

}  // namespace dojima::app
