#pragma once

// An HTTP/1.1 server for people and programs that watch and operate a process: a thread of its own, beside the loops
// that do the work, so that a slow or hostile peer costs them nothing. Everything is bounded: connections, sizes, how
// long a request may take to come and an answer to leave. Where all connections are taken, the one that has been silent
// for longest goes, so that idle peers lock nobody out. Answers may come from any thread, at any time.
//
//   class Pages final : public web::HttpHandler {
//     void on_request(const web::HttpRequest& request, web::HttpReply reply) override { reply.send({.body = "ok\n"}); }
//   };
//   web::HttpServer server({.port = 0}, pages);
//   const Result<link::Address> where = server.start();

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "dojima/base/error.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/web/http.hpp"
#include "dojima/web/web_socket.hpp"

namespace dojima::web {

struct HttpOptions {
  std::string host = "127.0.0.1";  ///< numeric, or localhost
  std::uint16_t port = 0;          ///< 0: any free one
  std::size_t connections = 32;    ///< at a time, >= 1
  std::uint32_t header_bytes = 8192;
  std::size_t body_bytes = 65'536;
  std::chrono::milliseconds patience{10'000};  ///< for a whole request, from the first connection or the last answer,
                                               ///< and for an answer to leave
  /// Answers are pages: Host and Origin are checked, so that no page of another site reads them, and what a page may
  /// load is confined to this server.
  bool is_for_browsers = false;
};

/// Answers one request, once. An answer that is destroyed unsent says 500. May outlive the server: it goes nowhere
/// then.
class HttpReply {
 public:
  class Way;  ///< to the connection
  explicit HttpReply(std::shared_ptr<Way> way) noexcept;
  HttpReply(HttpReply&&) noexcept;
  HttpReply& operator=(HttpReply&&) noexcept;
  ~HttpReply();

  /// Any thread; once.
  void send(HttpResponse response);

 private:
  std::shared_ptr<Way> way_;
};

/// Called from the server's thread.
class HttpHandler {
 public:
  virtual void on_request(const HttpRequest& request, HttpReply reply) = 0;

 protected:
  ~HttpHandler() = default;
};

/// Written by the server's thread, read by any.
struct HttpCounts {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;  ///< not HTTP, too large or too late
  std::uint64_t evicted = 0;  ///< silent connections that made room
};

class HttpServer {
 public:
  /// The handler outlives the server. Throws std::invalid_argument for options that make no sense.
  HttpServer(HttpOptions options, HttpHandler& handler);
  /// With WebSockets at a path of their own, whose handler outlives the server too.
  HttpServer(HttpOptions options, HttpHandler& handler, WebSocketOptions sockets, WebSocketHandler& watcher);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Listens and begins the thread. `unavailable` with the system's errno in `got`. Once.
  [[nodiscard]] Result<link::Address> start();
  /// Closes all connections and ends the thread; answers that are sent later go nowhere.
  void stop();

  [[nodiscard]] HttpCounts counts() const noexcept;
  [[nodiscard]] WebSocketCounts web_socket_counts() const noexcept;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dojima::web
