#pragma once

// A random flow of commands for a partition.

#include <cstdint>
#include <variant>
#include <vector>

#include "dojima/book/random_flow_test.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {

/// Commands of four users for two instruments, with sessions that come and go; names some orders alike.
class Flow final : public ReportSink {
 public:
  explicit Flow(std::uint64_t seed)
      : random_(seed), flows_{book::testing::RandomFlow(seed + 1), book::testing::RandomFlow(seed + 2)} {}

  std::variant<market::NewOrder, market::Replace, market::Cancel, market::UserCommand> next() {
    const std::int64_t pick = random_.below(1000);
    const auto user = static_cast<std::uint16_t>(random_.below(4));
    if (pick < 4) {
      return market::UserCommand{.header = {.user = user, .type = market::CommandType::end_session},
                                 .end = static_cast<SessionEnd>(1 + random_.below(3))};
    }
    if (pick < 8) return market::UserCommand{.header = {.user = user, .type = market::CommandType::logon}};
    at_ = static_cast<std::size_t>(random_.below(2));
    const std::uint32_t instrument = pick < 10 ? 99 : at_ == 0 ? k_rice : k_silk;
    auto command = flows_[at_].next();
    Text<20> id = name();
    if (auto* order = std::get_if<market::NewOrder>(&command)) {
      order->header.instrument = instrument;
      order->labels.client_order_id = id;
      order->terms.flags = random_.chance(50) ? market::k_auto_cancel : 0;
      return *order;
    }
    if (auto* replace = std::get_if<market::Replace>(&command)) {
      replace->header.instrument = instrument;
      replace->client_order_id = id;
      if (random_.chance(30)) replace->order = {};
      replace->original_client_order_id = name();
      return *replace;
    }
    auto& cancel = std::get<market::Cancel>(command);
    cancel.header.instrument = instrument;
    cancel.client_order_id = id;
    if (random_.chance(30)) cancel.order = {};
    cancel.original_client_order_id = name();
    return cancel;
  }

  void on_reports(std::span<const market::BookReport> reports, Time now) override {
    for (const market::BookReport& report : reports) {
      one_.assign(1, report);
      flows_[report.instrument == k_rice ? 0 : 1].learn(one_);
    }
    if (next_sink != nullptr) next_sink->on_reports(reports, now);
  }

  ReportSink* next_sink = nullptr;

 private:
  Text<20> name() {
    char text[mit::k_base62_max];
    return Text<20>::cut(mit::format_base62_shortest(static_cast<std::uint64_t>(random_.below(60)), text));
  }

  book::testing::Random random_;
  book::testing::RandomFlow flows_[2];
  std::vector<market::BookReport> one_ = std::vector<market::BookReport>(1);
  std::size_t at_ = 0;
};

inline PartitionConfig flow_config() {
  PartitionConfig config = make_config();
  config.limits = {.orders = 100, .levels = 12, .reports = 8192, .report_buffer = 16};
  config.users[1].limits.open_orders = 20;
  config.users[2].limits.order_quantity = {25};
  config.users[3].cancel_on_logout = false;
  return config;
}

}  // namespace dojima::venue::testing
