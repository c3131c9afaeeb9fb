// CSV of events, written by anybody, with any columns.

#include "fuzz/recorded_reader.hpp"

#include "dojima/flow/event_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](flow::ByteSource& source) { return flow::CsvReader(source); });
  return 0;
}
