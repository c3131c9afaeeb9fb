#include "dojima/recorded/fix/fix_data_reader.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "dojima/fix/frame.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

/// A message with its length and checksum; fields separated by '|'.
std::string message(const std::string& body) {
  std::string text = "8=FIX.4.4|9=" + std::to_string(body.size()) + "|" + body;
  std::ranges::replace(text, '|', '\x01');
  return text + fmt::format("10={:03}\x01", fix::check_sum(as_bytes(text)));
}

ReadEvents read_fix(const std::string& text) {
  MemorySource source(text);
  FixDataReader reader(source);
  return read_all(reader);
}

const std::string k_whole = message(
    "35=W|49=V|56=C|34=1|52=20240102-09:00:00.000|55=ABC|268=3|269=0|270=10.5|271=100|346=2|269=1|270=10.75|271=50|"
    "269=4|270=10.6|");
const std::string k_change = message(
    "35=X|49=V|56=C|34=2|52=20240102-09:00:01.000|268=3|279=1|269=0|55=ABC|270=10.5|271=70|273=09:00:00.900|"
    "279=2|269=1|270=10.75|279=0|269=2|55=DEF|270=3|271=5|1003=77|");

TEST(FixDataReader, reads_whole_books_and_changes_of_levels) {
  const ReadEvents all = read_fix(k_whole + k_change);
  EXPECT_EQ(all.trouble, "");
  using enum EventKind;
  const EventKind kinds[] = {clear, level, level, value, level, level, trade};
  ASSERT_EQ(all.events.size(), std::size(kinds));
  for (std::size_t at = 0; at < std::size(kinds); ++at) EXPECT_EQ(all.events[at].kind, kinds[at]) << at;
  const RecordedEvent& bid = all.events[1];
  EXPECT_EQ(bid.side, Side::buy);
  EXPECT_EQ(bid.price, 10'500'000'000'000);
  EXPECT_EQ(bid.quantity, 10'000'000'000);
  EXPECT_EQ(bid.other, 2u);
  EXPECT_TRUE(bid.has(k_snapshot));
  EXPECT_TRUE(all.events[3].has(k_last));
  EXPECT_EQ(all.events[4].event_time, all.events[4].receive_time - std::chrono::milliseconds{100});
  EXPECT_EQ(all.events[5].quantity, 0) << "deleted";
  EXPECT_EQ(all.events[5].instrument, 0u) << "the symbol of the entry before";
  EXPECT_EQ(all.events[6].instrument, 1u);
  EXPECT_EQ(all.events[6].other, 77u);
}

TEST(FixDataReader, reads_entries_with_ids_as_orders) {
  const ReadEvents all =
      read_fix(message("35=X|49=V|34=1|52=20240102-09:00:01|268=3|279=0|269=0|278=17|55=ABC|270=10|271=70|"
                       "279=1|269=0|278=17|271=40|279=2|269=0|278=A-1|"));
  ASSERT_EQ(all.events.size(), 3u);
  EXPECT_EQ(all.events[0].kind, EventKind::add);
  EXPECT_EQ(all.events[0].order, 17u);
  EXPECT_EQ(all.events[1].kind, EventKind::amend);
  EXPECT_EQ(all.events[1].price, k_unknown);
  EXPECT_EQ(all.events[2].kind, EventKind::remove);
  EXPECT_NE(all.events[2].order, 0u);
}

TEST(FixDataReader, reads_logs_with_stamps_and_other_separators) {
  std::string log =
      "20240102-09:00:02.500 <- " + k_whole + "\nnothing here\n20240102-09:00:03.500 <- " + k_change + "\n";
  std::ranges::replace(log, '\x01', '|');
  const ReadEvents all = read_fix(log);
  EXPECT_EQ(all.trouble, "");
  ASSERT_EQ(all.events.size(), 7u);
  EXPECT_EQ(all.events[0].receive_time - all.events[0].event_time, std::chrono::milliseconds{2500});
}

TEST(FixDataReader, reports_where_numbers_jump_and_leaves_damaged_messages_out) {
  const auto heartbeat = [](int number) {
    return message(fmt::format("35=0|49=V|34={}|52=20240102-09:00:00|", number));
  };
  std::string damaged = heartbeat(2);
  damaged[damaged.size() - 2] = damaged[damaged.size() - 2] == '0' ? '1' : '0';
  const std::string text = heartbeat(1) + damaged + heartbeat(5) + heartbeat(6) + heartbeat(1);
  MemorySource source(text);
  FixDataReader reader(source);
  const ReadEvents all = read_all(reader);
  ASSERT_EQ(all.events.size(), 5u);
  EXPECT_EQ(all.events[1].kind, EventKind::gap);
  EXPECT_EQ(all.events[1].other, 2u);
  EXPECT_EQ(all.events[1].sequence, 5u);
  EXPECT_EQ(reader.notes().at(0).second, "1");
  EXPECT_EQ(reader.type_counts().at(0).name, "35=0");
  EXPECT_EQ(reader.type_counts().at(0).count, 4u);
}

TEST(FixDataReader, reads_the_same_from_a_stream_of_many_parts) {
  std::string text;
  for (int times = 0; times < 9'000; ++times) text += k_change;
  ASSERT_GT(text.size(), std::size_t{1} << 20);
  TrickleSource source(text, 10'007);
  FixDataReader reader(source);
  const ReadEvents streamed = read_all(reader);
  EXPECT_EQ(streamed.events.size(), 27'000u);
  EXPECT_EQ(streamed.trouble, "");
  EXPECT_TRUE(streamed.events == read_fix(text).events);
  EXPECT_EQ(reader.bytes_read(), text.size());
}

TEST(FixDataReader, says_what_is_wrong_and_where) {
  EXPECT_EQ(read_fix("hello\n").trouble, "byte 0: no FIX message in the file");
  const std::string cut = k_whole + k_change.substr(0, 90);
  EXPECT_EQ(read_fix(cut).trouble, "byte " + std::to_string(k_whole.size()) + ": the file is cut within a message");
  EXPECT_EQ(read_fix(cut).events.size(), 4u);
}

}  // namespace
}  // namespace dojima::recorded
