#pragma once

// One HTTP request and its answer, for commands that speak to a running server. Blocks; no connection is kept.
//
//   const auto answer = web::call({.host = "127.0.0.1", .port = 9100, .target = "/metrics"});

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "dojima/web/http.hpp"

namespace dojima::web {

struct HttpCall {
  std::string host = "127.0.0.1";  ///< numeric, or localhost
  std::uint16_t port = 0;
  Method method = Method::get;
  std::string target = "/";
  std::string token{};  ///< empty: none is sent
  std::string body{};
  std::chrono::milliseconds patience{10'000};  ///< for all of it
  std::size_t answer_bytes = std::size_t{16} << 20U;
};

/// The answer, whatever its status, or why there is none, for a person.
[[nodiscard]] std::expected<HttpResponse, std::string> call(const HttpCall& call);

}  // namespace dojima::web
