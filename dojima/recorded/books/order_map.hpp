#pragma once

// The live orders of recorded data by their feed's number: a hash table of pairs of cells, with linear probing from
// pair to pair, that grows when it must. Every pair counts the orders that had to go past it, so a look-up ends where
// none did, and an erased order leaves a hole that nothing has to fill: nearly all orders are found and erased in the
// pair where they belong, one cache line. The table is kept rather empty as long as it fits into the second cache. No
// iteration in hash order reaches an output.
//
//   OrderMap orders;
//   orders.insert({.id = 7, .price = 100, .quantity = 5, .instrument = 0, .side = Side::buy});
//   if (OrderMap::Order* order = orders.find(7, 0)) orders.erase(*order);

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "dojima/base/straight_line.hpp"
#include "dojima/market/order.hpp"

namespace dojima::recorded {

class OrderMap {
 public:
  /// An order is there when its quantity is above 0.
  struct Order {
    std::uint64_t id = 0;
    std::int64_t price = 0;
    std::int64_t quantity = 0;
    std::uint32_t instrument = 0;
    market::Side side = market::Side::none;
    std::uint8_t mark = 0;  ///< the caller's, as long as the order is there
    std::uint16_t passed =
        0;  ///< the map's, in the first cell of a pair: so many orders belong here or before, and are further on
  };
  static_assert(sizeof(Order) == 32);

  /// Whether the caller keeps a number of its own beside each order.
  enum class Tags : std::uint8_t { none, kept };
  explicit OrderMap(std::size_t capacity = k_least, Tags tags = Tags::none);

  /// Null: not there. The order stays where it is until the next insert. Its quantity must stay above 0.
  [[nodiscard]] Order* find(std::uint64_t id, std::uint32_t instrument) noexcept {
    std::size_t at = home_of(id);
    // Holes may lie in the way, and in theory everywhere: not more than once around.
    for (std::size_t looks = 0; looks <= mask_; looks += 2, at = (at + 2) & mask_) {
      for (std::size_t cell = at; cell < at + 2; ++cell)
        if (is_in(cells_[cell], id, instrument)) return &cells_[cell];
      if (cells_[at].passed == 0) break;
    }
    return nullptr;
  }
  [[nodiscard]] static bool is_in(const Order& cell, std::uint64_t id, std::uint32_t instrument) noexcept {
    return all(cell.id == id, cell.instrument == instrument, cell.quantity != 0);
  }

  /// The two cells where an order with this number belongs, whatever is in them. A caller that puts an order into an
  /// empty one of a pair that none has passed, or sets the quantity of one to 0, calls count(); where tags are kept, it
  /// sets the tag of one that it put there.
  [[nodiscard]] Order* home(std::uint64_t id) noexcept { return &cells_[home_of(id)]; }
  void count(std::ptrdiff_t change) noexcept { size_ += static_cast<std::size_t>(change); }
  [[nodiscard]] bool has_room() const noexcept { return size_ < most_; }

  /// The caller's number beside an order, or beside one that is gone until the next insert, where tags are kept. A new
  /// order's is 0.
  [[nodiscard]] std::uint64_t& tag(const Order& order) noexcept {
    return tags_[static_cast<std::size_t>(&order - cells_.get())];
  }

  /// Quantity above 0, and not there yet. O(1) amortised. Throws std::bad_alloc.
  Order& insert(const Order& order) {
    if (!has_room()) [[unlikely]]
      grow();
    ++size_;
    std::size_t at = home_of(order.id);
    for (; cells_[at].quantity != 0 && cells_[at + 1].quantity != 0; at = (at + 2) & mask_)
      if (cells_[at].passed != k_stuck) ++cells_[at].passed;
    Order& cell = cells_[cells_[at].quantity == 0 ? at : at + 1];
    const std::uint16_t passed = cell.passed;
    cell = order;
    cell.passed = passed;
    if (tags_ != nullptr) tag(cell) = 0;
    return cell;
  }

  void erase(Order& order) noexcept {
    --size_;
    order.quantity = 0;
    const std::size_t place = static_cast<std::size_t>(&order - cells_.get()) & ~std::size_t{1};
    for (std::size_t at = home_of(order.id); at != place; at = (at + 2) & mask_)
      if (cells_[at].passed != k_stuck) --cells_[at].passed;
  }

  /// Erases those for which `is_ending(order)`. O(capacity).
  template <class IsEnding>
  void erase_if(IsEnding&& is_ending) {
    auto kept = OrderMap(mask_ + 1, tags());
    for (std::size_t at = 0; at <= mask_; ++at)
      if (cells_[at].quantity != 0 && !is_ending(std::as_const(cells_[at]))) kept.insert_from(*this, at);
    *this = std::move(kept);
  }

  /// Calls `visit(Order)` for each, in no order that means anything. O(capacity).
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t at = 0; at <= mask_; ++at)
      if (cells_[at].quantity != 0) visit(std::as_const(cells_[at]));
  }

  void prefetch(std::uint64_t id) const noexcept { __builtin_prefetch(&cells_[home_of(id)], 1); }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t k_least = 1024;
  static constexpr std::uint16_t k_stuck = 0xffff;  // as many or more: looks go on, until the map grows

  /// Numbers that count up fall into neighbouring pairs: feeds refer to young orders most, and those stay in the cache.
  [[nodiscard]] std::size_t home_of(std::uint64_t id) const noexcept { return 2 * (id ^ id >> 32) & mask_; }
  [[nodiscard]] Tags tags() const noexcept { return tags_ == nullptr ? Tags::none : Tags::kept; }
  void insert_from(OrderMap& other, std::size_t cell) {
    const Order& inserted = insert(other.cells_[cell]);
    if (tags_ != nullptr) tag(inserted) = other.tags_[cell];
  }
  void grow();

  std::size_t mask_;
  std::size_t most_;  // orders, before it grows
  std::size_t size_ = 0;
  std::unique_ptr<Order[]> cells_;
  std::unique_ptr<std::uint64_t[]> tags_;  // by cell; null: none are kept
};

}  // namespace dojima::recorded
