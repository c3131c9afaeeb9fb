#include "dojima/net/tls/openssl_error.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <openssl/err.h>
#include <openssl/ssl.h>

namespace dojima::net {
namespace {

/// An alert of the peer has this number above its own.
constexpr int k_alerts = SSL_AD_REASON_OFFSET;

bool is_alert(int reason) noexcept {
  return reason >= k_alerts && reason < k_alerts + 256;
}

/// Whether a certificate, ours or the peer's, is what is wrong.
bool is_of_certificate(int reason) noexcept {
  switch (reason) {
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
    case k_alerts + SSL_AD_BAD_CERTIFICATE:
    case k_alerts + SSL_AD_UNSUPPORTED_CERTIFICATE:
    case k_alerts + SSL_AD_CERTIFICATE_REVOKED:
    case k_alerts + SSL_AD_CERTIFICATE_EXPIRED:
    case k_alerts + SSL_AD_CERTIFICATE_UNKNOWN:
    case k_alerts + SSL_AD_CERTIFICATE_REQUIRED:
    case k_alerts + SSL_AD_UNKNOWN_CA:
    case k_alerts + SSL_AD_ACCESS_DENIED:
      return true;
    default:
      return false;
  }
}

const char* text_of(unsigned long error) noexcept {
  if (ERR_SYSTEM_ERROR(error)) return std::strerror(ERR_GET_REASON(error));
  const char* text = ERR_reason_error_string(error);
  return text == nullptr ? "unknown error" : text;
}

/// The first error of TLS itself, else the oldest: others are consequences, or details of the ciphers. Empties the
/// queue.
unsigned long take_error() noexcept {
  unsigned long found = 0;
  while (const unsigned long error = ERR_get_error()) {
    const bool is_better = ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_GET_LIB(found) != ERR_LIB_SSL;
    if (found == 0 || is_better) found = error;
  }
  return found;
}

}  // namespace

Diagnosis diagnose(const SSL* ssl, link::CloseReason otherwise, std::span<char> room) noexcept {
  const unsigned long error = take_error();
  const int reason = ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
  const char* text = error == 0 ? "the peer does not keep to the protocol" : text_of(error);
  int size = 0;
  if (const long verified = SSL_get_verify_result(ssl);
      reason == SSL_R_CERTIFICATE_VERIFY_FAILED && verified != X509_V_OK) {
    size = std::snprintf(room.data(), room.size(), "%s: %s", text, X509_verify_cert_error_string(verified));
  } else {
    size = std::snprintf(room.data(), room.size(), "%s%s", is_alert(reason) ? "the peer refused: " : "", text);
  }
  const std::size_t written = size < 0 ? 0 : std::min(static_cast<std::size_t>(size), room.size() - 1);
  return {is_of_certificate(reason) ? link::CloseReason::not_trusted : otherwise, {room.data(), written}};
}

std::string last_error() {
  const unsigned long error = ERR_peek_error();
  ERR_clear_error();
  return error == 0 ? "unknown error" : text_of(error);
}

}  // namespace dojima::net
