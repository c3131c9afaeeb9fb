// What our own book says, published over the feed: the book that comes out at the other end must be the one that went
// in, after every event.

#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

#include "dojima/book/random_flow_test.hpp"
#include "dojima/mitch/book_builder.hpp"
#include "dojima/mitch/book_publisher.hpp"
#include "dojima/mitch/known_answers_test.hpp"

namespace dojima::mitch::testing {
namespace {

using book::testing::Mix;
using book::testing::RandomFlow;
using book::testing::World;
using market::BookReport;
using market::BookReportKind;
using market::Side;

constexpr time::Time k_midnight = time::from_nanoseconds(1'784'505'600'000'000'000);

[[nodiscard]] time::Time after_midnight(std::int64_t nanoseconds) {
  return k_midnight + std::chrono::nanoseconds(nanoseconds);
}

/// Takes units apart, applies them to a builder, and keeps them.
class Receiver final : public FeedSink {
 public:
  explicit Receiver(std::size_t orders)
      : builder({.instruments = 1, .orders = orders, .levels = orders, .quote_levels = 1}) {}

  void on_unit(Bytes bytes) override {
    const Result<Unit> unit = read_unit(bytes);
    ASSERT_TRUE(unit.has_value());
    ASSERT_EQ(unit->size(), bytes.size());
    ASSERT_EQ(unit->header().sequence_number, expected) << "the next number";
    expected += unit->header().message_count;
    units.emplace_back(bytes.begin(), bytes.end());
    for (const Bytes message : *unit) {
      types.push_back(load_little<char>(message, 1));
      const Result<void> applied = builder.apply(message);
      ASSERT_TRUE(applied.has_value()) << "type " << types.back();
    }
  }

  BookBuilder builder;
  std::vector<Octets> units;
  std::string types;
  std::uint32_t expected = 1;
};

/// A side as it is on display: ids, prices and quantities by priority.
using View = std::vector<DisplayedOrder>;

View displayed_of(const book::Book& book, Side side) {
  View view;
  book.each_resting(side, [&view, side](const book::RestingOrder& order) {
    if (order.place == book::Place::lit && order.displayed.lots > 0)
      view.push_back({.id = order.id.value,
                      .side = side,
                      .price = order.price,
                      .quantity = static_cast<std::uint32_t>(order.displayed.lots)});
  });
  return view;
}

View displayed_of(const BookBuilder& builder, Side side) {
  View view;
  if (const auto book = builder.find(book::testing::k_instrument))
    book->each_order(side, [&view](const DisplayedOrder& order) { view.push_back(order); });
  return view;
}

/// A book, the feed of what it says, and the two books that are kept from it: by reports, and by the feed.
class Road {
 public:
  explicit Road(const book::testing::WorldOptions& options)
      : world(options),
        receiver(options.orders),
        feed(receiver, {}),
        publisher(feed, {.orders = options.orders, .midnight = k_midnight}),
        mirrored_({.capacity = options.orders, .ids = book::Ids::foreign}),
        mirror_(world.instrument, mirrored_, silent_,
                {.levels = options.levels, .hidden_levels = options.hidden_levels}) {}

  template <class Command>
  std::vector<BookReport> apply(const Command& command) {
    now_ += 12'345'678;
    const std::vector<BookReport> reports = world.apply(command);
    for (const BookReport& report : reports) {
      if (report.kind == BookReportKind::traded) traded_ += static_cast<std::uint64_t>(report.quantity.lots);
      EXPECT_TRUE(mirror_.mirror(report));
      EXPECT_TRUE(publisher.publish(report, after_midnight(now_)).has_value());
      feed.flush();
      compare(mirror_, "after a report");
    }
    compare(world.book, "after a command");
    return reports;
  }

  void check() const {
    EXPECT_EQ(receiver.builder.inconsistency(), nullptr);
    const auto view = receiver.builder.find(book::testing::k_instrument);
    if (view) {
      EXPECT_EQ(view->state().traded_quantity, traded_) << "every trade is published once";
    }
  }

  World world;
  Receiver receiver;
  FeedWriter feed;
  BookPublisher publisher;

 private:
  void compare(const book::Book& book, const char* when) const {
    std::size_t count = 0;
    for (const Side side : {Side::buy, Side::sell}) {
      const View expected = displayed_of(book, side);
      ASSERT_EQ(displayed_of(receiver.builder, side), expected) << when;
      count += expected.size();
    }
    ASSERT_EQ(receiver.builder.order_count(), count);
    ASSERT_EQ(publisher.displayed_count(), count);
  }

  book::testing::Collector silent_{1};
  book::OrderTable mirrored_;
  book::Book mirror_;
  std::int64_t now_ = 0;
  std::uint64_t traded_ = 0;
};

void follow_flow(std::uint64_t seed, Mix mix, std::size_t commands) {
  Road road({.orders = 40, .levels = 24, .hidden_levels = 16, .stop_levels = 16, .buffer = 4});
  RandomFlow flow(seed, mix);
  for (std::size_t step = 0; step < commands && !::testing::Test::HasFailure(); ++step) {
    flow.learn(std::visit([&road](const auto& command) { return road.apply(command); }, flow.next()));
    if (::testing::Test::HasFailure()) ADD_FAILURE() << "seed " << seed << ", step " << step;
  }
  road.check();
}

class BookFeedLong : public ::testing::TestWithParam<Mix> {};

TEST_P(BookFeedLong, reproduces_our_book_after_every_event) {
  for (std::uint64_t seed = 1; seed <= 12 && !HasFailure(); ++seed) follow_flow(seed, GetParam(), 2'000);
}

INSTANTIATE_TEST_SUITE_P(Flows, BookFeedLong, ::testing::Values(Mix::plain, Mix::all, Mix::days), [](const auto& flow) {
  return std::string(std::array{"plain", "all", "days"}.at(static_cast<std::size_t>(flow.param)));
});

/// Types of the messages that a few reports become, Time messages left out.
class Published {
 public:
  Published() : receiver_(8), feed_(receiver_, {}), publisher_(feed_, {.orders = 4, .midnight = k_midnight}) {}

  std::string operator()(const BookReport& report, std::int64_t nanoseconds = 0) {
    receiver_.types.clear();
    EXPECT_TRUE(publisher_.publish(report, after_midnight(nanoseconds)).has_value());
    feed_.flush();
    return receiver_.types;
  }
  Result<void> publish(const BookReport& report) { return publisher_.publish(report, k_midnight); }
  [[nodiscard]] const BookBuilder& builder() const { return receiver_.builder; }

 private:
  Receiver receiver_;
  FeedWriter feed_;
  BookPublisher publisher_;
};

BookReport report_of(BookReportKind kind, std::uint64_t order, std::int64_t displayed) {
  return {.order = {order},
          .price = {1'000},
          .quantity = {displayed},
          .leaves = {displayed},
          .displayed = {displayed},
          .instrument = book::testing::k_instrument,
          .kind = kind,
          .side = Side::buy};
}

TEST(BookPublisher, publishes_the_time_first_in_every_second) {
  Published published;
  EXPECT_EQ(published(report_of(BookReportKind::added, 1, 10), 1'999'999'999), "TA");
  EXPECT_EQ(published.builder().nanoseconds_of_day(), 1'999'999'000u) << "in microseconds";
  EXPECT_EQ(published(report_of(BookReportKind::added, 2, 10), 1'999'999'999), "A");
  EXPECT_EQ(published(report_of(BookReportKind::added, 3, 10), 5'000'000'000), "TA");
}

TEST(BookPublisher, says_nothing_of_what_is_not_displayed) {
  Published published;
  for (const std::uint8_t flag : {market::k_hidden, market::k_dark, market::k_auction}) {
    BookReport hidden = report_of(BookReportKind::added, flag, 0);
    hidden.leaves = {10};
    hidden.flags = flag;
    EXPECT_EQ(published(hidden), "");
    hidden.kind = BookReportKind::cancelled;
    EXPECT_EQ(published(hidden), "");
  }
  for (const BookReportKind kind : {BookReportKind::accepted, BookReportKind::rejected, BookReportKind::parked})
    EXPECT_EQ(published(report_of(kind, 1, 10)), "");
}

TEST(BookPublisher, publishes_a_fill_of_a_hidden_order_as_a_trade) {
  Published published;
  BookReport trade = report_of(BookReportKind::traded, 1, 0);
  trade.quantity = {5};
  trade.flags = market::k_hidden;
  EXPECT_EQ(published(trade), "TP");
}

TEST(BookPublisher, publishes_fills_at_another_price_with_their_price) {
  Published published;
  static_cast<void>(published(report_of(BookReportKind::added, 1, 10)));
  BookReport trade = report_of(BookReportKind::traded, 1, 6);
  trade.quantity = {4};
  EXPECT_EQ(published(trade), "E");
  trade.displayed = trade.leaves = {2};
  trade.price = {990};
  EXPECT_EQ(published(trade), "C");
  EXPECT_EQ(published.builder().find_order(1)->quantity, 2u);
}

TEST(BookPublisher, publishes_phases_indicative_prices_and_what_an_auction_traded) {
  Published published;
  BookReport phase = report_of(BookReportKind::phase_changed, 0, 0);
  const std::string statuses = "TarfduHc";
  for (std::uint8_t number = 0; number < market::k_phases; ++number) {
    phase.flags = number;
    static_cast<void>(published(phase));
    EXPECT_EQ(published.builder().find(book::testing::k_instrument)->state().status.trading_status, statuses[number]);
  }
  const std::pair<market::Phase, const char*> auctions[] = {{market::Phase::opening_call, "OQw"},
                                                            {market::Phase::intraday_call, "FQ"},
                                                            {market::Phase::reopening_call, "EQ"},
                                                            {market::Phase::closing_call, "CQw"}};
  for (const auto& [call, expected] : auctions) {
    phase.flags = static_cast<std::uint8_t>(call);
    static_cast<void>(published(phase));
    BookReport auction = report_of(BookReportKind::indicative, 0, 0);
    auction.quantity = {70};
    EXPECT_EQ(published(auction), "I");
    EXPECT_EQ(published.builder().find(book::testing::k_instrument)->state().auction.auction_type, expected[0]);
    EXPECT_EQ(published.builder().find(book::testing::k_instrument)->state().auction.paired_quantity, 70u);
    auction.kind = BookReportKind::uncrossed;
    EXPECT_EQ(published(auction), expected + 1);
    auction.quantity = {};
    EXPECT_EQ(published(auction), "") << "nothing could trade";
  }
}

TEST(BookPublisher, refuses_a_quantity_that_the_feed_cannot_carry) {
  Published published;
  const std::int64_t largest = std::numeric_limits<std::uint32_t>::max();
  EXPECT_TRUE(published.publish(report_of(BookReportKind::added, 1, largest)).has_value());
  EXPECT_EQ(published.publish(report_of(BookReportKind::added, 2, largest + 1)).error().code, ErrorCode::out_of_range);
}

TEST(BookPublisher, refuses_an_order_more_than_it_has_room_for) {
  Published published;
  for (std::uint64_t id = 1; id <= 4; ++id) EXPECT_EQ(published(report_of(BookReportKind::added, id, 1)).back(), 'A');
  EXPECT_EQ(published.publish(report_of(BookReportKind::added, 5, 1)).error().code, ErrorCode::no_room);
}

TEST(FeedWriter, begins_a_new_unit_when_one_is_full_and_numbers_through) {
  Receiver receiver(8);
  FeedWriter feed(receiver, {.unit_size = 8 + 65});
  for (int count = 0; count < 25; ++count) ASSERT_TRUE(feed.append(Time{.seconds = 1}));
  EXPECT_EQ(receiver.units.size(), 2u) << "ten messages of six bytes in each";
  EXPECT_EQ(feed.next_sequence(), 26u);
  feed.flush();
  feed.flush();
  EXPECT_EQ(receiver.units.size(), 3u) << "nothing is sent of an empty unit";
  EXPECT_EQ(receiver.expected, 26u);
}

TEST(FeedWriter, sends_a_heartbeat_with_the_next_number) {
  Receiver receiver(8);
  FeedWriter feed(receiver, {.market_data_group = 'X'});
  ASSERT_TRUE(feed.append(Time{.seconds = 1}));
  feed.heartbeat();
  ASSERT_EQ(receiver.units.size(), 2u);
  EXPECT_EQ(receiver.units[1], octets_of("08 00 00 58 02 00 00 00"));
  feed.heartbeat();
  EXPECT_EQ(receiver.units[2], receiver.units[1]) << "it uses up no number";
}

TEST(FeedWriter, refuses_what_cannot_be_written_and_sizes_that_fit_nothing) {
  Receiver receiver(8);
  FeedWriter feed(receiver, {});
  EXPECT_EQ(feed.append(AddOrder{.side = 'x'}).error().code, ErrorCode::out_of_range);
  feed.flush();
  EXPECT_TRUE(receiver.units.empty());
  EXPECT_THROW(FeedWriter(receiver, {.unit_size = 8 + 64}), std::invalid_argument);
  EXPECT_THROW(FeedWriter(receiver, {.unit_size = 65'536}), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::mitch::testing
