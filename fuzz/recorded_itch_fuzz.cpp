// ITCH 5.0 comes in files and in packet captures of anything.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/itch_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::ItchReader(source, {}); });
  return 0;
}
