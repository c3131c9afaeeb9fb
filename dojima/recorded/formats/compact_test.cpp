#include "dojima/recorded/formats/compact.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "dojima/flow/random.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

const std::vector<RecordedInstrument> k_three_instruments = {
    {.symbol = "RICE", .number = 7, .price_decimals = 4, .quantity_decimals = 0, .tick = 100},
    {.symbol = std::string(40, 'a') + std::string(64, 'b') + "c", .price_decimals = 0, .quantity_decimals = 18},
    {.symbol = ""},
};

/// Every field takes many values, also the odd ones. Times rise by 1 us, a few go back.
std::vector<RecordedEvent> some_events(std::size_t count, std::uint64_t seed = 1) {
  flow::Random random(seed);
  std::vector<RecordedEvent> events(count);
  for (std::size_t at = 0; at < count; ++at) {
    RecordedEvent& event = events[at];
    const auto time = static_cast<std::int64_t>(at) * 1000;
    event.event_time = time::from_nanoseconds(random.below(10) == 0 ? k_unknown : time - 500);
    event.receive_time = time::from_nanoseconds(at % 100 == 99 ? time - 50'000 : time);
    event.order = random.next();
    event.other = random.next();
    event.price = random.below(8) == 0 ? k_unknown : static_cast<std::int64_t>(random.next());
    event.quantity = static_cast<std::int64_t>(random.below(1000));
    event.sequence = random.next();
    event.instrument = static_cast<std::uint32_t>(random.below(at < 10 ? 1 : k_three_instruments.size()));
    event.kind = static_cast<EventKind>(random.below(k_event_kinds));
    event.side = static_cast<Side>(random.below(3));
    event.flags = static_cast<std::uint8_t>(random.next());
    event.code = static_cast<std::uint8_t>(random.next());
  }
  return events;
}

/// As a reader gives them: the second and third instrument become known on the way.
std::string file_of(std::span<const RecordedEvent> events, std::string_view source = "test") {
  MemorySink sink;
  CompactWriter writer(sink, source);
  for (std::size_t at = 0; at < events.size(); at += 10) {
    const std::span<const RecordedInstrument> known(k_three_instruments.data(), at == 0 ? 1 : 3);
    EXPECT_TRUE(writer.write(events.subspan(at, std::min<std::size_t>(10, events.size() - at)), known));
  }
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(writer.events(), events.size());
  return sink.text();
}

ReadEvents read_compact(std::string_view file) {
  MemorySource source(file);
  CompactReader reader(source);
  return read_all(reader);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Compact, gives_back_every_event_and_instrument_bit_by_bit) {
  for (const std::size_t count : {0u, 1u, 10u, 4095u, 4096u, 4097u, 20'000u}) {
    const auto events = some_events(count);
    const std::string file = file_of(events);
    const ReadEvents whole = read_compact(file);
    EXPECT_EQ(whole.trouble, "");
    EXPECT_TRUE(whole.events == events) << count;
    const std::size_t known = count == 0 ? 0u : count <= 10 ? 1u : 3u;
    EXPECT_TRUE(std::ranges::equal(whole.instruments, std::span(k_three_instruments).first(known))) << count;
    TrickleSource trickle(file, 1000);
    CompactReader reader(trickle);
    EXPECT_TRUE(read_all(reader).events == events) << count;
  }
}

TEST(Compact, is_used_in_place_block_by_block) {
  const auto events = some_events(10'000);
  const std::string file = file_of(events, "itch50");
  const auto view = CompactView::of(as_bytes(file));
  ASSERT_TRUE(view) << describe(view.error());
  EXPECT_EQ(view->blocks(), 3u);
  EXPECT_EQ(view->event_count(), 10'000u);
  EXPECT_EQ(view->source(), "itch50");
  EXPECT_EQ(view->instruments(), k_three_instruments);
  std::vector<RecordedEvent> got;
  for (std::size_t block = 0; block < view->blocks(); ++block) {
    EXPECT_TRUE(view->is_whole(block));
    const auto part = view->events(block);
    got.insert(got.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(got == events);
}

TEST(Compact, finds_the_first_block_that_may_hold_a_time) {
  const auto events = some_events(20'000);
  const std::string file = file_of(events);
  const auto view = CompactView::of(as_bytes(file));
  ASSERT_TRUE(view);
  for (const std::int64_t at : {0LL, 4'000'000LL, 4'095'000LL, 4'096'000LL, 12'345'678LL, 19'998'000LL}) {
    const std::size_t block = view->block_at(time::from_nanoseconds(at));
    // No event before the block is at or after the time, and the block holds one that is.
    const auto is_there = [at](const RecordedEvent& event) {
      return event.replay_time().time_since_epoch().count() >= at;
    };
    const auto first = std::ranges::find_if(events, is_there);
    EXPECT_EQ(block, static_cast<std::size_t>(first - events.begin()) / k_compact_block) << at;
  }
  EXPECT_EQ(view->block_at(time::from_nanoseconds(-5)), 0u);
  EXPECT_EQ(view->block_at(time::from_nanoseconds(19'998'001)), view->blocks());
  EXPECT_EQ(time::nanoseconds_of(view->highest_time()), 19'998'000);
}

TEST(Compact, that_was_cut_gives_its_whole_blocks_and_says_so) {
  const auto events = some_events(10'000);
  const std::string file = file_of(events);
  for (std::size_t size = 0; size < file.size(); size += 997) {
    const std::string_view cut = std::string_view(file).substr(0, size);
    const ReadEvents reading = read_compact(cut);
    EXPECT_NE(reading.trouble, "") << size;
    EXPECT_EQ(reading.events.size() % k_compact_block == 0 || reading.events.size() == events.size(), true) << size;
    EXPECT_TRUE(std::equal(reading.events.begin(), reading.events.end(), events.begin()));
    EXPECT_FALSE(CompactView::of(as_bytes(cut))) << size;
  }
  EXPECT_TRUE(contains(read_compact(std::string_view(file).substr(0, 300'000)).trouble, "was not finished, or is cut"));
}

TEST(Compact, detects_any_changed_byte_but_reserved_ones) {
  const auto events = some_events(5000);
  const std::string file = file_of(events);
  flow::Random random(3);
  for (int count = 0; count < 400; ++count) {
    std::string damaged = file;
    const std::size_t at = 64 + random.below(damaged.size() - 64);
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    const std::size_t block_header = at < 128 ? 64 : at;
    if (at >= 64 + 56 && block_header == 64) continue;  // reserved
    const ReadEvents reading = read_compact(damaged);
    const auto view = CompactView::of(as_bytes(damaged));
    const bool is_seen_in_place = !view || !view->is_whole(0) || !view->is_whole(1) ||
                                  at >= file.size() - 2 * sizeof(CompactIndexEntry) - sizeof(CompactEnd);
    EXPECT_TRUE(reading.trouble != "" || reading.events == events) << at;
    EXPECT_TRUE(is_seen_in_place || reading.events == events) << at;
  }
}

TEST(Compact, says_what_is_wrong_in_one_line) {
  EXPECT_EQ(read_compact("").trouble, "byte 0: no file of the compact format: it begins with DOJIMAEV");
  EXPECT_EQ(read_compact(std::string(100, 'x')).trouble,
            "byte 0: no file of the compact format: it begins with DOJIMAEV");
  std::string file = file_of(some_events(5));
  file[8] = 9;
  EXPECT_EQ(read_compact(file).trouble, "byte 0: version 9 of the compact format, expected 1");
  file[8] = 1;
  file[64 + 64 + 64 + 10] ^= 1;
  EXPECT_EQ(read_compact(file).trouble, "byte 64: a block is damaged: its checksum is another");
  file[64 + 64 + 64 + 10] ^= 1;
  EXPECT_EQ(read_compact(file + "x").trouble, "byte 608: bytes behind the end");
}

TEST(Compact, takes_no_event_of_an_instrument_that_is_not_there) {
  auto events = some_events(5);
  events[3].instrument = 1;
  const ReadEvents reading = read_compact(file_of(events));
  EXPECT_EQ(reading.events.size(), 3u);
  EXPECT_TRUE(contains(reading.trouble, "an event of an unknown kind or instrument")) << reading.trouble;
}

}  // namespace
}  // namespace dojima::recorded
