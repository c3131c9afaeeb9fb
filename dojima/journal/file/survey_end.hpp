#pragma once

// What follows the last good record of a directory, and what that means (survey.hpp has the three cases).

#include <string_view>

#include "dojima/journal/disk.hpp"
#include "dojima/journal/survey.hpp"

namespace dojima::journal {

/// Completes a survey whose records have been followed to their end: where it is not whole, verdict, what is there and
/// advice. `wrong`: why the records ended there; empty: at zeros. An error is one of the disk.
[[nodiscard]] Result<void> judge_end(Disk& disk, Survey& found, std::string_view wrong);

}  // namespace dojima::journal
