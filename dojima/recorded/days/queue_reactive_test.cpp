#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "dojima/recorded/books/depth_book.hpp"
#include "dojima/recorded/days/queue_reactive_calibration.hpp"
#include "dojima/recorded/days/queue_reactive_day.hpp"
#include "dojima/recorded/days/queue_reactive_test_support.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::recorded {
namespace {

TEST(QueueReactiveDay, is_a_valid_market) {
  QueueReactiveDay day({.model = rice_market(), .seed = 2});
  const ReadEvents all = read_all(day);
  ASSERT_GT(all.events.size(), 1000u);
  EXPECT_TRUE(all.trouble.empty()) << all.trouble;
  DepthBooks books;
  for (const RecordedEvent& event : all.events) {
    books.apply(event, all.instruments);
    if (event.has(k_last)) {
      ASSERT_FALSE(books.of(0).is_crossed());
    }
  }
  EXPECT_EQ(books.counts().unknown + books.counts().duplicates + books.counts().too_much + books.counts().nonsense, 0u);
  EXPECT_EQ(books.counts().trades, day.type_counts()[1].count);
  EXPECT_GT(books.counts().trades, 50u);
  EXPECT_LE(all.events.back().event_time, rice_market().start + rice_market().length);
}

TEST(QueueReactiveDay, is_the_same_for_the_same_seed) {
  const auto events = [](std::uint64_t seed) {
    QueueReactiveDay day({.model = rice_market(), .seed = seed, .events = 300});
    return read_all(day).events;
  };
  EXPECT_EQ(events(4), events(4));
  EXPECT_NE(events(4), events(5));
}

TEST(QueueReactiveDay, refuses_a_day_that_cannot_be) {
  QueueReactiveModel model = rice_market();
  model.instrument.reference = 1;
  EXPECT_THROW(QueueReactiveDay({.model = model}), std::invalid_argument);
  model = rice_market();
  model.order_quantity = 0;
  EXPECT_THROW(QueueReactiveDay({.model = model}), std::invalid_argument);
}

constexpr const char* k_text =
    "dojima queue-reactive 1\n"
    "symbol RICE\n"
    "price_decimals 4\n"
    "quantity_decimals 0\n"
    "tick 100\n"
    "reference 1000000\n"
    "order_quantity 100\n"
    "start_ns 5\n"
    "length_ns 60000000000\n"
    "lengths 2\n"
    "# thousandths: the reference follows a middle that comes to lie on a price\n"
    "follow 600\n"
    "# the last distance of each class, in ticks from the reference price\n"
    "distances 1 3\n"
    "# class, length; per queue and million seconds: limit, cancel, execution; occupancy\n"
    "rates 0 0 10 0 0 7\n"
    "rates 0 1 20 30 40 8\n"
    "rates 1 0 50 0 0 9\n"
    "rates 1 1 60 70 80 1\n";

TEST(QueueReactiveFile, is_written_as_people_read_it) {
  const auto model = read_queue_reactive(k_text);
  ASSERT_TRUE(model.has_value()) << model.error();
  EXPECT_EQ(model->rates.of(1, 5), (flow::QueueRates{60, 70, 80, 1}));
  EXPECT_EQ(model->length, std::chrono::minutes{1});
  EXPECT_EQ(write_queue_reactive(*model), k_text);
  EXPECT_TRUE(is_queue_reactive(k_text));
  EXPECT_FALSE(is_queue_reactive("34200.1,1,2,3,4,1\n"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(QueueReactiveFile, says_what_is_wrong_and_where) {
  const auto trouble = [](const std::string& from, const std::string& to) {
    const auto read = read_queue_reactive(replaced(k_text, from, to));
    return read ? std::string("nothing") : read.error();
  };
  EXPECT_EQ(trouble("reactive 1", "reactive 2"), "line 1: version 1 is written here, not \"2\"");
  EXPECT_EQ(trouble("dojima", "other"), "line 1: a file of this kind begins with \"dojima queue-reactive 1\"");
  EXPECT_EQ(trouble("tick 100", "tick x"), "line 5: tick is a number from 1 to 1000000000000000, not \"x\"");
  EXPECT_EQ(trouble("tick 100\n", ""), "line 18: \"tick\" is missing");
  EXPECT_EQ(trouble("symbol", "emblem"), "line 2: \"emblem\" is no parameter of this model");
  EXPECT_EQ(trouble("rates 0 1", "rates 1 1"), "line 17: here are the rates of class 0 and length 1, expected");
  EXPECT_EQ(trouble("rates 1 1 60 70 80 1\n", ""),
            "line 18: there must be rates for every class of distances and every length");
  EXPECT_EQ(trouble("20 30 40 8", "20 30 40"),
            "line 17: \"rates\" takes class, length, limit, cancel, execution and occupancy");
  EXPECT_EQ(trouble("20 30 40 8", "20 -3 40 8"), "line 17: \"-3\" is no whole number");
}

std::expected<QueueReactiveModel, std::string> calibrated(RecordedReader& reader, std::int64_t order_quantity) {
  QueueReactiveCalibration calibration({.distances = {1, 2, 4}, .lengths = 10}, 0, 100, order_quantity);
  for (auto batch = reader.next_batch(); !batch.empty(); batch = reader.next_batch())
    calibration.take(batch, reader.instruments());
  return calibration.model();
}

TEST(QueueReactiveCalibration, finds_the_rates_of_a_generated_day) {
  QueueReactiveModel model = rice_market();
  model.length = std::chrono::hours{3};
  QueueReactiveDay day({.model = model, .seed = 5});
  const auto found = calibrated(day, model.order_quantity);
  ASSERT_TRUE(found.has_value()) << found.error();
  EXPECT_EQ(found->instrument.reference, model.instrument.reference);
  for (std::uint32_t length = 1; length <= 4; ++length) {
    const flow::QueueRates &is = found->rates.of(0, length), &was = model.rates.of(0, length);
    EXPECT_NEAR(static_cast<double>(is.limit) / static_cast<double>(was.limit), 1, 0.12) << length;
    EXPECT_NEAR(static_cast<double>(is.execution) / static_cast<double>(was.execution), 1, 0.15) << length;
    EXPECT_NEAR(static_cast<double>(is.cancel), static_cast<double>(was.cancel), 25'000) << length;
  }
}

/// An event of the calibration's tests, the last of its moment.
RecordedEvent seen(std::int64_t at_s, EventKind kind, market::Side side, std::uint64_t order, std::int64_t price,
                   std::int64_t quantity, bool is_snapshot = false) {
  RecordedEvent event;
  event.event_time = time::from_nanoseconds(at_s * 1'000'000'000);
  event.kind = kind;
  event.side = side;
  event.order = order;
  event.price = price;
  event.quantity = quantity;
  event.flags = k_last;
  if (is_snapshot) event.flags |= k_snapshot;
  return event;
}

const std::vector<RecordedInstrument> k_oats = {{.symbol = "OATS", .price_decimals = 2, .tick = 1}};

/// Ten seconds whose sums are known by hand; orders of 100, two distances in one class.
TEST(QueueReactiveCalibration, counts_events_over_the_time_that_queues_had_their_length) {
  using enum EventKind;
  constexpr auto buy = market::Side::buy, sell = market::Side::sell;
  const std::vector<RecordedEvent> events = {
      seen(0, add, buy, 1, 100, 150),         seen(0, add, sell, 2, 101, 100),
      seen(2, amend, buy, 1, k_unknown, 120),  // three tenths of an order less, in its place
      seen(4, execute, buy, 1, 100, 20),       // of a queue of two, rounded up: the next has one
      seen(5, add, buy, 3, 99, 100, true),     // a snapshot is no event
      seen(6, add, sell, 4, 102, 100),        seen(8, execute, sell, 2, 101, 50),
      seen(10, add, buy, 5, 50, 100)};  // out of view
  QueueReactiveCalibration calibration({.distances = {2}, .lengths = 4}, 0, 1, 100);
  calibration.take(events, k_oats);
  const auto model = calibration.model();
  ASSERT_TRUE(model.has_value()) << model.error();
  const auto per_million_s = [](double count, double seconds) {
    return static_cast<std::uint64_t>(count / seconds * 1e6 + 0.5);
  };
  const flow::QueueRates& two = model->rates.of(0, 2);
  EXPECT_EQ(two.occupancy, 4'000'000u) << "the bid, for four seconds";
  EXPECT_EQ(two.cancel, per_million_s(0.3, 4));
  EXPECT_EQ(two.execution, per_million_s(0.2, 4));
  const flow::QueueRates& one = model->rates.of(0, 1);
  EXPECT_EQ(one.occupancy, 25'000'000u) << "bid 6 s, ask 10 s, behind them 5 s and 4 s";
  EXPECT_EQ(one.execution, per_million_s(0.5, 16)) << "over the time as the best queue";
  EXPECT_EQ(one.limit, 0u);
  EXPECT_EQ(model->rates.of(0, 0).limit, per_million_s(1, 11)) << "behind the bid 5 s, behind the ask 6 s";
}

/// The middle comes to lie on a price from below, and goes on; or turns round.
TEST(QueueReactiveCalibration, knows_whether_the_middle_goes_on) {
  using enum EventKind;
  constexpr auto buy = market::Side::buy, sell = market::Side::sell;
  const auto follow = [](const RecordedEvent& then) {
    const std::vector<RecordedEvent> events = {seen(0, add, buy, 1, 100, 100),
                                               seen(0, add, sell, 2, 101, 100),
                                               seen(1, add, sell, 3, 102, 100),
                                               seen(2, remove, sell, 2, 101, 100),
                                               then,
                                               seen(4, add, buy, 5, 50, 100)};
    QueueReactiveCalibration calibration({.distances = {2}, .lengths = 4}, 0, 1, 100);
    calibration.take(events, k_oats);
    const auto model = calibration.model();
    EXPECT_TRUE(model.has_value()) << model.error();
    return model->rates.follow;
  };
  EXPECT_EQ(follow(seen(3, add, buy, 4, 101, 100)), 1'000u);
  EXPECT_EQ(follow(seen(3, add, sell, 4, 101, 100)), 0u);
}

TEST(QueueReactiveCalibration, says_what_is_missing) {
  QueueReactiveCalibration calibration({}, 0, 100, 1);
  EXPECT_EQ(calibration.model().error(), "it never had both a bid and an ask");
  OrderQuantity quantity;
  EXPECT_EQ(quantity.instrument("").error(), "it has no orders, only price levels or trades");
  EXPECT_EQ(quantity.instrument("RICE").error(), "it has no orders of RICE");
}

}  // namespace
}  // namespace dojima::recorded
