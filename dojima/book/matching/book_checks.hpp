#pragma once

// BookChecks: what is refused, and why. Nothing changes until every check has passed. Included by matching.hpp only.

#include <algorithm>
#include <limits>
#include <utility>

#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_checks.hpp"

namespace dojima::book {

/// A limit or market order without conditions that shows all it has.
template <SideQueue Queue>
bool BookChecks<Queue>::is_plain(const market::NewOrder& command) noexcept {
  using market::OrderType;
  const market::OrderTerms& terms = command.terms;
  const bool is_simple_type = terms.type == OrderType::limit || terms.type == OrderType::market;
  // Day, good till cancel, immediate or cancel, fill or kill, good till date and time.
  constexpr std::uint64_t k_simple_times = 0b1'0101'1011;
  const auto time = static_cast<std::uint8_t>(terms.time_in_force);
  const bool is_simple_time = time < 64 && (k_simple_times >> time & 1) != 0;
  const bool has_side = terms.side == Side::buy || terms.side == Side::sell;
  // One test for all that has to be nothing.
  const std::uint64_t conditions = static_cast<std::uint64_t>(terms.minimum.lots) | command.linked.value |
                                   static_cast<std::uint32_t>(terms.offset_bp) | terms.passive |
                                   static_cast<std::uint64_t>(terms.sub_type) |
                                   static_cast<std::uint64_t>(terms.flags & market::k_all_or_none);
  static_assert(static_cast<std::uint8_t>(market::OrderSubType::plain) == 0);
  return is_simple_type && is_simple_time && has_side && conditions == 0 && terms.displayed == terms.quantity;
}

template <SideQueue Queue>
Reason BookChecks<Queue>::check_new(const market::NewOrder& command, const market::OrderTerms& terms,
                                    Level& level) const {
  const Quantity quantity = terms.quantity;
  if (const Reason reason = check_kind(command); reason != Reason::none) return reason;
  if (const Reason reason = check_phase(terms); reason != Reason::none) return reason;
  if (quantity.lots <= 0 || quantity > instrument_.maximum_quantity) return Reason::quantity_out_of_range;
  if (terms.minimum.lots < 0 || terms.minimum > quantity) return Reason::quantity_out_of_range;
  if (command.terms.displayed.lots < 0 || command.terms.displayed > quantity) return Reason::display_not_allowed;
  if (!is_peak(terms)) return Reason::display_not_allowed;
  if (is_timed(terms.time_in_force) && terms.expiry <= command.header.time) return Reason::expiry_passed;
  if (const Reason reason = check_prices(terms, level); reason != Reason::none) return reason;
  if (const Reason reason = check_link(command); reason != Reason::none) return reason;
  if (orders_.is_full()) return Reason::order_table_full;
  return check_level(terms, level, k_no_slot);
}

template <SideQueue Queue>
Reason BookChecks<Queue>::check_kind(const market::NewOrder& command) const {
  using market::OrderSubType;
  using market::OrderType;
  using market::TimeInForce;
  const market::OrderTerms& terms = command.terms;
  const bool is_type = terms.type == OrderType::market || terms.type == OrderType::limit || is_stop(terms) ||
                       terms.type == OrderType::market_to_limit || terms.type == OrderType::trailing_stop;
  const bool is_time = is_lasting(terms.time_in_force) || is_for_auctions(terms.time_in_force) ||
                       terms.time_in_force == TimeInForce::immediate_or_cancel ||
                       terms.time_in_force == TimeInForce::fill_or_kill;
  const bool is_sub_type = terms.sub_type == OrderSubType::plain || terms.sub_type == OrderSubType::random_peak ||
                           is_pegged(terms) || is_offset(terms);
  const bool is_side = terms.side == Side::buy || terms.side == Side::sell;
  if (!is_type || !is_time || !is_side || !is_sub_type || !is_passive_rule(terms.passive)) return Reason::not_supported;
  if (is_offset(terms) ? !is_offset_in_range(terms.offset_bp) : terms.offset_bp != 0) return Reason::not_supported;
  return check_combination(command);
}

/// What the phase lets in.
template <SideQueue Queue>
Reason BookChecks<Queue>::check_phase(const market::OrderTerms& terms) const {
  if (!market::is_open(phase_)) return Reason::book_closed;
  if (terms.passive != 0 && phase_ != market::Phase::continuous) return Reason::wrong_phase;
  return may_enter(terms.time_in_force, phase_) ? Reason::none : Reason::wrong_phase;
}

/// Whether what is displayed is not too small a part of the whole; nothing is fine.
template <SideQueue Queue>
bool BookChecks<Queue>::is_peak(const market::OrderTerms& terms) const {
  return terms.displayed.lots == 0 || (terms.quantity.lots - 1) / terms.displayed.lots < rules_.most_peaks;
}

/// What can be asked for together.
template <SideQueue Queue>
Reason BookChecks<Queue>::check_combination(const market::NewOrder& command) const {
  using market::OrderSubType;
  using market::OrderType;
  const market::OrderTerms& terms = command.terms;
  const bool is_lasting_order = is_lasting(terms.time_in_force);
  if (is_dark(terms)) {
    const bool is_type = terms.type == OrderType::limit || (is_pegged(terms) && terms.type == OrderType::market);
    if (!is_type || !is_lasting_order || terms.passive != 0 || terms.sub_type == OrderSubType::random_peak ||
        rules_.policy != Policy::fifo)
      return Reason::not_supported;
    if (is_all_or_none(terms) && terms.minimum.lots != 0) return Reason::not_supported;
    if (is_pegged(terms) && !has_exact_middles_) return Reason::not_supported;
  }
  if (is_for_auctions(terms.time_in_force) && terms.type != OrderType::limit && terms.type != OrderType::market &&
      terms.type != OrderType::market_to_limit)
    return Reason::not_supported;
  if (is_offset(terms) && (terms.type != OrderType::limit || terms.time_in_force != market::TimeInForce::at_the_close))
    return Reason::not_supported;
  if (terms.sub_type == OrderSubType::random_peak && !has_limit(terms) && terms.type != OrderType::market_to_limit)
    return Reason::not_supported;
  if (terms.passive != 0) {
    if (terms.type != OrderType::limit || !is_lasting_order) return Reason::not_supported;
    if (terms.displayed.lots == 0 && terms.passive != 99) return Reason::not_supported;
  }
  if (command.linked.value != 0 && (rules_.policy != Policy::fifo || !is_lasting_order)) return Reason::not_supported;
  return Reason::none;
}

/// `level` becomes that of the limit, or no limit.
template <SideQueue Queue>
Reason BookChecks<Queue>::check_prices(const market::OrderTerms& terms, Level& level) const {
  level = no_limit(terms.side);
  if (is_offset(terms)) {
    Level limit{};
    return terms.stop.units == 0 ? Reason::none : check_price(terms.stop, limit);
  }
  if (has_limit(terms))
    if (const Reason reason = check_price(terms.limit, level); reason != Reason::none) return reason;
  if (is_stop(terms)) {
    Level stop{};
    return check_price(terms.stop, stop);
  }
  if (terms.type == market::OrderType::trailing_stop) {
    if (terms.stop.units <= 0) return Reason::price_out_of_range;
    if (const Reason reason = check_distance(terms.stop); reason != Reason::none) return reason;
    return last_trade_ ? Reason::none : Reason::no_price;
  }
  if (is_pegged(terms)) {
    if (terms.stop.units > 0) return Reason::price_out_of_range;
    return check_distance(terms.stop);
  }
  return Reason::none;
}

/// A distance either way reaches no further than the table.
template <SideQueue Queue>
Reason BookChecks<Queue>::check_distance(Price distance) const {
  const auto units = static_cast<std::uint64_t>(distance.units);
  const std::uint64_t span = static_cast<std::uint64_t>(instrument_.ticks.highest().units) -
                             static_cast<std::uint64_t>(instrument_.ticks.lowest().units);
  return (distance.units < 0 ? 0 - units : units) <= span ? Reason::none : Reason::price_out_of_range;
}

template <SideQueue Queue>
Reason BookChecks<Queue>::check_price(Price price, Level& level) const {
  const Level found = instrument_.ticks.level_or_none(price);
  if (found == market::TickTable::k_none) [[unlikely]] {
    return instrument_.ticks.contains(price) ? Reason::price_not_on_tick : Reason::price_out_of_range;
  }
  level = found;
  return Reason::none;
}

template <SideQueue Queue>
Reason BookChecks<Queue>::check_link(const market::NewOrder& command) const {
  if (command.linked.value == 0) return Reason::none;
  const Slot slot = find_own(command.linked);
  if (slot == k_no_slot) return Reason::linked_order;
  const Order& other = orders_[slot];
  const bool is_linked = other.is_special() && orders_.extra(slot).linked.value != 0;
  if (is_linked || other.owner != command.header.user || other.side != command.terms.side) return Reason::linked_order;
  return Reason::none;
}

/// Whether there is a level for the order where it would rest or wait; `from` is the order itself when it is replaced.
template <SideQueue Queue>
Reason BookChecks<Queue>::check_level(const market::OrderTerms& terms, Level level, Slot from) const {
  const auto freed = [this, from, &terms](Place place) -> std::size_t {
    if (from == k_no_slot || orders_[from].place() != place) return 0;
    const Queue& queue = place == Place::lit      ? lit(terms.side)
                         : place == Place::hidden ? hidden(terms.side)
                                                  : stops(terms.side);
    return queue.count(queue.level_of(from)) == 1 ? 1 : 0;
  };
  if (is_stop(terms)) {
    const Queue& waiting = stops(terms.side);
    const bool has_room = waiting.level_count() - freed(Place::stop) < limits_.stop_levels ||
                          waiting.count(instrument_.ticks.level_or_none(terms.stop)) != 0;
    return has_room ? Reason::none : Reason::levels_full;
  }
  const bool rests = may_rest(terms) || takes_part(terms.time_in_force, phase_);
  if (terms.type != market::OrderType::limit || !rests || is_dark(terms) || is_offset(terms)) return Reason::none;
  const Place place = terms.displayed.lots == 0 ? Place::hidden : Place::lit;
  const Queue& own = place == Place::hidden ? hidden(terms.side) : lit(terms.side);
  const Quantity wanted = from == k_no_slot ? terms.quantity : terms.quantity - orders_.executed(from);
  return has_level_for_rest(own, terms.side, level, wanted, freed(place)) ? Reason::none : Reason::levels_full;
}

/// Whether an order with that much to trade and that limit finds a level for what would be left of it, when `freed`
/// levels of its side disappear first.
template <SideQueue Queue>
bool BookChecks<Queue>::has_level_for_rest(const Queue& own, Side side, Level limit, Quantity quantity,
                                           std::size_t freed) const {
  const std::size_t most = &own == &lit(side) ? limits_.levels : limits_.hidden_levels;
  if (own.level_count() - freed < most || own.count(limit) != 0) return true;
  return phase_ == market::Phase::continuous && reachable(side, limit, quantity) >= quantity;
}

/// What rests in the levels within an order's limit, counted until there is `enough`. O(levels within the limit).
template <SideQueue Queue>
Quantity BookChecks<Queue>::reachable(Side aggressor, Level limit, Quantity enough) const {
  const Side side = market::opposite(aggressor);
  Quantity sum;
  for (const Queue* opposite : {&lit(side), &hidden(side)})
    for (Level level = opposite->best(); level != k_no_level && sum < enough && is_within(aggressor, level, limit);
         level = opposite->worse(level))
      sum += opposite->total(level);
  return sum;
}

template <SideQueue Queue>
Reason BookChecks<Queue>::check_replace(const market::Replace& command, Slot slot) const {
  const market::OrderTerms& old = orders_.terms(slot);
  if (old.owner != command.header.user) return Reason::not_owner;
  if (old.side != command.side) return Reason::side_mismatch;
  if (!market::is_open(phase_)) return Reason::book_closed;
  // Only pegged orders can gain or lose their minimum; others would become another kind of order.
  if (!is_pegged(old) && (command.minimum.lots != 0) != (old.minimum.lots != 0)) return Reason::not_supported;
  if (is_offset(old) ? !is_offset_in_range(command.offset_bp) : command.offset_bp != 0) return Reason::not_supported;
  if (is_all_or_none(old) && command.minimum.lots != 0) return Reason::not_supported;
  if (command.quantity.lots <= 0 || command.quantity > instrument_.maximum_quantity)
    return Reason::quantity_out_of_range;
  if (command.quantity <= orders_.executed(slot)) return Reason::quantity_already_executed;
  if (command.minimum.lots < 0 || command.minimum > command.quantity) return Reason::quantity_out_of_range;
  if (command.displayed.lots < 0 || command.displayed > command.quantity) return Reason::display_not_allowed;
  if (may_display(old) && old.displayed.lots != 0 && command.displayed.lots == 0) return Reason::display_not_allowed;
  const market::OrderTerms terms = changed_terms(command, slot);
  if (!is_peak(terms)) return Reason::display_not_allowed;
  if (is_timed(old.time_in_force) && command.expiry <= command.header.time) return Reason::expiry_passed;
  Level level{};
  if (const Reason reason = check_prices(terms, level); reason != Reason::none) return reason;
  if (is_offset(old) && orders_[slot].place() != Place::auction && terms.limit.units == 0)
    return Reason::price_out_of_range;
  if (terms.limit != old.limit && command.passive != 0) {
    const bool is_rule = is_passive_rule(command.passive) && (terms.displayed.lots != 0 || command.passive == 99);
    if (!is_rule || !may_rest(terms) || is_dark(terms)) return Reason::not_supported;
    if (phase_ != market::Phase::continuous) return Reason::wrong_phase;
  }
  return keeps_place(terms, slot) ? Reason::none : check_level(terms, level, slot);
}

/// The price of an offset order: so many basis points from the reference towards the other side, on the tick that is
/// more careful, and no further than the limit that was given. None: there is no reference, or no such price.
template <SideQueue Queue>
std::optional<Price> BookChecks<Queue>::offset_price(const market::OrderTerms& terms) const {
  const std::optional<Price> reference = reference_ ? reference_ : last_trade_;
  if (!reference) return std::nullopt;
  constexpr int k_whole = 10'000;
  const bool is_buy = terms.side == Side::buy;
  __extension__ using Wide = __int128;
  const Wide product =
      static_cast<Wide>(reference->units) * (is_buy ? k_whole + terms.offset_bp : k_whole - terms.offset_bp);
  Wide units = product / k_whole;
  if (is_buy && units * k_whole > product) --units;
  if (!is_buy && units * k_whole < product) ++units;
  const Wide lowest = instrument_.ticks.lowest().units, highest = instrument_.ticks.highest().units;
  if (is_buy ? units < lowest : units > highest) return std::nullopt;
  const Price wanted{static_cast<std::int64_t>(std::min(std::max(units, lowest), highest))};
  const std::optional<Level> level = tick_beside(wanted, is_buy ? Side::sell : Side::buy);
  if (!level) return std::nullopt;
  const Price price = instrument_.ticks.price_of(*level);
  if (terms.stop.units == 0) return price;
  return is_buy ? std::min(price, terms.stop) : std::max(price, terms.stop);
}

/// The tick at a price or the next one beside it: below, where a seller would go, or above. None: beyond the table.
template <SideQueue Queue>
std::optional<Level> BookChecks<Queue>::tick_beside(Price price, Side towards) const {
  const market::TickTable& ticks = instrument_.ticks;
  if (const Level level = ticks.level_or_none(price); level != market::TickTable::k_none) return level;
  std::int32_t below = -1, above = ticks.level_count();  // the price lies between these two
  while (above - below > 1) {
    const std::int32_t middle = below + (above - below) / 2;
    (ticks.price_of(Level{middle}) < price ? below : above) = middle;
  }
  const std::int32_t found = towards == Side::sell ? below : above;
  if (found < 0 || found >= ticks.level_count()) return std::nullopt;
  return Level{found};
}

/// The order's terms after a replace.
template <SideQueue Queue>
market::OrderTerms BookChecks<Queue>::changed_terms(const market::Replace& command, Slot slot) const {
  market::OrderTerms terms = orders_.terms(slot);
  terms.quantity = command.quantity;
  terms.displayed = may_display(terms) ? command.displayed : command.quantity;
  terms.minimum = command.minimum;
  if (has_limit(terms)) terms.limit = command.limit;
  if (is_stop(terms) && command.stop.units >= 0) terms.stop = command.stop;
  if (is_timed(terms.time_in_force)) terms.expiry = command.expiry;
  if (command.group != 0) terms.group = command.group;
  if (is_offset(terms)) {
    terms.offset_bp = command.offset_bp;
    terms.stop = command.limit;
    terms.limit = orders_[slot].place() == Place::auction ? Price{} : offset_price(terms).value_or(Price{});
  }
  return terms;
}

/// The priority table: a smaller total or display and anything that is not a price keep the place.
template <SideQueue Queue>
bool BookChecks<Queue>::keeps_place(const market::OrderTerms& terms, Slot slot) const {
  const Order& order = orders_[slot];
  const market::OrderTerms& old = orders_.terms(slot);
  const Quantity shown = std::min(terms.displayed, terms.quantity - orders_.executed(slot));
  return terms.limit == old.limit && (terms.stop == old.stop || is_offset(terms)) && terms.quantity <= old.quantity &&
         (!may_display(old) || shown <= std::min(old.displayed, order.leaves));
}

template <SideQueue Queue>
Reason BookChecks<Queue>::refusal(const market::NewOrder& command) const {
  Level level{};
  return check_new(command, kept_terms(command), level);
}

template <SideQueue Queue>
Reason BookChecks<Queue>::refusal(const market::Replace& command) const {
  const Slot slot = find_own(command.order);
  return slot == k_no_slot ? Reason::unknown_order : check_replace(command, slot);
}

}  // namespace dojima::book
