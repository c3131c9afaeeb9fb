#include "dojima/flow/order_map.hpp"

#include <algorithm>
#include <bit>

namespace dojima::flow {

OrderMap::OrderMap(std::size_t capacity)
    : mask_(std::bit_ceil(std::max(capacity, k_least)) - 1), cells_(std::make_unique<Order[]>(mask_ + 1)) {}

void OrderMap::grow() {
  OrderMap larger(2 * (mask_ + 1));
  for (std::size_t at = 0; at <= mask_; ++at)
    if (cells_[at].quantity != 0) larger.insert(cells_[at]);
  *this = std::move(larger);
}

}  // namespace dojima::flow
