#pragma once

// Raw samples of an instrument as files, so that others can compute its tables again, and where an instrument measures
// unless told otherwise.

#include <string>
#include <vector>

namespace dojima::cli {

/// FOLDER/NAME.f32: all rounds one after the other, 32-bit floating point numbers of this machine's byte order. Makes
/// the folder. False: that has been told.
bool write_raw(const std::string& folder, const std::string& name, const std::vector<std::vector<float>>& rounds);

/// The last processor that this process may use: interrupts prefer the first.
[[nodiscard]] int last_processor();

}  // namespace dojima::cli
