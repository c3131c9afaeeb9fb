#pragma once

// BookFastPath: the fast path. Plain orders and cancels from top to bottom: which commands take it and why, then what
// they do. Whatever is not plain, and every refusal, is left to the general path (general_path.hpp), which gives the
// same bytes for plain commands too. docs/book.md has the table of what blocks this path. Included by matching.hpp
// only.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dojima/book/matching/plain_terms.hpp"
#include "dojima/book/matching/terms.hpp"
#include "dojima/book/parts/book_fast_path.hpp"

namespace dojima::book {

// ---- Which path ----------------------------------------------------------------------------------------------------

/// One test decides for nearly all: the command's own words against those of a plain order, and one counter of the
/// book, which is not 0 while anything special lives in it, its rules are special or its phase is not continuous
/// trading. Other plain orders enter with care, unless what is special could act on any command (beside_special.hpp).
template <SideQueue Queue>
void BookFastPath<Queue>::apply(const market::NewOrder& command) {
  DOJIMA_CHECK_SLOW(command.header.instrument == instrument_.id, "an order comes to the book of its instrument",
                    command.header.instrument, instrument_.id);
  const std::uint64_t unusual = unusual_bits(command);
  if ((unusual | specials_) == 0) [[likely]] {
    return enter_here<true, true, HasLevelRecords<Queue>>(command);
  }
  apply_beside_special(command, unusual);
}

template <SideQueue Queue>
void BookFastPath<Queue>::apply_beside_special(const market::NewOrder& command, std::uint64_t unusual) {
  if (bars_ != 0) return apply_general(command);
  if (unusual == 0 && is_beside_rule(command)) return enter_fast<true>(command);
  if (unusual == 0) return enter_fast<true, false>(command);
  if (is_plain(command)) return enter_fast<false>(command);
  if (!rest_iceberg(command)) apply_general(command);
}

/// The order must be its sender's own and rest as a plain one: generation, owner, side and state are one word.
template <SideQueue Queue>
void BookFastPath<Queue>::apply(const market::Cancel& command) {
  if (orders_.slots().has_slot(command.order)) [[likely]] {
    const Slot slot{static_cast<std::uint32_t>(command.order.value)};
    if ((other_bits(slot, command.order, command.header.user, command.side) | bars_) == 0) [[likely]] {
      return cancel_fast(command, slot);
    }
  }
  apply_general(command);
}

template <SideQueue Queue>
void BookFastPath<Queue>::apply(const market::Replace& command) {
  if (orders_.slots().has_slot(command.order)) [[likely]] {
    const Slot slot{static_cast<std::uint32_t>(command.order.value)};
    const std::uint64_t others = other_bits(slot, command.order, command.header.user, command.side);
    if ((unusual_bits(command) | others | bars_) == 0 && is_usual(orders_[slot])) [[likely]] {
      return replace_fast(command, slot);
    }
  }
  apply_general(command);
}

/// 0: the order of that id, of that owner and side, rests in the levels of this book as a plain one.
template <SideQueue Queue>
std::uint64_t BookFastPath<Queue>::other_bits(Slot slot, OrderId id, std::uint16_t owner, Side side) const noexcept {
  constexpr std::uint64_t k_matters = ~OrderKey::state_bits(k_compact | k_expanded);
  const Order& order = orders_[slot];
  const OrderKey wanted{
      .generation = orders_.slots().generation_of(id), .owner = owner, .side = side, .state = k_live | k_resting};
  return ((order.key() ^ wanted.word()) & k_matters) | (order.instrument ^ instrument_.id);
}

// ---- A new order ---------------------------------------------------------------------------------------------------

/// A plain order enters. Everything is checked before anything is changed; why it is refused, the general path says.
/// Not `IsUsual`: a market order, or one that ends at once or at a time. Not `IsAlone`: something special may live in
/// the book. `IsShort`: nothing is called on the way, what has to be called is jumped to at the end, so that no
/// registers are saved; a price behind the first band, or a report buffer that is nearly full, is for enter_fast().
template <SideQueue Queue>
template <bool IsUsual, bool IsAlone, bool IsShort>
void BookFastPath<Queue>::enter_here(const market::NewOrder& command) {
  const market::OrderTerms& terms = command.terms;
  const Side side = terms.side, makers = market::opposite(side);
  const Quantity quantity = terms.quantity;
  const bool is_limit = IsUsual || terms.type == market::OrderType::limit;
  Level level{};
  if (!IsShort) {
    level = is_limit ? instrument_.ticks.level_or_none(terms.limit) : no_limit(side);
  } else if (!instrument_.ticks.is_in_first_band(terms.limit, level)) [[unlikely]] {
    return enter_fast<IsUsual, IsAlone>(command);
  }
  const bool is_late = !IsUsual && is_timed(terms.time_in_force) && terms.expiry <= command.header.time;
  Queue& own = lit_known(side);
  if (static_cast<std::uint64_t>(quantity.lots) - 1 >= static_cast<std::uint64_t>(maximum_quantity_.lots) ||
      (!IsShort && is_limit && level == market::TickTable::k_none) || is_late || orders_.is_full() ||
      own.level_count() >= limits_.levels) [[unlikely]] {
    return apply_general(command);
  }
  const bool is_whole = !IsUsual && terms.time_in_force == market::TimeInForce::fill_or_kill;
  if (!IsAlone && specials_ != 0 && needs_general_path(makers, level, is_whole)) return apply_general(command);
  if (lit_opposite(side).meets(level) || (!IsUsual && !may_rest(terms))) return trade_fast<IsAlone>(command, level);

  if constexpr (IsShort) {
    if (!reports_.has_room(2)) [[unlikely]] {
      return enter_fast<IsUsual, IsAlone>(command);
    }
    const std::uint32_t record = own.record_at(level);
    return record != 0 ? rest_short(command, own, record) : open_and_rest(command, own, level);
  }
  const Slot slot = orders_.slots().take();
  const std::uint32_t generation = orders_.slots().next_generation(slot);
  const OrderId id = orders_.slots().id_of(slot, generation);
  write_plain<IsUsual>(slot, generation, command, own.join(level, slot, quantity), k_live | k_resting | k_compact);
  if (!IsAlone && largest_ != nullptr) largest_->joined(side, level, slot, quantity, orders_[slot].entry);
  Writer out(reports_, instrument_.id);
  out.room();
  out.write(market::BookReportKind::accepted, side, id, {}, terms.limit, quantity, quantity);
  out.room();
  out.write(market::BookReportKind::added, side, id, {}, terms.limit, quantity, quantity);
  out.done();
}

template <SideQueue Queue>
template <bool IsUsual, bool IsAlone>
void BookFastPath<Queue>::enter_fast(const market::NewOrder& command) {
  enter_here<IsUsual, IsAlone, false>(command);
}

template <SideQueue Queue>
void BookFastPath<Queue>::open_and_rest(const market::NewOrder& command, Queue& own, Level level)
  requires HasLevelRecords<Queue>
{
  rest_short(command, own, own.open(level));
}

/// The order comes to rest in the level of this record.
template <SideQueue Queue>
void BookFastPath<Queue>::rest_short(const market::NewOrder& command, Queue& own, std::uint32_t record)
  requires HasLevelRecords<Queue>
{
  const market::OrderTerms& terms = command.terms;
  const Quantity quantity = terms.quantity;
  const Slot slot = orders_.slots().take();
  const std::uint32_t generation = orders_.slots().next_generation(slot);
  write_plain<true>(slot, generation, command, own.join_at(record, orders_, slot, quantity),
                    k_live | k_resting | k_compact);
  const OrderId id = orders_.slots().id_of(slot, generation);
  Writer out(reports_, instrument_.id);
  out.write(market::BookReportKind::accepted, terms.side, id, {}, terms.limit, quantity, quantity);
  out.write(market::BookReportKind::added, terms.side, id, {}, terms.limit, quantity, quantity);
  out.done();
}

/// All that a plain order is, once. Its terms are its own words; its record keeps an expiry and the labels for its
/// owner's reports.
template <SideQueue Queue>
template <bool IsUsual>
void BookFastPath<Queue>::write_plain(Slot slot, std::uint32_t generation, const market::NewOrder& command,
                                      const std::array<std::uint32_t, 3>& links, std::uint8_t state) {
  const market::OrderTerms& terms = command.terms;
  const OrderKey key{.generation = generation, .owner = command.header.user, .side = terms.side, .state = state};
  Order& order = orders_[slot];
  order.leaves = order.quantity = terms.quantity;
  order.links = links;
  order.instrument = instrument_.id;
  order.entry = orders_.next_entry();
  order.limit = IsUsual || terms.type == market::OrderType::limit ? terms.limit : Price{};
  order.plain = plain_terms(terms);
  orders_.labels(slot) = command.labels;
  orders_.count_in(key.owner);
  if (!IsUsual) orders_.set_expiry(slot, is_timed(terms.time_in_force) ? terms.expiry : time::Time{});
  order.set_key(key.word());
}

/// It trades what it can; what is left rests, or expires if it may not. `IsUsual`: and nothing special lives in the
/// book.
template <SideQueue Queue>
template <bool IsUsual>
void BookFastPath<Queue>::trade_fast(const market::NewOrder& command, Level level) {
  const market::OrderTerms& terms = command.terms;
  const Side side = terms.side, makers = market::opposite(side);
  const Quantity quantity = terms.quantity;
  const Slot slot = orders_.slots().take();
  const std::uint32_t generation = orders_.slots().next_generation(slot);
  const OrderId id = orders_.slots().id_of(slot, generation);
  write_plain<IsUsual>(slot, generation, command, {}, k_live | k_compact);
  Order& order = orders_[slot];
  Writer out(reports_, instrument_.id);
  out.room();
  out.write(market::BookReportKind::accepted, side, id, {}, order.limit, quantity, quantity);

  Sweep swept{.left = quantity};
  const bool is_killed = !IsUsual && terms.time_in_force == market::TimeInForce::fill_or_kill &&
                         reachable(side, level, quantity) < quantity;
  if (!IsUsual && rules_.policy != Policy::fifo && lit(makers).meets(level))
    swept = sweep_by_policy(out, slot, makers, id, level);
  else if (IsUsual || (!is_killed && lit(makers).meets(level)))
    swept = sweep<IsUsual>(out, slot, makers, id, level);
  order.leaves = swept.left;
  if (!IsUsual && swept.is_stopped) {
    out.done();
    return go_on(slot, swept);
  }

  if (swept.left.lots == 0) {
    orders_.release_fast(slot);
  } else if (IsUsual || may_rest(terms)) {
    order.links = lit(side).join(level, slot, swept.left);
    order.state |= k_resting;
    if (!IsUsual && largest_ != nullptr) largest_->joined(side, level, slot, swept.left, order.entry);
    out.room();
    out.write(market::BookReportKind::added, side, id, {}, terms.limit, quantity, swept.left);
  } else {
    out.room();
    out.write(market::BookReportKind::expired, side, id, {}, order.limit, swept.left, {}, Reason::time_in_force);
    orders_.release_fast(slot);
  }
  out.done();
  if (!IsUsual && specials_ != 0 && swept.has_traded) wake(swept);
}

/// An order that meets the best level of the other side trades, level by level, up to its limit. A level's fills run in
/// a loop of their own that changes the level once, and closes it once when it is empty. Not `IsUsual`: it stops before
/// an order that is the taker's own, or special and no iceberg. What the taker has left is written when reports are
/// handed over, and for the caller to write at the end.
template <SideQueue Queue>
template <bool IsUsual>
typename BookFastPath<Queue>::Sweep BookFastPath<Queue>::sweep(Writer& out, Slot taker, Side makers, OrderId id,
                                                               Level limit) {
  Queue& queue = lit(makers);
  const Quantity wanted = orders_[taker].leaves;
  Quantity left = wanted;
  Price price = instrument_.ticks.price_of(queue.best());
  Sweep swept{.first = price};
  for (;;) {
    Slot slot = queue.front();
    Quantity traded;
    std::uint32_t gone = 0;
    do {
      Order& maker = orders_[slot];
      if (!IsUsual && (maker.is_special() || is_own(taker, slot))) {
        swept.is_stopped = true;
        break;
      }
      const Quantity quantity = std::min(left, maker.leaves);
      const Quantity kept = maker.leaves - quantity;
      if (out.is_full()) [[unlikely]] {
        orders_[taker].leaves = left;
        out.room();
      }
      out.write(market::BookReportKind::traded, makers, orders_.slots().id_of(slot, maker.generation), id, price,
                quantity, kept);
      traded += quantity;
      left -= quantity;
      maker.leaves = kept;
      if (kept.lots != 0) break;
      const Slot done = slot;
      slot = queue.next(done);
      ++gone;
      orders_.release_fast(done);
    } while (slot != k_no_slot && left.lots != 0);
    queue.drop_front(slot, gone, traded);
    if (traded.lots != 0) swept.last = price;
    if (!IsUsual && swept.is_stopped && is_iceberg_alone(slot) && !is_own(taker, slot)) {
      left = trade_with_iceberg(out, taker, id, slot, price, left);
      swept.last = price;
      swept.is_stopped = false;
    }
    if (left.lots == 0 || swept.is_stopped || !queue.meets(limit)) break;
    price = instrument_.ticks.price_of(queue.best());
  }
  swept.has_traded = IsUsual || left != wanted;
  if (swept.has_traded) last_trade_.emplace(swept.last);
  swept.left = left;
  return swept;
}

/// A full table would refuse the order that takes.
template <SideQueue Queue>
bool BookFastPath<Queue>::trade_with_first(Slot slot, Quantity quantity) {
  const Order& order = orders_[slot];
  if (specials_ != 0 || !order.is_resting() || order.instrument != instrument_.id || orders_.is_full()) return false;
  Queue& queue = lit(order.side);
  if (queue.front() != slot || quantity > order.leaves || quantity.lots <= 0) return false;
  last_trade_.emplace(order.limit);
  if (queue.fill(slot, quantity)) orders_.release_fast(slot);
  return true;
}

// ---- Cancel and replace --------------------------------------------------------------------------------------------

/// A level that it leaves empty is closed at the end, so that nothing is called on the way.
template <SideQueue Queue>
void BookFastPath<Queue>::cancel_fast(const market::Cancel& command, Slot slot) {
  if (!reports_.has_room(1)) [[unlikely]] {
    return apply_general(command);
  }
  const Order& order = orders_[slot];
  Writer out(reports_, instrument_.id);
  out.write(market::BookReportKind::cancelled, command.side, command.order, {}, orders_.limit(slot), order.leaves, {},
            Reason::by_owner, market::k_was_resting);
  out.done();
  Queue& own = lit_known(command.side);
  if constexpr (HasLevelRecords<Queue>) {
    const std::uint32_t emptied = own.take_out(orders_, order);
    orders_.release_fast(slot);
    if (emptied != 0) own.close(emptied);
  } else {
    own.erase(slot);
    orders_.release_fast(slot);
  }
}

/// A smaller total at the same price keeps the order's place; with any other change it enters anew.
template <SideQueue Queue>
void BookFastPath<Queue>::replace_fast(const market::Replace& command, Slot slot) {
  Order& order = orders_[slot];
  const Side side = command.side, makers = market::opposite(side);
  Queue& own = lit(side);
  const Price limit = command.limit;
  const Quantity quantity = command.quantity;
  const Quantity executed = order.quantity - order.leaves;
  const bool keeps_its_place = limit == order.limit && quantity <= order.quantity;
  const Level level = instrument_.ticks.level_or_none(limit);
  if (static_cast<std::uint64_t>(quantity.lots) - 1 >= static_cast<std::uint64_t>(maximum_quantity_.lots) ||
      quantity <= executed || level == market::TickTable::k_none ||
      (!keeps_its_place && own.level_count() >= limits_.levels)) [[unlikely]] {
    return apply_general(command);
  }
  if (specials_ != 0 && !keeps_its_place && needs_general_path(makers, level, true)) return apply_general(command);

  const Quantity left = quantity - executed;
  Writer out(reports_, instrument_.id);
  out.room();
  out.write(market::BookReportKind::replaced, side, command.order, {}, limit, quantity, left, Reason::none,
            keeps_its_place ? std::uint8_t{0} : std::uint8_t{market::k_lost_priority});
  if (command.group != 0) order.plain.group = command.group;
  order.quantity = quantity;
  order.state &= static_cast<std::uint8_t>(~k_expanded);
  if (keeps_its_place) {
    out.done();
    return own.resize(slot, left - order.leaves);
  }
  own.erase(slot);
  order.limit = limit;
  order.leaves = left;
  if (lit(makers).meets(level)) order.leaves = sweep<true>(out, slot, makers, command.order, level).left;
  if (order.leaves.lots == 0) {
    orders_.release_fast(slot);
  } else {
    order.links = own.join(level, slot, order.leaves);
    order.state |= k_resting;
    if (largest_ != nullptr) [[unlikely]] {
      largest_->joined_again(side, level, slot, order.leaves, order.entry);
    }
    out.room();
    out.write(market::BookReportKind::added, side, command.order, {}, limit, quantity, order.leaves);
  }
  out.done();
}

}  // namespace dojima::book
