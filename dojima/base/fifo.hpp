#pragma once

// A queue that grows, in one piece of memory. Values have numbers, which count up for ever from 0.
//
//   Fifo<Report> reports;
//   reports.add() = report;
//   for (; !reports.is_empty(); reports.pop()) hand_over(reports.front());
//
// O(1), amortised. One thread.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dojima {

/// A queue that grows.
template <class Value>
class Fifo {
 public:
  Fifo() = default;
  Fifo(const Fifo&) = delete;
  Fifo& operator=(const Fifo&) = delete;

  [[nodiscard]] bool is_empty() const noexcept { return head_ == tail_; }
  [[nodiscard]] std::size_t size() const noexcept { return tail_ - head_; }
  [[nodiscard]] const Value& front() const noexcept { return values_[head_ & mask_]; }
  /// Number of the front, and one more than that of the back.
  [[nodiscard]] std::size_t begin() const noexcept { return head_; }
  [[nodiscard]] std::size_t end() const noexcept { return tail_; }
  /// From begin() to end() - 1.
  [[nodiscard]] Value& operator[](std::size_t number) noexcept { return values_[number & mask_]; }
  Value& add() {
    if (tail_ - head_ == room_) [[unlikely]]
      grow();
    return values_[tail_++ & mask_];
  }
  void pop() noexcept { ++head_; }
  /// Calls `visit(Value&)` from the front on.
  template <class Visit>
  void each(Visit&& visit) {
    for (std::size_t at = head_; at != tail_; ++at) visit(values_[at & mask_]);
  }
  /// The same from the back on.
  template <class Visit>
  void each_backwards(Visit&& visit) {
    for (std::size_t at = tail_; at != head_; --at) visit(values_[(at - 1) & mask_]);
  }
  /// The last one goes forward until nobody before it is later, which `time_of` says.
  template <class TimeOf>
  void sort_in_last(TimeOf time_of) {
    for (std::size_t at = tail_ - 1; at != head_; --at) {
      Value& before = values_[(at - 1) & mask_];
      Value& last = values_[at & mask_];
      if (time_of(before) <= time_of(last)) return;
      std::swap(before, last);
    }
  }

 private:
  void grow() {
    std::vector<Value> more(values_.empty() ? 64 : 2 * values_.size());
    const std::size_t mask = more.size() - 1;
    for (std::size_t at = head_; at != tail_; ++at) more[at & mask] = std::move(values_[at & mask_]);
    values_ = std::move(more);
    mask_ = mask;
    room_ = values_.size();
  }
  std::vector<Value> values_;
  std::size_t mask_ = 0, room_ = 0, head_ = 0, tail_ = 0;
};

}  // namespace dojima
