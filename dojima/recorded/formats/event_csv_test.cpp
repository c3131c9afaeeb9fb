#include "dojima/recorded/formats/event_csv.hpp"

#include <gtest/gtest.h>

#include "dojima/flow/random.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

ReadEvents read_csv(std::string_view text) {
  MemorySource source(text);
  CsvReader reader(source);
  return read_all(reader);
}

TEST(EventCsv, gives_back_every_event_and_instrument) {
  const std::vector<RecordedInstrument> instruments = {
      {.symbol = "RICE", .number = 7, .price_decimals = 4, .quantity_decimals = 0, .tick = 100},
      {.symbol = "a \"quoted\", odd one", .price_decimals = 0, .quantity_decimals = 18},
      {.symbol = "", .tick = 1},
  };
  flow::Random random(11);
  std::vector<RecordedEvent> events(3000);
  for (RecordedEvent& event : events) {
    event.event_time = Time{time::Duration{static_cast<std::int64_t>(random.next())}};
    event.receive_time = Time{time::Duration{static_cast<std::int64_t>(random.next() >> random.below(64))}};
    event.order = random.next();
    event.other = random.below(3);
    event.price = static_cast<std::int64_t>(random.next());
    event.quantity = static_cast<std::int64_t>(random.below(100'000));
    event.sequence = random.below(2);
    event.instrument = static_cast<std::uint32_t>(random.below(3));
    event.kind = static_cast<EventKind>(random.below(k_event_kinds));
    event.side = static_cast<Side>(random.below(3));
    event.flags = static_cast<std::uint8_t>(random.next());
    event.code = static_cast<std::uint8_t>(random.next());
    if (random.below(5) == 0) event.price = k_unknown;
    if (random.below(5) == 0) event.quantity = k_unknown;
    if (random.below(5) == 0) event.event_time = k_unknown_time;
  }
  MemorySink sink;
  CsvWriter writer(sink);
  ASSERT_TRUE(writer.write(events, instruments));
  ASSERT_TRUE(writer.finish());
  const ReadEvents reading = read_csv(sink.text());
  EXPECT_EQ(reading.trouble, "");
  EXPECT_TRUE(reading.events == events);
  EXPECT_EQ(reading.instruments, instruments);
}

TEST(EventCsv, is_written_so_that_a_person_can_read_it) {
  MemorySink sink;
  CsvWriter writer(sink);
  const std::vector<RecordedInstrument> instruments = {{.symbol = "AMZN", .price_decimals = 4, .tick = 100}};
  const RecordedEvent event{.event_time = time::from_nanoseconds(1'340'285'400'017'459'617),
                            .order = 16113575,
                            .price = 2'231'800,
                            .quantity = 100,
                            .kind = EventKind::add,
                            .side = Side::buy,
                            .flags = k_last};
  ASSERT_TRUE(writer.write({&event, 1}, instruments));
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(sink.text(),
            "kind,event_time,receive_time,symbol,instrument,side,price,quantity,order,other,sequence,flags,code\n"
            "instrument,,,AMZN,0,,0.01,,,,,4,0\n"
            "add,1340285400017459617,,AMZN,0,buy,223.18,100,16113575,,,1,\n");
}

TEST(EventCsv, takes_the_columns_that_somebody_has) {
  const ReadEvents reading = read_csv(
      "event_time,symbol,kind,side,price,quantity\r\n"
      "20120621-13:30:00.017,RICE,trade,buy,12.5,0.25\r\n"
      "\r\n"
      "1340285400017459617,BEAN,level,sell,7,3\r\n"
      "1340285400017459618,RICE,level,sell,12.75,\r\n");
  EXPECT_EQ(reading.trouble, "");
  ASSERT_EQ(reading.events.size(), 3u);
  ASSERT_EQ(reading.instruments.size(), 2u);
  EXPECT_EQ(reading.instruments[1].symbol, "BEAN");
  EXPECT_EQ(reading.events[0].event_time, time::from_nanoseconds(1'340'285'400'017'000'000));
  EXPECT_EQ(reading.events[0].price, 1'250'000'000);
  EXPECT_EQ(reading.events[0].quantity, 25'000'000);
  EXPECT_EQ(reading.events[1].instrument, 1u);
  EXPECT_EQ(reading.events[2].instrument, 0u);
  EXPECT_EQ(reading.events[2].quantity, k_unknown);
}

TEST(EventCsv, says_line_field_and_what_was_expected) {
  const std::string head = "kind,event_time,instrument,side,price,flags\n";
  const std::string known = head + "instrument,,0,,0.01,2\n";
  const auto trouble = [](const std::string& text) { return read_csv(text).trouble; };
  EXPECT_EQ(trouble(""),
            "line 1 (byte 0): no CSV of events: the first line names the columns, kind among them, and "
            "event_time or receive_time");
  EXPECT_EQ(trouble("kind,event_time,colour\n"), trouble(""));
  EXPECT_EQ(trouble("kind,event_time\rcolour\ntrade,1,red\n"), trouble("")) << "the end of no line";
  EXPECT_EQ(trouble(known + "trade,1\n"), "line 3 (byte 66): expected 6 fields, as in the first line");
  EXPECT_EQ(trouble(known + "trade,1,0,buy,1,1,1\n"), "line 3 (byte 66): expected 6 fields, as in the first line");
  EXPECT_EQ(trouble(known + "trade,1,0,bid,1,1\n"),
            "line 3 (byte 66): side: got \"bid\", expected buy, sell or nothing");
  EXPECT_EQ(
      trouble(known + "trade,1,0,buy,1.005,1\n"),
      "line 3 (byte 66): price: got \"1.005\", expected a decimal number, no finer than its instrument has decimals");
  EXPECT_EQ(trouble(known + "trade,1,1,buy,1,1\n"),
            "line 3 (byte 66): instrument: got \"1\", expected one that a row has described");
  EXPECT_EQ(trouble(known + "trade,1,0,buy,1,256\n"),
            "line 3 (byte 66): flags: got \"256\", expected a whole number in its range");
  EXPECT_EQ(
      trouble(known + "trade,2012-06-21,0,buy,1,\n"),
      "line 3 (byte 66): event_time: got \"2012-06-21\", expected nanoseconds since 1970, or YYYYMMDD-HH:MM:SS with "
      "decimals");
  EXPECT_EQ(trouble(known + "tarde,1,0,buy,1,\n"),
            "line 3 (byte 66): kind: got \"tarde\", expected a kind of event, or instrument");
  EXPECT_EQ(trouble(head + "instrument,,1,,,\n"),
            "line 2 (byte 44): instrument: got \"1\", expected the number of instruments so far");
  EXPECT_EQ(trouble(head + "instrument,,0,,,19\n"), "line 2 (byte 44): flags: got \"19\", expected at most 18");
}

TEST(EventCsv, refuses_to_write_what_it_could_not_read) {
  MemorySink sink;
  EXPECT_FALSE(CsvWriter(sink).write({}, std::vector<RecordedInstrument>{{.symbol = "two\nlines"}}));
  EXPECT_FALSE(CsvWriter(sink).write({}, std::vector<RecordedInstrument>{{.price_decimals = 19}}));
}

}  // namespace
}  // namespace dojima::recorded
