#pragma once

// Makes a segment's file: what it begins with, and zeros behind it up to its size. Under its name it is complete or not
// there: it is written under another one, and renamed.

#include <cstdint>
#include <string>

#include "dojima/journal/disk.hpp"

namespace dojima::journal {

/// Through to the disk where records are written through as well: blocks that are merely reserved are converted by a
/// worker of the kernel then, at each first write. Else the kernel writes a page once, with the records that it has
/// got by then.
enum class Through : std::uint8_t { no, yes };

/// Replaces a file of that name. After an error there is what was there before, or, if only syncing the directory
/// failed, perhaps the new one.
[[nodiscard]] Result<void> write_segment_file(Disk& disk, const std::string& name, Bytes beginning, std::size_t bytes,
                                              Through through);

}  // namespace dojima::journal
