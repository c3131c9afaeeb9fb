#pragma once

// Time zones by their names in the IANA database, as the system keeps it (Debian: package tzdata). Library
// dojima::time_zones, component `time_zones` of an installation: who does not use it needs neither the database nor the
// library that reads it. For start-up: reads files and allocates.
//
//   const Result<ZoneRules> london = load_zone("Europe/London");

#include <string_view>

#include "dojima/base/error.hpp"
#include "dojima/time/zone_rules.hpp"

namespace dojima::time {

/// The zone's rules to the end of 2261: the changes that the database lists, then its rule for the years behind them.
/// `unknown`: the database has no zone of that name; `unavailable`: there is no database, or no file of that zone;
/// `malformed`: the file is not what it should be.
[[nodiscard]] Result<ZoneRules> load_zone(std::string_view name);

}  // namespace dojima::time
