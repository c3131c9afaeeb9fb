#pragma once

// Lists of plain entries in chunks of one pool: appended at the end, drained from the front, in order. An append is one
// store and one bump of a pointer; only when a chunk is full does it touch more. All memory is taken at construction
// and touched when it is first used; a list gives its chunks back as it is drained, the last one given back is the
// first one taken again. One thread.
//
//   ChunkPool pool(512, 100);   ChunkList list;
//   append(pool, list, entry);   drain<Entry>(pool, list, [](const Entry& entry) { ... });

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "dojima/base/assert.hpp"

namespace dojima::sched {

/// The end of a list and its beginning. All zero: empty.
struct ChunkList {
  /// Where the next entry goes. Chunks are aligned to their size and the last entry of one ends where it ends: a
  /// pointer to the start of a chunk means "that chunk is full", as null means "there is none".
  std::byte* write = nullptr;
  std::uint32_t head = 0;    // number of the first chunk
  std::uint32_t chunks = 0;  // how many

  [[nodiscard]] bool is_empty() const noexcept { return chunks == 0; }
};

class ChunkPool {
 public:
  /// Chunks of `bytes` (128, 512 or 2048, so that entries of 8, 16 and 24 bytes end with them). Throws std::bad_alloc.
  ChunkPool(std::size_t bytes, std::size_t count);

  ChunkPool(const ChunkPool&) = delete;
  ChunkPool& operator=(const ChunkPool&) = delete;

  [[nodiscard]] std::size_t chunk_bytes() const noexcept { return bytes_; }
  /// Chunks that may be taken at the same time.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Bytes that were ever in use.
  [[nodiscard]] std::size_t touched() const noexcept { return fresh_ * bytes_; }

  /// There must be a chunk left: the owner of the pool has counted.
  [[nodiscard]] std::byte* take() noexcept {
    std::byte* chunk = free_;
    if (chunk != nullptr) {
      free_ = next_of(chunk);
    } else {
      DOJIMA_ASSERT(fresh_ < count_, "the pool holds the chunks of the worst case", fresh_, count_);
      chunk = memory_.get() + fresh_++ * bytes_;
    }
    next_of(chunk) = nullptr;
    return chunk;
  }
  void give(std::byte* chunk) noexcept {
    next_of(chunk) = free_;
    free_ = chunk;
  }

  [[nodiscard]] static std::byte*& next_of(std::byte* chunk) noexcept { return *reinterpret_cast<std::byte**>(chunk); }
  [[nodiscard]] std::byte* at(std::uint32_t number) const noexcept {
    return memory_.get() + (static_cast<std::size_t>(number) << shift_);
  }
  [[nodiscard]] std::uint32_t number_of(const std::byte* chunk) const noexcept {
    return static_cast<std::uint32_t>(static_cast<std::size_t>(chunk - memory_.get()) >> shift_);
  }
  [[nodiscard]] bool is_at_end(const std::byte* write) const noexcept {
    return (reinterpret_cast<std::uintptr_t>(write) & (bytes_ - 1)) == 0;
  }

  /// Bytes before the first entry of a chunk: the link, and what is left over.
  template <class Entry>
  static constexpr std::size_t k_header = sizeof(Entry) == 16 ? 16 : 8;
  template <class Entry>
  [[nodiscard]] std::size_t entries_per_chunk() const noexcept {
    return (bytes_ - k_header<Entry>) / sizeof(Entry);
  }

 private:
  struct Release {
    std::size_t alignment;
    void operator()(std::byte* memory) const noexcept { ::operator delete(memory, std::align_val_t{alignment}); }
  };

  std::size_t bytes_;
  unsigned shift_;
  std::size_t count_;
  std::size_t fresh_ = 0;  // chunks [fresh_, count_) were never used
  std::byte* free_ = nullptr;
  std::unique_ptr<std::byte, Release> memory_;
};

/// A chunk more for a list that is empty or whose last chunk is full.
[[gnu::noinline]] std::byte* extend(ChunkPool& pool, ChunkList& list, std::size_t header) noexcept;

/// O(1).
template <class Entry>
inline void append(ChunkPool& pool, ChunkList& list, const Entry& entry) noexcept {
  static_assert(std::is_trivially_copyable_v<Entry> && sizeof(Entry) % 8 == 0 && sizeof(Entry) <= 24);
  std::byte* write = list.write;
  if (pool.is_at_end(write)) [[unlikely]]
    write = extend(pool, list, ChunkPool::k_header<Entry>);
  ::new (static_cast<void*>(write)) Entry(entry);
  list.write = write + sizeof(Entry);
}

/// How many entries of that type the list has. O(1).
template <class Entry>
[[nodiscard]] inline std::size_t count_of(const ChunkPool& pool, const ChunkList& list) noexcept {
  if (list.is_empty()) return 0;
  const std::size_t used = (reinterpret_cast<std::uintptr_t>(list.write) - 1) & (pool.chunk_bytes() - 1);
  const std::size_t in_last = (used + 1 - ChunkPool::k_header<Entry>) / sizeof(Entry);
  return (list.chunks - 1) * pool.entries_per_chunk<Entry>() + in_last;
}

/// Hands the entries of the first chunk to `visit` in order and gives the chunk back. Afterwards the list may be empty.
template <class Entry, class Visit>
inline void drain_chunk(ChunkPool& pool, ChunkList& list, Visit&& visit) {
  std::byte* const chunk = pool.at(list.head);
  std::byte* const next = ChunkPool::next_of(chunk);
  std::byte* const end = next == nullptr ? list.write : chunk + pool.chunk_bytes();
  if (next != nullptr) {
    __builtin_prefetch(next);
    __builtin_prefetch(next + 64);
  }
  for (std::byte* at = chunk + ChunkPool::k_header<Entry>; at != end; at += sizeof(Entry))
    visit(*std::launder(reinterpret_cast<const Entry*>(at)));
  pool.give(chunk);
  if (next == nullptr) {
    list = ChunkList{};
  } else {
    list.head = pool.number_of(next);
    --list.chunks;
  }
}

/// Hands all entries to `visit` in order and gives the chunks back. `visit` may append to other lists of the pool.
template <class Entry, class Visit>
inline void drain(ChunkPool& pool, ChunkList& list, Visit&& visit) {
  while (!list.is_empty()) drain_chunk<Entry>(pool, list, visit);
}

/// Hands all entries to `visit` in order, to be read or changed in place. `visit` returns true to stop.
template <class Entry, class Visit>
inline bool any_of(const ChunkPool& pool, const ChunkList& list, Visit&& visit) {
  if (list.is_empty()) return false;
  for (std::byte* chunk = pool.at(list.head); chunk != nullptr;) {
    std::byte* const next = ChunkPool::next_of(chunk);
    std::byte* const end = next == nullptr ? list.write : chunk + pool.chunk_bytes();
    for (std::byte* at = chunk + ChunkPool::k_header<Entry>; at != end; at += sizeof(Entry)) {
      if (visit(*std::launder(reinterpret_cast<Entry*>(at)))) return true;
    }
    chunk = next;
  }
  return false;
}

}  // namespace dojima::sched
