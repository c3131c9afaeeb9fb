// The dashboard over real sockets: its pages, its frames, its words, and clients that behave badly.

#include "dojima/web/dashboard/dashboard.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dojima/web/dashboard/assets.hpp"
#include "dojima/web/dashboard/dashboard_test_support.hpp"
#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/dashboard/screen.hpp"
#include "dojima/web/http_client.hpp"
#include "dojima/web/raw_client_test_support.hpp"

namespace dojima::web {
namespace {

using namespace std::chrono_literals;

class Dashboards : public ::testing::Test {
 protected:
  void start(DashboardOptions options = {}) {
    options.picture = picture_config();
    dashboard_.emplace(std::move(options), std::vector<FactChannel*>{&channel_});
    const auto where = dashboard_->start();
    ASSERT_TRUE(where.has_value());
    port_ = where->port;
    publish(0);
  }
  /// A snapshot, and so many facts.
  void publish(int facts) {
    while (!is_live_ && !channel_.wants_snapshot()) std::this_thread::yield();
    if (!is_live_) {
      channel_.begin_snapshot().instruments = {{.instrument = 7}, {.instrument = 9}};
      channel_.commit_snapshot(market_.time());
      is_live_ = true;
    }
    for (int count = 0; count < facts; ++count) {
      const Fact fact = market_.next();
      const time::Time at = time::from_nanoseconds(fact.time);
      if (fact.kind == FactKind::report)
        channel_.publish(fact.kind, at, fact.as<market::BookReport>(), fact.owner);
      else
        channel_.publish(fact.kind, at, fact.payload, fact.owner);
    }
  }
  [[nodiscard]] std::unique_ptr<RawSocket> open(bool reads_little = false) const {
    auto socket = std::make_unique<RawSocket>(port_, "/live", std::string(k_frame_protocol), reads_little);
    EXPECT_TRUE(socket->is_open()) << socket->answer();
    return socket;
  }
  [[nodiscard]] static bool hear(RawSocket& socket, Screen& screen) {
    const auto frame = socket.hear();
    if (!frame) return false;
    const auto taken = screen.apply(bytes_of(*frame));
    EXPECT_TRUE(taken.has_value()) << taken.error();
    return taken.has_value();
  }

  FactChannel channel_{{.orders = 1000}};
  RandomMarket market_{11};
  bool is_live_ = false;
  std::optional<Dashboard> dashboard_;
  std::uint16_t port_ = 0;
};

TEST_F(Dashboards, carry_their_pages_with_them) {
  start();
  std::size_t size = 0;
  for (const Asset& asset : dashboard_assets()) {
    size += asset.bytes.size();
    const auto answer = call({.port = port_, .target = std::string(asset.path)});
    ASSERT_TRUE(answer.has_value()) << asset.path;
    EXPECT_EQ(answer->status, 200U) << asset.path;
    EXPECT_EQ(answer->content_type, asset.type);
    EXPECT_EQ(answer->body, asset.bytes);
    for (const std::string_view foreign : {"https://", "//cdn", "eval("})
      EXPECT_TRUE(asset.path.starts_with("/vendor/") || !asset.bytes.contains(foreign))
          << asset.path << ": " << foreign;
  }
  EXPECT_LE(size, 200'000U);
  const auto first = call({.port = port_, .target = "/"});
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE(first->body.starts_with("<!doctype html>"));
  EXPECT_EQ(call({.port = port_, .target = "/no/page"})->body, "there is no page /no/page\n");
  EXPECT_EQ(call({.port = port_, .method = Method::post, .target = "/"})->status, 404U);
}

TEST_F(Dashboards, a_client_that_joins_late_comes_to_the_same_screen) {
  start();
  Screen early, late;
  const auto first = open();
  publish(200);
  while (early.state().trades < 10) ASSERT_TRUE(hear(*first, early));
  const auto second = open();
  publish(100);
  second->say_text("watch 9");
  second->say_text("watch 7");
  for (const auto& [socket, screen] : {std::pair(first.get(), &early), std::pair(second.get(), &late)}) {
    socket->say_text("queue B 100");
    while (screen->state().queue.instrument != 7 || screen->state().history.instrument != 7)
      ASSERT_TRUE(hear(*socket, *screen));
  }
  while (early.state().trades != late.state().trades) ASSERT_TRUE(hear(*second, late));
  EXPECT_EQ(early.state().market, late.state().market);
  EXPECT_EQ(early.state().ladder, late.state().ladder);
  EXPECT_EQ(early.state().tape, late.state().tape);
}

TEST_F(Dashboards, close_whoever_says_what_means_nothing) {
  start();
  for (const char* words : {"hello", "watch 8", "pace x pause"}) {
    const auto socket = open();
    socket->say_text(words);
    while (socket->hear()) {
    }
    EXPECT_EQ(socket->close_code, 1008U) << words;
  }
}

TEST_F(Dashboards, time_is_moved_with_the_token_only) {
  std::vector<std::string> heard;
  std::atomic<int> count = 0;
  start({.on_pace = [&](std::string_view words) {
    heard.emplace_back(words);
    ++count;
    return words != "sideways";
  }});
  ASSERT_EQ(dashboard_->token().size(), 32U);
  const auto ended_after = [&](const std::string& words) {
    const auto socket = open();
    socket->say_text(words);
    while (socket->hear()) {
    }
    return socket->close_code;
  };
  EXPECT_EQ(ended_after("pace " + std::string(32, '0') + " pause"), 1008U);
  EXPECT_EQ(ended_after("pace"), 1008U);
  EXPECT_EQ(ended_after("pace " + dashboard_->token() + " sideways"), 1008U);
  const auto socket = open();
  socket->say_text("pace " + dashboard_->token() + " speed 2");
  for (int wait = 0; wait < 5000 && count != 2; ++wait) std::this_thread::sleep_for(1ms);
  dashboard_->stop();
  EXPECT_EQ(heard, (std::vector<std::string>{"sideways", "speed 2"}));
}

TEST_F(Dashboards, one_that_never_reads_and_one_that_babbles_disturb_nobody) {
  start({.clients = 16});
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int count = 0; count < 14; ++count) silent.push_back(open(true));
  const auto babbler = open();
  babbler->say_raw("\x01\x02\x03 nonsense");
  Screen screen;
  const auto reader = open();
  while (screen.state().trades < 20) {
    publish(30);
    ASSERT_TRUE(hear(*reader, screen));
  }
  EXPECT_TRUE(RawSocket(port_, "/live", std::string(k_frame_protocol)).answer().starts_with("HTTP/1.1 ")) << "answered";
}

TEST(DashboardUrl, has_the_token_where_no_browser_sends_it) {
  EXPECT_EQ(dashboard_url({"127.0.0.1", 80}, ""), "http://127.0.0.1:80/");
  EXPECT_EQ(dashboard_url({"::1", 80}, "abc"), "http://[::1]:80/#token=abc");
}

}  // namespace
}  // namespace dojima::web
