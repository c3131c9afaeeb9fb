#include "dojima/web/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/rate_policy.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/thread_name.hpp"
#include "dojima/web/sockets/socket_hub.hpp"

namespace dojima::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;
using boost::system::error_code;

// With the executor's own type nothing is erased, which compiles in half the time.
using Executor = asio::io_context::executor_type;
using Stream = beast::basic_stream<tcp, Executor, beast::unlimited_rate_policy>;
using Listener = asio::basic_socket_acceptor<tcp, Executor>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

constexpr std::chrono::milliseconds k_accept_again{100};

/// What a page of ours may load and say: nothing but what comes from here, and no code or style within the page.
constexpr const char* k_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

using Received = http::request<http::string_body>;
using Sent = http::response<http::string_body>;

[[nodiscard]] std::string text_of(const Received& request, http::field field) {
  const auto value = request[field];
  return {value.data(), value.size()};
}

[[nodiscard]] std::string target_of(const Received& request) {
  return {request.target().data(), request.target().size()};
}

[[nodiscard]] std::string bearer_of(std::string_view authorization) {
  constexpr std::string_view k_scheme = "Bearer ";
  return authorization.starts_with(k_scheme) ? std::string(authorization.substr(k_scheme.size())) : std::string();
}

/// Of what is no request.
[[nodiscard]] HttpResponse refusal_of(const error_code& error) {
  const unsigned status = error == http::error::body_limit ? 413 : error == http::error::header_limit ? 431 : 400;
  return {.status = status, .body = error.message()};
}

/// Of a request that no handler sees; none: it is passed on.
[[nodiscard]] std::optional<HttpResponse> refusal_of(const Received& request, bool is_for_browsers) {
  const http::verb verb = request.method();
  if (verb != http::verb::get && verb != http::verb::head && verb != http::verb::post)
    return HttpResponse{.status = 405, .body = "GET, HEAD and POST are answered here"};
  if (!target_of(request).starts_with('/')) return HttpResponse{.status = 400, .body = "the target begins with /"};
  if (!is_for_browsers) return std::nullopt;
  const std::string host = text_of(request, http::field::host);
  if (!is_own_host(host))
    return HttpResponse{.status = 403, .body = "this server is asked by its numeric address or as localhost"};
  if (!is_own_origin(text_of(request, http::field::origin), host))
    return HttpResponse{.status = 403, .body = "pages of other origins get nothing here"};
  return std::nullopt;
}

/// Takes the body out of it.
[[nodiscard]] HttpRequest request_of(Received& request, const link::Address& peer) {
  const std::string target = target_of(request);
  const std::size_t mark = target.find('?');
  return {.method = request.method() == http::verb::post ? Method::post : Method::get,
          .path = target.substr(0, mark),
          .query = mark == std::string::npos ? std::string() : target.substr(mark + 1),
          .token = bearer_of(text_of(request, http::field::authorization)),
          .body = std::move(request.body()),
          .peer = peer};
}

[[nodiscard]] Handshake handshake_of(const Received& request) {
  return {.host = text_of(request, http::field::host),
          .target = target_of(request),
          .upgrade = text_of(request, http::field::upgrade),
          .connection = text_of(request, http::field::connection),
          .key = text_of(request, http::field::sec_websocket_key),
          .version = text_of(request, http::field::sec_websocket_version),
          .protocols = text_of(request, http::field::sec_websocket_protocol)};
}

/// But for its body.
[[nodiscard]] Sent message_of(const HttpResponse& response, bool is_for_browsers, bool is_last) {
  Sent message;
  message.result(response.status);
  message.version(11);
  message.set(http::field::content_type, response.content_type);
  message.set(http::field::cache_control, "no-store");
  message.set("X-Content-Type-Options", "nosniff");
  if (is_for_browsers) {
    message.set("Content-Security-Policy", k_policy);
    message.set("Referrer-Policy", "no-referrer");
    message.set("Cross-Origin-Resource-Policy", "same-origin");
  }
  if (response.status == 426) {
    message.set(http::field::upgrade, "websocket");
    message.set(http::field::sec_websocket_version, "13");
  }
  if (response.status == 401) message.set(http::field::www_authenticate, "Bearer");
  if (response.status == 405) message.set(http::field::allow, "GET, HEAD, POST");
  message.keep_alive(!is_last);
  message.content_length(response.body.size());
  return message;
}

/// What the thread and all connections share; lives as long as the last of them.
struct Context {
  Context(HttpOptions wanted, HttpHandler& whose) : options(std::move(wanted)), handler(whose) {}

  const HttpOptions options;
  HttpHandler& handler;
  asio::io_context io{1};
  SocketHub* hub = nullptr;  // of a server that is running and has one
  std::mutex mutex;
  bool is_open = false;  // answers are taken; under the mutex
  std::vector<std::weak_ptr<HttpReply::Way>> ways;
  std::uint64_t events = 0;  // a clock for who has been silent for longest
  std::atomic<std::uint64_t> requests{0}, refused{0}, evicted{0};
};

}  // namespace

/// One connection. All of it runs in the server's thread, but for answer().
class HttpReply::Way final : public std::enable_shared_from_this<HttpReply::Way> {
 public:
  Way(std::shared_ptr<Context> context, Stream::socket_type socket)
      : context_(std::move(context)), stream_(std::move(socket)) {
    error_code error;
    const tcp::endpoint peer = stream_.socket().remote_endpoint(error);
    if (!error) peer_ = {peer.address().to_string(), peer.port()};
  }

  void read() {
    note();
    parser_.emplace();
    parser_->header_limit(context_->options.header_bytes);
    parser_->body_limit(context_->options.body_bytes);
    stream_.expires_after(context_->options.patience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](const error_code& error, std::size_t) { self->on_read(error); });
  }

  /// Any thread.
  static void answer(std::shared_ptr<Way> way, HttpResponse response) {
    const std::shared_ptr<Context> context = way->context_;
    const std::scoped_lock lock(context->mutex);
    if (!context->is_open) return;
    asio::post(context->io,
               [way = std::move(way), response = std::move(response)]() mutable { way->write(std::move(response)); });
  }

  void close() {
    is_gone_ = true;
    stream_.close();
  }

  [[nodiscard]] bool is_gone() const noexcept { return is_gone_; }
  /// Its request is being answered.
  [[nodiscard]] bool is_busy() const noexcept { return is_busy_; }
  [[nodiscard]] std::uint64_t last_event() const noexcept { return last_event_; }

 private:
  void note() { last_event_ = ++context_->events; }

  void on_read(const error_code& error) {
    if (is_gone_) return;
    if (error == http::error::end_of_stream) return farewell();
    const bool is_http = error.category() == http::make_error_code(http::error::bad_method).category();
    if (error && !is_http) {
      // Late, or the connection is gone.
      if (parser_->got_some()) ++context_->refused;
      return close();
    }
    note();
    must_close_ = error.failed() || !parser_->get().keep_alive();
    is_head_ = !error && parser_->get().method() == http::verb::head;
    is_busy_ = true;
    if (error) return refuse(refusal_of(error));
    on_request(parser_->get());
  }

  void on_request(Received& request) {
    if (auto refusal = refusal_of(request, context_->options.is_for_browsers)) return refuse(std::move(*refusal));
    ++context_->requests;
    const HttpRequest made = request_of(request, peer_);
    if (context_->hub != nullptr && made.path == context_->hub->path()) return upgrade(request, made);
    context_->handler.on_request(made, HttpReply(shared_from_this()));
  }

  /// The connection is the hub's from now on.
  void upgrade(const Received& request, const HttpRequest& made) {
    const Handshake handshake = handshake_of(request);
    HttpResponse refusal;
    refusal.status = context_->hub->refusal(handshake, refusal.body);
    if (refusal.status == 0 && (request.method() != http::verb::get || buffer_.size() != 0))
      refusal = {.status = 400, .body = "a WebSocket client waits for the answer to its GET"};
    if (refusal.status != 0) {
      context_->hub->count_refusal();
      return refuse(std::move(refusal));
    }
    error_code error;
    const bool is_v6 = stream_.socket().local_endpoint(error).address().is_v6();
    const int socket = stream_.socket().release(error);
    is_gone_ = true;
    if (!error) context_->hub->take(socket, is_v6, handshake, made);
  }

  /// The last answer of this connection.
  void refuse(HttpResponse why) {
    ++context_->refused;
    must_close_ = true;
    why.body += '\n';
    write(std::move(why));
  }

  void write(HttpResponse response) {
    if (is_gone_) return;
    DOJIMA_ASSERT(is_busy_, "a request is answered once", response.status);
    reply_ = message_of(response, context_->options.is_for_browsers, must_close_);
    if (!is_head_) reply_.body() = std::move(response.body);
    stream_.expires_after(context_->options.patience);
    http::async_write(stream_, reply_,
                      [self = shared_from_this()](const error_code& error, std::size_t) { self->on_written(error); });
  }

  void on_written(const error_code& error) {
    if (is_gone_) return;
    is_busy_ = false;
    if (error) return close();
    if (must_close_) return farewell();
    read();
  }

  /// The peer gets all that was written before the connection ends.
  void farewell() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    close();
  }

  std::shared_ptr<Context> context_;
  Stream stream_;
  link::Address peer_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Sent reply_;
  std::uint64_t last_event_ = 0;
  bool is_busy_ = false, is_head_ = false, must_close_ = false, is_gone_ = false;
};

HttpReply::HttpReply(std::shared_ptr<Way> way) noexcept : way_(std::move(way)) {}
HttpReply::HttpReply(HttpReply&&) noexcept = default;

HttpReply& HttpReply::operator=(HttpReply&& other) noexcept {
  std::swap(way_, other.way_);
  return *this;
}

HttpReply::~HttpReply() {
  if (way_ != nullptr) send({.status = 500, .body = "no answer\n"});
}

void HttpReply::send(HttpResponse response) {
  DOJIMA_ASSERT(way_ != nullptr, "a request is answered once", response.status);
  Way::answer(std::move(way_), std::move(response));
}

class HttpServer::Impl {
 public:
  Impl(HttpOptions options, HttpHandler& handler)
      : context_(std::make_shared<Context>(std::move(options), handler)),
        listener_(context_->io),
        again_(context_->io) {}

  void take_web_sockets(WebSocketOptions options, WebSocketHandler& handler) {
    hub_ = std::make_unique<SocketHub>(context_->io, std::move(options), handler);
    context_->hub = hub_.get();
  }
  [[nodiscard]] WebSocketCounts web_socket_counts() const noexcept {
    return hub_ != nullptr ? hub_->counts() : WebSocketCounts{};
  }

  Result<link::Address> start() {
    const HttpOptions& options = context_->options;
    error_code error;
    const std::string host = options.host.empty() || options.host == "localhost" ? "127.0.0.1" : options.host;
    const asio::ip::address address = asio::ip::make_address(host, error);
    const tcp::endpoint wanted(address, options.port);
    if (!error) listener_.open(wanted.protocol(), error);
    if (!error) listener_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) listener_.bind(wanted, error);
    if (!error) listener_.listen(asio::socket_base::max_listen_connections, error);
    const tcp::endpoint bound = error ? wanted : listener_.local_endpoint(error);
    if (error) {
      error_code ignored;
      listener_.close(ignored);  // so that it can be tried again
    }
    if (error) return fail(ErrorCode::unavailable, 0, 0, error.value(), "a port that can be listened at");
    context_->is_open = true;
    accept();
    if (hub_ != nullptr) hub_->start();
    thread_ = std::jthread([context = context_] {
      name_this_thread("http");
      context->io.run();
    });
    return link::Address{bound.address().to_string(), bound.port()};
  }

  void stop() {
    if (!thread_.joinable()) return;
    {
      const std::scoped_lock lock(context_->mutex);
      context_->is_open = false;
    }
    asio::post(context_->io, [this] {
      is_over_ = true;
      listener_.close();
      again_.cancel();
      for (const auto& each : context_->ways)
        if (const auto way = each.lock(); way != nullptr) way->close();
      context_->ways.clear();
      context_->hub = nullptr;
      if (hub_ != nullptr) hub_->stop();
    });
    // Everything is closed, so what is still on its way ends at once, and the thread with the last of it.
    thread_.join();
  }

  [[nodiscard]] HttpCounts counts() const noexcept {
    return {.requests = context_->requests, .refused = context_->refused, .evicted = context_->evicted};
  }

 private:
  void accept() {
    listener_.async_accept(context_->io, [this](const error_code& error, Stream::socket_type socket) {
      if (is_over_) return;
      if (!error) {
        make_room();
        const auto way = std::make_shared<HttpReply::Way>(context_, std::move(socket));
        context_->ways.push_back(way);
        way->read();
        return accept();
      }
      // Out of descriptors, most likely: it must not spin.
      again_.expires_after(k_accept_again);
      again_.async_wait([this](const error_code&) {
        if (!is_over_) accept();
      });
    });
  }

  void make_room() {
    std::erase_if(context_->ways, [](const auto& each) {
      const auto way = each.lock();
      return way == nullptr || way->is_gone();
    });
    if (context_->ways.size() < context_->options.connections) return;
    const auto silent = std::ranges::min_element(context_->ways, {}, [](const auto& each) {
      const auto way = each.lock();
      return std::pair(way->is_busy(), way->last_event());
    });
    silent->lock()->close();
    context_->ways.erase(silent);
    ++context_->evicted;
  }

  std::shared_ptr<Context> context_;
  Listener listener_;
  Timer again_;
  std::unique_ptr<SocketHub> hub_;  // null: no WebSockets
  bool is_over_ = false;
  std::jthread thread_;
};

HttpServer::HttpServer(HttpOptions options, HttpHandler& handler) {
  if (options.connections == 0) throw std::invalid_argument("an HTTP server takes at least one connection");
  impl_ = std::make_unique<Impl>(std::move(options), handler);
}

HttpServer::HttpServer(HttpOptions options, HttpHandler& handler, WebSocketOptions sockets, WebSocketHandler& watcher)
    : HttpServer(std::move(options), handler) {
  if (sockets.connections == 0 || sockets.beat.count() <= 0 || !sockets.path.starts_with('/'))
    throw std::invalid_argument("WebSockets have a path, at least one connection and a beat");
  impl_->take_web_sockets(std::move(sockets), watcher);
}

HttpServer::~HttpServer() {
  stop();
}

Result<link::Address> HttpServer::start() {
  return impl_->start();
}

void HttpServer::stop() {
  impl_->stop();
}

HttpCounts HttpServer::counts() const noexcept {
  return impl_->counts();
}

WebSocketCounts HttpServer::web_socket_counts() const noexcept {
  return impl_->web_socket_counts();
}

}  // namespace dojima::web
