// A gateway on the screens: its sessions, latencies and counters over a socket, while a client trades.

#include "dojima/app/dashboard/gateway_watch.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/web/dashboard/frame.hpp"
#include "dojima/web/dashboard/screen.hpp"
#include "dojima/web/raw_client_test_support.hpp"

namespace dojima::app::testing {
namespace {

/// A port that was free a moment ago.
std::uint16_t free_port() {
  Screens screens({.port = 0}, {.picture = {.name = "nobody"}}, {.bytes = 1024, .orders = 1, .instruments = 1});
  return screens.start().value().port;
}

TEST(GatewayWatchTest, shows_sessions_latencies_and_notices_while_a_client_trades) {
  const std::uint16_t port = free_port(), admin = free_port();
  const Market market(Market::venue_config(), [=](GatewayConfig& config, const VenueServer&) {
    config.dashboard.port = port;
    config.admin.port = admin;
  });
  web::RawSocket socket(port, "/live", std::string(web::k_frame_protocol));
  ASSERT_TRUE(socket.is_open()) << socket.answer();
  web::Screen screen;
  const auto hear_until = [&](auto is_enough) {
    for (int frames = 0; frames < 2'000 && !is_enough(screen.state()); ++frames) {
      const auto frame = socket.hear();
      ASSERT_TRUE(frame.has_value());
      const auto taken = screen.apply(std::as_bytes(std::span(*frame)));
      ASSERT_TRUE(taken.has_value()) << taken.error();
    }
    EXPECT_TRUE(is_enough(screen.state()));
  };
  hear_until([](const web::ScreenState& state) {
    return state.sessions.contains(0) && state.sessions.at(0).next_in != 0 && !state.counters.empty();
  });
  EXPECT_FALSE(screen.state().has_books);
  EXPECT_TRUE(screen.state().instruments.empty());
  EXPECT_EQ(screen.state().names.at(3).front(), "KONOIKE");
  const std::vector<std::string>& counters = screen.state().names.at(1);
  const auto place_of = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(counters, name) - counters.begin());
  };
  const std::size_t ring = place_of("dashboard: most bytes in its ring"),
                    waiting = place_of("messages that wait for clients");
  ASSERT_LT(std::max(ring, waiting), screen.state().counters.size());
  EXPECT_EQ(screen.state().counters[waiting], 0U);
  hear_until([&](const web::ScreenState& state) { return state.counters[place_of("dashboard: pages")] == 1; });
  EXPECT_EQ(screen.state().sessions.at(0).kind, static_cast<std::uint8_t>(web::SessionKind::client));
  const Session session = trade({market.address()}, {"buy 5 KAGA @ 99", "sell 5 KAGA @ 99", "buy 5 NOWHERE @ 99"});
  EXPECT_FALSE(session.lines.empty());
  hear_until([](const web::ScreenState& state) {
    return state.counters[0] >= 2 && state.counters[2] >= 2 && state.counters[7] >= 2;
  });
  hear_until([](const web::ScreenState& state) {
    return state.latencies.contains(0) && !state.latencies.at(0).rows.empty() && state.latencies.contains(2) &&
           !state.latencies.at(2).rows.empty();
  });
  // One went to no instrument, which the gateway refused.
  hear_until([](const web::ScreenState& state) { return state.sessions.at(0).rejects >= 1; });
  EXPECT_EQ(screen.state().sessions.at(0).rejects, 1U);
  EXPECT_EQ(screen.state().last_rejects.at(0), "Symbol(55)=NOWHERE is unknown");
  EXPECT_EQ(screen.state().last_rejects.size(), 1U);
  const auto measured = [](const web::ScreenState& state, std::uint16_t stage) {
    std::uint64_t count = 0;
    for (const web::LatencyRow& row : state.latencies.at(stage).rows) count += row.count;
    return count;
  };
  hear_until([&](const web::ScreenState& state) { return measured(state, 2) >= 3; });
  EXPECT_EQ(measured(screen.state(), 0), 2U);
  EXPECT_EQ(measured(screen.state(), 1), 2U) << "what the gateway refuses was never at the venue";
  hear_until([](const web::ScreenState& state) { return state.notice_count >= 2; });
  bool is_told = false;
  for (const web::NoticeRow& notice : screen.state().notices)
    is_told = is_told || notice.text.starts_with("client KONOIKE logged on");
  EXPECT_TRUE(is_told);
  EXPECT_FALSE(screen.state().sessions.at(0).is_killed);
  const std::vector<std::string> words{"kill", "KONOIKE"};
  const auto killed = command({.address = {"127.0.0.1", admin}}, words);
  ASSERT_TRUE(killed.has_value()) << killed.error();
  EXPECT_TRUE(killed->is_done) << killed->text;
  hear_until([](const web::ScreenState& state) { return state.sessions.at(0).is_killed; });
  EXPECT_GT(screen.state().counters[ring], 0U) << "what was published between two looks";
}

TEST(GatewayServerTest, says_that_its_dashboards_port_is_taken) {
  Screens taken({.port = 0}, {.picture = {.name = "somebody"}}, {.bytes = 1024, .orders = 1, .instruments = 1});
  GatewayConfig config = default_gateway();
  config.listen.port = 0;
  config.dashboard.port = taken.start().value().port;
  GatewayServer server(config, [](const std::string&) {});
  const auto refused = server.start();
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().starts_with("dashboard: cannot listen on 127.0.0.1:")) << refused.error();
  EXPECT_TRUE(refused.error().ends_with("(--dashboard 127.0.0.1:0: any free one)")) << refused.error();
}

}  // namespace
}  // namespace dojima::app::testing
