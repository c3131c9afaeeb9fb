#pragma once

// The parts of `dojima fsm`, one file each.

namespace dojima::cli {

class Command;

void add_fsm_search(Command fsm, int& status);
/// denominators
void add_fsm_denominators(Command fsm, int& status);

}  // namespace dojima::cli
