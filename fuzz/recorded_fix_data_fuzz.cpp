// FIX market data stands in logs of any dialect.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/fix/fix_data_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::FixDataReader(source); });
  return 0;
}
