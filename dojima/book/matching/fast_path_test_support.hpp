#pragma once

// Whether an order took the fast path, and a book that has one beside a book whose fast path is forbidden.

#include <gtest/gtest.h>
#include <vector>

#include "dojima/book/book_test_support.hpp"

namespace dojima::book::testing {

/// The fast path writes no terms into an order's record; the general path does.
[[nodiscard]] inline bool took_fast_path(const World& world, OrderId order) {
  const std::uint8_t state = world.orders[world.orders.find(order)].state;
  return (state & k_compact) != 0 && (state & k_expanded) == 0;
}

/// A world whose fast path is forbidden, beside one that has it.
struct BothPaths {
  explicit BothPaths(const WorldOptions& options = {}) : fast(options), general(options) {
    general.book.forbid_fast_path();
  }
  /// What both say.
  template <class Command>
  std::vector<BookReport> apply(const Command& command) {
    const auto reports = fast.apply(command);
    EXPECT_EQ(general.apply(command), reports);
    EXPECT_EQ(general.book.state_digest(), fast.book.state_digest());
    return reports;
  }
  std::vector<BookReport> enter(const OrderArguments& order) { return apply(make_order(order)); }
  void check_tables() { EXPECT_EQ(general.orders.digest(), fast.orders.digest()); }

  World fast, general;
};

}  // namespace dojima::book::testing
