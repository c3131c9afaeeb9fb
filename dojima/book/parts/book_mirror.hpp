#pragma once

// Rebuilding a book from reports, or by slot from whatever somebody else says of its orders.

#include <optional>

#include "dojima/book/parts/book_fast_path.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookMirror : public BookFastPath<Queue> {
  using Base = BookFastPath<Queue>;

 protected:
  // Of the parts below.
  using Base::crossings_;
  using Base::dark;
  using Base::displayed_of;
  using Base::end;
  using Base::entries_;
  using Base::find_own;
  using Base::forget_largest;
  using Base::hidden;
  using Base::hidden_asks_;
  using Base::hidden_bids_;
  using Base::instrument_;
  using Base::is_collected_;
  using Base::is_counting_;
  using Base::limits_;
  using Base::lit;
  using Base::make_plain;
  using Base::make_special;
  using Base::maximum_quantity_;
  using Base::orders_;
  using Base::phase_;
  using Base::resize;
  using Base::shown_in_cross;
  using Base::specials_;
  using Base::take_out;
  using Base::unlimited;

 public:
  using Base::Base;
  using Base::best;

  [[nodiscard]] bool mirror(const market::BookReport& report);
  [[nodiscard]] Slot place(Side side, Price price, Quantity quantity);
  void change(Slot slot, Quantity leaves);
  void remove(Slot slot);

 protected:
  [[nodiscard]] std::optional<Price> best_in_levels(Side side) const;

 private:
  [[nodiscard]] bool mirror_any(const market::BookReport& report);
  void look_for_crossing(OrderId order);
  [[nodiscard]] bool mirror_phase(const market::BookReport& report);
  [[nodiscard]] bool mirror_cross(Slot buyer, const market::BookReport& report);
  [[nodiscard]] bool mirror_added(const market::BookReport& report);
  [[nodiscard]] bool mirror_change(Slot slot, const market::BookReport& report);
  void mirror_displayed(Slot slot, Quantity displayed);
  void mirror_removed(Slot slot);
  [[nodiscard]] Slot place(Side side, Price price, Quantity quantity, OrderId foreign);
};

}  // namespace dojima::book
