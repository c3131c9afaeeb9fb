#pragma once

// The same commands for a book of each storage, over as many prices as there may be.

#include <gtest/gtest.h>
#include <limits>
#include <vector>

#include "dojima/book/book_test_support.hpp"
#include "dojima/book/storages.hpp"

namespace dojima::book::testing {

inline constexpr std::int64_t k_highest =
    std::numeric_limits<std::int32_t>::max() - 1;  // as many ticks as there may be

[[nodiscard]] inline market::Instrument widest_instrument() {
  return {.id = k_instrument,
          .symbol = "WIDE",
          .ticks = market::TickTable::uniform({1}, {0}, {k_highest}).value(),
          .maximum_quantity = {k_largest}};
}

/// One storage with all that belongs to it, and a mirror of it from its reports.
template <class Storage>
struct WideEntrant {
  explicit WideEntrant(const market::Instrument& instrument, const WorldOptions& options)
      : orders({.capacity = options.orders, .owners = 8}),
        mirrored({.capacity = options.orders, .ids = Ids::foreign}),
        book(instrument, orders, collector, {.levels = options.levels}),
        mirror(instrument, mirrored, silent, {.levels = options.levels}) {}

  template <class Command>
  void apply(std::uint64_t sequence, const Command& command) {
    collector.reports.clear();
    collector.begin({sequence}, {});
    book.apply(command);
    collector.finish();
    for (const BookReport& report : collector.reports) ASSERT_TRUE(mirror.mirror(report)) << sequence;
  }
  void check() const {
    ASSERT_EQ(book.inconsistency(), nullptr) << book.inconsistency();
    ASSERT_EQ(mirror.inconsistency(), nullptr) << mirror.inconsistency();
    ASSERT_EQ(mirror.digest(), book.digest());
  }

  OrderTable orders, mirrored;
  Collector collector{7}, silent{1};
  Storage book, mirror;
};

class Storages {
 public:
  explicit Storages(const WorldOptions& options)
      : instrument_(widest_instrument()),
        map_(instrument_, options),
        pooled_(instrument_, options),
        intrusive_(instrument_, options),
        ladder_(instrument_, options) {}

  /// To all of them; what they said, which is the same.
  template <class Command>
  const std::vector<BookReport>& apply(const Command& command) {
    ++sequence_;
    each([&](auto& entrant) { entrant.apply(sequence_, command); });
    each([&](auto& entrant) {
      EXPECT_EQ(entrant.collector.reports, ladder_.collector.reports) << "command " << sequence_;
    });
    return ladder_.collector.reports;
  }
  void check() {
    each([&](auto& entrant) {
      entrant.check();
      ASSERT_EQ(entrant.book.digest(), ladder_.book.digest()) << "after command " << sequence_;
      ASSERT_EQ(entrant.orders.digest(), ladder_.orders.digest()) << "after command " << sequence_;
    });
  }
  [[nodiscard]] const LadderBook& ladder() const { return ladder_.book; }

 private:
  template <class Function>
  void each(Function function) {
    function(map_);
    function(pooled_);
    function(intrusive_);
    function(ladder_);
  }

  market::Instrument instrument_;
  WideEntrant<MapBook> map_;
  WideEntrant<PooledBook> pooled_;
  WideEntrant<IntrusiveBook> intrusive_;
  WideEntrant<LadderBook> ladder_;
  std::uint64_t sequence_ = 0;
};

[[nodiscard]] inline market::NewOrder limit_order(Side side, std::int64_t lots, std::int64_t price,
                                                  TimeInForce time_in_force = TimeInForce::day) {
  market::NewOrder command = make_order({.side = side, .lots = lots, .time_in_force = time_in_force});
  command.terms.limit = {price};
  return command;
}

}  // namespace dojima::book::testing
