// Order events as CSV, from anywhere.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/bitstamp_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::BitstampReader(source, {}); });
  return 0;
}
