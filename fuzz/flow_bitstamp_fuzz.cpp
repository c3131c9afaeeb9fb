// Order events as CSV, from anywhere.

#include "fuzz/recorded_reader.hpp"

#include "dojima/flow/bitstamp_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](flow::ByteSource& source) { return flow::BitstampReader(source, {}); });
  return 0;
}
