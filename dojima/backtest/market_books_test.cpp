// A generated market changes the books of a strategy itself where that reads no events: they are the same.

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/backtest/market/crowd.hpp"
#include "dojima/backtest/market_run_test_support.hpp"

namespace dojima::backtest {
namespace {

/// Notes all it can see whenever it is called, and trades at the best prices.
class Looker final : public Strategy {
 public:
  explicit Looker(Wakes wakes) : wakes_(wakes) {}
  std::vector<std::uint64_t> seen;  // a digest of all so far, call by call

  Wakes wakes() const override { return wakes_; }
  void on_book(Desk& desk, std::uint32_t instrument) override {
    note(instrument);
    look(desk);
  }
  void on_report(Desk& desk, const Report&) override { look(desk); }
  void on_wake(Desk& desk) override {
    look(desk);
    ++turn_;
    const auto instrument = static_cast<std::uint32_t>(turn_ % desk.instruments().size());
    const Side side = turn_ % 3 == 0 ? Side::buy : Side::sell;
    const auto best = desk.best(instrument, turn_ % 5 == 0 ? market::opposite(side) : side);
    if (turn_ % 4 != 0) return;
    if (desk.orders().size() >= 6) desk.cancel(desk.orders().front().number);
    if (best) desk.submit({.instrument = instrument, .side = side, .price = best->price, .quantity = 7});
  }

 private:
  void note(std::int64_t value) { digest_ = (digest_ ^ static_cast<std::uint64_t>(value)) * 1099511628211ULL; }
  void look(Desk& desk) {
    note(time::nanoseconds_of(desk.now()));
    for (std::uint32_t at = 0; at < desk.instruments().size(); ++at) {
      for (const Side side : {Side::buy, Side::sell}) {
        const std::size_t count = desk.levels(at, side, levels_);
        note(static_cast<std::int64_t>(count));
        for (std::size_t level = 0; level < count; ++level) {
          note(levels_[level].price);
          note(levels_[level].quantity);
        }
      }
      const DepthLevel last = desk.last_trade(at);
      note(last.price);
      note(last.quantity);
      note(desk.position(at));
    }
    seen.push_back(digest_);
  }

  Wakes wakes_;
  std::size_t turn_ = 0;
  std::uint64_t digest_ = 14695981039346656037ULL;
  std::array<DepthLevel, 64> levels_;
};

/// Who asks for events has its books from them; for who does not the market changes them itself.
TEST(Markets, show_the_same_books_to_who_reads_events_and_who_does_not) {
  MarketConfig halting = mixed_market(4);
  halting.start = Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}} + 8h;
  for (MarketInstrument& instrument : halting.instruments) instrument.segment = "MAIN";
  halting.segments = {always_trading(30, 20)};
  const MarketConfig configs[] = {small_market(3), mixed_market(4), market_with_auctions(), halting};
  const Wakes wakes[] = {{.period = 5ms},
                         {.on_reports = true, .period = 20ms},
                         {.on_books = true, .period = 8ms},
                         {.on_touch = true, .period = 8ms}};
  for (const MarketConfig& config : configs) {
    for (const Wakes& wanted : wakes) {
      for (const Duration latency : {Duration{0}, Duration{300us}}) {
        if (wanted.on_reports && latency == Duration{}) continue;  // it would answer each report at once, for good
        Wakes with_events = wanted;
        with_events.on_events = true;
        Looker reads(with_events), looks(wanted);
        const MarketRun one = run_in_market(config, reads, latency), other = run_in_market(config, looks, latency);
        EXPECT_GT(one.fills.size(), 10u);
        EXPECT_EQ(one.fills, other.fills);
        EXPECT_EQ(one.digest, other.digest);
        EXPECT_EQ(one.counts, other.counts);
        EXPECT_TRUE(reads.seen == looks.seen) << reads.seen.size() << " calls and " << looks.seen.size();
      }
    }
  }
}

TEST(Markets, name_orders_by_numbers_that_count_up) {
  Names names;
  for (std::uint64_t number = 1; number <= 100'001; ++number)
    ASSERT_EQ(names.take(), Text<20>::cut(std::to_string(number)));
}

}  // namespace
}  // namespace dojima::backtest
