#pragma once

// How orders trade in the naive order book while trading is continuous: what faces an order is sorted anew for every
// trade.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "dojima/book/reference/reference_places_test.hpp"

namespace dojima::book::testing {

class ReferenceMatching : public ReferencePlaces {
 public:
  using ReferencePlaces::ReferencePlaces;

 protected:
  std::optional<std::int64_t> touch(Side side) const {
    std::optional<std::int64_t> best;
    for (const Order& order : orders_)
      if (order.spot == Spot::lit && order.terms.side == side &&
          (!best || is_better(side, order.terms.limit.units, *best)))
        best = order.terms.limit.units;
    return best;
  }

  /// Where an order trades now: as a limit of an order that enters, as a price of one that rests.
  std::optional<std::int64_t> price_of(const Order& order) const {
    if (!is_pegged(order.terms)) return order.terms.limit.units;
    if (!middle_) return std::nullopt;
    const std::int64_t price = *middle_ + (is_buy(order) ? 1 : -1) * order.terms.stop.units;
    if (!has_limit(order.terms)) return price;
    return is_buy(order) ? std::min(price, order.terms.limit.units) : std::max(price, order.terms.limit.units);
  }

  void look_at_middle() {
    const auto bid = touch(Side::buy), ask = touch(Side::sell);
    middle_ = bid && ask ? std::optional((*bid + *ask) / 2) : std::nullopt;
  }

  /// All orders that rest on the other side within the order's limit, the first to trade first.
  std::vector<Order*> facing(const Order& taker) {
    std::vector<Order*> found;
    const bool is_unlimited = !has_limit(taker.terms) && !is_pegged(taker.terms);
    const auto limit = price_of(taker);
    if (!is_unlimited && !limit) return found;
    for (Order& order : orders_) {
      if (!rests(order) || order.terms.side == taker.terms.side) continue;
      const auto price = price_of(order);
      if (!price) continue;
      if (is_unlimited || *price == *limit || is_better(order.terms.side, *price, *limit)) found.push_back(&order);
    }
    const bool is_by_size = rules_.book.policy == Policy::size_time;
    std::sort(found.begin(), found.end(), [&](const Order* one, const Order* other) {
      const auto first = *price_of(*one), second = *price_of(*other);
      if (first != second) return is_better(one->terms.side, first, second);
      if (one->spot != other->spot) return one->spot < other->spot;
      if (is_by_size && one->spot == Spot::lit && one->shown != other->shown) return one->shown > other->shown;
      return one->arrival < other->arrival;
    });
    return found;
  }

  static std::int64_t at_once(const Order& maker) { return maker.spot == Spot::lit ? maker.shown : maker.leaves(); }

  static bool fits(const Order& taker, const Order& maker, std::int64_t left) {
    if (maker.spot == Spot::dark) {
      const std::int64_t least =
          is_whole(maker.terms) ? maker.leaves() : std::min(maker.terms.minimum.lots, maker.leaves());
      if (std::min(left, maker.leaves()) < least) return false;
    }
    return std::min(left, at_once(maker)) >= std::min(taker.terms.minimum.lots, left);
  }

  [[nodiscard]] bool have_one_account(std::size_t first, std::size_t second) const {
    const auto& accounts = rules_.book.accounts;
    return std::max(first, second) < accounts.size() && accounts[first] == accounts[second];
  }

  bool is_own(const Order& one, const Order& other) const {
    if (rules_.book.self_trade == SelfTrade::allowed) return false;
    const std::size_t first = one.terms.owner, second = other.terms.owner;
    switch (rules_.book.scope) {
      case SelfTradeScope::owner:
        return first == second;
      case SelfTradeScope::account:
        return first == second || have_one_account(first, second);
      case SelfTradeScope::group:
        return first == second && one.terms.group != 0 && one.terms.group == other.terms.group;
    }
    return false;
  }

  std::int64_t can_trade(const Order& taker) {
    const bool skips_own = rules_.book.self_trade == SelfTrade::cancel_oldest;
    std::int64_t sum = 0, before = 0;
    std::optional<std::int64_t> at;
    for (const Order* maker : facing(taker)) {
      if (at != price_of(*maker)) {
        if (sum == taker.leaves()) return sum;
        at = price_of(*maker);
        before = sum;
      }
      const std::int64_t left = taker.leaves() - sum;
      if (is_own(taker, *maker)) {
        if (!skips_own) return before;
      } else if (left > 0 && fits(taker, *maker, left)) {
        sum += std::min(left, maker->leaves());
      }
    }
    return sum;
  }

  bool is_passive_enough(const Order& order, int rule) const {
    const auto opposite = touch(is_buy(order) ? Side::sell : Side::buy);
    const std::int64_t limit = order.terms.limit.units;
    if (opposite && (limit == *opposite || is_better(order.terms.side, limit, *opposite))) return false;
    std::set<std::int64_t> better;
    bool joins = false;
    for (const Order& each : orders_) {
      if (each.spot != Spot::lit || each.terms.side != order.terms.side) continue;
      joins = joins || each.terms.limit.units == limit;
      if (is_better(order.terms.side, each.terms.limit.units, limit)) better.insert(each.terms.limit.units);
    }
    if (rule == 99) return true;
    if (rule == 100) return better.empty() && !joins;
    return static_cast<int>(better.size()) < rule;
  }

  void enter(Order& order, int passive) {
    if (phase_ != Phase::continuous) return collect(order);
    look_at_middle();
    if (order.terms.type == Type::market_to_limit) {
      const auto price = touch(is_buy(order) ? Side::sell : Side::buy);
      if (!price) return end(order, Kind::expired, Reason::no_price);
      order.terms.type = Type::limit;
      order.terms.limit = {*price};
    }
    if (passive != 0 && !is_passive_enough(order, passive)) return end(order, Kind::expired, Reason::passive_only);
    const bool is_all = order.terms.time_in_force == market::TimeInForce::fill_or_kill || is_whole(order.terms);
    if (!is_all || can_trade(order) == order.leaves())
      if (!match(order)) return;
    if (order.leaves() == 0) return remove(order.id);
    if ((order.terms.type == Type::limit || is_pegged(order.terms)) && lasts(order.terms)) return rest(order);
    end(order, Kind::expired, Reason::time_in_force);
  }

  /// False: it ended.
  bool match(Order& taker) {
    while (taker.leaves() > 0) {
      const std::vector<Order*> all = facing(taker);
      const auto first =
          std::find_if(all.begin(), all.end(), [&](const Order* maker) { return fits(taker, *maker, taker.leaves()); });
      if (first == all.end()) return true;
      Order& maker = **first;
      const bool is_shared = rules_.book.policy == Policy::pro_rata || rules_.book.policy == Policy::top_pro_rata;
      if (is_shared && maker.spot == Spot::lit) {
        std::vector<Order*> level;
        for (Order* each : all)
          if (each->spot == Spot::lit && each->terms.limit == maker.terms.limit) level.push_back(each);
        const auto own =
            std::find_if(level.begin(), level.end(), [&](const Order* each) { return is_own(taker, *each); });
        if (own == level.end())
          share(taker, level);
        else if (!prevent(taker, **own))
          return false;
      } else if (is_own(taker, maker)) {
        if (!prevent(taker, maker)) return false;
      } else {
        trade(taker, maker, std::min(taker.leaves(), at_once(maker)));
      }
    }
    return true;
  }

  void share(Order& taker, std::vector<Order*> level) {
    if (rules_.book.policy == Policy::top_pro_rata) {
      const std::uint64_t top = level.front()->id;
      trade(taker, *level.front(), std::min(taker.leaves(), level.front()->shown));
      level.erase(level.begin());
      if (Order* again = find(top); again != nullptr) level.push_back(again);
      if (taker.leaves() == 0 || level.empty()) return;
    }
    std::int64_t shown = 0, given = 0;
    for (const Order* each : level) shown += each->shown;
    const std::int64_t wanted = std::min(taker.leaves(), shown);
    std::vector<std::int64_t> shares;
    for (const Order* each : level) {
      __extension__ using Wide = __int128;
      shares.push_back(static_cast<std::int64_t>(static_cast<Wide>(wanted) * each->shown / shown));
      given += shares.back();
    }
    for (std::size_t at = 0; at < level.size(); ++at) {
      const std::int64_t more = std::min(wanted - given, level[at]->shown - shares[at]);
      given += more;
      if (shares[at] + more > 0) trade(taker, *level[at], shares[at] + more);
    }
  }

  void trade(Order& taker, Order& maker, std::int64_t lots) {
    const std::int64_t price = *price_of(maker);
    taker.executed += lots;
    maker.executed += lots;
    maker.shown -= maker.spot == Spot::lit ? lots : 0;
    say(Kind::traded, maker, lots, maker.spot == Spot::lit ? 0 : market::k_hidden);
    reports_.back().price = {price};
    reports_.back().other = {taker.id};
    last_ = price;
    trades_.insert(price);
    follow(price);
    const std::uint64_t ours = unlink(maker), theirs = unlink(taker);
    if (maker.leaves() == 0) {
      remove(maker.id);
    } else if (maker.spot == Spot::lit && maker.shown == 0) {
      show(maker);
      say(Kind::replenished, maker, maker.terms.quantity.lots);
    }
    for (const std::uint64_t linked : {ours, theirs})
      if (linked != 0) end(*find(linked), Kind::cancelled, Reason::linked_executed);
  }

  bool prevent(Order& taker, Order& maker) {
    const std::int64_t ours = taker.leaves(), theirs = maker.leaves();
    switch (rules_.book.self_trade) {
      case SelfTrade::allowed:
        break;
      case SelfTrade::cancel_newest:
        end(taker, Kind::expired, Reason::self_trade);
        return false;
      case SelfTrade::cancel_oldest:
        end(maker, Kind::expired, Reason::self_trade);
        return true;
      case SelfTrade::cancel_both:
        end(maker, Kind::expired, Reason::self_trade);
        end(taker, Kind::expired, Reason::self_trade);
        return false;
      case SelfTrade::decrement:
        if (theirs <= ours) end(maker, Kind::expired, Reason::self_trade);
        if (theirs > ours) reduce(maker, taker.id, ours);
        if (ours > theirs) reduce(taker, maker_id_, theirs);
        if (ours <= theirs) end(taker, Kind::expired, Reason::self_trade);
        return ours > theirs;
    }
    return true;
  }

  void reduce(Order& order, std::uint64_t other, std::int64_t lots) {
    order.terms.quantity.lots -= lots;
    order.terms.displayed = std::min(order.terms.displayed, order.terms.quantity);
    order.terms.minimum = std::min(order.terms.minimum, order.terms.quantity);
    order.shown = std::min(order.shown, order.leaves());
    say(Kind::reduced, order, lots, order.spot == Spot::out ? 0 : market::k_was_resting);
    reports_.back().other = {other};
  }

  // ---- What waits --------------------------------------------------------------------------------------------------

  void wait_or_go(Order& order) {
    const bool is_reached = phase_ == Phase::continuous && last_ &&
                            (is_buy(order) ? *last_ >= order.terms.stop.units : *last_ <= order.terms.stop.units);
    is_reached ? go(order, 0) : park(order);
  }

  void go(Order& order, std::uint8_t flags) {
    order.spot = Spot::out;
    const bool was_stop = is_stop(order.terms) || order.terms.type == Type::trailing_stop;
    if (was_stop) order.terms.type = order.terms.type == Type::stop_limit ? Type::limit : Type::market;
    say(Kind::triggered, order, order.terms.quantity.lots, flags);
    if (was_stop)
      if (const std::uint64_t linked = unlink(order); linked != 0)
        end(*find(linked), Kind::cancelled, Reason::linked_executed);
    enter(order, 0);
  }

  Order* next_stop() {
    Order* best = nullptr;
    const auto rank = [](const Order& order) {
      const int group = order.spot == Spot::trailing ? 2 : is_buy(order) ? 0 : 1;
      const std::int64_t price = group == 0 ? order.terms.stop.units : group == 1 ? -order.terms.stop.units : 0;
      return std::tuple(group, price, order.arrival);
    };
    for (Order& order : orders_) {
      bool is_reached = order.spot == Spot::trailing && order.is_fired;
      if (order.spot == Spot::stop && !trades_.empty())
        is_reached =
            is_buy(order) ? *trades_.rbegin() >= order.terms.stop.units : *trades_.begin() <= order.terms.stop.units;
      if (is_reached && (best == nullptr || rank(order) < rank(*best))) best = &order;
    }
    return best;
  }

  Order* next_awake() {
    look_at_middle();
    Order* best = nullptr;
    for (Order& order : orders_) {
      if (order.spot != Spot::dark || (best != nullptr && best->arrival < order.arrival)) continue;
      const std::int64_t lots = can_trade(order);
      if (is_whole(order.terms) ? lots == order.leaves() : lots > 0) best = &order;
    }
    return best;
  }
};

}  // namespace dojima::book::testing
