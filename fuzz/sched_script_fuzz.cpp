// Bytes as a script for a scheduler, inside callbacks too; the first one chooses the shape of the wheel. Whatever they
// say, the run wheel does what the slow and obvious model does.

#include <cstddef>
#include <cstdint>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/sched/containers/script_test.hpp"
#include "dojima/sched/scheduler.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima::sched;
  if (size == 0) return 0;
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  const unsigned choice = data[0];
  RunWheelShape shape = RunWheelShape::for_capacity(choice % 2 != 0 ? 100 : 1'000'000);
  if (choice % 4 > 1) {
    shape.slot_bits = 10 + choice / 16 % 8;
    shape.block_bits = 6;
    shape.fan_bits = 6;
    shape.chunk_bytes = 128;
    shape.most_gathered = 32;
    shape.max_prepared = choice % 16 > 7 ? 64 : SIZE_MAX;
  }
  const bool agrees = choice % 8 > 3 ? script::agrees_with_model<RunWheel<true>>(bytes, false, shape)
                                     : script::agrees_with_model<RunWheel<false>>(bytes, false, shape);
  DOJIMA_ASSERT(agrees, "the scheduler does what the model does");
  return 0;
}
