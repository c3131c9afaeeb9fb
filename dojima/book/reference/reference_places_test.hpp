#pragma once

// Where orders of the naive order book rest and wait.

#include <algorithm>
#include <cstdint>
#include <set>

#include "dojima/book/reference/reference_checks_test.hpp"

namespace dojima::book::testing {

class ReferencePlaces : public ReferenceChecks {
 public:
  using ReferenceChecks::ReferenceChecks;

 protected:
  void rest(Order& order) {
    if (is_dark(order.terms)) {
      order.spot = Spot::dark;
      order.arrival = ++clock_;
      return say(Kind::added, order, order.terms.quantity.lots, market::k_hidden | market::k_dark);
    }
    const Spot spot = order.terms.displayed.lots == 0 ? Spot::hidden : Spot::lit;
    std::set<std::int64_t> levels;
    for (const Order& each : orders_)
      if (each.spot == spot && each.terms.side == order.terms.side) levels.insert(each.terms.limit.units);
    if (!levels.contains(order.terms.limit.units) &&
        levels.size() >= (spot == Spot::lit ? rules_.levels : rules_.hidden_levels))
      return end(order, Kind::expired, Reason::levels_full);
    order.spot = spot;
    order.arrival = ++clock_;
    if (spot == Spot::lit) show(order);
    say(Kind::added, order, order.terms.quantity.lots, spot == Spot::lit ? 0 : market::k_hidden);
  }

  /// Shows the next peak, at the back of the level.
  void show(Order& order) {
    order.arrival = ++clock_;
    order.shown = std::min(order.terms.displayed.lots, order.leaves());
    if (order.shown < order.leaves() && order.terms.sub_type == market::OrderSubType::random_peak)
      order.shown -= static_cast<std::int64_t>(draw() % (static_cast<std::uint64_t>(order.shown) / 2 + 1));
  }

  std::uint64_t draw() {  // splitmix64
    random_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t mixed = random_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }

  void park(Order& order) {
    const bool is_trailing = order.terms.type == Type::trailing_stop;
    order.spot = is_trailing ? Spot::trailing : Spot::stop;
    order.arrival = ++clock_;
    say(Kind::parked, order, order.terms.quantity.lots);
    reports_.back().price = {is_trailing ? order.trigger : order.terms.stop.units};
  }

  void follow(std::int64_t price) {
    for (Order& order : orders_) {
      if (order.spot != Spot::trailing || order.is_fired) continue;
      order.is_fired = is_buy(order) ? price >= order.trigger : price <= order.trigger;
      order.trigger = is_buy(order) ? std::min(order.trigger, price + order.terms.stop.units)
                                    : std::max(order.trigger, price - order.terms.stop.units);
    }
  }

  void wait(Order& order) {
    order.spot = Spot::waiting;
    order.arrival = ++clock_;
    say(Kind::parked, order, order.terms.quantity.lots);
  }

  void collect(Order& order) {
    if (is_offset(order.terms)) {
      const auto price = offset_price(order.terms);
      if (!price) return end(order, Kind::expired, reference_ || last_ ? Reason::price_out_of_range : Reason::no_price);
      order.terms.limit = {*price};
    }
    if (has_limit(order.terms) || is_dark(order.terms)) return rest(order);
    order.spot = Spot::unlimited;
    order.arrival = ++clock_;
    say(Kind::added, order, order.terms.quantity.lots, market::k_auction);
  }
};

}  // namespace dojima::book::testing
