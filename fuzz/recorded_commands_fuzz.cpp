// A journal's file may be cut or damaged anywhere.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/command_log_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::CommandLogReader(source); });
  return 0;
}
