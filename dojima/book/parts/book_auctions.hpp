#pragma once

// The phases of a day: orders that are collected, what an auction would give, and the uncross.

#include <optional>

#include "dojima/book/parts/book_places.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookAuctions : public BookPlaces<Queue> {
  using Base = BookPlaces<Queue>;

 protected:
  // Of the parts below.
  using Base::cancel_linked;
  using Base::cross_price_;
  using Base::displayed_of;
  using Base::end;
  using Base::entries_;
  using Base::far_looks_;
  using Base::finish;
  using Base::follow;
  using Base::has_auction_orders_;
  using Base::hidden;
  using Base::indicative_;
  using Base::instrument_;
  using Base::is_collected_;
  using Base::is_counting_;
  using Base::is_within;
  using Base::last_trade_;
  using Base::levels_;
  using Base::limits_;
  using Base::lit;
  using Base::make_special;
  using Base::offset_price;
  using Base::orders_;
  using Base::phase_;
  using Base::reference_;
  using Base::replenish;
  using Base::report;
  using Base::report_book;
  using Base::report_plain;
  using Base::reports_;
  using Base::resize;
  using Base::rest;
  using Base::set_bars;
  using Base::specials_;
  using Base::take_out;
  using Base::take_out_and_finish;
  using Base::tick_beside;
  using Base::traded_high_;
  using Base::traded_low_;
  using Base::unlimited;
  using Base::unlink;

 public:
  using Base::Base;

 protected:
  void leave_phase(const market::PhaseChange& command);
  void begin_phase(const market::PhaseChange& command);
  void collect(Slot slot);
  void settle_phase();
  void count_levels(Level middle);
  [[nodiscard]] Level expected_level() const;
  [[nodiscard]] Quantity shown_in_cross(Slot slot) const;

 private:
  void append_unlimited(Slot slot);
  void uncross();
  [[nodiscard]] Quantity cross(Price price);
  [[nodiscard]] Quantity cross_plain(Price price);
  [[nodiscard]] bool is_plain_in_front(Slot slot) const;
  [[nodiscard]] Slot first_at(Side side, Level limit) const;
  void trade_both(Slot buyer, Slot seller, Price price, Quantity quantity);
  void take_off(Slot slot, Quantity quantity);
  void end_traded(Slot slot);
  void end_collected(std::optional<Price> price);
  [[nodiscard]] Auction auction_now();
  [[nodiscard]] Level nearest(Price price, Level first, Level last) const;
};

}  // namespace dojima::book
