#pragma once

// How an order enters a book in which everything is possible, and whom it trades with.

#include <cstdint>
#include <optional>

#include "dojima/book/parts/book_auctions.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookMatching : public BookAuctions<Queue> {
  using Base = BookAuctions<Queue>;

 protected:
  // Of the parts below.
  using Base::cancel_linked;
  using Base::collect;
  using Base::dark;
  using Base::displayed_of;
  using Base::end;
  using Base::finish;
  using Base::follow;
  using Base::hidden;
  using Base::instrument_;
  using Base::is_within;
  using Base::lit;
  using Base::middle_;
  using Base::orders_;
  using Base::phase_;
  using Base::replenish;
  using Base::report;
  using Base::resize;
  using Base::rest;
  using Base::rules_;
  using Base::take_out;
  using Base::take_out_and_finish;
  using Base::unlink;

 public:
  using Base::Base;
  using Base::best;

 protected:
  /// How far an aggressor goes.
  struct Reach {
    Side side;
    std::optional<Price> limit;  // none: any price
    [[nodiscard]] bool meets(Price price) const noexcept {
      return !limit || (side == Side::buy ? price <= *limit : price >= *limit);
    }
  };

  void enter(Slot slot, std::uint8_t passive);
  void conclude(Slot slot);
  [[nodiscard]] bool match(Slot aggressor);
  [[nodiscard]] bool is_own(Slot one, Slot other) const;
  [[nodiscard]] Quantity tradable(Slot aggressor) const;
  [[nodiscard]] std::optional<Price> middle() const;

 private:
  /// The resting orders of a side from the best to the worst: by price, then lit, hidden, dark, then time.
  struct Walk {
    Side side = Side::none;
    Slot lit = k_no_slot;
    Slot hidden = k_no_slot;
    Slot dark = k_no_slot;
  };
  struct Candidate {
    Slot slot = k_no_slot;
    Price price;
  };

  [[nodiscard]] bool is_shared_out() const noexcept {
    return rules_.policy == Policy::pro_rata || rules_.policy == Policy::top_pro_rata;
  }
  void share_out(Slot aggressor, Level level);
  void trade(Slot aggressor, Slot resting, Price price, Quantity quantity);
  [[nodiscard]] bool prevent(Slot aggressor, Slot resting);
  void reduce(Slot slot, Slot other, Quantity quantity);
  [[nodiscard]] Slot first_own(Level level, Slot taker) const;
  [[nodiscard]] Candidate first_eligible(Slot aggressor) const;
  [[nodiscard]] bool is_eligible(Slot aggressor, Slot resting, Quantity left) const;
  [[nodiscard]] bool is_passive(const market::OrderTerms& terms, std::uint8_t rule) const;
  [[nodiscard]] Reach reach_of(Slot slot) const;
  [[nodiscard]] Walk walk(Side side) const;
  [[nodiscard]] Candidate current(const Walk& walk) const;
  void advance(Walk& walk, Slot slot) const;
  [[nodiscard]] Slot largest(const Queue& queue, Level level) const;
  [[nodiscard]] Slot next_dark(Side side, Slot after) const;
  [[nodiscard]] std::optional<Price> dark_price(Slot slot) const;
};

}  // namespace dojima::book
