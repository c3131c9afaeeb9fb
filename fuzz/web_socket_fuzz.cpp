// Any bytes to a server of pages and WebSockets, from a peer that then closes: it answers or closes, stays up, and a
// client that behaves gets its page afterwards. The first byte says whether a handshake goes in front, so that what
// follows is taken for frames.

#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <unordered_set>

#include "dojima/base/assert.hpp"
#include "dojima/web/http_server.hpp"

namespace {

using namespace dojima;

class Peers final : public web::HttpHandler, public web::WebSocketHandler {
 public:
  void on_request(const web::HttpRequest& request, web::HttpReply reply) override {
    DOJIMA_ASSERT(request.path.starts_with('/') && request.body.size() <= 1024, "within the limits");
    reply.send({.body = "page"});
  }
  void on_open(web::WebSocket& socket, const web::HttpRequest&) override {
    DOJIMA_ASSERT(open_.insert(&socket).second, "opened once");
  }
  void on_message(web::WebSocket& socket, std::string_view message) override {
    DOJIMA_ASSERT(open_.contains(&socket) && message.size() <= 256, "between opening and closing, within the limits");
    if (message.starts_with('x')) return socket.close(message);
    if (socket.is_ready()) socket.send(std::string(message));
  }
  void on_close(web::WebSocket& socket) override { DOJIMA_ASSERT(open_.erase(&socket) == 1, "closed once"); }
  void on_beat() override {
    for (web::WebSocket* socket : open_)
      if (socket->is_ready()) socket->send("beat");
  }

 private:
  std::unordered_set<web::WebSocket*> open_;
};

class Server {
 public:
  Server()
      : server_({.body_bytes = 1024, .is_for_browsers = true}, peers_,
                {.message_bytes = 256, .beat = std::chrono::milliseconds{1}, .stall = std::chrono::milliseconds{50}},
                peers_) {
    const auto where = server_.start();
    DOJIMA_ASSERT(where.has_value(), "a free port");
    port_ = where->port;
  }
  /// What it answers to these bytes, up to some length; those behind a handshake are said when it is answered.
  [[nodiscard]] std::string answer(const std::string& bytes, const std::string& handshake = {}) const {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    DOJIMA_ASSERT(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "it listens");
    // One that breaks the protocol while it is being closed goes when that takes too long.
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::string text;
    static_cast<void>(::send(socket, handshake.data(), handshake.size(), MSG_NOSIGNAL));
    for (char letter = 0; !handshake.empty() && !text.ends_with("\r\n\r\n") && ::recv(socket, &letter, 1, 0) == 1;)
      text += letter;
    static_cast<void>(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL));
    ::shutdown(socket, SHUT_WR);
    char part[4096];
    for (ssize_t size = 1; size > 0 && text.size() < 100'000;) {
      size = ::recv(socket, part, sizeof part, 0);
      DOJIMA_ASSERT(size >= 0 || errno != EAGAIN, "it ends a connection whose peer has ended", text.size());
      if (size > 0) text.append(part, static_cast<std::size_t>(size));
    }
    ::close(socket);
    return text;
  }

 private:
  Peers peers_;
  web::HttpServer server_;
  std::uint16_t port_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Server server;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const bool has_handshake = data[0] % 2 == 0;
  static_cast<void>(server.answer(
      bytes, has_handshake ? "GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
                           : ""));
  const std::string page = server.answer("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  DOJIMA_ASSERT(page.starts_with("HTTP/1.1 200 ") && page.ends_with("page"), "others are undisturbed", page.size());
  return 0;
}
