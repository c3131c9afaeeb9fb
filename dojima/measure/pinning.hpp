#pragma once

// Keeps the calling thread on one processor, where that is allowed, and says what came of it.

#include <optional>
#include <string>

namespace dojima::measure {

struct Pinning {
  std::optional<int> cpu;  ///< read back from the kernel; nothing: the thread may move
  std::string reason;      ///< why not
};

/// Moves the calling thread to `wanted`, or to the last processor that it may use: interrupts prefer the first.
[[nodiscard]] Pinning pin_to_processor(std::optional<int> wanted);

/// Asks the kernel where the calling thread may run, and moves nothing.
[[nodiscard]] Pinning current_pinning();

}  // namespace dojima::measure
