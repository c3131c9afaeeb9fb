#pragma once

// A FIX store's journal as tables, for `dojima journal info` and `dojima journal dump`. Passwords are never shown.

#include <cstddef>
#include <cstdint>

#include "dojima/cli/journal/journal_folders.hpp"
#include "dojima/evidence/table.hpp"
#include "dojima/journal/survey.hpp"

namespace dojima::cli {

[[nodiscard]] evidence::Table sessions_table();
[[nodiscard]] evidence::Table store_records_table();

/// The sessions that the store knows with their numbers, as its records leave them. False: records cannot be read.
bool add_sessions(const JournalFolder& folder, const journal::Survey& found, evidence::Table& table);

/// Records `first` to `last`, up to `most` rows in the table. True: there were more. Reading ends at one that is no
/// good.
bool add_store_records(const JournalFolder& folder, journal::Reader& reader, std::uint64_t last, std::size_t most,
                       evidence::Table& table);

}  // namespace dojima::cli
