#pragma once

// Erlang's loss and delay formulas and their inverses, for any number of servers: no factorial appears, so nothing
// overflows. `offered` is the offered load in servers, arrival rate times mean service. A. K. Erlang, "Løsning af
// nogle Problemer fra Sandsynlighedsregningen af Betydning for de automatiske Telefoncentraler", 1917; the recursion
// is in every textbook. O(servers) each.
//
//   erlang_b(10, 8)                    // 0.1217: of the calls to ten lines with an offered load of 8
//   *servers_for_loss(8, 0.01)         // 15

#include <cstdint>

#include "dojima/queueing/answer.hpp"

namespace dojima::queueing {

inline constexpr std::uint32_t k_most_servers = 1'000'000;

/// The share of requests lost by M/G/c/c. `offered` > 0, `servers` 0 to k_most_servers. Relative error below 1e-13; 0
/// where the share is below what a double can hold.
[[nodiscard]] double erlang_b(std::uint32_t servers, double offered);
/// The share of requests that wait in M/M/c; 1 when `offered` >= `servers`.
[[nodiscard]] double erlang_c(std::uint32_t servers, double offered);

/// The offered load that `servers` >= 1 lose the share `loss` (0 < loss < 1) of.
[[nodiscard]] Answer<double> offered_for_loss(std::uint32_t servers, double loss);
/// The fewest servers that lose at most the share `loss`.
[[nodiscard]] Answer<std::uint32_t> servers_for_loss(double offered, double loss);
/// The offered load of which `servers` >= 1 let the share `delayed` (0 < delayed < 1) wait.
[[nodiscard]] Answer<double> offered_for_delay(std::uint32_t servers, double delayed);
/// The fewest servers that let at most the share `delayed` wait.
[[nodiscard]] Answer<std::uint32_t> servers_for_delay(double offered, double delayed);

}  // namespace dojima::queueing
