#pragma once

// Raw samples of an instrument as files, so that others can compute its tables again.

#include <string>
#include <vector>

namespace dojima::cli {

/// FOLDER/NAME.f32: all rounds one after the other, 32-bit floating point numbers of this machine's byte order. Makes
/// the folder. False: that has been reported.
bool write_raw(const std::string& folder, const std::string& name, const std::vector<std::vector<float>>& rounds);

}  // namespace dojima::cli
