#pragma once

// How long a load takes from the memory of each node, from a processor of each node: a chase through a random ring of
// cache lines that is larger than the caches, so that every load waits for the one before. Where there is one node,
// what is remote cannot be measured and the table says so. Memory is placed with mbind and looked at page by page
// before it is believed. One thread at a time; takes its memory for each pair of nodes and gives it back.
//
//   const std::vector<NumaNode> nodes = read_numa_nodes("/");
//   const auto latencies = measure_numa(nodes, {}, clock, [](std::size_t done) { return true; });

#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "dojima/evidence/artefact.hpp"
#include "dojima/measure/cycle_clock.hpp"

namespace dojima::instruments {

struct NumaNode {
  int number = 0;
  std::vector<int> cpus{};         ///< those that this process may use
  std::uint64_t memory_bytes = 0;  ///< 0: a node without memory
};

/// The nodes of the files below `root`, in ascending order; `allowed` are the processors that may be used. None: the
/// kernel shows none.
[[nodiscard]] std::vector<NumaNode> read_numa_nodes(const std::filesystem::path& root, const std::vector<int>& allowed);

struct NumaPlan {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t loads = 2'000'000;
  std::size_t rounds = 5;
  std::uint64_t seed = 1;
};

/// One pair of nodes, one round.
struct NumaLatency {
  int cpu_node = 0;
  int memory_node = 0;
  double ns_per_load = 0;
  double pages_there = 0;  ///< share of the pages looked at that lie on that node
  std::string trouble{};   ///< why there is no latency; empty: there is
};

/// A ring through `lines` places in random order: where each one leads. Every place is visited once. Pure; O(lines).
[[nodiscard]] std::vector<std::uint32_t> random_ring(std::size_t lines, std::uint64_t seed);

/// `go_on` is asked before each measurement with how many are done.
[[nodiscard]] std::vector<NumaLatency> measure_numa(const std::vector<NumaNode>& nodes, const NumaPlan& plan,
                                                    const measure::CycleClock& clock,
                                                    const std::function<bool(std::size_t done)>& go_on);

/// Adds parameters, the tables "numa" and "overhead" and a run for each measurement. `reading_ns` is what a
/// stamp costs. Pure.
void add_numa(evidence::Artefact& artefact, const std::vector<NumaNode>& nodes, const NumaPlan& plan,
              const std::vector<NumaLatency>& latencies, double reading_ns);

}  // namespace dojima::instruments
