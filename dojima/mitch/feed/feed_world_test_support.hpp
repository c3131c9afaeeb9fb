#pragma once

// A venue's feed in virtual time: random messages of several instruments in two market data groups, published on two
// lines that lose, repeat and overtake, with both channels beside them; and readers that join when the test says.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dojima/base/splitmix.hpp"
#include "dojima/link/network_test_support.hpp"
#include "dojima/link/simulated_datagrams.hpp"
#include "dojima/link/simulated_network.hpp"
#include "dojima/mitch/feed/feed_client.hpp"
#include "dojima/mitch/feed/feed_publisher.hpp"
#include "dojima/mitch/feed/feed_server.hpp"

namespace dojima::mitch::testing {

using namespace std::chrono_literals;

inline const link::Address k_line_a{"a", 1}, k_line_b{"b", 1}, k_replay{"venue", 2}, k_recovery{"venue", 3};
inline constexpr std::uint32_t k_feed_instruments = 6;  // 1 to 6; odd ones in group 1, even ones in group 2

/// Messages as a venue publishes them: each fits the book that those before it make.
class RandomDay {
 public:
  RandomDay(std::uint64_t seed, std::size_t group) : random_(seed), group_(group) {}

  void begin(FeedWriter& feed) {
    put(feed, Time{.seconds = 28'800});
    put(feed, SystemEvent{.event_code = 'O'});
    for (auto id = static_cast<std::uint32_t>(group_ + 1); id <= k_feed_instruments; id += 2)
      put(feed, SymbolDirectory{.instrument_id = id, .segment = Text<6>::cut(id <= 3 ? "RICE" : "SALT")});
  }

  void next(FeedWriter& feed) {
    const std::uint64_t pick = random_.below(100);
    if (pick < 2) put(feed, Time{.seconds = 28'800 + second_++});
    if (orders_.empty() || pick < 45) return add(feed);
    const std::size_t at = static_cast<std::size_t>(random_.below(orders_.size()));
    Order& order = orders_[at];
    if (pick < 60) {
      put(feed, OrderDeleted{.order_id = order.id, .instrument_id = order.instrument});
      return drop(at);
    }
    if (pick < 75) {
      order.quantity = 1 + static_cast<std::uint32_t>(random_.below(90));
      return put(feed, OrderModified{.order_id = order.id,
                                     .new_quantity = order.quantity,
                                     .new_price = price(),
                                     .flags = random_.chance(50) ? k_priority_retained : std::uint8_t{0}});
    }
    if (pick < 92) {
      const std::uint32_t size = 1 + static_cast<std::uint32_t>(random_.below(order.quantity));
      put(feed, OrderExecuted{.order_id = order.id, .executed_quantity = size, .trade_match_id = ++trades_});
      order.quantity -= size;
      return order.quantity == 0 ? drop(at) : void();
    }
    if (pick < 95) {
      const std::uint32_t left = static_cast<std::uint32_t>(random_.below(order.quantity + 5));
      put(feed, OrderExecutedWithPriceSize{.order_id = order.id,
                                           .executed_quantity = 1,
                                           .display_quantity = left,
                                           .trade_match_id = ++trades_,
                                           .price = price()});
      order.quantity = left;
      return left == 0 ? drop(at) : void();
    }
    if (pick < 99)
      return put(feed, SymbolStatus{.instrument_id = order.instrument,
                                    .trading_status = random_.chance(50) ? 'T' : 'H',
                                    .book_type = 1});
    if (!random_.chance(30)) return;
    const std::uint32_t cleared = order.instrument;
    put(feed, OrderBookClear{.instrument_id = cleared});
    std::erase_if(orders_, [cleared](const Order& each) { return each.instrument == cleared; });
  }

 private:
  struct Order {
    std::uint64_t id = 0;
    std::uint32_t instrument = 0;
    std::uint32_t quantity = 0;
  };

  market::Price price() { return {static_cast<std::int64_t>(100 + random_.below(30)) * 1'000'000}; }
  void add(FeedWriter& feed) {
    const auto instrument = static_cast<std::uint32_t>(group_ + 1 + 2 * random_.below(k_feed_instruments / 2));
    orders_.push_back({(next_++ << 1U) + group_, instrument, 1 + static_cast<std::uint32_t>(random_.below(90))});
    put(feed, AddOrder{.order_id = orders_.back().id,
                       .side = random_.chance(50) ? 'B' : 'S',
                       .quantity = orders_.back().quantity,
                       .instrument_id = instrument,
                       .price = price()});
  }
  void drop(std::size_t at) {
    orders_[at] = orders_.back();
    orders_.pop_back();
  }
  template <class Message>
  void put(FeedWriter& feed, const Message& message) {
    ASSERT_TRUE(feed.append(message).has_value());
  }

  SplitMix64 random_;
  std::size_t group_;
  std::vector<Order> orders_;
  std::uint64_t next_ = 1;
  std::uint64_t trades_ = 0;
  std::uint32_t second_ = 1;
};

/// The instruments that there is a book of, a bit each.
inline std::uint32_t known_to(const BookBuilder& books) {
  std::uint32_t known = 0;
  for (std::uint32_t id = 1; id <= k_feed_instruments; ++id)
    if (books.find(id)) known |= 1U << id;
  return known;
}

/// Every order of these instruments' books in its place, as one number.
inline std::uint64_t digest_of(const BookBuilder& books, std::uint32_t instruments) {
  std::uint64_t digest = 0;
  for (std::uint32_t id = 1; id <= k_feed_instruments; ++id) {
    const auto book = books.find(id);
    if (!book || (instruments & (1U << id)) == 0) continue;
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      book->each_order(side, [&](const DisplayedOrder& order) {
        for (const std::uint64_t part : {std::uint64_t{id}, static_cast<std::uint64_t>(side), order.id,
                                         std::uint64_t{order.quantity}, static_cast<std::uint64_t>(order.price.units)})
          digest = (digest ^ part) * 0x9e3779b97f4a7c15ULL + (digest >> 29U);
      });
  }
  return digest;
}

/// Every message that was published.
struct Published final : FeedSink {
  void on_unit(Bytes bytes) override {
    const Result<Unit> unit = read_unit(bytes);
    ASSERT_TRUE(unit.has_value());
    for (const Bytes message : *unit) messages.emplace_back(message.begin(), message.end());
  }
  std::vector<std::vector<std::byte>> messages;
};

/// A reader and its callbacks.
struct Reader final : FeedHandler {
  void on_message(char group, std::uint32_t number, Bytes, time::Time) override {
    const std::size_t at = group == '1' ? 0 : 1;
    EXPECT_GT(number, last[at]) << "messages come once, in their order";
    last[at] = number;
  }
  void on_notice(const FeedNotice& notice, time::Time) override {
    notices.push_back(notice);
    const std::size_t at = notice.group == '1' ? 0 : 1;
    if (notice.kind == FeedNoticeKind::restarted) last[at] = 0;
    if (notice.kind != FeedNoticeKind::live) return;
    const BookBuilder& books = *client->books(notice.group);
    lives[at].push_back({client->next(notice.group) - 1, known_to(books), digest_of(books, known_to(books))});
  }
  [[nodiscard]] std::size_t count(FeedNoticeKind kind) const {
    return static_cast<std::size_t>(std::ranges::count(notices, kind, &FeedNotice::kind));
  }
  /// A group was live again behind this message, and the books of the instruments that it knew were these.
  struct Live {
    std::uint32_t number = 0;
    std::uint32_t instruments = 0;
    std::uint64_t digest = 0;
  };
  std::array<std::uint32_t, 2> last{};
  std::array<std::vector<Live>, 2> lives;
  std::vector<FeedNotice> notices;
  std::unique_ptr<FeedClient> client;
};

struct FeedWorldOptions {
  std::uint64_t seed = 1;
  std::size_t messages = 65'000;  ///< kept for replay
  link::DatagramConditions a, b;
  bool has_begun = true;  ///< or begin() is called when readers are there
};

/// Compares "kept:PASSWORD" with PASSWORD, and takes two further questions for it.
struct SlowPasswords final : ReaderPasswords {
  std::optional<ReaderVerdict> find(const ReaderPassword& question) override {
    ++asked;
    connections.insert(question.connection);
    if (is_busy) return ReaderVerdict::busy;
    if (++times[question.connection] % 3 != 0) return std::nullopt;
    return question.kept == "kept:" + std::string(question.password) ? ReaderVerdict::right : ReaderVerdict::wrong;
  }
  std::map<std::uint32_t, int> times;
  std::set<std::uint32_t> connections;
  int asked = 0;
  bool is_busy = false;
};

class FeedWorld {
 public:
  explicit FeedWorld(const FeedWorldOptions& options = {})
      : random(options.seed),
        datagrams(scheduler, options.seed),
        network(
            scheduler,
            {.seed = options.seed, .delay = 100us, .jitter = 50us, .max_delivery = 700, .output_capacity = 1 << 17}) {
    datagrams.set_conditions(k_line_a, options.a);
    datagrams.set_conditions(k_line_b, options.b);
    for (std::size_t group = 0; group < 2; ++group) {
      days.emplace_back(options.seed * 2 + group, group);
      publishers.push_back(std::make_unique<FeedPublisher>(
          FeedPublisherOptions{.group = static_cast<char>('1' + group), .messages = options.messages, .books = k_books},
          scheduler, std::vector{datagrams.publish(k_line_a).value(), datagrams.publish(k_line_b).value()},
          &published[group]));
      feeds.push_back(&publishers.back()->published());
    }
    if (options.has_begun) begin();
    replay = std::make_unique<FeedServer>(config(FeedChannel::replay), scheduler, feeds);
    recovery = std::make_unique<FeedServer>(config(FeedChannel::recovery), scheduler, feeds);
    EXPECT_TRUE(network.listen(k_replay, *replay).has_value());
    EXPECT_TRUE(network.listen(k_recovery, *recovery).has_value());
  }

  /// The first messages of the day, and heartbeats from now on.
  void begin() {
    for (std::size_t group = 0; group < 2; ++group) {
      days[group].begin(publishers[group]->writer());
      publishers[group]->flush();
      publishers[group]->start(scheduler.now());
    }
  }

  static FeedServerConfig config(FeedChannel channel) {
    FeedServerConfig config{.channel = channel};
    for (const char* name : {"READ1", "READ2", "READ3"})
      config.readers.push_back({.comp_id = Text<6>::cut(name), .password = Text<10>::cut("feed_1234")});
    config.readers.push_back(
        {.comp_id = Text<6>::cut("LOCKED"), .password = Text<10>::cut("feed_1234"), .is_locked = true});
    return config;
  }

  static FeedClientOptions client_options(const char* user = "READ1") {
    FeedClientOptions options{.user = user, .password = "feed_1234", .replay = k_replay, .recovery = k_recovery};
    for (std::uint32_t id = 1; id <= k_feed_instruments; ++id)
      options.instruments.push_back({id % 2 == 1 ? '1' : '2', id});
    options.books = k_books;
    options.groups = 2;
    options.window = 1 << 12;
    return options;
  }

  Reader& join(const FeedClientOptions& options = client_options()) {
    readers.push_back(std::make_unique<Reader>());
    Reader& reader = *readers.back();
    reader.client = std::make_unique<FeedClient>(options, scheduler, &network, reader);
    EXPECT_TRUE(datagrams.subscribe(k_line_a, reader.client->line(0)).has_value());
    EXPECT_TRUE(datagrams.subscribe(k_line_b, reader.client->line(1)).has_value());
    reader.client->start(scheduler.now());
    return reader;
  }

  /// So many turns of the venue, up to three messages of each group in one.
  void trade(std::size_t turns) {
    for (std::size_t turn = 0; turn < turns; ++turn) {
      for (std::size_t group = 0; group < 2; ++group) {
        for (std::uint64_t count = random.below(4); count > 0; --count) days[group].next(publishers[group]->writer());
        publishers[group]->flush();
      }
      run(time::Duration{static_cast<std::int64_t>(random.below(400'000))});
    }
  }
  void run(time::Duration duration) { link::run_for(network, scheduler, duration); }

  /// Nothing more is said, until every reader has all of it.
  void settle() {
    for (int count = 0; count < 200; ++count) {
      run(500ms);
      const bool is_settled = std::ranges::all_of(readers, [this](const auto& reader) { return has_all(*reader); });
      if (is_settled) return;
    }
  }
  [[nodiscard]] bool has_all(const Reader& reader) const {
    return std::ranges::all_of(feeds, [&](const PublishedFeed* feed) {
      return reader.client->is_live(feed->group()) && reader.client->next(feed->group()) == feed->last() + 1;
    });
  }

  /// Whether the reader's books are those of the venue, order by order.
  void expect_equal(const Reader& reader) const {
    for (const PublishedFeed* const feed : feeds) {
      const BookBuilder* const books = reader.client->books(feed->group());
      ASSERT_NE(books, nullptr);
      EXPECT_TRUE(reader.client->is_live(feed->group())) << "group " << feed->group();
      EXPECT_EQ(reader.client->next(feed->group()), feed->last() + 1);
      EXPECT_EQ(books->inconsistency(), nullptr);
      EXPECT_EQ(books->order_count(), feed->books().order_count());
      feed->books().each_book([&](const BookView& expected) { expect_equal(*books, expected); });
    }
  }

  /// Whether the reader's books were those of the venue whenever a group was live again, as they had been there behind
  /// the same message. Complexity: O(messages + orders for each of these times).
  void expect_equal_whenever_live(const Reader& reader) const {
    for (std::size_t group = 0; group < 2; ++group) {
      BookBuilder books(k_books);
      std::uint32_t number = 0;
      for (const Reader::Live& live : reader.lives[group]) {
        for (; number < live.number; ++number) ASSERT_TRUE(books.apply(published[group].messages[number]).has_value());
        ASSERT_EQ(number, live.number) << "numbers only grow";
        ASSERT_EQ(digest_of(books, live.instruments), live.digest)
            << "group " << group + 1 << " behind message " << number;
      }
    }
  }

  static void expect_equal(const BookBuilder& books, const BookView& expected) {
    const auto found = books.find(expected.instrument());
    ASSERT_TRUE(found.has_value()) << expected.instrument();
    for (const market::Side side : {market::Side::buy, market::Side::sell})
      EXPECT_EQ(orders_of(*found, side), orders_of(expected, side)) << "instrument " << expected.instrument();
    if (expected.state().status.instrument_id != 0) {
      EXPECT_EQ(found->state().status.trading_status, expected.state().status.trading_status);
    }
  }
  static std::vector<DisplayedOrder> orders_of(const BookView& book, market::Side side) {
    std::vector<DisplayedOrder> orders;
    book.each_order(side, [&orders](const DisplayedOrder& order) { orders.push_back(order); });
    return orders;
  }

  static constexpr BookBuilderLimits k_books{.instruments = 8, .orders = 4'096, .levels = 64, .quote_levels = 4};

  SplitMix64 random;
  sched::Scheduler scheduler{600, time::from_nanoseconds(1'700'000'000'000'000'000)};
  link::SimulatedDatagrams datagrams;
  link::SimulatedNetwork network;
  std::vector<RandomDay> days;
  std::array<Published, 2> published;
  std::vector<std::unique_ptr<FeedPublisher>> publishers;
  std::vector<const PublishedFeed*> feeds;
  std::unique_ptr<FeedServer> replay, recovery;
  std::vector<std::unique_ptr<Reader>> readers;
};

/// One random day: losses up to `most_loss_ppm` on each line, duplicates, overtaking, lines that die and live again,
/// three readers that join at any time, by instruments, segments or neither, with channels that sometimes cannot be
/// had. Their books are the venue's whenever a group is live again, and at the end.
inline void follow_a_random_day(std::uint64_t seed, std::size_t turns, std::uint32_t most_loss_ppm) {
  SplitMix64 random(seed * 31);
  const auto conditions = [&] {
    return link::DatagramConditions{.jitter = time::Duration{static_cast<std::int64_t>(random.below(800'000))},
                                    .loss_ppm = static_cast<std::uint32_t>(random.below(most_loss_ppm + 1)),
                                    .duplicate_ppm = static_cast<std::uint32_t>(random.below(100'000)),
                                    .is_dead = random.chance(10)};
  };
  FeedWorld world({.seed = seed,
                   .messages = random.chance(50) ? 65'000U : 128U,
                   .a = conditions(),
                   .b = conditions(),
                   .has_begun = random.chance(80)});
  for (const char* name : {"READ1", "READ2", "READ3"}) {
    if (world.feeds[0]->last() != 0) world.trade(random.below(turns));
    FeedClientOptions options = FeedWorld::client_options(name);
    if (random.chance(30)) options.instruments.clear();
    if (random.chance(30)) options.segments = {Text<6>::cut("RICE"), Text<6>::cut("SALT")};
    if (random.chance(20)) options.window = 64;
    if (random.chance(10)) options.replay.reset();
    if (random.chance(10)) options.replay = link::Address{"nobody", 9};
    world.join(options);
    if (world.feeds[0]->last() == 0) world.begin();
    world.trade(random.below(turns));
    if (random.chance(30)) world.replay->close_all();
    if (random.chance(30)) world.recovery->close_all();
    for (const link::Address& line : {k_line_a, k_line_b})
      if (random.chance(50)) world.datagrams.set_conditions(line, conditions());
  }
  for (const link::Address& line : {k_line_a, k_line_b})
    world.datagrams.set_conditions(line, {.loss_ppm = most_loss_ppm / 2});
  world.trade(200);  // instruments that nobody named before are named
  world.settle();
  for (const auto& reader : world.readers) {
    world.expect_equal(*reader);
    world.expect_equal_whenever_live(*reader);
  }
}

}  // namespace dojima::mitch::testing
