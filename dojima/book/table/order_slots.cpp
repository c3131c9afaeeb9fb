#include "dojima/book/table/order_slots.hpp"

#include "dojima/base/state.hpp"
#include "dojima/book/digest.hpp"

namespace dojima::book {

OrderSlots::OrderSlots(std::uint8_t partition, std::size_t capacity, std::uint32_t first_generation, Memory memory)
    : orders_(capacity, memory),
      labels_(capacity, memory),
      free_(capacity),
      partition_bits_(std::uint64_t{partition} << k_partition_shift),
      capacity_(capacity),
      free_count_(capacity) {
  for (std::size_t slot = 0; slot < capacity; ++slot)
    free_[capacity - 1 - slot] = Slot{static_cast<std::uint32_t>(slot)};
  if (first_generation == 1) return;  // as the memory has it
  for (std::size_t slot = 0; slot < capacity; ++slot) orders_[slot].generation = first_generation - 1;
}

void OrderSlots::save_generations(StateWriter& out) const {
  for (std::size_t slot = 0; slot < capacity_; ++slot) out.add(orders_[slot].generation);
}

bool OrderSlots::load_generations(StateReader& in) {
  for (std::size_t slot = 0; slot < capacity_; ++slot) {
    if (!in.read(orders_[slot].generation)) return false;
    if (orders_[slot].generation > k_last_generation) return in.fail("a generation of 28 bits");
  }
  return true;
}

void OrderSlots::save_free(StateWriter& out) const {
  out.add(std::uint64_t{free_count_});
  for (std::size_t at = 0; at < free_count_; ++at) out.add(free_[at]);
  out.add(std::uint64_t{cooling_count_});
  for (std::size_t at = 0; at < cooling_count_; ++at) out.add(cooling_[(oldest_ + at) % k_cooling]);
}

bool OrderSlots::load_free(StateReader& in, std::vector<bool>& is_used) {
  const auto load = [&](Slot& slot) {
    if (!in.read(slot)) return false;
    const auto at = static_cast<std::size_t>(slot);
    if (at >= capacity_ || is_used[at]) return in.fail("a free slot, once");
    is_used[at] = true;
    return true;
  };
  std::uint64_t count = 0;
  if (!in.read_count(count, capacity_, sizeof(Slot))) return false;
  for (free_count_ = 0; free_count_ < count; ++free_count_)
    if (!load(free_[free_count_])) return false;
  if (!in.read_count(count, k_cooling, sizeof(Slot))) return false;
  for (oldest_ = cooling_count_ = 0; cooling_count_ < count; ++cooling_count_)
    if (!load(cooling_[cooling_count_])) return false;
  return true;
}

void OrderSlots::add_to(Digest& digest) const {
  for (std::size_t slot = 0; slot < capacity_; ++slot) digest.add(orders_[slot].generation);
  // In the order in which they would be used if no more were freed.
  for (std::size_t at = free_count_; at-- > 0;) digest.add(free_[at]);
  for (std::size_t at = 0; at < cooling_count_; ++at) digest.add(cooling_[(oldest_ + at) % k_cooling]);
}

}  // namespace dojima::book
