#include "dojima/cli/fsm/denominators.hpp"

#include <array>
#include <gtest/gtest.h>

#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

TEST(FsmDenominators, are_the_smallest_that_there_are) {
  // From the talk's own kind of keys: the types D, F, G; 0, 3, 5, B, 8, 9, j; and those of a client's recovery channel.
  constexpr std::array<std::uint64_t, 3> k_three{'D', 'F', 'G'};
  constexpr std::array<std::uint64_t, 7> k_seven{'0', '3', '5', 'B', '8', '9', 'j'};
  constexpr std::array<std::uint64_t, 4> k_recovery{'0', '5', 'A', 'M'};
  EXPECT_EQ(smallest_hash(k_three, 8, 256)->denominator, 3u);
  EXPECT_EQ(smallest_hash(k_three, 8, 256)->seed, 1u);
  EXPECT_EQ(smallest_hash(k_seven, 8, 256)->seed, 47u);
  EXPECT_EQ(smallest_hash(k_recovery, 8, 256)->denominator, 5u);
  EXPECT_EQ(smallest_hash(k_recovery, 8, 256)->seed, 17u);
  EXPECT_FALSE(smallest_hash(k_recovery, 8, 4)) << "no hash of four slots";
}

TEST(FsmDenominators, grow_with_the_number_of_keys) {
  const evidence::Table table = denominator_table({.sets = 12});
  const std::size_t minimal = table.column("minimal"), slots = table.column("median_slots_a_key");
  ASSERT_EQ(table.rows.size(), 14u);
  EXPECT_GT(table.rows[0][minimal].number(), table.rows[7][minimal].number()) << "3 and 16 keys of one byte";
  EXPECT_GT(table.rows[8][slots].number(), table.rows[0][slots].number());
  for (const auto& row : table.rows) EXPECT_GE(row[slots].number(), 1);
}

TEST(FsmDenominators, are_a_command_whose_result_verifies) {
  const TemporaryFolder folder;
  const std::string file = folder / "denominators.json";
  EXPECT_EQ(call({"fsm", "denominators", "--sets", "2", "--no-progress", "--json", file}).status, k_success);
  EXPECT_EQ(call({"lab", "verify", file}).status, k_success);
  EXPECT_EQ(call({"fsm", "denominators", "--sets", "0"}).status, k_usage);
}

}  // namespace
}  // namespace dojima::cli
