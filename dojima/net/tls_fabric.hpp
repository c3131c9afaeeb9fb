#pragma once

// TLS 1.2 and 1.3 as a layer between sessions and any other fabric: sockets (asio_fabric.hpp) or the simulated network.
// Sessions and acceptors see `link` as ever. An acceptor is asked, and a session opened, only when the handshake is
// done; what fails before has its limit in time and takes no session. Bytes are encrypted when they are committed and
// go out with the fabric below, whose loop calls everything here; nothing blocks. What a certificate's dates are held
// against is the loop's time. One thread. Library dojima_net_tls (component `net_tls`), the only part of `net` that
// needs OpenSSL.
//
//   auto settings = net::TlsContext::make(net::TlsRole::server, {.certificate_file = "venue.pem", .key_file =
//   "venue.key"}); if (!settings) show(settings.error().text); net::TlsFabric secure(fabric, scheduler, *settings,
//   {.max_connections = 8});  // over an AsioFabric const auto where = secure.listen({"127.0.0.1", 9878}, acceptor);
//
// Each listen or connect with its own settings has its own TlsFabric; any number can be on one fabric.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "dojima/link/connection.hpp"
#include "dojima/sched/scheduler.hpp"

namespace dojima::net {

using time::Time;

enum class TlsRole : std::uint8_t { client, server };
enum class TlsVersion : std::uint8_t { tls_1_2, tls_1_3 };

struct TlsConfig {
  std::string certificate_file;  ///< PEM: our own, then those between it and the authority; empty: none (clients)
  std::string key_file;          ///< PEM, without a password; empty: it is in certificate_file
  /// PEM: the authorities, or single certificates, that a peer's is checked against. Empty: a client takes the
  /// system's.
  std::string trusted_file;
  bool demand_client_certificate = false;  ///< server: mutual TLS, with the authorities of trusted_file
  /// client: the name or numeric address that the server's certificate must carry; a name is sent as SNI. Empty: the
  /// host that is connected to.
  std::string server_name;
  TlsVersion min_version = TlsVersion::tls_1_2;
  TlsVersion max_version = TlsVersion::tls_1_3;
  std::string ciphers_1_2;  ///< as OpenSSL writes lists of ciphers; empty: OpenSSL's choice
  std::string ciphers_1_3;  ///< as OpenSSL writes lists of cipher suites; empty: OpenSSL's choice
  friend bool operator==(const TlsConfig&, const TlsConfig&) = default;
};

/// Why settings cannot be used, for the operator: the file or setting, and what OpenSSL says of it.
struct TlsError {
  std::string text;
};

/// Settings with their files read and checked. Copies share them.
class TlsContext {
 public:
  /// Reads the files; later changes of them are seen by another context (TlsFabric::use). Errors: a file that cannot be
  /// read or is no PEM, a key that does not fit or needs a password, no such cipher, a setting that the role does not
  /// have or lacks.
  [[nodiscard]] static std::expected<TlsContext, TlsError> make(TlsRole role, const TlsConfig& config);

  [[nodiscard]] TlsRole role() const noexcept;

 private:
  friend class TlsFabric;
  struct Parts;
  explicit TlsContext(std::shared_ptr<const Parts> parts) noexcept;
  std::shared_ptr<const Parts> parts_;
};

/// A connection that was secured, and one that failed. Texts die when the handler returns.
struct TlsPeer {
  link::Address address;
  TlsRole role = TlsRole::client;  ///< ours
  std::string_view version;        ///< "TLSv1.3"
  std::string_view cipher;         ///< "TLS_AES_256_GCM_SHA384"
  std::string_view certificate;    ///< the subject of the peer's, "/CN=TRADER1"; empty: it has none
};
struct TlsTrouble {
  link::Address address;
  TlsRole role = TlsRole::client;  ///< ours
  link::CloseReason reason = link::CloseReason::none;
  std::string_view text;  ///< what OpenSSL says, e.g. "certificate verify failed: certificate has expired"
};

/// For operators: what became of handshakes, and what broke a connection. Called from the loop.
class TlsHandler {
 public:
  virtual void on_secured(const TlsPeer& peer, Time now) = 0;
  virtual void on_trouble(const TlsTrouble& trouble, Time now) = 0;

 protected:
  ~TlsHandler() = default;
};

struct TlsFabricOptions {
  std::size_t max_connections = 64;  ///< open, opening and closing ones together
  /// Bytes received and decrypted: the largest message a session can be shown.
  std::size_t input_capacity = 1 << 16;
  /// Bytes committed that the fabric below has no room for: the largest that can be prepared at once.
  std::size_t output_capacity = 1 << 18;
  /// From the connection to the end of the handshake. Where the last place is taken, the oldest handshake is given up.
  time::Duration handshake_timeout{std::chrono::seconds{5}};
  time::Duration linger{std::chrono::seconds{1}};  ///< how long close() waits for room below
};

struct TlsCounts {
  std::uint64_t secured = 0;
  std::uint64_t refused = 0;    ///< arrived and turned away: no connection free, or the acceptor would not
  std::uint64_t failed = 0;     ///< handshakes that failed
  std::uint64_t timed_out = 0;  ///< handshakes that took too long; among the failed ones
};

/// A handshake's failure is reported to a client's session by `on_closed` with `not_trusted`, `handshake_failed` or
/// `timed_out`, and to either side's handler. A peer that ends the stream without close_notify ends the connection with
/// `truncated`: what came before is genuine, what would have followed is not known.
class TlsFabric final : public link::Fabric {
 public:
  /// Takes all memory but OpenSSL's, and timers(options) of the scheduler's entries. Below, scheduler and handler must
  /// outlive it, and no turn of the loop may follow its end. Throws std::bad_alloc, std::length_error (the scheduler is
  /// full).
  TlsFabric(link::Fabric& below, sched::Scheduler& scheduler, TlsContext context, const TlsFabricOptions& options = {},
            TlsHandler* handler = nullptr);
  ~TlsFabric();
  TlsFabric(const TlsFabric&) = delete;
  TlsFabric& operator=(const TlsFabric&) = delete;

  [[nodiscard]] static std::size_t timers(const TlsFabricOptions& options) noexcept {
    return options.max_connections + 1;
  }

  /// As the fabric below, for a server's context only. The acceptor is asked after the handshake.
  [[nodiscard]] Result<link::Address> listen(const link::Address& address, link::Acceptor& acceptor) override;
  /// As the fabric below, for a client's context only.
  void connect(const link::Address& address, link::Connection& connection) override;

  /// Connections that begin from now on have these settings, of the same role: new certificates, say.
  void use(TlsContext context);

  [[nodiscard]] const TlsCounts& counts() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dojima::net
