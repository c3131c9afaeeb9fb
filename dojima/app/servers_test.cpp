// Venue, gateway and terminal client as the programs run them: each on a loop of its own, over real sockets.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/passwords/secret_file.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/app/station.hpp"
#include "dojima/mitch/describe.hpp"

namespace dojima::app {
namespace {

using testing::Market, testing::run_client, testing::Session, testing::trade;

TEST(Servers, leave_the_market_data_of_the_venue_in_a_file) {
  const std::string path = ::testing::TempDir() + "dojima-servers-feed.mitch";
  {
    VenueConfig config = Market::venue_config();
    config.feed_file = path;
    const Market market(config);
    const Session session =
        trade({market.address()}, {"buy 100 KAGA @ 99.5", "sell 30 KAGA @ 99.5", "amend 1 90 @ 99.6", "cancel 1"});
    EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const mitch::UnitsText text = mitch::describe_units(as_bytes(bytes));
  EXPECT_EQ(text.trouble, "");
  std::string names;
  for (const MessageText& message : text.messages)
    if (message.name != "Time" && message.name != "SymbolDirectory") names += message.name + " ";
  EXPECT_EQ(names, "SystemEvent AddOrder OrderExecuted OrderDeleted AddOrder OrderDeleted SystemEvent ");
  std::remove(path.c_str());
}

TEST(Servers, trade_from_a_script_through_gateway_and_venue) {
  const Market market;
  const Session session = trade({market.address()}, {"buy 100 KAGA @ 99.5", "sell 30 KAGA @ 99.5", "amend 1 90 @ 99.6",
                                                     "list", "cancel 1", "list", "sell 10 KAGA market"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  const std::vector<std::string> expected = {"logged on to DOJIMA as KONOIKE",
                                             "1 accepted: buy 100 KAGA @ 99.5",
                                             "2 accepted: sell 30 KAGA @ 99.5",
                                             "1 traded: bought 30 KAGA @ 99.5, 70 left, average 99.5",
                                             "2 filled: sold 30 KAGA @ 99.5, 0 left, average 99.5",
                                             "1 amended: buy 90 KAGA @ 99.6, 60 left",
                                             "1: buy 90 KAGA @ 99.6, 60 left",
                                             "1 cancelled, 30 done",
                                             "no open orders",
                                             "3 accepted: sell 10 KAGA market"};
  for (const std::string& line : expected)
    EXPECT_EQ(std::ranges::count(session.lines, line), 1) << line << " in\n" << session.text();
}

TEST(Servers, trade_in_partitions_that_have_threads) {
  VenueConfig config = Market::venue_config();
  config.threads = 3;
  config.feed_file = ::testing::TempDir() + "dojima-servers-threads.mitch";
  config.dashboard.port = 0;
  config.admin.port = 0;
  config.instruments[1].partition = 2;
  {
    const Market market(config);
    EXPECT_EQ(std::ranges::count(market.description(), "threads: sessions on one, 2 partitions on 2"), 1);
    const Session session =
        trade({market.address()}, {"buy 100 KAGA @ 99.5", "sell 30 KAGA @ 99.5", "buy 10 HIGO @ 499",
                                   "amend 1 90 @ 99.6", "cancel 1", "cancel 3", "list"});
    EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
    const std::vector<std::string> expected = {"1 traded: bought 30 KAGA @ 99.5, 70 left, average 99.5",
                                               "2 filled: sold 30 KAGA @ 99.5, 0 left, average 99.5",
                                               "1 amended: buy 90 KAGA @ 99.6, 60 left",
                                               "1 cancelled, 30 done",
                                               "3 cancelled, 0 done",
                                               "no open orders"};
    for (const std::string& line : expected)
      EXPECT_EQ(std::ranges::count(session.lines, line), 1) << line << " in\n" << session.text();
  }
  std::ifstream file(config.feed_file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const mitch::UnitsText text = mitch::describe_units(as_bytes(bytes));
  EXPECT_EQ(text.trouble, "");
  const auto count = [&](std::string_view name) { return std::ranges::count(text.messages, name, &MessageText::name); };
  EXPECT_EQ(count("AddOrder"), 3);
  EXPECT_EQ(count("OrderExecuted"), 1);
  EXPECT_EQ(count("OrderDeleted"), 3);
  std::remove(config.feed_file.c_str());
}

TEST(Servers, exit_with_a_status_that_says_that_something_was_refused) {
  const Market market;
  const Session unknown = trade({market.address()}, {"buy 100 NORI @ 1"});
  EXPECT_EQ(unknown.outcome, TradeOutcome::refused) << unknown.text();
  EXPECT_NE(unknown.text().find("stdin:1: 1 rejected: "), std::string::npos) << unknown.text();
  const Session misspelt = trade({market.address()}, {"bye 100 KAGA @ 1", "cancel 7"});
  EXPECT_EQ(misspelt.outcome, TradeOutcome::refused);
  EXPECT_NE(misspelt.text().find("there is no open order 7"), std::string::npos) << misspelt.text();
}

TEST(Servers, serve_two_clients_that_trade_with_each_other) {
  const Market market;
  const Session maker = trade({market.address()}, {"buy 100 HIGO @ 499"}, "KONOIKE");
  EXPECT_EQ(maker.outcome, TradeOutcome::done) << maker.text();
  // The maker's FIX session is over, its venue user is not: the order rests.
  const Session taker = trade({market.address()}, {"sell 100 HIGO @ 499 fok", "wait 0"}, "YODOYA");
  EXPECT_NE(taker.text().find("1 filled: sold 100 HIGO @ 499"), std::string::npos) << taker.text();
}

TEST(Servers, match_by_the_rules_that_the_venues_file_says) {
  const std::string toml = text_of(Market::venue_config());
  const auto config = parse_venue(toml, "venue.toml", std::vector<Override>{{"rules.policy", "pro_rata"}});
  ASSERT_TRUE(config.has_value()) << config.error();
  const Market market(*config);
  // The older order is the smaller one: by time it would be filled first, in proportion it gets its third.
  const Session makers = trade({market.address()}, {"buy 10 HIGO @ 499", "buy 20 HIGO @ 499"}, "KONOIKE");
  EXPECT_EQ(makers.outcome, TradeOutcome::done) << makers.text();
  const Session taker = trade({market.address()}, {"sell 9 HIGO @ 499 ioc", "wait 0"}, "YODOYA");
  EXPECT_NE(taker.text().find("1 traded: sold 3 HIGO @ 499, 6 left"), std::string::npos) << taker.text();
  EXPECT_NE(taker.text().find("1 filled: sold 6 HIGO @ 499, 0 left"), std::string::npos) << taker.text();
}

TEST(Servers, show_what_the_venue_does_to_an_order_by_itself) {
  VenueConfig config = Market::venue_config();
  config.rules.self_trade = book::SelfTrade::decrement;
  const Market market(config);
  const Session session = trade({market.address()}, {"sell 10 HIGO @ 499", "buy 4 HIGO @ 499", "wait 0"});
  EXPECT_NE(session.text().find("1 restated by the venue: sell 6 HIGO @ 499, 6 left"), std::string::npos)
      << session.text();
  EXPECT_NE(session.text().find("2 expired, 0 done"), std::string::npos) << session.text();
}

TEST(Servers, collect_orders_for_the_auction_that_their_file_says) {
  // Whatever the time is: the whole day is one call.
  using namespace std::chrono_literals;
  VenueConfig config = Market::venue_config();
  config.segments.push_back({.name = "RICE",
                             .timetable = {.start_of_day = 0h,
                                           .opening_call = 0h,
                                           .opening = 24h,
                                           .closing_call = 24h,
                                           .closing = 24h,
                                           .cross_end = 24h,
                                           .end_of_day = 24h}});
  for (simulate::InstrumentConfig& instrument : config.instruments) instrument.segment = "RICE";
  const Market market(config);
  const Session maker = trade({market.address()}, {"buy 10 HIGO @ 499"}, "KONOIKE");
  EXPECT_EQ(maker.outcome, TradeOutcome::done) << maker.text();
  const Session taker = trade({market.address()}, {"sell 9 HIGO @ 499", "list"}, "YODOYA");
  EXPECT_NE(taker.text().find("1: sell 9 HIGO @ 499, 9 left"), std::string::npos) << taker.text();
  EXPECT_EQ(taker.text().find("traded"), std::string::npos) << taker.text();
}

TEST(Servers, say_nothing_to_a_stranger) {
  const Market market;
  const Session stranger = trade({market.address()}, {"buy 1 KAGA @ 1"}, "NOBODY");
  EXPECT_EQ(stranger.outcome, TradeOutcome::unreachable);
  EXPECT_NE(stranger.text().find("does it know NOBODY"), std::string::npos) << stranger.text();
}

TEST(Servers, are_not_there) {
  link::Address nowhere;
  {
    VenueConfig config = default_venue();
    config.listen.port = 0;
    VenueServer venue(config);
    nowhere = venue.start().value();
  }
  const Session session = trade({nowhere}, {});
  EXPECT_EQ(session.outcome, TradeOutcome::unreachable);
  EXPECT_NE(session.text().find("nobody listens at"), std::string::npos) << session.text();
}

TEST(Servers, are_tried_one_after_the_other) {
  link::Address nowhere;
  {
    VenueConfig config = default_venue();
    config.listen.port = 0;
    VenueServer venue(config);
    nowhere = venue.start().value();
  }
  const Market market;
  const Session session = trade({nowhere, market.address()}, {"buy 100 KAGA @ 99.5"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  ASSERT_GE(session.lines.size(), 2u);
  EXPECT_TRUE(session.lines[0].starts_with("nobody listens at")) << session.text();
  EXPECT_EQ(session.lines[1], "logged on to DOJIMA as KONOIKE");
}

TEST(Servers, meet_at_the_secondary_gateway_when_the_primary_is_not_there) {
  VenueConfig config = Market::venue_config();
  config.secondary_port = 0;
  const Market market(config, [](GatewayConfig& gateway, const VenueServer& venue) {
    ASSERT_TRUE(venue.secondary().has_value());
    gateway.venue_port = 1;  // nobody
    gateway.secondary_port = venue.secondary()->port;
    gateway.gateway.reconnect = std::chrono::milliseconds{5};
  });
  const Session session = trade({market.address()}, {"buy 100 KAGA @ 99.5"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
}

/// Every byte of every file below a folder.
std::string all_bytes_below(const std::string& folder) {
  std::ostringstream bytes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() != 0)
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
  return std::move(bytes).str();
}

TEST(Servers, write_no_password_into_journals_logs_and_what_they_say) {
  std::string folder = ::testing::TempDir() + "servers-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  VenueConfig config = Market::venue_config();
  config.journal.directory = folder + "/venue";
  config.journal.segment_megabytes = 1;
  config.password_file = folder + "/passwords";
  config.logon.takes_new_passwords = true;
  config.users[0].password = scrypt_text("Venue#2026", {.ln = 10, .r = 1, .p = 1});
  std::string said;
  {
    const Market market(config, [&](GatewayConfig& gateway, const VenueServer&) {
      gateway.journal.directory = folder + "/gateway";
      gateway.journal.segment_megabytes = 1;
      gateway.message_log.file = folder + "/messages";
      gateway.gateway.clients[0].password = "Client#2026";
      gateway.gateway.clients[0].venue_password = "Venue#2026";
      gateway.gateway.clients[0].venue_new_password = "Chosen#2027";
    });
    for (const std::string& line : market.description()) said += line + "\n";
    const auto log_on = [&](std::string password, std::string chosen) {
      return run_client({.gateways = {market.address()},
                         .sender = "KONOIKE",
                         .target = "DOJIMA",
                         .password = std::move(password),
                         .new_password = std::move(chosen)},
                        {"buy 100 KAGA @ 99.5"});
    };
    const Session wrong = log_on("Wrong#2026", {}), right = log_on("Client#2026", "Later#2026");
    EXPECT_NE(wrong.outcome, TradeOutcome::done) << wrong.text();
    EXPECT_EQ(right.outcome, TradeOutcome::done) << right.text();
    said += wrong.text() + right.text();
  }
  const std::string bytes = all_bytes_below(folder);
  EXPECT_NE(bytes.find("KAGA"), std::string::npos) << "the orders are there";
  EXPECT_NE(bytes.find("***"), std::string::npos) << "the Logons are there";
  for (const char* const password : {"Venue#2026", "Chosen#2027", "Client#2026", "Wrong#2026", "Later#2026"}) {
    EXPECT_EQ(bytes.find(password), std::string::npos) << password;
    EXPECT_EQ(said.find(password), std::string::npos) << password;
  }
  std::filesystem::remove_all(folder);
}

/// Long: passwords are dear to compare.
TEST(ServersLong, agree_on_a_new_password_that_outlives_both) {
  const std::string file = ::testing::TempDir() + "passwords-of-servers";
  std::filesystem::remove(file);
  VenueConfig config = Market::venue_config();
  config.logon.takes_new_passwords = true;
  config.password_file = file;
  const auto choose = [](GatewayConfig& gateway, const VenueServer&) {
    gateway.gateway.reconnect = std::chrono::milliseconds{5};
    for (gateway::ClientConfig& client : gateway.gateway.clients) client.venue_new_password = "rice-1731";
  };
  {
    const Market first(config, choose);
  }
  std::string kept;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) kept += line.substr(0, line.find('\t')) + " ";
  EXPECT_EQ(kept, "KONOIKE YODOYA ");
  // The same configurations: the venue has the new ones from its file, the gateway finds out.
  const Market second(config, choose);
  EXPECT_EQ(trade({second.address()}, {"buy 100 KAGA @ 99.5"}).outcome, TradeOutcome::done);
  std::ofstream(file) << "nonsense";
  const auto broken = VenueServer::make(config);
  ASSERT_FALSE(broken.has_value());
  EXPECT_NE(broken.error().find("line 1"), std::string::npos) << broken.error();
  std::filesystem::remove(file);
}

TEST(Servers, trade_from_the_files_that_are_printed_by_default) {
  const std::string secret = ::testing::TempDir() + "secret-of-servers-" + std::to_string(::getpid());
  ASSERT_TRUE(write_secret_file(secret, k_default_password));
  const std::vector<Override> of_venue{{"listen.port", "0"}, {"logon.clear_passwords", "false"}};
  const auto venue = parse_venue(default_venue_text(), "venue.toml", of_venue);
  ASSERT_TRUE(venue) << venue.error();
  const auto choose = [&](GatewayConfig& gateway, const VenueServer&) {
    const std::vector<Override> of_gateway{{"listen.port", "0"},
                                           {"venue.port", std::to_string(gateway.venue_port)},
                                           {"client.0.venue_password_file", secret},
                                           {"client.1.venue_password_file", secret}};
    const auto read = parse_gateway(default_gateway_text(), "gateway.toml", of_gateway);
    ASSERT_TRUE(read) << read.error();
    gateway = *read;
  };
  const Market market(*venue, choose);
  const Session session = trade({market.address()}, {"buy 100 KAGA @ 99.5", "sell 30 KAGA @ 99.5 ioc",
                                                     "expect 2 filled within 5", "expect 1 left 70 within 5"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  std::filesystem::remove(secret);
}

TEST(Servers, say_that_a_port_is_taken_and_what_to_do) {
  VenueConfig config = default_venue();
  config.listen.port = 0;
  VenueServer first(config);
  config.listen.port = first.start().value().port;
  VenueServer second(config);
  const auto where = second.start();
  ASSERT_FALSE(where.has_value());
  const std::string& text = where.error();
  EXPECT_NE(text.find("choose another port"), std::string::npos) << text;
}

TEST(Servers, describe_themselves) {
  VenueConfig config = default_venue();
  config.listen.port = 0;
  config.idle = net::IdlePolicy::block;
  VenueServer venue(config);
  const std::vector<std::string> lines = venue.describe(venue.start().value());
  EXPECT_EQ(lines.size(), 2 + config.instruments.size() + config.users.size());
  EXPECT_TRUE(lines.front().starts_with("MIT203 real-time 127.0.0.1:")) << lines.front();
  EXPECT_TRUE(lines.back().starts_with("warning: 2 passwords are in clear in the configuration; ")) << lines.back();
}

TEST(Servers, say_first_that_they_sleep_otherwise_than_they_were_asked_to) {
  const bool has_ring = Station({.idle = net::IdlePolicy::ring, .fabric = {.max_connections = 1}}).fabric().has_ring();
  const auto is_said = [](const std::vector<std::string>& lines) {
    return lines.front() == "loop.idle: block (asked for \"ring\": there is no io_uring that this process may use)";
  };
  VenueConfig venue = default_venue();
  ASSERT_EQ(venue.idle, net::IdlePolicy::ring);
  EXPECT_EQ(is_said(VenueServer(venue).describe({"127.0.0.1", 1})), !has_ring);
  GatewayConfig gateway = default_gateway();
  ASSERT_EQ(gateway.idle, net::IdlePolicy::ring);
  const auto lines = [&] { return GatewayServer(gateway, [](const std::string&) {}).describe({"127.0.0.1", 1}); };
  EXPECT_EQ(is_said(lines()), !has_ring);
  gateway.idle = net::IdlePolicy::block;
  EXPECT_FALSE(is_said(lines()));
}

TEST(Servers, warn_of_passwords_in_clear_and_of_no_others) {
  VenueConfig venue = default_venue();
  venue.users.resize(1);
  venue.users[0].password = scrypt_text("Venue#2026", {.ln = 10, .r = 1, .p = 1});
  EXPECT_FALSE(VenueServer(venue).describe({"127.0.0.1", 1}).back().starts_with("warning: "));
  GatewayConfig gateway = default_gateway();
  const auto last = [&] { return GatewayServer(gateway, [](const std::string&) {}).describe({"127.0.0.1", 1}).back(); };
  EXPECT_TRUE(last().starts_with("warning: 2 passwords are in clear in the configuration; ")) << last();
  for (const char* const path : {"client.0.venue_password", "client.1.venue_password"})
    gateway.password_files.emplace(path, "secret");
  EXPECT_FALSE(last().starts_with("warning: ")) << last();
}

}  // namespace
}  // namespace dojima::app
