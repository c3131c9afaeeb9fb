#pragma once

// The subcommands of `dojima data`, one file each, and what they share: which file, of which format and day.

#include <optional>
#include <string>

#include "dojima/app/recorded_file.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): the library is called so
class App;
}  // namespace CLI

namespace dojima::cli {

/// FILE, --format, --date and --symbol.
struct RecordedInput {
  std::string file, format, date, symbol;

  void add_to(CLI::App& command);
  /// None: it cannot be opened, or an option is wrong; that has been told.
  [[nodiscard]] std::optional<app::RecordedFile> open() const;
};

void add_data_info(CLI::App& data, int& status);

}  // namespace dojima::cli
