// A FIX client that nobody here wrote (QuickFIX) against the gateway and the venue over real sockets.

#include "quickfix_client.hpp"
#include "running_server.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/venue_server.hpp"

namespace dojima {
namespace {

using interop::QuickFixClient;
using interop::Received;
using interop::Running;
using namespace std::chrono_literals;

constexpr auto k_patience = 20s;

app::VenueConfig venue_on_any_port() {
  app::VenueConfig config = app::default_venue();
  config.listen.port = 0;
  return config;
}

app::GatewayConfig gateway_in_front_of(std::uint16_t venue_port) {
  app::GatewayConfig config = app::default_gateway();
  config.listen.port = 0;
  config.venue_port = venue_port;
  config.gateway.reconnect = std::chrono::milliseconds{50};
  return config;
}

struct Interop : testing::Test {
  Running<app::VenueServer> venue{venue_on_any_port()};
  Running<app::GatewayServer> gateway{gateway_in_front_of(venue.port()), [](const std::string&) {}};
  QuickFixClient konoike{"127.0.0.1", gateway.port(), "KONOIKE", "DOJIMA"};
  QuickFixClient yodoya{"127.0.0.1", gateway.port(), "YODOYA", "DOJIMA"};

  void SetUp() override {
    konoike.start();
    yodoya.start();
    ASSERT_TRUE(konoike.wait_logged_on(k_patience));
    ASSERT_TRUE(yodoya.wait_logged_on(k_patience));
    // The venue users come up beside the FIX sessions; an order that is refused for that reason is asked again.
    wait_for_venue(konoike, "K");
    wait_for_venue(yodoya, "Y");
  }

  /// Sends a small order far from the market and takes it back, until the venue answers.
  void wait_for_venue(QuickFixClient& client, const std::string& prefix) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      const std::string id = prefix + "-probe-" + std::to_string(attempt);
      const std::size_t before = client.wait_received(0, 0s).size();
      client.send_limit(id, "HIGO", '1', "1", "0.01", '0');
      const auto all = client.wait_received(before + 1, k_patience);
      ASSERT_GT(all.size(), before);
      if (all[before].msg_type == "j") continue;
      ASSERT_EQ(all[before].exec_type, "0") << all[before].text;
      client.send_cancel(id + "x", id, "HIGO", '1', "1");
      ASSERT_EQ(client.wait_received(before + 2, k_patience).back().exec_type, "4");
      return;
    }
    FAIL() << "the venue never took an order";
  }
};

/// What arrived behind the first `skip` messages, once there are `count` of it.
std::vector<Received> arrivals(const QuickFixClient& client, std::size_t skip, std::size_t count) {
  auto all = client.wait_received(skip + count, k_patience);
  return {all.begin() + static_cast<std::ptrdiff_t>(std::min(skip, all.size())), all.end()};
}

TEST_F(Interop, two_quickfix_clients_trade_fill_in_part_replace_cancel_and_get_the_same_trade) {
  const std::size_t k0 = konoike.wait_received(0, 0s).size(), y0 = yodoya.wait_received(0, 0s).size();

  konoike.send_limit("K-1", "KAGA", '1', "100", "100.25", '0');
  auto k = arrivals(konoike, k0, 1);
  ASSERT_EQ(k.size(), 1u);
  EXPECT_EQ(k[0].msg_type, "8");
  EXPECT_EQ(k[0].cl_ord_id, "K-1");
  EXPECT_EQ(k[0].exec_type, "0");
  EXPECT_EQ(k[0].ord_status, "0");
  EXPECT_EQ(k[0].leaves_qty, "100");
  EXPECT_EQ(k[0].cum_qty, "0");

  yodoya.send_limit("Y-1", "KAGA", '2', "40", "100.2", '0');
  auto y = arrivals(yodoya, y0, 2);
  k = arrivals(konoike, k0, 2);
  ASSERT_EQ(y.size(), 2u);
  ASSERT_EQ(k.size(), 2u);
  EXPECT_EQ(y[0].exec_type, "0");
  EXPECT_EQ(y[1].exec_type, "F");
  EXPECT_EQ(y[1].ord_status, "2");
  EXPECT_EQ(y[1].last_px, "100.25");  // the resting order's price
  EXPECT_EQ(y[1].last_qty, "40");
  EXPECT_EQ(k[1].exec_type, "F");
  EXPECT_EQ(k[1].ord_status, "1");
  EXPECT_EQ(k[1].cum_qty, "40");
  EXPECT_EQ(k[1].leaves_qty, "60");
  EXPECT_EQ(k[1].avg_px, "100.25");

  konoike.send_replace("K-2", "K-1", "KAGA", '1', "80", "100.5");
  k = arrivals(konoike, k0, 3);
  ASSERT_EQ(k.size(), 3u);
  EXPECT_EQ(k[2].exec_type, "5");
  EXPECT_EQ(k[2].cl_ord_id, "K-2");
  EXPECT_EQ(k[2].orig_cl_ord_id, "K-1");
  EXPECT_EQ(k[2].order_qty, "80");
  EXPECT_EQ(k[2].leaves_qty, "40");
  EXPECT_EQ(k[2].cum_qty, "40");

  konoike.send_cancel("K-3", "K-2", "KAGA", '1', "80");
  k = arrivals(konoike, k0, 4);
  ASSERT_EQ(k.size(), 4u);
  EXPECT_EQ(k[3].exec_type, "4");
  EXPECT_EQ(k[3].ord_status, "4");
  EXPECT_EQ(k[3].cum_qty, "40");
  EXPECT_EQ(k[3].leaves_qty, "0");

  konoike.send_cancel("K-4", "K-2", "KAGA", '1', "80");
  k = arrivals(konoike, k0, 5);
  ASSERT_EQ(k.size(), 5u);
  EXPECT_EQ(k[4].msg_type, "9");
  EXPECT_EQ(k[4].cxl_rej_response_to, "1");
  EXPECT_EQ(k[4].cxl_rej_reason, "0");  // too late
}

TEST_F(Interop, a_client_that_was_away_gets_what_happened_by_resend_and_loses_and_doubles_nothing) {
  const std::size_t k0 = konoike.wait_received(0, 0s).size();
  konoike.send_limit("K-10", "KAGA", '1', "100", "99.5", '0');
  ASSERT_EQ(arrivals(konoike, k0, 1).size(), 1u);
  konoike.logout();
  ASSERT_TRUE(konoike.wait_logged_out(k_patience));
  const int expected = konoike.next_target_number();

  const std::size_t y0 = yodoya.wait_received(0, 0s).size();
  for (int i = 0; i < 3; ++i) yodoya.send_limit("Y-1" + std::to_string(i), "KAGA", '2', "10", "99.5", '3');
  ASSERT_EQ(arrivals(yodoya, y0, 6).size(), 6u);  // three times accepted and filled, against one who is away

  konoike.logon();
  ASSERT_TRUE(konoike.wait_logged_on(k_patience));
  auto k = arrivals(konoike, k0 + 1, 3);
  ASSERT_EQ(k.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    const Received& fill = k[static_cast<std::size_t>(i)];
    EXPECT_EQ(fill.exec_type, "F");
    EXPECT_EQ(fill.cum_qty, std::to_string(10 * (i + 1)));
    EXPECT_TRUE(fill.is_possible_duplicate);
  }
  EXPECT_GT(konoike.next_target_number(), expected);

  konoike.send_cancel("K-11", "K-10", "KAGA", '1', "100");
  k = arrivals(konoike, k0 + 1, 4);
  ASSERT_EQ(k.size(), 4u);
  EXPECT_EQ(k[3].exec_type, "4");
  EXPECT_EQ(k[3].cum_qty, "30");
  std::vector<std::string> executions;
  for (const Received& report : k) executions.push_back(report.exec_id);
  std::sort(executions.begin(), executions.end());
  EXPECT_EQ(std::adjacent_find(executions.begin(), executions.end()), executions.end());
}

TEST_F(Interop, what_cannot_be_is_refused_in_the_protocols_own_words) {
  const std::size_t k0 = konoike.wait_received(0, 0s).size();
  konoike.send_limit("K-20", "NOSUCH", '1', "100", "100", '0');
  konoike.send_limit("K-21", "KAGA", '1', "100", "100.001", '0');        // between ticks
  konoike.send_limit("K-22", "KAGA", '1', "100", "100.000000001", '0');  // more decimals than a price has
  konoike.send_cancel("K-23", "NEVER", "KAGA", '1', "100");
  const auto k = arrivals(konoike, k0, 4);
  ASSERT_EQ(k.size(), 4u);
  EXPECT_EQ(k[0].msg_type, "8");
  EXPECT_EQ(k[0].exec_type, "8");
  EXPECT_EQ(k[0].ord_rej_reason, "1");  // unknown symbol
  const auto of = [&](const std::string& id) {
    return std::find_if(k.begin(), k.end(), [&](const Received& r) { return r.cl_ord_id == id; });
  };
  ASSERT_NE(of("K-21"), k.end());
  EXPECT_EQ(of("K-21")->exec_type, "8");
  EXPECT_FALSE(of("K-21")->text.empty());
  ASSERT_NE(of("K-23"), k.end());
  EXPECT_EQ(of("K-23")->msg_type, "9");
  EXPECT_EQ(of("K-23")->cxl_rej_reason, "1");  // unknown order
  // The too precise price is refused, by the session or by the gateway, and never rounded.
  EXPECT_EQ(
      std::count_if(k.begin(), k.end(), [](const Received& r) { return r.msg_type == "3" || r.cl_ord_id == "K-22"; }),
      1);
}

/// As annex B of the MIT203 reference pairs them, for clients whose row says so.
TEST(InteropRejects, quickfix_takes_the_venues_rejects_as_fixs_own_in_every_version) {
  Running<app::VenueServer> venue{venue_on_any_port()};
  app::GatewayConfig config = gateway_in_front_of(venue.port());
  config.gateway.clients.resize(gateway::k_fix_versions.size(), config.gateway.clients.front());
  config.gateway.clients.back().comp_id = "SAKAI";  // on the venue user of the first
  for (std::size_t at = 0; at < gateway::k_fix_versions.size(); ++at) {
    config.gateway.clients[at].version = gateway::k_fix_versions[at];
    config.gateway.clients[at].venue_refusals = gateway::VenueRefusals::rejects;
  }
  config.gateway.symbols.push_back({"GONE", 999'999});
  Running<app::GatewayServer> gateway{config, [](const std::string&) {}};
  for (std::size_t at = 0; at < gateway::k_fix_versions.size(); ++at) {
    const gateway::ClientConfig& row = config.gateway.clients[at];
    const std::string version(name_of(row.version));
    SCOPED_TRACE(version);
    QuickFixClient client("127.0.0.1", gateway.port(), row.comp_id, "DOJIMA", version);
    client.start();
    ASSERT_TRUE(client.wait_logged_on(k_patience));
    /// The only answer to an order in this symbol with this passive rule.
    std::size_t count = 0;
    const auto enter = [&](const std::string& id, const std::string& symbol, const std::string& passive) {
      const int number = client.next_sender_number();
      client.send("D",
                  {{11, id}, {21, "1"}, {38, "1"}, {40, "2"}, {44, "99"}, {54, "1"}, {55, symbol}, {27010, passive}});
      const auto all = client.wait_received(++count, k_patience);
      EXPECT_EQ(all.size(), count);
      const Received got = all.size() < count ? Received{} : all[count - 1];
      if (got.msg_type != "8") {
        EXPECT_EQ(got.ref_seq_num, std::to_string(number));
      }
      return got;
    };
    Received got = enter("A-0", "KAGA", "50");
    for (int tries = 0; tries < 200 && got.msg_type == "j"; ++tries)  // the venue user comes up beside the FIX session
      got = enter("A-" + std::to_string(count), "KAGA", "50");
    EXPECT_EQ(got.msg_type, "3") << got.text;
    EXPECT_EQ(got.ref_msg_type, "D");
    EXPECT_EQ(got.ref_tag_id, "27010");
    got = enter("B-1", "GONE", "0");
    EXPECT_EQ(got.msg_type, "j") << got.text;
    EXPECT_EQ(got.ref_id, "B-1");
    EXPECT_EQ(got.business_reject_reason, "0");
    EXPECT_EQ(got.text, "9000 unknown instrument");
    EXPECT_EQ(enter("C-1", "KAGA", "0").exec_type, "0") << "the session goes on";
    client.logout();
    EXPECT_TRUE(client.wait_logged_out(k_patience));
  }
}

}  // namespace
}  // namespace dojima
