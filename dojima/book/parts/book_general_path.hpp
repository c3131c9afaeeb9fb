#pragma once

// Commands in a book in which everything is possible.

#include <cstdint>
#include <span>

#include "dojima/book/parts/book_waiting.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookGeneralPath : public BookWaiting<Queue> {
  using Base = BookWaiting<Queue>;

 protected:
  // Of the parts below.
  using Base::begin_phase;
  using Base::changed_terms;
  using Base::check_new;
  using Base::check_price;
  using Base::check_replace;
  using Base::displayed_of;
  using Base::enter;
  using Base::enter_waiting;
  using Base::find_own;
  using Base::forget_largest;
  using Base::instrument_;
  using Base::is_counting_;
  using Base::is_plain;
  using Base::is_triggered;
  using Base::keeps_place;
  using Base::leave_phase;
  using Base::levels_;
  using Base::limits_;
  using Base::lit;
  using Base::make_special;
  using Base::orders_;
  using Base::park;
  using Base::phase_;
  using Base::reject;
  using Base::report;
  using Base::report_plain;
  using Base::resize;
  using Base::rules_;
  using Base::settle_phase;
  using Base::specials_;
  using Base::take_out;
  using Base::take_out_and_finish;
  using Base::trigger;
  using Base::wait;

 public:
  using Base::Base;
  using Base::settle;

  void apply(const market::MassCancel& command);
  void apply(const market::Expire& command);
  void apply(const market::PhaseChange& command);
  void cancel(OrderId order, Reason reason);
  void expire(OrderId order, Reason reason);

 protected:
  void apply_general(const market::NewOrder& command);
  void apply_general(const market::Replace& command);
  void apply_general(const market::Cancel& command);

 private:
  void collect_plain(const market::NewOrder& command);
  void change_in_place(Slot slot, const market::OrderTerms& terms);
  void move(Slot slot, const market::OrderTerms& terms, std::uint8_t passive);
  template <class Fits>
  void end_all(market::BookReportKind kind, Reason reason, std::span<const Slot> ending, Fits fits);
};

}  // namespace dojima::book
