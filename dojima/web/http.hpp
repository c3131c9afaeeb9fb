#pragma once

// What is said over HTTP, by a server or a client of ours: plain values.

#include <cstdint>
#include <string>
#include <string_view>

#include "dojima/link/connection.hpp"

namespace dojima::web {

enum class Method : std::uint8_t { get, post };

struct HttpRequest {
  Method method = Method::get;  ///< a HEAD too: the server leaves out the body of its answer
  std::string path;             ///< of the target, from '/' to '?', as it was sent
  std::string query;            ///< of the target, behind '?'
  std::string token;            ///< of "Authorization: Bearer"; empty: none
  std::string body;
  link::Address peer;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  friend bool operator==(const HttpResponse&, const HttpResponse&) = default;
};

/// Whether both are the same text, in a time that depends on their lengths only.
[[nodiscard]] bool is_same_secret(std::string_view left, std::string_view right) noexcept;

}  // namespace dojima::web
