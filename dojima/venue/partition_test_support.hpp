#pragma once

// What the tests of the partition share: a partition with journal and mirror, short makers of commands, and the reports
// that it made since they were read last. Prices are in ticks of 10 units.

#include <gtest/gtest.h>
#include <ostream>
#include <string_view>
#include <vector>

#include "dojima/journal/memory_journal.hpp"
#include "dojima/venue/mirror_book.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::market {

/// So that a failed comparison says which report it was.
inline void PrintTo(const OwnerReport& report, std::ostream* out) {
  *out << "{sequence " << report.sequence.value << ", command " << report.command.value << ", kind " << int(report.kind)
       << ", status " << int(report.status) << ", order " << std::hex << report.order.value << std::dec << ", user "
       << report.user << ", quantity " << report.quantity.lots << ", leaves " << report.leaves.lots << ", reason "
       << int(report.reason) << ", id '" << report.client_order_id.view() << "'}";
}

}  // namespace dojima::market

namespace dojima::venue::testing {

using market::OrderId;
using market::OrderStatus;
using market::OwnerReport;
using market::OwnerReportKind;
using market::Reason;
using market::SessionEnd;
using market::Side;

inline constexpr std::int64_t k_tick = 10;
inline constexpr std::uint32_t k_rice = 7;
inline constexpr std::uint32_t k_silk = 8;
inline constexpr std::uint32_t k_salt = 9;  ///< where a test adds it
inline constexpr Time k_midnight{std::chrono::sys_days{std::chrono::year{2026} / 1 / 5}};
inline constexpr Time k_start = time::from_nanoseconds(1'800'000'000'000'000'000);

[[nodiscard]] inline market::Price at(std::int64_t ticks) {
  return {ticks * k_tick};
}

[[nodiscard]] inline market::Instrument make_instrument(std::uint32_t id, std::string_view symbol) {
  return {.id = id,
          .symbol = std::string(symbol),
          .ticks = market::TickTable::uniform({k_tick}, at(1), at(1000)).value(),
          .maximum_quantity = {1'000'000},
          .reference = at(100)};
}

[[nodiscard]] inline PartitionConfig make_config() {
  return {.app_id = 2,
          .instruments = {make_instrument(k_rice, "RICE"), make_instrument(k_silk, "SILK")},
          .users = std::vector<UserSetUp>(4),
          .limits = {.orders = 64, .levels = 16, .reports = 4096, .report_buffer = 3}};
}

struct OrderArguments {
  std::uint16_t user = 0;
  Side side = Side::buy;
  std::int64_t lots = 0;
  std::int64_t ticks = 0;
  std::string_view id = "order";
  std::uint32_t instrument = k_rice;
  bool auto_cancel = false;
};

[[nodiscard]] inline market::NewOrder make_order(const OrderArguments& order) {
  market::NewOrder command;
  command.header.instrument = order.instrument;
  command.header.user = order.user;
  command.terms.limit = at(order.ticks);
  command.terms.quantity = command.terms.displayed = {order.lots};
  command.terms.side = order.side;
  command.terms.type = market::OrderType::limit;
  command.terms.capacity = market::Capacity::dealing;
  command.terms.flags = order.auto_cancel ? market::k_auto_cancel : 0;
  command.labels.client_order_id = Text<20>::cut(order.id);
  return command;
}

struct RequestArguments {
  std::uint16_t user = 0;
  Side side = Side::buy;
  OrderId order;
  std::string_view original;
  std::string_view id = "request";
  std::int64_t lots = 0;   // of a replace
  std::int64_t ticks = 0;  // of a replace
  std::uint32_t instrument = k_rice;
};

[[nodiscard]] inline market::Replace make_replace(const RequestArguments& request) {
  market::Replace command;
  command.header.instrument = request.instrument;
  command.header.user = request.user;
  command.order = request.order;
  command.original_client_order_id = Text<20>::cut(request.original);
  command.client_order_id = Text<20>::cut(request.id);
  command.side = request.side;
  command.limit = at(request.ticks);
  command.quantity = command.displayed = {request.lots};
  return command;
}

[[nodiscard]] inline market::Cancel make_cancel(const RequestArguments& request) {
  market::Cancel command;
  command.header.instrument = request.instrument;
  command.header.user = request.user;
  command.order = request.order;
  command.original_client_order_id = Text<20>::cut(request.original);
  command.client_order_id = Text<20>::cut(request.id);
  command.side = request.side;
  return command;
}

class World {
 public:
  explicit World(PartitionConfig config = make_config(), const journal::MemoryJournalOptions& options = {})
      : journal(options), partition(config, journal), mirror(config.instruments, config.limits) {
    partition.observe(&mirror);
  }

  /// Submits a command that is taken; the reports that follow.
  template <class Command>
  std::vector<OwnerReport> submit(Command command) {
    now += std::chrono::microseconds{1};
    EXPECT_TRUE(partition.submit(command.header, now).has_value());
    EXPECT_EQ(mirror.mismatch(partition), nullptr) << mirror.mismatch(partition);
    return read();
  }

  /// Enters an order that rests or trades; its id.
  OrderId add(const OrderArguments& order) {
    const auto reports = submit(make_order(order));
    EXPECT_EQ(reports.at(0).kind, OwnerReportKind::accepted);
    return reports.at(0).order;
  }

  std::vector<OwnerReport> end(std::uint16_t user, SessionEnd how) {
    return submit(market::UserCommand{.header = {.user = user, .type = market::CommandType::end_session}, .end = how});
  }

  std::vector<OwnerReport> read() {
    std::vector<OwnerReport> reports;
    for (auto batch = partition.reports().read(cursor, partition.durable()); !batch.reports.empty();
         batch = partition.reports().read(cursor, partition.durable())) {
      EXPECT_EQ(batch.lost, 0u);
      reports.insert(reports.end(), batch.reports.begin(), batch.reports.end());
    }
    return reports;
  }

  journal::MemoryJournal journal;
  Partition partition;
  MirrorBook mirror;
  Cursor cursor;
  Time now = k_start;
};

[[nodiscard]] inline std::vector<OwnerReportKind> kinds_of(const std::vector<OwnerReport>& reports) {
  std::vector<OwnerReportKind> kinds;
  for (const OwnerReport& report : reports) kinds.push_back(report.kind);
  return kinds;
}

}  // namespace dojima::venue::testing
