#include "dojima/recorded/days/generated_day.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <stdexcept>

#include "dojima/recorded/books/depth_book.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

GeneratedDayConfig some_day() {
  return {.flow = {.seed = 3, .rate = 5000, .clients = 6},
          .instruments = {{.symbol = "RICE"}, {.symbol = "BEAN", .price_decimals = 2, .tick = 5, .reference = 50'000}},
          .requests = 30'000};
}

TEST(GeneratedDay, is_a_market_in_which_every_event_fits_the_book_before_it) {
  GeneratedDay day(some_day());
  DepthBooks books;
  std::uint64_t executions = 0, crossed = 0;
  for (auto events = day.next_batch(); !events.empty(); events = day.next_batch()) {
    for (const RecordedEvent& event : events) {
      if (event.kind == EventKind::execute) {
        ++executions;
        const auto best = books.of(event.instrument).on(event.side).best();
        ASSERT_TRUE(best);
        ASSERT_EQ(best->price, event.price) << "an order that trades is at the best price";
      }
      books.apply(event, day.instruments());
      if (event.has(k_last)) crossed += books.of(event.instrument).is_crossed() ? 1u : 0u;
    }
  }
  EXPECT_EQ(day.trouble(), nullptr);
  EXPECT_EQ(day.requests(), 30'000u);
  EXPECT_GT(executions, 1000u);
  EXPECT_EQ(crossed, 0u);
  const DepthCounts& counts = books.counts();
  EXPECT_EQ(counts.unknown + counts.duplicates + counts.too_much + counts.nonsense, 0u);
}

TEST(GeneratedDay, leaves_the_same_book_to_whoever_follows_its_events) {
  GeneratedDay day(some_day());
  DepthBooks books;
  for (auto events = day.next_batch(); !events.empty(); events = day.next_batch())
    books.apply(events, day.instruments());
  for (const std::uint32_t instrument : {0u, 1u}) {
    for (const Side side : {Side::buy, Side::sell}) {
      const book::Book& book = day.book(instrument);
      EXPECT_EQ(books.of(instrument).on(side).level_count(), book.level_count(side));
      books.of(instrument).on(side).each([&](const DepthLevel& level) {
        EXPECT_EQ(book.total(side, {level.price}).lots, level.quantity);
        return true;
      });
    }
  }
}

TEST(GeneratedDay, is_the_same_on_every_compiler_and_machine) {
  for (const flow::ArrivalModel model :
       {flow::ArrivalModel::poisson, flow::ArrivalModel::bursts, flow::ArrivalModel::hawkes}) {
    GeneratedDayConfig config = some_day();
    config.flow.arrivals.model = model;
    config.requests = 5000;
    GeneratedDay day(config);
    std::uint64_t digest = 14695981039346656037ULL, count = 0;
    RecordedEvent event;
    while (day.next(event) == Next::event) {
      ++count;
      unsigned char bytes[sizeof event];
      std::memcpy(bytes, &event, sizeof event);
      for (const unsigned char byte : bytes) digest = (digest ^ byte) * 1099511628211ULL;
    }
    const std::uint64_t expected = model == flow::ArrivalModel::poisson  ? 12038173137072699722u
                                   : model == flow::ArrivalModel::bursts ? 10339845117494255704u
                                                                         : 2224484872484327769u;
    EXPECT_EQ(digest, expected) << "a change of this value changes every generated file; " << count << " events";
  }
}

TEST(GeneratedDay, ends_behind_its_time_or_its_requests) {
  GeneratedDayConfig config = some_day();
  config.requests = 0;
  config.length = std::chrono::seconds{1};
  GeneratedDay day(config);
  RecordedEvent event;
  while (day.next(event) == Next::event) ASSERT_LT(event.event_time, config.start + config.length);
  EXPECT_NEAR(static_cast<double>(day.requests()), 5000, 300);
  config.length = {};
  EXPECT_THROW(GeneratedDay{config}, std::invalid_argument);
  config = some_day();
  config.instruments[0].tick = 0;
  EXPECT_THROW(GeneratedDay{config}, std::invalid_argument);
}

}  // namespace
}  // namespace dojima::recorded
