#include "dojima/venue/partition/order_names.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace dojima::venue {

std::size_t OrderNames::cells_for(std::size_t orders) noexcept {
  const std::size_t full = size_for(orders);
  std::size_t sum = full;
  for (const std::size_t size : k_small_sizes) sum += size < full ? size : 0;
  return sum;
}

OrderNames::OrderNames(const book::OrderTable& orders) : orders_(orders), memory_(cells_for(orders.capacity())) {
  const std::size_t full = size_for(orders.capacity());
  std::size_t used = 0, count = 0;
  const auto add = [&](std::size_t size, std::size_t most) {
    tables_[count++] = {&memory_[used], size, most};
    used += size;
  };
  for (const std::size_t size : k_small_sizes)
    if (size < full) add(size, size / 2);
  add(full, orders.capacity());
  use(tables_.front());
}

/// All that have a name get a place in the next table, and there is one for this hash.
[[gnu::noinline]] std::size_t OrderNames::place_in_larger(std::uint32_t hash, book::Slot slot) noexcept {
  const auto old = std::ranges::find(tables_, cells_, &Table::cells);
  const auto larger = old + 1;
  DOJIMA_ASSERT(larger < tables_.end() && larger->size != 0, "there is a name for every live order", size_,
                orders_.id(slot), orders_[slot].owner);
  use(*larger);
  const auto free_place = [this](std::uint32_t of) {
    std::size_t at = of & mask_;
    while (!cells_[at].is_free()) at = (at + 1) & mask_;
    return at;
  };
  for (Cell& cell : std::span(old->cells, old->size)) {
    if (cell.is_free()) continue;
    const std::size_t at = free_place(cell.hash);
    cells_[at] = std::exchange(cell, {});
  }
  return free_place(hash);
}

}  // namespace dojima::venue
