#pragma once

// The gaps of a machine as interruptions of the gateway's and the venue's thread in virtual time: what `dojima lab
// jitter --gaps FILE` recorded. The gateway has those of the file's first processor, the venue those of the second; of
// a single one both, each from another place. The recording is played around, from places that the seed decides. Plain
// values; reads files.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/link/interruptions.hpp"

namespace dojima::app::demo {

struct StallPlan {
  std::vector<std::vector<link::Interruptions::Gap>> processors{};  ///< in the order in which the file names them
  time::Duration span{};                                            ///< until the last gap of any of them was over
  std::string text{};                                               ///< the file, for results
  [[nodiscard]] bool is_none() const noexcept { return processors.empty(); }
};

/// Reads "cpu,at_ns,duration_ns" and a line for each gap, those of a processor in order. The error is one line for
/// people, with the file and the line of it.
[[nodiscard]] std::expected<StallPlan, std::string> read_stalls(const std::string& path);
[[nodiscard]] std::expected<StallPlan, std::string> parse_stalls(std::string_view csv);

/// Of the host of that number.
[[nodiscard]] link::Interruptions interruptions_of(const StallPlan& plan, std::size_t host);
/// Where in the recording that host begins. 0 without stalls.
[[nodiscard]] time::Duration offset_of(const StallPlan& plan, std::size_t host, std::uint64_t seed);

}  // namespace dojima::app::demo
