#pragma once

// What is refused, and why. Nothing changes until every check has passed.

#include <cstddef>
#include <optional>

#include "dojima/book/parts/book_data.hpp"
#include "dojima/market/command.hpp"

namespace dojima::book {

template <SideQueue Queue>
class BookChecks : public BookData<Queue> {
  using Base = BookData<Queue>;

 protected:
  // Of the parts below.
  using Base::find_own;
  using Base::has_exact_middles_;
  using Base::hidden;
  using Base::instrument_;
  using Base::is_within;
  using Base::last_trade_;
  using Base::limits_;
  using Base::lit;
  using Base::orders_;
  using Base::phase_;
  using Base::reference_;
  using Base::rules_;
  using Base::stops;

 public:
  using Base::Base;

  [[nodiscard]] Reason refusal(const market::NewOrder& command) const;
  [[nodiscard]] Reason refusal(const market::Replace& command) const;

 protected:
  [[nodiscard]] static bool is_plain(const market::NewOrder& command) noexcept;
  [[nodiscard]] Reason check_new(const market::NewOrder& command, const market::OrderTerms& terms, Level& level) const;
  [[nodiscard]] Reason check_replace(const market::Replace& command, Slot slot) const;
  [[nodiscard]] Reason check_price(Price price, Level& level) const;
  [[nodiscard]] Quantity reachable(Side aggressor, Level limit, Quantity enough) const;
  [[nodiscard]] bool is_peak(const market::OrderTerms& terms) const;
  [[nodiscard]] bool keeps_place(const market::OrderTerms& terms, Slot slot) const;
  [[nodiscard]] market::OrderTerms changed_terms(const market::Replace& command, Slot slot) const;
  [[nodiscard]] std::optional<Price> offset_price(const market::OrderTerms& terms) const;
  [[nodiscard]] std::optional<Level> tick_beside(Price price, Side towards) const;

 private:
  [[nodiscard]] Reason check_kind(const market::NewOrder& command) const;
  [[nodiscard]] Reason check_combination(const market::NewOrder& command) const;
  [[nodiscard]] Reason check_phase(const market::OrderTerms& terms) const;
  [[nodiscard]] Reason check_prices(const market::OrderTerms& terms, Level& level) const;
  [[nodiscard]] Reason check_distance(Price distance) const;
  [[nodiscard]] Reason check_link(const market::NewOrder& command) const;
  [[nodiscard]] Reason check_level(const market::OrderTerms& terms, Level level, Slot from) const;
  [[nodiscard]] bool has_level_for_rest(const Queue& queue, Side side, Level limit, Quantity quantity,
                                        std::size_t freed) const;
};

}  // namespace dojima::book
