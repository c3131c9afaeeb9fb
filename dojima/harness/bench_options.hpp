#pragma once

// The command line that all benchmark programs share. Parsing allocates; once, at the start.

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/harness/bench_harness.hpp"

namespace dojima::harness {

struct BenchOptions {
  bool list = false;
  bool quick = false;
  bool pin = true;
  bool progress = true;
  std::vector<std::string> tables{};                         ///< none: all
  std::vector<std::pair<std::string, std::string>> where{};  ///< parameter = value
  std::vector<std::string> only{};                           ///< competitors; none: all
  std::size_t rounds = 0;                                    ///< 0: by the stopping rule
  double seconds = 10;                                       ///< at most, per case
  std::uint64_t seed = 1;
  std::optional<int> cpu{};
  std::optional<std::string> json{};  ///< empty: to stdout

  /// What the harness needs of it.
  [[nodiscard]] BenchSettings settings() const;
  /// Whether the options ask for this case of the table.
  [[nodiscard]] bool asks_for(const BenchTable& table, const BenchCase& bench_case) const;
  /// The table with the competitors that were asked for, of those in it.
  [[nodiscard]] BenchTable reduced(BenchTable table) const;
};

/// Why there are no options: a text to print and the status to leave with (0 after --help).
struct BenchUsage {
  std::string text;
  int status = 2;
};

[[nodiscard]] std::expected<BenchOptions, BenchUsage> parse_bench_options(const BenchProgram& program, int count,
                                                                          const char* const* words);

}  // namespace dojima::harness
