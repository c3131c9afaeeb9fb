#pragma once

// TlsContext from the inside: OpenSSL's own context, and what a connection asks of it.

#include <memory>
#include <openssl/ssl.h>
#include <string>

#include "dojima/net/tls_fabric.hpp"

namespace dojima::net {

struct FreeSsl {
  void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
};
using SslPtr = std::unique_ptr<SSL, FreeSsl>;

struct TlsContext::Parts {
  TlsRole role = TlsRole::client;
  std::string server_name;
  std::unique_ptr<SSL_CTX, FreeSsl> context;
};

/// One connection's state, for a handshake that begins `now`; `host` is what a client connects to. Null: out of memory,
/// or no certificate could carry such a name.
[[nodiscard]] SslPtr make_ssl(SSL_CTX& context, TlsRole role, const std::string& server_name, const std::string& host,
                              Time now);

}  // namespace dojima::net
