#include "dojima/recorded/formats/lobster_lines.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "dojima/flow/random.hpp"
#include "dojima/recorded/fields.hpp"
#include "dojima/recorded/formats/lobster_reader.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

constexpr std::int64_t k_midnight = 1'340'251'200'000'000'000;

/// Field by field and character by character: what a line says, if it is a message of type 1 to 6.
std::optional<RecordedEvent> plain(std::string_view line, std::uint64_t number) {
  Fields fields(line);
  std::int64_t time = 0, size = 0, price = 0;
  std::uint64_t type = 0, order = 0;
  if (!fields.take_decimal(9, time) || !fields.take(',') || !fields.take_number(type) || !fields.take(',') ||
      !fields.take_number(order) || !fields.take(',') || !fields.take_decimal(0, size) || !fields.take(',') ||
      !fields.take_decimal(0, price) || !fields.take(','))
    return std::nullopt;
  const bool is_sell = fields.take('-');
  if (!fields.take('1') || !fields.is_at_end() || type < 1 || type > 6 || size < 0 || time < 0 ||
      time > 1'000'000'000'000'000'000)
    return std::nullopt;
  const LobsterTail tail = lobster_tail(type, is_sell);
  return RecordedEvent{.event_time = time::from_nanoseconds(k_midnight + time),
                       .order = order,
                       .price = price,
                       .quantity = size,
                       .sequence = number,
                       .kind = tail.kind,
                       .side = tail.side,
                       .flags = tail.flags};
}

std::vector<LobsterKernel> every_kernel() {
  std::vector<LobsterKernel> kernels{detail::portable_lobster_kernel()};
  if (detail::avx512_lobster_kernel() != nullptr) kernels.push_back(detail::avx512_lobster_kernel());
  return kernels;
}

struct Taken {
  std::vector<RecordedEvent> events;
  std::uint64_t counted = 0;
};

/// What a kernel takes of a text that begins with a line, before it wants no more.
Taken taken_by(LobsterKernel kernel, const std::string& text, std::size_t room) {
  const std::string padded = std::string(k_lobster_before, '9') + text;
  std::vector<RecordedEvent> events(room);
  std::array<std::uint64_t, 8> counts{};
  LobsterLines lines{.at = padded.data() + k_lobster_before,
                     .end = padded.data() + padded.size(),
                     .out = events.data(),
                     .out_end = events.data() + room,
                     .line = 0,
                     .type_count = counts.data(),
                     .midnight_ns = k_midnight};
  kernel(lines);
  events.resize(static_cast<std::size_t>(lines.out - events.data()));
  EXPECT_EQ(lines.line, events.size());
  Taken taken{std::move(events)};
  for (const std::uint64_t count : counts) taken.counted += count;
  return taken;
}

std::string digits(flow::Random& random, std::uint64_t most) {
  std::string text;
  const std::uint64_t size = 1 + random.below(most);
  for (std::uint64_t i = 0; i < size; ++i) text += static_cast<char>('0' + random.below(10));
  return text;
}

const std::string k_behind(detail::k_lobster_room, '#');  // so that the last line is not too near the end

TEST(LobsterLines, every_kernel_says_of_a_line_what_its_characters_say_one_by_one) {
  flow::Random random(7);
  for (int round = 0; round < 20'000; ++round) {
    const auto number = [&](std::uint64_t most) { return digits(random, most); };
    std::string line = number(6) + "." + number(9) + "," + std::to_string(1 + random.below(6)) + "," + number(15) +
                       "," + number(9) + "," + number(10) + (random.below(2) == 0 ? ",1" : ",-1");
    const bool is_damaged = round % 2 == 1;
    if (is_damaged) line[random.below(line.size())] = static_cast<char>(random.below(128));
    const auto expected = plain(line, 1);
    ASSERT_TRUE(is_damaged || expected) << line;
    for (const LobsterKernel kernel : every_kernel()) {
      const Taken taken = taken_by(kernel, line + "\n" + k_behind, 2);
      if (!is_damaged && line.size() < detail::k_lobster_block) {
        ASSERT_EQ(taken.events.size(), 1u) << line;
      }
      if (taken.events.empty()) continue;
      ASSERT_TRUE(expected) << line;
      ASSERT_EQ(taken.events.front(), *expected) << line;
      ASSERT_EQ(taken.counted, 1u);
    }
  }
}

TEST(LobsterLines, a_kernel_leaves_what_is_not_usual) {
  const std::string usual = "34200.5,1,7,100,2238100,1";
  for (const char* line :
       {"34200.5,7,0,0,-1,-1", "34200.5,1,7,100,2238100,1,NITE", "34200,1,7,100,2238100,1", "34200.5,1,7,100,-5,1",
        "34200.5,1,1234567890123456,1,1,1", "34200.5,0,7,1,1,1", "34200.5,1,,1,1,1", "34200.5,1,7,1,1,2", "",
        "34200.5,1,7,1,1,1\r", "34200.1234567891,1,7,1,1,1", "1234567890.5,1,7,1,1,1", "34200.5,1,7,1,1,--1",
        "34200.5,11,7,1,1,1", "34200.5,1,7,1.0,1,1", "34200.5,1,7;1,1,1", "3.4200.5,1,7,1,1,1"})
    for (const LobsterKernel kernel : every_kernel())
      EXPECT_EQ(taken_by(kernel, usual + "\n" + line + "\n" + usual + "\n" + k_behind, 9).events.size(), 1u) << line;
}

TEST(LobsterLines, a_kernel_ends_where_the_room_or_the_text_does) {
  const std::string line = "34200.5,1,7,100,2238100,1\n";
  for (const LobsterKernel kernel : every_kernel()) {
    EXPECT_EQ(taken_by(kernel, line + line + line + k_behind, 2).events.size(), 2u);
    EXPECT_EQ(taken_by(kernel, line + k_behind.substr(line.size()), 2).events.size(), 1u);
    EXPECT_EQ(taken_by(kernel, line + k_behind.substr(line.size() + 1), 2).events.size(), 0u);
    EXPECT_EQ(taken_by(kernel, "34200.5,1,7,100,2238100,1" + k_behind, 2).events.size(), 0u);
  }
}

TEST(LobsterReader, reads_the_same_whole_and_piece_by_piece_with_unusual_lines_between) {
  std::string text;
  for (int line = 0; line < 2000; ++line) {
    text += "34200." + std::to_string(1000 + line) + "," + std::to_string(1 + line % 6) + "," + std::to_string(line) +
            ",100,2238100," + (line % 5 == 0 ? "-1" : "1");
    text += line % 97 == 0 ? "\r\n" : "\n";
    if (line % 500 == 0) text += "34300,7,0,0,-1,-1\n";
  }
  MemorySource whole(text);
  LobsterReader at_once(whole, nullptr, {.midnight = time::from_nanoseconds(k_midnight)});
  TrickleSource pieces(text, 61);
  LobsterReader in_pieces(pieces, nullptr, {.midnight = time::from_nanoseconds(k_midnight)});
  const ReadEvents first = read_all(at_once), second = read_all(in_pieces);
  EXPECT_EQ(first.trouble, "");
  ASSERT_EQ(first.events.size(), 2004u);
  EXPECT_EQ(first.events, second.events);
  for (std::size_t at = 0; at < first.events.size(); ++at) ASSERT_EQ(first.events[at].sequence, at + 1);
  EXPECT_EQ(at_once.type_counts().size(), 7u);
  const std::string with_damage = text + "34400.5,1,5,x,1,1\n";
  MemorySource damaged(with_damage);
  LobsterReader reader(damaged, nullptr, {});
  EXPECT_EQ(read_all(reader).trouble.substr(0, 40),
            ("line 2005 (byte " + std::to_string(text.size()) + "): no LOBSTER message").substr(0, 40));
}

}  // namespace
}  // namespace dojima::recorded
