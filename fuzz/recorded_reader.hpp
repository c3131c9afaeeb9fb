#pragma once

// What every reader of recorded data must keep, whatever the bytes: it ends, its events name instruments that there
// are, and it gives the same events and the same trouble whether the bytes lie in memory or come in pieces.

#include <cstddef>
#include <cstdint>
#include <string>

#include "dojima/base/assert.hpp"
#include "dojima/recorded/formats/format.hpp"
#include "dojima/recorded/reader_test_support.hpp"

namespace dojima::fuzz {

/// `make(source)` gives a reader over the source.
template <class Make>
void try_reader(const std::uint8_t* data, std::size_t size, Make make) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(recorded::guess_format(as_bytes(bytes)));
  recorded::MemorySource memory(bytes);
  auto reader = make(memory);
  const recorded::ReadEvents whole = recorded::read_all(reader);
  for (const recorded::RecordedEvent& event : whole.events) {
    DOJIMA_ASSERT(event.instrument < reader.instruments().size(), "an event's instrument is known");
    DOJIMA_ASSERT(static_cast<std::uint8_t>(event.kind) < recorded::k_event_kinds,
                  "an event is of a kind that there is");
  }
  DOJIMA_ASSERT(reader.bytes_read() <= size, "no byte is read twice");
  recorded::TrickleSource pieces(bytes, 1 + size % 61);
  auto other = make(pieces);
  const recorded::ReadEvents streamed = recorded::read_all(other);
  DOJIMA_ASSERT(streamed.events == whole.events, "a stream holds the same events");
  DOJIMA_ASSERT(streamed.trouble == whole.trouble, "a stream has the same trouble");
}

}  // namespace dojima::fuzz
