// The terminal client as people use it: scripts against a venue and a gateway over real sockets.

#include <chrono>
#include <fmt/core.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "dojima/app/servers_test_support.hpp"
#include "dojima/base/source_folder_test_support.hpp"

namespace dojima::app {
namespace {

using gateway::FixVersion;
using testing::Market, testing::Session, testing::run_client;

std::string script_folder() {
  return source_folder() + "/tests/trade/";
}

TradeOptions options_for(const Market& market, const std::string& sender = "KONOIKE",
                         FixVersion version = FixVersion::fix_4_4) {
  return {.gateways = {market.address()}, .version = version, .sender = sender, .target = "DOJIMA"};
}

Market::Change all_speak(FixVersion version, bool has_venue_fields = false) {
  return [=](GatewayConfig& config, const VenueServer&) {
    for (gateway::ClientConfig& client : config.gateway.clients) {
      client.version = version;
      client.has_venue_fields = has_venue_fields;
    }
  };
}

/// A day from today on, UTC, as orders have it.
std::string date_in(std::chrono::days ahead) {
  const std::chrono::year_month_day date{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()) +
                                         ahead};
  return fmt::format("{:04}-{:02}-{:02}", int{date.year()}, unsigned{date.month()}, unsigned{date.day()});
}
constexpr std::chrono::days k_today{0}, k_a_month{30};

/// A file of the folder of scripts; the venue takes ends of the near future only.
std::string script_text(const std::string& name) {
  std::ifstream file(script_folder() + name);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const auto& [mark, date] : {std::pair<std::string, std::string>{"{today}", date_in(k_today)},
                                   std::pair<std::string, std::string>{"{in a month}", date_in(k_a_month)}})
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) text.replace(at, mark.size(), date);
  return text;
}

bool says(const Session& session, const std::string& text) {
  return session.text().find(text) != std::string::npos;
}

TEST(TradeServers, run_a_script_that_says_what_it_expects) {
  const Market market;
  TradeOptions options = options_for(market);
  const std::string expected = script_text("day.out");
  const std::string folder = ::testing::TempDir();
  options.script = folder + "day.trade";
  std::ofstream(options.script) << script_text("day.trade");
  const Session session = run_client(options);
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  std::string shown = session.text();
  for (std::size_t at = 0; (at = shown.find(folder, at)) != std::string::npos;) shown.erase(at, folder.size());
  EXPECT_EQ(shown, expected);
}

void trade_in(FixVersion version) {
  const Market market(Market::venue_config(), all_speak(version));
  const Session session = run_client(
      options_for(market, "KONOIKE", version),
      {"buy 100 KAGA @ 99.5 gtd " + date_in(k_a_month) + " display=10 group=3 account=RICE", "sell 30 KAGA @ 99.5 ioc",
       "expect 2 filled", "expect 1 average 99.5", "amend 1 display=20", "amend 1 80", "expect 1 left 50", "status 1",
       "cancel 1", "expect 1 cancelled", "expect position KAGA 0", "dk 1 price"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  EXPECT_TRUE(says(session, "1 is partially filled: ")) << session.text();
  EXPECT_TRUE(says(session, "trade 1 was called unknown")) << session.text();
}

TEST(TradeServers, speak_4_2) {
  trade_in(FixVersion::fix_4_2);
}
TEST(TradeServers, speak_4_4) {
  trade_in(FixVersion::fix_4_4);
}
TEST(TradeServers, speak_5_0_sp2) {
  trade_in(FixVersion::fix_5_0_sp2);
}

/// A quote that is entered, amended, hit on one side, left with the other, and taken back.
std::vector<std::string> quoting(const std::string& symbol) {
  return {"quote " + symbol + " 10 @ 99 / 12 @ 101",
          "expect 1 open",
          "expect 2 open",
          "quote " + symbol + " 5 @ 98 / 12 @ 100",
          "expect 1 left 5",
          "expect 2 left 12",
          "sell 5 " + symbol + " @ 98 ioc",
          "expect 3 filled",
          "expect 1 filled",
          "quote " + symbol + " 3 @ 97 / 0",
          "expect 4 open",
          "expect 2 cancelled",
          "unquote " + symbol,
          "expect 4 cancelled",
          "expect orders 0",
          "quote " + symbol + " 1 @ 97 / 1 @ 103",
          "expect 5 open",
          "cancel 6",
          "expect 5 cancelled",
          "expect 6 cancelled"};
}

TEST(TradeServers, quote_in_every_version) {
  for (const FixVersion version : gateway::k_fix_versions) {
    const Market market(Market::venue_config(), all_speak(version));
    const Session session = run_client(options_for(market, "KONOIKE", version), quoting("KAGA"));
    EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  }
}

TEST(TradeServers, say_in_words_what_their_version_cannot) {
  const Market market(Market::venue_config(), all_speak(FixVersion::fix_4_2));
  const Session session = run_client(
      options_for(market, "KONOIKE", FixVersion::fix_4_2),
      {"buy 1 KAGA @ 99 peak=1", "expect 1 rejected", "masscancel all", "expect refused", "buy 1 KAGA @ 99"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  EXPECT_TRUE(says(session, "stdin:1: 1 not sent: FIX.4.2 has no DisplayMethod(1084) in NewOrderSingle"))
      << session.text();
  EXPECT_TRUE(says(session, "stdin:3: FIX.4.2 has no message for this")) << session.text();
  EXPECT_TRUE(says(session, "2 accepted: buy 1 KAGA @ 99")) << session.text();
}

TEST(TradeServers, show_the_fields_of_the_venue) {
  const Market market(Market::venue_config(), all_speak(FixVersion::fix_4_4, true));
  const Session session =
      run_client(options_for(market), {"buy 1 KAGA @ 99", "sell 1 KAGA @ 99", "expect 2 filled", "expect 1 filled"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  EXPECT_TRUE(says(session, "(liquidity A, match ")) << session.text();
  EXPECT_TRUE(says(session, "(liquidity R, match ")) << session.text();
}

TEST(TradeServers, fail_a_script_that_expects_something_else) {
  const Market market;
  const Session session = run_client(options_for(market), {"buy 1 KAGA @ 99", "expect 1 filled within 0", "cancel 1",
                                                           "expect refused", "expect position KAGA 1 within 0"});
  EXPECT_EQ(session.outcome, TradeOutcome::refused);
  EXPECT_TRUE(says(session, "stdin:2: expected otherwise: order 1 is open, not filled")) << session.text();
  EXPECT_TRUE(says(session, "stdin:5: expected otherwise: the position is 0, not 1")) << session.text();
}

TEST(TradeServers, save_their_blotter) {
  const Market market;
  const std::string path = ::testing::TempDir() + "dojima-blotter.csv";
  const Session session = run_client(options_for(market), {"buy 1 KAGA @ 99", "sell 1 KAGA @ 99", "expect 1 filled",
                                                           "save " + path, "save /nowhere/at.all", "expect refused"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  std::ifstream file(path);
  std::string line;
  ASSERT_TRUE(std::getline(file, line) && std::getline(file, line));
  EXPECT_TRUE(line.ends_with(",buy,1,KAGA,@ 99,day,filled,1,0,99")) << line;
}

/// What the venue refuses by messages of its own, which FIX has too: they name an order by its id, or by the number of
/// the message alone.
void take_rejects_in(FixVersion version) {
  VenueConfig venue = Market::venue_config();
  venue.users.front().throttle = 10;
  const Market market(venue, [&](GatewayConfig& config, const VenueServer& server) {
    all_speak(version)(config, server);
    config.gateway.clients.front().venue_refusals = gateway::VenueRefusals::rejects;
    config.gateway.symbols.push_back({"GONE", 999'999});
  });
  std::vector<std::string> script{"buy 1 KAGA @ 99 passive=50",
                                  "expect 1 rejected",
                                  "buy 1 GONE @ 99",
                                  "expect 2 rejected",
                                  "wait 1",
                                  "buy 1 KAGA @ 99",
                                  "expect 3 open"};
  for (int total = 2; total < 22; ++total) script.push_back(fmt::format("amend 3 {}", total));
  script.emplace_back("expect refused");
  script.emplace_back("expect 3 open");
  script.emplace_back("expect orders 1");
  const Session session = run_client(options_for(market, "KONOIKE", version), script);
  EXPECT_TRUE(says(session, "1 rejected: 9901 PassiveOnlyOrder(27010): value, format or length invalid (field 27010)"))
      << session.text();
  EXPECT_TRUE(says(session, "2 refused: 9000 unknown instrument")) << session.text();
  EXPECT_TRUE(says(session, "3 amended: ")) << session.text();
  EXPECT_TRUE(says(session, "3 refused: Message rate exceeded")) << session.text();
  EXPECT_FALSE(says(session, "expected")) << session.text();
}

TEST(TradeServers, take_rejects_of_the_venue_as_the_refusals_that_they_are) {
  for (const FixVersion version : gateway::k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    take_rejects_in(version);
  }
}

/// With a user whom no gateway uses.
VenueConfig with_native_user() {
  VenueConfig config = Market::venue_config();
  config.users.push_back({.name = "NATIVE", .password = "rice-1730"});
  config.recovery_port = 0;
  return config;
}

TradeOptions native_options(const Market& market) {
  return {.gateways = {market.venue_address()},
          .native = NativeTradeOptions{.instruments = {{"KAGA", 1001}}},
          .username = "NATIVE",
          .password = "rice-1730"};
}

TEST(TradeServers, trade_with_the_venue_itself) {
  const Market market(with_native_user());
  const Session session = run_client(native_options(market), {"buy 100 KAGA @ 99.5",
                                                              "expect 1 open",
                                                              "sell 30 1001 @ 99.5",
                                                              "expect 2 filled",
                                                              "expect 1 average 99.5",
                                                              "amend 1 90 @ 99.6",
                                                              "expect 1 left 60",
                                                              "amend 1 display=20",
                                                              "cancel 1",
                                                              "expect 1 cancelled",
                                                              "buy 10 KAGA stop 120",
                                                              "buy 5 KAGA @ 80 group=7 hidden",
                                                              "masscancel group 7",
                                                              "expect 4 cancelled",
                                                              "expect 3 parked",
                                                              "cancel 3",
                                                              "buy 5 KAGA @ 80 ioc",
                                                              "expect 5 expired",
                                                              "sell 1 NORI @ 1",
                                                              "expect refused",
                                                              "status 1",
                                                              "expect refused",
                                                              "buy 1 KAGA @ 80 gtt " + date_in(k_today) + "T23:59:59",
                                                              "cancel 7",
                                                              "buy 1 4711 @ 1",
                                                              "expect 8 rejected",
                                                              "expect orders 0"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  EXPECT_TRUE(says(session, "logged on to the venue as NATIVE")) << session.text();
  EXPECT_TRUE(says(session, "1 traded: bought 30 KAGA @ 99.5, 70 left, average 99.5")) << session.text();
  EXPECT_TRUE(says(session, "1 amended: buy 90 KAGA @ 99.6, 60 left")) << session.text();
  EXPECT_TRUE(says(session, "\"NORI\" is no instrument")) << session.text();
  EXPECT_TRUE(says(session, "MIT203 has no message for this")) << session.text();
}

/// Its Reject of a change leaves the order as it is.
TEST(TradeServers, are_refused_by_the_venue_itself) {
  VenueConfig config = with_native_user();
  config.users.back().throttle = 10;
  const Market market(config);
  std::vector<std::string> script{"buy 1 KAGA @ 80 passive=50", "expect 1 rejected", "buy 1 KAGA @ 80",
                                  "expect 2 open"};
  for (int total = 2; total < 22; ++total) script.push_back(fmt::format("amend 2 {}", total));
  script.emplace_back("expect 2 open");
  script.emplace_back("expect orders 1");
  const Session session = run_client(native_options(market), script);
  EXPECT_TRUE(says(session, "1 rejected: ")) << session.text();
  EXPECT_TRUE(says(session, "2 amended: ")) << session.text();
  EXPECT_TRUE(says(session, "2 not changed: ")) << session.text();
  EXPECT_FALSE(says(session, "2 rejected: ")) << session.text();
}

TEST(TradeServers, quote_at_the_venue_itself) {
  const Market market(with_native_user());
  const Session session = run_client(native_options(market), quoting("KAGA"));
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
}

TEST(TradeServers, recover_what_the_venue_said_before) {
  const Market market(with_native_user());
  EXPECT_EQ(run_client(native_options(market), {"buy 100 KAGA @ 99.5", "sell 30 KAGA @ 99.5"}).outcome,
            TradeOutcome::done);
  TradeOptions options = native_options(market);
  for (const std::string& line : market.description())
    if (line.find("recovery") != std::string::npos)
      options.native->recovery = {market.venue_address().host,
                                  static_cast<std::uint16_t>(std::stoi(line.substr(line.rfind(':') + 1)))};
  ASSERT_TRUE(options.native->recovery.has_value());
  const Session session = run_client(options);
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  // Two acceptances, two sides of a trade, and the end of what was left.
  EXPECT_TRUE(says(session, "logged on to the venue as NATIVE, 5 reports recovered")) << session.text();
  EXPECT_TRUE(says(session, "bought 30 @ 99.5, 70 left")) << session.text();
}

TEST(TradeServers, say_why_the_venue_did_not_take_the_logon) {
  const Market market(with_native_user());
  TradeOptions options = native_options(market);
  options.password = "wrong";
  const Session session = run_client(options);
  EXPECT_EQ(session.outcome, TradeOutcome::unreachable);
  EXPECT_TRUE(says(session, "did not take the logon: name or password is wrong")) << session.text();
}

/// A venue whose closing call begins at once and ends in three seconds, whatever the time is.
VenueConfig closing_soon() {
  using namespace std::chrono;
  VenueConfig config = Market::venue_config();
  const auto of_day = duration_cast<seconds>(system_clock::now().time_since_epoch()) % days{1};
  // Venue time is shortly after noon.
  config.utc_offset_minutes = static_cast<std::int32_t>(12 * 60 - duration_cast<minutes>(of_day).count());
  const auto now = hours{12} + of_day % minutes{1};
  config.segments.push_back({.name = "RICE",
                             .timetable = {.start_of_day = hours{0},
                                           .opening_call = hours{1},
                                           .opening = hours{1},
                                           .closing_call = hours{2},
                                           .closing = now + seconds{3},
                                           .cross_end = hours{13},
                                           .end_of_day = hours{24}}});
  for (simulate::InstrumentConfig& instrument : config.instruments) instrument.segment = "RICE";
  return config;
}

TEST(TradeServers, take_an_offset_order_through_the_closing_auction_in_5_0_sp2) {
  const Market market(closing_soon(), all_speak(FixVersion::fix_5_0_sp2));
  // The reference is 100: half a per cent above it for a buyer.
  const Session session = run_client(
      options_for(market, "KONOIKE", FixVersion::fix_5_0_sp2),
      {"buy 100 KAGA offset 50 close named owner=retail", "sell 100 KAGA @ 100.5 close executing=7:algo algo",
       "expect 1 filled within 20", "expect 2 filled within 20", "expect 1 average 100.5", "expect position KAGA 0"});
  EXPECT_EQ(session.outcome, TradeOutcome::done) << session.text();
  EXPECT_TRUE(says(session, "1 filled: bought 100 KAGA @ 100.5, 0 left, average 100.5")) << session.text();
}

}  // namespace
}  // namespace dojima::app
