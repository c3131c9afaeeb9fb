#include "neutral_flow.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <list>
#include <map>

#include "dojima/base/assert.hpp"
#include "dojima/measure/statistics.hpp"

namespace dojima::bench {
namespace {

using market::Side;

constexpr std::uint64_t k_seed = 12345;
constexpr std::int32_t k_middle = 500'000;
constexpr std::int32_t k_largest_maker = 100;

class Generator {
 public:
  explicit Generator(const FlowShape& shape) { flow_.shape = shape; }

  Flow make(std::size_t timed) {
    flow_.commands.reserve(flow_.shape.resting + timed);
    flow_.lowest = flow_.highest = k_middle;
    while (flow_.commands.size() < flow_.shape.resting) add();
    flow_.counts = {};
    while (flow_.commands.size() < flow_.shape.resting + timed) step();
    flow_.counts.live = live_.size();
    flow_.counts.bid_levels = bids_.size();
    flow_.counts.ask_levels = asks_.size();
    flow_.orders = static_cast<std::uint32_t>(orders_.size());
    return std::move(flow_);
  }

 private:
  using Queue = std::list<std::uint32_t>;
  struct Known {
    std::int32_t price = 0, quantity = 0;
    Side side = Side::none;
    std::uint32_t place = 0;  // in live_
    bool is_live = false;
    Queue::iterator at;
  };

  void step() {
    const std::size_t draw = random_.below(10'000);
    const FlowShape& shape = flow_.shape;
    if (draw < shape.adds || live_.empty()) return add();
    if (draw < shape.adds + shape.cancels) return cancel();
    if (draw < shape.adds + shape.cancels + shape.modifies) return modify();
    take();
  }

  [[nodiscard]] Side any_side() { return random_.below(2) == 0 ? Side::buy : Side::sell; }

  [[nodiscard]] std::int32_t random_price(Side side) {
    const std::int32_t away = side == Side::buy ? -1 : 1;
    if (flow_.shape.placement == Placement::uniform)
      return k_middle +
             away * (1 + static_cast<std::int32_t>(random_.below(static_cast<std::size_t>(flow_.shape.ticks))));
    const std::int32_t bid = bids_.empty() ? k_middle - 1 : bids_.begin()->first;
    const std::int32_t ask = asks_.empty() ? std::max(k_middle, bid) + 1 : asks_.begin()->first;
    const std::int32_t touch = side == Side::buy ? bid : ask;
    if (random_.below(10) == 0) return ask - bid > 1 ? touch - away : touch;
    // At least k ticks away with a probability of 1 / (k + 1).
    const std::uint64_t far = (std::uint64_t{1} << 32) / ((random_.next() >> 32) + 1) - 1;
    return touch + away * static_cast<std::int32_t>(std::min(far, static_cast<std::uint64_t>(flow_.shape.ticks)));
  }

  [[nodiscard]] std::int32_t random_quantity(std::int32_t most) {
    return 1 + static_cast<std::int32_t>(random_.below(static_cast<std::size_t>(most)));
  }

  [[nodiscard]] std::uint32_t any_live() {
    if (flow_.shape.is_young_cancelled && random_.below(100) < 85) {
      for (int attempt = 0; attempt < 8; ++attempt) {
        // An exponential age, its logarithm to base 2 put together from leading zeros and what follows them.
        const std::uint64_t draw = random_.next() | 1;
        const auto zeros = static_cast<unsigned>(std::countl_zero(draw));
        const std::uint64_t behind = zeros > 54 ? 0 : (draw << (zeros + 1)) >> 56;
        const std::uint64_t age = (zeros * 256 + 255 - behind) * 277 / 256;
        if (age < orders_.size() && orders_[orders_.size() - 1 - age].is_live)
          return static_cast<std::uint32_t>(orders_.size() - 1 - age);
      }
    }
    return live_[random_.below(live_.size())];
  }

  void put(std::uint32_t order) {
    Known& known = orders_[order];
    Queue& queue = known.side == Side::buy ? bids_[known.price] : asks_[known.price];
    known.at = queue.insert(queue.end(), order);
    flow_.lowest = std::min(flow_.lowest, known.price);
    flow_.highest = std::max(flow_.highest, known.price);
  }

  void take_out(std::uint32_t order) {
    const Known& known = orders_[order];
    const auto from = [&known](auto& levels) {
      const auto level = levels.find(known.price);
      level->second.erase(known.at);
      if (level->second.empty()) levels.erase(level);
    };
    if (known.side == Side::buy)
      from(bids_);
    else
      from(asks_);
  }

  void end(std::uint32_t order) {
    take_out(order);
    Known& known = orders_[order];
    known.is_live = false;
    live_[known.place] = live_.back();
    orders_[live_[known.place]].place = known.place;
    live_.pop_back();
  }

  void add() {
    const Side side = any_side();
    const auto order = static_cast<std::uint32_t>(orders_.size());
    Known known{.price = random_price(side), .quantity = random_quantity(k_largest_maker), .side = side};
    known.place = static_cast<std::uint32_t>(live_.size());
    known.is_live = true;
    orders_.push_back(known);
    live_.push_back(order);
    flow_.most_live = std::max(flow_.most_live, static_cast<std::uint32_t>(live_.size()) + 1);
    put(order);
    flow_.commands.push_back({order, known.price, known.quantity, Deed::add, side});
    ++flow_.counts.adds;
  }

  void cancel() {
    const std::uint32_t order = any_live();
    flow_.commands.push_back({order, orders_[order].price, 0, Deed::cancel, orders_[order].side});
    end(order);
    ++flow_.counts.cancels;
  }

  void modify() {
    const std::uint32_t order = any_live();
    Known& known = orders_[order];
    std::int32_t price = known.price;
    for (int attempt = 0; attempt < 8 && price == known.price; ++attempt) price = random_price(known.side);
    if (price == known.price) return add();
    take_out(order);
    known.price = price;
    put(order);
    flow_.commands.push_back({order, price, known.quantity, Deed::modify, known.side});
    ++flow_.counts.modifies;
  }

  void take() {
    const Side side = any_side();
    const std::int32_t wanted = random_quantity(flow_.shape.largest_taker);
    const bool is_done = side == Side::buy ? take_from(asks_, side, wanted) : take_from(bids_, side, wanted);
    if (!is_done) add();
  }

  template <class Levels>
  [[nodiscard]] bool take_from(Levels& levels, Side side, std::int32_t wanted) {
    std::int64_t there = 0;
    std::int32_t worst = 0;
    for (auto level = levels.begin(); level != levels.end() && there < wanted; ++level) {
      worst = level->first;
      for (const std::uint32_t order : level->second) there += orders_[order].quantity;
    }
    // Never all of a side: there is always a touch.
    if (there < wanted || (there == wanted && levels.rbegin()->first == worst)) return false;
    flow_.commands.push_back({static_cast<std::uint32_t>(orders_.size()), worst, wanted, Deed::take, side});
    orders_.push_back({});
    ++flow_.counts.takes;
    for (std::int32_t left = wanted; left != 0;) {
      const std::uint32_t maker = levels.begin()->second.front();
      const std::int32_t quantity = std::min(left, orders_[maker].quantity);
      left -= quantity;
      orders_[maker].quantity -= quantity;
      const bool is_gone = orders_[maker].quantity == 0;
      flow_.fills.push_back({maker, quantity, left == 0, is_gone});
      ++flow_.counts.trades;
      flow_.counts.volume += static_cast<std::uint64_t>(quantity);
      if (is_gone) end(maker);
    }
    return true;
  }

  Flow flow_;
  measure::Random random_{k_seed};
  std::vector<Known> orders_;
  std::vector<std::uint32_t> live_;
  std::map<std::int32_t, Queue, std::greater<>> bids_;
  std::map<std::int32_t, Queue> asks_;
};

}  // namespace

FlowShape deep_shape() {
  return {.name = "deep"};
}

FlowShape itch_shape() {
  return {.name = "itch",
          .placement = Placement::touch,
          .ticks = 500,
          .resting = 8'000,
          .adds = 4999,
          .cancels = 4301,
          .modifies = 0,
          .largest_taker = 100,
          .is_young_cancelled = true};
}

const std::vector<FlowShape>& storage_shapes() {
  static const std::vector<FlowShape> shapes = {
      {.name = "general", .ticks = 200, .resting = 2'000, .adds = 4'200, .cancels = 3'718, .modifies = 1'000},
      {.name = "dense", .ticks = 40, .resting = 2'000, .adds = 4'300, .cancels = 3'577, .modifies = 500},
      {.name = "sparse", .ticks = 985, .resting = 1'000, .adds = 4'300, .cancels = 3'577, .modifies = 500},
      {.name = "cancels", .ticks = 200, .resting = 2'000, .adds = 4'000, .cancels = 3'950, .modifies = 2'000},
      {.name = "matching",
       .placement = Placement::touch,
       .ticks = 100,
       .resting = 1'000,
       .adds = 6'000,
       .cancels = 1'980,
       .modifies = 0,
       .largest_taker = 200}};
  return shapes;
}

Flow make_flow(const FlowShape& shape, std::size_t timed) {
  return Generator(shape).make(timed);
}

}  // namespace dojima::bench
