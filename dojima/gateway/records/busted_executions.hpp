#pragma once

// The executions that a venue took back last from its users, so that one is taken back once, however often and under
// whatever number the venue says it; and of those that it corrects, which says so in two reports, what the first one
// said until the second is there. O(capacity) per bust, which are rare, and per fill while a correction has been begun;
// no allocation. One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/gateway/busted_execution.hpp"
#include "dojima/market/report.hpp"

namespace dojima::gateway {

class BustedExecutions {
 public:
  static constexpr std::size_t k_most = 256;

  [[nodiscard]] bool has(std::uint32_t user, std::uint64_t execution) const noexcept {
    return execution != 0 && std::ranges::any_of(ring_, [&](const BustedExecution& entry) {
             return entry.execution == execution && entry.user == user;
           });
  }

  /// The oldest one is forgotten when there are too many. One without a number is none.
  void add(const BustedExecution& entry) noexcept {
    if (entry.execution == 0) return;
    if (ring_[next_].is_begun) --begun_;
    ring_[next_] = entry;
    begun_ += entry.is_begun ? 1 : 0;
    next_ = (next_ + 1) % k_most;
    unwritten_ = std::min(unwritten_ + 1, k_most);
  }

  /// Whether the second report of some correction is awaited.
  [[nodiscard]] bool has_begun() const noexcept { return begun_ != 0; }
  /// The correction that a fill ends, which is not begun any more then; an BustedExecution without an execution: none.
  [[nodiscard]] BustedExecution take_begun(std::uint32_t user, const market::OwnerReport& fill) noexcept {
    if (begun_ == 0) return {};
    const auto at = std::ranges::find_if(ring_, [&](const BustedExecution& entry) {
      return entry.is_begun && entry.user == user && entry.trade == fill.trade && entry.order == fill.order;
    });
    if (at == ring_.end()) return {};
    const BustedExecution taken = *at;
    --begun_;
    *at = {};
    add({.execution = taken.execution, .user = user});  // which a journal has to know as well
    return taken;
  }
  /// By place, below k_most; the oldest first.
  [[nodiscard]] const BustedExecution& at(std::size_t place) const noexcept { return ring_[(next_ + place) % k_most]; }
  /// How many of the newest a journal has not got yet.
  [[nodiscard]] std::size_t unwritten() const noexcept { return unwritten_; }
  void note_written() noexcept { unwritten_ = 0; }

 private:
  std::array<BustedExecution, k_most> ring_{};
  std::size_t next_ = 0;
  std::size_t unwritten_ = 0;
  std::size_t begun_ = 0;
};

}  // namespace dojima::gateway
