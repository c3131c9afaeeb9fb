// A venue and a gateway as the programs run them, the venue operated as `dojima admin` does.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/passwords/scrypt.hpp"
#include "dojima/app/servers_test_support.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

/// A venue with a journal that can end and begin again, and a gateway in front of it.
class VenueAdminTest : public ::testing::Test {
 protected:
  VenueAdminTest() : folder_(std::filesystem::temp_directory_path() / "dojima-venue-admin-XXXXXX") {
    std::string name = folder_.string();
    folder_ = ::mkdtemp(name.data());
    config_ = default_venue();
    config_.listen.port = 0;
    config_.idle = net::IdlePolicy::block;
    config_.admin.port = 0;
    config_.admin.token_file = (folder_ / "token").string();
    config_.journal.directory = (folder_ / "journal").string();
    config_.journal.segment_megabytes = 1;
    config_.logon.failures = 2;
  }
  ~VenueAdminTest() override {
    end();
    std::filesystem::remove_all(folder_);
  }
  void begin() {
    is_over_ = false;
    auto made = VenueServer::make(config_, [this](const std::string& line) {
      const std::scoped_lock lock(mutex_);
      said_ += line + "\n";
    });
    ASSERT_TRUE(made) << made.error();
    venue_ = std::move(*made);
    const auto where = venue_->start();
    ASSERT_TRUE(where) << where.error();
    config_.listen.port = where->port;
    for (const std::string& line : venue_->describe(*where))
      if (const std::size_t at = line.find("http://"); at != std::string::npos)
        server_ = {.address = net::parse_address(line.substr(at + 7, line.find(',') - at - 7)).value(),
                   .token_file = config_.admin.token_file};
    threads_.emplace_back([this] { venue_->run([this] { return is_over_.load(); }); });
  }
  void begin_gateway() {
    GatewayConfig config = default_gateway();
    config.listen.port = 0;
    config.idle = net::IdlePolicy::block;
    config.venue_port = config_.listen.port;
    gateway_ = std::make_unique<GatewayServer>(config, [](const std::string&) {});
    clients_at_ = gateway_->start().value();
    threads_.emplace_back([this] {
      gateway_->run([this] {
        is_up_ = gateway_->gateway().is_venue_up();
        return is_over_.load();
      });
    });
    while (!is_up_) std::this_thread::yield();
  }
  void end() {
    is_over_ = true;
    threads_.clear();
    gateway_.reset();
    venue_.reset();
    is_up_ = false;
  }
  [[nodiscard]] AdminAnswer say(const Lines& words) const {
    const auto answer = command(server_, words);
    EXPECT_TRUE(answer.has_value()) << answer.error();
    return answer.value_or(AdminAnswer{});
  }
  /// What the client prints.
  std::string trade(Lines lines, const std::string& sender = "KONOIKE") {
    return testing::trade({clients_at_}, std::move(lines), sender).text();
  }
  [[nodiscard]] std::string of_status(const std::string& what) const {
    for (const auto& row : say({"status"}).rows)
      if (row[0] == what) return row[1];
    return "nothing";
  }
  /// All lines of the venue's log.
  [[nodiscard]] std::string said() {
    const std::scoped_lock lock(mutex_);
    return said_;
  }
  /// The column of a user's row.
  [[nodiscard]] std::string of_user(const std::string& name, std::size_t column) const {
    for (const auto& row : say({"users"}).rows)
      if (row[0] == name) return row[column];
    return "nobody";
  }

  std::filesystem::path folder_;
  std::mutex mutex_;
  std::string said_;
  VenueConfig config_;
  std::atomic<bool> is_over_{false}, is_up_{false};
  std::unique_ptr<VenueServer> venue_;
  std::unique_ptr<GatewayServer> gateway_;
  link::Address clients_at_;
  AdminServer server_;
  std::vector<std::jthread> threads_;
};

TEST_F(VenueAdminTest, shows_what_it_does_and_what_it_has) {
  begin();
  begin_gateway();
  trade({"buy 100 KAGA @ 99.5"});
  EXPECT_TRUE(page_of(server_, "/ready")->is_good);
  EXPECT_EQ(say({"sessions"}).rows.size(), 2u);
  EXPECT_EQ(of_user("KONOIKE", 4), "1");
  const AdminAnswer instruments = say({"instruments"});
  EXPECT_EQ(instruments.rows.at(0).at(1), "KAGA");
  EXPECT_EQ(instruments.rows.at(0).at(4), "continuous");
  EXPECT_EQ(instruments.rows.at(0).at(5), "99.5");
  EXPECT_EQ(say({"status"}).text, "ready");
  std::string figures;
  for (int tries = 0; tries < 500 && figures.find("dojima_venue_live_orders{partition=\"1\"} 1") == std::string::npos;
       ++tries) {
    figures = page_of(server_, "/metrics")->text;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_NE(figures.find("dojima_venue_live_orders{partition=\"1\"} 1"), std::string::npos) << figures;
  EXPECT_NE(figures.find("dojima_venue_users_logged_on 2"), std::string::npos) << figures;
  EXPECT_NE(figures.find("dojima_venue_commands_refused_total{reason=\"killed\"} 0"), std::string::npos) << figures;
}

TEST_F(VenueAdminTest, times_some_requests_and_commands_in_each_stage_of_their_way) {
  begin();
  begin_gateway();
  Lines lines;
  for (int number = 0; number < 64; ++number) lines.push_back("buy 1 KAGA @ 99");
  trade(lines);
  const auto count_of = [&](const std::string& labels) {
    const std::string figures = page_of(server_, "/metrics")->text;
    const std::string name = "\ndojima_venue_stage_seconds_count{" + labels + "} ";
    const std::size_t at = figures.find(name);
    return at == std::string::npos ? -1 : std::stoi(figures.substr(at + name.size()));
  };
  for (const char* labels : {"stage=\"read\"", "stage=\"report\"", "stage=\"encode\"", "stage=\"send\"",
                             "stage=\"journal\",partition=\"1\"", "stage=\"match\",partition=\"1\""}) {
    for (int tries = 0; tries < 500 && count_of(labels) < 1; ++tries) std::this_thread::sleep_for(10ms);
    EXPECT_GE(count_of(labels), 1) << labels;
    EXPECT_LE(count_of(labels), 32) << labels << ": one in sixteen, the first one among them";
  }
}

TEST_F(VenueAdminTest, kills_and_revives_a_user_and_cancels_what_is_open) {
  begin();
  begin_gateway();
  trade({"buy 100 KAGA @ 99.5", "buy 7 KAGA @ 99"});
  trade({"buy 5 KAGA @ 98"}, "YODOYA");
  EXPECT_EQ(say({"cancel", "KONOIKE", "HIGO"}).text, "0 orders of KONOIKE are cancelled");
  EXPECT_TRUE(say({"kill", "KONOIKE", "cancel", "--", "limit", "breach"}).is_done);
  EXPECT_EQ(of_user("KONOIKE", 4), "0");
  EXPECT_EQ(of_user("KONOIKE", 5), "killed");
  EXPECT_EQ(of_user("YODOYA", 4), "1") << "nobody else's";
  EXPECT_NE(trade({"buy 1 KAGA @ 99"}).find("20905"), std::string::npos);
  EXPECT_NE(trade({"buy 1 KAGA @ 97"}, "YODOYA").find("accepted"), std::string::npos);
  EXPECT_EQ(say({"kill", "KONOIKE"}).text, "the kill switch of KONOIKE is already set");
  const auto audit = say({"audit"}).rows;
  ASSERT_EQ(audit.size(), 2u);
  EXPECT_EQ(audit[0][2], "cancel KONOIKE HIGO");
  EXPECT_EQ(audit[1][1].substr(0, 10), "127.0.0.1:");
  EXPECT_EQ(audit[1][2], "kill KONOIKE cancel");
  EXPECT_EQ(audit[1][3], "limit breach");
  EXPECT_EQ(audit[1][5], "may log on, killed");
  end();
  begin();
  begin_gateway();
  EXPECT_EQ(of_user("KONOIKE", 5), "killed") << "in the next life, too";
  EXPECT_TRUE(say({"revive", "all"}).is_done);
  EXPECT_NE(trade({"buy 1 KAGA @ 99"}).find("accepted"), std::string::npos);
}

TEST_F(VenueAdminTest, sets_limits_shows_what_is_used_and_says_what_is_wrong_with_them) {
  begin();
  begin_gateway();
  EXPECT_EQ(say({"limits"}).text, "no limits are set");
  trade({"buy 100 KAGA @ 99.5", "buy 7 KAGA @ 99"});
  EXPECT_EQ(say({"limits", "KONOIKE", "max_open_orders=1"}).text, "max_open_orders=1 is below what is used: 2");
  EXPECT_EQ(say({"limits"}).text, "no limits are set") << "none of it is set";
  EXPECT_EQ(say({"limits", "KONOIKE", "max_open_orders=2", "max_quantity=50", "--", "told", "by", "phone"}).text,
            "2 limits of KONOIKE are set");
  EXPECT_NE(trade({"buy 1 KAGA @ 98"}).find("20014"), std::string::npos) << "one more open order";
  EXPECT_NE(trade({"buy 1 KAGA @ 98"}, "YODOYA").find("accepted"), std::string::npos);
  std::vector<std::string> row;
  for (const auto& each : say({"limits", "KONOIKE"}).rows)
    if (each[2] == "max_open_orders") row = each;
  ASSERT_EQ(row.size(), 7u);
  EXPECT_EQ(row[0], "KONOIKE");
  EXPECT_EQ(row[3], "2");
  EXPECT_EQ(row[4], "2") << "what is used";
  EXPECT_EQ(row[6], "operator");
  EXPECT_NE(say({"limits", "KONOIKE", "max_orders=2"}).text.find("is no limit; KEY=VALUE with one of"),
            std::string::npos);
  EXPECT_FALSE(say({"limits", "KONOIKE", "max_quantity=-1"}).is_done);
  EXPECT_FALSE(say({"limits", "KONOIKE", "SAKE", "max_quantity=1"}).is_done) << "no such instrument";
  EXPECT_FALSE(say({"limits", "all", "max_open_orders=9"}).is_done) << "nothing is counted of everybody";
  EXPECT_TRUE(say({"limits", "KONOIKE", "max_open_orders=0"}).is_done);
  EXPECT_NE(trade({"buy 1 KAGA @ 98"}).find("accepted"), std::string::npos);
  end();
  begin();
  EXPECT_EQ(say({"limits"}).rows.size(), 1u) << "the largest quantity, at the next start too";
  EXPECT_EQ(say({"audit"}).rows.at(0).at(3), "told by phone");
}

TEST_F(VenueAdminTest, cancels_and_kills_by_account) {
  begin();
  begin_gateway();
  trade({"buy 1 KAGA @ 99 account=HOUSE", "buy 2 KAGA @ 98 account=OTHER"});
  trade({"buy 3 HIGO @ 97 account=HOUSE"}, "YODOYA");
  EXPECT_EQ(say({"cancel", "account:HOUSE", "KAGA"}).text, "1 orders of account:HOUSE are cancelled");
  EXPECT_TRUE(say({"kill", "account:HOUSE", "cancel"}).is_done);
  EXPECT_EQ(of_user("YODOYA", 4), "0");
  EXPECT_EQ(of_user("KONOIKE", 4), "1") << "the other account's";
  EXPECT_NE(trade({"buy 1 KAGA @ 99 account=HOUSE"}).find("20905"), std::string::npos);
  EXPECT_NE(trade({"buy 1 KAGA @ 99 account=OTHER"}).find("accepted"), std::string::npos);
  EXPECT_TRUE(say({"revive", "account:HOUSE"}).is_done);
  EXPECT_NE(trade({"buy 1 KAGA @ 99 account=HOUSE"}).find("accepted"), std::string::npos);
  EXPECT_FALSE(say({"kill", "account:"}).is_done);
  EXPECT_FALSE(say({"cancel", "all", "SAKE"}).is_done);
}

TEST_F(VenueAdminTest, suspends_delists_and_lists_instruments_beyond_a_restart) {
  begin();
  begin_gateway();
  trade({"buy 1 KAGA @ 99", "buy 2 HIGO @ 98"});
  EXPECT_EQ(say({"suspend", "KAGA", "--", "news"}).text, "orders in 1 instruments are refused");
  EXPECT_EQ(say({"instruments"}).rows.at(0).at(7), "suspended");
  EXPECT_EQ(say({"instruments"}).rows.at(2).at(7), "listed");
  EXPECT_NE(trade({"buy 1 KAGA @ 99"}).find("20030"), std::string::npos);
  EXPECT_NE(trade({"buy 1 HIGO @ 97"}).find("accepted"), std::string::npos);
  EXPECT_EQ(of_user("KONOIKE", 4), "3") << "what is open stays";
  EXPECT_EQ(say({"suspend", "KAGA"}).text, "KAGA is not listed already");
  EXPECT_TRUE(say({"delist", "HIGO"}).is_done);
  EXPECT_EQ(of_user("KONOIKE", 4), "1") << "those of HIGO are cancelled";
  end();
  begin();
  EXPECT_EQ(say({"instruments"}).rows.at(0).at(7), "suspended");
  EXPECT_EQ(say({"instruments"}).rows.at(2).at(7), "suspended");
  EXPECT_TRUE(say({"list", "KAGA"}).is_done);
  EXPECT_EQ(say({"list", "KAGA"}).text, "KAGA is listed");
  EXPECT_FALSE(say({"suspend", "all"}).is_done);
  EXPECT_FALSE(say({"delist", "SAKE"}).is_done);
  begin_gateway();
  EXPECT_NE(trade({"buy 1 KAGA @ 99"}).find("accepted"), std::string::npos);
}

TEST_F(VenueAdminTest, takes_no_orders_beyond_the_days_of_an_instrument) {
  using std::chrono::days;
  const auto today = std::chrono::floor<days>(std::chrono::system_clock::now());
  config_.instruments.at(0).last_day = today + days{30};
  config_.instruments.at(2).first_day = today + days{30};
  begin();
  begin_gateway();
  EXPECT_EQ(say({"instruments"}).rows.at(0).at(7), "listed");
  EXPECT_EQ(say({"instruments"}).rows.at(2).at(7), "not today");
  const std::string refused = trade({"buy 1 HIGO @ 98"});
  EXPECT_NE(refused.find("20030"), std::string::npos) << refused;
  EXPECT_NE(trade({"buy 1 KAGA @ 99"}).find("accepted"), std::string::npos);
  end();
  config_.instruments.at(0).last_day = today - days{1};
  config_.instruments.at(2).first_day.reset();
  begin();
  EXPECT_EQ(say({"instruments"}).rows.at(0).at(7), "not today");
  EXPECT_EQ(say({"instruments"}).rows.at(2).at(7), "listed");
  EXPECT_EQ(of_user("KONOIKE", 4), "0") << "nothing stays open";
}

TEST_F(VenueAdminTest, locks_survive_a_restart) {
  begin();
  EXPECT_TRUE(say({"lock", "KONOIKE", "--", "left", "the", "firm"}).is_done);
  EXPECT_EQ(say({"lock", "KONOIKE"}).text, "KONOIKE is already locked");
  EXPECT_EQ(say({"lock", "NOBODY"}).text, "there is no user NOBODY; users lists them");
  end();
  begin();
  EXPECT_EQ(of_user("KONOIKE", 5), "locked");
  EXPECT_TRUE(say({"unlock", "KONOIKE"}).is_done);
  EXPECT_EQ(of_user("KONOIKE", 5), "");
  EXPECT_EQ(say({"audit", "1"}).rows.at(0).at(2), "unlock KONOIKE");
}

TEST_F(VenueAdminTest, takes_no_limit_of_an_instrument_away_while_that_of_all_would_be_exceeded) {
  using enum market::LimitKind;
  const simulate::LimitConfig of_all{.user = "KONOIKE", .account = {}, .instrument = {}, .values = {{position, 10}}};
  const simulate::LimitConfig of_one{
      .user = "KONOIKE", .account = {}, .instrument = "KAGA", .values = {{position, 200}}};
  config_.limits = {of_all, of_one};
  begin();
  begin_gateway();
  trade({"sell 50 KAGA @ 99"}, "YODOYA");
  trade({"buy 50 KAGA @ 99"});
  EXPECT_EQ(say({"limits", "KONOIKE", "KAGA", "max_position=0"}).text,
            "max_position=0 leaves the limit of all instruments, which is below what is used: 50");
  EXPECT_EQ(say({"limits", "KONOIKE"}).rows.size(), 3u) << "both, and the position itself";
  end();
  config_.limits = {of_all};
  try {
    static_cast<void>(VenueServer::make(config_));
    ADD_FAILURE() << "the one of KAGA was taken away";
  } catch (const std::invalid_argument& error) {
    EXPECT_TRUE(std::string_view(error.what())
                    .starts_with("the limit max_position of the user KONOIKE in KAGA is not in the configuration any "
                                 "more, and cannot be taken away: "))
        << error.what();
  }
  // Both go, in whichever order they were set.
  config_.limits = {};
  begin();
  for (const auto& row : say({"limits"}).rows) EXPECT_EQ(row.at(2), "position");
}

TEST_F(VenueAdminTest, lets_passwords_expire) {
  begin();
  EXPECT_EQ(say({"expire", "KONOIKE"}).text, "users cannot choose passwords here: logon.new_passwords is false");
  end();
  config_.logon.takes_new_passwords = true;
  begin();
  EXPECT_FALSE(say({"expire"}).is_done);
  EXPECT_EQ(say({"expire", "NOBODY"}).text, "there is no user NOBODY; users lists them");
  EXPECT_TRUE(say({"expire", "KONOIKE", "--", "seen", "on", "a", "desk"}).is_done);
  EXPECT_EQ(say({"expire", "KONOIKE"}).text, "KONOIKE has to choose a new password already");
  end();
  begin();
  EXPECT_EQ(of_user("KONOIKE", 5), "expired");
  EXPECT_EQ(say({"audit", "1"}).rows.at(0).at(2), "expire KONOIKE");
}

TEST_F(VenueAdminTest, knows_users_by_what_scrypt_made_of_their_passwords_and_keeps_readers_from_trading) {
  ASSERT_EQ(config_.users.at(0).name, "KONOIKE");
  config_.users[0].password = scrypt_text(config_.users[0].password, {.ln = 10});
  config_.users[1].role = simulate::UserRole::read;
  begin();
  begin_gateway();
  EXPECT_NE(trade({"buy 1 KAGA @ 99"}).find("accepted"), std::string::npos);
  EXPECT_EQ(trade({"buy 1 KAGA @ 97"}, config_.users[1].name).find("accepted"), std::string::npos);
  EXPECT_EQ(say({"limits", config_.users[1].name}).rows.at(0).at(3), "no");
  end();
  config_.users[1].role = simulate::UserRole::trade;
  begin();
  begin_gateway();
  EXPECT_NE(trade({"buy 1 KAGA @ 97"}, config_.users[1].name).find("accepted"), std::string::npos);
}

TEST_F(VenueAdminTest, keeps_readers_from_trading_whatever_was_said_of_them_before) {
  const std::string reader = config_.users.at(1).name, other = config_.users.at(0).name;
  begin();
  ASSERT_TRUE(say({"limits", reader, "permitted=yes"}).is_done);
  ASSERT_TRUE(say({"limits", reader, "KAGA", "permitted=yes"}).is_done);
  // What the operator has taken away is remembered, too.
  ASSERT_TRUE(say({"limits", other, "permitted=no"}).is_done);
  ASSERT_TRUE(say({"limits", other, "permitted="}).is_done);
  end();
  config_.users[0].role = config_.users[1].role = simulate::UserRole::read;
  for (int start = 0; start < 2; ++start) {
    begin();
    begin_gateway();
    for (const std::string& name : {reader, other}) {
      EXPECT_EQ(trade({"buy 1 KAGA @ 97"}, name).find("accepted"), std::string::npos) << name;
      const auto rows = say({"limits", name}).rows;
      ASSERT_EQ(rows.size(), 1u) << name;
      EXPECT_EQ(rows[0].at(1) + rows[0].at(2) + " " + rows[0].at(3), "permitted no");
      const AdminAnswer answer = say({"limits", name, "KAGA", "permitted=yes"});
      EXPECT_FALSE(answer.is_done);
      EXPECT_NE(answer.text.find(name + " has the role read"), std::string::npos) << answer.text;
      EXPECT_FALSE(say({"limits", name, "permitted=yes"}).is_done);
      EXPECT_TRUE(say({"limits", name, "max_rate=0"}).is_done);
    }
    end();
  }
  config_.users[1].role = simulate::UserRole::trade;
  begin();
  begin_gateway();
  EXPECT_NE(trade({"buy 1 KAGA @ 97"}, reader).find("accepted"), std::string::npos);
}

TEST_F(VenueAdminTest, halts_resumes_and_sets_phases) {
  begin();
  begin_gateway();
  EXPECT_TRUE(say({"halt", "KAGA", "--", "news"}).is_done);
  EXPECT_EQ(say({"instruments"}).rows.at(0).at(4), "halted");
  EXPECT_EQ(say({"instruments"}).rows.at(1).at(4), "continuous");
  EXPECT_EQ(trade({"buy 1 KAGA @ 99"}).find("accepted"), std::string::npos);
  EXPECT_TRUE(say({"resume", "all"}).is_done);
  EXPECT_EQ(say({"instruments"}).rows.at(0).at(4), "continuous");
  EXPECT_TRUE(say({"phase", "KAGA", "opening-call"}).is_done);
  EXPECT_EQ(say({"instruments"}).rows.at(0).at(4), "opening-call");
  EXPECT_FALSE(say({"phase", "KAGA", "lunch"}).is_done);
  EXPECT_FALSE(say({"halt", "SAKE"}).is_done);
  EXPECT_TRUE(say({"phase", "all", "continuous"}).is_done);
  trade({"buy 9 KAGA @ 99"});
  EXPECT_EQ(of_user("KONOIKE", 4), "1");
  EXPECT_TRUE(say({"end-of-day"}).is_done);
  EXPECT_EQ(of_user("KONOIKE", 4), "0") << "day orders have expired";
}

TEST_F(VenueAdminTest, a_call_before_the_first_trade_has_the_last_close_as_its_reference) {
  config_.trades = 64;
  begin();
  begin_gateway();
  EXPECT_TRUE(say({"phase", "KAGA", "opening-call"}).is_done);
  EXPECT_NE(trade({"buy 5 KAGA market"}).find("accepted"), std::string::npos);
  EXPECT_NE(trade({"sell 5 KAGA market"}, "YODOYA").find("accepted"), std::string::npos);
  EXPECT_TRUE(say({"phase", "KAGA", "continuous"}).is_done);
  const std::string wanted = "dojima_venue_used{what=\"trades\",partition=\"1\"} 1\n";
  std::string figures;
  for (int tries = 0; tries < 500 && figures.find(wanted) == std::string::npos; ++tries) {
    figures = page_of(server_, "/metrics")->text;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_NE(figures.find(wanted), std::string::npos) << figures;
}

TEST_F(VenueAdminTest, shows_how_much_of_every_capacity_is_used) {
  config_.spare_users = 3;
  config_.password_file = (folder_ / "passwords").string();
  config_.logon.takes_new_passwords = true;
  config_.levels = 128;
  config_.trades = 64;
  begin();
  begin_gateway();
  EXPECT_TRUE(say({"user", "add", "SUMITOMO", scrypt_text("Rice#2026", {.ln = 10, .r = 1, .p = 1})}).is_done);
  EXPECT_TRUE(say({"limits", "KONOIKE", "max_open_orders=100"}).is_done);
  trade({"buy 1 KAGA @ 97", "buy 1 KAGA @ 98", "buy 1 KAGA @ 99", "sell 1 KAGA @ 101"});
  trade({"sell 1 KAGA @ 99"}, "YODOYA");
  const auto is_in = [](const std::string& text, const std::string& what, int count) {
    const std::string line = "{" + what + "} " + std::to_string(count) + "\n";
    return text.find("dojima_venue_used" + line) != std::string::npos;
  };
  const std::string of_first = ",partition=\"1\"";
  std::string figures;
  for (int tries = 0; tries < 500 && !is_in(figures, "what=\"trades\"" + of_first, 1); ++tries) {
    figures = page_of(server_, "/metrics")->text;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(is_in(figures, "what=\"trades\"" + of_first, 1)) << figures;
  EXPECT_TRUE(is_in(figures, "what=\"levels\"" + of_first, 2)) << figures;
  EXPECT_TRUE(is_in(figures, "what=\"spare users\"", 1)) << figures;
  EXPECT_FALSE(is_in(figures, "what=\"limits\"" + of_first, 0)) << figures;
  EXPECT_TRUE(is_in(figures, "what=\"recent orders\"" + of_first, 0)) << figures;
  for (const char* line : {"{what=\"spare users\"} 3\n", "{what=\"levels\",partition=\"1\"} 128\n",
                           "{what=\"trades\",partition=\"1\"} 64\n", "{what=\"limits\",partition=\"1\"} 65536\n"})
    EXPECT_NE(figures.find("dojima_venue_capacity" + std::string(line)), std::string::npos) << line << figures;
}

TEST_F(VenueAdminTest, shows_refusals_of_books_and_partitions_by_their_reasons) {
  begin();
  begin_gateway();
  EXPECT_TRUE(say({"phase", "HIGO", "closed"}).is_done);
  trade({"buy 1 KAGA @ 99.305", "buy 1 KAGA @ 99.305", "buy 1 HIGO @ 99", "buy 1 KAGA @ 99"});
  const auto figure = [](const char* reason, int count) {
    return "dojima_venue_commands_refused_total{reason=\"" + std::string(reason) + "\"} " + std::to_string(count) +
           "\n";
  };
  std::string figures;
  for (int tries = 0; tries < 500 && figures.find(figure("off tick", 2)) == std::string::npos; ++tries) {
    figures = page_of(server_, "/metrics")->text;
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_NE(figures.find(figure("off tick", 2)), std::string::npos) << figures;
  EXPECT_NE(figures.find(figure("book closed", 1)), std::string::npos) << figures;
  EXPECT_NE(figures.find(figure("unknown order", 0)), std::string::npos) << figures;
  EXPECT_NE(figures.find(figure("other", 0)), std::string::npos) << figures;
}

TEST_F(VenueAdminTest, tells_a_segment_from_an_instrument_of_the_same_name) {
  config_.segments.push_back(example_segment());
  const std::string segment = example_segment().name;
  config_.instruments[0].segment = config_.instruments[1].segment = segment;
  config_.instruments[2].symbol = segment;
  begin();
  EXPECT_EQ(say({"halt", segment}).text, "1 instruments get the command: halt");
  EXPECT_EQ(say({"instruments"}).rows.at(2).at(4), "halted");
  EXPECT_EQ(say({"halt", "segment:" + segment}).text, "2 instruments get the command: halt");
  EXPECT_EQ(say({"resume", "instrument:" + segment}).text, "1 instruments get the command: resume");
  EXPECT_EQ(say({"suspend", "segment:" + segment}).text, "orders in 2 instruments are refused");
  EXPECT_TRUE(say({"cancel", "all", "segment:" + segment}).is_done);
  EXPECT_EQ(say({"phase", "segment:" + segment, "closed"}).text,
            config_.instruments[0].symbol + " follows the timetable of its segment; halt and resume go before it");
  EXPECT_TRUE(say({"phase", "instrument:" + segment, "closed"}).is_done);
  EXPECT_EQ(say({"instruments"}).rows.at(2).at(4), "closed");
  EXPECT_EQ(say({"halt", "segment:SAKE"}).text, "there is no segment SAKE; instruments lists them");
  EXPECT_EQ(say({"halt", "instrument:SAKE"}).text, "there is no instrument SAKE; instruments lists them");
  EXPECT_EQ(say({"halt", "SAKE"}).text, "there is no instrument or segment SAKE; instruments lists them");
  EXPECT_EQ(say({"bust", "segment:" + segment, "1"}).text,
            "there is no instrument " + segment + "; instruments lists them");
  EXPECT_FALSE(say({"halt", "segment:all"}).is_done);
  EXPECT_FALSE(say({"halt", "segment:"}).is_done);
}

TEST_F(VenueAdminTest, adds_users_with_limits_and_into_an_account) {
  config_.spare_users = 1;
  config_.spare_user_kinds = {{.places = 2, .user = {.account = "HOUSE", .throttle = 50, .order_quantity = 500}}};
  config_.password_file = (folder_ / "passwords").string();
  config_.logon.takes_new_passwords = true;
  config_.users[0].account = "HOUSE";
  begin();
  const std::string kept = scrypt_text("Rice#2026", {.ln = 10, .r = 1, .p = 1});
  // What cannot be said adds nobody.
  EXPECT_EQ(say({"user", "add", "SUMITOMO", kept, "max_open_orders=many"}).text,
            say({"limits", "KONOIKE", "max_open_orders=many"}).text);
  EXPECT_EQ(say({"user", "add", "SUMITOMO", kept, "read", "permitted=yes"}).text,
            "permitted=yes: SUMITOMO has the role read, which permits no orders in any instrument; user role SUMITOMO "
            "trade changes that");
  EXPECT_EQ(say({"user", "add", "SUMITOMO", kept, "account=NONE"}).text,
            "no place with the account NONE is left; there are some with HOUSE");
  EXPECT_EQ(of_user("SUMITOMO", 5), "nobody");
  EXPECT_EQ(say({"user", "add", "SUMITOMO", kept, "max_open_orders=3", "account=HOUSE", "max_rate=20"}).text,
            "SUMITOMO is user 3 and may trade; its account is HOUSE, 2 limits are set");
  EXPECT_EQ(say({"user", "add", "MITSUI", kept}).text, "MITSUI is user 2 and may trade; it has no account");
  EXPECT_EQ(say({"user", "add", "ONO", kept}).text,
            "no place without an account is left; there are some with HOUSE: account=ACCOUNT");
  EXPECT_EQ(say({"user", "add", "ONO", kept, "account=HOUSE", "first"}).text,
            "ONO is user 4 and may trade, once it has chosen a password; its account is HOUSE");
  EXPECT_EQ(say({"user", "add", "KASHIMA", kept, "account=HOUSE"}).text,
            "all places are taken: limits.spare_users and [[spare_user]] have 3, and a journal keeps as many as it "
            "began with");
  EXPECT_TRUE(say({"user", "remove", "MITSUI"}).is_done);
  EXPECT_EQ(say({"user", "add", "MITSUI", kept, "account=HOUSE"}).text,
            "MITSUI comes back in its own place, which has no account");
  const auto limits = [&] {
    Lines lines;
    for (const auto& row : say({"limits", "SUMITOMO"}).rows) lines.push_back(row[2] + "=" + row[3]);
    std::ranges::sort(lines);
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
  };
  for (int life = 0; life < 2; ++life) {
    SCOPED_TRACE(life);
    EXPECT_EQ(limits(), (Lines{"max_open_orders=3", "max_rate=20"}));
    EXPECT_EQ(of_user("SUMITOMO", 1), "HOUSE");
    EXPECT_EQ(of_user("ONO", 1), "HOUSE");
    end();
    if (life == 0) begin();
  }
  // As many places, of these kinds, as the journal began with.
  config_.spare_user_kinds[0].places = 3;
  const auto refused = VenueServer::make(config_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("users"), std::string::npos) << refused.error();
}

TEST_F(VenueAdminTest, keeps_no_password_of_a_command_that_was_mistyped) {
  config_.spare_users = 1;
  config_.password_file = (folder_ / "passwords").string();
  begin();
  const std::string secret = "Rice#2026", kept = scrypt_text(secret, {.ln = 10, .r = 1, .p = 1});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"users", "add", "ANN", secret},
                                                {"user", "ad", "ANN", secret},
                                                {"user", "add", "ANN", secret},
                                                {"user", "add", secret, "ANN"},
                                                {"user", "add", secret},
                                                {"user", secret},
                                                {"user", "add", "ANN", kept, secret},
                                                {"user", "password", "KONOIKE", secret},
                                                {"user", "expire", "ANN", secret},
                                                {"usr", "add", "ANN", secret},
                                                {"add", secret},
                                                {secret},
                                                {"expire", "KONOIKE", secret},
                                                {"lock", "KONOIKE", secret},
                                                {"status", secret}}) {
    const AdminAnswer answer = say(words);
    EXPECT_FALSE(answer.is_done) << admin_line(words);
    EXPECT_EQ(answer.text.find(secret), std::string::npos) << answer.text;
  }
  EXPECT_TRUE(say({"user", "password", "KONOIKE", kept}).is_done);
  const AdminAnswer audit = say({"audit"});
  for (const auto& row : audit.rows)
    for (const std::string& cell : row) EXPECT_EQ(cell.find(secret), std::string::npos) << cell;
  end();
  EXPECT_NE(said(), "");
  EXPECT_EQ(said().find(secret), std::string::npos) << said();
  EXPECT_EQ(said().find(kept.substr(10)), std::string::npos) << said();
  EXPECT_NE(said().find("user ad *** ***"), std::string::npos) << said();
}

TEST_F(VenueAdminTest, adds_changes_and_removes_users_which_the_next_start_remembers) {
  config_.spare_users = 1;
  config_.password_file = (folder_ / "passwords").string();
  config_.logon.takes_new_passwords = true;
  begin();
  const std::string kept = scrypt_text("Rice#2026", {.ln = 10, .r = 1, .p = 1});
  EXPECT_EQ(say({"users"}).rows.size(), 2u) << "a place that nobody has is not shown";
  EXPECT_EQ(say({"user", "add", "SUMITOMO", "Rice#2026"}).text,
            "a password is never sent as it is, but as what dojima config hash-password makes of it: "
            "$scrypt$ln=14,r=8,p=1$SALT$KEY");
  EXPECT_FALSE(say({"user", "add", "SUMITOMO", "$scrypt$nonsense"}).is_done);
  EXPECT_FALSE(say({"user", "add", "KONOIKE", kept}).is_done);
  EXPECT_FALSE(say({"user", "add", "all", kept}).is_done);
  EXPECT_FALSE(say({"user", "add", "SUMITOMO", kept, "trader"}).is_done);
  EXPECT_FALSE(say({"user", "marry", "KONOIKE"}).is_done);
  EXPECT_FALSE(say({"user"}).is_done);
  EXPECT_EQ(say({"user", "add", "SUMITOMO", kept, "read", "first", "--", "joins"}).text,
            "SUMITOMO is user 2 and may read, once it has chosen a password; it has no account");
  EXPECT_EQ(say({"user", "add", "MITSUI", kept}).text,
            "all places are taken: limits.spare_users and [[spare_user]] have 1, and a journal keeps as many as it "
            "began with");
  EXPECT_EQ(of_user("SUMITOMO", 5), "reads, expired");
  EXPECT_FALSE(say({"limits", "SUMITOMO", "permitted=yes"}).is_done);
  EXPECT_TRUE(say({"user", "role", "KONOIKE", "read"}).is_done);
  EXPECT_FALSE(say({"user", "role", "KONOIKE", "read"}).is_done);
  EXPECT_FALSE(say({"user", "role", "NOBODY", "read"}).is_done);
  EXPECT_TRUE(say({"user", "password", "KONOIKE", kept}).is_done);
  EXPECT_TRUE(say({"user", "lock", "YODOYA"}).is_done);
  EXPECT_TRUE(say({"user", "remove", "YODOYA"}).is_done);
  EXPECT_FALSE(say({"user", "remove", "YODOYA"}).is_done);
  for (int life = 0; life < 2; ++life) {
    SCOPED_TRACE(life);
    EXPECT_EQ(of_user("KONOIKE", 5), "reads");
    EXPECT_EQ(of_user("SUMITOMO", 5), "reads, expired");
    EXPECT_EQ(of_user("YODOYA", 5), "removed");
    end();
    if (life == 0) begin();
  }
  // The role that the operator takes back holds against a configuration that says otherwise.
  config_.users[0].role = simulate::UserRole::read;
  begin();
  EXPECT_TRUE(say({"user", "role", "KONOIKE", "trade"}).is_done);
  EXPECT_TRUE(say({"user", "role", "SUMITOMO", "trade"}).is_done);
  EXPECT_TRUE(say({"user", "add", "YODOYA", kept}).is_done) << "in its own place";
  end();
  begin();
  EXPECT_EQ(of_user("KONOIKE", 5), "");
  EXPECT_EQ(of_user("SUMITOMO", 5), "expired");
  EXPECT_EQ(of_user("YODOYA", 5), "");
  const AdminAnswer audit = say({"audit"});
  bool is_masked = false;
  for (const auto& row : audit.rows)
    for (const std::string& cell : row) {
      EXPECT_EQ(cell.find(kept), std::string::npos) << cell;
      is_masked = is_masked || cell == "user add SUMITOMO $scrypt$... read first";
    }
  EXPECT_TRUE(is_masked);
  // And as many places as the journal began with.
  end();
  config_.spare_users = 2;
  const auto refused = VenueServer::make(config_);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("users"), std::string::npos) << refused.error();
  config_.spare_users = 1;
}

TEST_F(VenueAdminTest, begins_the_next_day_with_numbers_from_1_and_gateways_go_on) {
  begin();
  begin_gateway();
  trade({"buy 5 KAGA @ 99"});
  EXPECT_TRUE(say({"next-day", "--", "closing"}).is_done);
  for (int tries = 0; tries < 500 && of_status("day") != "1"; ++tries) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(of_status("day"), "1");
  EXPECT_EQ(of_user("KONOIKE", 4), "0") << "day orders have expired";
  for (int tries = 0; tries < 1000 && say({"sessions"}).rows.size() != 2; ++tries) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(say({"sessions"}).rows.size(), 2u) << "the gateway is back";
  EXPECT_NE(trade({"buy 5 KAGA @ 98"}).find("accepted"), std::string::npos);
  EXPECT_EQ(of_user("KONOIKE", 4), "1");
  // The next life goes on with the day.
  end();
  begin();
  EXPECT_EQ(of_status("day"), "1");
  EXPECT_FALSE(say({"next-day", "now"}).is_done);
}

TEST_F(VenueAdminTest, holds_the_recovery_channel_back_and_lets_it_go_on) {
  config_.recovery_port = -1;
  begin();
  EXPECT_EQ(say({"recovery", "off"}).text, "there is no recovery channel: recovery.port is not set");
  end();
  config_.recovery_port = 0;
  begin();
  EXPECT_EQ(say({"recovery", "off", "1", "--", "repairs"}).text, "the recovery channel serves nothing of partition 1");
  EXPECT_EQ(say({"recovery", "off", "1"}).text, "nothing of partition 1 is served already");
  EXPECT_EQ(say({"recovery", "on"}).text, "the recovery channel serves every partition again");
  EXPECT_EQ(say({"recovery", "on"}).text, "every partition is served already");
  EXPECT_EQ(say({"recovery", "off", "9"}).text, "there is no partition 9; instruments has them");
  EXPECT_EQ(say({"recovery"}).text, "recovery takes off or on, and may be followed by the number of a PARTITION");
  EXPECT_EQ(say({"recovery", "away"}).is_done, false);
  std::vector<std::string> written;
  for (const auto& row : say({"audit"}).rows) written.push_back(row[2]);
  EXPECT_EQ(written, (std::vector<std::string>{"recovery off 1", "recovery on"}));
}

TEST_F(VenueAdminTest, takes_trades_back_and_drains) {
  begin();
  begin_gateway();
  trade({"buy 5 KAGA @ 99"});
  trade({"sell 5 KAGA @ 99"}, "YODOYA");
  const std::uint64_t trade_number = venue_->exchange().partitions().front()->next_trade() - 1;
  const std::string number = std::to_string(trade_number);
  EXPECT_EQ(say({"correct", "KAGA", number, "98.5"}).text, "trade " + number + " of KAGA has the price 98.5 now");
  EXPECT_FALSE(say({"correct", "KAGA", number, "98.5"}).is_done) << "it has it";
  EXPECT_FALSE(say({"correct", "KAGA", number, "-1"}).is_done);
  EXPECT_FALSE(say({"correct", "KAGA", number, "much"}).is_done);
  EXPECT_FALSE(say({"correct", "KAGA", number}).is_done);
  EXPECT_TRUE(say({"bust", "KAGA", std::to_string(trade_number), "--", "wrong", "price"}).is_done);
  EXPECT_FALSE(say({"bust", "KAGA", std::to_string(trade_number)}).is_done) << "once";
  EXPECT_FALSE(say({"bust", "KAGA", "77777"}).is_done);
  EXPECT_TRUE(say({"drain"}).is_done);
  EXPECT_EQ(trade({"buy 1 KAGA @ 99"}).find("accepted"), std::string::npos);
  EXPECT_TRUE(say({"undrain"}).is_done);
  EXPECT_NE(trade({"buy 1 KAGA @ 99"}).find("accepted"), std::string::npos);
  EXPECT_TRUE(say({"logout", "KONOIKE"}).is_done);
  EXPECT_FALSE(say({"logout", "NOBODY"}).is_done);
  std::vector<std::string> written;
  for (const auto& row : say({"audit"}).rows) written.push_back(row[2]);
  const std::string bust = "bust KAGA " + std::to_string(trade_number);
  const std::string correct = "correct KAGA " + number;
  EXPECT_EQ(written, (std::vector<std::string>{correct + " 98.5", correct + " 98.5", correct + " -1", bust, bust,
                                               "bust KAGA 77777", "drain", "undrain", "logout KONOIKE"}));
}

}  // namespace
}  // namespace dojima::app
