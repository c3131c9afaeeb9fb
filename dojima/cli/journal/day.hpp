#pragma once

// dojima journal day: the files of a trading day.

#include <cstdint>
#include <expected>
#include <stop_token>
#include <string>

namespace dojima::cli {

class Command;

/// The files of a venue's day that is over, by its number, out of the journals in a directory into a folder, which is
/// made. What they hold, or why they cannot be written, for a person: they do not agree with the journal, or it does
/// not hold the whole day. Takes as long as a recovery.
[[nodiscard]] std::expected<std::string, std::string> write_files_of_day(const std::string& directory,
                                                                         std::uint64_t number,
                                                                         const std::string& folder,
                                                                         const std::stop_token& stop);

/// Adds it to the group `journal`; `status` outlives the program.
void add_journal_day(Command group, int& status);

}  // namespace dojima::cli
