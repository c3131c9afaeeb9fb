#pragma once

// TLS over a connected socket by OpenSSL alone, and a certificate for its server: what a session over TLS is compared
// with.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dojima/base/bytes.hpp"

struct ssl_st;
struct ssl_ctx_st;

namespace dojima::bench {

/// Throws std::runtime_error for whatever goes wrong, also the end of the stream.
struct TlsStream {
  enum class Side : std::uint8_t { client, server };
  /// Shakes hands; the socket does not block afterwards. `pem`: of the server, certificate and key.
  TlsStream(int socket, Side side, const std::string& pem = "");
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  void write(Bytes bytes);
  /// 0: nothing is there.
  [[nodiscard]] std::size_t read_some(std::span<std::byte> room);

 private:
  ssl_ctx_st* context_;
  ssl_st* stream_;
};

/// A certificate for 127.0.0.1, signed by itself, with its key, written to `path`.
void make_certificate(const std::string& path);

}  // namespace dojima::bench
