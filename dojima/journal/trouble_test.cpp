#include "dojima/journal/trouble.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "dojima/journal/disk.hpp"

namespace dojima::journal {
namespace {

TEST(Trouble, says_what_where_and_what_to_do) {
  const Trouble trouble{.error = {.code = ErrorCode::malformed},
                        .place = {.file = "7.segment", .offset = 128, .sequence = {12}},
                        .what = "the sum is wrong",
                        .advice = "bring it back"};
  EXPECT_EQ(describe(trouble),
            "the sum is wrong\n  where: 7.segment at byte 128, record 12\n  what to do: bring it back");
  EXPECT_EQ(describe({.error = {}, .place = {.file = {}, .sequence = {12}}, .what = "no room"}),
            "no room\n  where: record 12");
}

TEST(Trouble, says_what_the_system_said) {
  const Error error = disk_error(ENOSPC, "to write a file");
  EXPECT_EQ(journal::text_of(error), "No space left on device, trying to write a file");
  EXPECT_EQ(describe({.error = error, .what = "no segment can be made"}),
            "no segment can be made: No space left on device, trying to write a file");
  EXPECT_EQ(describe({.error = error}), "No space left on device, trying to write a file");
}

TEST(Trouble, takes_no_other_number_for_the_systems) {
  // 28 is ENOSPC; here it is a record.
  const Error error = fail(ErrorCode::refused, 0, 0, 28, "the state that was saved").error();
  EXPECT_EQ(journal::text_of(error), "refused: got 28, expected the state that was saved");
  EXPECT_EQ(describe({.error = error, .what = "it cannot be loaded"}), "it cannot be loaded");
}

}  // namespace
}  // namespace dojima::journal
