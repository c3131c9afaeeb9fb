#pragma once

// The executions of a gateway's drop copy, as the firm wrote them down, held against the files of the venue's days.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dojima::crash {

/// The CompID of the firm that has the drop copy.
inline constexpr const char* k_firm = "FIRM";

struct CopyComparison {
  std::uint64_t days = 0;               ///< whose files were read
  std::uint64_t sides = 0;              ///< sides of trades in them, of clients that were compared whole
  std::uint64_t copied = 0;             ///< executions with a trade that the firm has, of all clients
  std::uint64_t whole = 0;              ///< clients that were compared whole
  std::vector<std::string> complaints;  ///< the first ones
  std::uint64_t contradictions = 0;     ///< all of them
};

/// Writes the files of the venue's days, all of which are over, out of its journal in `folder`/venue into
/// `folder`/days, and compares their trades with the executions in `folder`/FIRM: the same sides, by user, order,
/// trade, price and lots, each once. Of a client for which something `may_be_missing` the firm has no other ones.
/// Throws std::runtime_error where the files cannot be written, or do not agree with the journal.
[[nodiscard]] CopyComparison compare_copies(const std::string& folder, std::uint64_t days,
                                            const std::vector<std::string>& clients,
                                            const std::function<bool(std::size_t client)>& may_be_missing);

}  // namespace dojima::crash
