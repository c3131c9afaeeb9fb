#pragma once

// What a run of the demo comes to once its parts have done their work.

#include "dojima/app/demo/director.hpp"
#include "dojima/app/demo/parts.hpp"
#include "dojima/app/demo/run.hpp"
#include "dojima/simulate/clients.hpp"

namespace dojima::app::demo {

/// What is the same for runs over sockets and in virtual time: counts and checks, no latencies.
[[nodiscard]] DemoResult conclude(const Settings& settings, const Board& board, simulate::Clients& clients,
                                  const GatewayPart& gateway, const VenuePart& venue);

}  // namespace dojima::app::demo
