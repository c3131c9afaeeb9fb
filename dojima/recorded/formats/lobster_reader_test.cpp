#include "dojima/recorded/formats/lobster_reader.hpp"

#include <gtest/gtest.h>

#include "dojima/recorded/formats/format.hpp"
#include "dojima/recorded/new_york.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

constexpr std::string_view k_messages =
    "34200.017459617,5,0,1,2238200,-1\n"
    "34200.18960767,1,11885113,21,2238100,1\n"
    "34200.2,4,11885113,20,2238100,1\n"
    "34200.3,2,7,5,2238200,-1\n"
    "34200.4,3,11885113,1,2238100,1\n"
    "34201,6,0,300,2238150,-1\n"
    "34202,7,0,0,-1,-1\n";

constexpr std::string_view k_book =
    "2239500,100,2231800,100\n2239500,100,2238100,21\n2239500,100,2238100,1\n2239500,95,2238100,1\n"
    "2239500,95,-9999999999,0\n2239500,95,-9999999999,0\n9999999999,0,-9999999999,0\n";

ReadEvents read_lobster(std::string_view messages, std::string_view book) {
  MemorySource first(messages), second(book);
  LobsterReader reader(first, book.empty() ? nullptr : &second, {.midnight = new_york_midnight({2012, 6, 21})});
  return read_all(reader);
}

TEST(LobsterReader, makes_an_event_of_every_message) {
  MemorySource source(k_messages);
  LobsterReader reader(source, nullptr, {.midnight = new_york_midnight({2012, 6, 21}), .symbol = "AMZN"});
  const ReadEvents all = read_all(reader);
  EXPECT_EQ(all.trouble, "");
  ASSERT_EQ(all.events.size(), 7u);
  using enum EventKind;
  const EventKind kinds[] = {hidden_trade, add, execute, reduce, remove, trade, status};
  for (std::size_t at = 0; at < 7; ++at) {
    EXPECT_EQ(all.events[at].kind, kinds[at]) << at;
    EXPECT_EQ(all.events[at].sequence, at + 1);
    EXPECT_TRUE(all.events[at].has(k_last));
  }
  const RecordedEvent& execution = all.events[2];
  EXPECT_EQ(execution.event_time, new_york_midnight({2012, 6, 21}) + std::chrono::milliseconds{34'200'200});
  EXPECT_EQ(execution.order, 11'885'113u);
  EXPECT_EQ(execution.price, 2'238'100);
  EXPECT_EQ(execution.quantity, 20);
  EXPECT_EQ(execution.side, Side::buy) << "of the resting order";
  EXPECT_EQ(all.events[0].side, Side::buy) << "of the aggressor";
  EXPECT_TRUE(all.events[5].has(k_in_auction));
  EXPECT_EQ(all.events[6].code, static_cast<std::uint8_t>(MarketState::halted));
  ASSERT_EQ(reader.instruments().size(), 1u);
  EXPECT_EQ(reader.instruments()[0].symbol, "AMZN");
  EXPECT_EQ(reader.instruments()[0].price_decimals, 4);
  EXPECT_EQ(reader.type_counts().size(), 7u);
  EXPECT_EQ(reader.bytes_read(), k_messages.size());
}

TEST(LobsterReader, gives_the_row_of_the_book_behind_its_message) {
  const ReadEvents all = read_lobster(k_messages, k_book);
  EXPECT_EQ(all.trouble, "");
  ASSERT_EQ(all.events.size(), 7u * 3);
  const RecordedEvent &ask = all.events[4], &bid = all.events[5], &nothing = all.events[20];
  EXPECT_EQ(ask.kind, EventKind::window);
  EXPECT_EQ(ask.side, Side::sell);
  EXPECT_EQ(ask.price, 2'239'500);
  EXPECT_FALSE(ask.has(k_last));
  EXPECT_EQ(bid.side, Side::buy);
  EXPECT_EQ(bid.quantity, 21);
  EXPECT_EQ(bid.sequence, 2u);
  EXPECT_TRUE(bid.has(k_last));
  EXPECT_EQ(nothing.price, k_unknown);
  EXPECT_EQ(nothing.quantity, 0);
}

TEST(LobsterReader, reads_the_same_from_a_stream) {
  TrickleSource messages{std::string(k_messages), 3}, book{std::string(k_book), 5};
  LobsterReader reader(messages, &book, {.midnight = new_york_midnight({2012, 6, 21})});
  EXPECT_EQ(read_all(reader).events, read_lobster(k_messages, k_book).events);
}

TEST(LobsterReader, says_what_is_wrong_and_where) {
  EXPECT_EQ(
      read_lobster("34200.0,1,5,100,1000,1\n34201,1,6,x,1000,1\n", "").trouble,
      "line 2 (byte 23): no LOBSTER message: expected time, type 1 to 7, order id, size, price, direction 1 or -1");
  EXPECT_EQ(read_lobster("34200.0,8,5,100,1000,1\n", "").trouble.substr(0, 16), "line 1 (byte 0):");
  EXPECT_EQ(read_lobster("34200.0,1,5,-1,1000,1\n", "").trouble.substr(0, 16), "line 1 (byte 0):");
  EXPECT_EQ(read_lobster("34200.0,1,5,100,1000,1", "").events.size(), 1u) << "without the last end of line";
  EXPECT_EQ(read_lobster("34200.0,1,5,100,10", "").trouble.substr(0, 16), "line 1 (byte 0):") << "cut";
  EXPECT_EQ(read_lobster("", "").trouble, "line 1 (byte 0): the file is empty");
  EXPECT_EQ(read_lobster(k_messages, "1,1,1,1\n").trouble,
            "line 2 (byte 8): the order-book file has fewer rows than the message file has messages");
  EXPECT_EQ(read_lobster("34200.0,1,5,100,1000,1\n", "1,1,1,1\n1,1,1,1\n").trouble,
            "line 2 (byte 8): the order-book file has more rows than the message file has messages");
  EXPECT_EQ(read_lobster("34200,1,5,1,1,1\n34200,1,6,1,1,1\n", "1,1,1,1\n1,1,1\n").trouble,
            "line 2 (byte 8): no row of a LOBSTER order book: expected ask price, ask size, bid price, bid size of 1 "
            "levels");
}

TEST(RecordedFormat, is_known_by_the_first_bytes) {
  EXPECT_EQ(guess_format(as_bytes(k_messages)), Format::lobster);
  EXPECT_EQ(guess_format(as_bytes("1723161253937085768 {\"stream\":\"x\"}\n")), Format::binance);
  EXPECT_EQ(guess_format(as_bytes("DBN\1")), Format::dbn);
  EXPECT_EQ(guess_format(as_bytes("id,timestamp,exchange.timestamp,price,volume,action,direction\n")),
            Format::bitstamp);
  EXPECT_EQ(guess_format(as_bytes("12:00 in 8=FIX.4.4|9=5|")), Format::fix);
  EXPECT_EQ(guess_format(as_bytes("hello, world\n")), std::nullopt);
  EXPECT_EQ(guess_format({}), std::nullopt);
  for (const Format format : all_formats()) EXPECT_EQ(format_named(name_of(format)), format);
  EXPECT_EQ(format_named("itch"), std::nullopt);
}

}  // namespace
}  // namespace dojima::recorded
