#pragma once

// What an order's terms mean to a book, read off them alone.

#include <cstdint>
#include <limits>
#include <utility>

#include "dojima/book/auction.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/command.hpp"

namespace dojima::book {

/// The level beyond every level on the aggressor's side: no limit.
[[nodiscard]] constexpr Level no_limit(Side aggressor) noexcept {
  return Level{aggressor == Side::buy ? std::numeric_limits<std::int32_t>::max()
                                      : std::numeric_limits<std::int32_t>::min()};
}

[[nodiscard]] constexpr bool is_lasting(market::TimeInForce time_in_force) noexcept {
  using market::TimeInForce;
  return time_in_force == TimeInForce::day || time_in_force == TimeInForce::good_till_cancel ||
         time_in_force == TimeInForce::good_till_date || time_in_force == TimeInForce::good_till_time;
}

[[nodiscard]] constexpr bool is_timed(market::TimeInForce time_in_force) noexcept {
  return time_in_force == market::TimeInForce::good_till_date || time_in_force == market::TimeInForce::good_till_time;
}

[[nodiscard]] constexpr bool is_pegged(const market::OrderTerms& terms) noexcept {
  return terms.sub_type == market::OrderSubType::pegged;
}

[[nodiscard]] constexpr bool is_all_or_none(const market::OrderTerms& terms) noexcept {
  return (terms.flags & market::k_all_or_none) != 0;
}

/// Whether a mass cancel means orders of this kind.
[[nodiscard]] constexpr bool is_meant(market::MassCancelOf of, const market::OrderTerms& terms) noexcept {
  const bool is_quote = (terms.flags & market::k_quote) != 0;
  return of == market::MassCancelOf::orders_and_quotes || is_quote == (of == market::MassCancelOf::quotes);
}

/// Whether the order, when it rests, is outside the levels.
[[nodiscard]] constexpr bool is_dark(const market::OrderTerms& terms) noexcept {
  return is_pegged(terms) || is_all_or_none(terms) || terms.minimum.lots != 0;
}

[[nodiscard]] constexpr bool is_offset(const market::OrderTerms& terms) noexcept {
  return terms.sub_type == market::OrderSubType::offset;
}

/// The largest offset either way, in basis points.
inline constexpr std::int32_t k_largest_offset = 10'000;

[[nodiscard]] constexpr bool is_offset_in_range(std::int32_t basis_points) noexcept {
  return basis_points >= -k_largest_offset && basis_points <= k_largest_offset;
}

[[nodiscard]] constexpr bool is_stop(const market::OrderTerms& terms) noexcept {
  return terms.type == market::OrderType::stop || terms.type == market::OrderType::stop_limit;
}

[[nodiscard]] constexpr bool has_limit(const market::OrderTerms& terms) noexcept {
  return terms.type == market::OrderType::limit || terms.type == market::OrderType::stop_limit;
}

/// Whether what is left of the order, once it has traded what it can, stays in the book.
[[nodiscard]] constexpr bool may_rest(const market::OrderTerms& terms) noexcept {
  return (terms.type == market::OrderType::limit || is_pegged(terms)) && is_lasting(terms.time_in_force);
}

/// Whether the order will show in the book one day, so that its displayed quantity means something.
[[nodiscard]] constexpr bool may_display(const market::OrderTerms& terms) noexcept {
  return (has_limit(terms) || terms.type == market::OrderType::market_to_limit) &&
         (is_lasting(terms.time_in_force) || is_for_auctions(terms.time_in_force)) && !is_dark(terms);
}

[[nodiscard]] constexpr bool is_passive_rule(std::uint8_t rule) noexcept {
  return rule <= 3 || rule == 99 || rule == 100;
}

/// The terms as the book keeps them: what means nothing for this order has its neutral value.
[[nodiscard]] inline market::OrderTerms kept_terms(const market::NewOrder& command) noexcept {
  market::OrderTerms terms = command.terms;
  terms.owner = command.header.user;
  if (!has_limit(terms)) terms.limit = {};
  if (!is_stop(terms) && terms.type != market::OrderType::trailing_stop && !is_pegged(terms)) terms.stop = {};
  if (!is_timed(terms.time_in_force)) terms.expiry = {};
  if (!may_display(terms)) terms.displayed = terms.quantity;
  // It has no price before its auction; the limit that was given is kept apart.
  if (is_offset(terms)) terms.stop = std::exchange(terms.limit, Price{});
  return terms;
}

/// A price moved by a distance, held inside the type.
[[nodiscard]] inline Price moved(Price price, std::int64_t distance) noexcept {
  Price result;
  if (__builtin_add_overflow(price.units, distance, &result.units))
    result.units = distance > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
  return result;
}

}  // namespace dojima::book
