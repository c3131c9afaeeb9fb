// Interval logs, compressed histograms and percentile tables are read from files of other programs. What is accepted
// must survive being written and read again.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "dojima/base/assert.hpp"
#include "dojima/evidence/hdr_log.hpp"
#include "dojima/measure/hdr_distribution.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(measure::parse_hgrm(text));
  static_cast<void>(evidence::parse_hdr_log(text));
  if (const auto histogram = evidence::decode_hdr(text)) {
    const auto again = evidence::decode_hdr(evidence::encode_hdr(histogram->view()));
    DOJIMA_ASSERT(again.has_value(), "what we wrote can be read");
    DOJIMA_ASSERT(again->layout == histogram->layout, "the layout is kept");
    DOJIMA_ASSERT(again->view().used_counters() == histogram->view().used_counters(), "the counts are kept");
    DOJIMA_ASSERT(again->max == histogram->max && again->min == histogram->min, "the edges are kept");
  }
  return 0;
}
