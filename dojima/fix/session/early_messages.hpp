#pragma once

// Messages that arrived too early: kept in a fixed number of bytes while the gap before them is being resent. What does
// not fit is not kept; the resend brings it again. First in, first out, numbers ascending. The bytes are its own, or a
// buffer shared with other sessions that it has only while something waits.

#include <cstddef>
#include <optional>

#include "dojima/base/bytes.hpp"
#include "dojima/fix/early_buffers.hpp"
#include "dojima/link/buffer.hpp"
#include "dojima/market/order.hpp"

namespace dojima::fix {

class EarlyMessages {
 public:
  /// Takes memory for `capacity` bytes unless there are shared buffers, which outlive it; every message costs 16 more
  /// than its size. Throws std::bad_alloc.
  explicit EarlyMessages(std::size_t capacity, EarlyBuffers* shared = nullptr)
      : shared_(shared), own_(shared == nullptr ? capacity : 0), queue_(shared == nullptr ? &own_ : nullptr) {}
  ~EarlyMessages() { clear(); }
  EarlyMessages(const EarlyMessages&) = delete;
  EarlyMessages& operator=(const EarlyMessages&) = delete;

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
  [[nodiscard]] bool is_empty() const noexcept { return queue_ == nullptr || queue_->is_empty(); }

 private:
  void let_go() noexcept;

  EarlyBuffers* shared_;
  link::ByteQueue own_;
  link::ByteQueue* queue_;  // null: nothing waits, and the shared buffers are used
  market::Sequence last_;
};

}  // namespace dojima::fix
