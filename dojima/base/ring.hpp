#pragma once

// A bounded single-producer single-consumer ring of fixed-size records: the only place where two hot threads meet.
// One thread pushes, one pops; neither blocks, allocates or makes a system call. Full is an answer, not a wait. Each
// side keeps a copy of the other's position and touches the shared line only when that copy says full or empty.
//
//   SpscRing<Record> ring(1024);
//   if (!ring.push(record)) ...           // producer: no room
//   while (ring.pop(record)) ...          // consumer

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <type_traits>

#include "dojima/base/assert.hpp"

namespace dojima {

template <class Record>
  requires std::is_trivially_copyable_v<Record>
class SpscRing {
 public:
  /// Takes memory for at least `capacity` records (rounded up to a power of two, at least 2). Throws std::bad_alloc.
  explicit SpscRing(std::size_t capacity)
      : mask_(std::bit_ceil(capacity < 2 ? std::size_t{2} : capacity) - 1),
        records_(std::make_unique<Record[]>(mask_ + 1)) {}

  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;

  /// Producer only. False: full, nothing changed. O(1).
  [[nodiscard]] bool push(const Record& record) noexcept {
    return push_in_place([&record](Record& place) { place = record; });
  }
  /// The same, for a record that `write(record)` puts together where it lies; what it does not write is left over from
  /// an earlier one.
  template <class Write>
  [[nodiscard]] bool push_in_place(Write&& write) noexcept {
    if (!stage_in_place(static_cast<Write&&>(write))) return false;
    publish();
    return true;
  }
  /// Producer only. As push_in_place(), but the consumer sees it once publish() is called: records that come in a row
  /// disturb it once. O(1).
  template <class Write>
  [[nodiscard]] bool stage_in_place(Write&& write) noexcept {
    if (staged_ - seen_tail_ > mask_) {
      seen_tail_ = tail_.load(std::memory_order_acquire);
      if (staged_ - seen_tail_ > mask_) return false;
    }
    write(records_[staged_ & mask_]);
    ++staged_;
    return true;
  }
  /// Producer only. What is staged may be popped. O(1).
  void publish() noexcept { head_.store(staged_, std::memory_order_release); }
  /// Producer only: asks for the lines of the record after the next `ahead` ones, which the consumer has read. For a
  /// producer that has other things to do between two records.
  void prefetch(std::size_t ahead) const noexcept {
    const char* const at = reinterpret_cast<const char*>(&records_[(staged_ + ahead) & mask_]);
    __builtin_prefetch(at, 1);
    if constexpr (sizeof(Record) > k_line) __builtin_prefetch(at + k_line, 1);
  }

  /// Consumer only. False: empty, `record` unchanged. O(1).
  [[nodiscard]] bool pop(Record& record) noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == seen_head_) {
      seen_head_ = head_.load(std::memory_order_acquire);
      if (tail == seen_head_) return false;
    }
    record = records_[tail & mask_];
    tail_.store(tail + 1, std::memory_order_release);
    return true;
  }

  /// Consumer only. The oldest record where it lies, which the consumer may change; null: empty. It stays in the ring
  /// until drop(). O(1).
  [[nodiscard]] Record* front() noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail == seen_head_) {
      seen_head_ = head_.load(std::memory_order_acquire);
      if (tail == seen_head_) return nullptr;
    }
    return &records_[tail & mask_];
  }
  /// Consumer only. How many records there are by now; they stay what they are until dropped. O(1).
  [[nodiscard]] std::size_t look() noexcept {
    seen_head_ = head_.load(std::memory_order_acquire);
    return seen_head_ - tail_.load(std::memory_order_relaxed);
  }
  /// Consumer only. The record behind `behind` older ones, of those that look() counted. O(1).
  [[nodiscard]] Record& at(std::size_t behind) noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    DOJIMA_ASSERT(behind < seen_head_ - tail, "a record is read once it was seen", behind, tail, seen_head_);
    return records_[(tail + behind) & mask_];
  }
  /// Consumer only, once front() was a record: it goes. O(1).
  void drop() noexcept {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    DOJIMA_ASSERT(tail != seen_head_, "a record is dropped once it was seen", tail, seen_head_);
    tail_.store(tail + 1, std::memory_order_release);
  }

  /// Records in the ring; exact only while the other side rests.
  [[nodiscard]] std::size_t size() const noexcept {
    return head_.load(std::memory_order_acquire) - tail_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

 private:
  static constexpr std::size_t k_line = 64;

  const std::size_t mask_;
  const std::unique_ptr<Record[]> records_;
  alignas(k_line) std::atomic<std::size_t> head_{0};  // written by the producer
  std::size_t staged_ = 0;                            // the producer's end, which head_ follows
  std::size_t seen_tail_ = 0;                         // the producer's copy of tail_
  alignas(k_line) std::atomic<std::size_t> tail_{0};  // written by the consumer
  std::size_t seen_head_ = 0;                         // the consumer's copy of head_
};

}  // namespace dojima
