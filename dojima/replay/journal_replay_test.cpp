#include "dojima/replay/journal_replay.hpp"

#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <unistd.h>

#include "dojima/journal/simulated_disk.hpp"
#include "dojima/journal/survey.hpp"
#include "dojima/venue/recovery/journal_directory_test_support.hpp"

namespace dojima::replay {
namespace {

using venue::testing::DayOptions;
using venue::testing::WrittenDay;

std::string read(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

/// Two partitions, and what was written into each.
class JournalReplays : public testing::Test {
 protected:
  JournalReplays()
      : folder_((std::filesystem::temp_directory_path() / ("dojima-journal-replay-" + std::to_string(::getpid()) + "-" +
                                                           std::to_string(reinterpret_cast<std::uintptr_t>(this))))
                    .string()) {}
  ~JournalReplays() override { std::filesystem::remove_all(folder_); }

  void write(const DayOptions& options = {}) {
    write_day(disks_[0], options, days_[0]);
    DayOptions second = options;
    second.partition = 2;
    second.seed = options.seed + 1;
    write_day(disks_[1], second, days_[1]);
  }
  std::expected<JournalReplayResult, std::string> run(const JournalReplaySettings& settings = {},
                                                      const JournalReplayHooks& hooks = {}) {
    const std::vector<PartitionJournal> journals{{"partition-1", &disks_[0]}, {"partition-2", &disks_[1]}};
    time::SystemClock clock;
    return replay_journals(journals, settings, hooks, clock);
  }
  [[nodiscard]] static bool is_good(const evidence::Artefact& artefact) {
    return std::ranges::all_of(artefact.checks(), &evidence::Check::ok);
  }

  std::string folder_;
  std::array<journal::SimulatedDisk, 2> disks_;
  std::array<WrittenDay, 2> days_;
};

TEST_F(JournalReplays, gives_the_trades_and_books_that_there_were) {
  ASSERT_NO_FATAL_FAILURE(write());
  const auto result = run({.out = folder_});
  ASSERT_TRUE(result) << result.error();
  ASSERT_EQ(result->journals.size(), 2u);
  ASSERT_EQ(result->instruments.size(), 4u);
  std::vector<WrittenDay::Trade> all;
  for (std::size_t at = 0; at < 2; ++at) {
    const ReplayedJournal& of = result->journals[at];
    const WrittenDay& day = days_[at];
    all.insert(all.end(), day.trades.begin(), day.trades.end());
    ASSERT_GT(day.trades.size(), 20u);
    ASSERT_GT(day.auctions, 0u);
    EXPECT_EQ(of.trouble, "");
    EXPECT_EQ(of.digest, day.digest);
    EXPECT_EQ(of.last, day.last);
    EXPECT_EQ(of.records, day.last);
    EXPECT_EQ(of.snapshot, 0u);
    EXPECT_EQ(of.trades, day.trades.size());
    EXPECT_EQ(of.bought, of.sold);
    EXPECT_EQ(of.bought, of.lots) << "every lot that was traded was bought";
    EXPECT_EQ(std::accumulate(of.commands.begin(), of.commands.end(), std::uint64_t{0}), of.records);
    EXPECT_GE(of.commands[static_cast<std::size_t>(market::CommandType::logon)], 4u);
    std::uint64_t accepted = 0, auctions = 0, resting = 0;
    for (const ReplayedInstrument& instrument : result->instruments) {
      if (instrument.journal != of.name) continue;
      accepted += instrument.accepted;
      auctions += instrument.auctions;
      resting += instrument.resting;
      EXPECT_LE(*instrument.low, *instrument.open);
      EXPECT_LE(*instrument.last, *instrument.high);
    }
    EXPECT_EQ(accepted, day.accepted);
    EXPECT_EQ(auctions, day.auctions);
    EXPECT_LE(resting, day.live_orders);
  }
  // trades.csv: each of them, with a number that rises by one.
  const auto trades = lines_of(read(folder_ + "/trades.csv"));
  ASSERT_EQ(trades.size(), all.size() + 1);
  EXPECT_EQ(trades[0], "time,partition,instrument,symbol,trade,price,quantity,auction");
  std::map<std::string, std::uint64_t> numbers;
  for (std::size_t at = 0; at < all.size(); ++at) {
    const auto fields = fields_of(trades[at + 1]);
    ASSERT_EQ(fields.size(), 8u);
    char price[market::k_price_text_max];
    EXPECT_EQ(fields[2], std::to_string(all[at].instrument));
    EXPECT_EQ(fields[5], market::format_price(all[at].price, price));
    EXPECT_EQ(fields[6], std::to_string(all[at].lots));
    EXPECT_EQ(fields[7], all[at].is_auction ? "y" : "n");
    const std::uint64_t number = std::stoull(fields[4]);
    EXPECT_EQ(number & 0xffff, ++numbers[fields[1]]);
    EXPECT_EQ(fmt::format("partition-{}", number >> 48U), fields[1]);
  }
  // books.csv: what rests.
  std::uint64_t resting = 0;
  for (const ReplayedInstrument& instrument : result->instruments) resting += instrument.resting;
  const auto books = lines_of(read(folder_ + "/books.csv"));
  EXPECT_EQ(books.size(), resting + 1);
  EXPECT_EQ(books[0], "partition,instrument,symbol,side,price,leaves,displayed,user");
  for (std::size_t at = 1; at < books.size(); ++at)
    EXPECT_TRUE(std::set<std::string>({"ann", "bob", "cid", "dee"}).contains(fields_of(books[at]).at(7))) << books[at];
  const auto artefact = artefact_of({}, *result);
  EXPECT_TRUE(is_good(artefact));
  EXPECT_EQ(artefact.checks().size(), 4u);
}

TEST_F(JournalReplays, counts_only_the_symbols_and_times_that_were_asked_for) {
  using namespace std::chrono_literals;
  ASSERT_NO_FATAL_FAILURE(write());
  const time::Time from = venue::testing::k_start + 3h, until = venue::testing::k_start + 5h;
  const auto result = run({.symbols = {"RICE"}, .from = from, .until = until});
  ASSERT_TRUE(result) << result.error();
  ASSERT_EQ(result->instruments.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    const auto count = std::ranges::count_if(days_[at].trades, [&](const WrittenDay::Trade& trade) {
      return trade.instrument == venue::testing::k_rice && trade.time >= from && trade.time < until;
    });
    EXPECT_GT(count, 0);
    EXPECT_EQ(result->journals[at].trades, static_cast<std::uint64_t>(count));
    EXPECT_LT(result->journals[at].last_time, until);
    EXPECT_LT(result->journals[at].last, days_[at].last);
    EXPECT_EQ(result->journals[at].bought, result->journals[at].sold);
  }
  const auto unknown = run({.symbols = {"TEA"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error(), "no instrument TEA in the journals; there are RICE, SILK");
  const auto early = run({.until = venue::testing::k_start});
  ASSERT_TRUE(early);
  EXPECT_NE(early->journals[0].trouble, "");
}

TEST_F(JournalReplays, begins_with_a_snapshot_where_older_records_are_gone_and_says_so) {
  ASSERT_NO_FATAL_FAILURE(write({.commands = 700, .snapshot_every = 160, .keep = 1}));
  ASSERT_GT(journal::survey(disks_[0])->first.value, 1u);
  const auto result = run();
  ASSERT_TRUE(result) << result.error();
  const ReplayedJournal& of = result->journals[0];
  EXPECT_EQ(of.trouble, "");
  EXPECT_GT(of.snapshot, 1u);
  EXPECT_EQ(of.records, days_[0].last - of.snapshot);
  EXPECT_EQ(of.digest, days_[0].digest);
  ASSERT_GT(of.trades, 0u);
  EXPECT_LT(of.trades, days_[0].trades.size());
  EXPECT_EQ(of.bought, of.sold);
  const auto artefact = artefact_of({}, *result);
  EXPECT_NE(artefact.tables().at(0).notes.at(0).find("older records are gone"), std::string::npos);
  // Trades go on with the numbers that they had: the last one is the last one of the day.
  ASSERT_TRUE(run({.out = folder_}));
  std::uint64_t last = 0;
  for (const std::string& line : lines_of(read(folder_ + "/trades.csv")))
    if (fields_of(line)[1] == "partition-1") last = std::stoull(fields_of(line)[4]) & 0xffff;
  EXPECT_EQ(last, days_[0].trades.size());
}

TEST_F(JournalReplays, follow_a_partition_that_settings_make_anew) {
  using namespace std::chrono_literals;
  ASSERT_NO_FATAL_FAILURE(write());
  auto settings = venue::testing::journal_settings(1);
  settings.config.users[3].limits.open_orders = 7;
  std::uint64_t digest = 0;
  {
    const time::Time now = venue::testing::k_start + 20h;
    auto opened = venue::JournaledPartition::open(disks_[0], venue::testing::journal_options(settings, now));
    ASSERT_TRUE(opened) << opened.error().what;
    market::PhaseChange open{.phase = market::Phase::continuous};
    open.header.instrument = venue::testing::k_silk;
    ASSERT_TRUE((*opened)->partition().submit(open.header, now));
    for (const market::Side side : {market::Side::buy, market::Side::sell}) {
      auto order =
          venue::testing::make_order({.side = side, .lots = 5, .ticks = 500, .instrument = venue::testing::k_silk});
      ASSERT_TRUE((*opened)->partition().submit(order.header, now));
    }
    digest = (*opened)->partition().digest();
  }
  const auto result = run();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->journals[0].digest, digest);
  EXPECT_GT(result->journals[0].trades, days_[0].trades.size());
  EXPECT_EQ(result->journals[0].bought, result->journals[0].lots);
}

TEST_F(JournalReplays, say_what_is_damaged_and_where) {
  ASSERT_NO_FATAL_FAILURE(write());
  const std::string name = journal::segment_name(1);
  auto bytes = disks_[0].contents(name);
  bytes[bytes.size() / 2] ^= std::byte{1};
  disks_[0].put(name, bytes);
  const auto result = run();
  ASSERT_TRUE(result) << result.error();
  const ReplayedJournal& of = result->journals[0];
  EXPECT_NE(of.trouble.find("damaged behind record"), std::string::npos) << of.trouble;
  EXPECT_NE(of.trouble.find("\n  where: " + name + " at byte "), std::string::npos) << of.trouble;
  EXPECT_NE(of.trouble.find("\n  what to do: "), std::string::npos) << of.trouble;
  EXPECT_LT(of.last, days_[0].last);
  EXPECT_TRUE(result->journals[1].trouble.empty());
  const auto artefact = artefact_of({}, *result);
  EXPECT_FALSE(artefact.checks().at(0).ok);
  EXPECT_EQ(artefact.checks().at(0).name, "partition-1: recovers");
  EXPECT_TRUE(artefact.checks().at(1).ok);
}

TEST_F(JournalReplays, stop_when_they_are_interrupted_and_refuse_a_folder_that_cannot_be_written) {
  ASSERT_NO_FATAL_FAILURE(write());
  int asked = 0;
  const auto result = run({}, {.is_interrupted = [&asked] { return ++asked > 100; }});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->was_interrupted);
  ASSERT_EQ(result->journals.size(), 1u);
  EXPECT_LT(result->journals[0].last, days_[0].last);
  const auto refused = run({.out = "/proc/nowhere"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "/proc/nowhere: cannot be written; may you write there?");
}

}  // namespace
}  // namespace dojima::replay
