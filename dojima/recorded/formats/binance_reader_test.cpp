#include "dojima/recorded/formats/binance_reader.hpp"

#include <gtest/gtest.h>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/formats/bitstamp_reader.hpp"
#include "dojima/recorded/parsing/json_cursor.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

constexpr std::int64_t k_one = 100'000'000;

ReadEvents read_binance(const std::string& text) {
  MemorySource source(text);
  BinanceReader reader(source);
  return read_all(reader);
}

std::string depth(int received, int first, int last, const std::string& bids, const std::string& asks) {
  return std::to_string(received) + R"( {"stream":"x@depth@100ms","data":{"e":"depthUpdate","E":7,"s":"X","U":)" +
         std::to_string(first) + R"(,"u":)" + std::to_string(last) + R"(,"b":[)" + bids + R"(],"a":[)" + asks + "]}}\n";
}

std::string picture(int received, int last, const std::string& bids, const std::string& asks) {
  return std::to_string(received) + R"( {"lastUpdateId":)" + std::to_string(last) + R"(,"bids":[)" + bids +
         R"(],"asks":[)" + asks + "]}\n";
}

const std::string k_trade =
    R"(5 {"stream":"x@trade","data":{"e":"trade","E":9,"s":"X","t":31,"p":"10.5","q":"0.02","T":8,"m":true,"M":true}})"
    "\n";

std::size_t count_of(const ReadEvents& all, EventKind kind) {
  return static_cast<std::size_t>(std::ranges::count(all.events, kind, &RecordedEvent::kind));
}

TEST(BinanceReader, applies_a_late_picture_before_the_changes_that_are_newer) {
  const std::string text = depth(1, 1, 2, R"(["9","1"])", "") + depth(2, 3, 4, R"(["10","2"])", R"(["11","3"])") +
                           k_trade + picture(6, 2, R"(["9","1"],["8","5"])", R"(["10","4"])") +
                           depth(7, 5, 6, "", R"(["10","0"])");
  const ReadEvents all = read_binance(text);
  EXPECT_EQ(all.trouble, "");
  DepthBooks books;
  books.apply(all.events, std::vector<RecordedInstrument>(1));
  EXPECT_EQ(books.of(0).bids.best(), (DepthLevel{10 * k_one, 2 * k_one}));
  EXPECT_EQ(books.of(0).asks.best(), (DepthLevel{11 * k_one, 3 * k_one}));
  EXPECT_EQ(books.of(0).bids.quantity_at(9 * k_one), k_one);
  EXPECT_EQ(count_of(all, EventKind::gap), 0u);
  using enum EventKind;
  const EventKind kinds[] = {trade, clear, level, level, level, level, level, level};
  ASSERT_EQ(all.events.size(), std::size(kinds));
  for (std::size_t at = 0; at < std::size(kinds); ++at) EXPECT_EQ(all.events[at].kind, kinds[at]) << at;
  EXPECT_TRUE(all.events[4].has(k_last)) << "end of the picture";
  EXPECT_TRUE(all.events[5].has(k_snapshot)) << "a change from before the picture's line";
  EXPECT_EQ(all.events[5].receive_time, all.events[4].receive_time);
  EXPECT_FALSE(all.events[7].has(k_snapshot));
}

TEST(BinanceReader, drops_changes_that_the_picture_already_has) {
  const ReadEvents all = read_binance(picture(1, 10, R"(["9","1"])", "") + depth(2, 5, 9, R"(["9","7"])", "") +
                                      depth(3, 10, 12, R"(["9","8"])", ""));
  EXPECT_EQ(count_of(all, EventKind::gap), 0u);
  ASSERT_EQ(all.events.size(), 3u);
  EXPECT_EQ(all.events[2].quantity, 8 * k_one);
}

TEST(BinanceReader, reports_where_update_numbers_jump) {
  const ReadEvents all = read_binance(picture(1, 1, "", "") + depth(2, 2, 3, R"(["9","1"])", "") +
                                      depth(3, 6, 7, R"(["9","2"])", "") + picture(4, 7, R"(["9","3"])", "") +
                                      depth(5, 8, 8, R"(["9","4"])", "") + picture(6, 8, R"(["9","9"])", ""));
  ASSERT_EQ(count_of(all, EventKind::gap), 1u);
  const auto gap = std::ranges::find(all.events, EventKind::gap, &RecordedEvent::kind);
  EXPECT_EQ(gap->other, 4u);
  EXPECT_EQ(gap->sequence, 6u);
  EXPECT_EQ(count_of(all, EventKind::clear), 2u) << "a picture behind a gap repairs, one that nobody needs is left out";
  EXPECT_EQ(all.events.back().quantity, 4 * k_one);
  EXPECT_EQ(count_of(read_binance(picture(1, 1, "", "") + depth(2, 4, 5, "", "")), EventKind::gap), 1u)
      << "between picture and first change";
  EXPECT_EQ(count_of(read_binance(depth(1, 4, 5, R"(["9","1"])", "") + picture(2, 1, "", "")), EventKind::gap), 1u);
}

TEST(BinanceReader, checks_the_numbers_of_futures_by_the_one_before) {
  const auto future = [](int last, int previous) {
    return R"(1 {"data":{"e":"depthUpdate","E":7,"T":6,"s":"X","U":2,"u":)" + std::to_string(last) + R"(,"pu":)" +
           std::to_string(previous) + R"(,"b":[["1","1"]],"a":[]}})" + "\n";
  };
  EXPECT_EQ(count_of(read_binance(future(5, 1) + future(9, 5)), EventKind::gap), 0u);
  EXPECT_EQ(count_of(read_binance(future(5, 1) + future(9, 6)), EventKind::gap), 1u);
}

TEST(BinanceReader, gives_changes_as_they_are_where_no_picture_comes) {
  const ReadEvents all = read_binance(depth(1, 1, 2, R"(["9","1"])", "") + depth(2, 3, 4, R"(["10","2"])", ""));
  ASSERT_EQ(all.events.size(), 2u);
  EXPECT_EQ(all.events[0].flags, k_last);
}

TEST(BinanceReader, reads_trades_and_best_prices) {
  const ReadEvents all =
      read_binance(k_trade + R"(6 {"stream":"x@bookTicker","data":{"u":4,"s":"X","b":"10","B":"1","a":"11","A":"2"}})"
                             "\n"
                             R"(7 {"result":null,"id":1})"
                             "\n");
  EXPECT_EQ(all.trouble, "");
  ASSERT_EQ(all.events.size(), 4u);
  EXPECT_EQ(all.events[0].kind, EventKind::trade);
  EXPECT_EQ(all.events[0].side, Side::sell) << "the buyer was there first";
  EXPECT_EQ(all.events[0].price, 1'050'000'000);
  EXPECT_EQ(all.events[0].quantity, 2'000'000);
  EXPECT_EQ(all.events[0].other, 31u);
  EXPECT_EQ(all.events[0].event_time, time::from_nanoseconds(8'000'000));
  EXPECT_EQ(all.events[1].kind, EventKind::quote);
  EXPECT_EQ(all.events[2].price, 11 * k_one);
  EXPECT_EQ(all.events[2].event_time, k_unknown_time);
  EXPECT_EQ(all.events[3].kind, EventKind::notice);
}

TEST(BinanceReader, reads_the_same_from_a_stream_and_says_what_is_wrong) {
  const std::string text = k_trade + picture(6, 2, R"(["9","1"],["8","5"])", R"(["10","4"])") + k_trade;
  TrickleSource source(text, 11);
  BinanceReader reader(source);
  EXPECT_EQ(read_all(reader).events, read_binance(text).events);
  EXPECT_EQ(read_binance("x\n").trouble,
            "line 1 (byte 0): no recorded message: expected the receive time in nanoseconds, a blank and JSON");
  EXPECT_EQ(read_binance(k_trade + k_trade.substr(0, 60)).trouble,
            "line 2 (byte 111): the JSON is damaged or cut, or a price has over 8 decimals");
  for (std::size_t size = 0; size + 1 < k_trade.size(); ++size)
    EXPECT_EQ(read_binance(k_trade.substr(0, size)).trouble.empty(), size == 0) << size;
}

bool can_skip(std::string_view text) {
  JsonCursor json(text);
  return json.skip() && json.is_done();
}

TEST(JsonCursor, skips_any_value_and_no_damaged_one) {
  for (const char* text : {"1", "-1.5e9", "null", "true", R"("a\"b")", R"("\\")", "[]", "{}", "[1,[2,{}],3]",
                           R"({"a":{"b":[1]},"c":"}"})", " [ 1 , 2 ] "})
    EXPECT_TRUE(can_skip(text)) << text;
  for (const char* text : {"", "[", "[1", "[1,", "[1,]", "{", R"({"a")", R"({"a":})", R"({"a":1)", R"("abc)", "]",
                           "1 2", R"({1:2})", R"([1 2])"})
    EXPECT_FALSE(can_skip(text)) << text;
  EXPECT_TRUE(can_skip(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(can_skip(std::string(65, '[') + std::string(65, ']'))) << "too deep";
}

TEST(BitstampReader, makes_an_event_of_every_line_behind_the_header) {
  const std::string text =
      "id,timestamp,exchange.timestamp,price,volume,action,direction\n"
      "65595247,1430438404518,1430438404000,236.47,200000000,created,bid\n"
      "65595247,1430438404635,1430438404000,236.47,178855669,changed,bid\n"
      "65595187,1430438404637,1430438340000,236.47,0,deleted,ask\n";
  MemorySource source(text);
  BitstampReader reader(source, {.symbol = "BTCUSD"});
  const ReadEvents all = read_all(reader);
  EXPECT_EQ(all.trouble, "");
  ASSERT_EQ(all.events.size(), 3u);
  EXPECT_EQ(all.events[0].kind, EventKind::add);
  EXPECT_EQ(all.events[0].price, 23'647'000'000);
  EXPECT_EQ(all.events[0].receive_time, time::from_nanoseconds(1'430'438'404'518'000'000));
  EXPECT_EQ(all.events[1].kind, EventKind::amend);
  EXPECT_EQ(all.events[1].quantity, 178'855'669);
  EXPECT_EQ(all.events[0].event_time, time::from_nanoseconds(1'430'438'404'000'000'000));
  EXPECT_EQ(all.events[1].event_time, k_unknown_time) << "the file has the time of entry";
  EXPECT_EQ(all.events[1].other, 1'430'438'404'000'000'000u);
  EXPECT_EQ(all.events[2].kind, EventKind::remove);
  EXPECT_EQ(all.events[2].side, Side::sell);
  MemorySource wrong("1,2,3,4,5,made,bid\n");
  BitstampReader other(wrong, {});
  EXPECT_EQ(read_all(other).trouble,
            "line 1 (byte 0): no order event: expected id, receive time, exchange time, price, volume, "
            "created|changed|deleted, bid|ask");
}

}  // namespace
}  // namespace dojima::recorded
