#include "dojima/queueing/fills/fill_samples.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "dojima/queueing/fills/fill_test_support.hpp"
#include "dojima/recorded/days/generated_day.hpp"
#include "dojima/recorded/event.hpp"

namespace dojima::queueing {
namespace {

using market::Side;
using recorded::EventKind;
using recorded::RecordedEvent;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A bid of two orders (1: 30, 2: 20) at 100 and an ask (3: 40) at 102, then what follows, and an end at 30 s.
std::vector<FillSample> sampled(std::vector<RecordedEvent> later,
                                FillPlan plan = {.horizon = seconds{5}, .every = seconds{60}}) {
  std::vector<RecordedEvent> events = {happened(59'000, EventKind::add, Side::buy, 1, 100, 30),
                                       happened(59'100, EventKind::add, Side::buy, 2, 100, 20),
                                       happened(59'200, EventKind::add, Side::sell, 3, 102, 40)};
  for (RecordedEvent& event : later) {
    event.event_time += seconds{60};
    events.push_back(event);
  }
  events.push_back(happened(90'000, EventKind::add, Side::buy, 99, 50, 1));
  FillSampler sampler(plan);
  sampler.take(events, k_rice);
  auto samples = sampler.finish();
  EXPECT_TRUE(samples.has_value()) << samples.error().text;
  return samples ? *samples : std::vector<FillSample>{};
}

TEST(FillSamples, knows_the_state_in_which_an_order_joins) {
  const auto samples = sampled({});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].side, Side::buy);
  EXPECT_EQ(samples[0].ahead, 50);
  EXPECT_EQ(samples[0].own, 50);
  EXPECT_EQ(samples[0].other, 40);
  EXPECT_EQ(samples[0].spread, 2);
  EXPECT_EQ(samples[1].ahead, 40);
  EXPECT_FALSE(samples[0].is_filled_within(seconds{5}));
  EXPECT_FALSE(samples[0].is_race_decided());
}

TEST(FillSamples, is_filled_after_those_ahead_and_before_those_behind) {
  const auto samples = sampled({happened(100, EventKind::add, Side::buy, 4, 100, 10),
                                happened(1'000, EventKind::execute, Side::buy, 1, 100, 30),
                                happened(2'000, EventKind::remove, Side::buy, 2, 100, 20),
                                happened(3'000, EventKind::execute, Side::buy, 4, 100, 1)});
  EXPECT_EQ(samples[0].filled_after, milliseconds{3'000});
  EXPECT_TRUE(samples[0].is_filled_before_move());
  EXPECT_EQ(samples[1].filled_after, time::Duration::max());
}

TEST(FillSamples, waits_for_the_last_unit_ahead_of_it) {
  const auto samples = sampled({happened(100, EventKind::execute, Side::buy, 1, 100, 30),
                                happened(200, EventKind::execute, Side::buy, 2, 100, 19),
                                happened(300, EventKind::execute, Side::buy, 2, 100, 1)});
  EXPECT_EQ(samples[0].filled_after, time::Duration::max()) << "whoever trades next";
}

TEST(FillSamples, joins_behind_what_happens_at_its_own_moment) {
  const auto samples = sampled({happened(0, EventKind::add, Side::buy, 4, 100, 10)});
  EXPECT_EQ(samples[0].ahead, 60);
}

TEST(FillSamples, is_not_moved_up_by_cancels_behind_it) {
  const auto samples =
      sampled({happened(50, EventKind::add, Side::buy, 5, 99, 5), happened(100, EventKind::add, Side::buy, 4, 100, 100),
               happened(200, EventKind::remove, Side::buy, 4, 100, 100),
               happened(1'000, EventKind::execute, Side::buy, 1, 100, 30),
               happened(2'000, EventKind::execute, Side::buy, 2, 100, 20)});
  EXPECT_EQ(samples[0].filled_after, time::Duration::max());
  EXPECT_EQ(samples[0].mid_moved_after, milliseconds{2'000});
}

TEST(FillSamples, is_filled_when_the_other_side_reaches_it_or_somebody_trades_at_a_worse_price) {
  EXPECT_EQ(sampled({happened(100, EventKind::remove, Side::buy, 1, 100, 30),
                     happened(200, EventKind::remove, Side::buy, 2, 100, 20),
                     happened(300, EventKind::add, Side::sell, 5, 100, 5)})[0]
                .filled_after,
            milliseconds{300});
  EXPECT_EQ(sampled({happened(100, EventKind::add, Side::buy, 5, 99, 5),
                     happened(400, EventKind::execute, Side::buy, 5, 99, 1)})[0]
                .filled_after,
            milliseconds{400});
}

TEST(FillSamples, sees_the_mid_move_when_somebody_improves) {
  const auto samples = sampled({happened(700, EventKind::add, Side::buy, 4, 101, 5)});
  EXPECT_EQ(samples[0].mid_moved_after, milliseconds{700});
  EXPECT_TRUE(samples[0].is_race_decided());
  EXPECT_FALSE(samples[0].is_filled_before_move());
}

/// A book that is crossed or better only in the middle of a moment is none that anybody sees.
TEST(FillSamples, looks_at_the_book_at_the_end_of_a_moment) {
  RecordedEvent better = happened(700, EventKind::add, Side::buy, 4, 101, 5);
  RecordedEvent reached = happened(800, EventKind::add, Side::sell, 5, 100, 5);
  better.flags = reached.flags = 0;
  const auto samples = sampled({better, happened(700, EventKind::remove, Side::buy, 4, 101, 5), reached,
                                happened(800, EventKind::remove, Side::sell, 5, 100, 5)});
  EXPECT_FALSE(samples[0].is_race_decided());
  EXPECT_EQ(samples[0].filled_after, time::Duration::max());
}

TEST(FillSamples, are_those_that_could_be_followed_for_the_whole_horizon) {
  const auto samples = sampled({}, {.horizon = seconds{5}, .every = seconds{1}});
  ASSERT_FALSE(samples.empty());
  EXPECT_EQ(samples.back().at, time::from_nanoseconds(85'000'000'000)) << "it ends at 90 s";
}

TEST(FillSamples, asks_waiting_orders_again_from_their_place) {
  const auto samples = sampled(
      {happened(500, EventKind::execute, Side::buy, 1, 100, 30), happened(700, EventKind::add, Side::buy, 4, 100, 60),
       happened(3'500, EventKind::remove, Side::buy, 2, 100, 20),
       happened(6'000, EventKind::execute, Side::buy, 4, 100, 1)},
      {.horizon = seconds{5}, .every = seconds{1}, .is_asked_again = true});
  std::map<std::uint32_t, FillSample> first;  // the order that joined at 60 s
  for (const FillSample& sample : samples)
    if (sample.side == Side::buy && sample.at - seconds{sample.steps_waited} == time::from_nanoseconds(60'000'000'000))
      first[sample.steps_waited] = sample;
  ASSERT_EQ(first.size(), 4u);  // after 0, 1, 2 and 4 s
  EXPECT_EQ(first[0].ahead, 50);
  EXPECT_EQ(first[1].ahead, 20);
  EXPECT_EQ(first[1].own, 80);
  EXPECT_EQ(first[4].ahead, 0);
  EXPECT_EQ(first[1].filled_after, milliseconds{5'000});
  EXPECT_EQ(first[4].filled_after, milliseconds{2'000});
}

/// Seen from 59 s on; the orders join at 60 s.
TEST(FillSamples, knows_how_busy_both_sides_were_lately) {
  RecordedEvent counted_already = happened(-450, EventKind::execute, Side::buy, 1, 100, 1);
  counted_already.flags |= recorded::k_snapshot;
  const auto samples = sampled({happened(-500, EventKind::execute, Side::buy, 1, 100, 10), counted_already,
                                happened(-400, EventKind::hidden_trade, Side::sell, 0, 100, 5),
                                happened(-300, EventKind::remove, Side::buy, 2, 100, 20)});
  ASSERT_EQ(samples.size(), 2u);
  const auto rate = [](double memory, std::vector<double> ages) {
    double sum = 0;
    for (const double age : ages) sum += std::exp(-age / memory);
    return sum / (memory * (1 - std::exp(-1 / memory)));
  };
  using enum RecentKind;
  const auto at = [](const FillSample& sample, RecentKind kind, bool is_own, std::size_t memory) {
    return static_cast<double>(sample.rates[recent_rate(kind, is_own, memory)]);
  };
  for (std::size_t memory = 0; memory < k_recent_memories_s.size(); ++memory) {
    const double memory_s = k_recent_memories_s[memory];
    EXPECT_NEAR(at(samples[0], executions, true, memory), rate(memory_s, {0.5, 0.4}), 1e-4) << memory_s;
    EXPECT_NEAR(at(samples[0], cancels, true, memory), rate(memory_s, {0.3}), 1e-4) << memory_s;
    EXPECT_NEAR(at(samples[0], entries, true, memory), rate(memory_s, {1, 0.9}), 1e-4) << memory_s;
    EXPECT_NEAR(at(samples[0], entries, false, memory), rate(memory_s, {0.8}), 1e-4) << memory_s;
    EXPECT_EQ(at(samples[0], executions, false, memory), 0);
    EXPECT_EQ(at(samples[0], cancels, false, memory), 0);
    for (const RecentKind kind : {executions, cancels, entries}) {  // the sell order sees it from the other side
      EXPECT_EQ(at(samples[1], kind, true, memory), at(samples[0], kind, false, memory));
      EXPECT_EQ(at(samples[1], kind, false, memory), at(samples[0], kind, true, memory));
    }
  }
  EXPECT_EQ(samples[0].ahead, 19) << "30 of order 1, and of it 11 gone";
}

TEST(FillSamples, follows_a_book_of_which_one_level_is_shown) {
  const auto shown = [](std::int64_t at_ms, Side side, std::int64_t price, std::int64_t quantity) {
    return happened(at_ms, EventKind::window, side, 0, price, quantity);
  };
  const auto samples = sampled({shown(-500, Side::buy, 100, 50), shown(-500, Side::sell, 102, 40),
                                shown(1'000, Side::buy, 101, 5),   // somebody improves: the order is out of view
                                shown(2'000, Side::buy, 100, 20),  // back, and no more than 20 can be ahead
                                happened(3'000, EventKind::execute, Side::buy, 2, 100, 20),
                                happened(4'000, EventKind::execute, Side::buy, 1, 100, 1)});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_TRUE(samples[0].was_out_of_view);
  EXPECT_FALSE(samples[1].was_out_of_view);
  EXPECT_EQ(samples[0].filled_after, milliseconds{4'000}) << "the twenty ahead are gone, whoever they were";
}

TEST(FillSamples, is_not_filled_by_an_execution_at_a_better_price_or_of_the_other_side) {
  const auto samples = sampled({happened(100, EventKind::add, Side::buy, 4, 101, 5),
                                happened(200, EventKind::execute, Side::buy, 4, 101, 5),
                                happened(300, EventKind::execute, Side::sell, 3, 102, 10)});
  EXPECT_EQ(samples[0].filled_after, time::Duration::max());
  EXPECT_EQ(samples[1].filled_after, time::Duration::max()) << "thirty are still ahead";
}

TEST(FillSamples, says_what_is_missing) {
  FillSampler nothing({});
  EXPECT_EQ(nothing.finish().error().text, "it has no orders, only price levels or trades");
  FillSampler other({.symbol = "WHEAT"});
  const RecordedEvent event = happened(1, EventKind::add, Side::buy, 1, 100, 1);
  other.take({&event, 1}, k_rice);
  EXPECT_EQ(other.finish().error().text, "it has no orders of WHEAT");
  std::vector<recorded::RecordedInstrument> two = k_rice;
  two.push_back({.symbol = "WHEAT", .price_decimals = 2, .tick = 1});
  std::vector<RecordedEvent> mixed = {event, event};
  mixed[1].instrument = 1;
  FillSampler several({}), named({.symbol = "WHEAT"});
  several.take(mixed, two);
  EXPECT_EQ(several.finish().error().text, "it has orders of several instruments: name one");
  named.take(mixed, two);
  EXPECT_TRUE(named.finish().error().text.starts_with("no order could be followed")) << named.finish().error().text;
  FillSampler brief({});
  brief.take({&event, 1}, k_rice);
  EXPECT_EQ(brief.finish().error().text,
            "no order could be followed for 10 s: it lasts 0.0 s, with both sides of the book there or not");
}

/// The queues as lists of orders, and for each sample the set of those ahead: what the sampler does by numbers.
class NaiveFollower {
 public:
  explicit NaiveFollower(std::span<const RecordedEvent> events) : events_(events) {}

  /// When an order that joins the back behind all events up to `at` is filled; and what was ahead of it.
  struct Outcome {
    std::int64_t ahead = 0;
    time::Duration filled_after = time::Duration::max();
  };
  Outcome follow(time::Time at, Side side) const {
    struct Order {
      Side side;
      std::int64_t price, quantity;
    };
    std::map<std::uint64_t, Order> live;
    std::set<std::uint64_t> ahead;
    Outcome outcome;
    std::int64_t price = 0;
    bool has_joined = false;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const RecordedEvent& event = events_[i];
      if (!has_joined && event.event_time > at) {
        has_joined = true;
        price = best(live, side);
        for (const auto& [number, order] : live)
          if (order.side == side && order.price == price) {
            ahead.insert(number);
            outcome.ahead += order.quantity;
          }
      }
      if (event.kind == EventKind::add) {
        live[event.order] = {event.side, event.price, event.quantity};
      } else if (const auto found = live.find(event.order); found != live.end()) {
        const Order order = found->second;
        if (has_joined && event.kind == EventKind::execute && order.side == side) {
          const bool is_worse = side == Side::buy ? order.price < price : order.price > price;
          if (is_worse || (order.price == price && !ahead.contains(event.order))) {
            outcome.filled_after = event.event_time - at;
            return outcome;
          }
        }
        found->second.quantity -= event.quantity;
        if (event.kind == EventKind::remove || found->second.quantity <= 0) live.erase(found);
      }
      if (has_joined && event.has(recorded::k_last)) {
        const std::int64_t reached = best(live, side == Side::buy ? Side::sell : Side::buy);
        if (reached != 0 && (side == Side::buy ? reached <= price : reached >= price)) {
          outcome.filled_after = event.event_time - at;
          return outcome;
        }
      }
    }
    return outcome;
  }

 private:
  template <class Live>
  static std::int64_t best(const Live& live, Side side) {
    std::int64_t found = 0;
    for (const auto& [number, order] : live)
      if (order.side == side && (found == 0 || (side == Side::buy ? order.price > found : order.price < found)))
        found = order.price;
    return found;
  }
  std::span<const RecordedEvent> events_;
};

TEST(FillSamples, agree_with_a_naive_follower_of_every_order) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    recorded::GeneratedDay day(
        {.flow = {.seed = seed, .rate = 200, .mid_move = 60, .depth = 4}, .requests = 3'000, .resting_target = 3});
    std::vector<RecordedEvent> events;
    FillSampler sampler({.horizon = milliseconds{500}, .every = milliseconds{250}});
    for (auto batch = day.next_batch(); !batch.empty(); batch = day.next_batch()) {
      events.insert(events.end(), batch.begin(), batch.end());
      sampler.take(batch, day.instruments());
    }
    const auto samples = sampler.finish();
    ASSERT_TRUE(samples.has_value()) << samples.error().text;
    ASSERT_GT(samples->size(), 60u);
    const NaiveFollower naive(events);
    std::size_t filled = 0;
    for (const FillSample& sample : *samples) {
      const auto outcome = naive.follow(sample.at, sample.side);
      EXPECT_EQ(outcome.ahead, sample.ahead) << seed << ' ' << sample.at.time_since_epoch().count();
      const auto limit = milliseconds{500};
      EXPECT_EQ(std::min<time::Duration>(outcome.filled_after, limit + milliseconds{1}),
                std::min<time::Duration>(sample.filled_after, limit + milliseconds{1}))
          << seed << ' ' << sample.at.time_since_epoch().count();
      filled += sample.is_filled_within(limit);
    }
    EXPECT_GT(filled, samples->size() / 20);
    EXPECT_LT(filled, samples->size() * 19 / 20);
  }
}

}  // namespace
}  // namespace dojima::queueing
