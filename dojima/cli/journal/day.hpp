#pragma once

// dojima journal day: the files of a trading day.

namespace dojima::cli {

class Command;

/// Adds it to the group `journal`; `status` outlives the program.
void add_journal_day(Command group, int& status);

}  // namespace dojima::cli
