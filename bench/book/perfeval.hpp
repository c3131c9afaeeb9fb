#pragma once

// The perfeval recipe: one symbol, 64 prices, 512 resting orders of which the oldest is cancelled for each new one. It
// is fixed to the last draw and has to give its counts.

#include "percentiles.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/book/book.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {

/// How the one who cancels remembers orders: by the ids that the book gave out.
class IssuedIds {
 public:
  using Name = market::OrderId;
  [[nodiscard]] static Name remember(market::OrderId order) noexcept { return order; }
  [[nodiscard]] static market::OrderId find(Name name) noexcept { return name; }
  static void forget(market::OrderId) noexcept {}
};

/// By running numbers of its own, through a map as it comes out of the box, or at a quarter of its load.
template <bool IsSparse>
class NumberedIds {
 public:
  using Name = std::uint64_t;
  NumberedIds() : numbers_(1 << 16) {
    if (IsSparse) orders_.max_load_factor(0.25F);
  }
  Name remember(market::OrderId order) {
    orders_.emplace(++last_, order);
    numbers_[static_cast<std::uint32_t>(order.value)] = last_;
    return last_;
  }
  [[nodiscard]] market::OrderId find(Name name) const {
    const auto found = orders_.find(name);
    return found == orders_.end() ? market::OrderId{} : found->second;
  }
  /// An order that rested is gone.
  void forget(market::OrderId order) { orders_.erase(numbers_[static_cast<std::uint32_t>(order.value)]); }

 private:
  std::unordered_map<Name, market::OrderId> orders_;
  std::vector<Name> numbers_;  // by slot
  Name last_ = 0;
};

template <class Ids>
class PerfevalReports final : public book::ReportBuffer {
 public:
  PerfevalReports() : ReportBuffer(64) {}
  std::uint64_t accepted = 0, trades = 0, cancels = 0;
  std::optional<typename Ids::Name> resting;
  Ids ids;

  /// The command is over.
  [[gnu::always_inline]] void take_pending() {
    take(pending());
    taken();
  }

 private:
  void drain(std::span<const market::BookReport> reports, time::Time) override { take(reports); }
  [[gnu::always_inline]] void take(std::span<const market::BookReport> reports) {
    using market::BookReportKind;
    for (const market::BookReport& report : reports) switch (report.kind) {
        case BookReportKind::accepted:
          ++accepted;
          break;
        case BookReportKind::traded:
          ++trades;
          if (report.leaves.lots == 0) ids.forget(report.order);
          break;
        case BookReportKind::cancelled:
          ++cancels;
          ids.forget(report.order);
          break;
        case BookReportKind::added:
          resting = ids.remember(report.order);
          break;
        default:
          break;
      }
  }
};

template <class Storage, class Ids = IssuedIds>
class PerfevalOn final : public harness::Competitor {
 public:
  static constexpr std::uint64_t k_orders = 4'000'000;
  static constexpr std::uint64_t k_fill = 783, k_trades = 2'777'512, k_cancels = 857'446;

  PerfevalOn(std::uint64_t orders, const measure::CycleClock& clock) : orders_(orders), percentiles_(clock) {}

  void prepare() override {
    begin();
    percentiles_.measure([this](FencedTimer& timer) {
      for (std::uint64_t at = 0; at < orders_; ++at) {
        const measure::TimedSection section(timer);
        submit();
      }
    });
    begin();
  }

  harness::Operations run() override {
    for (std::uint64_t at = 0; at < orders_; ++at) submit();
    const auto& reports = world_->reports;
    DOJIMA_ASSERT(orders_ != k_orders || (reports.accepted == k_fill + k_orders && reports.trades == k_trades &&
                                          reports.cancels == k_cancels),
                  "the recipe gives its counts");
    harness::Operations operations;
    operations.add("", orders_).digest(world_->book.digest());
    percentiles_.add_to(operations);
    return operations;
  }

 private:
  struct Resting {
    typename Ids::Name name{};
    market::Side side = market::Side::none;
  };
  struct World {
    market::Instrument instrument{.id = 1,
                                  .symbol = "PERF",
                                  .ticks = market::TickTable::uniform({1}, {1}, {1'000}).value(),
                                  .maximum_quantity = {1'000}};
    book::OrderTable orders{{.capacity = 1'024}};
    PerfevalReports<Ids> reports;
    Storage book{instrument, orders, reports, {.levels = 128}};
    std::array<market::NewOrder, 2> order;  // to sell, to buy: what is the same each time is written once
    std::array<Resting, 512> ring{};
    std::size_t ring_next = 0, ring_count = 0;
  };

  void begin() {
    random_ = measure::Random(0x9e3779b97f4a7c15U);
    world_ = std::make_unique<World>();
    for (const std::size_t is_buy : {0U, 1U}) {
      market::NewOrder& order = world_->order[is_buy];
      order.header.instrument = 1;
      order.terms.side = is_buy == 1 ? market::Side::buy : market::Side::sell;
      order.terms.type = market::OrderType::limit;
      order.terms.time_in_force = market::TimeInForce::good_till_cancel;
    }
    while (world_->ring_count < world_->ring.size()) submit();
    DOJIMA_ASSERT(world_->reports.accepted == k_fill, "the ring is full after as many orders as it should be");
  }

  void submit() {
    World& world = *world_;
    const std::uint64_t r = random_.next();
    market::NewOrder& order = world.order[r & 1];
    order.terms.limit = {static_cast<std::int64_t>(100 + (r >> 1) % 64)};
    order.terms.quantity = order.terms.displayed = {static_cast<std::int64_t>(1 + (r >> 8) % 8)};
    world.reports.resting.reset();
    world.reports.begin({1}, {});
    world.book.apply(order);
    world.reports.take_pending();
    if (!world.reports.resting) return;
    // The cancelled order is not the one that came to rest: what the reports name is still that.
    const Resting newest{*world.reports.resting, order.terms.side};
    Resting& oldest = world.ring[world.ring_next];
    if (world.ring_count < world.ring.size()) {
      ++world.ring_count;
    } else if (const market::OrderId id = world.reports.ids.find(oldest.name);
               world.orders.find(id) != book::k_no_slot) {
      market::Cancel cancel;
      cancel.header.instrument = 1;
      cancel.order = id;
      cancel.side = oldest.side;
      world.book.apply(cancel);
      world.reports.take_pending();
    }
    oldest = newest;
    world.ring_next = (world.ring_next + 1) % world.ring.size();
  }

  std::uint64_t orders_;
  Percentiles percentiles_;
  measure::Random random_{0};
  std::unique_ptr<World> world_;
};

}  // namespace dojima::bench
