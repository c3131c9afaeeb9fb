#include "dojima/sched/run_wheel_shape.hpp"

#include "dojima/base/assert.hpp"

namespace dojima::sched {

RunWheelShape RunWheelShape::for_capacity(std::size_t capacity) noexcept {
  RunWheelShape shape;
  // What fits into a cache: wide entries in slots that hold some hundred of them, or as many as the bits of a key
  // allow.
  if (capacity <= 200'000) shape.is_packed = false;
  if (capacity <= 4096) {
    shape.slot_bits = 25;
    shape.block_bits = 6;
    shape.fan_bits = 6;
    if (capacity <= 256) shape.chunk_bytes = 128;
    shape.prefetch_ahead = 4;
  } else if (capacity <= 32'768) {
    shape.slot_bits = 23;
    shape.block_bits = 8;
    shape.fan_bits = 8;
    shape.prefetch_ahead = 4;
  } else if (capacity <= 200'000) {
    shape.slot_bits = 22;
    shape.block_bits = 9;
    shape.prefetch_ahead = 48;
  } else {
    shape.prefetch_ahead = 32;
    shape.is_staging = true;
  }
  if (capacity >= 4'000'000) {
    // Slots of 2^20 ns would hold more than can be sorted at once.
    shape.slot_bits = 18;
    shape.block_bits = 12;
  }
  return shape;
}

void RunWheelShape::check() const noexcept {
  DOJIMA_ASSERT(slot_bits >= 10 && slot_bits <= 30, "slots of 1 us to 1 s", slot_bits);
  DOJIMA_ASSERT(!is_packed || slot_bits <= 20, "a packed entry has 20 bits for its place in the slot", slot_bits);
  DOJIMA_ASSERT(block_bits >= 5 && block_bits <= 14, "blocks of 32 to 16384 slots", block_bits);
  DOJIMA_ASSERT(slot_bits + block_bits >= 16, "the far wheel reaches to the end of time", slot_bits, block_bits);
  DOJIMA_ASSERT(fan_bits >= 6 && fan_bits <= 10, "rungs of 64 to 1024 sub-slots", fan_bits);
  DOJIMA_ASSERT(address_bits > 4 && address_bits <= 47, "a packed address has 43 bits", address_bits);
  DOJIMA_ASSERT(most_gathered >= 32 && most_gathered <= k_most_keys, "what can be sorted at once", most_gathered);
  DOJIMA_ASSERT(max_prepared >= 64, "a small slot is gathered in one go", max_prepared);
  DOJIMA_ASSERT(prefetch_ahead <= 64, "the run ends with so many empty entries", prefetch_ahead);
}

}  // namespace dojima::sched
