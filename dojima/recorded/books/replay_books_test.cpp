// The books of all keepers over the same random orders.

#include "dojima/recorded/books/replay_books.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <optional>
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

/// Recorded orders as plainly as it gets: lists in maps, searched from the front.
class PlainBook {
 public:
  struct One {
    std::uint64_t id;
    std::int64_t price, quantity;
    Side side;
  };

  void apply(const RecordedEvent& event) {
    if (event.kind == EventKind::clear) {
      std::erase_if(orders_, [&](const One& one) { return event.side == Side::none || one.side == event.side; });
      return;
    }
    const auto found = std::ranges::find(orders_, event.order, &One::id);
    const bool is_there = found != orders_.end();
    if (event.kind == EventKind::add) {
      if (!is_there) add(event, event.order, event.side);
      return;
    }
    if (!is_there) {
      if (event.kind == EventKind::replace && event.side != Side::none) add(event, event.other, event.side);
      return;
    }
    const One before = *found;
    const std::int64_t price = event.price == k_unknown ? before.price : event.price;
    const std::int64_t quantity = event.quantity == k_unknown ? before.quantity : event.quantity;
    const bool is_part = event.kind == EventKind::reduce || event.kind == EventKind::execute;
    if (is_part && event.quantity <= 0) return;
    if (is_part && event.quantity < before.quantity) {
      found->quantity -= event.quantity;
      return;
    }
    if (event.kind == EventKind::amend && quantity > 0 && price == before.price && quantity <= before.quantity) {
      found->quantity = quantity;
      return;
    }
    orders_.erase(found);
    if (event.kind == EventKind::amend && quantity > 0 && price % 5 == 0)
      orders_.push_back({before.id, price, quantity, before.side});
    if (event.kind == EventKind::replace) add(event, event.other, event.side == Side::none ? before.side : event.side);
  }

  [[nodiscard]] std::vector<DepthLevel> levels(Side side) const {
    std::map<std::int64_t, std::int64_t> sums;
    for (const One& one : orders_)
      if (one.side == side) sums[one.price] += one.quantity;
    std::vector<DepthLevel> levels;
    for (const auto& [price, quantity] : sums) levels.push_back({price, quantity});
    if (side == Side::buy) std::ranges::reverse(levels);
    return levels;
  }
  [[nodiscard]] const std::vector<One>& orders() const noexcept { return orders_; }

 private:
  void add(const RecordedEvent& event, std::uint64_t id, Side side) {
    if (event.price == k_unknown || event.price % 5 != 0 || event.quantity <= 0 || side == Side::none) return;
    if (std::ranges::find(orders_, id, &One::id) != orders_.end()) return;
    orders_.push_back({id, event.price, event.quantity, side});
  }

  std::vector<One> orders_;
};

/// Any event about few orders: known and unknown numbers, prices between ticks, quantities that are too large or none.
RecordedEvent wild_event(flow::Random& random) {
  constexpr std::array k_kinds = {EventKind::add,     EventKind::add,    EventKind::reduce, EventKind::execute,
                                  EventKind::execute, EventKind::remove, EventKind::amend,  EventKind::replace};
  RecordedEvent event{.order = 1 + random.below(60),
                      .price = 1'000 + static_cast<std::int64_t>(random.below(30)) * 5,
                      .quantity = static_cast<std::int64_t>(random.below(12)),
                      .kind = k_kinds[random.below(k_kinds.size())],
                      .side = random.below(2) == 0 ? Side::buy : Side::sell,
                      .flags = k_last};
  if (random.below(40) == 0) event.price += 1;
  if (event.kind != EventKind::add && random.below(3) == 0) event.price = k_unknown;
  if (event.kind == EventKind::amend && random.below(4) == 0) event.quantity = k_unknown;
  if (event.kind == EventKind::replace) {
    event.other = 1 + random.below(60);
    if (random.below(3) == 0) event.side = Side::none;
  }
  if (random.below(300) == 0) event.kind = EventKind::clear;
  if (random.below(50) == 0) event.side = Side::none;
  return event;
}

TEST(ReplayBooks, mirror_any_events_of_orders_as_a_plain_book_does) {
  const std::vector<RecordedInstrument> instruments = {{.symbol = "RICE", .tick = 5}};
  const auto mirror = make_replay_books({.keeper = Keeper::mirror, .orders = 1 << 8});
  PlainBook model;
  flow::Random random(11);
  std::vector<RecordedEvent> events;
  for (int batch = 0; batch < 150; ++batch) {
    events.clear();
    for (std::uint64_t left = 1 + random.below(40); left > 0; --left) {
      events.push_back(wild_event(random));
      model.apply(events.back());
    }
    mirror->apply(events, instruments);
    ASSERT_EQ(mirror->live_orders(), model.orders().size()) << "batch " << batch;
    for (const Side side : {Side::buy, Side::sell}) {
      std::array<DepthLevel, 64> levels;
      const std::size_t count = mirror->levels(0, side, levels);
      const std::vector<DepthLevel> shown(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(count));
      ASSERT_EQ(shown, model.levels(side)) << "batch " << batch;
      ASSERT_EQ(mirror->best(0, side), shown.empty() ? std::nullopt : std::optional(shown.front()))
          << "batch " << batch;
    }
  }
  EXPECT_GT(mirror->counts().unknown, 100u);
  EXPECT_GT(mirror->counts().refused, 100u);
}

/// Whatever the book makes of the events, the keeper knows the orders that live, and no others: each of them can be
/// taken out by its number, and then nothing is left.
TEST(ReplayBooks, that_match_know_the_orders_that_live_and_no_others) {
  const std::vector<RecordedInstrument> instruments = {{.symbol = "RICE", .tick = 5}};
  const auto books = make_replay_books({.keeper = Keeper::match, .orders = 1 << 8});
  flow::Random random(12);
  for (std::uint64_t step = 1; step <= 20'000; ++step) {
    RecordedEvent event = wild_event(random);
    if (event.kind == EventKind::clear) continue;
    // Numbers of their own: an order whose number comes again can be named no more.
    if (event.kind == EventKind::add) event.order = step;
    if (event.kind == EventKind::replace) event.other = step;
    if (event.kind != EventKind::add) event.order = step - random.below(std::min<std::uint64_t>(step, 40));
    books->apply({&event, 1}, instruments);
  }
  EXPECT_GT(books->counts().matched, 20u);
  EXPECT_GT(books->counts().matched_others, 20u);
  ASSERT_GT(books->live_orders(), 0u);
  const std::uint64_t unknown = books->counts().unknown;
  std::uint64_t known = 0;
  for (std::uint64_t order = 1; order <= 20'000; ++order) {
    const std::size_t before = books->live_orders();
    const RecordedEvent event{.order = order, .kind = EventKind::remove, .flags = k_last};
    books->apply({&event, 1}, instruments);
    known += before - books->live_orders();
  }
  EXPECT_EQ(books->live_orders(), 0u);
  EXPECT_EQ(books->counts().unknown - unknown, 20'000 - known) << "what is not live is unknown";
}

}  // namespace
}  // namespace dojima::recorded
