// Clients made of QuickFIX, in every version that the gateway speaks, through a whole trading day of the venue: an
// opening, an intraday and a closing auction, trading between them and at the closing price, the end of the day. Each
// kind of order has an instrument of its own, so that what it meets there is known; the reports to its client are
// held against docs/auction-table.md. In real time, over sockets. With DOJIMA_QUICKFIXJ, the class path of
// tests/quickfixj, the clients are made of QuickFIX/J (tests/quickfixj/trading_day.py).

#include "quickfix_client.hpp"
#include "quickfixj_client.hpp"
#include "running_server.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dojima/app/config.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/app/venue_server.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/gateway/fix_version.hpp"
#include "dojima/net/free_port_test_support.hpp"

namespace dojima {
namespace {

using interop::Field;
using interop::QuickFixClient;
using interop::QuickFixJClient;
using interop::Received;
using namespace std::chrono_literals;

enum class Phase : std::uint8_t { opening_call, morning, intraday_call, afternoon, closing_call, cross };

/// An order to buy 100, and what is offered to it.
struct Case {
  std::string name;
  Phase enters;
  std::vector<Field> fields;
  Phase met;             ///< when the other client sells: before the order where that is the same phase
  std::string expected;  ///< ExecType/OrdStatus, with the lots of a fill behind a colon
  std::vector<std::string> versions = {"FIX.4.2", "FIX.4.4", "FIX.5.0SP2"};
  bool is_triggered = false;  ///< ten of what is sold trade with somebody else, behind the order
  bool has_mid = false;       ///< a bid and an offer are there before the order, their mid is 100
  std::string sold = "60";
};

/// A date and an instant that the day does not reach, and one that it does.
std::tm utc_in(std::chrono::seconds from_now) {
  const std::time_t at = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now() + from_now);
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  return parts;
}

std::string date_in(std::chrono::seconds from_now) {
  const std::tm parts = utc_in(from_now);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d", &parts)};
}

std::string instant_in(std::chrono::seconds from_now) {
  const std::tm parts = utc_in(from_now);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%d-%H:%M:%S", &parts)};
}

std::vector<Case> cases() {
  const Field limit{40, "2"}, price{44, "100"}, market{40, "1"};
  const std::vector<std::string> latest{"FIX.5.0SP2"};
  const std::string in_part = "0/0 F/1:60 C/C", parked = "0/0 9/9 0/0 F/1:60 C/C";
  std::vector<Case> all = {
      {"limit in the opening call", Phase::opening_call, {limit, price}, Phase::opening_call, in_part},
      {"market in the opening call", Phase::opening_call, {market}, Phase::opening_call, in_part},
      {"at the opening", Phase::opening_call, {limit, price, {59, "2"}}, Phase::opening_call, in_part},
      {"at the opening, market", Phase::opening_call, {market, {59, "2"}}, Phase::opening_call, in_part},
      {"for the next auction", Phase::opening_call, {limit, price, {59, "9"}}, Phase::opening_call, in_part},
      {"for scheduled auctions", Phase::opening_call, {limit, price, {59, "C"}}, Phase::opening_call, in_part},
      {"for the intraday auction", Phase::morning, {limit, price, {59, "8"}}, Phase::intraday_call, parked},
      {"limit", Phase::morning, {limit, price, {59, "0"}}, Phase::afternoon, in_part},
      {"market", Phase::morning, {market}, Phase::morning, in_part},
      {"immediate or cancel", Phase::morning, {limit, price, {59, "3"}}, Phase::morning, in_part},
      {"fill or kill", Phase::morning, {limit, price, {59, "4"}}, Phase::morning, "0/0 C/C"},
      {"fill or kill, all of it", Phase::morning, {limit, price, {59, "4"}}, Phase::morning, "0/0 F/2:100"},
      {"stop", Phase::morning, {{40, "3"}, {99, "100"}}, Phase::morning, "0/0 9/9 F/1:50 C/C"},
      {"stop limit", Phase::morning, {{40, "4"}, {99, "100"}, price}, Phase::morning, "0/0 9/9 F/1:50 C/C"},
      {"iceberg",
       Phase::morning,
       {limit, price, {111, "20"}},
       Phase::afternoon,
       "0/0 F/1:20 D/1 F/1:20 D/1 F/1:20 D/1 C/C"},
      {"hidden", Phase::morning, {limit, price, {111, "0"}}, Phase::afternoon, in_part},
      {"random peaks",
       Phase::morning,
       {limit, price, {1084, "3"}, {1138, "20"}},
       Phase::afternoon,
       "0/0 in all 60 C/C",
       latest},
      {"pegged", Phase::morning, {{40, "P"}}, Phase::afternoon, in_part},
      {"pegged with a limit", Phase::morning, {{40, "P"}, price, {110, "10"}}, Phase::afternoon, in_part},
      {"pegged without a mid", Phase::morning, {{40, "P"}}, Phase::afternoon, "0/0 C/C"},
      {"until tomorrow",
       Phase::morning,
       {limit, price, {59, "6"}, {432, date_in(48h)}},
       Phase::afternoon,
       "0/0 F/1:60"},
      {"until an instant",
       Phase::opening_call,
       {limit, price, {59, "6"}, {126, instant_in(16s)}},
       Phase::opening_call,
       in_part},
      {"passive only", Phase::morning, {limit, price, {27010, "1"}}, Phase::afternoon, in_part},
      {"at the close", Phase::morning, {limit, price, {59, "7"}}, Phase::closing_call, parked},
      {"at the close, market", Phase::closing_call, {market, {59, "7"}}, Phase::closing_call, in_part},
      {"offset", Phase::afternoon, {{40, "F"}, {59, "7"}, {27018, "1"}}, Phase::closing_call, parked},
      {"closing price cross", Phase::morning, {limit, price, {386, "1"}, {336, "a"}}, Phase::cross, parked},
      {"auction volume discovery", Phase::morning, {limit, price, {59, "D"}}, Phase::morning, "8/8"},
      {"volume discovery and cross", Phase::morning, {limit, price, {59, "E"}}, Phase::morning, "8/8"}};
  for (Case& each : all) {
    each.is_triggered = each.name.starts_with("stop");
    each.has_mid = each.name == "pegged" || each.name == "pegged with a limit";
    if (each.name == "fill or kill, all of it") each.sold = "100";
  }
  return all;
}

constexpr auto k_logon_patience = 20s;  // until all are logged on: a JVM takes its time

/// Where each phase has begun, from the start of the test, with time for what is sent before it ends.
constexpr std::chrono::milliseconds k_phase = 3s;
constexpr std::chrono::milliseconds k_settling = 400ms;

/// The clock says noon at the venue now.
struct Noon {
  std::chrono::system_clock::time_point start = std::chrono::system_clock::now();
  [[nodiscard]] time::Duration since_midnight() const {
    return std::chrono::hours{12} + (start - std::chrono::floor<std::chrono::minutes>(start));
  }
  /// So many minutes the venue's midnight is before UTC's.
  [[nodiscard]] std::int32_t offset() const {
    const auto of_day = start - std::chrono::floor<std::chrono::days>(start);
    return 12 * 60 - static_cast<std::int32_t>(std::chrono::floor<std::chrono::minutes>(of_day).count());
  }
  [[nodiscard]] venue::Segment segment() const {
    const time::Duration now = since_midnight();
    const auto after = [&](int phases) { return now + phases * k_phase; };
    return {.name = "DAY",
            .timetable = {.start_of_day = now - 1h,
                          .opening_call = now - 1min,
                          .opening = after(2),
                          .intraday_call = after(3),
                          .intraday = after(4),
                          .closing_call = after(5),
                          .closing = after(6),
                          .cross_end = after(7),
                          .end_of_day = after(7) + 500ms,
                          .random_end = {},
                          .extension = {},
                          .extensions = 0},
            .bands = {}};
  }
  void wait_for(Phase phase) const {
    constexpr int k_begins[] = {0, 2, 3, 4, 5, 6};  // in phases
    const int begins = k_begins[static_cast<int>(phase)];
    if (begins != 0) std::this_thread::sleep_until(start + begins * k_phase + k_settling);
  }
};

std::string symbol_of(std::size_t at, const std::string& version) {
  return "I" + std::to_string(at) + "-" + version.substr(version.size() - 3);
}

struct Market {
  explicit Market(const std::vector<Case>& all) : venue(app::default_venue()), gateway(app::default_gateway()) {
    venue.listen.port = gateway.venue_port = net::testing::free_port();
    const simulate::InstrumentConfig like = venue.instruments.front();
    venue.instruments.clear();
    gateway.gateway.symbols.clear();
    for (std::size_t at = 0; at < all.size(); ++at) {
      for (const std::string& version : all[at].versions) {
        simulate::InstrumentConfig instrument = like;
        instrument.id = static_cast<std::uint32_t>(2001 + venue.instruments.size());
        instrument.symbol = symbol_of(at, version);
        instrument.segment = "DAY";
        instrument.reference = market::Price{100 * market::k_price_scale};
        venue.instruments.push_back(instrument);
        gateway.gateway.symbols.push_back({instrument.symbol, instrument.id});
      }
    }
    gateway.listen.port = 0;
    gateway.gateway.reconnect = 50ms;
    const gateway::ClientConfig client = gateway.gateway.clients.front();
    const simulate::VenueUserConfig user = venue.users.front();
    gateway.gateway.clients.clear();
    venue.users.clear();
    for (const char* name : {"SELLER", "FIX42", "FIX44", "FIX50"}) {
      simulate::VenueUserConfig added = user;
      added.name = name;
      venue.users.push_back(added);
      gateway::ClientConfig row = client;
      row.comp_id = row.venue_user = name;
      row.venue_password = user.password;
      row.defaults.auto_cancel = false;
      gateway.gateway.clients.push_back(row);
    }
    gateway.gateway.clients[1].version = gateway::FixVersion::fix_4_2;
    gateway.gateway.clients[3].version = gateway::FixVersion::fix_5_0_sp2;
  }
  /// Its day is at noon now.
  [[nodiscard]] app::VenueConfig venue_at(const Noon& noon) const {
    app::VenueConfig made = venue;
    made.utc_offset_minutes = noon.offset();
    made.segments = {noon.segment()};
    return made;
  }
  app::VenueConfig venue;
  app::GatewayConfig gateway;
};

/// What was reported to a client of an order, in words: "0/0 F/1:60 C/C". FIX 4.2 says a fill by its status.
std::string reports_of(const std::vector<Received>& received, const std::string& id) {
  std::string words;
  for (const Received& each : received) {
    if (each.cl_ord_id != id && each.ref_id != id) continue;
    words += words.empty() ? "" : " ";
    if (each.msg_type != "8") {
      words += each.msg_type + " " + each.text;
      continue;
    }
    const bool is_fill = each.exec_type == "F" || each.exec_type == "1" || each.exec_type == "2";
    words += (is_fill ? "F" : each.exec_type) + "/" + each.ord_status;
    if (is_fill) words += ":" + each.last_qty;
  }
  return words;
}

/// The same where the sizes of peaks are random: fills, and what was said of the peaks between them, as one sum.
std::string summed(const std::string& words) {
  std::istringstream each(words);
  std::string made;
  int lots = 0;
  for (std::string word; each >> word;) {
    if (word.starts_with("F/1:"))
      lots += std::stoi(word.substr(4));
    else if (word.starts_with("C/"))
      made += "in all " + std::to_string(lots) + " " + word;
    else if (!word.starts_with("D/"))
      made += word + " ";
  }
  return made;
}

/// What a client made of QuickFIX/J holds reports against: the gateway's dictionary of the version, in a file.
std::string dictionary_file(const std::string& version) {
  const std::string path = testing::TempDir() + version + ".xml";
  fix::DictionaryModel model = gateway::order_entry_dictionary(*gateway::fix_version_of(version)).models().back();
  std::erase_if(model.messages, [](const auto& message) { return message.members.empty(); });  // it wants fields
  std::ofstream(path) << fix::to_xml(model);
  return path;
}

/// Either engine.
struct DayClient {
  DayClient(std::uint16_t port, const std::string& name, const std::string& version) {
    if (const char* const class_path = std::getenv("DOJIMA_QUICKFIXJ")) {
      java = std::make_unique<QuickFixJClient>(class_path, port, name, "DOJIMA", version, dictionary_file(version),
                                               testing::TempDir());
    } else {
      native = std::make_unique<QuickFixClient>("127.0.0.1", port, name, "DOJIMA", version);
      native->start();
    }
  }
  [[nodiscard]] bool wait_logged_on(std::chrono::seconds patience) const {
    return java ? java->wait_logged_on(patience) : native->wait_logged_on(patience);
  }
  void send(const std::string& type, const std::vector<Field>& fields) const {
    java ? java->send(type, fields) : native->send(type, fields);
  }
  [[nodiscard]] std::vector<Received> received() const {
    return java ? java->received() : native->wait_received(0, 0s);
  }
  std::unique_ptr<QuickFixJClient> java;
  std::unique_ptr<QuickFixClient> native;
};

struct TradingDayLong : testing::Test {
  template <class Action>
  void each(Action action) {
    for (std::size_t at = 0; at < all.size(); ++at)
      for (const std::string& version : all[at].versions) action(all[at], symbol_of(at, version), version);
    std::this_thread::sleep_for(k_settling);  // what one client sent is there before the next one sends
  }
  void run(Phase phase) {
    noon.wait_for(phase);
    each([&](const Case& of, const std::string& symbol, const std::string&) {
      if (of.enters == phase && of.has_mid) {
        trade(symbol, '1', "10", "99");
        trade(symbol, '2', "10", "101");
      }
      if (of.met == phase && of.enters == phase) trade(symbol, '2', of.sold);
    });
    each([&](const Case& of, const std::string& symbol, const std::string& version) {
      if (of.enters == phase) enter(of, symbol, version);
    });
    each([&](const Case& of, const std::string& symbol, const std::string&) {
      if (of.met == phase && of.enters != phase) trade(symbol, '2', of.sold);
      if (of.enters == phase && of.is_triggered) trade(symbol, '1', "10");
    });
  }
  void enter(const Case& of, const std::string& symbol, const std::string& version) {
    std::vector<Field> fields{{11, of.name}, {54, "1"}, {38, "100"}, {55, symbol}};
    if (version == "FIX.4.2") fields.push_back({21, "1"});
    fields.insert(fields.end(), of.fields.begin(), of.fields.end());
    clients.at(version)->send("D", fields);
  }
  void trade(const std::string& symbol, char side, const std::string& quantity, const std::string& price = "100") {
    ++traded;
    seller->send("D", {{11, "S" + std::to_string(traded)},
                       {54, std::string(1, side)},
                       {38, quantity},
                       {55, symbol},
                       {40, "2"},
                       {44, price}});
  }

  std::vector<Case> all;  // made when the day begins: some name instants
  Noon noon;
  std::unique_ptr<interop::Running<app::VenueServer>> venue;
  std::unique_ptr<interop::Running<app::GatewayServer>> gateway;
  std::map<std::string, std::unique_ptr<DayClient>> clients;
  std::unique_ptr<DayClient> seller;
  int traded = 0;
};

TEST_F(TradingDayLong, gives_each_order_of_each_version_the_reports_that_its_phases_call_for) {
  all = cases();
  const Market market(all);
  gateway = std::make_unique<interop::Running<app::GatewayServer>>(market.gateway, [](const std::string&) {});
  const auto client = [&](const std::string& name, const std::string& version) {
    return std::make_unique<DayClient>(gateway->port(), name, version);
  };
  seller = client("SELLER", "FIX.4.4");
  clients["FIX.4.2"] = client("FIX42", "FIX.4.2");
  clients["FIX.4.4"] = client("FIX44", "FIX.4.4");
  clients["FIX.5.0SP2"] = client("FIX50", "FIX.5.0SP2");
  ASSERT_TRUE(seller->wait_logged_on(k_logon_patience));
  for (const auto& [version, each] : clients) ASSERT_TRUE(each->wait_logged_on(k_logon_patience)) << version;
  all = cases();
  noon = Noon();
  venue = std::make_unique<interop::Running<app::VenueServer>>(market.venue_at(noon));
  std::this_thread::sleep_for(1s);  // until the gateway's users have logged on there
  for (const Phase phase :
       {Phase::opening_call, Phase::morning, Phase::intraday_call, Phase::afternoon, Phase::closing_call, Phase::cross})
    run(phase);
  std::this_thread::sleep_until(noon.start + 7 * k_phase + 1500ms);
  for (const auto& [version, each] : clients) {
    const std::vector<Received> received = each->received();
    for (const Case& of : all) {
      if (std::ranges::find(of.versions, version) == of.versions.end()) continue;
      const std::string words = reports_of(received, of.name);
      EXPECT_EQ(of.name == "random peaks" ? summed(words) : words, of.expected) << version << ": " << of.name;
    }
  }
}

}  // namespace
}  // namespace dojima
