// Settings of TLS: what is wrong with them is reported before anything listens.

#include "dojima/net/tls/world_test_support.hpp"

namespace dojima::net {
namespace {

using namespace testing;

std::string error_of(TlsRole role, const TlsConfig& config) {
  const auto made = TlsContext::make(role, config);
  return made ? "none" : made.error().text;
}

TEST(TlsContext, takes_settings_that_fit_the_role) {
  const Certificates& certificates = Certificates::get();
  EXPECT_EQ(
      error_of(TlsRole::server, {.certificate_file = certificates.server_file, .key_file = certificates.server_key}),
      "none");
  EXPECT_EQ(error_of(TlsRole::client, {}), "none") << "the system's authorities";
  EXPECT_EQ(error_of(TlsRole::client, {.trusted_file = certificates.authority_file}), "none");
  const PemFolder folder;
  const std::string both = folder.key("both.pem", certificates.server);
  std::FILE* file = std::fopen(both.c_str(), "ab");
  PEM_write_X509(file, certificates.server.certificate.get());
  std::fclose(file);
  EXPECT_EQ(error_of(TlsRole::server, {.certificate_file = both}), "none") << "key and certificate in one file";
}

TEST(TlsContext, names_the_file_that_cannot_be_used_and_why) {
  const Certificates& certificates = Certificates::get();
  const PemFolder folder;
  const auto server = [](const std::string& certificate, const std::string& key) {
    return error_of(TlsRole::server, {.certificate_file = certificate, .key_file = key});
  };
  EXPECT_EQ(server("/nowhere/at/all.pem", certificates.server_key),
            "certificate_file /nowhere/at/all.pem: No such file or directory");
  EXPECT_EQ(server(certificates.server_file, "/nowhere/at/all.key"),
            "key_file /nowhere/at/all.key: No such file or directory");
  const std::string prose = folder.text("prose.pem", "this is no certificate\n");
  EXPECT_EQ(server(prose, certificates.server_key), "certificate_file " + prose + ": no start line");
  EXPECT_TRUE(server(certificates.server_file, prose).starts_with("key_file " + prose + ": "));
  EXPECT_EQ(server(certificates.server_file, certificates.client_key),
            "key_file " + certificates.client_key + ": key values mismatch");
  const std::string locked = folder.key("locked.key", certificates.server, "secret");
  EXPECT_EQ(server(certificates.server_file, locked),
            "key_file " + locked + ": it has a password, which nobody is asked for");
  EXPECT_TRUE(error_of(TlsRole::client, {.trusted_file = prose}).starts_with("trusted_file " + prose + ": "));
  EXPECT_TRUE(error_of(TlsRole::client, {.trusted_file = "/nowhere"}).starts_with("trusted_file /nowhere: "));
}

TEST(TlsContext, names_the_setting_that_does_not_fit) {
  const Certificates& certificates = Certificates::get();
  const TlsConfig server{.certificate_file = certificates.server_file, .key_file = certificates.server_key};
  const auto changed = [&](auto change) {
    TlsConfig config = server;
    change(config);
    return error_of(TlsRole::server, config);
  };
  EXPECT_EQ(error_of(TlsRole::server, {}), "certificate_file: a server has a certificate");
  EXPECT_EQ(changed([](TlsConfig& config) { config.server_name = "x"; }), "server_name: is a client's setting");
  EXPECT_EQ(changed([](TlsConfig& config) { config.demand_client_certificate = true; }),
            "trusted_file: missing: what are clients' certificates held against?");
  EXPECT_EQ(changed([&](TlsConfig& config) { config.trusted_file = certificates.authority_file; }),
            "trusted_file: a server uses it only with demand_client_certificate");
  EXPECT_EQ(changed([](TlsConfig& config) { config.ciphers_1_2 = "ROT13"; }), "ciphers_1_2 \"ROT13\": no cipher match");
  EXPECT_TRUE(changed([](TlsConfig& config) { config.ciphers_1_3 = "ROT13"; }).starts_with("ciphers_1_3 \"ROT13\": "));
  EXPECT_EQ(changed([](TlsConfig& config) {
              config.min_version = TlsVersion::tls_1_3;
              config.max_version = TlsVersion::tls_1_2;
            }),
            "max_version: is below min_version");
  EXPECT_EQ(error_of(TlsRole::client, {.demand_client_certificate = true}),
            "demand_client_certificate: is a server's setting");
  EXPECT_EQ(error_of(TlsRole::client, {.key_file = certificates.client_key}), "key_file: without certificate_file");
}

}  // namespace
}  // namespace dojima::net
