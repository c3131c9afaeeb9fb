#pragma once

// Slots in line, oldest first, linked through an array that several queues share: a slot is in at most one of them, and
// takes four bytes for all. O(1), no allocation.
//
//   std::vector<std::uint32_t> behind(capacity);
//   SlotQueue free, closed;
//   free.push(slot, behind);
//   closed.push(*free.pop(behind), behind);

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace dojima::gateway {

class SlotQueue {
 public:
  /// The slot, which is in no queue of this array, is the last.
  void push(std::uint32_t slot, std::span<std::uint32_t> behind) noexcept {
    (size_ == 0 ? first_ : behind[last_]) = slot;
    last_ = slot;
    ++size_;
  }
  /// Takes the first out; none: it is empty.
  [[nodiscard]] std::optional<std::uint32_t> pop(std::span<const std::uint32_t> behind) noexcept {
    if (size_ == 0) return std::nullopt;
    const std::uint32_t slot = first_;
    if (--size_ != 0) first_ = behind[slot];
    return slot;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  void clear() noexcept { size_ = 0; }

 private:
  std::uint32_t first_ = 0, last_ = 0;  // of no meaning while it is empty
  std::size_t size_ = 0;
};

}  // namespace dojima::gateway
