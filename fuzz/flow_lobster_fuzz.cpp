// LOBSTER files: messages alone, and with what stands behind the first empty line as their order book.

#include "fuzz/recorded_reader.hpp"

#include "dojima/flow/lobster_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](flow::ByteSource& source) { return flow::LobsterReader(source, nullptr, {}); });
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t messages = std::min(text.find("\n\n"), size);
  flow::MemorySource book(text.substr(std::min(messages + 2, size)));
  flow::MemorySource source(text.substr(0, messages));
  flow::LobsterReader reader(source, &book, {});
  for (const flow::RecordedEvent& event : flow::read_all(reader).events)
    DOJIMA_ASSERT(event.instrument == 0, "there is one instrument");
  return 0;
}
