#include "dojima/fsm/built_lookup.hpp"

#include <algorithm>
#include <numeric>

namespace dojima::fsm {
namespace {

[[nodiscard]] HashPlan find_multiply_shift(std::span<const std::uint64_t> keys) {
  HashPlan plan{.strategy = Strategy::multiply_shift};
  if (keys.empty() || keys.size() > k_multiply_keys_max) return plan;
  const unsigned smallest = std::max(1U, bits_for(keys.size()));
  for (unsigned bits = smallest; (std::size_t{1} << bits) <= 4 * keys.size() || bits == smallest; ++bits) {
    std::vector<std::uint16_t> stamps(std::size_t{1} << bits);
    plan = plan_multiply_shift(keys, bits, k_multiply_tries, stamps);
    if (plan.is_found) break;
  }
  return plan;
}

[[nodiscard]] HashPlan find_two_level(std::span<const std::uint64_t> keys, std::vector<std::uint16_t>& displacements) {
  if (keys.empty()) return {.strategy = Strategy::two_level};
  displacements.assign(std::size_t{1} << two_level_bucket_bits(keys.size()), 0);
  std::vector<std::uint32_t> bucket_begin(displacements.size() + 1);
  std::vector<std::uint32_t> slots(keys.size());
  std::vector<std::uint16_t> stamps(std::size_t{1} << two_level_slot_bits(keys.size()));
  constexpr std::uint32_t multipliers = 64;
  return plan_two_level(keys, multipliers, {bucket_begin, slots, stamps}, displacements);
}

[[nodiscard]] HashPlan find_xor_modulo(std::span<const std::uint64_t> keys, std::uint64_t highest) {
  constexpr std::uint64_t highest_max = 0xffff;
  if (keys.empty() || highest > highest_max) return {.strategy = Strategy::xor_modulo};
  const std::uint64_t seeds = xor_modulo_seeds(highest);
  std::vector<std::uint32_t> stamps(std::max<std::uint64_t>(seeds, keys.size()) + 1);
  XorModuloPosition at{.denominator = keys.size()};
  while (!at.is_found) {
    // A stretch ends before its stamps, which count seeds in 32 bits, could come round.
    constexpr std::uint64_t stretch = std::uint64_t{1} << 31U;
    at = search_xor_modulo(keys, at, seeds, stamps.size(), stretch, stamps);
    std::fill(stamps.begin(), stamps.end(), 0);
  }
  return plan_xor_modulo(keys.size(), at);
}

}  // namespace

Result<BuiltLookup> BuiltLookup::build(std::span<const std::uint64_t> keys, std::span<const Strategy> rungs) {
  if (keys.size() > k_keys_max)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(keys.size()), "at most 65,534 keys");
  std::vector<std::uint64_t> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    return fail(ErrorCode::duplicate, 0, 0, static_cast<std::int64_t>(*twice), "each key once");

  BuiltLookup lookup;
  lookup.plan_.is_found = false;
  for (const Strategy rung : rungs) {
    HashPlan& plan = lookup.plan_;
    switch (rung) {
      case Strategy::consecutive:
      case Strategy::direct:
        plan = sorted.empty() ? plan_direct(0, 0, 0) : plan_direct(sorted.size(), sorted.front(), sorted.back());
        plan.is_found = plan.is_found && (plan.strategy == rung || rung == Strategy::direct);
        plan.strategy = rung;
        break;
      case Strategy::multiply_shift:
        plan = find_multiply_shift(keys);
        break;
      case Strategy::two_level:
        plan = find_two_level(keys, lookup.displacements_);
        break;
      case Strategy::xor_modulo:
        plan = find_xor_modulo(keys, sorted.empty() ? 0 : sorted.back());
        break;
      case Strategy::sorted:
        plan = plan_sorted(keys.size());
        break;
    }
    if (plan.is_found) break;
  }
  if (!lookup.plan_.is_found) lookup.plan_ = plan_sorted(keys.size());
  lookup.fill(keys);
  return lookup;
}

void BuiltLookup::fill(std::span<const std::uint64_t> keys) {
  codes_.assign(plan_.slots, keys.empty() ? 0 : keys[0]);
  indexes_.assign(plan_.slots, 0);
  if (plan_.strategy == Strategy::sorted) {
    std::iota(indexes_.begin(), indexes_.end(), std::uint16_t{0});
    std::sort(indexes_.begin(), indexes_.end(), [&](std::uint16_t a, std::uint16_t b) { return keys[a] < keys[b]; });
    for (std::size_t rank = 0; rank < codes_.size(); ++rank) codes_[rank] = keys[indexes_[rank]];
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto slot = static_cast<std::size_t>(slot_of(plan_, keys[i], displacements_));
    codes_[slot] = keys[i];
    indexes_[slot] = static_cast<std::uint16_t>(i);
  }
}

}  // namespace dojima::fsm
