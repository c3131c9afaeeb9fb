#pragma once

// Orders that wait outside the book, for a price, a phase or somebody to trade with, and what wakes them.

#include <cstdint>

#include "dojima/book/parts/book_matching.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookWaiting : public BookMatching<Queue> {
  using Base = BookMatching<Queue>;

 protected:
  // Of the parts below.
  using Base::cancel_linked;
  using Base::collect;
  using Base::dark_asks_;
  using Base::dark_bids_;
  using Base::enter;
  using Base::entries_;
  using Base::instrument_;
  using Base::last_trade_;
  using Base::make_special;
  using Base::middle;
  using Base::middle_;
  using Base::orders_;
  using Base::phase_;
  using Base::report;
  using Base::settle_phase;
  using Base::stops;
  using Base::take_out;
  using Base::tradable;
  using Base::traded_high_;
  using Base::traded_low_;
  using Base::trailing_;
  using Base::unlink;
  using Base::waiting_;

 public:
  using Base::Base;

  void settle();

 protected:
  void park(Slot slot);
  void wait(Slot slot);
  void enter_waiting();
  [[nodiscard]] bool is_triggered(const market::OrderTerms& terms) const;
  void trigger(Slot slot, std::uint8_t flags);

 private:
  [[nodiscard]] Slot next_triggered() const;
  [[nodiscard]] Slot next_waking();
};

}  // namespace dojima::book
