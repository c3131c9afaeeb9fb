// The compact file is used in place: whatever its bytes say must stay inside it, read as a stream or mapped.

#include "fuzz/recorded_reader.hpp"

#include "dojima/recorded/formats/compact.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace dojima;
  fuzz::try_reader(data, size, [](recorded::ByteSource& source) { return recorded::CompactReader(source); });
  const auto view = recorded::CompactView::of({reinterpret_cast<const std::byte*>(data), size});
  if (!view) return 0;
  for (std::size_t block = 0; block < view->blocks(); ++block) {
    if (!view->is_whole(block)) continue;
    for (const recorded::RecordedEvent& event : view->events(block))
      if (event.instrument >= view->instruments().size()) __builtin_trap();
  }
  return 0;
}
