#pragma once

// The two byte buffers of an endpoint, fixed in size and taken once: `InputBuffer` keeps what a session has not used
// yet in front of what arrives; `OutputBuffer` keeps what a session committed until the network takes it. Both are
// contiguous, so messages are read and written in place; they move bytes to the front only when the end is reached.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "dojima/base/assert.hpp"
#include "dojima/base/bytes.hpp"

namespace dojima::link {

/// A contiguous first-in first-out buffer of bytes.
class ByteQueue {
 public:
  /// The memory is taken here, and touched when bytes come: a connection that nobody uses costs no pages. Throws
  /// std::bad_alloc.
  explicit ByteQueue(std::size_t capacity)
      : capacity_(capacity), bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity)) {}

  /// Room for exactly `size` more bytes behind what is queued; empty when they do not fit.
  [[nodiscard]] Room prepare(std::size_t size) noexcept {
    if (size > capacity_ - this->size()) return {};
    if (size > capacity_ - end_) move_to_front();
    return {bytes_.get() + end_, size};
  }

  /// All the room there is, in one piece.
  [[nodiscard]] Room prepare_all() noexcept {
    if (begin_ != 0) move_to_front();
    return {bytes_.get() + end_, capacity_ - end_};
  }

  void commit(std::size_t size) noexcept {
    DOJIMA_ASSERT(size <= capacity_ - end_, "only prepared room is committed");
    end_ += size;
  }

  /// What is queued, oldest first.
  [[nodiscard]] Bytes view() const noexcept { return {bytes_.get() + begin_, size()}; }

  /// Drops the oldest `size` bytes.
  void consume(std::size_t size) noexcept {
    DOJIMA_ASSERT(size <= this->size(), "only queued bytes are consumed");
    begin_ += size;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  void clear() noexcept { begin_ = end_ = 0; }

  [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool is_empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] bool is_full() const noexcept { return size() == capacity_; }

 private:
  void move_to_front() noexcept {
    std::memmove(bytes_.get(), bytes_.get() + begin_, size());
    end_ -= begin_;
    begin_ = 0;
  }

  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace dojima::link
