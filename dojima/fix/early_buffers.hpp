#pragma once

// What the sessions of one thread share: the view of the message in hand, which so stays in the caches and costs 9 KB
// once; and buffers for messages that arrive before a gap is closed: a session takes one with its first early message
// and gives it back when none waits. So sessions without a gap need none, and a session that finds none free gets its
// early messages with the resend. All memory is taken at construction.
//
//   EarlyBuffers buffers(8, 1 << 16);
//   Session session(scheduler, {.early_buffers = &buffers, ...}, handler);

#include <cstddef>
#include <memory>
#include <vector>

#include "dojima/fix/message.hpp"
#include "dojima/link/buffer.hpp"

namespace dojima::fix {

class EarlyBuffers {
 public:
  /// Throws std::bad_alloc.
  EarlyBuffers(std::size_t count, std::size_t bytes) {
    for (std::size_t made = 0; made < count; ++made) all_.push_back(std::make_unique<link::ByteQueue>(bytes));
    for (const auto& queue : all_) free_.push_back(queue.get());
  }
  EarlyBuffers(const EarlyBuffers&) = delete;
  EarlyBuffers& operator=(const EarlyBuffers&) = delete;

  /// An empty one; null: all are in use. O(1).
  [[nodiscard]] link::ByteQueue* take() noexcept {
    if (free_.empty()) return nullptr;
    link::ByteQueue* const queue = free_.back();
    free_.pop_back();
    return queue;
  }
  /// One that was taken here. What is in it is forgotten. O(1).
  void give_back(link::ByteQueue& queue) noexcept {
    queue.clear();
    free_.push_back(&queue);  // there is room: it was there before
  }
  [[nodiscard]] std::size_t free() const noexcept { return free_.size(); }
  /// Of the message that one of the sessions has in hand: no session receives while another one does.
  [[nodiscard]] MessageView& view() noexcept { return view_; }

 private:
  std::vector<std::unique_ptr<link::ByteQueue>> all_;
  std::vector<link::ByteQueue*> free_;
  MessageView view_;
};

}  // namespace dojima::fix
