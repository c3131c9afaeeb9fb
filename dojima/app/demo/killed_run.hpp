#pragma once

// A demo in which gateway and venue are killed while clients trade on: both are processes of their own, with journals,
// and are started again on them. Clients connect again and go on with their numbers. At the end what the clients know
// is held against the venue's journal.

#include <expected>
#include <string>

#include "dojima/app/demo/run.hpp"

namespace dojima::app::demo {

/// As run(), for settings that has_kills(). Journals and configurations are in `Settings::journal`, or in a folder that
/// goes when all checks are good.
[[nodiscard]] std::expected<DemoResult, std::string> run_with_kills(const Settings& settings, const Stops& stops,
                                                                    const ShowProgress& show);

}  // namespace dojima::app::demo
