#pragma once

// Messages that arrived too early: kept in a fixed number of bytes while the gap before them is being resent. What does
// not fit is not kept; the resend brings it again. First in, first out, numbers ascending.

#include <cstddef>
#include <optional>

#include "dojima/base/bytes.hpp"
#include "dojima/link/buffer.hpp"
#include "dojima/market/order.hpp"

namespace dojima::fix {

class EarlyMessages {
 public:
  /// Takes memory for `capacity` bytes; every message costs 16 more than its size. Throws std::bad_alloc.
  explicit EarlyMessages(std::size_t capacity) : queue_(capacity) {}

  struct Early {
    market::Sequence sequence;
    Bytes message;  ///< one whole message; valid until the next push, pop or clear
  };

  /// False: no room, or not behind the last one; nothing changed.
  bool push(market::Sequence sequence, Bytes message) noexcept;
  /// The oldest one, or none.
  [[nodiscard]] std::optional<Early> front() const noexcept;
  /// Drops the oldest one; nothing to do when there is none.
  void pop() noexcept;
  void clear() noexcept;
  [[nodiscard]] bool is_empty() const noexcept { return queue_.is_empty(); }

 private:
  link::ByteQueue queue_;
  market::Sequence last_;
};

}  // namespace dojima::fix
