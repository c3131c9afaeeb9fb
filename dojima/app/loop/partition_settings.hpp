#pragma once

// What a loop's settings mean for the threads of a venue's partitions.

#include <expected>
#include <string>

#include "dojima/app/loop/loop_settings.hpp"
#include "dojima/net/idle.hpp"
#include "dojima/simulate/exchange.hpp"

namespace dojima::app {

/// What such a thread does while it has nothing to do, where the loop does this.
[[nodiscard]] venue::ThreadIdle thread_idle(net::IdlePolicy policy) noexcept;

/// Begins them, if there are any, with the settings of a loop's thread: of several processors each takes the next, the
/// loop the first. `first`: so many threads of loops take theirs before. The error is a line for a person: a thread
/// could not have what must be had.
[[nodiscard]] std::expected<void, std::string> start_partition_threads(simulate::Exchange& exchange,
                                                                       const LoopSettings& loop, std::size_t first = 1);

}  // namespace dojima::app
