// `dojima journal day` on a directory that a venue's partitions wrote: files that agree with the journal, and with what
// was seen while it was written.

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "dojima/cli/journal/day_files.hpp"
#include "dojima/cli/journal/journal_test_support.hpp"

namespace dojima::cli {
namespace {

using journal_testing::flip_a_byte;
using journal_testing::Journals;
using journal_testing::read;

using DayRow = std::map<std::string, std::string>;

std::vector<std::string> split_row(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char character : line) {
    if (character == '"') {
      is_quoted = !is_quoted;
    } else if (character == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += character;
    }
  }
  return cells;
}

std::vector<DayRow> rows_of(const std::filesystem::path& file) {
  std::istringstream in(read(file));
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> columns = split_row(line);
  std::vector<DayRow> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split_row(line);
    EXPECT_EQ(cells.size(), columns.size()) << line;
    for (std::size_t at = 0; at < std::min(cells.size(), columns.size()); ++at) {
      if (at == 0) rows.emplace_back();
      rows.back()[columns[at]] = cells[at];
    }
  }
  return rows;
}

class DayFilesTest : public Journals {
 protected:
  [[nodiscard]] std::string out() const { return (folder_ / "files").string(); }
  Outcome day(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"--out", out()});
    return journal("day", words);
  }
  [[nodiscard]] std::vector<DayRow> rows(const std::string& file) const { return rows_of(out() + "/" + file); }
};

TEST_F(DayFilesTest, journal_day_writes_every_trade_with_both_its_sides) {
  const Outcome outcome = day();
  ASSERT_EQ(outcome.status, k_success) << outcome.out << outcome.err;
  const auto trades = rows("trades.csv");
  ASSERT_EQ(trades.size(), days_[0].trades.size() + days_[1].trades.size());
  std::size_t number = 0;
  for (const DayRow& row : trades) {
    const bool is_second = number >= days_[0].trades.size();
    const auto& seen = is_second ? days_[1].trades[number - days_[0].trades.size()] : days_[0].trades[number];
    EXPECT_EQ(row.at("partition"), is_second ? "partition-2" : "partition-1");
    EXPECT_EQ(row.at("quantity"), std::to_string(seen.lots));
    EXPECT_EQ(row.at("aggressor") == "auction", seen.is_auction);
    EXPECT_EQ(std::stod(row.at("price")), static_cast<double>(seen.price.units) / 1e8);
    EXPECT_FALSE(row.at("buyer").empty());
    EXPECT_FALSE(row.at("seller").empty());
    ++number;
  }
}

TEST_F(DayFilesTest, journal_day_adds_positions_and_statistics_up_to_the_trades) {
  ASSERT_EQ(day().status, k_success);
  std::map<std::string, std::int64_t> volume, bought, sold;
  for (const DayRow& row : rows("trades.csv")) volume[row.at("symbol")] += std::stoll(row.at("quantity"));
  ASSERT_EQ(volume.size(), 2u);
  for (const DayRow& row : rows("positions.csv")) {
    bought[row.at("symbol")] += std::stoll(row.at("bought"));
    sold[row.at("symbol")] += std::stoll(row.at("sold"));
    EXPECT_EQ(std::stoll(row.at("net")), std::stoll(row.at("bought")) - std::stoll(row.at("sold")));
  }
  EXPECT_EQ(bought, volume);
  EXPECT_EQ(sold, volume);
  std::map<std::string, std::int64_t> counted;
  for (const DayRow& row : rows("statistics.csv")) {
    counted[row.at("symbol")] += std::stoll(row.at("volume"));
    EXPECT_LE(std::stod(row.at("low")), std::stod(row.at("open")));
    EXPECT_GE(std::stod(row.at("high")), std::stod(row.at("close")));
  }
  EXPECT_EQ(counted, volume);
}

TEST_F(DayFilesTest, journal_day_has_every_order_and_what_became_of_it) {
  ASSERT_EQ(day().status, k_success);
  std::size_t accepted_orders = 0, open = 0;
  for (const DayRow& row : rows("orders.csv")) {
    if (row.at("status") != "rejected") ++accepted_orders;
    if (row.at("status") == "open") ++open;
    const bool is_over = row.at("status") != "open";
    EXPECT_TRUE(!is_over || row.at("leaves") == "0") << row.at("order");
    EXPECT_TRUE(row.at("status") != "filled" || row.at("quantity") == row.at("executed")) << row.at("order");
    EXPECT_TRUE(row.at("status") != "rejected" || row.at("reason") != "0") << row.at("order");
  }
  EXPECT_EQ(accepted_orders, days_[0].accepted + days_[1].accepted);
  EXPECT_EQ(open, days_[0].live_orders + days_[1].live_orders);
}

TEST_F(DayFilesTest, journal_day_lists_what_clock_users_and_operator_did) {
  ASSERT_EQ(day().status, k_success);
  std::map<std::string, int> acts;
  std::string last;
  for (const DayRow& row : rows("audit.csv")) {
    ++acts[row.at("what")];
    EXPECT_LE(last, row.at("time"));
    last = row.at("time");
  }
  EXPECT_EQ(acts["day"] >= 14, true) << "seven phases in two partitions";
  EXPECT_GE(acts["logon"], 8);
  EXPECT_GE(acts["phase"], 2);
}

TEST_F(DayFilesTest, journal_day_gives_the_same_files_again_and_none_of_a_day_without_commands) {
  ASSERT_EQ(day().status, k_success);
  const std::string orders = read(out() + "/orders.csv");
  ASSERT_EQ(day({"--date", "2027-01-15"}).status, k_success);
  EXPECT_EQ(read(out() + "/orders.csv"), orders);
  const Outcome other = day({"--date", "2027-01-16"});
  EXPECT_EQ(other.status, k_failed);
  EXPECT_TRUE(contains(other.err, "there are no commands of 2027-01-16")) << other.err;
  for (const char* const wrong : {"2027-02-30", "yesterday", "2027-1-5"}) {
    const Outcome refused = day({"--date", wrong});
    EXPECT_EQ(refused.status, k_usage) << wrong;
    EXPECT_TRUE(contains(refused.err, "is no date such as")) << refused.err;
  }
}

TEST_F(DayFilesTest, journal_day_says_what_is_damaged_and_where_it_cannot_write) {
  flip_a_byte(segment(2));
  const Outcome outcome = day();
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "partition-2")) << outcome.out;
  journal_testing::write(folder_ / "file", "");
  const Outcome no_folder = journal("day", {"--out", (folder_ / "file" / "in").string()});
  EXPECT_EQ(no_folder.status, k_environment) << no_folder.err;
  EXPECT_EQ(call({"journal", "day", path()}).status, k_usage) << "--out is required";
}

TEST(DayFileText, is_quoted_where_it_has_to_be_and_exact) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(value_text(0), "0");
  EXPECT_EQ(value_text(150'000'000), "1.5");
  EXPECT_EQ(value_text(-1), "-0.00000001");
  EXPECT_EQ(value_text(static_cast<DayValue>(9'000'000'000'000'000'000) * 1'000'000'000), "90000000000000000000");
}

}  // namespace
}  // namespace dojima::cli
