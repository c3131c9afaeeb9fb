#pragma once

// Why a journal cannot be opened or read, for a person: what is wrong, where, and what to do.
//
//   auto journal = FileJournal::open(*disk, options);
//   if (!journal) show(describe(journal.error()));

#include <cstdint>
#include <string>

#include "dojima/base/error.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

/// A byte in a journal's directory.
struct Place {
  std::string file;
  std::uint64_t offset = 0;
  Sequence sequence;  ///< of the record that is, or should be, there

  friend bool operator==(const Place&, const Place&) = default;
};

/// Why a journal cannot be opened.
struct Trouble {
  Error error;
  Place place{};
  std::string what{};
  std::string advice{};
};

/// What, where and what to do, a line each, without a newline at the end. What the system said of a call follows the
/// first.
[[nodiscard]] std::string describe(const Trouble& trouble);

}  // namespace dojima::journal
