#pragma once

// The executions that a venue took back last, so that one is taken back once, however often and under whatever number
// the venue says it. O(capacity) per bust, which are rare; no allocation. One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace dojima::gateway {

class BustedExecutions {
 public:
  static constexpr std::size_t k_most = 256;

  [[nodiscard]] bool has(std::uint32_t client, std::uint64_t execution) const noexcept {
    return execution != 0 && std::ranges::find(ring_, Entry{execution, client}) != ring_.end();
  }
  /// The oldest one is forgotten when there are too many.
  void add(std::uint32_t client, std::uint64_t execution) noexcept {
    ring_[next_] = {execution, client};
    next_ = (next_ + 1) % k_most;
  }

 private:
  struct Entry {
    std::uint64_t execution = 0;
    std::uint32_t client = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::array<Entry, k_most> ring_{};
  std::size_t next_ = 0;
};

}  // namespace dojima::gateway
