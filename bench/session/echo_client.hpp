#pragma once

// A FIX client that costs little and never sleeps, over a plain socket or TLS: it writes an order and looks until the
// echo is there.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/writer.hpp"
#include "dojima/time/time.hpp"

namespace dojima::bench {

struct TlsStream;

struct ClientOptions {
  std::uint16_t port = 0;
  bool is_session = true;  ///< it logs on first
  bool is_tls = false;     ///< the server's certificate is not looked at
  std::string name = "CLIENT";
};

class Client {
 public:
  /// Connects, for up to two seconds. Throws std::runtime_error.
  explicit Client(const ClientOptions& options);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// An order and its echo.
  void order() {
    send_order();
    await();
  }
  void send_order();
  /// Until the next whole message is there.
  void await();

 private:
  fix::Writer begin(fix::MsgType type);
  void send(fix::Writer& writer);
  /// Bytes, or 0 when there are none.
  [[nodiscard]] std::size_t read_some();

  std::string name_;
  int socket_ = -1;
  std::unique_ptr<TlsStream> tls_;
  std::uint64_t next_ = 1;
  time::Time now_{};
  std::size_t received_ = 0;  // behind the last whole message
  std::array<std::byte, 1024> room_{};
  std::array<std::byte, 4096> answer_{};
};

}  // namespace dojima::bench
