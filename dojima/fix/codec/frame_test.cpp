#include "dojima/fix/frame.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <vector>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::wire;

/// Searches an exact copy on the heap, so that the address sanitizer sees one byte too far.
FrameSearch search(std::string_view text, std::size_t max_body = 4096) {
  const auto copy = std::make_unique<std::byte[]>(text.size());
  std::memcpy(copy.get(), text.data(), text.size());
  FrameSearch found = find_frame({copy.get(), text.size()}, max_body);
  found.frame.bytes = {};
  return found;
}

const std::string k_heartbeat = framed("35=0|34=2|49=A|52=20260720-12:00:00|56=B|");

TEST(FixFrame, finds_a_whole_message_and_what_its_body_length_counts) {
  const std::string text = k_heartbeat + "8=FIX";
  const FrameSearch found = find_frame(as_bytes(text));
  ASSERT_EQ(found.state, FrameState::whole);
  EXPECT_EQ(found.size, k_heartbeat.size());
  EXPECT_EQ(as_text(found.frame.bytes), k_heartbeat);
  EXPECT_EQ(text.substr(found.frame.body_begin, 5), wire("35=0|"));
  EXPECT_EQ(text.substr(found.frame.body_end, 3), "10=");
  EXPECT_EQ(begin_string_of(found.frame), "FIX.4.4");
}

TEST(FixFrame, knows_the_checksum_of_a_message_worked_out_by_hand) {
  // Sum of the bytes of "8=FIX.4.4|9=5|35=0|" with | = 1: 931, modulo 256 = 163.
  EXPECT_EQ(check_sum(as_bytes(wire("8=FIX.4.4|9=5|35=0|"))), 163);
  EXPECT_EQ(search(wire("8=FIX.4.4|9=5|35=0|10=163|")).state, FrameState::whole);
}

TEST(FixFrame, waits_for_the_rest_of_a_message_cut_at_any_byte) {
  for (std::size_t size = 0; size < k_heartbeat.size(); ++size) {
    const FrameSearch found = search(k_heartbeat.substr(0, size));
    EXPECT_EQ(found.state, FrameState::incomplete) << size;
    EXPECT_EQ(found.size, 0u);
  }
}

TEST(FixFrame, takes_no_message_in_which_one_byte_was_changed) {
  // Any single changed byte either breaks the frame, makes it wait for more, or breaks the checksum.
  for (std::size_t at = 0; at < k_heartbeat.size(); ++at) {
    for (int change = 1; change < 256; ++change) {
      std::string text = k_heartbeat;
      text[at] = static_cast<char>(text[at] ^ change);
      EXPECT_NE(search(text).state, FrameState::whole) << at << " " << change;
    }
  }
}

TEST(FixFrame, skips_to_the_next_start_of_a_message) {
  const FrameSearch noise = search("noise" + k_heartbeat);
  EXPECT_EQ(noise.state, FrameState::garbled);
  EXPECT_EQ(noise.size, 5u);
  EXPECT_EQ(search("no start here").size, 13u);
}

TEST(FixFrame, keeps_what_may_be_the_beginning_of_a_start) {
  EXPECT_EQ(search("noise8").size, 5u);
  EXPECT_EQ(search("noise8=FI").size, 5u);
  EXPECT_EQ(search("noise8=FI").state, FrameState::garbled);
}

TEST(FixFrame, skips_a_message_with_a_wrong_checksum) {
  std::string text = k_heartbeat;
  text[text.size() - 2] = text[text.size() - 2] == '0' ? '1' : '0';
  const FrameSearch found = search(text + k_heartbeat);
  EXPECT_EQ(found.state, FrameState::garbled);
  EXPECT_EQ(found.size, k_heartbeat.size());
}

TEST(FixFrame, a_body_length_that_is_too_short_costs_only_its_message) {
  const std::string text = wire("8=FIX.4.4|9=30|") + k_heartbeat.substr(15) + k_heartbeat;
  const FrameSearch found = search(text);
  EXPECT_EQ(found.state, FrameState::garbled);
  EXPECT_EQ(text.substr(found.size), k_heartbeat);
}

TEST(FixFrame, a_body_length_that_is_too_long_takes_the_next_message_with_it) {
  const std::string body = "35=0|34=2|49=A|52=20260720-12:00:00|56=B|";
  const std::string broken = wire("8=FIX.4.4|9=" + std::to_string(body.size() + 10) + "|" + body + "10=000|");
  EXPECT_EQ(search(broken).state, FrameState::incomplete);
  const FrameSearch found = search(broken + k_heartbeat + k_heartbeat);
  EXPECT_EQ(found.state, FrameState::garbled);
  EXPECT_EQ(found.size, broken.size() + k_heartbeat.size());
}

TEST(FixFrame, never_takes_a_message_inside_a_broken_one_for_a_message) {
  const std::string inside = "35=B|34=2|95=" + std::to_string(k_heartbeat.size()) + "|96=" + k_heartbeat + "|58=x|";
  std::string text = framed(inside);
  text[text.size() - 2] = text[text.size() - 2] == '0' ? '1' : '0';
  EXPECT_EQ(search(text).size, text.size());
}

TEST(FixFrame, refuses_a_body_longer_than_the_limit_at_once) {
  EXPECT_EQ(search(wire("8=FIX.4.4|9=4097|")).state, FrameState::garbled);
  EXPECT_EQ(search(wire("8=FIX.4.4|9=4096|")).state, FrameState::incomplete);
  EXPECT_EQ(search(wire("8=FIX.4.4|9=99999999999999999999|")).state, FrameState::garbled);
  EXPECT_EQ(search(k_heartbeat, 20).error.code, ErrorCode::too_long);
}

TEST(FixFrame, refuses_what_does_not_begin_as_a_message_must) {
  for (const char* text : {"9=5|8=FIX.4.4|35=0|10=163|", "8=FIX.4.4|35=0|9=5|", "8=FIX.4.4|9=|35=0|", "8=FIX.4.4|9=x|",
                           "8=FIX.4.4|9=-5|", "8=FIX.4.4|9=0|10=000|", "8=FIX.4.4.4.4.4|9=5|", "8=FIX 4.4|9=5|"})
    EXPECT_EQ(search(wire(text)).state, FrameState::garbled) << text;
}

TEST(FixFrame, demands_msg_type_third_and_a_checksum_of_three_digits) {
  EXPECT_EQ(search(framed("34=2|35=0|49=A|")).state, FrameState::garbled);
  EXPECT_EQ(search(wire("8=FIX.4.4|9=5|35=0|10=24||")).state, FrameState::garbled);
}

TEST(FixFrame, demands_a_separator_in_front_of_the_checksum) {
  EXPECT_EQ(search(framed("35=0|58=x")).state, FrameState::garbled);
  EXPECT_EQ(search(framed("35=0|58=x|")).state, FrameState::whole);
}

TEST(FixFrame, accepts_leading_zeros_in_body_length_and_other_versions) {
  std::string text = wire("8=FIXT.1.1|9=0005|35=0|");
  char trailer[16];
  std::snprintf(trailer, sizeof trailer, "10=%03u\x01", unsigned{check_sum(as_bytes(text))});
  EXPECT_EQ(search(text + trailer).state, FrameState::whole);
}

RC_GTEST_PROP(FixFrameProperty, sums_any_bytes_as_one_by_one, (const std::vector<std::uint8_t>& bytes)) {
  unsigned sum = 0;
  for (const std::uint8_t byte : bytes) sum += byte;
  RC_ASSERT(check_sum(std::as_bytes(std::span(bytes))) == sum % 256);
}

RC_GTEST_PROP(FixFrameProperty, always_moves_on_and_stays_inside_any_bytes, (const std::string& noise)) {
  std::string text = noise + k_heartbeat + noise;
  while (true) {
    const FrameSearch found = search(text);
    if (found.state == FrameState::incomplete) break;
    RC_ASSERT(found.size >= 1u);
    RC_ASSERT(found.size <= text.size());
    text.erase(0, found.size);
  }
}

RC_GTEST_PROP(FixFrameProperty, finds_all_messages_of_a_stream_cut_anywhere, ()) {
  std::string stream;
  const auto count = *rc::gen::inRange(1, 6);
  for (int message = 0; message < count; ++message) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 200);
    stream += framed("35=D|34=" + std::to_string(message) + "|58=" + std::string(size, 'x') + "|");
  }
  std::string waiting;
  int found_count = 0;
  for (std::size_t at = 0; at < stream.size();) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 50);
    waiting += stream.substr(at, size);
    at += size;
    for (FrameSearch found = search(waiting); found.state != FrameState::incomplete; found = search(waiting)) {
      RC_ASSERT(found.state == FrameState::whole);
      waiting.erase(0, found.size);
      ++found_count;
    }
  }
  RC_ASSERT(found_count == count);
  RC_ASSERT(waiting.empty());
}

}  // namespace
}  // namespace dojima::fix
