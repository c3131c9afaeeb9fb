// Events that an exchange need not be asked about, as no own order is near.

#include <gtest/gtest.h>
#include <tuple>

#include "dojima/backtest/backtest_test_support.hpp"
#include "dojima/recorded/books/depth_book.hpp"

namespace dojima::backtest {
namespace {

using recorded::EventKind;
using recorded::MarketState;

/// Another exchange that is asked about every event, and counts those which it says it need not be.
class AskedAlways final : public Exchange {
 public:
  explicit AskedAlways(std::unique_ptr<Exchange> inner) : inner_(std::move(inner)) {}
  void on_event(const RecordedEvent& event, std::span<const RecordedInstrument> instruments, Time now) override {
    if (inner_->quiet.takes(event)) {
      if (event.kind == EventKind::level) ++quiet_levels;
      ++quiet_events;
      const std::size_t fills = inner_->counts().fills;
      inner_->on_event(event, instruments, now);
      EXPECT_EQ(inner_->counts().fills, fills) << "a quiet event fills nobody";
      EXPECT_TRUE(inner_->reports.empty());
    } else {
      ++others;
      inner_->on_event(event, instruments, now);
    }
    std::swap(reports, inner_->reports);
  }
  void on_request(const Request& request, Time now) override {
    inner_->on_request(request, now);
    std::swap(reports, inner_->reports);
  }
  std::optional<recorded::DepthLevel> best(std::uint32_t instrument, Side side) const override {
    return inner_->best(instrument, side);
  }
  std::size_t resting() const override { return inner_->resting(); }
  const ExchangeCounts& counts() const override { return inner_->counts(); }
  recorded::DepthBooks* record() noexcept override { return inner_->record(); }

  std::uint64_t quiet_events = 0, quiet_levels = 0, others = 0;

 private:
  std::unique_ptr<Exchange> inner_;
};

/// The same as a feed of levels and trades.
GeneratedEvents as_levels(const GeneratedEvents& day) {
  GeneratedEvents levels{.events = {}, .instruments = day.instruments};
  recorded::DepthBooks books;
  Fifo<recorded::BookChange> changes;
  books.note_changes(&changes);
  for (const RecordedEvent& event : day.events) {
    books.apply(event, day.instruments);
    for (; !changes.is_empty(); changes.pop()) {
      const recorded::BookChange& change = changes.front();
      const bool is_trade = change.kind == recorded::BookChange::Kind::trade;
      RecordedEvent& made = levels.events.emplace_back(
          RecordedEvent{.event_time = event.event_time,
                        .price = change.price,
                        .quantity = change.after,
                        .instrument = change.instrument,
                        .kind = is_trade ? EventKind::trade : EventKind::level,
                        .side = is_trade && event.side != Side::none ? market::opposite(event.side) : change.side});
      made.receive_time = event.receive_time;
    }
  }
  return levels;
}

/// With halts, and sides that are cleared, in between; what is received is late for two events of three.
GeneratedEvents with_halts(GeneratedEvents day, std::uint64_t seed) {
  flow::Random random(seed);
  std::vector<RecordedEvent> events;
  std::size_t number = 0;
  for (RecordedEvent event : day.events) {
    event.receive_time = event.event_time + (number++ / 40 % 3 == 0 ? Duration{} : Duration{900us});
    events.push_back(event);
    RecordedEvent more{.event_time = event.event_time, .receive_time = event.receive_time};
    if (random.below(40) == 0) {
      more.kind = EventKind::status;
      more.code = static_cast<std::uint8_t>(random.below(3) == 0 ? MarketState::halted : MarketState::trading);
      events.push_back(more);
    } else if (random.below(2000) == 0) {
      more.kind = EventKind::clear;
      more.side = random.below(2) == 0 ? Side::buy : Side::sell;
      events.push_back(more);
    }
  }
  day.events = std::move(events);
  return day;
}

using QuietCase = std::tuple<ExchangeKind, bool, FillRule>;
class QuietEvents : public testing::TestWithParam<QuietCase> {};

TEST_P(QuietEvents, an_exchange_that_is_not_asked_about_them_gives_the_same_run) {
  const auto [kind, has_levels, fills] = GetParam();
  std::uint64_t quiet = 0, quiet_levels = 0, others = 0, filled = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const GeneratedEvents generated = generated_events(seed, 700);
    const GeneratedEvents day = with_halts(has_levels ? as_levels(generated) : generated, seed);
    const auto run = [&](Exchange& exchange) {
      MemoryEvents events(day.events, day.instruments);
      RandomTrader trader(seed, seed % 2 == 0 ? Duration{1ms} : Duration{20ms});
      trader.most = seed % 3 == 0 ? 30 : 2000;
      Latencies latencies = constant_latencies(300us, 200us);
      Engine engine(events, exchange, trader, latencies, {.mark_every = 1ms});
      engine.run({});
      filled += engine.fills().size();
      return std::tuple(engine.fills(), lines_of(trader.reports), engine.marks().equity(), engine.wakes(), engine.now(),
                        trader.seen, exchange.counts().events, exchange.record()->digest());
    };
    const ExchangeSettings settings{.kind = kind, .fills = fills};
    AskedAlways asked(make_exchange(settings));
    const auto expected = run(asked);
    EXPECT_EQ(run(*make_exchange(settings)), expected) << "seed " << seed;
    quiet += asked.quiet_events;
    quiet_levels += asked.quiet_levels;
    others += asked.others;
  }
  EXPECT_GT(quiet, 500u);
  EXPECT_GT(others, 500u);
  EXPECT_GT(filled, 100u);
  if (kind == ExchangeKind::levels && has_levels) {
    EXPECT_GT(quiet_levels, 2000u);
  }
}

std::string name_of_quiet_case(const testing::TestParamInfo<QuietCase>& of) {
  const auto [kind, has_levels, fills] = of.param;
  return std::string(name_of(kind)) + (has_levels ? "_of_levels_" : "_of_orders_") + std::string(name_of(fills));
}
INSTANTIATE_TEST_SUITE_P(Exchanges, QuietEvents,
                         testing::Values(QuietCase{ExchangeKind::levels, true, FillRule::partial},
                                         QuietCase{ExchangeKind::levels, true, FillRule::whole},
                                         QuietCase{ExchangeKind::levels, false, FillRule::partial},
                                         QuietCase{ExchangeKind::orders, false, FillRule::partial}),
                         name_of_quiet_case);

TEST(QuietPrices, are_not_given_by_an_exchange_that_counts_silence) {
  const auto exchange = make_exchange({.kind = ExchangeKind::levels, .silence = 1s});
  const std::vector<RecordedInstrument> instruments{{.symbol = "RICE", .tick = 1}};
  const RecordedEvent level{.price = 100, .quantity = 5, .kind = EventKind::level, .side = Side::buy};
  exchange->on_event(level, instruments, k_day_begin);
  EXPECT_FALSE(exchange->quiet.takes(level));
}

TEST(QuietPrices, are_before_among_or_opposite_own_ones) {
  const OwnPrices own{.keys = {{{.first = ~std::int64_t{100}, .last = ~std::int64_t{98}}, {.first = 103, .last = 105}}},
                      .is_quiet = false};
  for (std::int64_t price = 90; price < 115; ++price) {
    SCOPED_TRACE(price);
    const OwnPrices::Place bid = own.place_of(Side::buy, price), ask = own.place_of(Side::sell, price);
    EXPECT_EQ(bid.is_behind_first, price <= 100);
    EXPECT_EQ(bid.is_among, price <= 100 && price >= 98);
    EXPECT_EQ(bid.meets, price >= 103);
    EXPECT_EQ(ask.is_behind_first, price >= 103);
    EXPECT_EQ(ask.is_among, price >= 103 && price <= 105);
    EXPECT_EQ(ask.meets, price <= 100);
  }
  const OwnPrices none;
  for (const std::int64_t price : {std::numeric_limits<std::int64_t>::min() + 1, std::int64_t{0}, std::int64_t{100}}) {
    for (const Side side : {Side::buy, Side::sell}) {
      EXPECT_FALSE(none.place_of(side, price).is_among);
      EXPECT_FALSE(none.place_of(side, price).meets);
    }
  }
}

}  // namespace
}  // namespace dojima::backtest
