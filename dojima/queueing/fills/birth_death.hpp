#pragma once

// The queue at the best price as a birth-death process, after Cont, Stoikov and Talreja, "A stochastic model for order
// book dynamics", Operations Research 58 (2010), sections 3 and 4: orders of one size arrive at rate `arrival`, the
// first of the queue is executed at rate `execution`, and each that waits is cancelled at rate `cancel`. Times to an
// empty queue have Laplace transforms (a product for orders that only go, continued fractions for a queue that grows as
// well, after Abate and Whitt 1999), which are inverted numerically: fills within a time by the Euler method of Abate
// and Whitt, "Numerical inversion of Laplace transforms of probability distributions" (1995), and the race of both
// queues by the inversion integral along a line, with the trapezoid rule in a doubly stretched variable.
//
// What the paper does not have, and an order on a book with wide spreads needs: somebody improves on the order's price
// at rate `improvement`, which ends its time at the best price.
//
//   const double chance = filled_within(rates, 12, 10.0);         // twelve orders ahead, ten seconds
//   const double first = filled_before_move(rates, 12, 3);        // before the other queue, of three orders, is gone
//
// Error: filled_within 1e-8, filled_before_move 1e-9, both for up to 1,000 orders ahead. O(ahead + depth) a point of
// the inversion, of which there are about 30 + ahead / 2 and 250.

#include <cstdint>

namespace dojima::queueing {

/// Per second. A queue is as long as it is in orders of the mean size.
struct TouchRates {
  double arrival = 0;      ///< at the best price, one side; at least 0
  double execution = 0;    ///< of the first order of one side; above 0
  double cancel = 0;       ///< of each order that waits; at least 0
  double improvement = 0;  ///< orders at better prices, one side; at least 0
};

/// That an order with `ahead` orders in front of it is executed within `seconds` > 0, before its price is improved on.
[[nodiscard]] double filled_within(const TouchRates& rates, std::uint32_t ahead, double seconds);
/// That it is executed before the mid moves: before the other side's queue of `other` >= 1 orders is gone, and before
/// somebody improves on either price.
[[nodiscard]] double filled_before_move(const TouchRates& rates, std::uint32_t ahead, std::uint32_t other);

}  // namespace dojima::queueing
