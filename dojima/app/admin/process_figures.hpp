#pragma once

// What every server's /metrics says of its process besides its own figures: how late its loop turns, how far its clock
// is from the wall clock, memory, processor time, files. Read by the thread that answers, when it is asked: the loop
// pays for none of it.

#include <cstdint>
#include <string>

#include "dojima/time/time.hpp"

namespace dojima::app {

/// In the text exposition format 0.0.4. Names that are not Dojima's are those that Prometheus gives every process.
/// Figures that /proc does not have are left out.
[[nodiscard]] std::string process_figures(time::Duration loop_lag);

/// Memory of the process itself that is in use, in bytes: what is resident without that of files. 0: /proc does not
/// say.
[[nodiscard]] std::uint64_t own_resident_bytes();

}  // namespace dojima::app
