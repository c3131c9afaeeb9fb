#pragma once

// A naive order book: one bag of orders, sorted anew for every step, everything by the letter of docs/book.md and
// docs/auctions.md (every price of an auction is tried), nothing shared with the real one but the records. Slow and
// meant to be obviously right. What the real book says must be this, byte for byte.

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "dojima/book/rules.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/report.hpp"

namespace dojima::book::testing {

class ReferenceBook {
 public:
  struct Rules {
    std::uint32_t instrument;
    std::int64_t tick, lowest, highest;  // prices
    std::int64_t largest;                // order
    std::size_t orders, levels, hidden_levels, stop_levels;
    BookRules book;
  };
  using Reports = std::vector<market::BookReport>;
  using Kind = market::BookReportKind;
  using Reason = market::Reason;
  using Side = market::Side;
  using Type = market::OrderType;

  explicit ReferenceBook(const Rules& rules) : rules_(rules), random_(rules.book.seed), generations_(rules.orders, 0) {
    for (std::size_t slot = 0; slot < rules.orders; ++slot) free_.push_back(slot);
  }

  Reports apply(std::uint64_t sequence, const market::NewOrder& command) {
    begin(sequence);
    Order order;
    order.terms = command.terms;
    order.terms.owner = command.header.user;
    if (const Reason reason = check(command, order.terms); reason != Reason::none)
      return refuse({}, command.terms.side, reason, 0);
    const std::size_t slot = free_.front();
    free_.pop_front();
    generations_[slot] += 1;
    order.id = 1ULL << 60 | generations_[slot] << 32 | slot;
    order.born = ++clock_;
    order.linked = command.linked.value;
    if (order.linked != 0) find(order.linked)->linked = order.id;
    orders_.push_back(order);
    Order& mine = orders_.back();
    say(Kind::accepted, mine, mine.terms.quantity.lots);
    if (is_for_auctions(mine.terms) && !stands_in(mine.terms, phase_)) {
      wait(mine);
    } else if (mine.terms.type == Type::trailing_stop) {
      mine.trigger = *last_ + (is_buy(mine) ? 1 : -1) * mine.terms.stop.units;
      park(mine);
    } else if (is_stop(mine.terms)) {
      wait_or_go(mine);
    } else {
      enter(mine, mine.terms.passive);
    }
    settle();
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Replace& command) {
    begin(sequence);
    Order* found = find(command.order.value);
    const Reason reason = found == nullptr ? Reason::unknown_order : check(command, *found);
    if (reason != Reason::none) return refuse(command.order, command.side, reason, market::k_replacement);
    Order& order = *found;
    const market::OrderTerms changed = after(command, order);
    const bool is_repriced = changed.limit != order.terms.limit;
    if (keeps(changed, order)) {
      if (order.spot == Spot::lit) order.shown = std::min(order.shown, would_show(changed, order));
      order.terms = changed;
      say(Kind::replaced, order, changed.quantity.lots, waits(order) ? market::k_parked : 0);
    } else {
      const bool was_waiting = waits(order), waited_for_phase = order.spot == Spot::waiting;
      order.spot = Spot::out;
      order.terms = changed;
      say(Kind::replaced, order, changed.quantity.lots,
          static_cast<std::uint8_t>(market::k_lost_priority | (was_waiting ? market::k_parked : 0)));
      if (waited_for_phase)
        wait(order);
      else if (is_stop(order.terms))
        wait_or_go(order);
      else if (was_waiting)
        park(order);
      else
        enter(order, is_repriced ? command.passive : std::uint8_t{0});
    }
    settle();
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Cancel& command) {
    begin(sequence);
    Order* found = find(command.order.value);
    Reason reason = Reason::none;
    if (found == nullptr)
      reason = Reason::unknown_order;
    else if (found->terms.owner != command.header.user)
      reason = Reason::not_owner;
    else if (found->terms.side != command.side)
      reason = Reason::side_mismatch;
    if (reason != Reason::none) return refuse(command.order, command.side, reason, market::k_replacement);
    end(*found, Kind::cancelled, Reason::by_owner);
    settle();
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::MassCancel& command) {
    begin(sequence);
    end_all(Kind::cancelled, Reason::by_owner, [&](const market::OrderTerms& terms) {
      const bool is_meant = command.is_everyone || terms.owner == command.header.user ||
                            (command.is_account && have_one_account(terms.owner, command.header.user));
      return is_meant && (command.side == Side::none || terms.side == command.side) &&
             (command.group == 0 || terms.group == command.group);
    });
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::Expire& command) {
    begin(sequence);
    end_all(Kind::expired, Reason::time_expired, [&](const market::OrderTerms& terms) {
      if (is_timed(terms)) return terms.expiry <= command.header.time;
      return command.is_end_of_day && terms.time_in_force != market::TimeInForce::good_till_cancel;
    });
    return reports_;
  }

  Reports apply(std::uint64_t sequence, const market::PhaseChange& command) {
    begin(sequence);
    if (static_cast<int>(command.phase) > 7) return refuse({}, Side::none, Reason::not_supported, 0);
    const Phase before = phase_;
    if (before == Phase::closing_price_cross && command.phase != before) end_collected(closing_);
    const bool is_requested = is_call(before) && (command.phase == Phase::closing_price_cross || command.is_uncrossed);
    if (is_collected_ && (command.phase == Phase::continuous || is_requested)) uncross();
    phase_ = command.phase;
    reference_.reset();
    if (command.reference.units != 0) reference_ = command.reference.units;
    if (is_call(phase_) || phase_ == Phase::closing_price_cross) is_collected_ = true;
    if (!is_call(phase_)) published_ = {};
    if (phase_ == Phase::closing_price_cross) {
      if (!closing_) closing_ = reference_ ? reference_ : last_;
    } else if (!is_shut()) {
      closing_.reset();
    }
    if (phase_ == Phase::continuous && before != phase_ && last_) trades_.insert(*last_);
    reports_.push_back({.sequence = {sequence},
                        .price = command.reference,
                        .instrument = rules_.instrument,
                        .kind = Kind::phase_changed,
                        .flags = static_cast<std::uint8_t>(phase_)});
    std::map<std::uint64_t, std::uint64_t> joining;
    for (const Order& order : orders_)
      if (order.spot == Spot::waiting && stands_in(order.terms, phase_)) joining[order.arrival] = order.id;
    for (const auto& [arrival, id] : joining) {
      Order& order = *find(id);
      order.spot = Spot::out;
      say(Kind::triggered, order, order.terms.quantity.lots);
      collect(order);
    }
    settle();
    return reports_;
  }

 private:
  using Phase = market::Phase;
  enum class Spot { out, lit, hidden, dark, stop, trailing, waiting, unlimited };
  struct Order {
    std::uint64_t id = 0;
    market::OrderTerms terms;
    std::int64_t executed = 0;
    Spot spot = Spot::out;
    std::int64_t shown = 0;     // lit
    std::uint64_t arrival = 0;  // at its spot
    std::uint64_t born = 0;
    std::uint64_t linked = 0;
    std::int64_t trigger = 0;  // trailing
    bool is_fired = false;     // trailing
    [[nodiscard]] std::int64_t leaves() const { return terms.quantity.lots - executed; }
  };

  // ---- Words -------------------------------------------------------------------------------------------------------

  static bool is_buy(const Order& order) { return order.terms.side == Side::buy; }
  static bool waits(const Order& order) {
    return order.spot == Spot::stop || order.spot == Spot::trailing || order.spot == Spot::waiting;
  }
  static bool stands(const Order& order) { return order.spot != Spot::out && !waits(order); }
  static bool is_pegged(const market::OrderTerms& terms) { return terms.sub_type == market::OrderSubType::pegged; }
  static bool is_whole(const market::OrderTerms& terms) { return (terms.flags & market::k_all_or_none) != 0; }
  static bool is_dark(const market::OrderTerms& terms) {
    return is_pegged(terms) || is_whole(terms) || terms.minimum.lots != 0;
  }
  static bool is_stop(const market::OrderTerms& terms) {
    return terms.type == Type::stop || terms.type == Type::stop_limit;
  }
  static bool has_limit(const market::OrderTerms& terms) {
    return terms.type == Type::limit || terms.type == Type::stop_limit;
  }
  static bool is_timed(const market::OrderTerms& terms) {
    return terms.time_in_force == market::TimeInForce::good_till_date ||
           terms.time_in_force == market::TimeInForce::good_till_time;
  }
  static bool lasts(const market::OrderTerms& terms) {
    return terms.time_in_force == market::TimeInForce::day ||
           terms.time_in_force == market::TimeInForce::good_till_cancel || is_timed(terms);
  }
  static bool may_show(const market::OrderTerms& terms) {
    return (has_limit(terms) || terms.type == Type::market_to_limit) && (lasts(terms) || is_for_auctions(terms)) &&
           !is_dark(terms);
  }
  static bool is_offset(const market::OrderTerms& terms) { return terms.sub_type == market::OrderSubType::offset; }
  static bool is_call(Phase phase) {
    return phase == Phase::opening_call || phase == Phase::intraday_call || phase == Phase::reopening_call ||
           phase == Phase::closing_call;
  }
  bool is_shut() const { return phase_ == Phase::halted || phase_ == Phase::closed; }

  /// The phases in which an order for auctions alone stands in the book; others have none.
  static std::set<Phase> phases_of(const market::OrderTerms& terms) {
    switch (terms.time_in_force) {
      case market::TimeInForce::at_the_opening:
        return {Phase::opening_call};
      case market::TimeInForce::at_the_close:
        return {Phase::closing_call};
      case market::TimeInForce::closing_price_cross:
        return {Phase::closing_price_cross};
      case market::TimeInForce::good_for_intraday_auction:
        return {Phase::intraday_call};
      case market::TimeInForce::good_for_scheduled_auction:
        return {Phase::opening_call, Phase::intraday_call, Phase::closing_call};
      case market::TimeInForce::good_for_next_auction:
        return {Phase::opening_call, Phase::intraday_call, Phase::reopening_call, Phase::closing_call};
      default:
        return {};
    }
  }
  static bool is_for_auctions(const market::OrderTerms& terms) { return !phases_of(terms).empty(); }
  static bool stands_in(const market::OrderTerms& terms, Phase phase) { return phases_of(terms).contains(phase); }
  static std::int64_t would_show(const market::OrderTerms& terms, const Order& order) {
    return std::min(terms.displayed.lots, terms.quantity.lots - order.executed);
  }
  static bool is_better(Side side, std::int64_t one, std::int64_t other) {
    return side == Side::buy ? one > other : one < other;
  }

  // ---- Refusals ----------------------------------------------------------------------------------------------------

  bool is_too_small_a_peak(const market::OrderTerms& terms) const {
    return terms.displayed.lots > 0 && terms.quantity.lots > terms.displayed.lots * rules_.book.most_peaks;
  }

  Reason check_price(std::int64_t price) const {
    if (price < rules_.lowest || price > rules_.highest) return Reason::price_out_of_range;
    return (price - rules_.lowest) % rules_.tick == 0 ? Reason::none : Reason::price_not_on_tick;
  }

  Reason check(const market::NewOrder& command, market::OrderTerms& terms) {
    using market::OrderSubType;
    using market::TimeInForce;
    const auto is_in = [](auto value, auto... values) { return ((value == values) || ...); };
    if (!is_in(terms.type, Type::market, Type::limit, Type::stop, Type::stop_limit, Type::market_to_limit,
               Type::trailing_stop) ||
        !(lasts(terms) || is_for_auctions(terms) ||
          is_in(terms.time_in_force, TimeInForce::immediate_or_cancel, TimeInForce::fill_or_kill)) ||
        !is_in(terms.side, Side::buy, Side::sell) ||
        !is_in(terms.sub_type, OrderSubType::plain, OrderSubType::random_peak, OrderSubType::pegged,
               OrderSubType::offset) ||
        !is_in(int{terms.passive}, 0, 1, 2, 3, 99, 100) ||
        std::abs(std::int64_t{terms.offset_bp}) > (is_offset(terms) ? 10'000 : 0))
      return Reason::not_supported;
    if (is_for_auctions(terms) && !is_in(terms.type, Type::market, Type::limit, Type::market_to_limit))
      return Reason::not_supported;
    if (is_offset(terms) && (terms.type != Type::limit || terms.time_in_force != TimeInForce::at_the_close))
      return Reason::not_supported;
    const bool is_fifo = rules_.book.policy == Policy::fifo;
    if (is_dark(terms)) {
      if (!lasts(terms) || terms.passive != 0 || !is_fifo || terms.sub_type == OrderSubType::random_peak)
        return Reason::not_supported;
      if (terms.type != Type::limit && !(is_pegged(terms) && terms.type == Type::market)) return Reason::not_supported;
      if (is_whole(terms) && terms.minimum.lots != 0) return Reason::not_supported;
      if (is_pegged(terms) && rules_.tick % 2 != 0) return Reason::not_supported;
    }
    if (terms.sub_type == OrderSubType::random_peak &&
        !is_in(terms.type, Type::limit, Type::stop_limit, Type::market_to_limit))
      return Reason::not_supported;
    if (terms.passive != 0 && (terms.type != Type::limit || !lasts(terms))) return Reason::not_supported;
    if (terms.passive != 0 && terms.passive != 99 && terms.displayed.lots == 0) return Reason::not_supported;
    if (command.linked.value != 0 && (!is_fifo || !lasts(terms))) return Reason::not_supported;
    if (is_shut()) return Reason::book_closed;
    if (phase_ != Phase::continuous) {
      const bool is_at_once = is_in(terms.time_in_force, TimeInForce::immediate_or_cancel, TimeInForce::fill_or_kill);
      if (terms.passive != 0 || is_at_once) return Reason::wrong_phase;
    }
    if (terms.time_in_force == TimeInForce::at_the_opening && phase_ != Phase::opening_call) return Reason::wrong_phase;
    if (phase_ == Phase::closing_price_cross && is_for_auctions(terms) && !stands_in(terms, phase_))
      return Reason::wrong_phase;

    const std::int64_t lots = terms.quantity.lots;
    if (lots <= 0 || lots > rules_.largest) return Reason::quantity_out_of_range;
    if (terms.minimum.lots < 0 || terms.minimum.lots > lots) return Reason::quantity_out_of_range;
    if (terms.displayed.lots < 0 || terms.displayed.lots > lots) return Reason::display_not_allowed;
    if (!may_show(terms)) terms.displayed = terms.quantity;
    if (is_too_small_a_peak(terms)) return Reason::display_not_allowed;
    if (is_timed(terms) && terms.expiry <= command.header.time) return Reason::expiry_passed;
    if (!has_limit(terms)) terms.limit = {};
    const market::Price given = terms.limit;
    if (!is_stop(terms) && terms.type != Type::trailing_stop && !is_pegged(terms)) terms.stop = {};
    if (is_offset(terms)) {
      terms.stop = given;
      terms.limit = {};
    }
    if (const Reason reason = check_prices(terms); reason != Reason::none) return reason;
    if (command.linked.value != 0) {
      const Order* other = find(command.linked.value);
      if (other == nullptr || other->linked != 0 || other->terms.owner != terms.owner ||
          other->terms.side != terms.side)
        return Reason::linked_order;
    }
    if (free_.empty()) return Reason::order_table_full;
    return has_level(terms, nullptr) ? Reason::none : Reason::levels_full;
  }

  Reason check_prices(const market::OrderTerms& terms) const {
    const std::int64_t span = rules_.highest - rules_.lowest;
    if (is_offset(terms)) return terms.stop.units == 0 ? Reason::none : check_price(terms.stop.units);
    if (has_limit(terms))
      if (const Reason reason = check_price(terms.limit.units); reason != Reason::none) return reason;
    if (is_stop(terms)) return check_price(terms.stop.units);
    if (terms.type == Type::trailing_stop) {
      if (terms.stop.units <= 0 || terms.stop.units > span) return Reason::price_out_of_range;
      return last_ ? Reason::none : Reason::no_price;
    }
    if (is_pegged(terms) && (terms.stop.units > 0 || terms.stop.units < -span)) return Reason::price_out_of_range;
    return Reason::none;
  }

  Reason check(const market::Replace& command, const Order& order) {
    const market::OrderTerms& old = order.terms;
    const std::int64_t lots = command.quantity.lots, minimum = command.minimum.lots;
    if (old.owner != command.header.user) return Reason::not_owner;
    if (old.side != command.side) return Reason::side_mismatch;
    if (is_shut()) return Reason::book_closed;
    if (!is_pegged(old) && (minimum != 0) != (old.minimum.lots != 0)) return Reason::not_supported;
    if (std::abs(std::int64_t{command.offset_bp}) > (is_offset(old) ? 10'000 : 0)) return Reason::not_supported;
    if (is_whole(old) && minimum != 0) return Reason::not_supported;
    if (lots <= 0 || lots > rules_.largest) return Reason::quantity_out_of_range;
    if (lots <= order.executed) return Reason::quantity_already_executed;
    if (minimum < 0 || minimum > lots) return Reason::quantity_out_of_range;
    if (command.displayed.lots < 0 || command.displayed.lots > lots) return Reason::display_not_allowed;
    if (may_show(old) && old.displayed.lots > 0 && command.displayed.lots == 0) return Reason::display_not_allowed;
    const market::OrderTerms changed = after(command, order);
    if (is_too_small_a_peak(changed)) return Reason::display_not_allowed;
    if (is_timed(old) && command.expiry <= command.header.time) return Reason::expiry_passed;
    if (const Reason reason = check_prices(changed); reason != Reason::none) return reason;
    if (is_offset(old) && order.spot != Spot::waiting && changed.limit.units == 0) return Reason::price_out_of_range;
    if (changed.limit != old.limit && command.passive != 0) {
      const std::set<int> rules = changed.displayed.lots == 0 ? std::set{99} : std::set{1, 2, 3, 99, 100};
      if (!rules.contains(command.passive) || is_dark(changed) || changed.type != Type::limit || !lasts(changed))
        return Reason::not_supported;
      if (phase_ != Phase::continuous) return Reason::wrong_phase;
    }
    if (keeps(changed, order)) return Reason::none;
    return has_level(changed, &order) ? Reason::none : Reason::levels_full;
  }

  market::OrderTerms after(const market::Replace& command, const Order& order) const {
    market::OrderTerms terms = order.terms;
    terms.quantity = command.quantity;
    terms.displayed = may_show(terms) ? command.displayed : command.quantity;
    terms.minimum = command.minimum;
    if (has_limit(terms)) terms.limit = command.limit;
    if (is_stop(terms) && command.stop.units >= 0) terms.stop = command.stop;
    if (is_timed(terms)) terms.expiry = command.expiry;
    if (command.group != 0) terms.group = command.group;
    if (is_offset(terms)) {
      terms.offset_bp = command.offset_bp;
      terms.stop = command.limit;
      terms.limit = {order.spot == Spot::waiting ? 0 : offset_price(terms).value_or(0)};
    }
    return terms;
  }

  static bool keeps(const market::OrderTerms& terms, const Order& order) {
    const market::OrderTerms& old = order.terms;
    if (terms.limit != old.limit || terms.quantity > old.quantity) return false;
    if (terms.stop != old.stop && !is_offset(terms)) return false;
    return !may_show(old) || would_show(terms, order) <= would_show(old, order);
  }

  /// Whether the order would find a level where it comes to stand; `from` is what it is now, when it is replaced.
  bool has_level(const market::OrderTerms& terms, const Order* from) {
    Spot spot = Spot::lit;
    if (is_stop(terms))
      spot = Spot::stop;
    else if (terms.type != Type::limit || !(lasts(terms) || stands_in(terms, phase_)) || is_dark(terms) ||
             is_offset(terms))
      return true;
    else if (terms.displayed.lots == 0)
      spot = Spot::hidden;
    const auto price_at = [spot](const market::OrderTerms& of) { return spot == Spot::stop ? of.stop : of.limit; };
    std::multiset<std::int64_t> prices;
    for (const Order& order : orders_)
      if (order.spot == spot && order.terms.side == terms.side) prices.insert(price_at(order.terms).units);
    if (prices.contains(price_at(terms).units)) return true;
    if (from != nullptr && from->spot == spot) prices.erase(prices.find(price_at(from->terms).units));
    const std::set<std::int64_t> levels(prices.begin(), prices.end());
    const std::size_t most = spot == Spot::lit      ? rules_.levels
                             : spot == Spot::hidden ? rules_.hidden_levels
                                                    : rules_.stop_levels;
    if (levels.size() < most) return true;
    if (spot == Spot::stop || phase_ != Phase::continuous) return false;
    std::int64_t reachable = 0;
    for (const Order& order : orders_) {
      const bool is_facing = (order.spot == Spot::lit || order.spot == Spot::hidden) && order.terms.side != terms.side;
      if (is_facing && !is_better(terms.side, order.terms.limit.units, terms.limit.units)) reachable += order.leaves();
    }
    return reachable >= terms.quantity.lots - (from != nullptr ? from->executed : 0);
  }

  // ---- Matching ----------------------------------------------------------------------------------------------------

  std::optional<std::int64_t> touch(Side side) const {
    std::optional<std::int64_t> best;
    for (const Order& order : orders_)
      if (order.spot == Spot::lit && order.terms.side == side &&
          (!best || is_better(side, order.terms.limit.units, *best)))
        best = order.terms.limit.units;
    return best;
  }

  /// Where an order trades now: as a limit of an order that comes, as a price of one that stands.
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

  /// All orders that stand on the other side within the order's limit, the first to trade first.
  std::vector<Order*> facing(const Order& taker) {
    std::vector<Order*> found;
    const bool is_unlimited = !has_limit(taker.terms) && !is_pegged(taker.terms);
    const auto limit = price_of(taker);
    if (!is_unlimited && !limit) return found;
    for (Order& order : orders_) {
      if (!stands(order) || order.terms.side == taker.terms.side) continue;
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

  // ---- Places ------------------------------------------------------------------------------------------------------

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

  void wait_or_go(Order& order) {
    const bool is_reached = phase_ == Phase::continuous && last_ &&
                            (is_buy(order) ? *last_ >= order.terms.stop.units : *last_ <= order.terms.stop.units);
    is_reached ? go(order, 0) : park(order);
  }

  void park(Order& order) {
    const bool is_trailing = order.terms.type == Type::trailing_stop;
    order.spot = is_trailing ? Spot::trailing : Spot::stop;
    order.arrival = ++clock_;
    say(Kind::parked, order, order.terms.quantity.lots);
    reports_.back().price = {is_trailing ? order.trigger : order.terms.stop.units};
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

  void follow(std::int64_t price) {
    for (Order& order : orders_) {
      if (order.spot != Spot::trailing || order.is_fired) continue;
      order.is_fired = is_buy(order) ? price >= order.trigger : price <= order.trigger;
      order.trigger = is_buy(order) ? std::min(order.trigger, price + order.terms.stop.units)
                                    : std::max(order.trigger, price - order.terms.stop.units);
    }
  }

  void settle() {
    if (phase_ == Phase::closing_price_cross && closing_) static_cast<void>(cross(*closing_));
    if (is_call(phase_)) {
      const Outcome now = auction();
      if (now != published_) say(Kind::indicative, now);
      published_ = now;
    }
    if (phase_ != Phase::continuous) return;
    for (;;) {
      if (Order* stop = next_stop(); stop != nullptr) {
        go(*stop, 0);
        continue;
      }
      trades_.clear();
      Order* dark = next_awake();
      if (dark == nullptr) return;
      go(*dark, market::k_was_resting);
    }
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

  // ---- Phases ------------------------------------------------------------------------------------------------------

  /// `surplus` is to buy if positive, to sell if negative.
  struct Outcome {
    std::int64_t price = 0, volume = 0, surplus = 0;
    bool operator==(const Outcome&) const = default;
  };

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

  /// All prices that there are are tried, from the one that trades first.
  std::optional<std::int64_t> offset_price(const market::OrderTerms& terms) const {
    const auto reference = reference_ ? reference_ : last_;
    if (!reference) return std::nullopt;
    const bool buys = terms.side == Side::buy;
    const std::int64_t wanted = *reference * (10'000 + (buys ? 1 : -1) * terms.offset_bp);
    std::optional<std::int64_t> best;
    for (std::int64_t price = rules_.lowest; price <= rules_.highest; price += rules_.tick) {
      if (buys && price * 10'000 <= wanted) best = price;
      if (!buys && price * 10'000 >= wanted && !best) best = price;
    }
    const std::int64_t given = terms.stop.units;
    if (!best || given == 0) return best;
    return buys ? std::min(*best, given) : std::max(*best, given);
  }

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

  void say(Kind kind, const Outcome& outcome) {
    const bool is_some = outcome.volume != 0;
    reports_.push_back({.sequence = {sequence_},
                        .price = {is_some ? outcome.price : 0},
                        .quantity = {outcome.volume},
                        .leaves = {is_some ? std::abs(outcome.surplus) : 0},
                        .instrument = rules_.instrument,
                        .kind = kind,
                        .side = !is_some || outcome.surplus == 0 ? Side::none
                                : outcome.surplus > 0            ? Side::buy
                                                                 : Side::sell});
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

  // ---- Ends --------------------------------------------------------------------------------------------------------

  template <class Fits>
  void end_all(Kind kind, Reason reason, Fits does_fit) {
    std::vector<std::tuple<std::uint16_t, std::uint64_t, std::uint64_t>> ending;
    for (const Order& order : orders_)
      if (does_fit(order.terms)) ending.emplace_back(order.terms.owner, order.born, order.id);
    std::sort(ending.begin(), ending.end());
    for (const auto& [owner, born, id] : ending) end(*find(id), kind, reason);
    settle();
  }

  std::uint64_t unlink(Order& order) {
    const std::uint64_t other = order.linked;
    if (other != 0) find(other)->linked = 0;
    order.linked = 0;
    return other;
  }

  void end(Order& order, Kind kind, Reason reason) {
    const bool stood = stands(order);
    maker_id_ = order.id;
    say(kind, order, order.leaves(), stood ? market::k_was_resting : 0);
    reports_.back().leaves = reports_.back().displayed = {};
    reports_.back().reason = reason;
    remove(order.id);
  }

  void remove(std::uint64_t id) {
    Order& order = *find(id);
    unlink(order);
    orders_.remove_if([id](const Order& each) { return each.id == id; });
    free_.push_back(id & 0xffffffff);
  }

  Order* find(std::uint64_t id) {
    for (Order& order : orders_)
      if (order.id == id) return &order;
    return nullptr;
  }

  // ---- Reports -----------------------------------------------------------------------------------------------------

  void begin(std::uint64_t sequence) {
    sequence_ = sequence;
    reports_.clear();
  }

  static std::int64_t visible(const Order& order) {
    if (order.spot == Spot::lit) return order.shown;
    if (order.spot != Spot::out || is_dark(order.terms) || is_stop(order.terms) ||
        order.terms.type == Type::trailing_stop)
      return 0;
    return would_show(order.terms, order);
  }

  void say(Kind kind, const Order& order, std::int64_t lots, std::uint8_t flags = 0) {
    reports_.push_back({.sequence = {sequence_},
                        .order = {order.id},
                        .price = order.terms.limit,
                        .quantity = {lots},
                        .leaves = {order.leaves()},
                        .displayed = {visible(order)},
                        .instrument = rules_.instrument,
                        .kind = kind,
                        .side = order.terms.side,
                        .flags = flags});
  }

  Reports refuse(market::OrderId order, Side side, Reason reason, std::uint8_t flags) {
    reports_.push_back({.sequence = {sequence_},
                        .order = order,
                        .instrument = rules_.instrument,
                        .kind = Kind::rejected,
                        .side = side,
                        .reason = reason,
                        .flags = flags});
    return reports_;
  }

  Rules rules_;
  std::uint64_t sequence_ = 0;
  Reports reports_;
  std::list<Order> orders_;
  std::optional<std::int64_t> last_, middle_;
  std::multiset<std::int64_t> trades_;  // prices since the stop orders were last looked at
  Phase phase_ = Phase::continuous;
  std::optional<std::int64_t> reference_, closing_;
  bool is_collected_ = false;
  Outcome published_;
  std::uint64_t clock_ = 0;
  std::uint64_t random_;
  std::uint64_t maker_id_ = 0;  // who ended last
  std::deque<std::size_t> free_;
  std::vector<std::uint64_t> generations_;
};

}  // namespace dojima::book::testing
