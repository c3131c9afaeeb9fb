// FIX as real engines wrote it: every message of two logs, framed, indexed and read.

#include "tests/recorded/recorded_data.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/message.hpp"

namespace dojima {
namespace {

struct LogCounts {
  std::map<std::string, int> messages;  // by MsgType(35)
  int times = 0;                        // SendingTime(52) read
  std::string trouble;                  // the first
};

/// Reads messages that stand one behind the other.
LogCounts read_log(std::string_view log) {
  LogCounts counts;
  fix::MessageView view;
  for (Bytes rest = as_bytes(log); !rest.empty();) {
    const fix::FrameSearch found = fix::find_frame(rest);
    if (found.state != fix::FrameState::whole) {
      counts.trouble = "no whole message at byte " + std::to_string(log.size() - rest.size());
      break;
    }
    rest = rest.subspan(found.size);
    if (!view.read(found.frame)) {
      counts.trouble = "cannot be read before byte " + std::to_string(log.size() - rest.size());
      break;
    }
    ++counts.messages[std::string(view.find(35).value_or(""))];
    if (view.time(52)) ++counts.times;
  }
  return counts;
}

TEST(RecordedFix, every_message_of_an_index_feed_is_whole_and_readable) {
  const auto log = test::recorded_text("fix/jse_ftse_index_fix50_20111124_part1.fix.gz");
  if (!log) GTEST_SKIP() << test::k_no_data;
  const LogCounts counts = read_log(*log);
  EXPECT_EQ(counts.trouble, "");
  int messages = 0;
  for (const auto& [type, count] : counts.messages) {
    EXPECT_TRUE(type == "0" || type == "X") << type;
    messages += count;
  }
  EXPECT_EQ(messages, 8332);
  EXPECT_EQ(counts.times, 8332);
}

TEST(RecordedFix, a_session_of_another_engine_is_read_to_its_orders) {
  auto log = test::recorded_text("fix/fix41_banzai_exec_session.fix");
  if (!log) GTEST_SKIP() << test::k_no_data;
  ASSERT_TRUE(log->ends_with('\n')) << "an editor's";
  log->pop_back();
  const LogCounts counts = read_log(*log);
  EXPECT_EQ(counts.trouble, "");
  int messages = 0;
  for (const auto& [type, count] : counts.messages) messages += count;
  EXPECT_EQ(messages, 16);
  EXPECT_EQ(counts.times, 16);
  EXPECT_GE(counts.messages.at("D"), 1);
  EXPECT_GE(counts.messages.at("8"), 1);
}

}  // namespace
}  // namespace dojima
