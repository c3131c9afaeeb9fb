#pragma once

// Where the messages of many sessions lie: for each session an ascending list of numbers and places, in blocks out of
// one pool, so that a session without messages costs a few words. Taking and giving back blocks allocates nothing.
//
//   BlockPool pool(1000);
//   MessageIndex index(pool);
//   if (!index.push({7}, {location, size})) ...     // the pool is empty: another index has to let go of a block
//   index.find_from({5})->entry.at                  // of message 7

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "dojima/journal/journal.hpp"
#include "dojima/market/order.hpp"

namespace dojima::fix {

/// One message.
struct IndexEntry {
  journal::Location at;
  std::uint32_t size = 0;  ///< bytes of the message
};

/// A run of messages whose numbers follow each other, and are the same divided by k_entries.
struct IndexBlock {
  static constexpr std::uint32_t k_entries = 64;

  std::uint64_t first = 0;             // number of entries[0], a multiple of k_entries
  std::uint32_t begin = 0, end = 0;    // entries in use
  std::uint32_t before = 0, next = 0;  // blocks of the same session, or the next free one; 0: none
  std::array<IndexEntry, k_entries> entries;
};

class BlockPool {
 public:
  static constexpr std::uint32_t k_none = 0;

  /// Room for at least so many messages, in blocks. Throws std::bad_alloc.
  explicit BlockPool(std::size_t messages);

  [[nodiscard]] IndexBlock& operator[](std::uint32_t block) noexcept { return blocks_[block]; }
  [[nodiscard]] const IndexBlock& operator[](std::uint32_t block) const noexcept { return blocks_[block]; }
  /// A free block, or none. O(1).
  [[nodiscard]] std::uint32_t take() noexcept;
  void give_back(std::uint32_t block) noexcept;
  [[nodiscard]] std::size_t free() const noexcept { return free_count_; }

 private:
  std::vector<IndexBlock> blocks_;  // the first one is never used
  std::uint32_t free_ = k_none;
  std::size_t free_count_ = 0;
};

class MessageIndex {
 public:
  struct Found {
    market::Sequence sequence;
    IndexEntry entry;
  };

  /// The pool outlives it.
  explicit MessageIndex(BlockPool& pool) noexcept : pool_(pool) {}

  /// Adds the message behind all others. False: it needs a block and there is none; nothing changed. O(1).
  [[nodiscard]] bool push(market::Sequence sequence, IndexEntry entry) noexcept;
  /// The message of that number or the next one there is. O(1) at the end and for the one behind what was found last,
  /// else O(messages / 64).
  [[nodiscard]] std::optional<Found> find_from(market::Sequence sequence) const noexcept;
  /// The oldest one.
  [[nodiscard]] std::optional<Found> front() const noexcept;
  void pop_front() noexcept;
  /// Forgets the oldest block's messages; there must be one.
  void drop_front_block() noexcept;
  /// Forgets that number and all behind it.
  void truncate(market::Sequence from) noexcept;
  void clear() noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// Of all messages together.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  void unlink_front() noexcept;
  void unlink_back() noexcept;

  BlockPool& pool_;
  std::uint32_t head_ = BlockPool::k_none, tail_ = BlockPool::k_none;
  mutable std::uint32_t cursor_ = BlockPool::k_none;  // where something was found last
  std::size_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace dojima::fix
