#pragma once

// Certificates made for a test: an authority, and what it or nobody signs, as PEM files in a folder of their own.

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>

#include "dojima/time/time.hpp"

namespace dojima::net::testing {

/// When tests take place, and what certificates are valid around.
inline constexpr time::Time k_start = time::from_nanoseconds(1'700'000'000'000'000'000);

template <auto k_free>
struct Free {
  template <class T>
  void operator()(T* object) const noexcept {
    k_free(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Free<X509_free>>;

struct Signed {
  Key key;
  X509Ptr certificate;
};

struct Request {
  std::string name;  ///< CN
  std::string also;  ///< SAN, e.g. "DNS:venue.test,IP:127.0.0.1"; empty: none
  bool is_authority = false;
  std::chrono::hours from{-24}, to{24};  ///< of k_start
};

/// Throws when OpenSSL cannot do it. `signer` null: signed by itself.
inline Signed make_certificate(const Request& request, const Signed* signer = nullptr) {
  static long s_serial = 1000;
  const auto check = [](bool is_good) {
    if (!is_good) throw std::runtime_error("no certificate was made");
  };
  Signed made{Key(EVP_EC_gen("P-256")), X509Ptr(X509_new())};
  X509* certificate = made.certificate.get();
  check(made.key && certificate != nullptr);
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++s_serial);
  const auto seconds = [](std::chrono::hours after) {
    return static_cast<std::time_t>(time::nanoseconds_of(k_start + after) / 1'000'000'000);
  };
  ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(request.from));
  ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(request.to));
  X509_NAME* name = X509_get_subject_name(certificate);
  check(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                                   reinterpret_cast<const unsigned char*>(request.name.c_str()), -1, -1, 0) == 1);
  const Signed& by = signer == nullptr ? made : *signer;
  X509_set_issuer_name(certificate, X509_get_subject_name(by.certificate.get()));
  X509_set_pubkey(certificate, made.key.get());
  X509V3_CTX context;
  X509V3_set_ctx(&context, by.certificate.get(), certificate, nullptr, nullptr, 0);
  const auto extend = [&](int kind, const std::string& value) {
    const std::unique_ptr<X509_EXTENSION, Free<X509_EXTENSION_free>> extension(
        X509V3_EXT_nconf_nid(nullptr, &context, kind, value.c_str()));
    check(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
  };
  extend(NID_basic_constraints, request.is_authority ? "critical,CA:TRUE" : "CA:FALSE");
  if (!request.also.empty()) extend(NID_subject_alt_name, request.also);
  check(X509_sign(certificate, by.key.get(), EVP_sha256()) != 0);
  return made;
}

/// A folder for PEM files that goes with the test.
class PemFolder {
 public:
  PemFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dojima-tls-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for certificates");
    path_ = pattern;
  }
  ~PemFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  PemFolder(const PemFolder&) = delete;
  PemFolder& operator=(const PemFolder&) = delete;

  [[nodiscard]] std::string certificate(const std::string& name, const Signed& own,
                                        const Signed* next = nullptr) const {
    return write(name, [&](FILE* file) {
      PEM_write_X509(file, own.certificate.get());
      if (next != nullptr) PEM_write_X509(file, next->certificate.get());
    });
  }
  /// With a password, where one is given.
  [[nodiscard]] std::string key(const std::string& name, const Signed& own, const std::string& password = "") const {
    return write(name, [&](FILE* file) {
      const auto* bytes = reinterpret_cast<const unsigned char*>(password.data());
      PEM_write_PrivateKey(file, own.key.get(), password.empty() ? nullptr : EVP_aes_128_cbc(),
                           password.empty() ? nullptr : bytes, static_cast<int>(password.size()), nullptr, nullptr);
    });
  }
  [[nodiscard]] std::string text(const std::string& name, const std::string& content) const {
    return write(name, [&](FILE* file) { std::fwrite(content.data(), 1, content.size(), file); });
  }

 private:
  template <class Function>
  std::string write(const std::string& name, Function function) const {
    const std::string path = path_ / name;
    FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) throw std::runtime_error("cannot write " + path);
    function(file);
    std::fclose(file);
    return path;
  }
  std::filesystem::path path_;
};

/// What most tests need: an authority, a server "venue.test" and a client "TRADER1" signed by it.
struct Certificates {
  Certificates()
      : authority(make_certificate({.name = "Test Authority", .is_authority = true})),
        server(make_certificate({.name = "venue.test", .also = "DNS:venue.test,IP:127.0.0.1"}, &authority)),
        client(make_certificate({.name = "TRADER1"}, &authority)),
        authority_file(folder.certificate("authority.pem", authority)),
        server_file(folder.certificate("server.pem", server)),
        server_key(folder.key("server.key", server)),
        client_file(folder.certificate("client.pem", client)),
        client_key(folder.key("client.key", client)) {}

  static const Certificates& get() {
    static const Certificates s_certificates;
    return s_certificates;
  }

  PemFolder folder;
  Signed authority, server, client;
  std::string authority_file, server_file, server_key, client_file, client_key;
};

}  // namespace dojima::net::testing
