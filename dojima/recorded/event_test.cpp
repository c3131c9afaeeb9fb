#include "dojima/recorded/event.hpp"

#include <array>
#include <gtest/gtest.h>

namespace dojima::recorded {
namespace {

TEST(RecordedEvents, that_no_book_may_take_are_found_by_kind_side_and_instrument) {
  const std::vector<RecordedInstrument> instruments(2);
  std::vector<RecordedEvent> events(3, RecordedEvent{.instrument = 1, .kind = EventKind::add});
  EXPECT_EQ(misplaced_event(events, instruments), 3u);
  events[2].instrument = 2;
  EXPECT_EQ(misplaced_event(events, instruments), 2u);
  events[1].side = static_cast<market::Side>(3);
  EXPECT_EQ(misplaced_event(events, instruments), 1u);
  events[0].kind = static_cast<EventKind>(k_event_kinds);
  EXPECT_EQ(misplaced_event(events, instruments), 0u);
  EXPECT_EQ(misplaced_event({}, {}), 0u);
}

TEST(RecordedInstruments, are_counted_without_the_one_that_stands_for_the_whole_market) {
  const RecordedInstrument market, apple{.symbol = "AAPL", .number = 7}, numbered{.number = 8};
  EXPECT_EQ(count_of({}), 0u);
  EXPECT_EQ(count_of(std::array{market}), 1u) << "what a file without names is about";
  EXPECT_EQ(count_of(std::array{market, apple}), 1u);
  EXPECT_EQ(count_of(std::array{apple, market, numbered}), 2u);
  EXPECT_EQ(count_of(std::array{apple, numbered}), 2u);
}

TEST(EventBatchDeathTest, holds_no_events_but_those_it_has_memory_for) {
  EventBatch batch;
  EXPECT_DEATH(static_cast<void>(batch.back()), "a batch has a last event .size_ > 0.; size_ = 0");
  EXPECT_DEATH(batch.resize_down(1), "a batch shrinks to events that it has");
  const std::size_t room = batch.room().size();
  batch.commit(room);
  EXPECT_TRUE(batch.is_full());
  EXPECT_DEATH(batch.commit(1), "no more events are committed than there was memory for");
}

}  // namespace
}  // namespace dojima::recorded
