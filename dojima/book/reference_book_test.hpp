#pragma once

// A naive order book: lists in maps, everything by the letter of docs/book.md, nothing shared with the real one but the
// records. Slow and meant to be obviously right. What the real book says must be this, byte for byte.

#include <deque>
#include <list>
#include <map>
#include <vector>

#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book::testing {

class ReferenceBook {
 public:
  struct Rules {
    std::uint32_t instrument;
    std::int64_t tick, lowest, highest;  // prices
    std::int64_t largest;                // order
    std::size_t orders, levels;
  };

  explicit ReferenceBook(const Rules& rules) : rules_(rules), generations_(rules.orders, 0) {
    for (std::size_t slot = 0; slot < rules.orders; ++slot) free_.push_back(slot);
  }

  using Reports = std::vector<market::BookReport>;

  Reports apply(std::uint64_t sequence, const market::NewOrder& command) {
    begin(sequence);
    const market::OrderTerms& terms = command.terms;
    const bool is_limit = terms.type == market::OrderType::limit;
    const market::Reason reason = check(terms);
    if (reason != market::Reason::none) return refuse({}, terms.side, reason, 0);
    const std::size_t slot = free_.front();
    free_.pop_front();
    generations_[slot] += 1;
    Order order{.id = 1ULL << 60 | generations_[slot] << 32 | slot,
                .side = terms.side,
                .price = is_limit ? terms.limit.units : 0,
                .total = terms.quantity.lots,
                .owner = command.header.user};
    say(market::BookReportKind::accepted, order, order.total);
    enter(order, is_limit, terms.time_in_force);
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Replace& command) {
    begin(sequence);
    const auto refused = [&](market::Reason reason) {
      return refuse(command.order, command.side, reason, market::k_replacement);
    };
    Order* found = find(command.order.value);
    if (found == nullptr) return refused(market::Reason::unknown_order);
    if (found->owner != command.header.user) return refused(market::Reason::not_owner);
    if (found->side != command.side) return refused(market::Reason::side_mismatch);
    if (command.offset_bp != 0 || command.minimum.lots != 0) return refused(market::Reason::not_supported);
    const std::int64_t total = command.quantity.lots;
    if (total <= 0 || total > rules_.largest) return refused(market::Reason::quantity_out_of_range);
    if (total <= found->executed) return refused(market::Reason::quantity_already_executed);
    if (command.displayed.lots > total || command.displayed.lots < total - found->executed)
      return refused(market::Reason::display_not_allowed);
    const std::int64_t price = command.limit.units;
    if (const auto reason = check_price(price); reason != market::Reason::none) return refused(reason);
    if (price == found->price && total <= found->total) {
      found->total = total;
      say(market::BookReportKind::replaced, *found, total);
      return reports_;
    }
    if (price != found->price) {
      if (command.passive != 0) return refused(market::Reason::not_supported);
      // Tried on a copy: take the order out, see whether its rest would find a level.
      ReferenceBook trial = *this;
      trial.take_out(found->id);
      if (!trial.has_level(found->side, price, total - found->executed)) return refused(market::Reason::levels_full);
    }
    Order order = take_out(found->id);
    order.price = price;
    order.total = total;
    say(market::BookReportKind::replaced, order, total, market::k_lost_priority);
    enter(order, true, market::TimeInForce::day);
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Cancel& command) {
    begin(sequence);
    const Order* found = find(command.order.value);
    market::Reason reason = market::Reason::none;
    if (found == nullptr)
      reason = market::Reason::unknown_order;
    else if (found->owner != command.header.user)
      reason = market::Reason::not_owner;
    else if (found->side != command.side)
      reason = market::Reason::side_mismatch;
    if (reason != market::Reason::none) return refuse(command.order, command.side, reason, market::k_replacement);
    const Order order = take_out(found->id);
    end(order, market::BookReportKind::cancelled, market::Reason::by_owner, market::k_was_resting);
    return reports_;
  }

 private:
  struct Order {
    std::uint64_t id;
    market::Side side;
    std::int64_t price;
    std::int64_t total;
    std::int64_t executed = 0;
    std::uint16_t owner;
  };
  using Levels = std::map<std::int64_t, std::list<Order>>;

  void begin(std::uint64_t sequence) {
    sequence_ = sequence;
    reports_.clear();
  }

  Levels& own(market::Side side) { return side == market::Side::buy ? bids_ : asks_; }
  Levels& other(market::Side side) { return side == market::Side::buy ? asks_ : bids_; }

  [[nodiscard]] market::Reason check_price(std::int64_t price) const {
    if (price < rules_.lowest || price > rules_.highest) return market::Reason::price_out_of_range;
    if ((price - rules_.lowest) % rules_.tick != 0) return market::Reason::price_not_on_tick;
    return market::Reason::none;
  }

  market::Reason check(const market::OrderTerms& terms) {
    using market::Reason;
    using market::TimeInForce;
    const bool is_limit = terms.type == market::OrderType::limit;
    const auto time_in_force = terms.time_in_force;
    if (!is_limit && terms.type != market::OrderType::market) return Reason::not_supported;
    if (time_in_force != TimeInForce::day && time_in_force != TimeInForce::immediate_or_cancel &&
        time_in_force != TimeInForce::fill_or_kill)
      return Reason::not_supported;
    if (terms.side == market::Side::none) return Reason::not_supported;
    if (terms.sub_type != market::OrderSubType::plain || terms.passive != 0 || terms.offset_bp != 0 ||
        terms.minimum.lots != 0)
      return Reason::not_supported;
    if (terms.quantity.lots <= 0 || terms.quantity.lots > rules_.largest) return Reason::quantity_out_of_range;
    if (terms.displayed.lots < 0 || terms.displayed.lots > terms.quantity.lots) return Reason::display_not_allowed;
    if (terms.displayed.lots != terms.quantity.lots) return Reason::not_supported;
    if (is_limit)
      if (const Reason reason = check_price(terms.limit.units); reason != Reason::none) return reason;
    if (free_.empty()) return Reason::order_table_full;
    if (is_limit && time_in_force == TimeInForce::day && !has_level(terms.side, terms.limit.units, terms.quantity.lots))
      return Reason::levels_full;
    return Reason::none;
  }

  bool has_level(market::Side side, std::int64_t price, std::int64_t lots) {
    if (own(side).contains(price) || own(side).size() < rules_.levels) return true;
    return can_trade(side, true, price) >= lots;
  }

  std::int64_t can_trade(market::Side side, bool is_limit, std::int64_t limit) {
    std::int64_t lots = 0;
    for (const auto& [price, orders] : other(side))
      if (!is_limit || (side == market::Side::buy ? price <= limit : price >= limit))
        for (const Order& order : orders) lots += order.total - order.executed;
    return lots;
  }

  void enter(Order order, bool is_limit, market::TimeInForce time_in_force) {
    Levels& opposite = other(order.side);
    const bool is_killed = time_in_force == market::TimeInForce::fill_or_kill &&
                           can_trade(order.side, is_limit, order.price) < order.total - order.executed;
    while (!is_killed && order.executed < order.total && !opposite.empty()) {
      const auto level = order.side == market::Side::buy ? opposite.begin() : std::prev(opposite.end());
      if (is_limit && (order.side == market::Side::buy ? level->first > order.price : level->first < order.price))
        break;
      Order& resting = level->second.front();
      const std::int64_t lots = std::min(order.total - order.executed, resting.total - resting.executed);
      order.executed += lots;
      resting.executed += lots;
      say(market::BookReportKind::traded, resting, lots);
      reports_.back().other = {order.id};
      if (resting.executed < resting.total) continue;
      release(resting.id);
      level->second.pop_front();
      if (level->second.empty()) opposite.erase(level);
    }
    if (order.executed == order.total) return release(order.id);
    if (!is_limit || time_in_force != market::TimeInForce::day)
      return end(order, market::BookReportKind::expired, market::Reason::time_in_force, 0);
    own(order.side)[order.price].push_back(order);
    say(market::BookReportKind::added, order, order.total);
  }

  Order* find(std::uint64_t id) {
    for (Levels* side : {&bids_, &asks_})
      for (auto& [price, orders] : *side)
        for (Order& order : orders)
          if (order.id == id) return &order;
    return nullptr;
  }

  Order take_out(std::uint64_t id) {
    const Order order = *find(id);
    std::list<Order>& level = own(order.side)[order.price];
    level.remove_if([id](const Order& each) { return each.id == id; });
    if (level.empty()) own(order.side).erase(order.price);
    return order;
  }

  void release(std::uint64_t id) { free_.push_back(id & 0xffffffff); }

  void say(market::BookReportKind kind, const Order& order, std::int64_t lots, std::uint8_t flags = 0) {
    const std::int64_t leaves = order.total - order.executed;
    reports_.push_back({.sequence = {sequence_},
                        .order = {order.id},
                        .price = {order.price},
                        .quantity = {lots},
                        .leaves = {leaves},
                        .displayed = {leaves},
                        .instrument = rules_.instrument,
                        .kind = kind,
                        .side = order.side,
                        .flags = flags});
  }

  void end(const Order& order, market::BookReportKind kind, market::Reason reason, std::uint8_t flags) {
    say(kind, order, order.total - order.executed, flags);
    reports_.back().leaves = reports_.back().displayed = {};
    reports_.back().reason = reason;
    release(order.id);
  }

  Reports refuse(market::OrderId order, market::Side side, market::Reason reason, std::uint8_t flags) {
    reports_.push_back({.sequence = {sequence_},
                        .order = order,
                        .instrument = rules_.instrument,
                        .kind = market::BookReportKind::rejected,
                        .side = side,
                        .reason = reason,
                        .flags = flags});
    return reports_;
  }

  Rules rules_;
  std::uint64_t sequence_ = 0;
  Reports reports_;
  Levels bids_, asks_;
  std::deque<std::size_t> free_;
  std::vector<std::uint64_t> generations_;
};

}  // namespace dojima::book::testing
