#include "dojima/web/sockets/socket_hub.hpp"

#include <algorithm>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/rate_policy.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"

namespace dojima::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

using Executor = asio::io_context::executor_type;
using Stream = beast::basic_stream<tcp, Executor, beast::unlimited_rate_policy>;
// Without compression: what is sent is small, and a compressor is memory and time for each client. The stream below it
// is not its own: it may go while operations of its are on their way, which then find only the stream.
using Socket = websocket::stream<Stream&, false>;
using Timer = asio::basic_waitable_timer<steady_clock, asio::wait_traits<steady_clock>, Executor>;

[[nodiscard]] char lower(char letter) noexcept {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// Takes the first item off a list with commas.
[[nodiscard]] std::string_view take_item(std::string_view& list) {
  const std::size_t comma = list.find(',');
  std::string_view item = list.substr(0, comma);
  list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  while (!item.empty() && (item.front() == ' ' || item.front() == '\t')) item.remove_prefix(1);
  while (!item.empty() && (item.back() == ' ' || item.back() == '\t')) item.remove_suffix(1);
  return item;
}

/// Whether a list with commas holds a word, whatever its case.
[[nodiscard]] bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty())
    if (std::ranges::equal(take_item(list), word, {}, lower, lower)) return true;
  return false;
}

/// What a client offers of a protocol in another version ("dojima.v1" of "dojima.v2"); empty: nothing.
[[nodiscard]] std::string_view other_version_in(std::string_view list, std::string_view protocol) {
  constexpr std::string_view k_digits = "0123456789";
  const std::string_view family = protocol.substr(0, protocol.find_last_not_of(k_digits) + 1);
  if (family.empty() || family == protocol) return {};
  while (!list.empty()) {
    const std::string_view item = take_item(list);
    // It goes into our answer.
    if (item.starts_with(family) && item.size() > family.size() && item.size() <= family.size() + 4 &&
        item.find_first_not_of(k_digits, family.size()) == std::string_view::npos)
      return item;
  }
  return {};
}

[[nodiscard]] std::string one_protocol(const std::string& protocol) {
  return "only " + protocol + " is spoken here: load the page again";
}

[[nodiscard]] http::request<http::empty_body> message_of(const Handshake& handshake) {
  http::request<http::empty_body> message(http::verb::get, handshake.target, 11);
  message.set(http::field::host, handshake.host);
  message.set(http::field::upgrade, handshake.upgrade);
  message.set(http::field::connection, handshake.connection);
  message.set(http::field::sec_websocket_key, handshake.key);
  message.set(http::field::sec_websocket_version, handshake.version);
  return message;
}

void set_options(Socket& socket, const WebSocketOptions& options, std::string_view protocol) {
  socket.set_option(websocket::stream_base::timeout{
      .handshake_timeout = options.stall, .idle_timeout = options.silence * 2, .keep_alive_pings = true});
  socket.read_message_max(options.message_bytes);
  socket.binary(true);
  socket.auto_fragment(false);
  socket.set_option(
      websocket::stream_base::decorator([protocol = std::string(protocol)](websocket::response_type& answer) {
        if (!protocol.empty()) answer.set(http::field::sec_websocket_protocol, protocol);
      }));
}

}  // namespace

class SocketHub::Impl {
 public:
  class Way;

  Impl(asio::io_context& io, WebSocketOptions options, WebSocketHandler& handler)
      : io_(io), options_(std::move(options)), handler_(handler), timer_(io) {}

  void beat();
  void leave(const Way* way);

  asio::io_context& io_;
  const WebSocketOptions options_;
  WebSocketHandler& handler_;
  Timer timer_;
  steady_clock::time_point due_;
  std::vector<std::shared_ptr<Way>> ways_;  // those that the handler knows, and those that shake hands
  std::uint64_t next_id_ = 1;
  bool is_over_ = false;
  std::atomic<std::uint64_t> opened_{0}, refused_{0}, broken_{0}, stalled_{0}, open_{0};
};

/// One connection. Its end is reported to the handler from a callback of its own, never from a call of the handler.
///
/// Reading and closing at once are kept apart: Beast 1.81 lets a read that came upon a broken frame wait for a closing
/// that waits for this read, and neither ever ends, whatever becomes of the connection. So nothing is read any more
/// once a closing has begun, which hears the rest itself; and where a read was on its way before, the WebSocket is
/// destroyed with what waits in it as soon as the connection is closed.
class SocketHub::Impl::Way final : public WebSocket, public std::enable_shared_from_this<Way> {
 public:
  Way(Impl& hub, Stream::socket_type socket) : hub_(hub), id_(hub.next_id_++), stream_(std::move(socket)) {
    socket_.emplace(stream_);
  }

  void open(const Handshake& handshake, HttpRequest request) {
    request_ = std::move(request);
    handshake_ = message_of(handshake);
    stream_.expires_never();
    const std::string& ours = hub_.options_.protocol;
    // A browser shows nothing of a handshake that was refused, but why a connection was closed.
    const std::string_view others =
        has_word(handshake.protocols, ours) ? "" : other_version_in(handshake.protocols, ours);
    is_of_other_version_ = !others.empty();
    set_options(*socket_, hub_.options_, is_of_other_version_ ? others : ours);
    socket_->async_accept(handshake_, [self = shared_from_this()](const error_code& error) { self->on_accept(error); });
  }

  [[nodiscard]] bool is_ready() const noexcept override { return is_open_ && !is_writing_ && !is_closing_; }
  [[nodiscard]] std::uint64_t id() const noexcept override { return id_; }

  void send(std::string message) override {
    DOJIMA_ASSERT(is_ready(), "one message is on its way at a time", id_, message.size());
    message_ = std::move(message);
    is_writing_ = true;
    written_by_ = steady_clock::now() + hub_.options_.stall;
    socket_->async_write(asio::const_buffer(message_.data(), message_.size()),
                         [self = shared_from_this()](const error_code& error, std::size_t) {
                           self->is_writing_ = false;
                           if (error) self->drop();
                         });
  }

  void close(std::string_view why) override { end(websocket::close_code::policy_error, why); }

  /// Before every beat.
  void look(steady_clock::time_point now) {
    messages_ = 0;
    if ((!is_writing_ && !is_closing_) || is_dropped_ || now < written_by_) return;
    ++hub_.stalled_;
    drop();
  }

  /// The hub is going: the handler is not called any more, and nothing is left on its way.
  void forget() {
    is_open_ = false;
    is_closing_ = is_dropped_ = true;
    stream_.close();
    socket_.reset();
  }

 private:
  void on_accept(const error_code& error) {
    if (is_dropped_) return;
    if (error) {
      ++hub_.refused_;
      return drop();
    }
    if (is_of_other_version_) {
      ++hub_.refused_;
      return part(websocket::close_code::protocol_error, one_protocol(hub_.options_.protocol));
    }
    ++hub_.opened_;
    ++hub_.open_;
    is_open_ = true;
    hub_.handler_.on_open(*this, request_);
    read();
  }

  void read() {
    if (is_closing_) return;
    socket_->async_read(buffer_,
                        [self = shared_from_this()](const error_code& error, std::size_t) { self->on_read(error); });
  }

  void on_read(const error_code& error) {
    if (is_dropped_) return;
    if (error) return on_broken(error);
    if (is_closing_) return;  // what it still says is not heard any more
    if (++messages_ > hub_.options_.messages_a_beat) {
      ++hub_.broken_;
      return end(websocket::close_code::policy_error, "too many messages");
    }
    const auto data = buffer_.data();
    hub_.handler_.on_message(*this, {static_cast<const char*>(data.data()), data.size()});
    buffer_.consume(buffer_.size());
    read();
  }

  void on_broken(const error_code& error) {
    if (error == beast::error::timeout) ++hub_.stalled_;
    // What is left of its category are sentences of the protocol that nobody should say.
    if (error != websocket::error::closed &&
        error.category() == websocket::make_error_code(websocket::error::closed).category())
      ++hub_.broken_;
    drop();
  }

  /// With a word to the peer, which may answer it.
  void end(websocket::close_code code, std::string_view why) {
    if (is_open_) part(code, why);
  }

  void part(websocket::close_code code, std::string_view why) {
    if (is_closing_) return;
    is_closing_ = true;
    written_by_ = steady_clock::now() + hub_.options_.stall;
    const websocket::close_reason reason(code, beast::string_view(why.data(), std::min<std::size_t>(why.size(), 100)));
    socket_->async_close(reason, [self = shared_from_this()](const error_code& error) {
      if (!self->is_dropped_ && error == beast::error::timeout) ++self->hub_.stalled_;
      self->drop();
    });
  }

  /// At once and without a word to the peer. The loop reports it to the handler.
  void drop() {
    if (std::exchange(is_dropped_, true)) return;
    is_closing_ = true;
    stream_.close();
    asio::post(hub_.io_, [self = shared_from_this()] { self->leave(); });
  }

  void leave() {
    if (hub_.is_over_) return;
    if (std::exchange(is_open_, false)) {
      --hub_.open_;
      hub_.handler_.on_close(*this);
    }
    socket_.reset();
    hub_.leave(this);
  }

  Impl& hub_;
  const std::uint64_t id_;
  Stream stream_;
  std::optional<Socket> socket_;  // none when it is over
  HttpRequest request_;
  http::request<http::empty_body> handshake_;
  beast::flat_buffer buffer_;
  std::string message_;
  steady_clock::time_point written_by_;
  std::uint32_t messages_ = 0;
  bool is_open_ = false, is_writing_ = false, is_closing_ = false;
  bool is_dropped_ = false;           // the connection is closed
  bool is_of_other_version_ = false;  // the handler never hears of it
};

void SocketHub::Impl::leave(const Way* way) {
  std::erase_if(ways_, [way](const auto& each) { return each.get() == way; });
}

/// At instants that do not drift; those that were missed are left out.
void SocketHub::Impl::beat() {
  due_ = std::max(due_ + options_.beat, steady_clock::now());
  timer_.expires_at(due_);
  timer_.async_wait([this](const error_code&) {
    if (is_over_) return;
    const steady_clock::time_point now = steady_clock::now();
    for (const auto& way : ways_) way->look(now);
    handler_.on_beat();
    beat();
  });
}

SocketHub::SocketHub(asio::io_context& io, WebSocketOptions options, WebSocketHandler& handler)
    : impl_(std::make_unique<Impl>(io, std::move(options), handler)) {}

SocketHub::~SocketHub() = default;

unsigned SocketHub::refusal(const Handshake& handshake, std::string& why) const {
  if (!has_word(handshake.upgrade, "websocket") || !has_word(handshake.connection, "upgrade") ||
      handshake.key.empty()) {
    why = "a WebSocket is asked for here: Upgrade, Connection, Sec-WebSocket-Key";
    return 426;
  }
  if (handshake.version != "13") {
    why = "Sec-WebSocket-Version is 13";
    return 426;
  }
  const WebSocketOptions& options = impl_->options_;
  if (!options.protocol.empty() && !has_word(handshake.protocols, options.protocol) &&
      other_version_in(handshake.protocols, options.protocol).empty()) {
    why = one_protocol(options.protocol);
    return 400;
  }
  if (impl_->ways_.size() >= options.connections) {
    why = "all " + std::to_string(options.connections) + " places are taken";
    return 503;
  }
  return 0;
}

void SocketHub::count_refusal() noexcept {
  ++impl_->refused_;
}

void SocketHub::take(int socket, bool is_v6, const Handshake& handshake, const HttpRequest& request) {
  Stream::socket_type owned(impl_->io_);
  error_code error;
  owned.assign(is_v6 ? tcp::v6() : tcp::v4(), socket, error);
  if (error) {
    ::close(socket);
    return count_refusal();
  }
  owned.set_option(tcp::no_delay(true), error);
  const auto way = std::make_shared<Impl::Way>(*impl_, std::move(owned));
  impl_->ways_.push_back(way);
  way->open(handshake, request);
}

const std::string& SocketHub::path() const noexcept {
  return impl_->options_.path;
}

void SocketHub::start() {
  impl_->due_ = steady_clock::now();
  impl_->beat();
}

void SocketHub::stop() {
  impl_->is_over_ = true;
  impl_->timer_.cancel();
  for (const auto& way : impl_->ways_) way->forget();
  impl_->ways_.clear();
  impl_->open_ = 0;
}

WebSocketCounts SocketHub::counts() const noexcept {
  return {.opened = impl_->opened_,
          .refused = impl_->refused_,
          .broken = impl_->broken_,
          .stalled = impl_->stalled_,
          .open = impl_->open_};
}

}  // namespace dojima::web
