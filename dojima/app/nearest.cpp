#include "dojima/app/nearest.hpp"

#include <algorithm>
#include <vector>

namespace dojima::app {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  // Optimal string alignment: three rows of the usual table.
  std::vector<std::size_t> before(to.size() + 1), last(to.size() + 1), row(to.size() + 1);
  for (std::size_t column = 0; column <= to.size(); ++column) last[column] = column;
  for (std::size_t line = 1; line <= from.size(); ++line) {
    row[0] = line;
    for (std::size_t column = 1; column <= to.size(); ++column) {
      const std::size_t change = from[line - 1] == to[column - 1] ? 0 : 1;
      row[column] = std::min({last[column] + 1, row[column - 1] + 1, last[column - 1] + change});
      const bool is_swap =
          line > 1 && column > 1 && from[line - 1] == to[column - 2] && from[line - 2] == to[column - 1];
      if (is_swap) row[column] = std::min(row[column], before[column - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[to.size()];
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (2 * distance > std::max(word.size(), candidate.size()) + 1) continue;
    if (best && distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

}  // namespace dojima::app
