#pragma once

// The venue as its journals say it was, every command applied again.

#include <expected>
#include <string>

#include "dojima/app/config.hpp"
#include "dojima/simulate/checks.hpp"

namespace dojima::app::demo {

/// Error: one line that names the folder. O(commands).
[[nodiscard]] std::expected<simulate::VenueSnapshot, std::string> venue_from_journal(const VenueConfig& config);

}  // namespace dojima::app::demo
