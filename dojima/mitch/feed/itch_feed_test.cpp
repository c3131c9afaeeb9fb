// ITCH 5.0 as its readers take it: a naive reader of the specification keeps books from it, which are those of our own
// feed; MoldUDP64 and SoupBinTCP as they are on the wire.

#include "dojima/mitch/feed/itch_feed.hpp"

#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "dojima/mitch/feed/feed_world_test_support.hpp"

namespace dojima::mitch::testing {
namespace {

std::uint64_t big(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t byte = 0; byte < size; ++byte) value = value << 8U | static_cast<unsigned char>(bytes[at + byte]);
  return value;
}

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Books by stock locate, from ITCH alone.
class NaiveItch {
 public:
  struct Order {
    std::uint64_t locate = 0, shares = 0, price = 0;
    char side = 'B';
  };
  void read(std::string_view message) {
    static const std::map<char, std::size_t> sizes = {{'S', 12}, {'R', 39}, {'H', 25}, {'A', 36}, {'F', 40},
                                                      {'E', 31}, {'C', 36}, {'X', 23}, {'D', 19}, {'U', 35},
                                                      {'P', 44}, {'Q', 40}, {'B', 19}, {'I', 50}};
    const char type = message[0];
    ASSERT_TRUE(sizes.contains(type)) << type;
    ASSERT_EQ(message.size(), sizes.at(type)) << type;
    ++counts[type];
    const std::uint64_t reference = message.size() >= 19 ? big(message, 11, 8) : 0;
    const auto known = orders.find(reference);
    if (std::string_view("EXDUC").find(type) != std::string_view::npos) {
      ASSERT_NE(known, orders.end()) << type << " of an order that is not there";
      ASSERT_EQ(known->second.locate, big(message, 1, 2));
    }
    if (type == 'A' || type == 'F') {
      ASSERT_TRUE(used.insert({reference, true}).second) << "a reference number is used once in a day";
      orders[reference] = {big(message, 1, 2), big(message, 20, 4), big(message, 32, 4), message[19]};
    } else if (type == 'E' || type == 'C' || type == 'X') {
      const std::uint64_t shares = big(message, 19, 4);
      ASSERT_LE(shares, known->second.shares) << type;
      ASSERT_GT(shares, 0u);
      known->second.shares -= shares;
      if (known->second.shares == 0) orders.erase(known);
    } else if (type == 'D') {
      orders.erase(known);
    } else if (type == 'U') {
      Order order = known->second;
      orders.erase(known);
      order.shares = big(message, 27, 4);
      order.price = big(message, 31, 4);
      ASSERT_TRUE(used.insert({big(message, 19, 8), true}).second);
      orders[big(message, 19, 8)] = order;
    }
  }
  /// (side, price) to shares and orders.
  using Levels = std::map<std::tuple<char, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>>;
  [[nodiscard]] Levels levels(std::uint64_t locate) const {
    Levels levels;
    for (const auto& [reference, order] : orders) {
      if (order.locate != locate) continue;
      auto& [shares, count] = levels[{order.side, order.price}];
      shares += order.shares;
      ++count;
    }
    return levels;
  }
  std::map<std::uint64_t, Order> orders;
  std::map<std::uint64_t, bool> used;
  std::map<char, int> counts;
};

NaiveItch::Levels levels_of(const BookBuilder& books, std::uint32_t instrument) {
  NaiveItch::Levels levels;
  const auto book = books.find(instrument);
  if (!book) return levels;
  for (const market::Side side : {market::Side::buy, market::Side::sell})
    book->each_level(side, [&](const DisplayedLevel& level) {
      levels[{side == market::Side::buy ? 'B' : 'S', static_cast<std::uint64_t>(level.price.units / 10'000)}] = {
          level.quantity, level.orders};
    });
  return levels;
}

std::vector<ItchInstrument> itch_instruments() {
  std::vector<ItchInstrument> instruments;
  for (std::uint32_t id = 1; id <= k_feed_instruments; ++id)
    instruments.push_back({id, Text<8>::cut("RICE" + std::to_string(id))});
  return instruments;
}

struct Messages final : ItchSink {
  void on_itch(Bytes message) override { all.emplace_back(text_of(message)); }
  std::vector<std::string> all;
};

/// Units go to a translator, and to books of our own.
struct Both final : FeedSink {
  explicit Both(ItchTranslator& to) : translator(to) {}
  void on_unit(Bytes unit) override {
    const auto read = read_unit(unit);
    ASSERT_TRUE(read.has_value());
    for (const Bytes message : *read) {
      translator.write(read->header().market_data_group, message);
      ASSERT_TRUE(books.apply(message).has_value());
    }
  }
  ItchTranslator& translator;
  BookBuilder books{FeedWorld::k_books};
};

TEST(ItchTranslator, gives_its_readers_the_books_of_our_own_feed_on_random_days) {
  NaiveItch all;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Messages messages;
    ItchTranslator translator(messages, "1", FeedWorld::k_books, itch_instruments());
    Both both(translator);
    FeedWriter feed(both, {.market_data_group = '1'});
    RandomDay day(seed, 0);
    NaiveItch itch;
    day.begin(feed);
    for (int count = 0; count < 400; ++count) {
      day.next(feed);
      feed.flush();
      for (const std::string& message : messages.all) itch.read(message);
      messages.all.clear();
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
      for (std::uint32_t id = 1; id <= k_feed_instruments; id += 2)
        ASSERT_EQ(itch.levels(id), levels_of(both.books, id)) << "seed " << seed << " instrument " << id;
    }
    EXPECT_EQ(translator.untranslated(), 0u);
    for (const auto& [type, count] : itch.counts) all.counts[type] += count;
  }
  for (const char type : {'S', 'R', 'H', 'A', 'E', 'C', 'X', 'D', 'U'}) EXPECT_GT(all.counts[type], 0) << type;
}

/// The messages that these become.
template <class... Of>
std::vector<std::string> translated(ItchTranslator& translator, Messages& messages, const Of&... of) {
  messages.all.clear();
  const auto write = [&](const auto& message) {
    std::array<std::byte, 128> room;
    const auto size = encode(message, room);
    ASSERT_TRUE(size.has_value());
    translator.write('1', Bytes(room).first(*size));
  };
  (write(of), ...);
  return messages.all;
}

TEST(ItchTranslator, writes_the_bytes_of_the_specification) {
  Messages messages;
  ItchTranslator itch(messages, "1", FeedWorld::k_books, itch_instruments());
  const auto start = translated(itch, messages, Time{.seconds = 34'200},
                                SystemEvent{.nanosecond = 7, .event_code = 'O'}, SymbolDirectory{.instrument_id = 2});
  ASSERT_EQ(start.size(), 4u);
  EXPECT_EQ(start[0], std::string("S\0\0\0\0\x1f\x1a\xce\xda\xd0\x07O", 12).replace(5, 6, start[0].substr(5, 6)));
  EXPECT_EQ(big(start[0], 5, 6), 34'200'000'000'007u);
  EXPECT_EQ(start[0].back(), 'O');
  EXPECT_EQ(start[1].back(), 'S');
  EXPECT_EQ(start[2].back(), 'Q');
  EXPECT_EQ(start[3].substr(0, 3), std::string("R\0\2", 3));
  EXPECT_EQ(start[3].substr(11, 10), "RICE2   QN");
  const auto order = translated(
      itch, messages,
      AddOrder{.order_id = 99, .side = 'S', .quantity = 500, .instrument_id = 2, .price = {123'4500'0000}},
      OrderExecuted{.order_id = 99, .executed_quantity = 200, .trade_match_id = 5},
      OrderModified{.order_id = 99, .new_quantity = 250, .new_price = {123'4500'0000}, .flags = k_priority_retained},
      OrderModified{.order_id = 99, .new_quantity = 250, .new_price = {124'0000'0000}},
      OrderDeleted{.order_id = 99, .instrument_id = 2});
  ASSERT_EQ(order.size(), 5u);
  EXPECT_EQ(order[0].substr(11), std::string("\0\0\0\0\0\0\0\1S\0\0\1\xf4RICE2   \0\x12\xd6\x44", 25));
  EXPECT_EQ(order[1].substr(11), std::string("\0\0\0\0\0\0\0\1\0\0\0\xc8\0\0\0\0\0\0\0\5", 20));
  EXPECT_EQ(order[2].substr(11), std::string("\0\0\0\0\0\0\0\1\0\0\0\x32", 12));
  EXPECT_EQ(order[3].substr(11), std::string("\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2\0\0\0\xfa\0\x12\xeb\xc0", 24));
  EXPECT_EQ(order[4].substr(11), std::string("\0\0\0\0\0\0\0\2", 8));
  EXPECT_EQ(itch.untranslated(), 0u);
}

TEST(ItchTranslator, shows_what_an_iceberg_shows_and_trades_the_rest_as_hidden) {
  Messages messages;
  ItchTranslator itch(messages, "1", FeedWorld::k_books, itch_instruments());
  const auto types = [](const std::vector<std::string>& all) {
    std::string of;
    for (const std::string& message : all) of += message[0];
    return of;
  };
  const AddOrder add{.order_id = 1, .quantity = 100, .instrument_id = 1, .price = {100'0000'0000}};
  const auto executed = [](std::uint32_t quantity, std::uint32_t display) {
    return OrderExecutedWithPriceSize{
        .order_id = 1, .executed_quantity = quantity, .display_quantity = display, .price = {100'0000'0000}};
  };
  EXPECT_EQ(types(translated(itch, messages, add, executed(100, 80))), "ACA") << "replenished: it is shown again";
  EXPECT_EQ(types(translated(itch, messages, executed(30, 50))), "C");
  EXPECT_EQ(types(translated(itch, messages, executed(10, 20))), "CX");
  EXPECT_EQ(types(translated(itch, messages, executed(10, 60))), "CU");
  EXPECT_EQ(types(translated(itch, messages, executed(90, 40))), "CPA") << "more than was shown";
  EXPECT_EQ(types(translated(itch, messages, executed(40, 0))), "C");
  EXPECT_EQ(types(translated(itch, messages, OrderDeleted{.order_id = 1, .instrument_id = 1})), "") << "it is gone";
  EXPECT_EQ(
      types(translated(
          itch, messages, Trade{.executed_quantity = 5, .instrument_id = 1, .price = {1'0000'0000}},
          Trade{.instrument_id = 1, .pt_mod_flags = k_trade_cancelled},
          Trade{.executed_quantity = 5, .instrument_id = 1, .price = {2'0000'0000}, .pt_mod_flags = k_trade_amended},
          AuctionTrade{.quantity = 7, .instrument_id = 1, .price = {1'0000'0000}},
          AuctionTrade{.quantity = 7, .instrument_id = 1, .price = {2'0000'0000}, .pt_mod_flags = k_trade_amended},
          AuctionInfo{.instrument_id = 1, .price = {1'0000'0000}}, SystemEvent{.event_code = 'C'})),
      "PBBPQBQISSS");
}

TEST(ItchTranslator, counts_what_itch_cannot_express_and_publishes_nothing_of_it_later) {
  Messages messages;
  ItchTranslator itch(messages, "1", FeedWorld::k_books, itch_instruments());
  EXPECT_TRUE(translated(itch, messages, AddOrder{.order_id = 1, .quantity = 1, .instrument_id = 1, .price = {1}},
                         AddOrder{.order_id = 2, .quantity = 1, .instrument_id = 1, .flags = k_market_order},
                         AddOrder{.order_id = 3, .quantity = 1, .instrument_id = 7, .price = {1'0000'0000}},
                         OrderExecuted{.order_id = 1, .executed_quantity = 1},
                         OrderDeleted{.order_id = 2, .instrument_id = 1})
                  .empty());
  EXPECT_EQ(itch.untranslated(), 3u);
  // An order that gets such a price is gone for readers.
  const auto gone =
      translated(itch, messages, AddOrder{.order_id = 4, .quantity = 9, .instrument_id = 1, .price = {1'0000'0000}},
                 OrderModified{.order_id = 4, .new_quantity = 9, .new_price = {1'0000'0001}},
                 OrderExecuted{.order_id = 4, .executed_quantity = 9});
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[1][0], 'D');
  EXPECT_EQ(itch.untranslated(), 4u);
}

// ---- On the wire ---------------------------------------------------------------------------------------------------

const link::Address k_itch_line{"itch", 1}, k_soup{"venue", 4};

struct MoldReader final : link::DatagramReceiver {
  void on_datagram(Bytes datagram, time::Time) override {
    const std::string_view bytes = text_of(datagram);
    ASSERT_GE(bytes.size(), 20u);
    EXPECT_EQ(bytes.substr(0, 10), "DAY1      ");
    const std::uint64_t number = big(bytes, 10, 8), count = big(bytes, 18, 2);
    EXPECT_EQ(number, messages.size() + 1) << "nothing is lost on this line";
    if (count == 0xffff) ++ends;
    if (count == 0) ++heartbeats;
    if (count == 0xffff) return;
    std::size_t at = 20;
    for (std::uint64_t each = 0; each < count; ++each) {
      const std::size_t size = big(bytes, at, 2);
      messages.emplace_back(bytes.substr(at + 2, size));
      at += 2 + size;
    }
    EXPECT_EQ(at, bytes.size());
    EXPECT_LE(bytes.size(), 200u);
  }
  std::vector<std::string> messages;
  int heartbeats = 0, ends = 0;
};

struct SoupReader final : link::Connection {
  void on_open(link::Transport& opened, time::Time) override { transport = &opened; }
  std::size_t on_bytes(Bytes bytes, time::Time) override {
    const std::string_view all = text_of(bytes);
    std::size_t used = 0;
    while (all.size() - used >= 2) {
      const std::size_t size = big(all, used, 2);
      if (all.size() - used < 2 + size) break;
      types += all[used + 2];
      payloads.emplace_back(all.substr(used + 3, size - 1));
      if (all[used + 2] == 'S') messages.push_back(payloads.back());
      used += 2 + size;
    }
    return used;
  }
  void on_writable(time::Time) override {}
  void on_closed(link::CloseReason, time::Time) override {
    transport = nullptr;
    is_closed = true;
  }
  void send(char type, const std::string& payload) {
    std::string packet{static_cast<char>((payload.size() + 1) >> 8U), static_cast<char>(payload.size() + 1), type};
    packet += payload;
    send_raw(packet);
  }
  void send_raw(const std::string& bytes) {
    const Room room = transport->prepare(bytes.size());
    std::ranges::copy(as_bytes(bytes), room.begin());
    transport->commit(bytes.size());
    transport->flush();
  }
  void log_in(const std::string& number, const char* user = "READ1 ", const char* password = "feed_1234 ",
              const char* session = "          ") {
    send('L', std::string(user) + password + session + std::string(20 - number.size(), ' ') + number);
  }
  link::Transport* transport = nullptr;
  std::string types;
  std::vector<std::string> payloads, messages;
  bool is_closed = false;
};

class ItchWire : public ::testing::Test {
 protected:
  ItchWire() {
    EXPECT_TRUE(world.datagrams.subscribe(k_itch_line, mold).has_value());
    start(1 << 16);
  }
  void start(std::size_t kept, ReaderPasswords* passwords = nullptr) {
    world.network.stop_listening(k_soup);
    ItchFeedOptions options{.books = FeedWorld::k_books, .instruments = itch_instruments()};
    options.mold = {.session = Text<10>::cut("DAY1"), .datagram_size = 200};
    options.soup.readers = FeedWorld::config(FeedChannel::replay).readers;
    for (FeedReader& reader : options.soup.readers) {
      if (passwords == nullptr) break;
      reader.password_kept = "kept:" + std::string(reader.password.view());
      reader.password = {};
    }
    options.soup.passwords = passwords;
    options.soup.messages = kept;
    options.soup.connections = 4;
    itch =
        std::make_unique<ItchFeed>(options, world.scheduler, std::vector{world.datagrams.publish(k_itch_line).value()});
    itch->start(world.scheduler.now());
    EXPECT_TRUE(world.network.listen(k_soup, itch->soup()).has_value());
    feed = std::make_unique<FeedWriter>(*itch, FeedWriterOptions{.market_data_group = '1'});
    day = std::make_unique<RandomDay>(3, 0);
    day->begin(*feed);
  }
  void trade(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      day->next(*feed);
      if (turn % 3 == 0) feed->flush();
      world.run(100us);
    }
    feed->flush();
    world.run(1ms);
  }
  SoupReader& connect() {
    readers.push_back(std::make_unique<SoupReader>());
    world.network.connect(k_soup, *readers.back());
    world.run(1ms);
    return *readers.back();
  }
  FeedWorld world;
  MoldReader mold;
  std::unique_ptr<ItchFeed> itch;
  std::unique_ptr<FeedWriter> feed;
  std::unique_ptr<RandomDay> day;
  std::vector<std::unique_ptr<SoupReader>> readers;
};

TEST_F(ItchWire, says_the_same_by_datagrams_and_by_tcp_from_the_first_message_or_a_later_one) {
  trade(100);
  SoupReader& all = connect();
  all.log_in("1");
  world.run(10ms);
  SoupReader& late = connect();
  late.log_in("51", "READ2 ", "feed_1234 ", "      DAY1");
  SoupReader& newest = connect();
  newest.log_in("0", "READ3 ");
  world.run(1ms);
  const std::size_t before = mold.messages.size();
  trade(100);
  EXPECT_EQ(all.messages, mold.messages);
  EXPECT_EQ(late.messages, std::vector<std::string>(mold.messages.begin() + 50, mold.messages.end()));
  EXPECT_EQ(newest.messages,
            std::vector<std::string>(mold.messages.begin() + static_cast<std::ptrdiff_t>(before), mold.messages.end()));
  EXPECT_EQ(all.payloads[0], "      DAY1                   1");
  EXPECT_EQ(late.payloads[0], "      DAY1                  51");
  EXPECT_EQ(itch->soup().logged_in(), 3u);
  NaiveItch naive;
  for (const std::string& message : all.messages) naive.read(message);
}

TEST_F(ItchWire, lets_in_whose_password_was_compared_with_what_is_kept_of_it) {
  SlowPasswords passwords;
  start(1 << 16, &passwords);
  trade(10);
  SoupReader& good = connect();
  good.log_in("1");
  good.send('R', "");
  SoupReader& wrong = connect();
  wrong.log_in("1", "READ2 ", "guess     ");
  SoupReader& twice = connect();
  twice.log_in("1", "READ3 ");
  twice.log_in("1", "READ3 ");
  world.run(10ms);
  EXPECT_EQ(good.types, "") << "it is being compared";
  EXPECT_TRUE(twice.is_closed);
  world.run(50ms);
  EXPECT_EQ(good.types.substr(0, 2), "AS");
  EXPECT_EQ(good.messages, mold.messages);
  EXPECT_EQ(wrong.types, "J");
  EXPECT_EQ(wrong.payloads.at(0), "A");
  EXPECT_TRUE(wrong.is_closed);
  const int before = passwords.asked;
  SoupReader& again = connect();
  again.log_in("1");
  SoupReader& guess = connect();
  guess.log_in("1", "READ1 ", "guess     ");
  world.run(1ms);
  EXPECT_EQ(again.types.substr(0, 1), "A");
  EXPECT_EQ(guess.types, "J") << "the right one is known";
  EXPECT_EQ(passwords.asked, before);
}

TEST_F(ItchWire, lives_by_heartbeats_and_ends_with_the_session) {
  trade(10);
  SoupReader& reader = connect();
  reader.log_in("1");
  SoupReader& silent = connect();
  silent.log_in("1", "READ2 ");
  for (int second = 0; second < 32; ++second) {
    world.run(1s);
    if (!reader.is_closed) reader.send('R', "");
  }
  EXPECT_GT(mold.heartbeats, 25);
  EXPECT_GT(std::ranges::count(reader.types, 'H'), 25);
  EXPECT_FALSE(reader.is_closed);
  EXPECT_TRUE(silent.is_closed) << "silent for fifteen seconds";
  feed->flush();
  itch->end();
  world.run(10ms);
  EXPECT_TRUE(reader.types.ends_with("Z")) << reader.types;
  EXPECT_TRUE(reader.is_closed);
  world.run(5s);
  EXPECT_GT(mold.ends, 3);
}

TEST_F(ItchWire, refuses_whom_it_does_not_know_and_what_is_not_kept) {
  start(32);
  trade(200);
  const auto answer = [&](auto log_in) {
    SoupReader& reader = connect();
    log_in(reader);
    world.run(5ms);
    EXPECT_TRUE(reader.is_closed);
    return reader.types + (reader.payloads.empty() ? "" : reader.payloads[0]);
  };
  EXPECT_EQ(answer([](SoupReader& it) { it.log_in("0", "NOBODY"); }), "JA");
  EXPECT_EQ(answer([](SoupReader& it) { it.log_in("0", "READ1 ", "guess     "); }), "JA");
  EXPECT_EQ(answer([](SoupReader& it) { it.log_in("0", "LOCKED"); }), "JA");
  EXPECT_EQ(answer([](SoupReader& it) { it.log_in("0", "READ1 ", "feed_1234 ", "OTHER     "); }), "JS");
  EXPECT_EQ(answer([](SoupReader& it) { it.log_in("1"); }), "JS") << "not kept any more";
  EXPECT_EQ(answer([](SoupReader& it) { it.log_in("99999"); }), "JS") << "not there yet";
  EXPECT_EQ(answer([](SoupReader& it) { it.log_in("x"); }), "");
  EXPECT_EQ(answer([](SoupReader& it) { it.send('R', ""); }), "") << "before the login";
  EXPECT_EQ(answer([](SoupReader& it) { it.send('L', "short"); }), "");
  EXPECT_EQ(answer([](SoupReader& it) { it.send_raw(std::string("\0\0", 2)); }), "");
  EXPECT_EQ(answer([](SoupReader& it) { it.send_raw("\x7f\x7f"); }), "");
  SoupReader& nothing = connect();
  world.run(6s);
  EXPECT_TRUE(nothing.is_closed) << "no login in five seconds";
  for (int count = 0; count < 4; ++count) connect();
  EXPECT_TRUE(connect().is_closed) << "one connection too many";
  EXPECT_EQ(itch->soup().counts().connections_refused, 1u);
}

TEST_F(ItchWire, counts_connections_logged_in_or_not) {
  EXPECT_EQ(itch->soup().connections(), 0u);
  SoupReader& good = connect();
  connect();  // which says nothing
  good.log_in("1");
  world.run(1ms);
  EXPECT_EQ(itch->soup().connections(), 2u);
  EXPECT_EQ(itch->soup().logged_in(), 1u);
  world.run(6s);
  EXPECT_EQ(itch->soup().connections(), 1u) << "no login in five seconds";
  good.transport->close(link::CloseReason::by_us);
  world.run(1ms);
  EXPECT_EQ(itch->soup().connections(), 0u);
}

TEST_F(ItchWire, ends_a_reader_that_does_not_read_and_serves_the_others) {
  start(2'000);
  trade(10);
  SoupReader& slow = connect();
  slow.log_in("1");
  world.run(2ms);
  world.network.pause(slow);
  SoupReader& good = connect();
  good.log_in("1", "READ2 ");
  for (int round = 0; round < 120; ++round) {
    for (int count = 0; count < 100; ++count) day->next(*feed);
    feed->flush();
    world.run(100ms);
    if (round % 20 == 0) good.send('R', "");
  }
  EXPECT_EQ(itch->soup().counts().slow, 1u);
  EXPECT_EQ(itch->soup().logged_in(), 1u);
  EXPECT_EQ(good.messages.size() + 1, itch->soup().next());
}

}  // namespace
}  // namespace dojima::mitch::testing
