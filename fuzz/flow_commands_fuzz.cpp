// A journal's file may be cut or damaged anywhere.

#include "fuzz/recorded_reader.hpp"

#include "dojima/flow/command_log_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](flow::ByteSource& source) { return flow::CommandLogReader(source); });
  return 0;
}
