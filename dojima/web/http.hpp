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

/// Whether the field Host names a server by its numeric address or as localhost, with a port or without. A page of a
/// foreign site that has its name resolved to this machine says its own name here.
[[nodiscard]] bool is_own_host(std::string_view host) noexcept;
/// Whether a request with this field Origin comes from a page of the server that `host` names; empty: from no page.
[[nodiscard]] bool is_own_origin(std::string_view origin, std::string_view host) noexcept;

}  // namespace dojima::web
