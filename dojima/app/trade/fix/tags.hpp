#pragma once

// `tag::k_side`: the fields of order entry as the gateway names them.

#include "dojima/gateway/order_tags.hpp"

namespace dojima::app {
namespace tag = gateway::tag;
}  // namespace dojima::app
