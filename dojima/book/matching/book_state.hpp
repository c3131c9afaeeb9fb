#pragma once

// A book's state as bytes and back (docs/journal.md): its queues as slots of the order table, in their order, and the
// values that decide what comes next. How a storage has laid its levels out is not state: it follows from the levels.

#include "dojima/base/state.hpp"
#include "dojima/book/matching/basic_book.hpp"
#include "dojima/book/matching/terms.hpp"

namespace dojima::book {

template <SideQueue Queue>
void BasicBook<Queue>::save_queue(StateWriter& out, const Queue& queue) {
  out.add(std::uint64_t{queue.level_count()});
  for (Level level = queue.best(); level != k_no_level; level = queue.worse(level)) {
    out.add(level);
    out.add(queue.count(level));
    for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot)) out.add(slot);
  }
}

template <SideQueue Queue>
void BasicBook<Queue>::save_list(StateWriter& out, const EntryList& list) {
  for (Slot slot = list.first(); slot != k_no_slot; slot = list.next(slot)) out.add(slot);
  out.add(k_no_slot);
}

template <SideQueue Queue>
void BasicBook<Queue>::save(StateWriter& out) const {
  out.section("book");
  out.add(instrument_.id);
  out.add(specials_ & ~k_forbidden);
  out.add(random_);
  out.add(entries_);
  for (const std::optional<Price>& price : {last_trade_, traded_low_, traded_high_, reference_, cross_price_})
    out.add(price);
  out.add(phase_);
  for (const bool is_so : {is_collected_, is_counting_, has_auction_orders_}) out.add(std::uint8_t{is_so});
  out.add(indicative_.price);
  out.add(indicative_.volume);
  out.add(indicative_.surplus);
  out.add(indicative_.surplus_side);
  for (const Side side : {Side::buy, Side::sell}) {
    for (const Queue* queue : {&lit(side), &hidden(side), &stops(side)}) save_queue(out, *queue);
    for (const EntryList* list : {&dark(side), &unlimited(side)}) save_list(out, *list);
  }
  for (const EntryList* list : {&trailing_, &waiting_}) save_list(out, *list);
}

/// A live order of this book that rests nowhere yet, in the place where it comes to rest now. No slot: the end of a
/// list.
template <SideQueue Queue>
bool BasicBook<Queue>::load_slot(StateReader& in, Side side, Place place, Slot& slot) {
  if (!in.read(slot)) return false;
  if (slot == k_no_slot) return true;
  const bool is_here = static_cast<std::size_t>(slot) < orders_.capacity() && orders_[slot].is_live() &&
                       !orders_[slot].is_resting() && orders_[slot].instrument == instrument_.id &&
                       (side == Side::none || orders_[slot].side == side) && orders_[slot].place() == place;
  return is_here || in.fail("a live order of this book, once");
}

template <SideQueue Queue>
bool BasicBook<Queue>::load_queue(StateReader& in, Queue& queue, Side side, Place place) {
  std::uint64_t levels = 0;
  if (!in.read_count(levels, orders_.capacity(), sizeof(Level) + sizeof(Slot))) return false;
  for (std::uint64_t at = 0; at < levels; ++at) {
    Level level{};
    std::uint32_t count = 0;
    if (!in.read(level) || !in.read(count)) return false;
    const bool is_known = index_of(level) >= 0 && index_of(level) < instrument_.ticks.level_count();
    if (!is_known || queue.count(level) != 0 || count == 0) return in.fail("a level of the tick table, once");
    for (std::uint32_t order = 0; order < count; ++order) {
      Slot slot = k_no_slot;
      if (!load_slot(in, side, place, slot)) return false;
      if (slot == k_no_slot) return in.fail("as many orders as their level counts");
      queue.append(level, slot);
      if (place == Place::lit && !orders_[slot].is_special()) orders_.compact(slot);
    }
  }
  return true;
}

template <SideQueue Queue>
bool BasicBook<Queue>::load_list(StateReader& in, EntryList& list, Side side, Place place) {
  for (;;) {
    Slot slot = k_no_slot;
    if (!load_slot(in, side, place, slot)) return false;
    if (slot == k_no_slot) return true;
    list.append(slot);
  }
}

template <SideQueue Queue>
bool BasicBook<Queue>::load(StateReader& in) {
  std::uint32_t instrument = 0;
  std::uint64_t specials = 0;
  in.section("book");
  if (!in.read(instrument) || !in.read(specials)) return false;
  if (instrument != instrument_.id) return in.fail("the book of this instrument");
  specials_ = (specials & ~k_forbidden) | (specials_ & k_forbidden);
  if (!in.read(random_) || !in.read(entries_)) return false;
  for (std::optional<Price>* price : {&last_trade_, &traded_low_, &traded_high_, &reference_, &cross_price_})
    if (!in.read(*price)) return false;
  bool is_counting = false;
  if (!in.read(phase_) || !in.read(is_collected_) || !in.read(is_counting) || !in.read(has_auction_orders_))
    return false;
  if (static_cast<std::uint8_t>(phase_) >= market::k_phases) return in.fail("a phase");
  if (!in.read(indicative_.price) || !in.read(indicative_.volume) || !in.read(indicative_.surplus) ||
      !in.read(indicative_.surplus_side))
    return false;
  for (const Side side : {Side::buy, Side::sell}) {
    if (!load_queue(in, lit(side), side, Place::lit) || !load_queue(in, hidden(side), side, Place::hidden) ||
        !load_queue(in, stops(side), side, Place::stop))
      return false;
    if (!load_list(in, dark(side), side, Place::dark) || !load_list(in, unlimited(side), side, Place::market))
      return false;
  }
  if (!load_list(in, trailing_, Side::none, Place::trailing) || !load_list(in, waiting_, Side::none, Place::auction))
    return false;
  set_bars();
  if (const char* wrong = inconsistency(true)) return in.fail(wrong);
  if (is_counting) count_levels(expected_level());
  return true;
}

}  // namespace dojima::book
