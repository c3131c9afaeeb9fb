// `dojima journal` and `dojima replay DIR` on a directory that a venue's partitions wrote.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/document.hpp"
#include "dojima/evidence/verify.hpp"
#include "dojima/journal/real_disk.hpp"
#include "dojima/journal/survey.hpp"
#include "dojima/venue/journal_directory_test_support.hpp"

namespace dojima::cli {
namespace {

using venue::testing::DayOptions;
using venue::testing::WrittenDay;

std::string read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

void flip_a_byte(const std::filesystem::path& file) {
  std::string bytes = read(file);
  ASSERT_FALSE(bytes.empty());
  bytes[bytes.size() / 2] ^= 1;
  write(file, bytes);
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

/// What `--json` printed, read again.
evidence::Artefact artefact_in(const Outcome& outcome) {
  EXPECT_TRUE(evidence::verify(outcome.out).is_right()) << outcome.out;
  const auto document = evidence::parse_document(outcome.out);
  EXPECT_TRUE(document.has_value());
  auto artefact = evidence::Artefact::from(*document);
  EXPECT_TRUE(artefact.has_value());
  return std::move(*artefact);
}

const evidence::Table& table_in(const evidence::Artefact& artefact, std::string_view name) {
  const auto found = std::ranges::find(artefact.tables(), name, &evidence::Table::name);
  EXPECT_NE(found, artefact.tables().end()) << name;
  return *found;
}

const evidence::Cell& cell_in(const evidence::Table& table, std::size_t row, std::string_view column) {
  return table.rows.at(row).at(table.column(column));
}

class Journals : public testing::Test {
 protected:
  Journals() : folder_(std::filesystem::temp_directory_path() / "dojima-journals-XXXXXX") {
    std::string name = folder_.string();
    folder_ = ::mkdtemp(name.data());
    for (std::uint8_t number = 1; number <= 2; ++number) {
      auto disk = journal::RealDisk::open(partition(number).string());
      DayOptions options{.partition = number, .seed = number, .commands = 140, .has_snapshot = number == 1};
      write_day(**disk, options, days_[number - 1U]);
    }
  }
  ~Journals() override { std::filesystem::remove_all(folder_); }
  Journals(const Journals&) = delete;
  Journals& operator=(const Journals&) = delete;

  [[nodiscard]] std::string path() const { return folder_.string(); }
  [[nodiscard]] std::filesystem::path partition(int number) const {
    return folder_ / ("partition-" + std::to_string(number));
  }
  [[nodiscard]] std::filesystem::path segment(int number, std::uint64_t which = 1) const {
    return partition(number) / journal::segment_name(which);
  }
  [[nodiscard]] std::filesystem::path snapshot() const {
    for (const auto& entry : std::filesystem::directory_iterator(partition(1)))
      if (entry.path().extension() == ".snapshot") return entry.path();
    ADD_FAILURE() << "there is a snapshot";
    return {};
  }
  Outcome journal(const std::string& what, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"journal", what, path(), "--no-progress"});
    return call(words);
  }
  Outcome replay(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"replay", path(), "--no-progress"});
    return call(words);
  }
  evidence::Artefact json_of(const std::string& what, int status = k_success,
                             std::vector<std::string> words = {}) const {
    words.emplace_back("--json");
    const Outcome outcome = journal(what, words);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    return artefact_in(outcome);
  }

  std::filesystem::path folder_;
  WrittenDay days_[2];
};

// ---- info, verify, dump ---------------------------------------------------------------------------------------------

TEST_F(Journals, info_tells_what_is_there) {
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
  EXPECT_EQ(*cell_in(table_in(artefact, "snapshots"), 0, "file").text(), snapshot().filename().string());
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
  // The others tell what they find up to there.
  EXPECT_EQ(*cell_in(table_in(json_of("info"), "journals"), 1, "verdict").text(), "damaged");
  const auto dumped = json_of("dump", k_failed);
  EXPECT_LT(table_in(dumped, "records").rows.size(), days_[0].last + days_[1].last);
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
  EXPECT_TRUE(contains(info.out, "record -: malformed")) << info.out;
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
  const Outcome cut = journal("dump", {"--most", "3"});
  EXPECT_EQ(cut.status, k_success);
  EXPECT_TRUE(contains(cut.out, "only 3 are shown (--most, --from, --to)")) << cut.out;
  EXPECT_TRUE(contains(cut.out, "build = test|partition = 1")) << cut.out;
  EXPECT_TRUE(table_in(json_of("dump", k_success, {"--from", "100000"}), "records").rows.empty());
}

// ---- recover, snapshot ----------------------------------------------------------------------------------------------

TEST_F(Journals, recover_comes_to_the_state_that_was_there) {
  const Outcome outcome = journal("recover", {"--orders"});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, fmt::format("partition-1: recovers: whole, up to record {}", days_[0].last)))
      << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "orders that rest")) << outcome.out;
  for (const bool from_first : {false, true}) {
    const auto artefact = json_of("recover", k_success,
                                  from_first ? std::vector<std::string>{"--from-first"} : std::vector<std::string>{});
    const evidence::Table& recovered = table_in(artefact, "recovered");
    for (std::size_t at = 0; at < 2; ++at) {
      EXPECT_EQ(*cell_in(recovered, at, "digest").text(), fmt::format("{:016x}", days_[at].digest));
      EXPECT_EQ(*cell_in(recovered, at, "orders").integer(), static_cast<std::int64_t>(days_[at].live_orders));
      EXPECT_EQ(*cell_in(recovered, at, "trades").integer(), static_cast<std::int64_t>(days_[at].trades.size()));
    }
    EXPECT_EQ(*cell_in(recovered, 0, "snapshot").integer() == 0, from_first);
  }
}

TEST_F(Journals, recover_stops_at_damage_and_says_where) {
  flip_a_byte(segment(2));
  const Outcome outcome = journal("recover");
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-2: recovers: damaged behind record ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  where: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\n  what to do: ")) << outcome.out;
}

TEST_F(Journals, snapshot_writes_the_last_state_from_which_a_start_goes_on) {
  const Outcome outcome = journal("snapshot");
  EXPECT_EQ(outcome.status, k_success) << outcome.out << outcome.err;
  const auto recovered = table_in(json_of("recover"), "recovered");
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_EQ(*cell_in(recovered, at, "snapshot").integer(), static_cast<std::int64_t>(days_[at].last));
    EXPECT_EQ(*cell_in(recovered, at, "replayed").integer(), 0);
    EXPECT_EQ(*cell_in(recovered, at, "digest").text(), fmt::format("{:016x}", days_[at].digest));
  }
}

TEST_F(Journals, snapshot_is_not_written_beside_a_running_venue_or_of_damaged_records) {
  flip_a_byte(segment(2));
  const auto disk = journal::RealDisk::open(partition(1).string());
  const auto running = (*disk)->lock();
  ASSERT_TRUE(running);
  const Outcome outcome = journal("snapshot");
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-1: is free: a venue runs on it")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-2: recovers: damaged behind record ")) << outcome.out;
  EXPECT_TRUE(table_in(json_of("snapshot", k_failed), "snapshots").rows.empty());
  EXPECT_EQ(std::ranges::count_if(std::filesystem::directory_iterator(partition(2)),
                                  [](const auto& entry) { return entry.path().extension() == ".snapshot"; }),
            0);
  // Whoever only reads needs no lock.
  for (const char* what : {"info", "recover"}) EXPECT_TRUE(contains(journal(what).out, "partition-1")) << what;
}

// ---- archive --------------------------------------------------------------------------------------------------------

TEST_F(Journals, archive_gives_back_the_same_files) {
  const std::string out = path() + "/archive";
  const Outcome outcome = journal("archive", {"--out", out});
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out)) {
    if (!entry.is_regular_file()) continue;
    ++count;
    const std::string packed = entry.path().string();
    ASSERT_EQ(entry.path().extension(), ".zst");
    ASSERT_EQ(std::system(("unzstd -q --keep '" + packed + "'").c_str()), 0) << "zstd is installed (./dev setup)";
    const std::string unpacked = packed.substr(0, packed.size() - 4);
    EXPECT_EQ(read(unpacked), read(folder_ / std::filesystem::relative(unpacked, out)));
  }
  EXPECT_EQ(count, 3u) << "a segment of each, and a snapshot";
  const auto again = table_in(json_of("archive", k_success, {"--out", out}), "archived");
  EXPECT_TRUE(again.rows.empty());
  EXPECT_EQ(again.notes.at(0), "3 files were there already and are left alone");
}

TEST_F(Journals, archive_that_cannot_be_written_fails_file_by_file) {
  const std::string file = path() + "/file";
  write(file, "in the way");
  const Outcome outcome = journal("archive", {"--out", file});
  EXPECT_EQ(outcome.status, k_failed);
  EXPECT_TRUE(contains(outcome.out, "FAILED  partition-1/" + journal::segment_name(1) + ": archived: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "cannot be made: ")) << outcome.out;
  EXPECT_EQ(journal("archive").status, k_usage) << "--out is required";
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
