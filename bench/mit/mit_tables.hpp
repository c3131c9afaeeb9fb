#pragma once

// The tables of dojima-bench-mit, and the floor that they share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/harness/bench_harness.hpp"

namespace dojima::bench {

/// Messages of one type in a batch.
inline constexpr std::size_t k_messages = 256;

/// The least that a message can cost: its bytes copied, and summed up one by one.
[[nodiscard]] std::unique_ptr<harness::Competitor> copied_and_summed(std::vector<std::byte> message);

/// One table a dialect of MIT203.
[[nodiscard]] std::vector<harness::BenchTable> mit_messages();
[[nodiscard]] harness::BenchTable mitch_messages();
[[nodiscard]] harness::BenchTable mitch_books();

}  // namespace dojima::bench
