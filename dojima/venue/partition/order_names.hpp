#pragma once

// The client order ids by which users know their live orders. They are not checked for being unique: the latest order
// of an id has it, and an earlier one is then known by its order id only, also after the later one has ended. The ids
// themselves are in the order table; here is a place of eight bytes for each, found by a hash. While few orders live
// the places are those of a small table, which the caches keep; with the next one they go into a larger one, at most
// 8,192 of them in one go, some tenths of a millisecond. O(1) expected but for that, no allocation after construction.
// One thread.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "dojima/base/assert.hpp"
#include "dojima/base/large_array.hpp"
#include "dojima/book/order_table.hpp"
#include "dojima/market/order.hpp"

namespace dojima::venue {

class OrderNames {
 public:
  /// For the live orders of this table, which must outlive it. Throws std::bad_alloc.
  explicit OrderNames(const book::OrderTable& orders);

  /// From now on its owner means the order in this slot by the client order id that it has; an empty one means nothing.
  /// The id's hash, which release() wants, so that no id is hashed twice.
  std::uint32_t assign(book::Slot slot) {
    return assign(slot, hash_of(orders_.labels(slot).client_order_id, orders_[slot].owner));
  }
  /// The same with the hash that prefetch() gave.
  std::uint32_t assign(book::Slot slot, std::uint32_t hash) {
    const Text<20>& id = orders_.labels(slot).client_order_id;
    if (id.is_empty()) return 0;
    const std::uint16_t user = orders_[slot].owner;
    DOJIMA_CHECK_SLOW(hash == hash_of(id, user), "the hash is of the order's own id", hash, orders_.id(slot), user);
    std::size_t at = locate(hash, id, user);
    if (cells_[at].is_free()) {
      if (size_ == most_) [[unlikely]]
        at = place_in_larger(hash, slot);
      ++size_;
    }
    cells_[at] = {hash, slot};
    return hash;
  }

  /// The order in this slot ended, or is about to get another id; an id that a later order has is left alone. `hash`:
  /// what assign() gave; of an order that was never assigned, any.
  void release(book::Slot slot, std::uint32_t hash) {
    for (std::size_t at = hash & mask_; !cells_[at].is_free(); at = (at + 1) & mask_)
      if (cells_[at].slot == slot) return erase(at);
  }

  /// Where the order is that the user means by the id, or no slot.
  [[nodiscard]] book::Slot find(const Text<20>& client_order_id, std::uint16_t user) const {
    return cells_[locate(hash_of(client_order_id, user), client_order_id, user)].slot;
  }

  /// Hints that the id will be looked up or assigned soon: the first, which answers the id's hash, as the second wants
  /// it some time later, and that the slot that find() will most likely answer; any slot is fine where there is none.
  [[nodiscard, gnu::always_inline]] std::uint32_t prefetch(const Text<20>& id, std::uint16_t user) const noexcept {
    const std::uint32_t hash = hash_of(id, user);
    __builtin_prefetch(&cells_[hash & mask_], 1);
    return hash;
  }
  [[nodiscard, gnu::always_inline]] book::Slot hint(std::uint32_t hash) const noexcept {
    return cells_[hash & mask_].slot;
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.size() * sizeof(Cell); }

 private:
  /// Cells follow the place that the hash says without a gap.
  struct Cell {
    std::uint32_t hash = 0;
    book::Slot slot = book::k_no_slot;
    [[nodiscard]] bool is_free() const noexcept { return slot == book::k_no_slot; }
  };

  /// The same on every machine. No id makes a factor 0: its characters have no upper bits.
  [[nodiscard]] static std::uint32_t hash_of(const Text<20>& id, std::uint16_t user) noexcept {
    std::uint64_t first, second;
    std::uint32_t third;
    std::memcpy(&first, id.chars.data(), sizeof first);
    std::memcpy(&second, id.chars.data() + 8, sizeof second);
    std::memcpy(&third, id.chars.data() + 16, sizeof third);
    const std::uint64_t rest = third | std::uint64_t{user} << 32;
    const std::uint64_t head = fold(first ^ 0x9e3779b97f4a7c15ULL, second ^ 0xd6e8feb86659fd93ULL);
    return static_cast<std::uint32_t>(fold(head ^ rest, 0xe7037ed1a0b428dbULL));
  }
  [[nodiscard]] static std::uint64_t fold(std::uint64_t one, std::uint64_t other) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(one) * other;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  [[nodiscard]] bool is_meant(book::Slot slot, const Text<20>& id, std::uint16_t user) const noexcept {
    return orders_[slot].owner == user &&
           std::memcmp(orders_.labels(slot).client_order_id.chars.data(), id.chars.data(), sizeof id) == 0;
  }

  /// The cell of the id, or the free one where it would go. There is always a free one.
  [[nodiscard]] std::size_t locate(std::uint32_t hash, const Text<20>& id, std::uint16_t user) const noexcept {
    std::size_t at = hash & mask_;
    while (!cells_[at].is_free() && !(cells_[at].hash == hash && is_meant(cells_[at].slot, id, user)))
      at = (at + 1) & mask_;
    return at;
  }

  /// Cells behind it that belong further in front move up, so that no gap is left.
  void erase(std::size_t at) noexcept {
    for (std::size_t next = (at + 1) & mask_; !cells_[next].is_free(); next = (next + 1) & mask_) {
      const std::size_t from_home = (next - cells_[next].hash) & mask_;
      if (from_home < ((next - at) & mask_)) continue;
      cells_[at] = cells_[next];
      at = next;
    }
    cells_[at] = {};
    if (--size_ == 0) use(tables_.front());
  }

  /// Of free cells all, or about to be filled.
  struct Table {
    Cell* cells = nullptr;
    std::size_t size = 0;  ///< a power of two
    std::size_t most = 0;  ///< names in it
  };
  static constexpr std::array<std::size_t, 2> k_small_sizes{1 << 12, 1 << 14};

  [[nodiscard]] static std::size_t size_for(std::size_t orders) noexcept {
    return std::bit_ceil(orders + orders / 2 + 1);
  }
  [[nodiscard]] static std::size_t cells_for(std::size_t orders) noexcept;
  void use(const Table& table) noexcept {
    cells_ = table.cells;
    mask_ = table.size - 1;
    most_ = table.most;
  }
  [[nodiscard]] std::size_t place_in_larger(std::uint32_t hash, book::Slot slot) noexcept;

  const book::OrderTable& orders_;
  std::size_t mask_ = 0;
  Cell* cells_ = nullptr;  // of the table in use
  std::size_t size_ = 0;
  std::size_t most_ = 0;
  std::array<Table, k_small_sizes.size() + 1> tables_{};  // from the smallest to the one for all orders
  LargeArray<Cell> memory_;                               // of all tables
};

}  // namespace dojima::venue
