#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

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
