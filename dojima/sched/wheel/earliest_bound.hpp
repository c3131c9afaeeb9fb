#pragma once

// When the earliest of some entries is due: exactly, or no earlier than. Plain value.

#include <algorithm>

#include "dojima/sched/core/instant.hpp"

namespace dojima::sched {

class EarliestBound {
 public:
  [[nodiscard]] Instant at() const noexcept { return at_; }
  [[nodiscard]] bool is_exact() const noexcept { return is_exact_; }

  /// One more entry.
  void add(Instant at) noexcept {
    if (at < at_) set_exact(at);
  }
  void set_exact(Instant at) noexcept {
    at_ = at;
    is_exact_ = true;
  }
  void set_bound(Instant at) noexcept {
    at_ = at;
    is_exact_ = false;
  }
  /// None is earlier than `at`.
  void raise(Instant at) noexcept {
    if (!is_exact_) at_ = std::max(at_, at);
  }
  /// What made it exact may be gone; as a bound it holds.
  void remove() noexcept { is_exact_ = false; }

 private:
  Instant at_ = k_no_instant;
  bool is_exact_ = true;
};

}  // namespace dojima::sched
