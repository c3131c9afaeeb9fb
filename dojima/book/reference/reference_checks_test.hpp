#pragma once

// Why the naive order book refuses a command.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>

#include "dojima/book/reference/reference_state_test.hpp"

namespace dojima::book::testing {

class ReferenceChecks : public ReferenceState {
 public:
  using ReferenceState::ReferenceState;

 protected:
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
    if (phase_ == Phase::closing_price_cross && is_for_auctions(terms) && !takes_part_in(terms, phase_))
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

  /// Whether the order would find a level where it comes to rest; `from` is what it is now, when it is replaced.
  bool has_level(const market::OrderTerms& terms, const Order* from) {
    Spot spot = Spot::lit;
    if (is_stop(terms))
      spot = Spot::stop;
    else if (terms.type != Type::limit || !(lasts(terms) || takes_part_in(terms, phase_)) || is_dark(terms) ||
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
};

}  // namespace dojima::book::testing
