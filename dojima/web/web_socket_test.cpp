// WebSockets over real sockets of this machine, with a client that is written by hand.

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "dojima/web/http_client.hpp"
#include "dojima/web/http_server.hpp"
#include "dojima/web/raw_client_test_support.hpp"

namespace dojima::web {
namespace {

using namespace std::chrono_literals;

/// Says its beats to everybody who is ready, and what it hears back to who said it.
class Watchers final : public WebSocketHandler, public HttpHandler {
 public:
  void on_request(const HttpRequest&, HttpReply reply) override { reply.send({.body = "page"}); }
  void on_open(WebSocket& socket, const HttpRequest& request) override {
    EXPECT_EQ(request.query, "a=b");
    open_.push_back({&socket, {}});
  }
  void on_message(WebSocket& socket, std::string_view message) override {
    if (message == "close") return socket.close("you asked for it");
    for (Open& each : open_)
      if (each.socket == &socket) each.heard += message;
  }
  void on_close(WebSocket& socket) override {
    std::erase_if(open_, [&](const Open& each) { return each.socket == &socket; });
    ++closed;
  }
  void on_beat() override {
    ++beats;
    if (closes_all) {
      for (const Open& each : open_) each.socket->close("enough");
      return;
    }
    for (Open& each : open_) {
      if (!each.socket->is_ready()) continue;
      each.socket->send(std::to_string(beats) + " " + each.heard + std::string(pad, '.'));
      ++sent;
    }
  }

  /// Of a server that has ended, which reports no ends of connections.
  void forget() { open_.clear(); }

  std::atomic<std::uint64_t> beats{0}, sent{0}, closed{0};
  std::atomic<std::size_t> pad{0};
  std::atomic<bool> closes_all{false};

 private:
  struct Open {
    WebSocket* socket;
    std::string heard;
  };
  std::vector<Open> open_;
};

class Sockets : public ::testing::Test {
 protected:
  void start(WebSocketOptions options) {
    options.protocol = "test.v1";
    options.beat = 2ms;
    server_.emplace(HttpOptions{.is_for_browsers = true}, watchers_, std::move(options), watchers_);
    const auto where = server_->start();
    ASSERT_TRUE(where.has_value());
    port_ = where->port;
  }
  [[nodiscard]] std::unique_ptr<RawSocket> open(bool reads_little = false) const {
    return std::make_unique<RawSocket>(port_, "/live?a=b", "test.v1", reads_little);
  }
  template <class Is>
  [[nodiscard]] bool becomes(Is is) const {
    for (int wait = 0; wait < 5000 && !is(); ++wait) std::this_thread::sleep_for(1ms);
    return is();
  }

  Watchers watchers_;
  std::optional<HttpServer> server_;
  std::uint16_t port_ = 0;
};

TEST_F(Sockets, shake_hands_speak_and_part) {
  start({});
  auto socket = open();
  EXPECT_TRUE(socket->is_open()) << socket->answer();
  EXPECT_NE(socket->answer().find(RawSocket::k_accept), std::string::npos) << socket->answer();
  EXPECT_NE(socket->answer().find("test.v1"), std::string::npos) << socket->answer();
  socket->say_text("hello");
  std::optional<std::string> said;
  do said = socket->hear();
  while (said && !said->ends_with("hello"));
  EXPECT_TRUE(said.has_value());
  socket->say_text("close");
  while (socket->hear()) {
  }
  EXPECT_EQ(socket->close_code, 1008U);
  socket.reset();
  EXPECT_TRUE(becomes([&] { return server_->web_socket_counts().open == 0 && watchers_.closed == 1; }));
  EXPECT_EQ(server_->web_socket_counts().opened, 1U);
}

TEST_F(Sockets, are_refused_with_words_where_no_handshake_can_be) {
  start({.connections = 1});
  const auto said = [&](const std::string& fields) {
    const RawClient client(port_);
    client.say("GET /live?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\n" + fields + "\r\n");
    return client.hear();
  };
  const std::string upgrade =
      "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: " + std::string(RawSocket::k_key) +
      "\r\n";
  EXPECT_TRUE(said("").starts_with("HTTP/1.1 426 "));
  EXPECT_TRUE(said(upgrade + "Sec-WebSocket-Version: 8\r\n").starts_with("HTTP/1.1 426 "));
  EXPECT_TRUE(said(upgrade + "Sec-WebSocket-Version: 13\r\n").starts_with("HTTP/1.1 400 ")) << "no protocol";
  for (const char* other : {"other.v1", "test.v", "test.v2x", "test.v23456"})
    EXPECT_TRUE(said(upgrade + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: " + other + "\r\n")
                    .ends_with("only test.v1 is spoken here: load the page again\n<end>"))
        << other;
  EXPECT_TRUE(said(upgrade + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: test.v1\r\nOrigin: http://evil\r\n")
                  .starts_with("HTTP/1.1 403 "));
  const auto first = open();
  ASSERT_TRUE(first->is_open());
  EXPECT_TRUE(open()->answer().starts_with("HTTP/1.1 503 "));
  EXPECT_EQ(server_->web_socket_counts().refused, 8U) << "the origin is refused before";
  const auto page = call({.port = port_, .target = "/"});
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->body, "page");
}

// A browser tells its page nothing of a refused handshake: it would try again for ever.
TEST_F(Sockets, of_a_page_of_another_version_are_closed_with_a_reason) {
  start({});
  for (const char* version : {"test.v0", "other.v1, test.v2", "test.v12"}) {
    RawSocket socket(port_, "/live?a=b", version);
    EXPECT_TRUE(socket.is_open()) << socket.answer();
    EXPECT_FALSE(socket.hear().has_value()) << "nothing is sent to it";
    EXPECT_EQ(socket.close_code, 1002U);
    EXPECT_EQ(socket.close_reason, "only test.v1 is spoken here: load the page again");
  }
  EXPECT_TRUE(RawSocket(port_, "/live?a=b", "test.v2").answer().contains("Sec-WebSocket-Protocol: test.v2\r\n"));
  EXPECT_NE(RawSocket(port_, "/live?a=b", "test.v2, test.v1").hear(), std::nullopt) << "the right one is offered too";
  EXPECT_EQ(server_->web_socket_counts().refused, 4U);
  EXPECT_EQ(server_->web_socket_counts().opened, 1U);
  EXPECT_TRUE(becomes([&] { return watchers_.closed == 1; })) << "the handler has heard of one only";
}

TEST_F(Sockets, one_that_never_reads_costs_one_message_and_holds_nobody_up) {
  start({.stall = 100ms});
  watchers_.pad = 1 << 20;
  const auto silent = open(true);
  ASSERT_TRUE(silent->is_open());
  const auto reader = open();
  for (int count = 0; count < 20; ++count) EXPECT_TRUE(reader->hear().has_value());
  EXPECT_TRUE(becomes([&] { return server_->web_socket_counts().stalled == 1; }));
  EXPECT_TRUE(reader->hear().has_value()) << "the other one goes on";
  EXPECT_TRUE(becomes([&] { return watchers_.closed == 1; }));
}

TEST_F(Sockets, end_for_what_is_too_large_too_much_or_no_frame) {
  start({.message_bytes = 100, .messages_a_beat = 5});
  const auto after = [&](const std::string& bytes) {
    const auto socket = open();
    socket->say_raw(bytes);
    while (socket->hear()) {
    }
    return socket->close_code;
  };
  EXPECT_EQ(after(client_frame(0x81, std::string(101, 'x'))), 1009U);
  EXPECT_EQ(after(client_frame(0x01, std::string(60, 'x')) + client_frame(0x80, std::string(60, 'x'))), 1009U)
      << "in parts";
  EXPECT_EQ(after("\x81\x05hello"), 1002U) << "not masked";
  EXPECT_EQ(after(client_frame(0xc1, "x")), 1002U) << "a reserved bit";
  EXPECT_EQ(after(client_frame(0x83, "x")), 1002U) << "a reserved opcode";
  EXPECT_EQ(after(client_frame(0x81, "\xff\xfe")), 1007U) << "no UTF-8";
  EXPECT_EQ(after(client_frame(0x80, "x")), 1002U) << "goes on with nothing";
  std::string many;
  for (int count = 0; count < 2000; ++count) many += client_frame(0x81, "x");
  EXPECT_EQ(after(many), 1008U);
  EXPECT_TRUE(becomes([&] { return server_->web_socket_counts().open == 0; }));
  EXPECT_EQ(server_->web_socket_counts().broken, 8U);
}

/// More than the system takes of a message before somebody reads it.
constexpr std::size_t k_much = std::size_t{1} << 23U;

TEST_F(Sockets, end_also_where_garbage_follows_what_they_are_closed_for) {
  // One a beat and many more than that, so that no beat between two of them lets all of them pass.
  start({.messages_a_beat = 1});
  const std::string garbage = client_frame(0x83, "x");
  std::string many;
  for (int count = 0; count < 500; ++count) many += client_frame(0x81, "x");
  for (const std::string& bytes : {client_frame(0x81, "close"), many}) {
    const auto socket = open();
    socket->say_raw(bytes + garbage);
    while (socket->hear()) {
    }
    EXPECT_EQ(socket->close_code, 1008U);
  }
  // Beside a message that is not taken yet, behind which the closing waits.
  const std::uint64_t sent = watchers_.sent;
  watchers_.pad = k_much;
  const auto slow = open();
  ASSERT_TRUE(becomes([&] { return watchers_.sent > sent; }));
  slow->say_raw(client_frame(0x81, "close") + garbage);
  while (slow->hear()) {
  }
  EXPECT_TRUE(becomes([&] { return watchers_.closed == 3 && server_->web_socket_counts().open == 0; }));
  EXPECT_EQ(server_->web_socket_counts().stalled, 0U);
}

/// A closing that waits for a read, which waits for it: one that came upon a broken frame while a message was on its
/// way, behind which the closing had to wait.
class EntangledSockets : public Sockets {
 protected:
  void entangle(std::chrono::milliseconds stall) {
    start({.stall = stall});
    watchers_.pad = k_much;
    socket_ = open();
    ASSERT_TRUE(becomes([&] { return watchers_.sent == 1; }));
    watchers_.closes_all = true;
    let_beats_pass();
    socket_->say_raw(client_frame(0x83, "x"));
    let_beats_pass();
    EXPECT_TRUE(socket_->hear().has_value()) << "the message";
  }
  void let_beats_pass() const {
    const std::uint64_t then = watchers_.beats;
    EXPECT_TRUE(becomes([&] { return watchers_.beats > then + 3; }));
  }

  std::unique_ptr<RawSocket> socket_;
};

TEST_F(EntangledSockets, go_after_the_stall) {
  entangle(150ms);
  while (socket_->hear()) {
  }
  EXPECT_TRUE(becomes([&] { return watchers_.closed == 1 && server_->web_socket_counts().open == 0; }));
  EXPECT_EQ(server_->web_socket_counts().stalled, 1U) << "counted once, not at every beat";
}

TEST_F(EntangledSockets, do_not_hold_up_the_servers_end) {
  entangle(60s);
  let_beats_pass();
  server_.reset();
  while (socket_->hear()) {
  }
  EXPECT_EQ(watchers_.closed, 0U) << "the handler is not called any more";
}

TEST_F(Sockets, may_come_and_go_and_the_server_ends_first) {
  start({.connections = 4});
  for (int round = 0; round < 40; ++round) {
    const auto socket = open();
    // The place of the one before may not be free yet.
    EXPECT_TRUE(socket->is_open() || socket->answer().starts_with("HTTP/1.1 503 ")) << socket->answer();
  }
  std::unique_ptr<RawSocket> last;
  EXPECT_TRUE(becomes([&] {
    last = open();
    return last->is_open();
  }));
  server_.reset();
  while (last->hear()) {
  }
}

/// A client that has come so far when the server ends. All of them are served by patient servers: nothing ends by
/// itself.
class Half {
 public:
  static constexpr int k_stages = 16;

  Half(std::uint16_t port, int stage) {
    const std::string request = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", close = client_frame(0x81, "close"),
                      garbage = client_frame(0x83, "x");
    if (stage < 9) {
      client_ = std::make_unique<RawClient>(port, stage == 5);
      const std::string said[] = {"",
                                  request.substr(0, 7),
                                  request,
                                  request + "Content-Length: 100\r\n\r\nhalf",
                                  request + "\r\n",
                                  request + "X: y\r\n\r\n" + request + "\r\n" + request,
                                  "nonsense\r\n\r\n",
                                  "GET /live?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n",
                                  "GET /live?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: "
                                  "Upgrade\r\nSec-WebSocket-Key: " +
                                      std::string(RawSocket::k_key) +
                                      "\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: test.v1\r\n\r\n"};
      client_->say(said[stage]);
      return;
    }
    socket_ = std::make_unique<RawSocket>(port, "/live?a=b", "test.v1", stage >= 13);
    const std::string said[] = {
        "", client_frame(0x01, "first part"), close, close + garbage, close, close + garbage, garbage};
    socket_->say_raw(said[stage - 9]);
  }
  void will_break_off() const {
    if (client_ != nullptr) client_->will_break_off();
    if (socket_ != nullptr) socket_->will_break_off();
  }

 private:
  std::unique_ptr<RawClient> client_;
  std::unique_ptr<RawSocket> socket_;
};

// With a sanitizer this also shows that nothing is left behind, which would be a leak.
TEST_F(Sockets, leave_nothing_behind_wherever_they_are_when_the_server_ends) {
  for (int round = 0; round < 2 * Half::k_stages; ++round) {
    start({.stall = 60s});
    watchers_.pad = round % 2 == 0 ? 0 : k_much;
    std::vector<std::unique_ptr<Half>> halves;
    for (int at = 0; at < 6; ++at) {
      halves.push_back(std::make_unique<Half>(port_, (round + at * 5) % Half::k_stages));
      if (at % 3 == 2) {
        halves.back()->will_break_off();
        halves.pop_back();
      }
    }
    const std::uint64_t beats = watchers_.beats + static_cast<std::uint64_t>(round % 3);
    EXPECT_TRUE(becomes([&] { return watchers_.beats >= beats; }));
    server_.reset();
    const std::uint64_t after = watchers_.beats;
    halves.clear();
    EXPECT_EQ(watchers_.beats, after) << "its handler is not called any more";
    watchers_.forget();
  }
}

TEST_F(Sockets, need_a_path_a_place_and_a_beat) {
  EXPECT_THROW(HttpServer({}, watchers_, {.path = "live"}, watchers_), std::invalid_argument);
  EXPECT_THROW(HttpServer({}, watchers_, {.connections = 0}, watchers_), std::invalid_argument);
  EXPECT_THROW(HttpServer({}, watchers_, {.beat = 0ms}, watchers_), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::web
