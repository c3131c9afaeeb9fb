// DBN announces sizes and counts that need not be true.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/dbn_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::DbnReader(source); });
  return 0;
}
