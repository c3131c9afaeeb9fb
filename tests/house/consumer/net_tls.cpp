// TLS, installed: settings that cannot be used are refused with a reason. Exit status 0 when all came as expected.

#include "dojima/net/tls_fabric.hpp"

int main() {
  const auto made = dojima::net::TlsContext::make(dojima::net::TlsRole::server, {.certificate_file = "/nowhere.pem"});
  return !made && made.error().text.starts_with("certificate_file /nowhere.pem: ") ? 0 : 1;
}
