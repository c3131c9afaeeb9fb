#pragma once

// Whether a report of the venue can be about the request whose number it has. What cannot is dropped and counted: a
// record that contradicts itself would be worse than a lost message. A pure function, no allocation.

#include "dojima/gateway/records/order.hpp"
#include "dojima/gateway/records/request.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

/// Whether `report` fits `request` and its `order`: venue id, instrument, side, kind of request, state and quantities.
/// `wanted`: the quantity of a replace that is not answered.
[[nodiscard]] bool is_plausible(const market::OwnerReport& report, const Request& request, market::Quantity wanted,
                                const Order& order) noexcept;

}  // namespace dojima::gateway
