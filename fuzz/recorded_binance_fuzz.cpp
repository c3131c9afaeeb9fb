// Captures of Binance streams are JSON from outside.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/binance_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::BinanceReader(source); });
  return 0;
}
