// The HTTP server over real sockets of this machine, with our client and with bytes that a client would not send.

#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dojima/web/http_client.hpp"
#include "dojima/web/http_server.hpp"
#include "dojima/web/raw_client_test_support.hpp"

namespace dojima::web {
namespace {

using namespace std::chrono_literals;

/// Says what it was asked, but for a few paths.
class Pages final : public HttpHandler {
 public:
  void on_request(const HttpRequest& request, HttpReply reply) override {
    if (request.path == "/nothing") return;
    if (request.path == "/later") {
      const std::scoped_lock lock(mutex_);
      waiting_.push_back(std::move(reply));
      return;
    }
    if (request.path == "/large") return reply.send({.body = std::string(std::size_t{8} << 20U, 'x')});
    reply.send({.status = request.path == "/teapot" ? 418U : 200U,
                .content_type = "text/plain",
                .body = (request.method == Method::post ? "POST " : "GET ") + request.path + "?" + request.query +
                        " token " + request.token + " body " + request.body});
  }
  [[nodiscard]] std::optional<HttpReply> take() {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    HttpReply reply = std::move(waiting_.back());
    waiting_.pop_back();
    return reply;
  }
  [[nodiscard]] HttpReply wait_for_one() {
    for (;;) {
      if (auto reply = take()) return std::move(*reply);
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  std::mutex mutex_;
  std::vector<HttpReply> waiting_;
};

class Http : public ::testing::Test {
 protected:
  void start(HttpOptions options = {}) {
    server_.emplace(std::move(options), pages_);
    const auto where = server_->start();
    ASSERT_TRUE(where.has_value());
    port_ = where->port;
  }
  [[nodiscard]] HttpResponse get(const std::string& target) const {
    const auto answer = call({.port = port_, .target = target});
    EXPECT_TRUE(answer.has_value()) << answer.error();
    return answer.value_or(HttpResponse{});
  }

  Pages pages_;
  std::optional<HttpServer> server_;
  std::uint16_t port_ = 0;
};

TEST_F(Http, answers_what_is_asked) {
  start();
  EXPECT_EQ(get("/a?b=c&d"), (HttpResponse{200, "text/plain", "GET /a?b=c&d token  body "}));
  EXPECT_EQ(get("/teapot").status, 418);
  const auto posted = call({.port = port_, .method = Method::post, .target = "/x", .token = "t0k3n", .body = "a b\nc"});
  ASSERT_TRUE(posted.has_value());
  EXPECT_EQ(posted->body, "POST /x? token t0k3n body a b\nc");
  EXPECT_EQ(get("/large").body.size(), std::size_t{8} << 20U);
  EXPECT_EQ(server_->counts().requests, 4U);
  EXPECT_EQ(server_->counts().refused, 0U);
}

TEST_F(Http, keeps_a_connection_for_further_requests_and_answers_them_in_order) {
  start();
  const RawClient client(port_);
  client.say("GET /1 HTTP/1.1\r\nHost: x\r\n\r\nHEAD /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\nConnection: close\r\n\r\n");
  const std::string text = client.hear();
  EXPECT_TRUE(text.ends_with("GET /3? token  body <end>")) << text;
  EXPECT_NE(text.find("GET /1? token  body HTTP/1.1 200 OK"), std::string::npos) << text;
  EXPECT_EQ(text.find("/2"), std::string::npos) << "a HEAD has no body: " << text;
  EXPECT_NE(text.find("Content-Length: 20"), std::string::npos) << text;
  EXPECT_NE(text.find("Cache-Control: no-store"), std::string::npos) << text;
}

TEST_F(Http, refuses_what_it_cannot_take) {
  start({.header_bytes = 500, .body_bytes = 10});
  const auto said = [&](const std::string& text) {
    const RawClient client(port_);
    client.say(text);
    const std::string answer = client.hear();
    return answer.substr(0, answer.find("\r\n")) + (answer.ends_with("<end>") ? "" : " and stays");
  };
  EXPECT_EQ(said("PUT / HTTP/1.1\r\n\r\n"), "HTTP/1.1 405 Method Not Allowed");
  EXPECT_EQ(said("GET http://x/ HTTP/1.1\r\n\r\n"), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(said("8=FIX.4.4\x01"
                 "9=5\x01\r\n\r\n"),
            "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(said("GET / HTTP/1.1\r\nX: " + std::string(600, 'x') + "\r\n\r\n"),
            "HTTP/1.1 431 Request Header Fields Too Large");
  EXPECT_EQ(said("POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n12345678901"), "HTTP/1.1 413 Payload Too Large");
  EXPECT_EQ(server_->counts().refused, 5U);
  EXPECT_EQ(get("/still").status, 200);
}

TEST_F(Http, answers_from_any_thread_and_says_500_for_a_handler_that_does_not) {
  start();
  EXPECT_EQ(get("/nothing").status, 500);
  std::jthread other([&] { pages_.wait_for_one().send({.body = "from another thread"}); });
  EXPECT_EQ(get("/later").body, "from another thread");
}

TEST_F(Http, an_answer_may_outlive_its_connection_and_its_server) {
  start();
  std::optional<HttpReply> reply;
  {
    const RawClient client(port_);
    client.say("GET /later HTTP/1.1\r\n\r\n");
    reply.emplace(pages_.wait_for_one());
  }
  reply->send({.body = "nobody hears it"});
  EXPECT_EQ(get("/still").status, 200);
  const RawClient client(port_);
  client.say("GET /later HTTP/1.1\r\n\r\n");
  reply.emplace(pages_.wait_for_one());
  server_.reset();
  EXPECT_EQ(client.hear(), "<end>");
  reply->send({.body = "nobody hears it"});
}

TEST_F(Http, a_request_that_does_not_come_in_time_ends_the_connection) {
  start({.patience = 50ms});
  const RawClient silent(port_);
  EXPECT_EQ(silent.hear(), "<end>");
  EXPECT_EQ(server_->counts().refused, 0U) << "who says nothing is not counted";
  const RawClient slow(port_);
  slow.say("GET / HT");
  EXPECT_EQ(slow.hear(), "<end>");
  // The peer sees the end of its connection before the server's thread has counted it.
  for (int wait = 0; wait < 1000 && server_->counts().refused == 0; ++wait) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(server_->counts().refused, 1U);
}

TEST_F(Http, the_connection_that_was_silent_for_longest_makes_room) {
  start({.connections = 2});
  const std::string request = "GET /1 HTTP/1.1\r\n\r\n", end = "GET /1? token  body ";
  const RawClient first(port_), second(port_);
  second.say(request);
  EXPECT_TRUE(second.hear(end).ends_with(end));
  first.say(request);
  EXPECT_TRUE(first.hear(end).ends_with(end));
  const RawClient third(port_);
  third.say(request);
  EXPECT_TRUE(third.hear(end).ends_with(end));
  EXPECT_EQ(second.hear(), "<end>") << "it spoke before the first one";
  first.say(request);
  EXPECT_TRUE(first.hear(end).ends_with(end));
  EXPECT_EQ(server_->counts().evicted, 1U);
}

TEST_F(Http, says_why_it_cannot_listen) {
  start();
  HttpServer other({.port = port_}, pages_);
  const auto where = other.start();
  ASSERT_FALSE(where.has_value());
  EXPECT_EQ(where.error().code, ErrorCode::unavailable);
  EXPECT_EQ(where.error().got, EADDRINUSE);
  HttpServer nowhere({.host = "no.such.host"}, pages_);
  EXPECT_FALSE(nowhere.start().has_value());
}

TEST_F(Http, the_client_says_why_there_is_no_answer) {
  start();
  const auto late = call({.port = port_, .target = "/later", .patience = 50ms});
  ASSERT_FALSE(late.has_value());
  EXPECT_NE(late.error().find("gave no answer in 50 ms"), std::string::npos) << late.error();
  const std::uint16_t port = port_;
  server_.reset();
  const auto nobody = call({.port = port});
  ASSERT_FALSE(nobody.has_value());
  EXPECT_NE(nobody.error().find("Connection refused"), std::string::npos) << nobody.error();
  EXPECT_FALSE(call({.host = "no.such.host"}).has_value());
}

TEST_F(Http, pages_are_read_by_nobody_but_themselves) {
  start({.is_for_browsers = true});
  const auto said = [&](const std::string& fields) {
    const RawClient client(port_);
    client.say("GET / HTTP/1.1\r\nConnection: close\r\n" + fields + "\r\n");
    return client.hear();
  };
  EXPECT_TRUE(said("Host: 127.0.0.1\r\n").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(said("Host: localhost:80\r\nOrigin: http://localhost:80\r\n").starts_with("HTTP/1.1 200 "));
  EXPECT_TRUE(said("").starts_with("HTTP/1.1 403 ")) << "no Host";
  EXPECT_TRUE(said("Host: evil.example\r\n").starts_with("HTTP/1.1 403 ")) << "its name was resolved to this machine";
  EXPECT_TRUE(said("Host: 127.0.0.1\r\nOrigin: http://evil.example\r\n").starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(said("Host: 127.0.0.1\r\nOrigin: null\r\n").starts_with("HTTP/1.1 403 ")) << "a page in a sandbox";
  EXPECT_NE(said("Host: [::1]:80\r\n").find("\r\nContent-Security-Policy: default-src 'none'; "), std::string::npos);
}

TEST(HttpHost, is_ours_by_numeric_address_and_as_localhost) {
  for (const char* own :
       {"127.0.0.1", "127.0.0.1:9100", "localhost", "localhost:0", "[::1]", "[::1]:65535", "10.1.2.3"})
    EXPECT_TRUE(is_own_host(own)) << own;
  for (const char* foreign : {"", "example.com", "127.0.0.1.example.com", "localhost.example.com", "127.0.0.256",
                              "127.0.0", "127.0.0.1:65536", "127.0.0.1:", "127.0.0.1:x", "[::1", "[::1]x", "[x]", "::1",
                              "1.2.3.4.5", "-1.2.3.4", "localhost:1:2"})
    EXPECT_FALSE(is_own_host(foreign)) << foreign;
  EXPECT_TRUE(is_own_origin("", "x"));
  EXPECT_TRUE(is_own_origin("http://127.0.0.1:1", "127.0.0.1:1"));
  EXPECT_TRUE(is_own_origin("https://127.0.0.1:1", "127.0.0.1:1"));
  EXPECT_FALSE(is_own_origin("http://127.0.0.1:2", "127.0.0.1:1"));
  EXPECT_FALSE(is_own_origin("null", "127.0.0.1:1"));
  EXPECT_FALSE(is_own_origin("http://127.0.0.1:1/", "127.0.0.1:1"));
}

TEST(HttpSecret, is_compared_whole) {
  EXPECT_TRUE(is_same_secret("", ""));
  EXPECT_TRUE(is_same_secret("abc", "abc"));
  EXPECT_FALSE(is_same_secret("abc", "abd"));
  EXPECT_FALSE(is_same_secret("abc", "ab"));
  EXPECT_FALSE(is_same_secret("abc", "abcd"));
}

}  // namespace
}  // namespace dojima::web
