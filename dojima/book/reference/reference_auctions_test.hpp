#pragma once

// The auctions of the naive order book: every price is tried.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dojima/book/reference/reference_matching_test.hpp"

namespace dojima::book::testing {

class ReferenceAuctions : public ReferenceMatching {
 public:
  using ReferenceMatching::ReferenceMatching;

 protected:
  static bool meets(const Order& order, std::int64_t price) {
    if (order.spot == Spot::unlimited) return true;
    if (order.spot != Spot::lit && order.spot != Spot::hidden) return false;
    return is_buy(order) ? order.terms.limit.units >= price : order.terms.limit.units <= price;
  }

  Outcome at(std::int64_t price) const {
    std::int64_t demand = 0, supply = 0;
    for (const Order& order : orders_)
      if (meets(order, price)) (is_buy(order) ? demand : supply) += order.leaves();
    return {price, std::min(demand, supply), demand - supply};
  }

  /// Every price is tried.
  Outcome auction() const {
    const auto reference = reference_ ? reference_ : last_;
    std::set<std::int64_t> limits;
    for (const Order& order : orders_)
      if (order.spot == Spot::lit || order.spot == Spot::hidden) limits.insert(order.terms.limit.units);
    if (limits.empty() && !reference) return {};
    std::vector<Outcome> good;
    const std::int64_t first = limits.empty() ? rules_.lowest : *limits.begin();
    const std::int64_t last = limits.empty() ? rules_.highest : *limits.rbegin();
    const auto rank = [](const Outcome& each) { return std::pair(-each.volume, std::abs(each.surplus)); };
    for (std::int64_t price = first; price <= last; price += rules_.tick) {
      const Outcome here = at(price);
      if (!good.empty() && rank(here) > rank(good.front())) continue;
      if (!good.empty() && rank(here) < rank(good.front())) good.clear();
      good.push_back(here);
    }
    if (good.front().volume == 0) return {};
    const auto is_buy_left = [](const Outcome& each) { return each.surplus > 0; };
    const auto is_sell_left = [](const Outcome& each) { return each.surplus < 0; };
    if (!limits.empty() && std::all_of(good.begin(), good.end(), is_buy_left)) return good.back();
    if (!limits.empty() && std::all_of(good.begin(), good.end(), is_sell_left)) return good.front();
    if (!reference) return good[good.size() / 2];
    const auto distance = [&](const Outcome& each) {
      return std::pair(std::abs(each.price - *reference), -each.price);
    };
    return *std::min_element(good.begin(), good.end(),
                             [&](const Outcome& one, const Outcome& other) { return distance(one) < distance(other); });
  }

  void uncross() {
    Outcome outcome = auction();
    const auto price = outcome.volume != 0 ? std::optional(outcome.price) : std::nullopt;
    if (price) outcome.volume = cross(*price);
    say(Kind::uncrossed, outcome);
    if (phase_ == Phase::closing_call) closing_ = price;
    end_collected(price);
    is_collected_ = false;
    published_ = {};
  }

  /// The orders of a side that trade at a price, the first one first.
  std::vector<std::uint64_t> line(Side side, std::optional<std::int64_t> price) const {
    std::vector<const Order*> found;
    for (const Order& order : orders_)
      if (order.terms.side == side &&
          (price ? meets(order, *price)
                 : order.spot == Spot::unlimited || order.spot == Spot::lit || order.spot == Spot::hidden))
        found.push_back(&order);
    std::sort(found.begin(), found.end(), [&](const Order* one, const Order* other) {
      const bool first = one->spot == Spot::unlimited, second = other->spot == Spot::unlimited;
      if (first != second) return first;
      if (!first && one->terms.limit != other->terms.limit)
        return is_better(side, one->terms.limit.units, other->terms.limit.units);
      if (one->spot != other->spot) return one->spot < other->spot;
      return one->arrival < other->arrival;
    });
    std::vector<std::uint64_t> ids;
    for (const Order* order : found) ids.push_back(order->id);
    return ids;
  }

  std::int64_t cross(std::int64_t price) {
    std::int64_t volume = 0;
    std::vector<std::uint64_t> last;
    for (;;) {
      const auto buyers = line(Side::buy, price), sellers = line(Side::sell, price);
      if (buyers.empty() || sellers.empty()) break;
      Order &buyer = *find(buyers.front()), &seller = *find(sellers.front());
      const std::int64_t lots = std::min(buyer.leaves(), seller.leaves());
      for (Order* order : {&buyer, &seller}) {
        order->executed += lots;
        order->shown = std::max(order->shown - lots, std::int64_t{0});
      }
      last = {buyer.id, seller.id};
      say(Kind::traded, buyer, lots, market::k_auction);
      reports_.back().price = {price};
      reports_.back().other = {seller.id};
      volume += lots;
      const std::vector<std::uint64_t> linked{unlink(buyer), unlink(seller)};
      for (const std::uint64_t id : last)
        if (find(id)->leaves() == 0) remove(id);
      for (const std::uint64_t id : linked)
        if (id != 0) end(*find(id), Kind::cancelled, Reason::linked_executed);
    }
    if (volume == 0) return 0;
    last_ = price;
    trades_.insert(price);
    follow(price);
    for (const std::uint64_t id : last) {
      Order* order = find(id);
      if (order == nullptr || order->spot != Spot::lit || order->shown != 0) continue;
      show(*order);
      say(Kind::replenished, *order, order->terms.quantity.lots);
    }
    return volume;
  }

  void end_collected(std::optional<std::int64_t> price) {
    for (const Side side : {Side::buy, Side::sell})
      for (const Spot spot : {Spot::unlimited, Spot::lit, Spot::hidden})
        for (const std::uint64_t id : line(side, std::nullopt)) {
          Order* order = find(id);
          if (order == nullptr || order->spot != spot) continue;
          if (spot != Spot::unlimited) {
            if (is_for_auctions(order->terms)) end(*order, Kind::expired, Reason::time_in_force);
          } else if (order->terms.type == Type::market_to_limit && !price) {
            end(*order, Kind::expired, Reason::no_price);
          } else if (order->terms.type == Type::market || !lasts(order->terms)) {
            end(*order, Kind::expired, Reason::time_in_force);
          } else {
            const std::int64_t above = (*price - rules_.lowest) % rules_.tick;
            order->spot = Spot::out;
            order->terms.type = Type::limit;
            order->terms.limit = {*price - above + (above != 0 && side == Side::sell ? rules_.tick : 0)};
            say(Kind::replaced, *order, order->terms.quantity.lots, market::k_lost_priority);
            rest(*order);
          }
        }
  }
};

}  // namespace dojima::book::testing
