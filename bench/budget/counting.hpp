#pragma once

// Starts the programs that are counted: the road under valgrind, and over loopback.

#include "bench/budget/stages.hpp"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "dojima/evidence/document.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/harness/call_profile.hpp"
#include "dojima/harness/count_baseline.hpp"

namespace dojima::bench {

/// Simulated caches: the same wherever it is counted. Size, ways, line.
inline constexpr const char* k_first_level = "32768,8,64";
inline constexpr const char* k_last_level = "1048576,16,64";

/// What one run of the road said.
struct Counted {
  harness::CallProfile profile;
  std::string outcome;  ///< what was sent and answered, and the state of the venue: the same however it is counted
};

enum class RoadProgram : std::uint8_t { road, copies };

/// Counts the road. The error is for a person: no valgrind, or the run failed.
[[nodiscard]] std::expected<Counted, std::string> count_road(RoadProgram program, std::size_t requests);

/// What both threads called over loopback, an object a thread. The error as above.
[[nodiscard]] std::expected<evidence::Document, std::string> count_sockets(std::size_t requests, bool has_probe);

/// Counts an order of each stage, a row each, and of the whole road.
[[nodiscard]] evidence::Table stage_table(const RoadCost& road, std::size_t requests, bool has_copies);
/// System calls and readings of clocks an order, a row for each thread, without and with a probe.
[[nodiscard]] evidence::Table socket_table(const evidence::Document& without, const evidence::Document& with);

/// The version of valgrind, as profiles name their maker. The error is for a person.
[[nodiscard]] std::expected<std::string, std::string> counter();

/// What will be counted and how, before it is: every count is 0.
[[nodiscard]] harness::CountBaseline planned_baseline(const std::string& counted_by, std::size_t requests);

/// What is held against the committed file: instructions an order of each stage and of all, and how they were counted.
[[nodiscard]] harness::CountBaseline baseline_of(const RoadCost& road, const std::string& counted_by,
                                                 std::size_t requests);

/// The page: tables, and a flame graph for each stage.
[[nodiscard]] std::string page_of(const std::vector<evidence::Table>& tables, const RoadCost& road,
                                  std::size_t requests);

}  // namespace dojima::bench
