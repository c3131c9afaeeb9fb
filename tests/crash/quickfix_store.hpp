#pragma once

// What a file store of QuickFIX says of a session: its numbers, and the messages that it has sent. As QuickFIX's
// FileStore writes them: "next sent : next expected" in .seqnums, "number,offset,size " for each message in .header,
// the messages in .body.

#include <cstdint>
#include <map>
#include <string>

namespace dojima::crash {

struct QuickFixStore {
  std::uint64_t next_outgoing = 0, next_incoming = 0;
  /// By number, below next_outgoing: what was stored under it last. Session messages as well.
  std::map<std::uint64_t, std::string> messages;
};

/// The folder of the stores of a run.
[[nodiscard]] std::string quickfix_folder(const std::string& folder);
/// `prefix`: of the files, with their folder. Throws std::runtime_error where one is missing or is none of QuickFIX's.
[[nodiscard]] QuickFixStore read_quickfix_store(const std::string& prefix);

}  // namespace dojima::crash
