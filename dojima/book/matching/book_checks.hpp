#pragma once

// BasicBook: what is refused, and why. Nothing changes until every check has passed. Included by matching.hpp only.

#include <algorithm>
#include <limits>
#include <utility>

#include "dojima/book/matching/basic_book.hpp"

namespace dojima::book {

/// The level beyond every level on the aggressor's side: no limit.
[[nodiscard]] constexpr Level no_limit(Side aggressor) noexcept {
  return Level{aggressor == Side::buy ? std::numeric_limits<std::int32_t>::max()
                                      : std::numeric_limits<std::int32_t>::min()};
}

[[nodiscard]] constexpr bool is_lasting(market::TimeInForce time_in_force) noexcept {
  using market::TimeInForce;
  return time_in_force == TimeInForce::day || time_in_force == TimeInForce::good_till_cancel ||
         time_in_force == TimeInForce::good_till_date || time_in_force == TimeInForce::good_till_time;
}

[[nodiscard]] constexpr bool is_timed(market::TimeInForce time_in_force) noexcept {
  return time_in_force == market::TimeInForce::good_till_date || time_in_force == market::TimeInForce::good_till_time;
}

[[nodiscard]] constexpr bool is_pegged(const market::OrderTerms& terms) noexcept {
  return terms.sub_type == market::OrderSubType::pegged;
}

[[nodiscard]] constexpr bool is_all_or_none(const market::OrderTerms& terms) noexcept {
  return (terms.flags & market::k_all_or_none) != 0;
}

/// Whether a mass cancel means orders of this kind.
[[nodiscard]] constexpr bool is_meant(market::MassCancelOf of, const market::OrderTerms& terms) noexcept {
  const bool is_quote = (terms.flags & market::k_quote) != 0;
  return of == market::MassCancelOf::orders_and_quotes || is_quote == (of == market::MassCancelOf::quotes);
}

/// Whether the order, when it rests, stands outside the levels.
[[nodiscard]] constexpr bool is_dark(const market::OrderTerms& terms) noexcept {
  return is_pegged(terms) || is_all_or_none(terms) || terms.minimum.lots != 0;
}

[[nodiscard]] constexpr bool is_offset(const market::OrderTerms& terms) noexcept {
  return terms.sub_type == market::OrderSubType::offset;
}

/// The largest offset either way, in basis points.
inline constexpr std::int32_t k_largest_offset = 10'000;

[[nodiscard]] constexpr bool is_offset_in_range(std::int32_t basis_points) noexcept {
  return basis_points >= -k_largest_offset && basis_points <= k_largest_offset;
}

[[nodiscard]] constexpr bool is_stop(const market::OrderTerms& terms) noexcept {
  return terms.type == market::OrderType::stop || terms.type == market::OrderType::stop_limit;
}

[[nodiscard]] constexpr bool has_limit(const market::OrderTerms& terms) noexcept {
  return terms.type == market::OrderType::limit || terms.type == market::OrderType::stop_limit;
}

/// Whether what is left of the order, once it has traded what it can, stays in the book.
[[nodiscard]] constexpr bool may_rest(const market::OrderTerms& terms) noexcept {
  return (terms.type == market::OrderType::limit || is_pegged(terms)) && is_lasting(terms.time_in_force);
}

/// Whether the order will show in the book one day, so that its displayed quantity means something.
[[nodiscard]] constexpr bool may_display(const market::OrderTerms& terms) noexcept {
  return (has_limit(terms) || terms.type == market::OrderType::market_to_limit) &&
         (is_lasting(terms.time_in_force) || is_for_auctions(terms.time_in_force)) && !is_dark(terms);
}

[[nodiscard]] constexpr bool is_passive_rule(std::uint8_t rule) noexcept {
  return rule <= 3 || rule == 99 || rule == 100;
}

/// The terms as the book keeps them: what means nothing for this order has its neutral value.
[[nodiscard]] inline market::OrderTerms kept_terms(const market::NewOrder& command) noexcept {
  market::OrderTerms terms = command.terms;
  terms.owner = command.header.user;
  if (!has_limit(terms)) terms.limit = {};
  if (!is_stop(terms) && terms.type != market::OrderType::trailing_stop && !is_pegged(terms)) terms.stop = {};
  if (!is_timed(terms.time_in_force)) terms.expiry = {};
  if (!may_display(terms)) terms.displayed = terms.quantity;
  // It has no price before its auction; the limit that was given is kept apart.
  if (is_offset(terms)) terms.stop = std::exchange(terms.limit, Price{});
  return terms;
}

/// A price moved by a distance, held inside the type.
[[nodiscard]] inline Price moved(Price price, std::int64_t distance) noexcept {
  Price result;
  if (__builtin_add_overflow(price.units, distance, &result.units))
    result.units = distance > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  return result;
}

/// A limit or market order without conditions that shows all it has.
template <SideQueue Queue>
bool BasicBook<Queue>::is_plain(const market::NewOrder& command) noexcept {
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
Reason BasicBook<Queue>::check_new(const market::NewOrder& command, const market::OrderTerms& terms,
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
Reason BasicBook<Queue>::check_kind(const market::NewOrder& command) const {
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
Reason BasicBook<Queue>::check_phase(const market::OrderTerms& terms) const {
  if (!market::is_open(phase_)) return Reason::book_closed;
  if (terms.passive != 0 && phase_ != market::Phase::continuous) return Reason::wrong_phase;
  return may_enter(terms.time_in_force, phase_) ? Reason::none : Reason::wrong_phase;
}

/// Whether what is displayed is not too small a part of the whole; nothing is fine.
template <SideQueue Queue>
bool BasicBook<Queue>::is_peak(const market::OrderTerms& terms) const {
  return terms.displayed.lots == 0 || (terms.quantity.lots - 1) / terms.displayed.lots < rules_.most_peaks;
}

/// What can be asked for together.
template <SideQueue Queue>
Reason BasicBook<Queue>::check_combination(const market::NewOrder& command) const {
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
Reason BasicBook<Queue>::check_prices(const market::OrderTerms& terms, Level& level) const {
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
Reason BasicBook<Queue>::check_distance(Price distance) const {
  const auto units = static_cast<std::uint64_t>(distance.units);
  const std::uint64_t span = static_cast<std::uint64_t>(instrument_.ticks.highest().units) -
                             static_cast<std::uint64_t>(instrument_.ticks.lowest().units);
  return (distance.units < 0 ? 0 - units : units) <= span ? Reason::none : Reason::price_out_of_range;
}

template <SideQueue Queue>
Reason BasicBook<Queue>::check_price(Price price, Level& level) const {
  const Level found = instrument_.ticks.level_or_none(price);
  if (found == market::TickTable::k_none) [[unlikely]] {
    return instrument_.ticks.contains(price) ? Reason::price_not_on_tick : Reason::price_out_of_range;
  }
  level = found;
  return Reason::none;
}

template <SideQueue Queue>
Reason BasicBook<Queue>::check_link(const market::NewOrder& command) const {
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
Reason BasicBook<Queue>::check_level(const market::OrderTerms& terms, Level level, Slot from) const {
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
bool BasicBook<Queue>::has_level_for_rest(const Queue& own, Side side, Level limit, Quantity quantity,
                                          std::size_t freed) const {
  const std::size_t most = &own == &lit(side) ? limits_.levels : limits_.hidden_levels;
  if (own.level_count() - freed < most || own.count(limit) != 0) return true;
  return phase_ == market::Phase::continuous && reachable(side, limit, quantity) >= quantity;
}

/// What rests in the levels within an order's limit, counted until there is `enough`. O(levels within the limit).
template <SideQueue Queue>
Quantity BasicBook<Queue>::reachable(Side aggressor, Level limit, Quantity enough) const {
  const Side side = market::opposite(aggressor);
  Quantity sum;
  for (const Queue* opposite : {&lit(side), &hidden(side)})
    for (Level level = opposite->best(); level != k_no_level && sum < enough && is_within(aggressor, level, limit);
         level = opposite->worse(level))
      sum += opposite->total(level);
  return sum;
}

template <SideQueue Queue>
bool BasicBook<Queue>::is_within(Side aggressor, Level level, Level limit) noexcept {
  // Without a branch: which side comes next cannot be guessed.
  const std::int32_t flip = aggressor == Side::buy ? 0 : -1;
  return (index_of(level) ^ flip) <= (index_of(limit) ^ flip);
}

/// The live order of that id, if it is of this book.
template <SideQueue Queue>
Slot BasicBook<Queue>::find_own(OrderId id) const {
  const Slot slot = orders_.find(id);
  return slot != k_no_slot && orders_[slot].instrument == instrument_.id ? slot : k_no_slot;
}

template <SideQueue Queue>
Reason BasicBook<Queue>::check_replace(const market::Replace& command, Slot slot) const {
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

}  // namespace dojima::book
