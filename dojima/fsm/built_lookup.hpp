#pragma once

// KeyLookup for keys that are known only when the program starts: read from a file, generated, configured. The same
// ladder, the same plans, the same checked answer; memory is taken once, when it is built.
//
//   const Result<BuiltLookup> lookup = BuiltLookup::build(codes);
//   lookup->index(code) == lookup->miss();

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/base/error.hpp"
#include "dojima/fsm/perfect_hash.hpp"

namespace dojima::fsm {

class BuiltLookup {
 public:
  /// Tries the rungs in this order, then `sorted`. Errors: `duplicate` (a key occurs twice; `got` is the key) and
  /// `no_room` (more than k_keys_max keys). xor_modulo goes on to its first success, at the latest at the next power of
  /// two above the highest key, and is skipped for keys above 2^16. Throws std::bad_alloc.
  [[nodiscard]] static Result<BuiltLookup> build(std::span<const std::uint64_t> keys,
                                                 std::span<const Strategy> rungs = k_automatic);

  static constexpr std::array k_automatic{Strategy::consecutive, Strategy::direct, Strategy::multiply_shift,
                                          Strategy::two_level};

  [[nodiscard]] const HashPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] std::size_t size() const noexcept { return plan_.keys; }
  [[nodiscard]] std::size_t miss() const noexcept { return plan_.keys; }

  /// The number of `code` in the order of `keys`, or miss(). O(1), or O(log n) where plan() says `sorted`.
  [[nodiscard]] std::size_t index(std::uint64_t code) const noexcept {
    if (plan_.strategy == Strategy::sorted) {
      const std::size_t at = find_sorted(codes_.data(), codes_.size(), code);
      return at == codes_.size() ? miss() : indexes_[at];
    }
    const std::uint64_t slot = slot_of(plan_, code, displacements_);
    if (slot >= codes_.size()) return miss();
    return codes_[static_cast<std::size_t>(slot)] == code ? indexes_[static_cast<std::size_t>(slot)] : miss();
  }

 private:
  BuiltLookup() = default;
  void fill(std::span<const std::uint64_t> keys);

  HashPlan plan_;
  std::vector<std::uint64_t> codes_;          // by slot; a free slot repeats a key of another slot
  std::vector<std::uint16_t> indexes_;        // by slot
  std::vector<std::uint16_t> displacements_;  // two_level only
};

}  // namespace dojima::fsm
