#include "dojima/net/tls/context.hpp"

#include <chrono>
#include <ctime>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/net/tls/openssl_error.hpp"

namespace dojima::net {
namespace {

using Trouble = std::expected<void, TlsError>;

std::unexpected<TlsError> trouble(std::string_view what, std::string_view why) {
  return std::unexpected(TlsError{std::string(what) + ": " + std::string(why)});
}

/// A key with a password would be asked for on the terminal, and the program would wait there.
int no_password(char*, int, int, void* was_called) {
  if (was_called != nullptr) *static_cast<bool*>(was_called) = true;
  return -1;
}

int number_of(TlsVersion version) noexcept {
  return version == TlsVersion::tls_1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
}

Trouble check_settings(TlsRole role, const TlsConfig& config) {
  if (role == TlsRole::server) {
    if (config.certificate_file.empty()) return trouble("certificate_file", "a server has a certificate");
    if (!config.server_name.empty()) return trouble("server_name", "is a client's setting");
    if (config.demand_client_certificate && config.trusted_file.empty())
      return trouble("trusted_file", "missing: what are clients' certificates held against?");
    if (!config.demand_client_certificate && !config.trusted_file.empty())
      return trouble("trusted_file", "a server uses it only with demand_client_certificate");
  } else {
    if (config.demand_client_certificate) return trouble("demand_client_certificate", "is a server's setting");
    if (config.certificate_file.empty() && !config.key_file.empty())
      return trouble("key_file", "without certificate_file");
  }
  if (config.max_version < config.min_version) return trouble("max_version", "is below min_version");
  return {};
}

void set_up(SSL_CTX* context, const TlsConfig& config) {
  SSL_CTX_set_min_proto_version(context, number_of(config.min_version));
  SSL_CTX_set_max_proto_version(context, number_of(config.max_version));
  // Every connection has a handshake of its own: nothing of it is kept to resume it, and it is not repeated.
  SSL_CTX_set_options(
      context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  // What waits for room moves within its queue, and leaves in parts. Buffers stay for the next message.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_clear_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
}

Trouble set_ciphers(SSL_CTX* context, const TlsConfig& config) {
  if (!config.ciphers_1_2.empty() && SSL_CTX_set_cipher_list(context, config.ciphers_1_2.c_str()) != 1)
    return trouble("ciphers_1_2 \"" + config.ciphers_1_2 + "\"", last_error());
  if (!config.ciphers_1_3.empty() && SSL_CTX_set_ciphersuites(context, config.ciphers_1_3.c_str()) != 1)
    return trouble("ciphers_1_3 \"" + config.ciphers_1_3 + "\"", last_error());
  return {};
}

Trouble read_own(SSL_CTX* context, const TlsConfig& config) {
  if (config.certificate_file.empty()) return {};
  bool has_password = false;
  SSL_CTX_set_default_passwd_cb(context, no_password);
  SSL_CTX_set_default_passwd_cb_userdata(context, &has_password);
  if (SSL_CTX_use_certificate_chain_file(context, config.certificate_file.c_str()) != 1)
    return trouble("certificate_file " + config.certificate_file, last_error());
  const std::string& key_file = config.key_file.empty() ? config.certificate_file : config.key_file;
  const bool is_read = SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) == 1;
  SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
  if (has_password) return trouble("key_file " + key_file, "it has a password, which nobody is asked for");
  if (!is_read || SSL_CTX_check_private_key(context) != 1) return trouble("key_file " + key_file, last_error());
  return {};
}

Trouble read_trusted(SSL_CTX* context, TlsRole role, const TlsConfig& config) {
  if (role == TlsRole::server && !config.demand_client_certificate) return {};
  // A single certificate that is trusted needs no authority behind it.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  if (config.trusted_file.empty()) {
    if (SSL_CTX_set_default_verify_paths(context) != 1) return trouble("the system's authorities", last_error());
    return {};
  }
  if (SSL_CTX_load_verify_file(context, config.trusted_file.c_str()) != 1)
    return trouble("trusted_file " + config.trusted_file, last_error());
  if (role == TlsRole::server) {  // clients are sent whose certificates will do
    STACK_OF(X509_NAME)* names = SSL_load_client_CA_file(config.trusted_file.c_str());
    if (names == nullptr) return trouble("trusted_file " + config.trusted_file, last_error());
    SSL_CTX_set_client_CA_list(context, names);
  }
  return {};
}

/// The server's certificate must carry this name; a name, unlike an address, is also sent.
bool expect_name(SSL* ssl, const std::string& name) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str()) == 1) return true;
  ERR_clear_error();
  SSL_set_hostflags(ssl, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return SSL_set1_host(ssl, name.c_str()) == 1 && SSL_set_tlsext_host_name(ssl, name.c_str()) == 1;
}

}  // namespace

TlsContext::TlsContext(std::shared_ptr<const Parts> parts) noexcept : parts_(std::move(parts)) {}

TlsRole TlsContext::role() const noexcept {
  return parts_->role;
}

std::expected<TlsContext, TlsError> TlsContext::make(TlsRole role, const TlsConfig& config) {
  if (const Trouble wrong = check_settings(role, config); !wrong) return std::unexpected(wrong.error());
  ERR_clear_error();
  auto parts = std::make_shared<Parts>();
  parts->role = role;
  parts->server_name = config.server_name;
  parts->context.reset(SSL_CTX_new(role == TlsRole::server ? TLS_server_method() : TLS_client_method()));
  SSL_CTX* context = parts->context.get();
  if (context == nullptr) return trouble("OpenSSL", last_error());
  set_up(context, config);
  Trouble result = set_ciphers(context, config);
  if (result) result = read_own(context, config);
  if (result) result = read_trusted(context, role, config);
  if (!result) return std::unexpected(result.error());
  return TlsContext(std::move(parts));
}

SslPtr make_ssl(SSL_CTX& context, TlsRole role, const std::string& server_name, const std::string& host, Time now) {
  SslPtr ssl(SSL_new(&context));
  if (!ssl) return nullptr;
  X509_VERIFY_PARAM_set_time(SSL_get0_param(ssl.get()),
                             static_cast<std::time_t>(time::nanoseconds_of(now) / 1'000'000'000));
  if (role == TlsRole::server) {
    SSL_set_accept_state(ssl.get());
    return ssl;
  }
  SSL_set_connect_state(ssl.get());
  const std::string& name = !server_name.empty() ? server_name : host.empty() ? "localhost" : host;
  if (!expect_name(ssl.get(), name)) return nullptr;
  return ssl;
}

}  // namespace dojima::net
