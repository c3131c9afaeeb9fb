#pragma once

// What the tests of saved, recovered and followed partitions share: a flow of every kind of command for both
// instruments, and states as bytes.

#include <gtest/gtest.h>
#include <span>
#include <variant>
#include <vector>

#include "dojima/base/state.hpp"
#include "dojima/book/random_flow_test.hpp"
#include "dojima/venue/partition_test_support.hpp"

namespace dojima::venue::testing {

using State = std::vector<std::byte>;

inline State save(const Partition& partition, std::uint64_t reports = ~std::uint64_t{0}) {
  State state;
  StateWriter out([&state](Bytes piece) { state.insert(state.end(), piece.begin(), piece.end()); });
  partition.save(out, reports);
  out.flush();
  return state;
}

inline Result<void> load(Partition& partition, Bytes state) {
  StateReader in(state);
  return partition.load(in);
}

/// Commands for both instruments, of every kind that a book knows, with sessions between them.
class StateFlow final : public ReportSink {
 public:
  explicit StateFlow(std::uint64_t seed)
      : random_(seed),
        flows_{book::testing::RandomFlow(seed + 1, book::testing::Mix::days),
               book::testing::RandomFlow(seed + 2, book::testing::Mix::days)} {}

  using Any = std::variant<market::NewOrder, market::Replace, market::Cancel, market::MassCancel, market::Expire,
                           market::PhaseChange, market::UserCommand, market::Quote>;

  Any next() {
    const std::int64_t pick = random_.below(1000);
    if (pick >= 970) return quote();
    if (pick < 6)
      return market::UserCommand{
          .header = {.user = static_cast<std::uint16_t>(random_.below(4)),
                     .type = random_.chance(50) ? market::CommandType::logon : market::CommandType::end_session},
          .end = SessionEnd::disconnect};
    const bool is_rice = random_.chance(50);
    return std::visit(
        [&](auto command) -> Any {
          command.header.instrument = is_rice ? k_rice : k_silk;
          if constexpr (std::is_same_v<decltype(command), market::NewOrder>) {
            command.labels.client_order_id = Text<20>::cut(std::to_string(random_.below(40)));
            if (random_.chance(30)) command.terms.flags |= market::k_auto_cancel;
          }
          return command;
        },
        flows_[is_rice ? 0 : 1].next());
  }

  void on_reports(std::span<const market::BookReport> reports, Time) override {
    for (const market::BookReport& report : reports)
      flows_[report.instrument == k_rice ? 0 : 1].learn(std::vector<market::BookReport>{report});
  }

 private:
  /// Of any user around the middle of the flows' prices; a side is missing now and then.
  market::Quote quote() {
    market::Quote quote;
    quote.header.user = static_cast<std::uint16_t>(random_.below(4));
    quote.header.instrument = random_.chance(50) ? k_rice : k_silk;
    const std::int64_t bid = 95 + random_.below(10);
    quote.bid = at(bid);
    quote.ask = at(bid + 1 + random_.below(4));
    quote.bid_size = {random_.below(5) * 3};
    quote.ask_size = {random_.below(5) * 3};
    quote.labels.client_order_id = Text<20>::cut(std::to_string(random_.below(40)));
    quote.capacity = market::Capacity::dealing;
    if (random_.chance(30)) quote.flags = market::k_auto_cancel;
    return quote;
  }

  book::testing::Random random_;
  book::testing::RandomFlow flows_[2];
};

}  // namespace dojima::venue::testing
