#include "dojima/backtest/book_flight.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "dojima/flow/random.hpp"

namespace dojima::backtest {
namespace {

using recorded::BookChange;
using recorded::Depth;
using recorded::DepthBooks;
using recorded::DepthLevel;
using recorded::EventKind;
using recorded::RecordedEvent;
using recorded::RecordedInstrument;

const std::vector<RecordedInstrument> k_instruments = {{.symbol = "RICE", .tick = 5}, {.symbol = "BEAN"}};

std::vector<DepthLevel> levels_of(const Depth* book, Side side) {
  std::vector<DepthLevel> levels;
  if (book == nullptr) return levels;
  book->on(side).each([&](const DepthLevel& level) {
    levels.push_back(level);
    return true;
  });
  return levels;
}

Time at(std::int64_t ns) {
  return Time{Duration{ns}};
}

/// Events of every kind about few orders at few prices, so that all that may go wrong does.
class Feed {
 public:
  explicit Feed(std::uint64_t seed) : random_(seed) {}
  RecordedEvent next() {
    using enum EventKind;
    static constexpr EventKind k_kinds[] = {add,    add,     add,     add,     add,   add,          reduce,
                                            remove, amend,   replace, level,   trade, hidden_trade, status,
                                            clear,  execute, remove,  execute, fill,  level};
    RecordedEvent event{.order = draw(40),
                        .other = draw(40),
                        .price = 100 + 5 * static_cast<std::int64_t>(draw(12)),
                        .quantity = static_cast<std::int64_t>(draw(9)) - (draw(20) == 0 ? 3 : 0),
                        .instrument = static_cast<std::uint32_t>(draw(2)),
                        .kind = k_kinds[draw(std::size(k_kinds))],
                        .side = static_cast<Side>(draw(3))};
    if (event.kind == clear && draw(4) != 0) event.kind = add;
    if (draw(10) == 0) event.price = recorded::k_unknown;
    if (draw(30) == 0) event.price += 3'000'000;  // off the array
    return event;
  }
  std::uint64_t draw(std::uint64_t below) { return random_.below(below); }

 private:
  flow::Random random_;
};

/// Books that take every event when it arrives.
struct Naive {
  struct Flying {
    RecordedEvent event;
    Time at;
  };
  std::vector<Flying> flying;
  DepthBooks books;
  std::vector<std::uint32_t> noted;

  void publish(const RecordedEvent& event, Time arrival) {
    const auto behind = std::ranges::upper_bound(flying, arrival, {}, &Flying::at);
    flying.insert(behind, {event, arrival});
  }
  void land_before(Time bound) {
    while (!flying.empty() && flying.front().at < bound) {
      books.apply(flying.front().event, k_instruments);
      if (std::ranges::find(noted, flying.front().event.instrument) == noted.end())
        noted.push_back(flying.front().event.instrument);
      flying.erase(flying.begin());
    }
  }
};

void expect_same(const Depth* shown, const DepthBooks& books, std::uint32_t instrument) {
  const Depth* const right = instrument < books.size() ? &books.of(instrument) : nullptr;
  for (const Side side : {Side::buy, Side::sell}) EXPECT_EQ(levels_of(shown, side), levels_of(right, side));
}

/// Whether the record is announced when an event arrives: never, always, or in stretches.
enum class Announced : std::uint8_t { never, always, sometimes };

/// A look every `pause` events, changes on their way for up to `delay`; 0: none.
void run(std::uint64_t seed, std::int64_t events, bool may_share, std::int64_t pause, std::int64_t delay,
         bool has_two_ways, Announced announced = Announced::never, bool* was_shared = nullptr) {
  SCOPED_TRACE(testing::Message() << "seed " << seed << ", pause " << pause << ", delay " << delay << ", announced "
                                  << static_cast<int>(announced));
  Feed feed(seed);
  DepthBooks record, exchange;
  FeedBooks books(!may_share);
  Naive naive;
  BookFlight flight(record, books, {.may_share = may_share, .may_overtake = has_two_ways});
  std::int64_t arrival[2] = {0, 0};
  for (std::int64_t now = 1; now <= events && !testing::Test::HasFailure(); ++now) {
    const RecordedEvent event = feed.next();
    flight.restore();
    std::int64_t& last = arrival[has_two_ways ? event.instrument : 0];
    last = std::max(last, now + (delay == 0 ? 0 : static_cast<std::int64_t>(feed.draw(std::uint64_t(delay)))));
    const bool is_announced =
        announced == Announced::always || (announced == Announced::sometimes && now / 20 % 2 == 0);
    if (is_announced) flight.begin_event(at(now), at(last));
    record.apply(event, k_instruments);
    exchange.apply(event, k_instruments);
    if (is_announced) {
      flight.end_event(event.instrument);
      flight.end_events();
    } else {
      flight.publish(event.instrument, at(last));
    }
    naive.publish(event, at(last));
    if (now % pause != 0) continue;
    // What arrives at once does not travel.
    if (announced == Announced::never) {
      EXPECT_EQ(flight.next_time(), naive.flying.empty() ? time::k_never : naive.flying.front().at);
    }
    flight.land_until(at(now));
    naive.land_before(at(now + 1));
    for (const std::uint32_t instrument : {1u, 0u}) {
      expect_same(flight.of(instrument), naive.books, instrument);
      if (instrument < naive.books.size() && instrument < books.size()) {
        EXPECT_EQ(books.of(instrument).last_trade, naive.books.of(instrument).last_trade);
      }
    }
    if (!may_share) {
      EXPECT_TRUE(std::ranges::equal(books.noted(), naive.noted));
    }
    books.forget();
    naive.noted.clear();
    if (now % 2 == 0) continue;  // the next event restores it
    flight.restore();
    EXPECT_EQ(record.digest(), exchange.digest());
  }
  flight.restore();
  EXPECT_EQ(record.digest(), exchange.digest());
  EXPECT_EQ(record.counts(), exchange.counts());
  if (was_shared != nullptr) *was_shared = flight.is_shared();
}

void run_all(std::uint64_t seeds, std::int64_t events) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const std::int64_t delay : {0, 3, 50})
      for (const std::int64_t pause : {1, 7, 100})
        for (const bool has_two_ways : {false, true})
          for (const bool may_share : {false, true})
            for (const Announced announced : {Announced::never, Announced::always, Announced::sometimes})
              if (!has_two_ways || announced == Announced::never)
                run(seed, events, may_share, pause, delay, has_two_ways, announced);
}

TEST(BookFlight, shows_books_as_those_that_take_each_event_when_it_arrives) {
  run_all(2, 500);
}

TEST(BookFlightLong, shows_books_as_those_that_take_each_event_when_it_arrives) {
  run_all(20, 3'000);
}

TEST(BookFlight, keeps_books_once_showing_those_of_the_exchange_is_more_work) {
  bool is_shared = false;
  run(1, 3'000, true, 100, 3, false, Announced::never, &is_shared);
  EXPECT_TRUE(is_shared);
  run(1, 3'000, true, 1, 50, false, Announced::never, &is_shared);
  EXPECT_FALSE(is_shared);
  run(1, 3'000, false, 100, 3, false, Announced::never, &is_shared);
  EXPECT_FALSE(is_shared) << "somebody asks which have changed";
}

TEST(BookFlight, is_on_its_way_with_every_event_whatever_it_changed) {
  DepthBooks record;
  FeedBooks books(true);
  BookFlight flight(record, books, {});
  EXPECT_EQ(flight.next_time(), time::k_never);
  record.apply({.instrument = 1, .kind = EventKind::status, .side = Side::none}, k_instruments);
  flight.publish(1, at(10));
  EXPECT_EQ(flight.next_time(), at(10));
  EXPECT_EQ(flight.land_before(at(10)), 0u);
  EXPECT_EQ(flight.land_until(at(10)), 1u);
  EXPECT_EQ(flight.next_time(), time::k_never);
  EXPECT_TRUE(std::ranges::equal(books.noted(), std::vector<std::uint32_t>{1}));
}

}  // namespace
}  // namespace dojima::backtest
