// The dashboard over real sockets: its pages, its frames, its words, and clients that behave badly.

#include "dojima/web/dashboard/dashboard.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <malloc.h>
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
  // Without JavaScript, and in a browser that does not start the modules, it says so: no code is within the page.
  EXPECT_TRUE(first->body.contains("<noscript>"));
  EXPECT_TRUE(first->body.contains("<script src=\"/old.js\" defer></script>"));
  EXPECT_FALSE(first->body.contains("<script>"));
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

TEST_F(Dashboards, want_of_each_instrument_what_is_shown_of_it) {
  start();
  const auto wait_for = [&](Detail first, Detail second) {
    for (int wait = 0; wait < 5000 && (channel_.wanted(0) != first || channel_.wanted(1) != second); ++wait)
      std::this_thread::sleep_for(1ms);
    EXPECT_EQ(channel_.wanted(0), first);
    EXPECT_EQ(channel_.wanted(1), second);
  };
  wait_for(Detail::levels, Detail::levels);  // both have a history
  auto socket = open();
  socket->say_text("watch 9");
  wait_for(Detail::levels, Detail::ladder);
  const auto other = open();
  wait_for(Detail::ladder, Detail::ladder);  // it shows the first instrument
  socket->say_text("show " + std::to_string(1U << static_cast<unsigned>(Section::market)));
  wait_for(Detail::ladder, Detail::levels);
  socket->say_text("show " + std::to_string(1U << static_cast<unsigned>(Section::ladder)));
  wait_for(Detail::ladder, Detail::ladder);
  socket->say_text("own 0");  // whose orders its ladder marks
  wait_for(Detail::ladder, Detail::orders);
  socket->say_text("own off");
  wait_for(Detail::ladder, Detail::ladder);
  other->say_text("queue B 100");
  wait_for(Detail::orders, Detail::ladder);
  other->say_text("queue off");
  socket->say_text("queue B 100");  // which it does not show
  wait_for(Detail::ladder, Detail::ladder);
  socket.reset();
  wait_for(Detail::ladder, Detail::levels);
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

class DashboardsLong : public Dashboards {
 protected:
  static constexpr std::size_t k_flat_bytes = 64 << 10;  // less than what sixteen frames take

  /// Trades of a market whose books stay as they are.
  void publish_trades(int count) {
    for (; count > 0; --count) {
      now_ += 1'000'000;
      channel_.publish(FactKind::trade, time::from_nanoseconds(now_),
                       TradeFact{.price = 100, .quantity = 5, .instrument = 7, .side = market::Side::buy});
    }
  }
  [[nodiscard]] bool is_alone() const {
    for (int wait = 0; wait < 5000 && dashboard_->counts().open != 0; ++wait) std::this_thread::sleep_for(1ms);
    // Behind what its thread still had to do for those who are gone.
    return dashboard_->counts().open == 0 && call({.port = port_, .target = "/no/page"}).has_value();
  }
  /// Thirteen pages that read, one that never does, one that sends garbage, and in the last place who comes and breaks
  /// off.
  void storm() {
    std::vector<std::unique_ptr<RawSocket>> pages;
    for (int count = 0; count < 13; ++count) pages.push_back(open());
    const auto silent = open(true);
    const auto babbler = open();
    babbler->say_raw("\x01\x02\x03 nonsense");
    for (std::size_t at = 0; at < pages.size(); ++at) pages[at]->say_text(at % 2 == 0 ? "watch 9" : "queue B 100");
    for (int count = 0; count < 40; ++count) {
      publish_trades(20);
      RawSocket(port_, "/live", std::string(k_frame_protocol)).will_break_off();
      EXPECT_TRUE(call({.port = port_, .target = "/style.css"}).has_value());
    }
    for (const auto& page : pages) {
      Screen screen;
      while (screen.state().trades < trades_) ASSERT_TRUE(hear(*page, screen)) << "undisturbed";
      trades_ = screen.state().trades;
    }
  }

  std::int64_t now_ = 60'000'000'000;
  std::uint64_t trades_ = 1;  // that a page has seen
};

/// Bytes that the program holds now, by the count of its allocator; 0 where that does not tell, as under a sanitizer.
std::size_t bytes_held() {
  const struct mallinfo2 now = ::mallinfo2();
  return now.uordblks + now.hblkhd;
}

// Whatever clients do, nothing of them stays behind.
TEST_F(DashboardsLong, sixteen_clients_of_all_manners_and_storms_of_them_leave_memory_as_it_was) {
  start({.clients = 16});
  publish(500);
  std::size_t before = 0, most = 0;
  for (int round = 0; round < 24; ++round) {
    ASSERT_NO_FATAL_FAILURE(storm());
    ASSERT_TRUE(is_alone());
    // What is kept of the market itself, and what is kept for those who come next, is there by then.
    if (round == 3) before = bytes_held();
    if (round > 3) most = std::max(most, bytes_held());
  }
  EXPECT_LE(most, before + k_flat_bytes);
  EXPECT_EQ(channel_.lost(), 0U);
}

TEST(DashboardUrl, has_the_token_where_no_browser_sends_it) {
  EXPECT_EQ(dashboard_url({"127.0.0.1", 80}, ""), "http://127.0.0.1:80/");
  EXPECT_EQ(dashboard_url({"::1", 80}, "abc"), "http://[::1]:80/#token=abc");
}

}  // namespace
}  // namespace dojima::web
