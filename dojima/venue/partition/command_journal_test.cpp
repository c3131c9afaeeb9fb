// The order of commands: numbers, times, what is refused, and what stops the process.

#include "dojima/venue/partition/command_journal.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>

#include "dojima/venue/partition/dispatch.hpp"

namespace dojima::venue {
namespace {

constexpr time::Time k_start = time::from_nanoseconds(1'800'000'000'000'000'000);

/// Does what the test says, also what no journal may do.
class ScriptedJournal final : public journal::Journal {
 public:
  [[nodiscard]] Room prepare(std::size_t size) override { return {bytes, std::min(size, room)}; }
  journal::Sequence commit(std::size_t) override { return last_value += step, journal::Sequence{last_value}; }
  [[nodiscard]] journal::Sequence last() const override { return {last_value}; }
  [[nodiscard]] journal::Sequence durable() const override { return {durable_value}; }

  alignas(8) std::byte bytes[256] = {};
  std::size_t room = sizeof bytes;
  std::uint64_t step = 1, last_value = 0, durable_value = 0;
};

market::Cancel cancel_at(std::uint64_t sequence, time::Time time = k_start) {
  return {.header = {.sequence = {sequence}, .time = time, .type = market::CommandType::cancel}};
}

TEST(CommandJournal, numbers_commands_one_by_one_and_never_steps_back_in_time) {
  ScriptedJournal journal;
  CommandJournal commands(journal);
  market::Cancel cancel;
  for (const int second : {5, 3, 7}) {
    commands.stamp(cancel.header, k_start + std::chrono::seconds{second});
    ASSERT_TRUE(commands.write(cancel.header));
    commands.advance(cancel.header);
    EXPECT_EQ(cancel.header.time, k_start + std::chrono::seconds{second == 7 ? 7 : 5});
  }
  EXPECT_EQ(commands.last().value, 3u);
  EXPECT_EQ(as<market::Cancel>(*reinterpret_cast<market::CommandHeader*>(journal.bytes)).header.sequence.value, 3u);
}

TEST(CommandJournal, refuses_a_command_that_finds_no_room) {
  ScriptedJournal journal;
  journal.room = 0;
  CommandJournal commands(journal);
  const market::Cancel cancel = cancel_at(1);
  EXPECT_FALSE(commands.write(cancel.header));
  EXPECT_EQ(journal.last_value, 0u);
  EXPECT_EQ(commands.last().value, 0u);
}

TEST(CommandJournal, reads_the_next_record_and_no_other) {
  ScriptedJournal journal;
  CommandJournal commands(journal);
  const auto read = [&](const market::Cancel& cancel, std::size_t size) {
    std::memcpy(journal.bytes, &cancel, sizeof cancel);
    return commands.read({journal.bytes, size});
  };
  EXPECT_NE(read(cancel_at(1), sizeof(market::Cancel)), nullptr);
  EXPECT_EQ(read(cancel_at(2), sizeof(market::Cancel)), nullptr);
  EXPECT_EQ(read(cancel_at(0), sizeof(market::Cancel)), nullptr);
  EXPECT_EQ(read(cancel_at(1), sizeof(market::Cancel) - 1), nullptr);
  EXPECT_EQ(read(cancel_at(1), 8), nullptr);
  commands.advance(cancel_at(1).header);
  EXPECT_EQ(read(cancel_at(1), sizeof(market::Cancel)), nullptr);
  EXPECT_NE(read(cancel_at(2), sizeof(market::Cancel)), nullptr);
}

TEST(CommandJournalDeathTest, stops_where_commands_are_out_of_order) {
  ScriptedJournal journal;
  CommandJournal commands(journal);
  EXPECT_DEATH(commands.advance(cancel_at(2).header), "one by one in their order.* = 2, 0, 3");
  EXPECT_DEATH(commands.advance(cancel_at(1, k_start - std::chrono::hours{1'000'000}).header), "never steps back");
  EXPECT_DEATH((void)commands.write(cancel_at(2).header), "stamped before it is written.* = 2, 0");
  journal.last_value = 7;
  EXPECT_DEATH((void)commands.write(cancel_at(8).header), "applied before more comes.* = 7, 0");
}

TEST(CommandJournalDeathTest, stops_where_a_journal_breaks_its_word) {
  ScriptedJournal journal;
  CommandJournal commands(journal);
  journal.step = 2;
  EXPECT_DEATH((void)commands.write(cancel_at(1).header), "numbers its records one by one.* = 2, 1");
  journal.room = 16;
  EXPECT_DEATH((void)commands.write(cancel_at(1).header), "the room that it was asked for.* = 16, 80, 3");
  journal.durable_value = 1;
  EXPECT_DEATH((void)commands.durable(), "can be durable.* = 1, 0");
  EXPECT_DEATH((void)commands.read({journal.bytes + 1, 80}), "a record is aligned");
}

}  // namespace
}  // namespace dojima::venue
