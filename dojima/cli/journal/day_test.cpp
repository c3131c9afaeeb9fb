// `dojima journal day` on a directory that a venue's partitions wrote: files that agree with the journal, and with what
// was seen while it was written.

#include "dojima/cli/journal/day.hpp"

#include <algorithm>
#include <chrono>
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

/// The partitions' days of the calendar, and then two of the venue's.
class VenueDaysTest : public DayFilesTest {
 protected:
  /// `corrected`: the price, in ticks, that its trade gets afterwards; 0: none.
  void begin_next_day(int lots, int corrected = 0) {
    for (std::uint8_t number = 1; number <= 2; ++number) {
      const auto disk = journal::RealDisk::open(partition(number).string());
      venue::PartitionSettings settings = venue::testing::journal_settings(number);
      settings.config.limits.trades = corrected != 0 ? 16 : 0;
      auto opened = venue::JournaledPartition::open(
          **disk, venue::testing::journal_options(settings, venue::testing::k_start + std::chrono::hours{8}));
      ASSERT_TRUE(opened) << opened.error().what;
      venue::Partition& of = (*opened)->partition();
      ASSERT_TRUE(of.begin_next_day(of.last_time()).has_value());
      market::PhaseChange open{.phase = market::Phase::continuous};
      open.header.instrument = venue::testing::k_silk;
      open.header.user = market::k_no_user;
      ASSERT_TRUE(of.submit(open.header, of.last_time()).has_value());
      for (const market::Side side : {market::Side::buy, market::Side::sell}) {
        auto order = venue::testing::make_order(
            {.user = 1, .side = side, .lots = lots, .ticks = 600, .instrument = venue::testing::k_silk});
        ASSERT_TRUE(of.submit(order.header, of.last_time()).has_value());
      }
      if (corrected != 0) {
        market::TradeCorrection correction{.trade = of.next_trade() - 1, .price = venue::testing::at(corrected)};
        correction.header.instrument = venue::testing::k_silk;
        correction.header.user = market::k_no_user;
        ASSERT_TRUE(of.submit(correction.header, of.last_time()).has_value());
      }
      for (int count = 0; count < 20; ++count) (*opened)->journal().work();
    }
  }
};

/// The next day of both partitions, with a trade of each at 600 ticks that gets another price.
TEST_F(VenueDaysTest, a_corrected_trade_has_its_price_in_the_files_and_its_value_in_the_positions) {
  begin_next_day(7, 590);
  ASSERT_EQ(day({"--day", "1"}).status, k_success) << day({"--day", "1"}).out;
  const double price = static_cast<double>(venue::testing::at(590).units) / 1e8;
  std::size_t corrected = 0;
  std::int64_t lots = 0;
  double value = 0;
  for (const DayRow& row : rows("trades.csv")) {
    lots += 2 * std::stoll(row.at("quantity"));
    value += 2 * std::stod(row.at("quantity")) * std::stod(row.at("price"));
    if (row.at("corrected").empty()) continue;
    ++corrected;
    EXPECT_EQ(std::stod(row.at("price")), price);
    EXPECT_EQ(row.at("busted"), "");
  }
  EXPECT_EQ(corrected, 2u) << "one of each partition";
  for (const DayRow& row : rows("positions.csv")) {
    lots -= std::stoll(row.at("bought")) + std::stoll(row.at("sold"));
    value -= std::stod(row.at("bought_value")) + std::stod(row.at("sold_value"));
  }
  EXPECT_EQ(lots, 0) << "positions are the trades, each with its two sides";
  EXPECT_NEAR(value, 0, 1e-6);
  bool is_there = false;
  for (const DayRow& row : rows("audit.csv"))
    is_there |= row.at("what") == "correct trade" && row.at("who") == "operator";
  EXPECT_TRUE(is_there);
}

using VenueDaysLong = VenueDaysTest;

TEST_F(VenueDaysLong, journal_day_has_the_files_of_a_numbered_day_and_holds_others_against_it) {
  ASSERT_EQ(day().status, k_success);
  const std::size_t trades_before = rows("trades.csv").size();
  begin_next_day(7);
  begin_next_day(9);
  ASSERT_EQ(day({"--day", "0"}).status, k_success) << day({"--day", "0"}).out;
  EXPECT_EQ(rows("trades.csv").size(), trades_before);
  const Outcome second = day({"--day", "1"});
  ASSERT_EQ(second.status, k_success) << second.out << second.err;
  const auto trades = rows("trades.csv");
  ASSERT_GE(trades.size(), 2u);
  std::int64_t lots = 0;
  for (const DayRow& row : trades) lots += std::stoll(row.at("quantity"));
  EXPECT_EQ(lots, 14);
  EXPECT_EQ(rows("audit.csv").front().at("what"), "next day");
  // Orders that were over before are not there: two of this day in each partition, and what rests.
  for (const DayRow& row : rows("orders.csv"))
    EXPECT_TRUE(row.at("status") == "open" || row.at("quantity") != "0") << row.at("order");
  EXPECT_EQ(journal("day", {"--compare", out(), "--day", "1"}).status, k_success);
  const Outcome other = journal("day", {"--compare", out(), "--day", "2"});
  EXPECT_EQ(other.status, k_failed);
  EXPECT_NE((other.out + other.err).find("differs from line"), std::string::npos) << other.out << other.err;
  std::filesystem::remove(out() + "/trades.csv");
  const Outcome gone = journal("day", {"--compare", out(), "--day", "1"});
  EXPECT_EQ(gone.status, k_failed);
  EXPECT_NE((gone.out + gone.err).find("it is not there"), std::string::npos) << gone.out << gone.err;
  EXPECT_EQ(day({"--day", "3"}).status, k_failed) << "it has not begun";
}

TEST_F(VenueDaysTest, the_files_of_a_day_that_is_over_are_written_as_the_command_writes_them) {
  const auto unfinished = write_files_of_day(path(), 0, out(), {});
  ASSERT_FALSE(unfinished);
  EXPECT_EQ(unfinished.error(), "the journal does not hold all of it yet");
  begin_next_day(7);
  const auto written = write_files_of_day(path(), 0, out(), {});
  ASSERT_TRUE(written) << written.error();
  EXPECT_NE(written->find("trades"), std::string::npos) << *written;
  EXPECT_EQ(journal("day", {"--compare", out(), "--day", "0"}).status, k_success);
}

TEST_F(VenueDaysTest, journal_day_refuses_what_does_not_say_which_day_and_where) {
  EXPECT_EQ(day({"--day", "first"}).status, k_usage);
  EXPECT_EQ(day({"--day", "1", "--date", "2026-11-23"}).status, k_usage);
  EXPECT_EQ(day({"--compare", "elsewhere"}).status, k_usage);
  EXPECT_EQ(journal("day").status, k_usage);
}

}  // namespace
}  // namespace dojima::cli
