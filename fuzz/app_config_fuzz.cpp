// Any text as a configuration, and as overrides of one: it is read or refused with a message, never anything else; what
// was read prints as text that reads back to the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "dojima/app/config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima::app;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto venue = parse_venue(text, "fuzz");
  if (venue && parse_venue(text_of(*venue), "again") != venue) std::abort();
  if (!venue && venue.error().empty()) std::abort();
  const auto gateway = parse_gateway(text, "fuzz");
  if (gateway && parse_gateway(text_of(*gateway), "again") != gateway) std::abort();
  static_cast<void>(kind_of(text, "fuzz"));
  static const std::string defaults = text_of(default_venue());
  if (auto change = parse_override(text)) static_cast<void>(parse_venue(defaults, "fuzz", std::vector{*change}));
  return 0;
}
