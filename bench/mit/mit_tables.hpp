#pragma once

// The tables of dojima-bench-mit, and the floor that they share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dojima/base/bytes.hpp"
#include "dojima/lab/bench_harness.hpp"

namespace dojima::bench {

/// Messages of one type in a batch.
inline constexpr std::size_t k_messages = 256;

/// The least that a message can cost: its bytes copied, and summed up one by one.
[[nodiscard]] std::unique_ptr<lab::Competitor> copied_and_summed(std::vector<std::byte> message);

/// One table a dialect of MIT203.
[[nodiscard]] std::vector<lab::BenchTable> mit_messages();
[[nodiscard]] lab::BenchTable mitch_messages();
[[nodiscard]] lab::BenchTable mitch_books();

}  // namespace dojima::bench
