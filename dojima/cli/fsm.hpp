#pragma once

// The parts of `dojima fsm`, one file each.

namespace CLI {  // NOLINT(readability-identifier-naming): the library is called so
class App;
}  // namespace CLI

namespace dojima::cli {

void add_fsm_search(CLI::App& fsm, int& status);

}  // namespace dojima::cli
