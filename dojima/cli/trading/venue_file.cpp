#include "dojima/cli/trading/venue_file.hpp"

#include <fmt/core.h>
#include <utility>

#include "dojima/cli/command.hpp"

namespace dojima::cli {

std::expected<std::vector<app::Override>, std::string> read_overrides(const std::vector<std::string>& sets,
                                                                      std::string_view example) {
  std::vector<app::Override> overrides;
  for (const std::string& text : sets) {
    auto change = app::parse_override(text);
    if (!change) return std::unexpected(fmt::format("--set {}: write KEY=VALUE, e.g. --set {}", text, example));
    overrides.push_back(*std::move(change));
  }
  return overrides;
}

void VenueFile::add_to(Command& command, const std::string& meaning) {
  command.add_option("--config", file_, meaning).type_name("FILE");
  command.add_option("--set", sets_, "Override a key of that file, as for the venue; may be repeated")
      .type_name("KEY=VALUE")
      .one_value_per_use();
}

std::expected<std::optional<app::VenueConfig>, std::string> VenueFile::read(std::string_view example) const {
  if (file_.empty()) {
    if (!sets_.empty()) return std::unexpected("--set changes a key of the file that --config names");
    return std::nullopt;
  }
  const auto overrides = read_overrides(sets_, example);
  if (!overrides) return std::unexpected(overrides.error());
  auto loaded = app::load_venue(file_, *overrides);
  if (!loaded) return std::unexpected(loaded.error());
  return *std::move(loaded);
}

}  // namespace dojima::cli
