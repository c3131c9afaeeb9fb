#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/verify.hpp"

namespace dojima::cli {
namespace {

/// A folder of its own, gone with the test.
class FillFiles {
 public:
  FillFiles() : folder_(std::filesystem::temp_directory_path() / ("dojima_fill_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~FillFiles() { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  std::filesystem::path folder_;
};

constexpr const char* k_market =
    "dojima queue-reactive 1\n"
    "symbol RICE\nprice_decimals 4\nquantity_decimals 0\ntick 100\nreference 1000000\norder_quantity 100\n"
    "start_ns 1700000000000000000\nlength_ns 240000000000\nlengths 4\nfollow 500\ndistances 1 3\n"
    "rates 0 0 900000 0 0 1\nrates 0 1 500000 100000 300000 1\nrates 0 2 400000 200000 300000 1\n"
    "rates 0 3 100000 300000 400000 1\n"
    "rates 1 0 300000 0 0 1\nrates 1 1 200000 100000 300000 1\nrates 1 2 100000 200000 300000 1\n"
    "rates 1 3 0 300000 300000 1\n";

TEST(QueueFill, goes_from_parameters_to_a_day_and_to_judged_forecasts) {
  const FillFiles files;
  const std::string market = files.write("rice.qr", k_market);
  const auto generate = [&](const char* name) {
    return call({"gen", "--model", "queue-reactive", "--like", market, "--seed", "3", "--out", files.path(name),
                 "--no-progress"});
  };
  ASSERT_EQ(generate("one.csv").status, k_success);
  ASSERT_EQ(generate("two.csv").status, k_success);
  EXPECT_EQ(files.read("one.csv"), files.read("two.csv"));
  const Outcome judged = call({"queue", "fill", files.path("one.csv"), "--fit-until", "50%", "--horizon", "5",
                               "--place", "any", "--runs", "10", "--no-progress", "--json"});
  ASSERT_EQ(judged.status, k_success) << judged.err;
  EXPECT_TRUE(evidence::verify(judged.out).is_right());
  const auto artefact = evidence::Artefact::from(*evidence::parse_document(judged.out));
  ASSERT_TRUE(artefact.has_value()) << artefact.error();
  ASSERT_EQ(artefact->charts().size(), 2u);
  EXPECT_EQ(artefact->charts()[0].curves.size(), 5u);
  const evidence::Table& skill = artefact->tables()[1];
  EXPECT_EQ(skill.rows.size(), 9u);
  EXPECT_GT(artefact->tables()[2].rows.size(), 4u) << "places";
}

TEST(QueueFillLong, calibrates_a_market_that_gen_takes) {
  const FillFiles files;
  const std::string market = files.write("rice.qr", k_market);
  ASSERT_EQ(call({"gen", "--model", "queue-reactive", "--like", market, "--out", files.path("day.csv")}).status,
            k_success);
  const Outcome outcome = call({"queue", "calibrate", files.path("day.csv"), "--out", files.path("again.qr")});
  ASSERT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(files.read("again.qr"), "dojima queue-reactive 1\nsymbol RICE\n"));
  EXPECT_TRUE(contains(files.read("again.qr"), "order_quantity 100\n"));
  ASSERT_EQ(call({"gen", "--model", "queue-reactive", "--like", files.path("again.qr"), "--requests", "50", "--out",
                  files.path("again.csv")})
                .status,
            k_success);
  ASSERT_EQ(call({"gen", "--model", "queue-reactive", "--like", files.path("day.csv"), "--requests", "50", "--out",
                  files.path("like.csv")})
                .status,
            k_success);
  EXPECT_EQ(files.read("again.csv"), files.read("like.csv"));
}

TEST(QueueFill, says_in_one_line_what_is_missing) {
  const FillFiles files;
  const auto complaint = [](std::vector<std::string> words) {
    const Outcome outcome = call(std::move(words));
    EXPECT_EQ(outcome.status, k_usage);
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    return outcome.err;
  };
  EXPECT_TRUE(contains(complaint({"gen", "--model", "queue-reactive", "--out", files.path("x.csv")}), "--like"));
  const std::string market = files.write("rice.qr", k_market);
  ASSERT_EQ(
      call({"gen", "--model", "queue-reactive", "--like", market, "--requests", "20", "--out", files.path("short.csv")})
          .status,
      k_success);
  EXPECT_TRUE(contains(complaint({"queue", "fill", files.path("short.csv"), "--fit-until", "50%"}),
                       "no order could be followed for 10 s"));
  EXPECT_TRUE(contains(complaint({"queue", "fill", files.path("short.csv"), "--fit-until", "half"}), "--fit-until"));
  EXPECT_TRUE(contains(complaint({"queue", "fill", files.path("short.csv"), "--fit-until", "0%"}), "between"));
  EXPECT_TRUE(contains(complaint({"queue", "fill", files.path("short.csv"), "--only", "OATS", "--fit-until", "50%"}),
                       "no orders of OATS"));
  EXPECT_TRUE(contains(complaint({"queue", "fill", "-", "--fit-until", "50%"}), "twice"));
  const std::string broken = files.write("broken.qr", "dojima queue-reactive 9\n");
  EXPECT_TRUE(contains(complaint({"gen", "--model", "queue-reactive", "--like", broken, "--out", files.path("y.csv")}),
                       "line 1: version 1"));
}

}  // namespace
}  // namespace dojima::cli
