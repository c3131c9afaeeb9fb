#pragma once

// Runs another program to its end and says how long it took, by the wall and by the processor. The wait blocks; the
// output is kept in memory. Ctrl-C reaches the program as well, since it stays in the terminal's group.

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace dojima::evidence {

struct ChildRun {
  int status = 0;  ///< exit status; 128 + signal when one ended it
  double wall_s = 0;
  double user_s = 0;  ///< in user mode, children that it waited for included
  double system_s = 0;
  std::string output;      ///< what it wrote to stdout, where that was asked for
  std::string errors;      ///< the last part of what it wrote to stderr, likewise
  bool was_ended = false;  ///< by us, because its time was over
};

enum class ChildOutput : std::uint8_t {
  kept,       ///< in `output` and `errors`
  inherited,  ///< goes where ours goes
};

/// Starts `words[0]`, found like a shell finds it, with all words as arguments, and waits. After `limit_s` seconds,
/// where that is above 0, it is interrupted (SIGINT), and killed when it goes on for `k_grace_s` more. The error says
/// why it did not start.
[[nodiscard]] std::expected<ChildRun, std::string> run_child(const std::vector<std::string>& words, ChildOutput output,
                                                             double limit_s = 0);
inline constexpr double k_grace_s = 2;

}  // namespace dojima::evidence
