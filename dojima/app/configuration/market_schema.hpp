#pragma once

// The keys of a generated market.

#include "dojima/app/configuration/config_schema.hpp"
#include "dojima/app/configuration/shared_schema.hpp"
#include "dojima/app/market_config.hpp"

namespace dojima::app {

void describe(backtest::MarketConfig& config, ConfigVisitor& visitor);
/// One row of [[segment]], as a venue's configuration has it.
void describe_segment(venue::Segment& segment, ConfigVisitor& visitor);

}  // namespace dojima::app
