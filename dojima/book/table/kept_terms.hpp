#pragma once

// The terms of orders: those of a compact order lie in its cache line, and its record here is written when somebody
// reads it; those of all others lie in their record. Memory that costs nothing until it is used.

#include <cstddef>
#include <cstdint>

#include "dojima/base/large_array.hpp"
#include "dojima/book/table/order.hpp"
#include "dojima/market/order.hpp"
#include "dojima/time/time.hpp"

namespace dojima::book {

class KeptTerms {
 public:
  /// Throws std::bad_alloc.
  explicit KeptTerms(std::size_t capacity, Memory memory = Memory::untouched) : records_(capacity, memory) {}

  // `at`: the order's slot.

  /// Writes the record of a compact order if it is not there yet.
  [[nodiscard]] const market::OrderTerms& of(Order& order, std::size_t at) noexcept {
    if ((order.state & (k_compact | k_expanded)) == k_compact) [[unlikely]] {
      expand(order, records_[at]);
    }
    return records_[at];
  }
  /// To be changed: the order is not compact any more.
  [[nodiscard]] market::OrderTerms& change(Order& order, std::size_t at) noexcept {
    static_cast<void>(of(order, at));
    order.state &= static_cast<std::uint8_t>(~(k_compact | k_expanded));
    return records_[at];
  }
  /// Makes an order compact if its terms are those of a plain one. It must not be special.
  void compact(Order& order, std::size_t at) const noexcept;
  /// The record of an order that is not compact, or its expiry alone.
  void set(std::size_t at, const market::OrderTerms& terms) noexcept { records_[at] = terms; }
  void set_expiry(std::size_t at, time::Time expiry) noexcept { records_[at].expiry = expiry; }

  // Single terms, without writing the record of a compact order, or looking at it.

  [[nodiscard, gnu::always_inline]] RepeatedTerms repeated(const Order& order, std::size_t at) const noexcept {
    if (order.is_compact()) [[likely]]
      return {{}, order.plain.capacity, order.plain.peg, order.plain.owner_type};
    const market::OrderTerms& terms = records_[at];
    return {terms.minimum, terms.capacity, terms.peg, terms.owner_type};
  }
  [[nodiscard]] Price limit(const Order& order, std::size_t at) const noexcept {
    return order.is_compact() ? order.limit : records_[at].limit;
  }
  [[nodiscard]] Quantity quantity(const Order& order, std::size_t at) const noexcept {
    return order.is_compact() ? order.quantity : records_[at].quantity;
  }
  [[nodiscard]] std::uint8_t group(const Order& order, std::size_t at) const noexcept {
    return order.is_compact() ? order.plain.group : records_[at].group;
  }
  [[nodiscard]] std::uint8_t flags(const Order& order, std::size_t at) const noexcept {
    return order.is_compact() ? order.plain.flags : records_[at].flags;
  }

 private:
  static void expand(Order& order, market::OrderTerms& terms) noexcept;

  LargeArray<market::OrderTerms> records_;
};

}  // namespace dojima::book
