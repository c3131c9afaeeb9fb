#include "dojima/fix/store/message_index.hpp"

#include <algorithm>

#include "dojima/base/assert.hpp"

namespace dojima::fix {

BlockPool::BlockPool(std::size_t messages)
    : blocks_((messages + IndexBlock::k_entries - 1) / IndexBlock::k_entries + 1), free_count_(blocks_.size() - 1) {
  for (std::size_t block = blocks_.size() - 1; block > 0; --block) {
    blocks_[block].next = free_;
    free_ = static_cast<std::uint32_t>(block);
  }
}

std::uint32_t BlockPool::take() noexcept {
  const std::uint32_t block = free_;
  if (block == k_none) return k_none;
  free_ = blocks_[block].next;
  --free_count_;
  blocks_[block].begin = blocks_[block].end = 0;
  blocks_[block].before = blocks_[block].next = k_none;
  return block;
}

void BlockPool::give_back(std::uint32_t block) noexcept {
  blocks_[block].next = free_;
  free_ = block;
  ++free_count_;
}

bool MessageIndex::push(market::Sequence sequence, IndexEntry entry) noexcept {
  const bool follows = tail_ != BlockPool::k_none && pool_[tail_].end < IndexBlock::k_entries &&
                       pool_[tail_].first + pool_[tail_].end == sequence.value;
  if (!follows) {
    const std::uint32_t block = pool_.take();
    if (block == BlockPool::k_none) return false;
    DOJIMA_ASSERT(tail_ == BlockPool::k_none || pool_[tail_].first + pool_[tail_].end <= sequence.value,
                  "numbers ascend", sequence);
    // Where blocks end must not depend on the number that the first one began with: what a used up pool keeps is then
    // the same in the next life, which begins in the middle.
    const auto offset = static_cast<std::uint32_t>(sequence.value % IndexBlock::k_entries);
    pool_[block].first = sequence.value - offset;
    pool_[block].begin = pool_[block].end = offset;
    pool_[block].before = tail_;
    (tail_ == BlockPool::k_none ? head_ : pool_[tail_].next) = block;
    tail_ = block;
  }
  IndexBlock& block = pool_[tail_];
  block.entries[block.end++] = entry;
  ++count_;
  bytes_ += entry.size;
  return true;
}

std::optional<MessageIndex::Found> MessageIndex::find_from(market::Sequence sequence) const noexcept {
  if (tail_ == BlockPool::k_none) return std::nullopt;
  const auto begins_before = [&](std::uint32_t block) {
    return block != BlockPool::k_none && pool_[block].first + pool_[block].begin <= sequence.value;
  };
  std::uint32_t at = begins_before(tail_) ? tail_ : begins_before(cursor_) ? cursor_ : head_;
  while (at != BlockPool::k_none && pool_[at].first + pool_[at].end <= sequence.value) at = pool_[at].next;
  if (at == BlockPool::k_none) return std::nullopt;
  const IndexBlock& block = pool_[at];
  cursor_ = at;
  const std::uint64_t number = std::max(sequence.value, block.first + block.begin);
  return Found{{number}, block.entries[static_cast<std::size_t>(number - block.first)]};
}

std::optional<MessageIndex::Found> MessageIndex::front() const noexcept {
  if (head_ == BlockPool::k_none) return std::nullopt;
  const IndexBlock& block = pool_[head_];
  return Found{{block.first + block.begin}, block.entries[block.begin]};
}

void MessageIndex::pop_front() noexcept {
  DOJIMA_ASSERT(head_ != BlockPool::k_none, "there is a message");
  IndexBlock& block = pool_[head_];
  bytes_ -= block.entries[block.begin].size;
  --count_;
  if (++block.begin == block.end) unlink_front();
}

void MessageIndex::drop_front_block() noexcept {
  DOJIMA_ASSERT(head_ != BlockPool::k_none, "there is a block");
  const std::uint32_t block = head_;
  while (head_ == block) pop_front();
}

void MessageIndex::truncate(market::Sequence from) noexcept {
  while (tail_ != BlockPool::k_none) {
    IndexBlock& block = pool_[tail_];
    while (block.end > block.begin && block.first + block.end > from.value) {
      bytes_ -= block.entries[--block.end].size;
      --count_;
    }
    if (block.end > block.begin) return;
    unlink_back();
  }
}

void MessageIndex::clear() noexcept {
  while (head_ != BlockPool::k_none) unlink_front();
  count_ = 0;
  bytes_ = 0;
}

void MessageIndex::unlink_front() noexcept {
  const std::uint32_t block = head_;
  if (cursor_ == block) cursor_ = BlockPool::k_none;
  head_ = pool_[block].next;
  (head_ == BlockPool::k_none ? tail_ : pool_[head_].before) = BlockPool::k_none;
  pool_.give_back(block);
}

void MessageIndex::unlink_back() noexcept {
  const std::uint32_t block = tail_;
  if (cursor_ == block) cursor_ = BlockPool::k_none;
  tail_ = pool_[block].before;
  (tail_ == BlockPool::k_none ? head_ : pool_[tail_].next) = BlockPool::k_none;
  pool_.give_back(block);
}

}  // namespace dojima::fix
