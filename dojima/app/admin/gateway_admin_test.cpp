// A gateway and a venue as the programs run them, operated as `dojima admin` does.

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

class GatewayAdminTest : public ::testing::Test {
 protected:
  void SetUp() override {
    VenueConfig venue = default_venue();
    venue.listen.port = 0;
    venue_ = std::make_unique<VenueServer>(venue);
    GatewayConfig config = default_gateway();
    config.listen.port = 0;
    config.venue_port = venue_->start().value().port;
    config.admin.port = 0;
    change(config);
    gateway_ = std::make_unique<GatewayServer>(config, [](const std::string&) {});
    const auto where = gateway_->start();
    ASSERT_TRUE(where.has_value()) << where.error();
    clients_at_ = *where;
    for (const std::string& line : gateway_->describe(clients_at_))
      if (const std::size_t at = line.find("http://"); at != std::string::npos)
        server_.address = net::parse_address(line.substr(at + 7, line.find(',') - at - 7)).value();
    threads_.emplace_back([this] { venue_->run([this] { return is_over_.load(); }); });
    threads_.emplace_back([this] { gateway_->run([this] { return is_over_.load(); }); });
    while (!page_of(server_, "/ready").value().is_good) std::this_thread::sleep_for(5ms);
  }
  void TearDown() override {
    is_over_ = true;
    threads_.clear();
  }
  virtual void change(GatewayConfig& /*config*/) {}
  /// The figures once they have this line, which they have ten times a second; as they are in the end where they never
  /// have.
  std::string figures_with(const std::string& line) const {
    std::string figures;
    for (int tries = 0; tries < 500 && figures.find("\n" + line + "\n") == std::string::npos; ++tries) {
      std::this_thread::sleep_for(10ms);
      figures = page_of(server_, "/metrics").value().text;
    }
    EXPECT_NE(figures.find("\n" + line + "\n"), std::string::npos) << line << "\n" << figures;
    return figures;
  }
  [[nodiscard]] AdminAnswer say(const Words& words) const {
    const auto answer = command(server_, words);
    EXPECT_TRUE(answer.has_value()) << answer.error();
    return answer.value_or(AdminAnswer{});
  }
  void trade(Words lines, TradeOutcome outcome = TradeOutcome::done) {
    const testing::Session session = testing::trade({clients_at_}, std::move(lines));
    EXPECT_EQ(session.outcome, outcome) << session.text();
  }

  std::atomic<bool> is_over_{false};
  std::unique_ptr<VenueServer> venue_;
  std::unique_ptr<GatewayServer> gateway_;
  link::Address clients_at_;
  AdminServer server_;
  std::vector<std::jthread> threads_;
};

TEST_F(GatewayAdminTest, shows_the_trades_that_clients_do_not_know) {
  EXPECT_TRUE(say({"unknown-trades"}).rows.empty());
  trade({"buy 100 KAGA @ 99.5", "sell 40 KAGA @ 99.5", "dk 1 price"});
  const AdminAnswer trades = say({"unknown-trades"});
  ASSERT_EQ(trades.rows.size(), 1U);
  EXPECT_EQ(trades.rows[0][1], "KONOIKE");
  EXPECT_EQ(trades.rows[0][3].size(), 12U);
  EXPECT_EQ(trades.rows[0][4], "E") << "the price exceeds the limit";
  EXPECT_EQ(say({"unknown-trades", "KONOIKE"}).rows, trades.rows);
  EXPECT_TRUE(say({"unknown-trades", "YODOYA"}).rows.empty());
  EXPECT_EQ(say({"unknown-trades", "NOBODY"}),
            AdminAnswer::refusal("there is no client NOBODY; known are KONOIKE, YODOYA"));
}

TEST_F(GatewayAdminTest, shows_sessions_and_orders) {
  trade({"buy 100 KAGA @ 99.5", "sell 7 HIGO @ 501"});
  const AdminAnswer sessions = say({"sessions"});
  ASSERT_EQ(sessions.rows.size(), 2U);
  EXPECT_EQ(sessions.rows[0][0], "KONOIKE");
  EXPECT_EQ(sessions.rows[0][2], "down");
  EXPECT_EQ(sessions.rows[0][3], "5") << "Logon, two orders, Logout";
  EXPECT_EQ(sessions.rows[0][7], "ready");
  const AdminAnswer orders = say({"orders", "KONOIKE"});
  ASSERT_EQ(orders.rows.size(), 2U);
  EXPECT_EQ(orders.rows[0][3], "KAGA");
  EXPECT_EQ(orders.rows[0][4], "buy");
  EXPECT_EQ(orders.rows[0][5], "100");
  EXPECT_EQ(orders.rows[0][8], "99.5");
  EXPECT_EQ(orders.rows[0][10], "live");
  EXPECT_EQ(say({"orders"}).rows, orders.rows);
  EXPECT_TRUE(say({"orders", "YODOYA"}).rows.empty());
  EXPECT_EQ(say({"orders", "NOBODY"}), AdminAnswer::refusal("there is no client NOBODY; known are KONOIKE, YODOYA"));
  EXPECT_EQ(say({"status"}).text, "ready");
  const std::string figures = figures_with("dojima_gateway_open_orders 2");
  EXPECT_NE(figures.find("\ndojima_gateway_requests_total 2\n"), std::string::npos) << figures;
  EXPECT_NE(figures.find("dojima_gateway_client_up{client=\"KONOIKE\"} 0\n"), std::string::npos) << figures;
}

TEST_F(GatewayAdminTest, times_one_request_in_sixteen_in_each_stage_of_its_way) {
  Words lines;
  for (int number = 0; number < 32; ++number) lines.push_back("buy 1 KAGA @ 99");
  trade(lines);
  figures_with("dojima_gateway_answer_seconds_count 2");
  for (const char* stage : {"request", "venue", "report"})
    figures_with("dojima_gateway_stage_seconds_count{stage=\"" + std::string(stage) + "\"} 2");
}

class GatewayAdminWithCopiesTest : public GatewayAdminTest {
 protected:
  void change(GatewayConfig& config) override {
    config.connections = 12;
    config.gateway.drop_copies.emplace_back();
    config.gateway.drop_copies[0].comp_id = "COPY";
  }
};

TEST_F(GatewayAdminWithCopiesTest, counts_connections_by_what_they_are_for) {
  const auto expect = [&](int clients, int copies, int strangers, int venues) {
    const std::pair<const char*, int> channels[] = {
        {"clients", clients}, {"drop copies", copies}, {"without a session", strangers}, {"venues", venues}};
    for (const auto& [channel, count] : channels)
      figures_with("dojima_gateway_connections{channel=\"" + std::string(channel) + "\"} " + std::to_string(count));
  };
  expect(0, 0, 0, 2);
  figures_with("dojima_gateway_connections_most 12");
  std::atomic<bool> is_enough{false};
  const auto stay = [&](const char* sender) {
    TradeClient client({.gateways = {clients_at_}, .sender = sender, .target = "DOJIMA"}, [](const std::string&) {});
    testing::ScriptLines script({"wait 600"});
    client.run(script, false, [&] { return is_enough.load(); });
  };
  std::vector<std::jthread> stayers;
  stayers.emplace_back(stay, "KONOIKE");
  stayers.emplace_back(stay, "YODOYA");
  stayers.emplace_back(stay, "COPY");
  expect(2, 1, 0, 2);
  const int silent = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(clients_at_.port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(silent, reinterpret_cast<const sockaddr*>(&where), sizeof where), 0);
  expect(2, 1, 1, 2);
  ::close(silent);
  is_enough = true;
  stayers.clear();
  expect(0, 0, 0, 2);
}

TEST_F(GatewayAdminTest, sets_the_numbers_of_a_session_that_is_not_connected) {
  EXPECT_EQ(say({"numbers", "KONOIKE", "5", "9"}).text, "KONOIKE expects 5 (was 1) and sends 9 (was 1)");
  EXPECT_EQ(say({"sessions"}).rows[0][4], "9");
  EXPECT_EQ(say({"numbers", "KONOIKE", "0", "9"}), AdminAnswer::refusal("IN and OUT are whole numbers from 1"));
  EXPECT_EQ(say({"numbers", "KONOIKE", "5"}), AdminAnswer::refusal("numbers takes CLIENT, IN and OUT"));
  EXPECT_FALSE(say({"numbers", "NOBODY", "5", "5"}).is_done);
}

TEST_F(GatewayAdminTest, changes_limits_while_it_runs) {
  const auto value_of = [](const AdminAnswer& answer, const std::string& limit) {
    for (const Words& row : answer.rows)
      if (row[0] == limit) return row[1];
    return std::string();
  };
  EXPECT_EQ(value_of(say({"limits", "KONOIKE"}), "max_quantity"), "none");
  const AdminAnswer changed = say({"limits", "KONOIKE", "max_quantity=50", "price_collar=2.5", "symbols=KAGA HIGO"});
  EXPECT_EQ(value_of(changed, "max_quantity"), "50") << changed.text;
  EXPECT_EQ(value_of(changed, "price_collar"), "2.5 %");
  EXPECT_EQ(value_of(changed, "symbols"), "HIGO KAGA");
  EXPECT_EQ(value_of(say({"limits", "KONOIKE"}), "max_quantity"), "50");
  EXPECT_EQ(value_of(say({"limits", "YODOYA"}), "max_quantity"), "none");
  ASSERT_TRUE(say({"kill", "YODOYA"}).is_done);
  EXPECT_EQ(say({"limits"}).rows, (std::vector<Words>{{"KONOIKE", "KONOIKE", "max_quantity", "50"},
                                                      {"KONOIKE", "KONOIKE", "price_collar", "2.5 %"},
                                                      {"KONOIKE", "KONOIKE", "symbols", "HIGO KAGA"},
                                                      {"YODOYA", "YODOYA", "kill switch", "set"}}))
      << "those that limit something, of every client";
  ASSERT_TRUE(say({"revive", "YODOYA"}).is_done);
  trade({"buy 51 KAGA @ 99.5"}, TradeOutcome::refused);
  trade({"buy 50 KAGA @ 99.5"});
  EXPECT_EQ(say({"limits", "KONOIKE", "max_quantity=-1", "price_collar=5.555"}),
            AdminAnswer::refusal("max_quantity: -1 is out of range: 0 to 2147483647\n"
                                 "price_collar: 0 to 10000 percent, with at most two decimals"))
      << "the keys as they were typed";
  EXPECT_NE(say({"limits", "KONOIKE", "password=x"}).text.find("known are max_rate"), std::string::npos);
  EXPECT_NE(say({"limits", "KONOIKE", "symbols=NONE"}).text.find("there is no [[symbol]] NONE"), std::string::npos);
  EXPECT_EQ(value_of(say({"limits", "KONOIKE", "price_collar=\"12.75\""}), "price_collar"), "12.75 %");
  EXPECT_EQ(value_of(say({"limits", "KONOIKE"}), "max_quantity"), "50") << "a refused command changes nothing";
}

TEST_F(GatewayAdminTest, kills_revives_and_drains) {
  trade({"buy 10 KAGA @ 99.5"});
  EXPECT_EQ(say({"revive", "KONOIKE"}), AdminAnswer::refusal("no kill switch of KONOIKE is set"));
  EXPECT_EQ(say({"kill", "KONOIKE", "cancel"}).text, "no new orders of KONOIKE; what is open is being cancelled");
  EXPECT_EQ(say({"sessions"}).rows[0][8], "killed");
  while (!say({"orders"}).rows.empty()) std::this_thread::sleep_for(5ms);
  trade({"buy 10 KAGA @ 99.5"}, TradeOutcome::refused);
  EXPECT_EQ(say({"revive", "all"}).text, "all may trade again");
  EXPECT_EQ(say({"status", "please"}), AdminAnswer::refusal("status takes no words"));
  EXPECT_EQ(say({"sessions", "KONOIKE"}), AdminAnswer::refusal("sessions takes no words"));
  EXPECT_EQ(say({"drain"}).text, "new orders are refused; 0 are open");
  EXPECT_FALSE(say({"drain"}).is_done);
  trade({"buy 10 KAGA @ 99.5"}, TradeOutcome::refused);
  while (page_of(server_, "/ready").value().is_good) std::this_thread::sleep_for(5ms);
  std::string figures;
  const std::string name = "dojima_gateway_requests_refused_total{reason=\"", drained = name + "drained\"} 1\n";
  for (int tries = 0; tries < 500 && figures.find(drained) == std::string::npos; ++tries) {
    figures = page_of(server_, "/metrics")->text;
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_NE(figures.find(drained), std::string::npos) << figures;
  EXPECT_NE(figures.find(name + "kill switch\"} 1\n"), std::string::npos) << figures;
  EXPECT_NE(figures.find(name + "other\"} 0\n"), std::string::npos) << figures;
  EXPECT_EQ(say({"undrain"}).text, "new orders are taken again");
  trade({"buy 10 KAGA @ 99.5"});
  EXPECT_FALSE(say({"kill"}).is_done);
  EXPECT_FALSE(say({"kill", "NOBODY"}).is_done);
  EXPECT_FALSE(say({"kill", "KONOIKE", "all"}).is_done);
}

TEST_F(GatewayAdminTest, logs_a_client_out) {
  EXPECT_EQ(say({"logout", "KONOIKE"}), AdminAnswer::refusal("KONOIKE is not logged on"));
  TradeClient client({.gateways = {clients_at_}, .sender = "KONOIKE", .target = "DOJIMA", .answer_timeout = 5s},
                     [](const std::string&) {});
  std::atomic<bool> is_gone{false};
  std::jthread operator_thread([&] {
    while (say({"sessions"}).rows[0][2] != "up") std::this_thread::sleep_for(5ms);
    EXPECT_EQ(say({"numbers", "KONOIKE", "5", "5"}), AdminAnswer::refusal("KONOIKE is connected; log it out first"));
    EXPECT_EQ(say({"logout", "KONOIKE", "back", "at two"}).text, "KONOIKE is being logged out");
    while (say({"sessions"}).rows[0][2] != "down") std::this_thread::sleep_for(5ms);
    is_gone = true;
  });
  class Waits final : public LineSource {
   public:
    std::optional<std::string> next() override { return std::nullopt; }
    [[nodiscard]] bool is_over() const override { return false; }
  } waits;
  static_cast<void>(client.run(waits, false, [&] { return is_gone.load(); }));
  operator_thread.join();
  EXPECT_TRUE(is_gone);
}

}  // namespace
}  // namespace dojima::app
