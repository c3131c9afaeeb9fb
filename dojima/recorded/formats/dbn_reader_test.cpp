#include "dojima/recorded/formats/dbn_reader.hpp"

#include <gtest/gtest.h>

#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

template <class T>
void put(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string padded(std::string text, std::size_t size) {
  text.resize(size);
  return text;
}

/// Metadata that name one instrument: 17077 is ESH4.
std::string metadata(unsigned version) {
  const std::size_t symbol_size = version == 1 ? 22 : 71;
  std::string body = padded("GLBX.MDP3", 16);
  put(body, std::uint16_t{0});
  put(body, std::uint64_t{1});
  put(body, std::uint64_t{2});
  put(body, std::uint64_t{0});
  if (version == 1) put(body, ~std::uint64_t{0});
  body += std::string("\1\0\0", 3);
  if (version != 1) put(body, static_cast<std::uint16_t>(symbol_size));
  body = padded(body, 100);
  put(body, std::uint32_t{0});
  put(body, std::uint32_t{1});
  body += padded("ESH4", symbol_size);
  put(body, std::uint64_t{0});
  put(body, std::uint32_t{1});
  body += padded("ESH4", symbol_size);
  put(body, std::uint32_t{1});
  put(body, std::uint32_t{20231224});
  put(body, std::uint32_t{20231225});
  body += padded("17077", symbol_size);
  std::string text = "DBN" + std::string(1, static_cast<char>(version));
  put(text, static_cast<std::uint32_t>(body.size()));
  return text + body;
}

std::string record(char action, char side, std::uint8_t flags, std::int64_t price = 4'799'000'000'000) {
  std::string text("\x0e\xa0\1\0", 4);
  put(text, std::uint32_t{17'077});
  put(text, std::uint64_t{1'703'386'800'000'000'000});
  put(text, std::uint64_t{6'413'000'000'001});
  put(text, price);
  put(text, std::uint32_t{16});
  put(text, flags);
  put(text, std::uint8_t{0});
  text += action;
  text += side;
  put(text, std::uint64_t{1'703'386'800'000'000'123});
  put(text, std::int32_t{0});
  put(text, std::uint32_t{41});
  return text;
}

ReadEvents read_dbn(const std::string& bytes) {
  MemorySource source(bytes);
  DbnReader reader(source);
  return read_all(reader);
}

TEST(DbnReader, reads_orders_behind_the_metadata_of_every_version) {
  for (const unsigned version : {1u, 2u, 3u}) {
    const std::string bytes = metadata(version) + record('A', 'B', 128 | 32);
    MemorySource source(bytes);
    DbnReader reader(source);
    const ReadEvents all = read_all(reader);
    EXPECT_EQ(all.trouble, "") << version;
    ASSERT_EQ(all.events.size(), 1u);
    const RecordedEvent& event = all.events[0];
    EXPECT_EQ(event.kind, EventKind::add);
    EXPECT_EQ(event.side, market::Side::buy);
    EXPECT_EQ(event.order, 6'413'000'000'001u);
    EXPECT_EQ(event.price, 4'799'000'000'000);
    EXPECT_EQ(event.quantity, 16);
    EXPECT_EQ(event.sequence, 41u);
    EXPECT_EQ(event.flags, k_last | k_snapshot);
    EXPECT_EQ(event.receive_time - event.event_time, time::Duration{123});
    ASSERT_EQ(reader.instruments().size(), 1u);
    EXPECT_EQ(reader.instruments()[0].symbol, "ESH4");
    EXPECT_EQ(reader.instruments()[0].price_decimals, 9);
    EXPECT_EQ(reader.notes()[0].second, std::to_string(version));
    EXPECT_EQ(reader.notes()[1].second, "GLBX.MDP3");
  }
}

TEST(DbnReader, knows_every_action) {
  std::string bytes = metadata(3);
  for (const char action : {'A', 'C', 'M', 'R', 'T', 'F', 'N'}) bytes += record(action, 'A', 0);
  const ReadEvents all = read_dbn(bytes);
  ASSERT_EQ(all.events.size(), 7u);
  using enum EventKind;
  const EventKind kinds[] = {add, reduce, amend, clear, trade, fill, notice};
  for (std::size_t at = 0; at < 7; ++at) EXPECT_EQ(all.events[at].kind, kinds[at]);
  EXPECT_EQ(read_dbn(metadata(1) + record('R', 'N', 0, std::numeric_limits<std::int64_t>::max())).events[0].price,
            k_unknown);
}

TEST(DbnReader, leaves_records_of_other_schemas_as_notices) {
  std::string other("\x04\x16\1\0", 4);
  put(other, std::uint32_t{5});
  put(other, std::uint64_t{77});
  const ReadEvents all = read_dbn(metadata(2) + other + record('A', 'A', 0));
  ASSERT_EQ(all.events.size(), 2u);
  EXPECT_EQ(all.events[0].kind, EventKind::notice);
  EXPECT_EQ(all.events[0].code, 0x16);
  EXPECT_EQ(all.events[1].instrument, 0u);
}

TEST(DbnReader, reads_the_same_from_a_stream) {
  std::string bytes = metadata(1);
  for (int times = 0; times < 1000; ++times) bytes += record('A', 'B', 0);
  TrickleSource source(bytes, 61);
  DbnReader reader(source);
  const ReadEvents streamed = read_all(reader);
  EXPECT_EQ(streamed.events, read_dbn(bytes).events);
  EXPECT_EQ(streamed.events.size(), 1000u);
  EXPECT_EQ(reader.bytes_read(), bytes.size());
}

TEST(DbnReader, says_what_is_wrong_and_where) {
  EXPECT_EQ(read_dbn("DBM").trouble, "byte 0: no DBN file: it begins with \"DBN\" and a version");
  EXPECT_EQ(read_dbn(padded("DBN\4", 200)).trouble, "byte 0: DBN version 4; versions 1 to 3 are known");
  const std::string whole = metadata(1) + record('A', 'B', 0);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(read_dbn(whole.substr(0, size)).trouble.empty(), size == metadata(1).size()) << size;
  EXPECT_EQ(read_dbn(metadata(1)).trouble, "") << "no records are fine";
  EXPECT_EQ(read_dbn(whole.substr(0, 209)).trouble, "byte 206: the file is cut within a record");
  EXPECT_EQ(read_dbn(metadata(1) + record('x', 'B', 0)).trouble, "byte 206: an MBO record with the unknown action 120");
  EXPECT_EQ(read_dbn(metadata(1) + std::string("\1\xa0\0\0", 4)).trouble, "byte 206: a record of 4 bytes; 16 at least");
}

}  // namespace
}  // namespace dojima::recorded
