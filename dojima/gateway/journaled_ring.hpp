#pragma once

// The newest of what a journal is to have, and how many of them it has not got yet. O(1), no allocation. One thread.

#include <algorithm>
#include <array>
#include <cstddef>

namespace dojima::gateway {

template <class Entry, std::size_t Most>
class JournaledRing {
 public:
  static constexpr std::size_t k_most = Most;

  /// The oldest one is forgotten when there are too many.
  void add(const Entry& entry) noexcept {
    ring_[added_++ % k_most] = entry;
    unwritten_ = std::min(unwritten_ + 1, k_most);
  }
  [[nodiscard]] std::size_t size() const noexcept { return std::min(added_, k_most); }
  /// By place, below size(); the oldest first.
  [[nodiscard]] const Entry& at(std::size_t place) const noexcept { return ring_[(added_ - size() + place) % k_most]; }
  /// How many of the newest a journal has not got yet.
  [[nodiscard]] std::size_t unwritten() const noexcept { return unwritten_; }
  void note_written() noexcept { unwritten_ = 0; }

 protected:
  [[nodiscard]] const std::array<Entry, Most>& entries() const noexcept { return ring_; }

 private:
  std::array<Entry, Most> ring_{};
  std::size_t added_ = 0;
  std::size_t unwritten_ = 0;
};

}  // namespace dojima::gateway
