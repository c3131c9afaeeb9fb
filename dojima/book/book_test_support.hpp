#pragma once

// What the tests of the book share: a book with its table and a collector of its reports, and short makers of commands.
// Prices are given in ticks of 10 units; tick 1 is the lowest.

#include <gtest/gtest.h>
#include <ostream>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/book/book.hpp"

namespace dojima::market {

/// So that a failed comparison says which report it was.
inline void PrintTo(const BookReport& report, std::ostream* out) {
  *out << "{sequence " << report.sequence.value << ", kind " << int(report.kind) << ", order " << std::hex
       << report.order.value << ", other " << report.other.value << std::dec << ", price " << report.price.units
       << ", quantity " << report.quantity.lots << ", leaves " << report.leaves.lots << ", displayed "
       << report.displayed.lots << ", side " << int(report.side) << ", reason " << int(report.reason) << ", flags "
       << int(report.flags) << "}";
}

}  // namespace dojima::market

namespace dojima::book::testing {

using market::BookReport;
using market::BookReportKind;
using market::OrderType;
using market::TimeInForce;

inline constexpr std::int64_t k_tick = 10;
inline constexpr std::uint32_t k_instrument = 7;
inline constexpr std::int64_t k_ticks = 1000;
inline constexpr std::int64_t k_largest = 1'000'000;

[[nodiscard]] inline Price at(std::int64_t ticks) {
  return {ticks * k_tick};
}

[[nodiscard]] inline market::Instrument make_instrument() {
  return {.id = k_instrument,
          .symbol = "TEST",
          .ticks = market::TickTable::uniform({k_tick}, at(1), at(k_ticks)).value(),
          .maximum_quantity = {k_largest},
          .reference = at(100)};
}

class Collector final : public ReportBuffer {
 public:
  explicit Collector(std::size_t capacity) : ReportBuffer(capacity) {}
  std::vector<BookReport> reports;

 private:
  void drain(std::span<const BookReport> more, time::Time) override {
    reports.insert(reports.end(), more.begin(), more.end());
  }
};

struct OrderArguments {
  Side side = Side::buy;
  std::int64_t lots = 0;
  std::int64_t ticks = 0;
  OrderType type = OrderType::limit;
  TimeInForce time_in_force = TimeInForce::day;
  std::uint16_t owner = 0;
};

[[nodiscard]] inline market::NewOrder make_order(const OrderArguments& order) {
  market::NewOrder command;
  command.header.instrument = k_instrument;
  command.header.user = order.owner;
  command.terms.limit = order.type == OrderType::limit ? at(order.ticks) : Price{};
  command.terms.quantity = command.terms.displayed = {order.lots};
  command.terms.side = order.side;
  command.terms.type = order.type;
  command.terms.time_in_force = order.time_in_force;
  return command;
}

struct WorldOptions {
  std::size_t orders = 64;
  std::size_t levels = 16;
  std::size_t hidden_levels = 16;
  std::size_t stop_levels = 16;
  std::size_t buffer = 4;  // small, so that it is drained in the middle of commands
  BookRules rules = {};
};

/// A book, and what it says to each command. After every command it must be consistent.
template <class Storage>
class BasicWorld {
 public:
  explicit BasicWorld(const WorldOptions& options = {})
      : orders({.capacity = options.orders, .owners = 8}),
        collector(options.buffer),
        book(instrument, orders, collector,
             {.levels = options.levels, .hidden_levels = options.hidden_levels, .stop_levels = options.stop_levels},
             options.rules) {}

  template <class Command>
  std::vector<BookReport> apply(const Command& command) {
    collector.reports.clear();
    collector.begin({++sequence}, {});
    book.apply(command);
    collector.finish();
    EXPECT_EQ(book.inconsistency(), nullptr) << book.inconsistency();
    return collector.reports;
  }

  std::vector<BookReport> enter(const OrderArguments& order) { return apply(make_order(order)); }

  /// Enters an order that is accepted; its id.
  OrderId add(const OrderArguments& order) {
    const auto reports = enter(order);
    EXPECT_EQ(reports.at(0).kind, BookReportKind::accepted);
    return reports.at(0).order;
  }
  OrderId buy(std::int64_t lots, std::int64_t ticks) { return add({Side::buy, lots, ticks}); }
  OrderId sell(std::int64_t lots, std::int64_t ticks) { return add({Side::sell, lots, ticks}); }

  [[nodiscard]] market::Replace make_replace(OrderId order, Side side, std::int64_t lots, std::int64_t ticks) const {
    market::Replace command;
    command.header.instrument = k_instrument;
    command.order = order;
    command.side = side;
    command.limit = at(ticks);
    command.quantity = command.displayed = {lots};
    return command;
  }
  std::vector<BookReport> replace(OrderId order, Side side, std::int64_t lots, std::int64_t ticks) {
    return apply(make_replace(order, side, lots, ticks));
  }

  std::vector<BookReport> cancel(OrderId order, Side side, std::uint16_t owner = 0) {
    market::Cancel command;
    command.header.instrument = k_instrument;
    command.header.user = owner;
    command.order = order;
    command.side = side;
    return apply(command);
  }

  /// The ids of a side in priority order.
  [[nodiscard]] std::vector<OrderId> queue(Side side) const {
    std::vector<OrderId> ids;
    book.each_resting(side, [&ids](const RestingOrder& order) { ids.push_back(order.id); });
    return ids;
  }
  [[nodiscard]] std::int64_t leaves(OrderId order) const {
    const Slot slot = orders.find(order);
    return slot == k_no_slot ? 0 : orders[slot].leaves.lots;
  }

  market::Instrument instrument = make_instrument();
  OrderTable orders;
  Collector collector;
  Storage book;
  std::uint64_t sequence = 0;
};
using World = BasicWorld<Book>;

[[nodiscard]] inline std::vector<BookReportKind> kinds_of(const std::vector<BookReport>& reports) {
  std::vector<BookReportKind> kinds;
  for (const BookReport& report : reports) kinds.push_back(report.kind);
  return kinds;
}

}  // namespace dojima::book::testing
