#pragma once

// A connected TCP socket that does not block, owned by its descriptor. Reads and writes say how many bytes moved, or
// the system's errno. No allocation; one thread.

#include <cstddef>

#include "dojima/base/bytes.hpp"

namespace dojima::net {

class StreamSocket {
 public:
  StreamSocket() = default;
  ~StreamSocket() { close(); }
  StreamSocket(const StreamSocket&) = delete;
  StreamSocket& operator=(const StreamSocket&) = delete;

  /// Owns the descriptor from now on; it does not block. There was none before.
  void take(int descriptor) noexcept;
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  struct Moved {
    std::size_t size = 0;
    int trouble = 0;  ///< errno; 0: none
    /// Nothing now, later perhaps.
    [[nodiscard]] bool is_not_now() const noexcept;
  };
  /// No bytes and no trouble: the peer has ended its stream.
  [[nodiscard]] Moved read(Room room) noexcept;
  [[nodiscard]] Moved write(Bytes bytes) noexcept;
  /// Nothing more will be written.
  void end_output() noexcept;
  /// Harmless without a socket.
  void close() noexcept;

 private:
  int descriptor_ = -1;
};

}  // namespace dojima::net
