#pragma once

// `--dashboard [HOST:PORT]`, as every command that has screens takes it.

#include <string>

#include "dojima/cli/command.hpp"

namespace dojima::cli {

/// `where` gets HOST:PORT, or nothing where nobody says another one than the default; both outlive the parsing. A value
/// that is no address is refused when it is read: it may have been meant for something else, such as a file.
void add_dashboard_option(Command command, bool& is_wanted, std::string& where, const std::string& meaning);

}  // namespace dojima::cli
