// Captures of Binance streams are JSON from outside.

#include "fuzz/recorded_reader.hpp"

#include "dojima/flow/binance_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](flow::ByteSource& source) { return flow::BinanceReader(source); });
  return 0;
}
