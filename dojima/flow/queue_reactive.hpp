#pragma once

// A market whose events depend on the lengths of its queues, after Huang, Lehalle and Rosenbaum, "Simulating and
// analyzing order book data: the queue-reactive model", Journal of the American Statistical Association 110 (2015),
// model I: at each distance from the reference price orders of one size arrive, are cancelled and (at the best price)
// executed at rates that the length of that very queue decides. The reference price is the middle of the market, half a
// tick from the nearest prices. Where the middle is on a price, it is on the side to which the middle moved with the
// chance `follow` (the paper's theta), else where it was nearest. A queue that comes into view when it moves is as long
// as such queues were found, one that goes out of view is cancelled. The paper's books drawn anew are not here.
//
//   QueueReactiveMarket market(rates, reference_level, 7);
//   for (;;) { due += market.next(); for (const QueueReactiveChange& change : market.changes()) use(change); }
//
// Whole numbers only: a seed gives the same market on every machine. `next` is O(levels), and allocates nothing once
// its list of changes has grown.

#include <cstdint>
#include <span>
#include <vector>

#include "dojima/flow/random.hpp"
#include "dojima/market/order.hpp"

namespace dojima::flow {

/// Of one queue, in events per million seconds.
struct QueueRates {
  std::uint64_t limit = 0;
  std::uint64_t cancel = 0;     ///< of the queue as a whole; counts for nothing while it is empty
  std::uint64_t execution = 0;  ///< while it is the best of its side; likewise
  std::uint64_t occupancy = 0;  ///< weight of queues of this length, among those at this distance
  friend bool operator==(const QueueRates&, const QueueRates&) = default;
};

/// The model: for each class of distances and each length of the queue, in orders.
struct QueueReactiveRates {
  /// The last distance of each class, in ticks from the reference price, where 1 is the nearest price on a side;
  /// rising.
  std::vector<std::uint32_t> distances;
  std::uint32_t lengths = 0;      ///< 2 or more: lengths 0, 1, ..., and the last one for all that are longer
  std::vector<QueueRates> rates;  ///< by class, then by length
  std::uint32_t follow = 500;     ///< thousandths, see above
  friend bool operator==(const QueueReactiveRates&, const QueueReactiveRates&) = default;

  [[nodiscard]] std::uint32_t levels() const noexcept { return distances.empty() ? 0 : distances.back(); }
  [[nodiscard]] const QueueRates& of(std::size_t distance_class, std::uint32_t length) const noexcept {
    return rates[distance_class * lengths + (length < lengths ? length : lengths - 1)];
  }
};

/// What is wrong with them, in one line; empty: nothing. At most 1,000 levels and 1,000 lengths, rates below 10^15, and
/// orders must arrive at some queue that is empty.
[[nodiscard]] const char* trouble_of(const QueueReactiveRates& rates) noexcept;

struct QueueReactiveChange {
  enum class Kind : std::uint8_t { added, cancelled, executed };
  Kind kind = Kind::added;
  market::Side side = market::Side::none;
  std::int64_t level = 0;   ///< price in ticks
  std::uint32_t place = 0;  ///< of the order in its queue, 0: the first
  friend bool operator==(const QueueReactiveChange&, const QueueReactiveChange&) = default;
};

class QueueReactiveMarket {
 public:
  /// A book drawn from the occupancies, around the price half a tick above `reference`. Throws std::invalid_argument
  /// for rates with trouble. `rates` outlive the market.
  QueueReactiveMarket(const QueueReactiveRates& rates, std::int64_t reference, std::uint64_t seed);

  /// A book with these best queues, none between them and the others drawn: for who starts from what is there. Its own
  /// side is `side`; `spread` in ticks, at least 1; queues at least 1 order each; level 0 is the own best price.
  void restart(market::Side side, std::uint32_t own, std::uint32_t other, std::int64_t spread, std::uint64_t seed);

  /// Carries the next event out; nanoseconds until it happens.
  std::int64_t next();
  /// What the last `next` did, in order: the event, then what the moved reference price did.
  [[nodiscard]] std::span<const QueueReactiveChange> changes() const noexcept { return changes_; }

  /// Orders at `level`; 0 out of view.
  [[nodiscard]] std::uint32_t length(market::Side side, std::int64_t level) const noexcept;
  /// The best level of a side; false: it is empty.
  [[nodiscard]] bool best(market::Side side, std::int64_t& level) const noexcept;
  [[nodiscard]] std::int64_t reference() const noexcept { return reference_; }
  /// The furthest level in view.
  [[nodiscard]] std::int64_t furthest(market::Side side) const noexcept;

 private:
  /// The queues of one side, by distance.
  struct Queues {
    std::vector<std::uint32_t> lengths;
    std::vector<std::uint64_t> rates;  // of all that may happen there
    std::uint64_t total = 0;
    std::size_t best = 0;  // lengths.size(): none
  };

  [[nodiscard]] Queues& on(market::Side side) noexcept { return sides_[side == market::Side::buy ? 0 : 1]; }
  [[nodiscard]] const Queues& on(market::Side side) const noexcept { return sides_[side == market::Side::buy ? 0 : 1]; }
  [[nodiscard]] std::int64_t level_at(market::Side side, std::size_t at) const noexcept;
  [[nodiscard]] std::uint32_t drawn_length(std::size_t at);
  void draw_all();
  void refresh(market::Side side);
  void refresh_changed(market::Side side, std::size_t at);
  void note_middle() noexcept;
  void follow_middle();
  void shift(market::Side side, std::int64_t further);

  const QueueReactiveRates* rates_;
  std::vector<std::uint32_t> class_of_;     // by distance
  std::vector<std::uint64_t> occupancies_;  // sums, by class
  Queues sides_[2];
  std::int64_t reference_ = 0;  // bids at this level and below, asks above
  std::int64_t doubled_mid_ = 0;
  Random random_;
  std::vector<QueueReactiveChange> changes_;
};

}  // namespace dojima::flow
