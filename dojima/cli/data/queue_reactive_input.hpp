#pragma once

// Queue-reactive markets as commands take them: like a recorded day, or out of a file of parameters.

#include <cstdint>
#include <expected>
#include <string>

#include "dojima/recorded/days/queue_reactive_day.hpp"
#include "dojima/recorded/files/recorded_file.hpp"

namespace dojima::cli {

class InstrumentRun;

struct CalibratedMarket {
  recorded::QueueReactiveModel model;
  std::uint64_t events_within = 0;  ///< changes of the book within the distances of the model; 0: from a parameter file
  std::uint64_t events_seen = 0;
};

/// Reads the recording twice. `only`: the instrument; empty: the one with the most orders. The error is one line.
[[nodiscard]] std::expected<CalibratedMarket, std::string> calibrated_market(const std::string& file,
                                                                             const recorded::RecordedOptions& options,
                                                                             const std::string& only,
                                                                             InstrumentRun& run);
/// The same, or what a file of parameters says.
[[nodiscard]] std::expected<CalibratedMarket, std::string> market_like(const std::string& file,
                                                                       const recorded::RecordedOptions& options,
                                                                       InstrumentRun& run);

}  // namespace dojima::cli
