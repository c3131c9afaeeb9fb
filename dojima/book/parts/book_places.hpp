#pragma once

// Where an order rests, how it leaves, and how it ends.

#include <array>
#include <cstdint>

#include "dojima/book/parts/book_checks.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookPlaces : public BookChecks<Queue> {
  using Base = BookChecks<Queue>;

 protected:
  // Of the parts below.
  using Base::bars_;
  using Base::dark;
  using Base::dark_asks_;
  using Base::dark_bids_;
  using Base::dark_ranks_;
  using Base::entries_;
  using Base::forget_largest;
  using Base::hidden;
  using Base::instrument_;
  using Base::is_counting_;
  using Base::k_forbidden;
  using Base::last_trade_;
  using Base::levels_;
  using Base::limits_;
  using Base::lit;
  using Base::orders_;
  using Base::phase_;
  using Base::random_;
  using Base::rank_of;
  using Base::report;
  using Base::rules_;
  using Base::specials_;
  using Base::stops;
  using Base::traded_high_;
  using Base::traded_low_;
  using Base::trailing_;
  using Base::unlimited;
  using Base::waiting_;

 public:
  using Base::Base;

 protected:
  /// What keeps plain commands off the fast path, whatever they are.
  struct Bars {
    std::uint64_t word = 0;  // not 0: something does
    std::array<std::int64_t, 2> dark_ranks{BookData<Queue>::k_beyond_all, BookData<Queue>::k_beyond_all};
    friend bool operator==(const Bars&, const Bars&) = default;
  };

  void rest(Slot slot);
  void take_out(Slot slot);
  void resize(Slot slot, Quantity change);
  void end(Slot slot);
  void finish(Slot slot, market::BookReportKind kind, Reason reason, std::uint8_t flags);
  void take_out_and_finish(Slot slot, market::BookReportKind kind, Reason reason);
  void cancel_linked(OrderId linked);
  OrderId unlink(Slot slot);
  OrderExtra& make_special(Slot slot);
  void make_plain(Slot slot);
  void replenish(Slot slot);
  void follow(Price price);
  [[nodiscard]] Bars bars_now() const;
  void set_bars();

 private:
  [[nodiscard]] Quantity drawn_peak(const market::OrderTerms& terms);
  void count_change(Slot slot, Quantity change);
};

}  // namespace dojima::book
