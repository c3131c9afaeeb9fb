#pragma once

// `--set KEY=VALUE` of a command, and `--config FILE` with it of one that follows a venue: the venue's file says what
// its options do not.

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/config.hpp"

namespace dojima::cli {

class Command;

/// What `--set` says. Error: one line for a person, with `example` for what it should have been.
[[nodiscard]] std::expected<std::vector<app::Override>, std::string> read_overrides(
    const std::vector<std::string>& sets, std::string_view example);

class VenueFile {
 public:
  /// `meaning`: what the file is looked at for.
  void add_to(Command& command, const std::string& meaning);
  /// The configuration of the venue; none where no file is named. Errors as read_overrides(), and those of the file.
  [[nodiscard]] std::expected<std::optional<app::VenueConfig>, std::string> read(std::string_view example) const;

 private:
  std::string file_;
  std::vector<std::string> sets_;
};

}  // namespace dojima::cli
