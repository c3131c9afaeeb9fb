// A gateway that follows the journal of another one, as the program runs it.

#include "dojima/app/gateway/gateway_standby.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/admin_client.hpp"
#include "dojima/app/gateway/gateway_folder_test_support.hpp"
#include "dojima/app/gateway/gateway_server.hpp"
#include "dojima/journal/file_journal.hpp"
#include "dojima/net/address.hpp"

namespace dojima::app {
namespace {

class GatewayStandbyTest : public GatewayFolderTest {
 protected:
  GatewayStandbyTest() {
    config_.admin.token_file = (folder_ / "token").string();
    config_.standby.poll = std::chrono::milliseconds{1};
  }

  GatewayServer::Log log() {
    return [this](const std::string& line) { lines_.push_back(line); };
  }
  std::unique_ptr<GatewayStandby> follow() {
    auto made = GatewayStandby::make(config_, log());
    EXPECT_TRUE(made) << (made ? "" : made.error());
    const auto started = (*made)->start();
    EXPECT_TRUE(started) << (started ? "" : started.error());
    return std::move(*made);
  }
  [[nodiscard]] bool has_line(const std::string& part) const {
    return std::ranges::any_of(lines_, [&](const auto& line) { return line.find(part) != std::string::npos; });
  }
};

/// The address in "admin and metrics http://HOST:PORT, token in FILE".
link::Address watched_at(const GatewayStandby& standby) {
  const std::string line = standby.describe().at(1);
  const std::size_t begin = line.find("//") + 2;
  return net::parse_address(line.substr(begin, line.find(',') - begin)).value();
}

TEST_F(GatewayStandbyTest, becomes_the_gateway_when_that_has_ended) {
  auto primary = GatewayServer::make(config_, log()).value();
  const link::Address where = primary->start().value();
  lines_.clear();
  config_.listen.port = where.port;  // the same one
  config_.standby.admin_port = 0;
  const auto standby = follow();
  const AdminServer watched{.address = watched_at(*standby), .token_file = config_.admin.token_file};
  int looks = 0;
  const auto server = standby->run([&] {
    if (++looks > 20'000) return true;
    if (primary == nullptr || looks % 20 != 0) return false;
    const std::string metrics = page_of(watched, "/metrics")->text;
    if (metrics.find("\ndojima_standby_sessions 2\n") == std::string::npos) return false;
    EXPECT_TRUE(page_of(watched, "/live")->is_good);
    const auto ready = page_of(watched, "/ready");
    EXPECT_FALSE(ready->is_good);
    EXPECT_EQ(ready->text, "it is a standby: another gateway has the journal\n");
    EXPECT_NE(metrics.find("\ndojima_standby_behind_seconds 0\n"), std::string::npos) << metrics;
    EXPECT_TRUE(lines_.empty()) << lines_.front();
    primary.reset();
    return false;
  });
  ASSERT_TRUE(server) << server.error();
  ASSERT_NE(*server, nullptr);
  EXPECT_TRUE(has_line("lock taken, its writer is gone")) << lines_.front();
  EXPECT_TRUE(has_line("2 sessions, 0 messages, 0 open orders"));
  EXPECT_TRUE(has_line("takeover: journal "));
  const auto again = (*server)->start();
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->port, where.port);
  EXPECT_TRUE(has_line("takeover: ports taken "));
  EXPECT_FALSE(GatewayServer::make(config_, log())) << "it has the journal now";
}

TEST_F(GatewayStandbyTest, ends_on_request) {
  const auto primary = GatewayServer::make(config_, log()).value();
  const auto standby = follow();
  EXPECT_EQ(standby->describe().size(), 1u) << "nobody is answered";
  const auto server = standby->run([] { return true; });
  ASSERT_TRUE(server);
  EXPECT_EQ(*server, nullptr);
}

TEST_F(GatewayStandbyTest, says_what_it_cannot_follow) {
  config_.journal.directory = "";
  const auto nowhere = GatewayStandby::make(config_, log());
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().find("--follow DIR"), std::string::npos);

  config_.journal.directory = (folder_ / "mistyped").string();
  const auto mistyped = GatewayStandby::make(config_, log());
  ASSERT_FALSE(mistyped);
  EXPECT_NE(mistyped.error().find("mistyped: there is no such directory"), std::string::npos) << mistyped.error();
  EXPECT_FALSE(std::filesystem::exists(config_.journal.directory)) << "nothing was made";
  std::filesystem::create_directories(config_.journal.directory);
  std::ofstream(folder_ / "mistyped" / "notes.txt") << "nothing of a gateway";
  const auto empty = GatewayStandby::make(config_, log());
  ASSERT_FALSE(empty);
  EXPECT_NE(empty.error().find("mistyped: no gateway has begun a journal there"), std::string::npos) << empty.error();

  config_.journal.directory = (folder_ / "venue").string();
  std::filesystem::create_directories(config_.journal.directory);
  const auto disk = journal::RealDisk::open(config_.journal.directory).value();
  const auto other = journal::FileJournal::open(
      *disk, {.identity = journal::Identity::of("venue"), .segment_bytes = std::size_t{1} << 20});
  ASSERT_TRUE(other);
  const auto standby = follow();
  const auto server = standby->run([] { return false; });
  ASSERT_FALSE(server);
  EXPECT_NE(server.error().find("the directory holds the journal of another"), std::string::npos) << server.error();
}

}  // namespace
}  // namespace dojima::app
