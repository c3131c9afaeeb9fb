#include "dojima/flow/order_flow.hpp"

#include <algorithm>
#include <stdexcept>

namespace dojima::flow {
namespace {

using market::OrderType;
using market::Price;
using market::Side;
using market::TimeInForce;

void require(bool is_right, const char* what) {
  if (!is_right) throw std::invalid_argument(what);
}

std::uint32_t sum_of(const Shares& shares) {
  return shares.cancel + shares.replace + shares.market + shares.immediate_or_cancel + shares.fill_or_kill +
         shares.crossing;
}

}  // namespace

OrderFlow::OrderFlow(const FlowConfig& config, std::span<const market::Instrument> instruments, Time start)
    : config_(config), random_(config.seed), arrivals_(config.arrivals, config.rate, random_), due_(start) {
  require(config.clients >= 1, "there must be a client");
  for (const std::uint32_t share :
       {config.shares.cancel, config.shares.replace, config.shares.market, config.shares.immediate_or_cancel,
        config.shares.fill_or_kill, config.shares.crossing, config.mid_move})
    require(share <= 1000, "a share must be at most 1000 thousandths");
  require(sum_of(config.shares) <= 1000, "the shares must add up to at most 1000 thousandths");
  require(config.mid_range >= 0 && config.depth >= 1 && config.reach >= 0, "ticks of mid, depth and reach");
  require(config.lots_minimum >= 1 && config.lots_maximum >= config.lots_minimum && config.lot_step >= 1 &&
              config.lots_maximum <= INT64_MAX / config.lot_step,
          "sizes must be positive and in order");
  require(std::ranges::all_of(config.sizes, [](std::int64_t lots) { return lots >= 1; }), "sizes must be positive");
  require(
      std::ranges::all_of(config.distances, [&](std::int32_t ticks) { return ticks >= 1 && ticks <= config.depth; }),
      "distances must lie within the depth");
  require(!instruments.empty(), "there must be an instrument");
  for (const market::Instrument& instrument : instruments) {
    const auto reference = instrument.ticks.level_of(instrument.reference);
    require(reference.has_value(), "an instrument's reference price must be on its tick table");
    const std::int64_t margin = std::int64_t{config.mid_range} + std::max(config.depth, config.reach);
    const std::int64_t level = market::index_of(*reference);
    require(level - margin >= 0 && level + margin < instrument.ticks.level_count(),
            "the mid's range and the depth must stay inside an instrument's tick table");
    walks_.push_back({instrument.ticks, market::index_of(*reference), market::index_of(*reference)});
  }
}

Intent OrderFlow::next() {
  due_ += arrivals_.next(random_);
  Intent intent{.number = next_number_++, .due = due_};
  intent.client = static_cast<std::uint32_t>(random_.below(config_.clients));
  intent.instrument = static_cast<std::uint32_t>(random_.below(walks_.size()));
  intent.side = random_.below(2) == 0 ? Side::buy : Side::sell;
  Walk& walk = walks_[intent.instrument];
  move_mid(walk);
  intent.quantity = {draw_lots()};
  intent.pick = random_.next();
  choose_kind(intent);
  return intent;
}

std::int64_t OrderFlow::draw_lots() {
  if (!config_.sizes.empty()) return config_.sizes[random_.below(config_.sizes.size())];
  const auto sizes = static_cast<std::uint64_t>(config_.lots_maximum - config_.lots_minimum + 1);
  return (config_.lots_minimum + static_cast<std::int64_t>(random_.below(sizes))) * config_.lot_step;
}

void OrderFlow::move_mid(Walk& walk) {
  if (random_.below(1000) >= config_.mid_move) return;
  const std::int32_t step = random_.below(2) == 0 ? -1 : 1;
  const std::int32_t moved = walk.mid + step;
  if (moved >= walk.reference - config_.mid_range && moved <= walk.reference + config_.mid_range) walk.mid = moved;
}

void OrderFlow::choose_kind(Intent& intent) {
  const Walk& walk = walks_[intent.instrument];
  std::uint64_t at = random_.below(1000);
  const auto falls_into = [&at](std::uint32_t share) {
    if (at < share) return true;
    at -= share;
    return false;
  };
  if (falls_into(config_.shares.cancel)) {
    intent.kind = IntentKind::cancel;
    intent.price = passive_price(walk, intent.side);
  } else if (falls_into(config_.shares.replace)) {
    intent.kind = IntentKind::replace;
    intent.price = passive_price(walk, intent.side);
  } else if (falls_into(config_.shares.market)) {
    intent.type = OrderType::market;
  } else if (falls_into(config_.shares.immediate_or_cancel)) {
    intent.time_in_force = TimeInForce::immediate_or_cancel;
    intent.price = crossing_price(walk, intent.side);
  } else if (falls_into(config_.shares.fill_or_kill)) {
    intent.time_in_force = TimeInForce::fill_or_kill;
    intent.price = crossing_price(walk, intent.side);
  } else if (falls_into(config_.shares.crossing)) {
    intent.price = crossing_price(walk, intent.side);
  } else {
    intent.price = passive_price(walk, intent.side);
  }
}

/// The nearer of two uniform distances: density falls linearly away from the mid. Or one of those given.
Price OrderFlow::passive_price(const Walk& walk, Side side) {
  if (!config_.distances.empty()) {
    const std::int32_t distance = config_.distances[random_.below(config_.distances.size())];
    return walk.ticks.price_of(market::Level{side == Side::buy ? walk.mid - distance : walk.mid + distance});
  }
  const auto depth = static_cast<std::uint64_t>(config_.depth);
  const std::uint64_t first = random_.below(depth);
  const std::uint64_t second = random_.below(depth);
  const std::int32_t distance = 1 + static_cast<std::int32_t>(std::min(first, second));
  return walk.ticks.price_of(market::Level{side == Side::buy ? walk.mid - distance : walk.mid + distance});
}

Price OrderFlow::crossing_price(const Walk& walk, Side side) {
  return walk.ticks.price_of(market::Level{side == Side::buy ? walk.mid + config_.reach : walk.mid - config_.reach});
}

}  // namespace dojima::flow
