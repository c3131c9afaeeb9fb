#pragma once

// The trades that clients said last that they do not know (DontKnowTrade): people have to settle each of them, so they
// are kept over restarts. O(1), no allocation. One thread.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "dojima/base/text.hpp"
#include "dojima/time/time.hpp"

namespace dojima::gateway {

/// As the client wrote it; longer texts are cut.
struct UnknownTrade {
  time::Time time;           ///< when it said so
  std::uint32_t client = 0;  ///< by its place in the configuration
  char reason = '\0';        ///< DKReason(127)
  Text<20> order_id;         ///< OrderID(37)
  Text<20> exec_id;          ///< ExecID(17)
  Text<60> text;             ///< Text(58)
  friend bool operator==(const UnknownTrade&, const UnknownTrade&) = default;
};

class UnknownTrades {
 public:
  static constexpr std::size_t k_most = 256;

  /// The oldest one is forgotten when there are too many.
  void add(const UnknownTrade& trade) noexcept {
    ring_[added_++ % k_most] = trade;
    unwritten_ = std::min(unwritten_ + 1, k_most);
  }
  [[nodiscard]] std::size_t size() const noexcept { return std::min(added_, k_most); }
  /// By place, below size(); the oldest first.
  [[nodiscard]] const UnknownTrade& at(std::size_t place) const noexcept {
    return ring_[(added_ - size() + place) % k_most];
  }
  /// How many of the newest a journal has not got yet.
  [[nodiscard]] std::size_t unwritten() const noexcept { return unwritten_; }
  void note_written() noexcept { unwritten_ = 0; }

 private:
  std::array<UnknownTrade, k_most> ring_{};
  std::size_t added_ = 0;
  std::size_t unwritten_ = 0;
};

}  // namespace dojima::gateway
