#include <gtest/gtest.h>
#include <vector>

#include "dojima/queueing/fills/fill_test_support.hpp"
#include "dojima/queueing/fills/touch_follower.hpp"
#include "dojima/queueing/fills/touch_rates.hpp"

namespace dojima::queueing {
namespace {

using market::Side;
using recorded::EventKind;
using recorded::k_unknown;
using recorded::RecordedEvent;
using Change = QueueChange::Kind;

/// Order 1, 30 at 100, then order 2, 20 at 100.
class Followed {
 public:
  Followed() {
    EXPECT_EQ(apply(EventKind::add, 1, 100, 30).entry, 1u);
    EXPECT_EQ(apply(EventKind::add, 2, 100, 20).entry, 2u);
  }
  QueueChange apply(EventKind kind, std::uint64_t order, std::int64_t price, std::int64_t quantity,
                    std::uint64_t other = 0, Side side = Side::buy) {
    RecordedEvent event = happened(0, kind, side, order, price, quantity);
    event.other = other;
    return follower.apply(event, k_rice);
  }
  TouchFollower follower{0};
};

void expect_gone(const QueueChange& change, Change kind, std::int64_t price, std::int64_t quantity,
                 std::uint64_t entry) {
  EXPECT_EQ(change.kind, kind);
  EXPECT_EQ(change.side, Side::buy);
  EXPECT_EQ(change.price, price);
  EXPECT_EQ(change.quantity, quantity);
  EXPECT_EQ(change.entry, entry);
}

TEST(TouchFollower, reports_what_left_a_queue_and_from_which_place) {
  Followed book;
  expect_gone(book.apply(EventKind::reduce, 1, 100, 10), Change::cancelled, 100, 10, 1);
  expect_gone(book.apply(EventKind::execute, 1, 100, 50), Change::executed, 100, 20, 1);  // no more than there was
  expect_gone(book.apply(EventKind::remove, 2, 100, k_unknown), Change::cancelled, 100, 20, 2);
  expect_gone(book.apply(EventKind::remove, 9, 100, 7), Change::cancelled, 100, 7, 0);  // from before the recording
  EXPECT_EQ(book.apply(EventKind::remove, 9, k_unknown, 7).kind, Change::none);
  EXPECT_EQ(book.follower.touch().bid_quantity, 0);
}

TEST(TouchFollower, keeps_the_place_of_an_order_that_only_shrinks) {
  Followed book;
  const QueueChange smaller = book.apply(EventKind::amend, 1, k_unknown, 25);
  expect_gone(smaller, Change::cancelled, 100, 5, 1);
  EXPECT_FALSE(smaller.is_entered_too);
  expect_gone(book.apply(EventKind::execute, 1, 100, 1), Change::executed, 100, 1, 1);
  EXPECT_EQ(book.follower.touch(), (Touch{.bid = 100, .bid_quantity = 44}));
}

TEST(TouchFollower, sends_an_order_that_grows_moves_or_is_replaced_to_the_back) {
  Followed book;
  const QueueChange larger = book.apply(EventKind::amend, 1, k_unknown, 40);
  expect_gone(larger, Change::cancelled, 100, 30, 1);
  EXPECT_TRUE(larger.is_entered_too);
  expect_gone(book.apply(EventKind::execute, 1, 100, 1), Change::executed, 100, 1, 3);
  const QueueChange moved = book.apply(EventKind::amend, 2, 101, 20);
  expect_gone(moved, Change::cancelled, 100, 20, 2);
  EXPECT_TRUE(moved.is_entered_too);
  EXPECT_EQ(book.follower.touch().bid, 101);
  const QueueChange replaced = book.apply(EventKind::replace, 2, 100, 15, 8);
  expect_gone(replaced, Change::cancelled, 101, 20, 4);
  EXPECT_TRUE(replaced.is_entered_too);
  EXPECT_EQ(book.follower.entries(), 5u);
  expect_gone(book.apply(EventKind::execute, 8, 100, 15), Change::executed, 100, 15, 5);
}

TEST(TouchFollower, knows_executions_that_take_nothing_away_and_hidden_ones) {
  Followed book;
  expect_gone(book.apply(EventKind::fill, 2, 100, 5), Change::executed, 100, 0, 2);
  const QueueChange hidden = book.apply(EventKind::hidden_trade, 0, 100, 5, 0, Side::sell);
  expect_gone(hidden, Change::hidden_execution, 100, 5, 0);
  EXPECT_EQ(book.follower.touch().bid_quantity, 50) << "neither changes the book";
}

TEST(TouchFollower, believes_the_book_that_a_recording_shows) {
  Followed book;
  EXPECT_EQ(book.follower.shown_levels(), 0u);
  EXPECT_EQ(book.apply(EventKind::window, 0, 101, 7).kind, Change::none);
  static_cast<void>(book.apply(EventKind::window, 0, 103, 9, 0, Side::sell));
  EXPECT_EQ(book.follower.shown_levels(), 1u);
  EXPECT_EQ(book.follower.touch(), (Touch{.bid = 101, .ask = 103, .bid_quantity = 7, .ask_quantity = 9}));
  static_cast<void>(book.apply(EventKind::window, 2, 99, 1));
  EXPECT_EQ(book.follower.shown_levels(), 3u);
  static_cast<void>(book.apply(EventKind::window, 0, k_unknown, 0));
  EXPECT_EQ(book.follower.touch(), (Touch{.ask = 103, .ask_quantity = 9})) << "no bid any more";
}

/// Six seconds whose sums are known by hand; orders of 10.
TEST(TouchRates, are_events_over_the_time_that_there_was_a_market) {
  std::vector<RecordedEvent> events = {happened(0, EventKind::add, Side::buy, 1, 100, 20),
                                       happened(0, EventKind::add, Side::sell, 2, 102, 10),
                                       happened(1'000, EventKind::add, Side::buy, 3, 100, 10),
                                       happened(2'000, EventKind::execute, Side::buy, 1, 100, 10),
                                       happened(3'000, EventKind::remove, Side::buy, 3, 100, 10),
                                       happened(4'000, EventKind::add, Side::sell, 4, 103, 10),
                                       happened(5'000, EventKind::add, Side::sell, 5, 101, 10),
                                       happened(6'000, EventKind::add, Side::buy, 9, 50, 1)};
  TouchRatesCounter counter(0, 1, 10);
  EXPECT_EQ(counter.rates(1).execution, 0) << "nothing was seen";
  counter.take(events, k_rice);
  const TouchRates two = counter.rates(2);
  EXPECT_DOUBLE_EQ(two.arrival, 1 / 12.0) << "one at a best price in six seconds of two sides";
  EXPECT_DOUBLE_EQ(two.execution, 1 / 12.0);
  EXPECT_DOUBLE_EQ(two.cancel, 1 / 16.0) << "3 + 4 + 3 + 2 + 2 + 2 orders times seconds rested there";
  EXPECT_DOUBLE_EQ(two.improvement, 1 / 10.0) << "five seconds of two sides at this spread";
  EXPECT_EQ(counter.rates(1).improvement, 0);
  EXPECT_EQ(counter.rates(3).improvement, 0) << "3 and 4 ticks are a class of their own";
  EXPECT_EQ(counter.rates(3).arrival, two.arrival);

  events[3].flags |= recorded::k_snapshot;
  TouchRatesCounter of_snapshots(0, 1, 10);
  of_snapshots.take(events, k_rice);
  EXPECT_EQ(of_snapshots.rates(2).execution, 0) << "a snapshot is no event";
}

}  // namespace
}  // namespace dojima::queueing
