#pragma once

// Records found by a number of up to 32 bits through a perfect hash in two levels (fsm/perfect_hash.hpp): one
// multiplication, two loads, one comparison, whatever is asked for. Built once, from numbers known at start-up; then
// read-only, free of locks and allocation. A record has a member `tag`, its number, which is not 0.
//
//   TagTable<Member> table;  if (!table.build(members)) ...;  const Member* found = table.find(55);

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dojima/fsm/perfect_hash.hpp"

namespace dojima::fix {

template <class Record>
class TagTable {
 public:
  /// Takes records with different numbers. False: they cannot be hashed (none of 64 multipliers does; never seen).
  /// Throws std::bad_alloc. About 10 n steps.
  [[nodiscard]] bool build(std::span<const Record> records) {
    size_ = records.size();
    if (records.empty()) return true;
    constexpr std::uint32_t k_multipliers = 64;
    std::vector<std::uint64_t> keys;
    for (const Record& record : records) keys.push_back(record.tag);
    const unsigned slot_bits = fsm::two_level_slot_bits(keys.size());
    bucket_bits_ = static_cast<std::uint8_t>(fsm::two_level_bucket_bits(keys.size()));
    displacements_.assign(std::size_t{1} << bucket_bits_, 0);
    std::vector<std::uint32_t> bucket_begin(displacements_.size() + 1), slots(keys.size());
    std::vector<std::uint16_t> stamps(std::size_t{1} << slot_bits);
    const fsm::HashPlan plan = fsm::plan_two_level(keys, k_multipliers, {bucket_begin, slots, stamps}, displacements_);
    if (!plan.is_found) return false;
    multiplier_ = plan.seed;
    slot_shift_ = static_cast<std::uint8_t>(64 - slot_bits);
    // A free slot repeats a record of another slot: who is looked up there is compared and not found.
    records_.assign(std::size_t{1} << slot_bits, records[0]);
    for (const Record& record : records) records_[slot_of(record.tag)] = record;
    return true;
  }

  /// Null: there is none. O(1).
  [[nodiscard]] const Record* find(std::uint32_t tag) const noexcept {
    if (size_ == 0) [[unlikely]] {
      return nullptr;
    }
    const Record& record = records_[slot_of(tag)];
    return record.tag == tag ? &record : nullptr;
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  [[nodiscard]] std::size_t slot_of(std::uint32_t tag) const noexcept {
    const std::uint64_t product = tag * multiplier_;
    return static_cast<std::size_t>((product << bucket_bits_) >> slot_shift_) ^
           displacements_[static_cast<std::size_t>(product >> (64 - bucket_bits_))];
  }

  std::vector<Record> records_;
  std::vector<std::uint16_t> displacements_;
  std::uint64_t multiplier_ = 0;
  std::size_t size_ = 0;
  std::uint8_t bucket_bits_ = 1, slot_shift_ = 63;
};

}  // namespace dojima::fix
