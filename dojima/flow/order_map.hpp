#pragma once

// The live orders of recorded data by their feed's number: a hash table with linear probing that grows when it must.
// An order is found with one look at one cache line in most cases. No iteration in hash order reaches an output.
//
//   OrderMap orders;
//   orders.insert({.id = 7, .price = 100, .quantity = 5, .instrument = 0, .side = Side::buy});
//   if (OrderMap::Order* order = orders.find(7, 0)) orders.erase(*order);

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "dojima/market/order.hpp"

namespace dojima::flow {

class OrderMap {
 public:
  /// An order is there when its quantity is above 0.
  struct Order {
    std::uint64_t id = 0;
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    std::uint32_t instrument = 0;
    market::Side side = market::Side::none;
    std::uint8_t reserved[3] = {};
  };
  static_assert(sizeof(Order) == 32);

  explicit OrderMap(std::size_t capacity = k_least);

  /// Null: not there. The order stays where it is until the next insert or erase. Its quantity must stay above 0.
  [[nodiscard]] Order* find(std::uint64_t id, std::uint32_t instrument) noexcept {
    for (std::size_t at = hash(id) & mask_;; at = (at + 1) & mask_) {
      Order& order = cells_[at];
      if (order.quantity == 0) return nullptr;
      if (order.id == id && order.instrument == instrument) return &order;
    }
  }

  /// Quantity above 0, and not there yet. O(1) amortised. Throws std::bad_alloc.
  void insert(const Order& order) {
    if (2 * (size_ + 1) > mask_) [[unlikely]]
      grow();
    ++size_;
    std::size_t at = hash(order.id) & mask_;
    while (cells_[at].quantity != 0) at = (at + 1) & mask_;
    cells_[at] = order;
  }

  /// What stands behind it in its run moves up, so that no look-up ends too early.
  void erase(Order& order) noexcept {
    --size_;
    auto hole = static_cast<std::size_t>(&order - cells_.get());
    for (std::size_t at = (hole + 1) & mask_; cells_[at].quantity != 0; at = (at + 1) & mask_) {
      const std::size_t home = hash(cells_[at].id) & mask_;
      // It may move unless its home lies behind the hole.
      if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
      cells_[hole] = cells_[at];
      hole = at;
    }
    cells_[hole].quantity = 0;
  }

  /// Erases those for which `is_ending(order)`. O(capacity).
  template <class IsEnding>
  void erase_if(IsEnding&& is_ending) {
    auto kept = OrderMap(mask_ + 1);
    for (std::size_t at = 0; at <= mask_; ++at)
      if (cells_[at].quantity != 0 && !is_ending(std::as_const(cells_[at]))) kept.insert(cells_[at]);
    *this = std::move(kept);
  }

  void prefetch(std::uint64_t id) const noexcept { __builtin_prefetch(&cells_[hash(id) & mask_], 1); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t k_least = 1024;

  /// Numbers that count up fall into neighbouring cells: feeds refer to young orders most, and those stay in the cache.
  [[nodiscard]] static std::size_t hash(std::uint64_t id) noexcept { return id ^ id >> 32; }
  void grow();

  std::size_t mask_;
  std::size_t size_ = 0;
  std::unique_ptr<Order[]> cells_;
};

}  // namespace dojima::flow
