// `dojima journal info` and `dump` on the journal of a FIX store.

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

#include "dojima/cli/call_test_support.hpp"
#include "dojima/cli/journal/journal_test_support.hpp"
#include "dojima/fix/journal_stores.hpp"
#include "dojima/journal/real_disk.hpp"

namespace dojima::cli {
namespace {

class StoreJournal : public ::testing::Test {
 protected:
  StoreJournal() : folder_(std::filesystem::temp_directory_path() / "dojima-store-XXXXXX") {
    std::string name = folder_.string();
    folder_ = ::mkdtemp(name.data());
    const auto disk = journal::RealDisk::open(folder_.string());
    const auto stores =
        fix::JournalStores::open(**disk, {.name = "t", .segment_bytes = 1 << 16, .disk_bytes = std::uint64_t{1} << 22});
    EXPECT_TRUE(stores);
    fix::MessageStore& first = **(*stores)->store({"FIX.4.4", "ME", "VENUE"});
    fix::MessageStore& second = **(*stores)->store({"FIX.4.2", "ME", "VENUE", "spare"});
    put(first, "8=FIX.4.4\00135=A\001554=secret\001925=newer\001", fix::type::k_logon);
    put(first, "8=FIX.4.4\00135=0\001", fix::type::k_heartbeat);
    first.set_next_incoming({17});
    second.set_next_outgoing({5});
    second.reset(time::from_nanoseconds(1'784'548'800'000'000'000));
    EXPECT_TRUE((*stores)->set_verifier({"FIX.4.4", "ME", "VENUE"}, "$6$salt$hash"));
  }
  ~StoreJournal() override { std::filesystem::remove_all(folder_); }
  StoreJournal(const StoreJournal&) = delete;
  StoreJournal& operator=(const StoreJournal&) = delete;

  static void put(fix::MessageStore& store, std::string_view text, fix::MsgType type) {
    const Room room = store.prepare(text.size());
    std::memcpy(room.data(), text.data(), text.size());
    EXPECT_TRUE(store.commit({.sequence = store.next_outgoing(), .bytes = room, .header_size = 10, .type = type}));
  }
  [[nodiscard]] Outcome journal(const std::string& what, std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"journal", what, folder_.string(), "--no-progress"});
    return call(words);
  }

  std::filesystem::path folder_;
};

TEST_F(StoreJournal, info_lists_the_sessions_with_their_numbers) {
  const Outcome outcome = journal("info");
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  for (const char* part : {"FIX.4.4", "FIX.4.2", "spare", "VENUE", "17", "process", "20260720-12:00:00.000"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  // What comes last of the first session is a number of the other side; its own stays.
  EXPECT_TRUE(contains(outcome.out, "3             17")) << outcome.out;
}

TEST_F(StoreJournal, dump_shows_every_kind_of_record_and_no_secret) {
  const Outcome outcome = journal("dump");
  EXPECT_EQ(outcome.status, k_success) << outcome.err;
  for (const char* part :
       {"session", "message", "incoming", "numbers", "reset", "8=FIX.4.4|35=A|554=***|925=***|",
        "next outgoing 5, next incoming 1", "next outgoing 1, next incoming 1, begun 20260720-12:00:00.000",
        "with a password that the peer chose"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  EXPECT_FALSE(contains(outcome.out, "secret"));
  EXPECT_FALSE(contains(outcome.out, "newer"));
  EXPECT_FALSE(contains(outcome.out, "hash"));
  const Outcome part = journal("dump", {"--from", "2", "--most", "2", "--json"});
  EXPECT_EQ(part.status, k_success) << part.err;
  EXPECT_TRUE(contains(part.out, "only 2 are shown"));
  EXPECT_FALSE(contains(part.out, "secret"));
  using journal_testing::artefact_in;
  EXPECT_EQ(journal_testing::table_in(artefact_in(part), "store_records").rows.size(), 2u);
  const auto some = artefact_in(journal("dump", {"--from", "2", "--to", "4", "--json"}));
  const evidence::Table& records = journal_testing::table_in(some, "store_records");
  ASSERT_EQ(records.rows.size(), 3u);
  EXPECT_EQ(*journal_testing::cell_in(records, 0, "record").integer(), 2);
  EXPECT_EQ(*journal_testing::cell_in(records, 2, "record").integer(), 4);
}

TEST_F(StoreJournal, verify_reads_it_like_any_journal) {
  EXPECT_EQ(journal("verify").status, k_success);
}

}  // namespace
}  // namespace dojima::cli
