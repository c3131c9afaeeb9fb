#pragma once

// The least value of a function of a few variables by a simplex that walks, stretches and shrinks. J. Nelder and R.
// Mead, "A simplex method for function minimization" (1965).

#include <cstddef>
#include <functional>
#include <vector>

namespace dojima::queueing {

/// Where `of` is least, beginning at `start` with steps of `step`; at most `evaluations` values are computed.
[[nodiscard]] std::vector<double> minimum(const std::function<double(const std::vector<double>&)>& of,
                                          std::vector<double> start, double step, std::size_t evaluations);

}  // namespace dojima::queueing
