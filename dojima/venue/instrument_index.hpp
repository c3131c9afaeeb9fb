#pragma once

// From the id of an instrument to a number: an array where ids are small, as venues number theirs, and a map for the
// others. O(1), no allocation after construction. One thread.
//
//   InstrumentIndex places(instruments.size());
//   if (!places.insert(id, place)) ...            // 0, or given before
//   if (const auto* place = places.find(id)) ...

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dojima/base/fixed_map.hpp"

namespace dojima::venue {

class InstrumentIndex {
 public:
  /// For so many instruments. Throws std::bad_alloc.
  explicit InstrumentIndex(std::size_t instruments) : near_(k_least + 16 * instruments, k_nothing), far_(instruments) {}

  /// False: the id is 0, or there already; nothing changed. `number` is below 2^32 - 1.
  [[nodiscard]] bool insert(std::uint32_t id, std::uint32_t number) {
    if (id == 0 || find(id) != nullptr) return false;
    if (id >= near_.size()) return far_.insert(id, number);
    near_[id] = number;
    return true;
  }

  /// Null: no such instrument.
  [[nodiscard, gnu::always_inline]] const std::uint32_t* find(std::uint32_t id) const noexcept {
    if (id >= near_.size()) [[unlikely]]
      return far_.find(id);
    return near_[id] != k_nothing ? &near_[id] : nullptr;
  }

 private:
  static constexpr std::size_t k_least = 4096;
  static constexpr std::uint32_t k_nothing = 0xffffffff;

  std::vector<std::uint32_t> near_;  // by id
  FixedMap<std::uint64_t, std::uint32_t> far_;
};

}  // namespace dojima::venue
