// What the operator of a venue did is kept, and what follows from it holds in
// the next life.

#include "dojima/venue/operator_log.hpp"

#include <gtest/gtest.h>
#include <string>

#include "dojima/journal/simulated_disk.hpp"

namespace dojima::venue {
namespace {

using journal::Durability;

std::unique_ptr<OperatorLog> open(journal::Disk& disk) {
  auto log = OperatorLog::open(disk, Durability::process);
  EXPECT_TRUE(log) << (log ? "" : describe(log.error()));
  return std::move(*log);
}

const Time k_noon = time::from_nanoseconds(1'700'000'000'000'000'000);

TEST(OperatorLog, records_are_what_they_were) {
  const OperatorRecord record{.time = k_noon,
                              .who = "ann",
                              .words = "kill KONOIKE",
                              .why = "limit breach",
                              .user = "KONOIKE",
                              .access = {.is_killed = true, .is_expired = true}};
  const std::string bytes = bytes_of(record);
  EXPECT_EQ(read_operator_record(as_bytes(bytes)), record);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_operator_record(as_bytes(bytes).first(size))) << size;
  EXPECT_FALSE(read_operator_record(as_bytes(bytes + "x")));
  std::string wrong = bytes;
  wrong[8] = 16;
  EXPECT_EQ(read_operator_record(as_bytes(wrong)).error().offset, 8u);
  OperatorRecord endless = record;
  endless.why = std::string(1000, 'w');
  EXPECT_EQ(read_operator_record(as_bytes(bytes_of(endless)))->why, std::string(255, 'w'));
}

TEST(OperatorLog, what_users_may_not_do_survives_a_kill) {
  journal::SimulatedDisk disk;
  auto log = open(disk);
  EXPECT_EQ(log->access_of("KONOIKE"), UserAccess{});
  log->set_author("ann", "lock KONOIKE", "left the firm");
  ASSERT_TRUE(log->keep("KONOIKE", {.is_locked = true}, "by the operator", k_noon));
  log->clear_author();
  ASSERT_TRUE(log->keep("YODOYA", {.is_locked = true}, "3 wrong passwords", k_noon));
  ASSERT_TRUE(log->keep("YODOYA", {}, "unlocked", k_noon));
  ASSERT_TRUE(log->keep("TENNOJI", {.is_expired = true}, "expire", k_noon));
  ASSERT_TRUE(log->write({.time = k_noon, .who = "ann", .words = "halt KAGA", .why = "news"}));
  disk.end_process();
  log.reset();
  disk.restart();
  log = open(disk);
  EXPECT_EQ(log->size(), 5u);
  EXPECT_EQ(log->access_of("TENNOJI"), UserAccess{.is_expired = true});
  EXPECT_EQ(log->access_of("KONOIKE"), UserAccess{.is_locked = true});
  EXPECT_EQ(log->access_of("YODOYA"), UserAccess{});
  EXPECT_EQ(log->recent()[0].who, "ann");
  EXPECT_EQ(log->recent()[0].why, "left the firm");
  EXPECT_EQ(log->recent()[1].who, "the venue");
  EXPECT_EQ(log->recent()[1].why, "3 wrong passwords");
  EXPECT_EQ(log->recent()[4].words, "halt KAGA");
}

TEST(OperatorLog, that_has_no_room_changes_nothing) {
  journal::SimulatedDisk disk;
  const auto log = open(disk);
  disk.fail_writes(28);
  const std::string most(255, 'w');
  while (log->write({.time = k_noon, .who = most, .words = most, .why = most})) {
  }
  while (log->write({})) {
  }
  EXPECT_FALSE(log->keep("KONOIKE", {.is_locked = true}, "", k_noon));
  EXPECT_EQ(log->access_of("KONOIKE"), UserAccess{});
}

TEST(OperatorLog, in_memory_goes_with_its_process) {
  OperatorLog log;
  ASSERT_TRUE(log.keep("KONOIKE", {.is_killed = true}, "", k_noon));
  EXPECT_TRUE(log.access_of("KONOIKE").is_killed);
  for (std::size_t count = 0; count < OperatorLog::k_recent; ++count) ASSERT_TRUE(log.write({.words = "bust"}));
  EXPECT_EQ(log.recent().size(), OperatorLog::k_recent);
  EXPECT_EQ(log.size(), OperatorLog::k_recent + 1);
}

}  // namespace
}  // namespace dojima::venue
