#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>

#include "dojima/app/servers_test_support.hpp"
#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

std::string content_of(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(name, std::ios::binary).rdbuf();
  return text.str();
}

TEST(LabLatency, writes_a_file_by_which_a_back_test_trades) {
  const TemporaryFolder folder;
  const std::string latencies = folder / "latency.csv", day = folder / "day.events", json = folder / "run.json";
  const Outcome measured = call({"lab", "latency", "--rounds", "5", "--gap", "0", "--out", latencies, "--no-progress"});
  EXPECT_EQ(measured.status, k_success) << measured.out << measured.err;
  for (const char* kind : {"submit", "cancel", "replace", "trade", "feed"})
    EXPECT_TRUE(contains(content_of(latencies), std::string("\n") + kind + ",")) << kind;
  ASSERT_EQ(call({"gen", "--seed", "7", "--requests", "500", "--out", day}).status, k_success);
  const Outcome run =
      call({"backtest", day, "--exchange", "orders", "--latency", latencies, "--json", json, "--no-progress"});
  EXPECT_EQ(run.status, k_success) << run.err;
  EXPECT_TRUE(contains(content_of(json), "\"lab:latency.csv#submit\"")) << content_of(json).substr(0, 2000);
}

TEST(LabLatency, takes_a_password_out_of_a_file_and_does_not_show_it) {
  const TemporaryFolder folder;
  const std::string secret = folder.write("secret", "rice-1730\n"), json = folder / "run.json";
  std::filesystem::permissions(secret, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  app::VenueConfig config = app::testing::Market::venue_config();
  config.users.push_back({.name = "NATIVE", .password = "rice-1730"});
  const app::testing::Market market(config);
  const auto measure = [&](const std::string& option, const std::string& value) {
    return call({"lab", "latency", "--venue", "127.0.0.1:" + std::to_string(market.venue_address().port), "--user",
                 "NATIVE", option, value, "--instrument", "1001", "--price", "1.00", "--rounds", "3", "--gap", "0",
                 "--no-progress", "--json", json});
  };
  for (const auto& [option, value] : {std::pair{std::string("--password-file"), secret}, {"--password", "rice-1730"}}) {
    const Outcome measured = measure(option, value);
    EXPECT_EQ(measured.status, k_success) << measured.out << measured.err;
    EXPECT_TRUE(contains(content_of(json), "\"" + option + "\""));
    EXPECT_FALSE(contains(measured.out + measured.err + content_of(json), "rice-1730")) << option;
  }
  const Outcome wrong = measure("--password", "rice-1731");
  EXPECT_EQ(wrong.status, k_environment);
  EXPECT_FALSE(contains(wrong.out + wrong.err, "rice-1731")) << wrong.err;
}

TEST(LabLatency, says_what_makes_no_sense_in_one_line) {
  const auto complaint = [](std::vector<std::string> words, int status) {
    words.insert(words.begin(), {"lab", "latency", "--no-progress", "--rounds", "1"});
    const Outcome outcome = call(words);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"--gap", "1"}, k_usage), "--gap: "));
  EXPECT_TRUE(contains(complaint({"--price", "1"}, k_usage), "are of --venue HOST:PORT"));
  EXPECT_TRUE(contains(complaint({"--venue", "x"}, k_usage), "--venue x: expected"));
  EXPECT_TRUE(contains(complaint({"--venue", "127.0.0.1:1"}, k_usage), "needs --user, --instrument and --price"));
  const std::vector<std::string> there{"--venue", "127.0.0.1:1", "--user", "A", "--password", "b", "--instrument", "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), there.begin(), there.end());
    return more;
  };
  EXPECT_TRUE(contains(complaint(with({"--price", "x"}), k_usage), "--price takes a price"));
  EXPECT_TRUE(contains(complaint(with({"--price", "1", "--dialect", "x"}), k_usage), "--dialect x: expected"));
  EXPECT_TRUE(contains(complaint(with({"--price", "1", "--feed", "x"}), k_usage), "--feed x: expected"));
  EXPECT_TRUE(contains(complaint(with({"--price", "1"}), k_environment), "nobody listens at 127.0.0.1:1"));
  const Outcome missing = call({"backtest", "day", "--latency", "nowhere.csv"});
  EXPECT_EQ(missing.status, k_usage);
  EXPECT_TRUE(contains(missing.err, "nowhere.csv: cannot be opened")) << missing.err;
}

}  // namespace
}  // namespace dojima::cli
