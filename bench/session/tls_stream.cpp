#include "tls_stream.hpp"

#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdexcept>

namespace dojima::bench {
namespace {

void check(bool is_good, const char* what) {
  if (!is_good) throw std::runtime_error(std::string("TLS: ") + what);
}

}  // namespace

TlsStream::TlsStream(int socket, Side side, const std::string& pem)
    : context_(SSL_CTX_new(side == Side::server ? TLS_server_method() : TLS_client_method())), stream_(nullptr) {
  check(context_ != nullptr, "no context");
  if (side == Side::server) {
    check(SSL_CTX_use_certificate_file(context_, pem.c_str(), SSL_FILETYPE_PEM) == 1, "no certificate");
    check(SSL_CTX_use_PrivateKey_file(context_, pem.c_str(), SSL_FILETYPE_PEM) == 1, "no key");
  }
  stream_ = SSL_new(context_);
  check(stream_ != nullptr && SSL_set_fd(stream_, socket) == 1, "no stream");
  check((side == Side::server ? SSL_accept(stream_) : SSL_connect(stream_)) == 1, "no handshake");
  check(::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK) == 0, "fcntl");
}

TlsStream::~TlsStream() {
  SSL_free(stream_);
  SSL_CTX_free(context_);
}

void TlsStream::write(Bytes bytes) {
  for (;;) {
    const int size = SSL_write(stream_, bytes.data(), static_cast<int>(bytes.size()));
    if (size > 0) return;
    check(SSL_get_error(stream_, size) == SSL_ERROR_WANT_WRITE, "cannot write");
  }
}

std::size_t TlsStream::read_some(std::span<std::byte> room) {
  const int size = SSL_read(stream_, room.data(), static_cast<int>(room.size()));
  if (size > 0) return static_cast<std::size_t>(size);
  check(SSL_get_error(stream_, size) == SSL_ERROR_WANT_READ, "the peer has closed");
  return 0;
}

void make_certificate(const std::string& path) {
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
  check(key && made, "no key");
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 24 * 3600);
  X509_NAME* name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
  X509_set_issuer_name(made.get(), name);
  X509_set_pubkey(made.get(), key.get());
  check(X509_sign(made.get(), key.get(), EVP_sha256()) != 0, "not signed");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "w"), std::fclose);
  check(file != nullptr && PEM_write_X509(file.get(), made.get()) == 1 &&
            PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1,
        "no file");
}

}  // namespace dojima::bench
