// CSV of events, written by anybody, with any columns.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/event_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::CsvReader(source); });
  return 0;
}
