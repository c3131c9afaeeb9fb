// A gateway's journal and message log, as its configuration names them.

#include "dojima/app/gateway/gateway_journal.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/gateway/gateway_folder_test_support.hpp"
#include "dojima/app/gateway/gateway_server.hpp"

namespace dojima::app {
namespace {

class GatewayJournalTest : public GatewayFolderTest {
 protected:
  /// The server, or the error's text.
  std::string make(std::unique_ptr<GatewayServer>& server) {
    auto made = GatewayServer::make(config_, [this](const std::string& line) { lines_.push_back(line); });
    if (!made) return made.error();
    server = std::move(*made);
    return "";
  }
};

TEST_F(GatewayJournalTest, are_begun_and_recovered_and_belong_to_one_process) {
  std::unique_ptr<GatewayServer> first, second;
  ASSERT_EQ(make(first), "");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0], "journal " + config_.journal.directory + ": new");
  const auto where = first->start();
  ASSERT_TRUE(where);
  bool is_logged = false;
  for (const std::string& line : first->describe(*where))
    is_logged |= line == "orders and FIX sessions in " + config_.journal.directory + ", durability process";
  EXPECT_TRUE(is_logged);
  const std::string refused = make(second);
  EXPECT_NE(refused.find("cannot be locked"), std::string::npos) << refused;
  EXPECT_NE(refused.find("what to do"), std::string::npos) << refused;
  EXPECT_NE(refused.find("or be its standby: dojima gateway --follow DIR"), std::string::npos) << refused;
  first.reset();
  lines_.clear();
  ASSERT_EQ(make(second), "");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("recovered up to record"), std::string::npos) << lines_[0];
  EXPECT_NE(lines_[0].find(std::to_string(config_.gateway.clients.size()) + " sessions, 0 messages, 0 open orders"),
            std::string::npos)
      << lines_[0];
}

TEST_F(GatewayJournalTest, that_cannot_be_had_are_an_error_for_a_person) {
  std::unique_ptr<GatewayServer> server;
  config_.message_log.file = "/nowhere/at/all.log";
  EXPECT_NE(make(server).find("/nowhere/at/all.log: No such file or directory"), std::string::npos);
  config_.message_log.file = "";
  config_.journal.directory = "/dev/null/fix";
  EXPECT_NE(make(server).find("the directory cannot be made"), std::string::npos);
}

TEST_F(GatewayJournalTest, have_room_for_their_spare_segments) {
  const std::string text = text_of(default_gateway());
  const std::vector<Override> small{{"journal.megabytes", "16"}};
  const auto refused = parse_gateway(text, "gateway.toml", small);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("segment_megabytes * (spare_segments + 17)"), std::string::npos) << refused.error();
  const std::vector<Override> enough{{"journal.megabytes", "448"}};
  EXPECT_TRUE(parse_gateway(text, "gateway.toml", enough));
}

}  // namespace
}  // namespace dojima::app
