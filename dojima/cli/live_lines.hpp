#pragma once

// Lines about what goes on, to standard output at once. The program does not wait for the reader: a pipe that is full,
// or a terminal that is stopped, gets none until there is room, and the next line says how many are left out. For
// results, which must not be lost, print.

#include <string>

namespace dojima::cli {

/// Whether standard output takes something now; always of a file.
[[nodiscard]] bool can_print();

/// A line, with what ends one or steers a terminal taken out.
void print_live(const std::string& line);

}  // namespace dojima::cli
