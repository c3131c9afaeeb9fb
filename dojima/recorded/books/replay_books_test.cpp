// The books of all keepers over the same random orders.

#include "dojima/recorded/books/replay_books.hpp"

#include <array>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "dojima/flow/random.hpp"

namespace dojima::recorded {
namespace {

using market::Side;

/// Adds away from the other side, so that nothing trades in a book that matches, reductions and removals.
class QuietDay {
 public:
  explicit QuietDay(std::uint64_t seed) : random_(seed) {}

  RecordedEvent next() {
    const std::uint64_t pick = random_.below(10);
    if (live_.empty() || pick < 5) {
      const Side side = random_.below(2) == 0 ? Side::buy : Side::sell;
      const auto away = static_cast<std::int64_t>(1 + random_.below(12));
      const auto quantity = static_cast<std::int64_t>(1 + random_.below(50));
      live_[++last_] = quantity;
      return {.order = last_,
              .price = 1'000 + (side == Side::buy ? -away : away) * 5,
              .quantity = quantity,
              .kind = EventKind::add,
              .side = side,
              .flags = k_last};
    }
    const auto order = std::next(live_.begin(), static_cast<std::ptrdiff_t>(random_.below(live_.size())));
    RecordedEvent event{.order = order->first, .kind = EventKind::remove, .flags = k_last};
    if (pick < 7 && order->second > 1) {
      event.kind = EventKind::reduce;
      event.quantity = 1;
      --order->second;
    } else {
      live_.erase(order);
    }
    return event;
  }

 private:
  flow::Random random_;
  std::map<std::uint64_t, std::int64_t> live_;
  std::uint64_t last_ = 0;
};

TEST(ReplayBooks, of_every_keeper_have_the_first_level_as_their_best) {
  const std::vector<RecordedInstrument> instruments = {{.symbol = "RICE", .tick = 5}};
  std::array<std::unique_ptr<ReplayBooks>, 3> keepers;
  for (std::size_t at = 0; at < keepers.size(); ++at)
    keepers[at] = make_replay_books({.keeper = static_cast<Keeper>(at), .orders = 1 << 12});
  for (const auto& books : keepers) EXPECT_FALSE(books->best(0, Side::buy).has_value());
  QuietDay day(7);
  for (int step = 0; step < 1'500; ++step) {
    const RecordedEvent event = day.next();
    for (const auto& books : keepers) books->apply({&event, 1}, instruments);
    for (const Side side : {Side::buy, Side::sell}) {
      DepthLevel expected;
      const bool is_there = keepers[0]->levels(0, side, {&expected, 1}) == 1;
      for (std::size_t at = 0; at < keepers.size(); ++at) {
        DepthLevel first;
        ASSERT_EQ(keepers[at]->levels(0, side, {&first, 1}) == 1, is_there) << "keeper " << at << ", step " << step;
        const auto best = keepers[at]->best(0, side);
        ASSERT_EQ(best.has_value(), is_there) << "keeper " << at << ", step " << step;
        if (!is_there) continue;
        ASSERT_EQ(*best, expected) << "keeper " << at << ", step " << step;
        ASSERT_EQ(first, expected) << "keeper " << at << ", step " << step;
      }
    }
  }
  EXPECT_EQ(keepers[0]->digest(), keepers[1]->digest());
  EXPECT_EQ(keepers[0]->digest(), keepers[2]->digest());
}

}  // namespace
}  // namespace dojima::recorded
