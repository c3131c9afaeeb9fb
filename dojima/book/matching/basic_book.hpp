#pragma once

// The book over a storage: what every command does, whatever keeps the queues (side_queue.hpp). book.hpp says what its
// public members promise. It is made of parts, each a class on top of the one below, in ../parts:
//
//   BookData         queues, lists, what is remembered, reports
//   BookChecks       what is refused
//   BookPlaces       where orders rest and how they end
//   BookAuctions     phases and the uncross
//   BookMatching     how an order enters where everything is possible
//   BookWaiting      stop, trailing and dark orders, and what wakes them
//   BookGeneralPath  commands, all of them
//   BookFastPath     commands, the plain ones
//   BookMirror       a book out of reports
//   BasicBook        what it looks like from outside, saving and loading
//
// The bodies lie in files of the same names here and are compiled once per storage, in the .cpp that includes
// matching.hpp.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "dojima/book/parts/book_mirror.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BasicBook : public BookMirror<Queue> {
  using Base = BookMirror<Queue>;

 protected:
  // Of the parts below.
  using Base::bars_;
  using Base::bars_now;
  using Base::best_in_levels;
  using Base::count_levels;
  using Base::cross_price_;
  using Base::dark;
  using Base::dark_ranks_;
  using Base::displayed_of;
  using Base::entries_;
  using Base::expected_level;
  using Base::has_auction_orders_;
  using Base::hidden;
  using Base::indicative_;
  using Base::instrument_;
  using Base::is_collected_;
  using Base::is_counting_;
  using Base::is_within;
  using Base::k_forbidden;
  using Base::largest_;
  using Base::last_trade_;
  using Base::limits_;
  using Base::lit;
  using Base::orders_;
  using Base::phase_;
  using Base::random_;
  using Base::reference_;
  using Base::resting_order;
  using Base::rules_;
  using Base::set_bars;
  using Base::specials_;
  using Base::stops;
  using Base::traded_high_;
  using Base::traded_low_;
  using Base::trailing_;
  using Base::unlimited;
  using Base::waiting_;
  using typename Base::Bars;
  using typename Base::Reach;

 public:
  BasicBook(const market::Instrument& instrument, OrderTable& orders, ReportBuffer& reports, BookLimits limits,
            BookRules rules = {})
      : BookMirror<Queue>(instrument, orders, reports, limits, std::move(rules)) {}

  [[gnu::always_inline]] void prefetch(OrderId order) const noexcept {
    orders_.slots().prefetch(Slot{static_cast<std::uint32_t>(order.value)});
  }
  [[gnu::always_inline]] void prefetch_terms(OrderId order) const noexcept {
    orders_.slots().prefetch_labels(Slot{static_cast<std::uint32_t>(order.value)});
  }
  [[gnu::always_inline]] void prefetch_neighbours(OrderId order) const noexcept {
    Queue::prefetch(orders_, orders_.slots().place_of(order));
  }

  [[nodiscard]] Level level_of_best(Side side) const noexcept { return lit(side).best(); }
  [[nodiscard]] std::optional<PriceLevel> best_level(Side side) const;
  /// Here, so that callers have it inlined: who follows a book by level asks for it behind nearly every command.
  [[nodiscard]] Quantity total(Side side, Price price) const {
    const Level level = instrument_.ticks.level_or_none(price);
    return level == k_no_level ? Quantity{} : lit(side).total(level);
  }
  [[nodiscard]] Quantity displayed(Side side, Price price) const;
  [[nodiscard]] std::optional<Price> worst_reached(Side aggressor, std::optional<Price> limit, Quantity quantity) const;

  template <class Visit>
  void each_resting(Side side, Visit&& visit) const {
    each_of_queue(lit(side), visit);
    each_of_queue(hidden(side), visit);
    for (const EntryList* list : {&dark(side), &unlimited(side)})
      for (Slot slot = list->first(); slot != k_no_slot; slot = list->next(slot)) visit(resting_order(slot));
  }

  template <class Visit>
  void each_level(Side side, std::size_t most, Visit&& visit) const {
    const Queue& queue = lit(side);
    for (Level level = queue.best(); level != k_no_level && most != 0; level = queue.worse(level), --most) {
      const Price price = instrument_.ticks.price_of(level);
      visit(PriceLevel{price, displayed(side, price)}, queue.count(level));
    }
  }

  [[nodiscard]] std::uint64_t digest() const;
  [[nodiscard]] std::uint64_t state_digest() const;
  [[nodiscard]] const char* inconsistency(bool may_be_crossed = false) const;
  void save(StateWriter& out) const;
  [[nodiscard]] bool load(StateReader& in);

 private:
  template <class Visit>
  void each_of_queue(const Queue& queue, Visit& visit) const {
    for (Level level = queue.best(); level != k_no_level; level = queue.worse(level))
      for (Slot slot = queue.front(level); slot != k_no_slot; slot = queue.next(slot)) visit(resting_order(slot));
  }

  // Saving and loading (book_state.hpp).
  static void save_queue(StateWriter& out, const Queue& queue);
  static void save_list(StateWriter& out, const EntryList& list);
  [[nodiscard]] bool load_slot(StateReader& in, Side side, Place place, Slot& slot);
  [[nodiscard]] bool load_queue(StateReader& in, Queue& queue, Side side, Place place);
  [[nodiscard]] bool load_list(StateReader& in, EntryList& list, Side side, Place place);

  // Views (book_views.hpp).
  [[nodiscard]] const char* inconsistency_of(const Queue& queue, Side side, Place place, std::size_t levels,
                                             std::size_t& specials) const;
  [[nodiscard]] const char* inconsistency_of(const EntryList& list, Side side, Place place,
                                             std::size_t& specials) const;
  [[nodiscard]] const char* inconsistency_of(Slot slot, Side side, Place place) const;
};

}  // namespace dojima::book
