#pragma once

// WebSockets of an HttpServer (RFC 6455): pages that watch. All of it runs in the server's thread. A socket has at most
// one message on its way: who has more to say waits until it is ready and then says what is newest, so that a client
// that reads slowly, or never, costs one message of memory and delays nobody. A beat comes at a fixed rate, whatever
// the clients do.
//
//   class Screens final : public web::WebSocketHandler {
//     void on_beat() override { for (Client& of : clients_) if (of.socket->is_ready()) of.socket->send(frame(of)); }
//     ...
//   };

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "dojima/web/http.hpp"

namespace dojima::web {

struct WebSocketOptions {
  std::string path = "/live";
  /// A client must offer it; empty: none is spoken of. Where it ends in a number, who offers the same with another one
  /// is let in and closed at once (1002), with a reason that its page can show.
  std::string protocol{};
  std::size_t connections = 16;        ///< at a time, >= 1; further ones get 503
  std::size_t message_bytes = 4096;    ///< of a message from a client; a larger one ends the connection (1009)
  std::uint32_t messages_a_beat = 64;  ///< from one client; more end the connection (1008)
  std::chrono::milliseconds beat{33};
  std::chrono::milliseconds stall{10'000};    ///< a message that was not taken for so long ends the connection
  std::chrono::milliseconds silence{30'000};  ///< then a ping, which must be answered in as much time again
};

/// One connection. Lives until on_close() has returned.
class WebSocket {
 public:
  /// Nothing is on its way.
  [[nodiscard]] virtual bool is_ready() const noexcept = 0;
  /// A binary message. Only while it is ready.
  virtual void send(std::string message) = 0;
  /// Ends it, with a reason for a person, of at most 100 bytes; on_close() follows from the loop, not from here.
  virtual void close(std::string_view why) = 0;
  /// Counts from 1 in the server.
  [[nodiscard]] virtual std::uint64_t id() const noexcept = 0;

 protected:
  ~WebSocket() = default;
};

class WebSocketHandler {
 public:
  virtual void on_open(WebSocket& socket, const HttpRequest& request) = 0;
  /// A whole message; it dies when this returns.
  virtual void on_message(WebSocket& socket, std::string_view message) = 0;
  virtual void on_close(WebSocket& socket) = 0;
  virtual void on_beat() = 0;

 protected:
  ~WebSocketHandler() = default;
};

/// Written by the server's thread, read by any.
struct WebSocketCounts {
  std::uint64_t opened = 0;
  std::uint64_t refused = 0;  ///< no place, no WebSocket handshake, another version
  std::uint64_t broken = 0;   ///< ended for what they said: too large, too much, no WebSocket
  std::uint64_t stalled = 0;  ///< ended because they did not read, or did not answer a ping
  std::uint64_t open = 0;     ///< now
};

}  // namespace dojima::web
