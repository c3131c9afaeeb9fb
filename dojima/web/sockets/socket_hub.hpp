#pragma once

// The WebSockets of one HTTP server, in the server's thread. The server hands over a connection whose client asks for
// one; from there on it belongs to the hub.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "dojima/web/http.hpp"
#include "dojima/web/web_socket.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace dojima::web {

/// What a client's handshake says, as it was sent.
struct Handshake {
  std::string host, target, upgrade, connection, key, version, protocols;
};

class SocketHub {
 public:
  SocketHub(boost::asio::io_context& io, WebSocketOptions options, WebSocketHandler& handler);
  ~SocketHub();
  SocketHub(const SocketHub&) = delete;
  SocketHub& operator=(const SocketHub&) = delete;

  /// Why a handshake is refused, as a status, with a line for a person in `why`; 0: it is taken.
  [[nodiscard]] unsigned refusal(const Handshake& handshake, std::string& why) const;
  void count_refusal() noexcept;
  /// Takes over the socket, which is the hub's to close from now on.
  void take(int socket, bool is_v6, const Handshake& handshake, const HttpRequest& request);

  [[nodiscard]] const std::string& path() const noexcept;
  void start();
  void stop();
  /// Any thread.
  [[nodiscard]] WebSocketCounts counts() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dojima::web
