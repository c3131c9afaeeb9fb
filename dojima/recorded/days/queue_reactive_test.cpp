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

TEST(QueueReactiveCalibration, says_what_is_missing) {
  QueueReactiveCalibration calibration({}, 0, 100, 1);
  EXPECT_EQ(calibration.model().error(), "it never had both a bid and an ask");
  OrderQuantity quantity;
  EXPECT_EQ(quantity.instrument("").error(), "it has no orders, only price levels or trades");
  EXPECT_EQ(quantity.instrument("RICE").error(), "it has no orders of RICE");
}

}  // namespace
}  // namespace dojima::recorded
