#pragma once

// What the records of a segment say of the disk: each names the newest record that was known to be there when it was
// written. Records behind the last such claim may be in the kernel's memory alone, even where a sync succeeds: one that
// failed before, in this process or an earlier one, may have made the kernel take them for written.

#include <cstddef>

#include "dojima/base/bytes.hpp"
#include "dojima/journal/journal.hpp"

namespace dojima::journal {

/// The newest record that the header or a record in the first `end` bytes knows to be on the disk; 0: none. These bytes
/// are good. O(records).
[[nodiscard]] Sequence claimed_synced(Bytes segment, std::size_t end) noexcept;

/// Where the last record up to `known` ends: marks behind it are newer. 0 where there is none, as the header is newer
/// then too. O(records).
[[nodiscard]] std::size_t offset_behind(Bytes segment, std::size_t end, Sequence known) noexcept;

}  // namespace dojima::journal
