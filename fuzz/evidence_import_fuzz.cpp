// Any text as the result of another tool: what is accepted gives an artefact that verifies and is read back as it was.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dojima/evidence/import.hpp"
#include "dojima/evidence/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  using namespace dojima::evidence;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(oslat_counts(text, 2));
  const auto format = format_of(text);
  if (!format) return 0;
  const auto artefact = import_foreign(text, *format, {.file = "file"});
  if (!artefact) {
    if (artefact.error().empty()) std::abort();
    return 0;
  }
  if (!verify(artefact->text()).is_right()) std::abort();
  return 0;
}
