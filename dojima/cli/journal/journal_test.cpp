// `dojima journal info`, `verify` and `dump`, and `dojima replay DIR`, on a directory that a venue's partitions wrote.

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/cli/journal/journal_test_support.hpp"

namespace dojima::cli {
namespace {

using journal_testing::artefact_in;
using journal_testing::cell_in;
using journal_testing::flip_a_byte;
using journal_testing::Journals;
using journal_testing::lines_in;
using journal_testing::read;
using journal_testing::table_in;
using journal_testing::write;

// ---- info, verify, dump ---------------------------------------------------------------------------------------------

TEST_F(Journals, info_shows_what_is_there) {
  const Outcome outcome = journal("info");
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  for (const char* part :
       {"partition-1  process", "partition-2  process", "whole", "states from which a start goes on"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  const auto artefact = json_of("info");
  const evidence::Table& journals = table_in(artefact, "journals");
  ASSERT_EQ(journals.rows.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_EQ(*cell_in(journals, at, "first").integer(), 1);
    EXPECT_EQ(*cell_in(journals, at, "last").integer(), static_cast<std::int64_t>(days_[at].last));
    EXPECT_EQ(*cell_in(journals, at, "snapshots").integer(), at == 0 ? 1 : 0);
  }
  const evidence::Table& snapshots = table_in(artefact, "snapshots");
  ASSERT_EQ(snapshots.rows.size(), 1u);
  const std::string name = snapshot().filename().string();
  EXPECT_EQ(*cell_in(snapshots, 0, "file").text(), name);
  EXPECT_EQ(*cell_in(snapshots, 0, "record").integer(), std::stoll(name));
  constexpr std::int64_t k_header = 128;
  EXPECT_EQ(*cell_in(snapshots, 0, "bytes").integer(),
            static_cast<std::int64_t>(std::filesystem::file_size(snapshot())) - k_header);
  EXPECT_EQ(std::ranges::find(artefact.tables(), "settings", &evidence::Table::name), artefact.tables().end())
      << "only with --settings";
}

TEST_F(Journals, info_and_verify_count_files_and_bytes) {
  {
    // Another number of segments than of spare ones.
    const auto disk = journal::RealDisk::open(partition(3).string());
    venue::testing::WrittenDay day;
    venue::testing::write_day(**disk, {.partition = 3, .commands = 14, .has_snapshot = false}, day);
  }
  const auto info = json_of("info");
  const auto verified = json_of("verify");
  for (int number = 1; number <= 3; ++number) {
    std::int64_t bytes = 0, segments = 0, spare = 0;
    for (const auto& entry : std::filesystem::directory_iterator(partition(number))) {
      if (entry.path().extension() != ".segment") continue;
      const std::string contents = read(entry.path());
      bytes += static_cast<std::int64_t>(contents.size());
      ++(contents.find_first_not_of('\0') == std::string::npos ? spare : segments);
    }
    ASSERT_EQ(segments, number == 3 ? 1 : 2);
    ASSERT_EQ(spare, 2);
    const auto row = static_cast<std::size_t>(number - 1);
    EXPECT_EQ(*cell_in(table_in(info, "journals"), row, "bytes").integer(), bytes);
    EXPECT_EQ(*cell_in(table_in(info, "journals"), row, "segments").integer(), segments);
    EXPECT_EQ(*cell_in(table_in(info, "journals"), row, "spare").integer(), spare);
    EXPECT_EQ(*cell_in(table_in(verified, "verified"), row, "bytes").integer(), bytes);
  }
}

TEST_F(Journals, only_folders_of_partitions_belong_to_a_directory) {
  std::filesystem::copy(partition(2), folder_ / "copy");
  EXPECT_EQ(table_in(json_of("info"), "journals").rows.size(), 2u);
}

TEST_F(Journals, without_a_record_hold_none) {
  // A start that was killed before its first segment was begun.
  std::filesystem::create_directories(partition(3));
  write(segment(3), std::string(4096, '\0'));
  const auto info = json_of("info");
  EXPECT_EQ(*cell_in(table_in(info, "journals"), 2, "last").integer(), 0);
  EXPECT_EQ(*cell_in(table_in(info, "journals"), 2, "verdict").text(), "whole");
  EXPECT_EQ(*cell_in(table_in(json_of("verify"), "verified"), 2, "records").integer(), 0);
}

TEST_F(Journals, info_lists_the_settings_line_by_line) {
  const auto settings = table_in(json_of("info", k_success, {"--settings"}), "settings");
  const auto value_of = [&](std::string_view key) {
    for (std::size_t at = 0; at < settings.rows.size(); ++at)
      if (*cell_in(settings, at, "journal").text() == "partition-2" && *cell_in(settings, at, "key").text() == key)
        return *cell_in(settings, at, "value").text();
    return std::string("not there");
  };
  EXPECT_EQ(value_of("build"), "test");
  EXPECT_EQ(value_of("partition"), "2");
  EXPECT_EQ(value_of("instruments.1.symbol"), "SILK");
  EXPECT_EQ(value_of("users.3.name"), "dee");
}

TEST_F(Journals, verify_reads_every_record_and_snapshot) {
  const Outcome outcome = journal("verify");
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, fmt::format("ok      partition-1: records are whole: 1 to {}\n", days_[0].last)))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, ".snapshot: is good: the state behind record ")) << outcome.out;
  const auto artefact = json_of("verify");
  EXPECT_EQ(artefact.checks().size(), 3u);
  EXPECT_EQ(*cell_in(table_in(artefact, "verified"), 1, "records").integer(), static_cast<std::int64_t>(days_[1].last));
}

TEST_F(Journals, verify_says_which_byte_is_damaged_and_what_to_do) {
  flip_a_byte(segment(2));
  const Outcome outcome = journal("verify");
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-2: records are whole: damaged behind record ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  where: " + journal::segment_name(1) + " at byte ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  what to do: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "ok      partition-1: records are whole")) << outcome.out;
  // The others show what they find up to there.
  EXPECT_EQ(*cell_in(table_in(json_of("info"), "journals"), 1, "verdict").text(), "damaged");
  const auto dumped = json_of("dump", k_failed);
  EXPECT_LT(table_in(dumped, "records").rows.size(), days_[0].last + days_[1].last);
}

/// What a process leaves that is killed while it writes a record.
TEST_F(Journals, with_a_torn_tail_are_good) {
  std::string last;
  for (const auto& entry : std::filesystem::directory_iterator(partition(2)))
    if (entry.path().extension() == ".segment" && read(entry.path()).find_first_not_of('\0') != std::string::npos)
      last = std::max(last, entry.path().string());
  std::string bytes = read(last);
  const std::size_t end = bytes.find_last_not_of('\0');
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(end + 100), 40, 'x');
  write(last, bytes);
  const Outcome outcome = journal("verify");
  EXPECT_EQ(outcome.status, k_success) << outcome.out;
  EXPECT_TRUE(contains(
      outcome.out, fmt::format("ok      partition-2: records are whole: 1 to {}; torn tail at byte ", days_[1].last)))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, std::filesystem::path(last).filename().string() + ", cut at the next start"))
      << outcome.out;
  EXPECT_EQ(*cell_in(table_in(json_of("info"), "journals"), 1, "verdict").text(), "torn tail");
  EXPECT_TRUE(contains(journal("recover").out, "ok      partition-2: recovers: torn tail, up to record "));
}

TEST_F(Journals, verify_says_which_snapshot_is_damaged) {
  const std::string name = snapshot().filename().string();
  flip_a_byte(snapshot());
  const Outcome outcome = journal("verify");
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-1/" + name + ": is good: malformed")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "what to do: remove it; a start takes the one before")) << outcome.out;
  const Outcome info = journal("info");
  EXPECT_EQ(info.status, k_success);
  EXPECT_TRUE(contains(info.out, name)) << info.out;
  EXPECT_TRUE(contains(info.out, "record, bytes -: malformed")) << info.out;
  // It is passed over, and the records are all there.
  const auto artefact = json_of("recover", k_failed);
  EXPECT_EQ(*cell_in(table_in(artefact, "recovered"), 0, "digest").text(), fmt::format("{:016x}", days_[0].digest));
  EXPECT_EQ(*cell_in(table_in(artefact, "recovered"), 0, "snapshot").integer(), 0);
}

TEST_F(Journals, dump_shows_the_records_that_are_asked_for) {
  const auto records = table_in(json_of("dump", k_success, {"--from", "24", "--to", "28"}), "records");
  ASSERT_EQ(records.rows.size(), 10u) << "five of each partition";
  EXPECT_EQ(*cell_in(records, 0, "record").integer(), 24);
  EXPECT_EQ(*cell_in(records, 0, "type").text(), "logon");
  EXPECT_EQ(*cell_in(records, 0, "user").integer(), 1);
  EXPECT_EQ(*cell_in(records, 0, "instrument").text(), "");
  EXPECT_EQ(*cell_in(records, 0, "time").text(), "20270115-08:00:00.000000000");
  EXPECT_EQ(*cell_in(records, 3, "type").text(), "day");
  EXPECT_EQ(*cell_in(records, 3, "user").text(), "operator");
  EXPECT_EQ(*cell_in(records, 3, "details").text(), "begin");
  EXPECT_EQ(table_in(json_of("dump", k_success, {"--most", "3"}), "records").rows.size(), 3u);
  const Outcome cut = journal("dump", {"--most", "3"});
  EXPECT_EQ(cut.status, k_success);
  EXPECT_TRUE(contains(cut.out, "only 3 are shown (--most, --from, --to)")) << cut.out;
  EXPECT_TRUE(contains(cut.out, "build = test|partition = 1")) << cut.out;
  EXPECT_TRUE(table_in(json_of("dump", k_success, {"--from", "100000"}), "records").rows.empty());
}

TEST_F(Journals, dump_shows_what_is_no_command) {
  const auto disk = journal::RealDisk::open(partition(3).string());
  auto opened = journal::FileJournal::open(**disk, {.segment_bytes = 4096, .largest_record = 512});
  ASSERT_TRUE(opened);
  for (const std::size_t size : {5U, 100U}) {
    const Room room = (*opened)->prepare(size);
    std::ranges::fill(room, std::byte{1});
    (*opened)->commit(size);
  }
  opened = std::unexpected(journal::Trouble{});
  const Outcome outcome = call({"journal", "dump", partition(3).string(), "--json", "--no-progress"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  const auto artefact = artefact_in(outcome);
  const evidence::Table& records = table_in(artefact, "records");
  ASSERT_EQ(records.rows.size(), 2u);
  for (const std::size_t row : {0U, 1U}) {
    EXPECT_EQ(*cell_in(records, row, "type").text(), "no command");
    EXPECT_EQ(*cell_in(records, row, "details").text(), row == 0 ? "5 bytes" : "100 bytes");
  }
}

// ---- replay ---------------------------------------------------------------------------------------------------------

TEST_F(Journals, replay_gives_their_trades_and_books) {
  const std::string out = path() + "/out";
  const Outcome outcome = replay({"--book", "match", "--out", out});
  EXPECT_EQ(outcome.status, k_success) << outcome.out << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "partition-2: both sides balance: ")) << outcome.out;
  EXPECT_EQ(lines_in(read(out + "/trades.csv")), days_[0].trades.size() + days_[1].trades.size() + 1);
  const Outcome json = replay({"--json"});
  EXPECT_EQ(json.status, k_success) << "match is the default of a directory";
  const auto artefact = artefact_in(json);
  const evidence::Table& journals = table_in(artefact, "journals");
  ASSERT_EQ(journals.rows.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_EQ(*cell_in(journals, at, "digest").text(), fmt::format("{:016x}", days_[at].digest));
    EXPECT_EQ(*cell_in(journals, at, "trades").integer(), static_cast<std::int64_t>(days_[at].trades.size()));
  }
  EXPECT_EQ(table_in(artefact, "instruments").rows.size(), 4u);
  // One partition's folder is a directory as well.
  const Outcome one = call({"replay", partition(2).string(), "--no-progress"});
  EXPECT_EQ(one.status, k_success);
  EXPECT_TRUE(contains(one.out, "partition-2: recovers")) << one.out;
  EXPECT_FALSE(contains(one.out, "partition-1")) << one.out;
}

TEST_F(Journals, replay_of_symbols_and_times) {
  for (const char* option : {"--only", "--symbol"}) {
    const Outcome outcome = replay({option, "SILK"});
    EXPECT_EQ(outcome.status, k_success) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "SILK") && !contains(outcome.out, "RICE")) << outcome.out;
  }
  const Outcome early = replay({"--until", "2027-01-15T08:30:00", "--json"});
  EXPECT_EQ(early.status, k_success) << early.err;
  EXPECT_EQ(*cell_in(table_in(artefact_in(early), "journals"), 0, "records").integer(), 26);
}

TEST_F(Journals, replay_of_damage_fails_and_says_where) {
  flip_a_byte(segment(1));
  const Outcome outcome = replay();
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-1: recovers: damaged behind record ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  where: " + journal::segment_name(1))) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "ok      partition-2: recovers")) << outcome.out;
}

TEST_F(Journals, replay_refuses_what_only_files_have_in_one_line) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--book", "depth"},
                                                {"--book", "mirror"},
                                                {"--speed", "events"},
                                                {"--speed", "x10"},
                                                {"--check"},
                                                {"--format", "csv"},
                                                {"--date", "2027-01-15"},
                                                {"--bar", "1"},
                                                {"--depth", "7"}}) {
    const Outcome outcome = replay(words);
    EXPECT_EQ(outcome.status, k_usage) << words[0];
    EXPECT_TRUE(outcome.err.starts_with("dojima: " + words[0])) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "--book match")) << outcome.err;
    EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
  }
  const Outcome unknown = replay({"--only", "TEA"});
  EXPECT_EQ(unknown.status, k_usage);
  EXPECT_EQ(unknown.err, "dojima: no instrument TEA in the journals; there are RICE, SILK\n");
}

TEST_F(Journals, replay_of_commands_in_a_file_says_that_it_has_no_books) {
  std::string commands;
  const auto disk = journal::RealDisk::open(partition(1).string());
  const auto found = journal::survey(**disk);
  const auto reader = journal::read_directory(**disk, *found);
  for (auto record = (*reader)->next(); record && *record; record = (*reader)->next())
    commands += as_text((**record).bytes);
  const std::string file = path() + "/partition-1.commands";
  write(file, commands);
  const Outcome outcome = call({"replay", file, "--book", "match", "--no-progress"});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  books: a file of a venue's commands names no instruments")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "journal directory")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "ok      whole file")) << outcome.out;
}

// ---- No journal -----------------------------------------------------------------------------------------------------

TEST(NoJournal, is_one_clear_line_for_every_command) {
  const auto empty = std::filesystem::temp_directory_path() / ("dojima-no-journal-" + std::to_string(::getpid()));
  std::filesystem::create_directories(empty);
  for (const std::string what : {"info", "verify", "dump", "recover", "snapshot", "archive", "replay"}) {
    for (const std::string& place : {std::string("/nowhere/at/all"), empty.string()}) {
      std::vector<std::string> words{"journal", what, place};
      if (what == "replay") words = {"replay", place};
      if (what == "archive") words.insert(words.end(), {"--out", (empty / "archive").string()});
      const Outcome outcome = call(words);
      EXPECT_EQ(outcome.status, k_usage) << what << " " << place;
      EXPECT_EQ(outcome.out, "") << what;
      EXPECT_EQ(lines_in(outcome.err), 1u) << outcome.err;
      EXPECT_TRUE(contains(outcome.err, place)) << outcome.err;
      EXPECT_EQ(contains(outcome.err, "holds no journal"), place == empty) << outcome.err;
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(empty)) << "nothing is made there";
  std::filesystem::remove_all(empty);
}

}  // namespace
}  // namespace dojima::cli
