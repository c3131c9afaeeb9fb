#pragma once

// Two sessions, initiator and acceptor, each with a store in a journal on a disk of its own, under everything: a
// network that splits, delays, damages, stops and breaks streams, processes that end at any instant, power that goes,
// disks that fail and fill up. One seed is one run, in virtual time. Whatever happens, each order arrives once, in
// order; or once more, under the same number and with PossDupFlag, where a process ended between an order's delivery
// and its number.
//
//   const Outcome outcome = run_pair({.seed = 7, .orders = 1000});
//   if (!outcome.failure.empty()) ...

#include "tests/fix_cases/pair_process.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace dojima::pairs {

struct PairOptions {
  std::uint64_t seed = 1;
  std::uint64_t orders = 1000;  ///< both ways together
  fix::MessageLog* log = nullptr;
  /// Asked now and then, with the orders that have arrived: whether to go on. Empty: always.
  std::function<bool(std::uint64_t)> goes_on{};
};

struct Outcome {
  std::string failure;       ///< empty: every order arrived as it should
  Counts both;               ///< of both sides together
  bool was_stopped = false;  ///< `goes_on` said no
  std::uint64_t orders = 0, repeated = 0;
  time::Duration virtual_time{};
};

[[nodiscard]] Outcome run_pair(const PairOptions& options);

}  // namespace dojima::pairs
