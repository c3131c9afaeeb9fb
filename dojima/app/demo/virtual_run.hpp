#pragma once

// The demo in virtual time: venue, gateway and clients on one thread over a simulated network. Every run of the same
// settings is the same to the last byte, at any speed. With services (`Settings::services`) gateway and venue take time
// for every message, and the result has latencies by stage.

#include <expected>
#include <string>

#include "dojima/app/demo/run.hpp"

namespace dojima::app::demo {

/// As run(), for settings with `is_virtual`.
[[nodiscard]] std::expected<DemoResult, std::string> run_virtual(const Settings& settings, const Stops& stops,
                                                                 const ShowProgress& show);

}  // namespace dojima::app::demo
