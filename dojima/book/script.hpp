#pragma once

// Scenario files: commands for one book in plain words, with the reports that are expected after each. How rules are
// shown, learnt and reported broken; docs/scenarios.md teaches the format. Running a script makes a book of its own,
// so scripts know nothing of each other. For tests and tools: it allocates.
//
//   const ScriptResult result = run_script("sell A 10 @ 101\nbuy B 4 @ 101\n> ...\n");
//   result.differences.empty()

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::book {

/// Where a script expected something else than what came.
struct ScriptDifference {
  std::size_t line = 0;  ///< of the command, from 1
  std::string command;
  std::vector<std::string> expected;
  std::vector<std::string> got;
};

struct ScriptResult {
  std::string trouble;           ///< what could not be read; empty: all of it
  std::size_t trouble_line = 0;  ///< where; nothing behind it was run
  std::size_t commands = 0;
  std::size_t checked = 0;  ///< commands whose reports were compared
  std::vector<ScriptDifference> differences;
  std::string printed;  ///< the commands as written in the script, each followed by its reports
};

/// On Book; storages.hpp has the same for the other storages.
[[nodiscard]] ScriptResult run_script(std::string_view text);

}  // namespace dojima::book
