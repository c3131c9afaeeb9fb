// Any text as an artefact: it is judged, and what can be read gives an artefact that verifies, is read back as it was,
// and makes a page in which nothing of the text becomes markup.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "dojima/evidence/artefact.hpp"
#include "dojima/evidence/report.hpp"
#include "dojima/evidence/reproduce.hpp"
#include "dojima/evidence/verify.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  using namespace dojima::evidence;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(verify(text));
  const auto document = parse_document(text);
  if (!document) {
    if (document.error().empty()) std::abort();
    return 0;
  }
  const auto artefact = Artefact::from(*document);
  if (!artefact) {
    if (artefact.error().empty()) std::abort();
    return 0;
  }
  const Document written = artefact->document();
  const auto again = Artefact::from(written);
  if (!again || again->document() != written) std::abort();
  if (report({*artefact}).find("<script") != std::string::npos) std::abort();
  if (!reproduction_of(*artefact, *artefact).is_same()) std::abort();
  return 0;
}
