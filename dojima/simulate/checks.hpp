#pragma once

// Whether a demo run was right: what the clients know against what the venue knows, taken when everything had been
// answered and before anybody logged off. Pure functions over plain values, for the end of a run.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dojima/gateway/counters.hpp"
#include "dojima/simulate/exchange.hpp"
#include "dojima/simulate/ledger.hpp"
#include "dojima/simulate/tape.hpp"

namespace dojima::simulate {

/// The venue at the end of a run.
struct VenueSnapshot {
  struct Resting {
    market::OrderId id;
    std::int64_t leaves = 0;
    std::uint16_t user = 0;
  };
  std::vector<venue::UserTotals> users;  ///< all partitions together
  std::vector<Resting> resting;
  venue::FrontCounters front;
  std::uint64_t trades = 0;
  std::uint64_t volume = 0;
  std::uint64_t trade_digest = 0;
  std::uint64_t book_reports = 0;
  std::string mirror_mismatch;  ///< empty: the books are those rebuilt from their reports
  std::string replay_mismatch;  ///< empty: the kept journal comes to the same state, or none was kept
};

/// Adds a partition, which the tape has watched from its first command on. Those of a venue in their order, `users` of
/// all of them being there already.
void add_partition(VenueSnapshot& snapshot, const venue::Partition& partition, const Tape& tape, std::size_t index);
[[nodiscard]] VenueSnapshot take_snapshot(const Exchange& exchange, const std::vector<std::unique_ptr<Tape>>& tapes);

struct Check {
  std::string name;
  bool is_ok = false;
  std::string detail;
};

/// The result of all checks, and the order that broke the first one, where it was an order.
struct Verdict {
  std::vector<Check> checks;
  std::optional<Number> offender;
  [[nodiscard]] bool is_ok() const noexcept;
};

[[nodiscard]] Verdict verify(const Ledger& ledger, std::uint32_t clients, std::uint32_t instruments,
                             const VenueSnapshot& venue, const gateway::GatewayCounters& gateway);

/// Heap allocations of one thread between the first request and the last answer.
struct ThreadAllocations {
  std::string thread;
  std::uint64_t count = 0;
  bool is_counted = false;
  bool had_operator = false;  ///< commands of an operator were carried out on it, whose answers take memory
};
[[nodiscard]] Check verify_allocations(const std::vector<ThreadAllocations>& threads);

}  // namespace dojima::simulate
