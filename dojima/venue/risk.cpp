#include "dojima/venue/risk.hpp"

namespace dojima::venue {

market::Reason check_risk(const UserLimits& limits, const market::NewOrder& order, std::uint32_t open_orders) noexcept {
  if (open_orders >= limits.open_orders) return market::Reason::too_many_orders;
  if (order.terms.quantity > limits.order_quantity) return market::Reason::quantity_out_of_range;
  return market::Reason::none;
}

market::Reason check_risk(const UserLimits& limits, const market::Replace& replace) noexcept {
  if (replace.quantity > limits.order_quantity) return market::Reason::quantity_out_of_range;
  return market::Reason::none;
}

}  // namespace dojima::venue
