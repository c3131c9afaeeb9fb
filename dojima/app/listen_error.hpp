#pragma once

// Why a server cannot listen at an address, and what to do, for a person. Cold path.

#include <string>
#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/link/connection.hpp"

namespace dojima::app {

/// `key` is that of the port in the configuration, e.g. "listen.port"; `error` is what listening answered:
/// `unavailable` has the system's errno in `got`.
[[nodiscard]] std::string describe_listen_error(const link::Address& address, std::string_view key, const Error& error);

}  // namespace dojima::app
