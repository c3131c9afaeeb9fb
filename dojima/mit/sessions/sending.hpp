#pragma once

// One message into a transport, encoded in place: what both session sides do to send. No allocation.

#include <cstddef>
#include <expected>

#include "dojima/base/assert.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"

namespace dojima::mit {

/// Calls `encode(room)`, which answers the bytes it wrote or an Error, and commits what it wrote. `no_room` when the
/// transport has none for the dialect's longest message; after any error nothing was sent.
template <class Encode>
[[nodiscard]] Result<void> send_message(link::Transport& transport, const Dialect& dialect, Encode encode) {
  const Room room = transport.prepare(dialect.longest);
  if (room.empty()) return fail(ErrorCode::no_room, 0, 0, 0, "room in the output buffer");
  const Result<std::size_t> size = encode(room);
  if (!size) return std::unexpected(size.error());
  DOJIMA_ASSERT(*size <= room.size() && *size <= dialect.longest, "a message fits the room that was prepared for it",
                *size, room.size(), dialect.longest);
  transport.commit(*size);
  return {};
}

}  // namespace dojima::mit
