#pragma once

#include <string>

namespace dojima {

/// The folder that this build's sources lie in, without a slash at its end: tests run in others, and compare with files
/// in it. A function, as a definition of the compiler's would have each such test compiled alone, and anew in every
/// checkout.
[[nodiscard]] std::string source_folder();

}  // namespace dojima
