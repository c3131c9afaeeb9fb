#pragma once

// The executions that a venue took back last from its users, so that one is taken back once, however often and under
// whatever number the venue says it. O(capacity) per bust, which are rare; no allocation. One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dojima::gateway {

class BustedExecutions {
 public:
  static constexpr std::size_t k_most = 256;

  [[nodiscard]] bool has(std::uint32_t user, std::uint64_t execution) const noexcept {
    return execution != 0 && std::ranges::find(ring_, Entry{execution, user}) != ring_.end();
  }
  /// The oldest one is forgotten when there are too many. One without a number is none.
  void add(std::uint32_t user, std::uint64_t execution) noexcept {
    if (execution == 0) return;
    ring_[next_] = {execution, user};
    next_ = (next_ + 1) % k_most;
    unwritten_ = std::min(unwritten_ + 1, k_most);
  }

  struct Entry {
    std::uint64_t execution = 0;  ///< 0: none
    std::uint32_t user = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  /// By place, below k_most; the oldest first.
  [[nodiscard]] const Entry& at(std::size_t place) const noexcept { return ring_[(next_ + place) % k_most]; }
  /// How many of the newest a journal has not got yet.
  [[nodiscard]] std::size_t unwritten() const noexcept { return unwritten_; }
  void note_written() noexcept { unwritten_ = 0; }

 private:
  std::array<Entry, k_most> ring_{};
  std::size_t next_ = 0;
  std::size_t unwritten_ = 0;
};

}  // namespace dojima::gateway
