// FIX as real engines wrote it: every message of two logs, framed, indexed and read.

#include "tests/recorded/recorded_data.hpp"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/dictionary.hpp"
#include "dojima/fix/message.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/writer.hpp"

namespace dojima {
namespace {

struct LogCounts {
  std::map<std::string, int> messages;  // by MsgType(35)
  int times = 0;                        // SendingTime(52) read
  std::string trouble;                  // the first
};

/// Reads messages that follow each other.
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

/// Every field as a value of its type, written again by that value; which field could not be, or none.
std::string reencoded(const fix::MessageView& view, std::string& text) {
  std::array<std::byte, 4096> room;
  fix::Writer writer(room, view[0].value);
  for (std::size_t at = 2; at < view.size(); ++at) {
    const fix::Field field = view[at];
    const fix::FieldFacts* facts = fix::fix_5_0_sp2().field(field.tag);
    if (facts == nullptr) return "unknown tag " + std::to_string(field.tag);
    const auto value = fix::parse_value(facts->type, field.value);
    if (!value) return "no value of its type in " + std::to_string(field.tag);
    writer.field(field.tag, *value);
  }
  const auto finished = writer.finish();
  if (!finished) return "not written";
  text = as_text(*finished);
  return "";
}

/// The dictionary of the feed's own dialect.
fix::Dictionary feed_dictionary() {
  std::ifstream file(DOJIMA_SOURCE_FOLDER "/examples/dictionaries/index-feed.xml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto model = fix::parse_dictionary_xml(text);
  if (!model) throw std::runtime_error(std::to_string(model.error().line) + ": " + model.error().text);
  auto compiled = fix::Dictionary::compile({*std::move(model)});
  if (!compiled) throw std::runtime_error(std::to_string(compiled.error().line) + ": " + compiled.error().text);
  return *std::move(compiled);
}

/// How many messages of the log have each violation as their first, as "reason/tag".
std::map<std::string, int> violations(std::string_view log, const fix::Dictionary& dictionary,
                                      const fix::Checks& checks) {
  std::map<std::string, int> counts;
  fix::MessageView view;
  for (Bytes rest = as_bytes(log); !rest.empty();) {
    const fix::FrameSearch found = fix::find_frame(rest);
    if (found.state != fix::FrameState::whole || !view.read(found.frame)) throw std::runtime_error("no message");
    rest = rest.subspan(found.size);
    const auto checked = fix::check_message(view, dictionary, checks);
    ++counts[checked ? "valid" : std::to_string(checked.error().got) + "/" + std::to_string(checked.error().field)];
  }
  return counts;
}

using Counts = std::map<std::string, int>;

TEST(RecordedFix, every_message_of_an_index_feed_is_valid_by_the_dictionary_of_its_dialect_with_every_check_on) {
  const auto log = test::recorded_text("fix/jse_ftse_index_fix50_20111124_part1.fix.gz");
  if (!log) GTEST_SKIP() << test::k_no_data;
  const fix::Checks all{.user_tags = false, .required_components = true, .separators = true, .signatures = true};
  EXPECT_EQ(violations(*log, feed_dictionary(), all), (Counts{{"valid", 8332}}));
}

TEST(RecordedFix, what_an_index_feed_breaks_of_the_standard_are_four_rules_by_name) {
  const auto log = test::recorded_text("fix/jse_ftse_index_fix50_20111124_part1.fix.gz");
  if (!log) GTEST_SKIP() << test::k_no_data;
  const auto with = [&log](bool fix::Checks::* one) {
    fix::Checks checks{.message_tags = false, .required = false, .values = false, .group_order = false};
    if (one != nullptr) checks.*one = true;
    return violations(*log, fix::fix_5_0_sp2(), checks);
  };
  EXPECT_EQ(with(nullptr), (Counts{{"valid", 8332}}));
  // A feed without a session has no CompIDs; heartbeats carry the ApplID of the feed.
  EXPECT_EQ(with(&fix::Checks::required), (Counts{{"1/49", 8332}}));
  EXPECT_EQ(with(&fix::Checks::message_tags), (Counts{{"2/1180", 2522}, {"valid", 5810}}));
  // Entry types x and y are the exchange's own; Symbol is in front of MDEntryType.
  EXPECT_EQ(with(&fix::Checks::values), (Counts{{"5/269", 1513}, {"valid", 6819}}));
  EXPECT_EQ(with(&fix::Checks::group_order), (Counts{{"15/269", 5810}, {"valid", 2522}}));
}

TEST(RecordedFix, every_message_of_an_index_feed_is_written_again_from_typed_fields_byte_by_byte) {
  const auto log = test::recorded_text("fix/jse_ftse_index_fix50_20111124_part1.fix.gz");
  if (!log) GTEST_SKIP() << test::k_no_data;
  fix::MessageView view;
  int messages = 0;
  std::string all;
  for (Bytes rest = as_bytes(*log); !rest.empty(); ++messages) {
    const fix::FrameSearch found = fix::find_frame(rest);
    ASSERT_EQ(found.state, fix::FrameState::whole);
    rest = rest.subspan(found.size);
    ASSERT_TRUE(view.read(found.frame));
    std::string text;
    ASSERT_EQ(reencoded(view, text), "") << "message " << messages;
    all += text;
  }
  EXPECT_EQ(messages, 8332);
  EXPECT_TRUE(all == *log);
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
