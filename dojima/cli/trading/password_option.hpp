#pragma once

// `--password-file FILE` of whoever logs on: its first line, of a file that only its owner may read.

#include <string>

namespace dojima::cli {

/// Into `password`; an empty `file`: nothing is read. False: it cannot be, or there is a password already; that has
/// been told.
[[nodiscard]] bool read_password_file(const std::string& file, std::string& password);

}  // namespace dojima::cli
