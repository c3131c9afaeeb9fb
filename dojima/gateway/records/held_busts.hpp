#pragma once

// Busts that may be the first half of a correction, as the venue says that in two reports: they wait for the second.
// At most four of a user, as many as it has partitions. O(those that wait), which are few and seldom; no allocation.
// One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "dojima/market/report.hpp"

namespace dojima::gateway {

struct HeldBust {
  market::OwnerReport report;
  std::uint32_t user = 0;
  bool is_of_session = false;  ///< it came over the session at hand, which says what follows it
};

class HeldBusts {
 public:
  static constexpr std::size_t k_most = 256, k_most_of_user = 4;

  [[nodiscard]] bool is_empty() const noexcept { return size_ == 0; }
  /// In the order in which they came.
  [[nodiscard]] std::span<const HeldBust> all() const noexcept { return {busts_.data(), size_}; }
  /// False: no room for it.
  [[nodiscard]] bool add(const HeldBust& bust) noexcept {
    if (size_ == k_most || std::ranges::count(all(), bust.user, &HeldBust::user) == k_most_of_user) return false;
    busts_[size_++] = bust;
    return true;
  }
  /// The first one that is so, which waits no more; none: no one is.
  template <class Is>
  [[nodiscard]] std::optional<HeldBust> take(Is is) noexcept {
    const auto end = busts_.begin() + static_cast<std::ptrdiff_t>(size_);
    const auto found = std::find_if(busts_.begin(), end, is);
    if (found == end) return std::nullopt;
    const HeldBust taken = *found;
    std::copy(found + 1, end, found);
    --size_;
    return taken;
  }
  /// The user's session is over.
  void end_session(std::uint32_t user) noexcept {
    for (HeldBust& bust : std::span(busts_.data(), size_))
      if (bust.user == user) bust.is_of_session = false;
  }

 private:
  std::size_t size_ = 0;
  std::array<HeldBust, k_most> busts_{};
};

}  // namespace dojima::gateway
