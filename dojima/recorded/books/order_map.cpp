#include "dojima/recorded/books/order_map.hpp"

#include <algorithm>
#include <bit>

namespace dojima::recorded {

namespace {

/// How full a table may be: an eighth of its cells up to 2 MB, then a quarter, then half.
std::size_t most_orders(std::size_t cells) noexcept {
  constexpr std::size_t k_small = std::size_t{1} << 16;
  return cells / (cells <= k_small ? 8 : cells == 2 * k_small ? 4 : 2);
}

}  // namespace

OrderMap::OrderMap(std::size_t capacity, Tags tags)
    : mask_(std::bit_ceil(std::max(capacity, k_least)) - 1),
      most_(most_orders(mask_ + 1)),
      cells_(std::make_unique<Order[]>(mask_ + 1)),
      tags_(tags == Tags::kept ? std::make_unique<std::uint64_t[]>(mask_ + 1) : nullptr) {}

void OrderMap::grow() {
  OrderMap larger(2 * (mask_ + 1), tags());
  for (std::size_t at = 0; at <= mask_; ++at)
    if (cells_[at].quantity != 0) larger.insert_from(*this, at);
  *this = std::move(larger);
}

}  // namespace dojima::recorded
