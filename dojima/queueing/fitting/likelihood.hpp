#pragma once

// How likely arrivals are under a model: the logarithm, over all parts. Each part begins with its first arrival and
// ends with its last.

#include <span>

#include "dojima/queueing/arrival_fit.hpp"

namespace dojima::queueing {

[[nodiscard]] double log_likelihood(const Mmpp2& model, std::span<const Arrivals> parts);
/// Excitement of earlier parts is not carried over. O(arrivals).
[[nodiscard]] double log_likelihood(const Hawkes& model, std::span<const Arrivals> parts);

}  // namespace dojima::queueing
