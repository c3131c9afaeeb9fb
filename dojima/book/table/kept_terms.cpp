#include "dojima/book/table/kept_terms.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::book {
namespace {

[[nodiscard]] constexpr bool has_expiry(market::TimeInForce time_in_force) noexcept {
  return time_in_force == market::TimeInForce::good_till_date || time_in_force == market::TimeInForce::good_till_time;
}

}  // namespace

/// Writes the record of a compact order; only an expiry is there already.
void KeptTerms::expand(Order& order, market::OrderTerms& terms) noexcept {
  const PlainTerms& plain = order.plain;
  const time::Time expiry = has_expiry(plain.time_in_force) ? terms.expiry : time::Time{};
  terms = {.limit = order.limit,
           .quantity = order.quantity,
           .displayed = order.quantity,
           .expiry = expiry,
           .owner = order.owner,
           .group = plain.group,
           .side = order.side,
           .type = plain.type,
           .time_in_force = plain.time_in_force,
           .capacity = plain.capacity,
           .peg = plain.peg,
           .flags = plain.flags,
           .owner_type = plain.owner_type};
  order.state |= k_expanded;
}

void KeptTerms::compact(Order& order, std::size_t at) const noexcept {
  DOJIMA_ASSERT(!order.is_special(), "a special order has more than plain terms", order.state);
  if (order.is_compact()) return;
  const market::OrderTerms& terms = records_[at];
  const bool is_plain = terms.stop.units == 0 && terms.displayed == terms.quantity && terms.minimum.lots == 0 &&
                        terms.offset_bp == 0 && terms.passive == 0 && terms.sub_type == market::OrderSubType::plain &&
                        (terms.flags & market::k_all_or_none) == 0;
  if (!is_plain) return;
  order.limit = terms.limit;
  order.quantity = terms.quantity;
  order.plain = {.type = terms.type,
                 .time_in_force = terms.time_in_force,
                 .group = terms.group,
                 .capacity = terms.capacity,
                 .peg = terms.peg,
                 .flags = terms.flags,
                 .owner_type = terms.owner_type};
  order.state |= k_compact | k_expanded;
}

}  // namespace dojima::book
