// LOBSTER files: messages alone, and with what stands behind the first empty line as their order book.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/lobster_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size,
                   [](recorded::ByteSource& source) { return recorded::LobsterReader(source, nullptr, {}); });
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t messages = std::min(text.find("\n\n"), size);
  recorded::MemorySource book(text.substr(std::min(messages + 2, size)));
  recorded::MemorySource source(text.substr(0, messages));
  recorded::LobsterReader reader(source, &book, {});
  for (const recorded::RecordedEvent& event : recorded::read_all(reader).events)
    DOJIMA_ASSERT(event.instrument == 0, "there is one instrument");
  return 0;
}
