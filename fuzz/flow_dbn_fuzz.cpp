// DBN announces sizes and counts that need not be true.

#include "fuzz/recorded_reader.hpp"

#include "dojima/flow/dbn_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](flow::ByteSource& source) { return flow::DbnReader(source); });
  return 0;
}
