#pragma once

// How far every drop copy has come in the messages of every client: plain values, in memory and in the gateway's
// journal. O(1) to change, no allocation after construction.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/state.hpp"
#include "dojima/gateway/records/record_image.hpp"

namespace dojima::gateway {

struct CopyPosition {
  std::string copy;          ///< CompID of the drop copy
  std::uint32_t client = 0;  ///< place in the configuration; in what is saved, among its clients
  std::uint64_t next = 1;    ///< the client's messages below are copied, or are no executions
  std::int64_t begun = 0;    ///< when the client's numbers began, ns since 1970; 0: not known
  friend bool operator==(const CopyPosition&, const CopyPosition&) = default;
};

/// Bytes that no entry takes more of.
inline constexpr std::size_t k_copied_entry_max = 1 + 4 + 256 + 8 + 8;

void write_copied(EntryWriter& out, const CopyPosition& position) noexcept;
/// What follows an entry's kind. False: the reader failed. Allocates.
[[nodiscard]] bool read_copied(StateReader& in, CopyPosition& position);

}  // namespace dojima::gateway
