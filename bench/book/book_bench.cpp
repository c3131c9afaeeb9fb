// dojima-bench-book: what an order costs in the book, storage by storage.

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/book/book.hpp"
#include "dojima/lab/bench_harness.hpp"
#include "dojima/lab/build_identity.hpp"

namespace {

using namespace dojima;
using market::BookReport;
using market::BookReportKind;

/// Counts what a book says and remembers which order came to rest.
class Counter final : public book::ReportBuffer {
 public:
  Counter() : ReportBuffer(64) {}
  std::uint64_t accepted = 0, trades = 0, cancels = 0;
  market::OrderId resting;

 private:
  void drain(std::span<const BookReport> reports, time::Time) override {
    for (const BookReport& report : reports) {
      accepted += report.kind == BookReportKind::accepted ? 1 : 0;
      trades += report.kind == BookReportKind::traded ? 1 : 0;
      cancels += report.kind == BookReportKind::cancelled ? 1 : 0;
      if (report.kind == BookReportKind::added) resting = report.order;
    }
  }
};

constexpr std::uint64_t k_orders = 4'000'000;
constexpr std::uint64_t k_fill = 783, k_trades = 2'777'512, k_cancels = 857'446;

/// One symbol, 64 prices, 512 resting orders of which the oldest is cancelled for each new one. The recipe is fixed to
/// the last draw: it has to give the counts above.
template <class Storage>
class PerfevalOn final : public lab::Competitor {
 public:
  void prepare() override {
    state_ = 0x9e3779b97f4a7c15ULL;
    world_ = std::make_unique<World>();
    while (world_->ring_count < world_->ring.size()) submit();
    DOJIMA_ASSERT(world_->counter.accepted == k_fill, "the ring is full after as many orders as it should be");
  }

  lab::Operations run() override {
    for (std::uint64_t at = 0; at < k_orders; ++at) submit();
    const Counter& counter = world_->counter;
    DOJIMA_ASSERT(counter.accepted == k_fill + k_orders && counter.trades == k_trades && counter.cancels == k_cancels,
                  "the recipe gives its counts");
    return lab::Operations{}.add("", k_orders).digest(world_->book.digest());
  }

 private:
  struct Resting {
    market::OrderId id;
    market::Side side = market::Side::none;
  };
  struct World {
    market::Instrument instrument{.id = 1,
                                  .symbol = "PERF",
                                  .ticks = market::TickTable::uniform({1}, {1}, {1'000}).value(),
                                  .maximum_quantity = {1'000}};
    book::OrderTable orders{{.capacity = 1'024}};
    Counter counter;
    Storage book{instrument, orders, counter, {.levels = 128}};
    std::array<Resting, 512> ring{};
    std::size_t ring_next = 0, ring_count = 0;
  };

  std::uint64_t draw() noexcept {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t value = state_;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
  }

  void submit() {
    World& world = *world_;
    const std::uint64_t r = draw();
    market::NewOrder order;
    order.header.instrument = 1;
    order.terms.side = (r & 1) != 0 ? market::Side::buy : market::Side::sell;
    order.terms.type = market::OrderType::limit;
    order.terms.limit = {static_cast<std::int64_t>(100 + (r >> 1) % 64)};
    order.terms.quantity = order.terms.displayed = {static_cast<std::int64_t>(1 + (r >> 8) % 8)};
    world.counter.resting = {};
    world.counter.begin({1}, {});
    world.book.apply(order);
    world.counter.finish();
    if (world.counter.resting.value == 0) return;
    Resting& oldest = world.ring[world.ring_next];
    if (world.ring_count < world.ring.size()) {
      ++world.ring_count;
    } else if (world.orders.find(oldest.id) != book::k_no_slot) {
      market::Cancel cancel;
      cancel.header.instrument = 1;
      cancel.order = oldest.id;
      cancel.side = oldest.side;
      world.book.apply(cancel);
      world.counter.finish();
    }
    // The cancelled order is not the one that came to rest: what the counter holds is still that.
    oldest = {world.counter.resting, order.terms.side};
    world.ring_next = (world.ring_next + 1) % world.ring.size();
  }

  std::uint64_t state_ = 0;
  std::unique_ptr<World> world_;
};

template <class Storage>
lab::BenchCompetitor perfeval_on(const char* name) {
  return {name, [](const lab::BenchCase&) { return std::make_unique<PerfevalOn<Storage>>(); }};
}

lab::BenchTable perfeval_table() {
  lab::BenchTable table{.name = "perfeval",
                        .title = "one symbol, 64 prices, 512 resting, the oldest cancelled: 4,000,000 orders"};
  table.competitors = {perfeval_on<book::MapBook>("map"), perfeval_on<book::PooledBook>("pooled"),
                       perfeval_on<book::IntrusiveBook>("intrusive"), perfeval_on<book::LadderBook>("ladder")};
  table.baseline = "map";
  table.targets = {{"ladder", "map", 1.0 / 3}};
  table.notes = {"with the fill: 4,000,783 accepted, 2,777,512 trades, 857,446 cancels, or the program stops",
                 "good for the day: nothing expires in the run"};
  return table;
}

}  // namespace

int main(int count, char** words) {
  return lab::run_benchmarks({.name = "book", .tables = {perfeval_table()}, .build = lab::build_identity()}, count,
                             words);
}
