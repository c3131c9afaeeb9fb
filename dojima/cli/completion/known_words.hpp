#pragma once

// The words that fit a place of a command line and that its definition does not list: benchmarks beside the program and
// their tables, formats, symbols of the file that the line names, keys of a configuration, strategies and their
// parameters, machines, claims.

#include <string>
#include <vector>

#include "dojima/cli/completion/complete.hpp"

namespace dojima::cli {

/// Reads from the disk at most what half a second allows; never from standard input or a pipe.
[[nodiscard]] std::vector<std::string> known_words(const WordPlace& place);

/// The places that known_words has words for and that no command has: "COMMAND OPTION". None, unless a command was
/// renamed.
[[nodiscard]] std::vector<std::string> places_that_are_none(const CommandShape& program);

}  // namespace dojima::cli
