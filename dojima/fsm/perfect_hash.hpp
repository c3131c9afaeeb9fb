#pragma once

// Perfect hashes over integer codes: the search for one, as constexpr functions over plain spans. They run in the
// compiler (key_lookup.hpp) and at run time (built_lookup.hpp, hash_search.hpp) and give the same answer in both.
//
// Rungs of the ladder, in the order in which they are tried; the last one cannot fail, so no key set can:
//
//   consecutive      codes without gaps: slot = code - first, no table at all
//   direct           codes close together: one table over their span
//   multiply_shift   slot = code * multiplier >> shift, at most 4 slots a key, up to 64 keys
//   two_level        one multiplication; its top bits choose a bucket, the bucket's displacement is XORed into the next
//   xor_modulo       slot = (code ^ seed) % denominator; only on request, searched exhaustively
//   sorted           no hash: branch-free binary search
//
// Nothing here allocates; memory for the search comes from the caller. Complexity is given beside each function.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "dojima/base/assert.hpp"

namespace dojima::fsm {

enum class Strategy : std::uint8_t { consecutive, direct, multiply_shift, two_level, xor_modulo, sorted };

/// The strategy's name as reports print it, e.g. "two_level". Static.
[[nodiscard]] constexpr std::string_view name_of(Strategy strategy) noexcept {
  constexpr std::array<std::string_view, 6> names{"consecutive", "direct",     "multiply_shift",
                                                  "two_level",   "xor_modulo", "sorted"};
  return names[static_cast<std::size_t>(strategy)];
}

/// Up to this many keys; indexes have 16 bits and one value says "no key".
inline constexpr std::size_t k_keys_max = 65'534;

/// An integer or enumerator as the unsigned number of its own width, e.g. 'D' -> 68, int8_t{-1} -> 255.
template <class Key>
[[nodiscard]] constexpr std::uint64_t code_of(Key key) noexcept {
  if constexpr (std::is_enum_v<Key>) {
    return code_of(static_cast<std::underlying_type_t<Key>>(key));
  } else if constexpr (std::is_same_v<Key, bool>) {
    return key ? 1 : 0;
  } else {
    static_assert(std::is_integral_v<Key> && sizeof(Key) <= 8, "a key is an integer or an enumerator");
    return static_cast<std::make_unsigned_t<Key>>(key);
  }
}

/// The automatic ladder's limits, the same in the compiler and at run time.
inline constexpr std::size_t k_multiply_keys_max = 64;
inline constexpr std::uint32_t k_multiply_tries = 500;

/// How a key set is hashed, and what it took to find out.
struct HashPlan {
  Strategy strategy = Strategy::sorted;
  bool is_found = false;
  bool is_exhaustive = false;  ///< xor_modulo: every seed of every smaller denominator was refuted
  std::uint8_t shift = 0;      ///< multiply_shift: of the product; two_level: down to the bucket
  std::uint32_t keys = 0;
  std::uint32_t slots = 0;          ///< of the table
  std::uint32_t displacements = 0;  ///< two_level: buckets
  std::uint64_t seed = 0;           ///< consecutive, direct: first code; xor_modulo: seed; else the multiplier
  std::uint64_t denominator = 0;    ///< xor_modulo only
  std::uint64_t tries = 0;          ///< seeds, multipliers or displacements looked at
};

/// Multipliers are tried in this fixed order (SplitMix64 of 1, 2, ..., made odd), so every build finds the same.
[[nodiscard]] constexpr std::uint64_t multiplier(std::uint64_t number) noexcept {
  std::uint64_t z = (number + 1) * 0x9e37'79b9'7f4a'7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return (z ^ (z >> 31U)) | 1U;
}

/// log2 of the smallest power of two that holds `count`.
[[nodiscard]] constexpr unsigned bits_for(std::size_t count) noexcept {
  return count <= 1 ? 0U : static_cast<unsigned>(std::bit_width(count - 1));
}

/// Where the product's two parts are in two_level. The slot is taken from the bits just below the bucket: low product
/// bits are zero for keys that are multiples of a power of two, and a slot taken from there collides for good.
[[nodiscard]] constexpr std::size_t two_level_slot(std::uint64_t product, unsigned bucket_bits,
                                                   unsigned slot_bits) noexcept {
  return static_cast<std::size_t>((product << bucket_bits) >> (64U - slot_bits));
}

// ---------------------------------------------------------------------------------------------------- the close codes

/// consecutive or direct for `count` different codes from `lowest` to `highest`, where they span at most 8 n + 64.
/// O(1).
[[nodiscard]] constexpr HashPlan plan_direct(std::size_t count, std::uint64_t lowest, std::uint64_t highest) noexcept {
  HashPlan plan{.strategy = Strategy::consecutive, .keys = static_cast<std::uint32_t>(count)};
  if (count == 0) {
    plan.is_found = true;
    return plan;
  }
  plan.seed = lowest;
  plan.tries = 1;
  if (highest - lowest >= 8 * count + 64) return plan;
  plan.is_found = true;
  plan.slots = static_cast<std::uint32_t>(highest - lowest + 1);
  if (plan.slots != count) plan.strategy = Strategy::direct;
  return plan;
}

// ----------------------------------------------------------------------------------------------------- multiply, shift

/// Looks for a multiplier that puts `keys` into 2^bits slots (bits > 0) without a collision; at most `tries_max` <
/// 2^16. `stamps` has 2^bits zeros and is used up. O(tries * sqrt(slots)) expected: a try ends at its first collision.
[[nodiscard]] constexpr HashPlan plan_multiply_shift(std::span<const std::uint64_t> keys, unsigned bits,
                                                     std::uint32_t tries_max,
                                                     std::span<std::uint16_t> stamps) noexcept {
  HashPlan plan{.strategy = Strategy::multiply_shift,
                .shift = static_cast<std::uint8_t>(64U - bits),
                .keys = static_cast<std::uint32_t>(keys.size()),
                .slots = std::uint32_t{1} << bits};
  for (std::uint32_t number = 0; number < tries_max; ++number) {
    plan.seed = multiplier(number);
    const auto stamp = static_cast<std::uint16_t>(number + 1);
    bool is_free = true;
    for (const std::uint64_t key : keys) {
      std::uint16_t& slot = stamps[static_cast<std::size_t>((key * plan.seed) >> plan.shift)];
      if (slot == stamp) {
        is_free = false;
        break;
      }
      slot = stamp;
    }
    plan.tries = number + 1;
    if (is_free) {
      plan.is_found = true;
      return plan;
    }
  }
  return plan;
}

// ----------------------------------------------------------------------------------------------------------- two
// levels

/// Memory for plan_two_level, all zero at the beginning: `bucket_begin` has one more than there are buckets, `slots`
/// one for each key, `stamps` one for each slot of the table.
struct TwoLevelScratch {
  std::span<std::uint32_t> bucket_begin;
  std::span<std::uint32_t> slots;
  std::span<std::uint16_t> stamps;
};

[[nodiscard]] constexpr unsigned two_level_slot_bits(std::size_t keys) noexcept {
  return std::max(1U, bits_for(keys));
}
/// About two keys a bucket.
[[nodiscard]] constexpr unsigned two_level_bucket_bits(std::size_t keys) noexcept {
  return std::max(1U, bits_for(keys) == 0 ? 0U : bits_for(keys) - 1U);
}

namespace detail {

/// Groups the keys by bucket (counting sort) and notes each one's slot before displacement.
constexpr void fill_buckets(std::span<const std::uint64_t> keys, std::uint64_t seed, unsigned bucket_bits,
                            unsigned slot_bits, TwoLevelScratch& scratch) noexcept {
  const unsigned down = 64U - bucket_bits;
  for (std::uint32_t& begin : scratch.bucket_begin) begin = 0;
  for (const std::uint64_t key : keys) ++scratch.bucket_begin[static_cast<std::size_t>((key * seed) >> down) + 1];
  for (std::size_t b = 1; b < scratch.bucket_begin.size(); ++b) scratch.bucket_begin[b] += scratch.bucket_begin[b - 1];
  for (const std::uint64_t key : keys) {
    const std::uint64_t product = key * seed;
    // Filling moves each begin to the next one's; they are shifted back below.
    const std::uint32_t at = scratch.bucket_begin[static_cast<std::size_t>(product >> down)]++;
    scratch.slots[at] = static_cast<std::uint32_t>(two_level_slot(product, bucket_bits, slot_bits));
  }
  for (std::size_t b = scratch.bucket_begin.size() - 1; b > 0; --b)
    scratch.bucket_begin[b] = scratch.bucket_begin[b - 1];
  scratch.bucket_begin[0] = 0;
}

/// A displacement under which the bucket's slots are free, or -1. Marks them.
constexpr std::int32_t place_bucket(std::span<const std::uint32_t> members, std::uint16_t stamp, std::uint32_t& cursor,
                                    std::span<std::uint16_t> stamps, std::uint64_t& tries) noexcept {
  for (std::size_t i = 0; i + 1 < members.size(); ++i)
    for (std::size_t j = i + 1; j < members.size(); ++j)
      if (members[i] == members[j]) return -1;
  if (members.size() == 1) {  // any free slot will do: the next one
    while (stamps[cursor] == stamp) ++cursor;
    stamps[cursor] = stamp;
    ++tries;
    return static_cast<std::int32_t>(cursor ^ members[0]);
  }
  for (std::uint32_t displacement = 0; displacement < stamps.size(); ++displacement) {
    ++tries;
    bool is_free = true;
    for (const std::uint32_t slot : members) is_free = is_free && stamps[slot ^ displacement] != stamp;
    if (!is_free) continue;
    for (const std::uint32_t slot : members) stamps[slot ^ displacement] = stamp;
    return static_cast<std::int32_t>(displacement);
  }
  return -1;
}

/// Places all buckets, the largest first. False: some bucket finds no displacement.
constexpr bool place_buckets(std::uint16_t stamp, TwoLevelScratch& scratch, std::span<std::uint16_t> displacements,
                             std::uint64_t& tries) noexcept {
  const std::size_t buckets = displacements.size();
  std::uint32_t largest = 0;
  for (std::size_t b = 0; b < buckets; ++b)
    largest = std::max(largest, scratch.bucket_begin[b + 1] - scratch.bucket_begin[b]);
  std::uint32_t cursor = 0;
  for (std::uint32_t size = largest; size > 0; --size) {
    for (std::size_t b = 0; b < buckets; ++b) {
      const std::uint32_t begin = scratch.bucket_begin[b];
      if (scratch.bucket_begin[b + 1] - begin != size) continue;
      const std::span<const std::uint32_t> members = scratch.slots.subspan(begin, size);
      const std::int32_t found = place_bucket(members, stamp, cursor, scratch.stamps, tries);
      if (found < 0) return false;
      displacements[b] = static_cast<std::uint16_t>(found);
    }
  }
  return true;
}

}  // namespace detail

/// Hash and displace: bit_ceil(n) slots, about n / 2 displacements. At most `multipliers_max` multipliers are tried;
/// that one of them works is observed (every generated key set so far), not proved. `displacements` takes the result.
/// About 7 n tries expected, each of them O(keys of a bucket).
[[nodiscard]] constexpr HashPlan plan_two_level(std::span<const std::uint64_t> keys, std::uint32_t multipliers_max,
                                                TwoLevelScratch scratch,
                                                std::span<std::uint16_t> displacements) noexcept {
  const unsigned slot_bits = two_level_slot_bits(keys.size());
  const unsigned bucket_bits = two_level_bucket_bits(keys.size());
  HashPlan plan{.strategy = Strategy::two_level,
                .shift = static_cast<std::uint8_t>(64U - bucket_bits),
                .keys = static_cast<std::uint32_t>(keys.size()),
                .slots = std::uint32_t{1} << slot_bits,
                .displacements = std::uint32_t{1} << bucket_bits};
  for (std::uint32_t number = 0; number < multipliers_max; ++number) {
    plan.seed = multiplier(number);
    for (std::uint16_t& displacement : displacements) displacement = 0;
    detail::fill_buckets(keys, plan.seed, bucket_bits, slot_bits, scratch);
    if (detail::place_buckets(static_cast<std::uint16_t>(number + 1), scratch, displacements, plan.tries)) {
      plan.is_found = true;
      return plan;
    }
  }
  return plan;
}

// ----------------------------------------------------------------------------------------------------------- xor,
// modulo

/// How many seeds there are to try for each denominator: 2^b for codes below 2^b.
///
/// Why these suffice. Write any seed as hi * 2^b + lo with lo < 2^b. The high part of the seed meets only zeros of the
/// key, so  key ^ seed = (key ^ lo) + hi * 2^b,  and  (key ^ seed) mod d = ((key ^ lo) + c) mod d  with the same
/// c = hi * 2^b for every key. Adding c is a rotation of the residues, a bijection: two keys collide under `seed` if
/// and only if they collide under `lo`. A denominator that fails with all seeds below 2^b fails with every seed there
/// is. And the search ends: d = 2^b succeeds with any seed, because key ^ seed is a bijection of the codes below 2^b.
///
/// 0: more than 2^63, where nobody gets to the end.
[[nodiscard]] constexpr std::uint64_t xor_modulo_seeds(std::uint64_t highest_code) noexcept {
  const auto bits = static_cast<unsigned>(std::bit_width(highest_code));
  return bits >= 64 ? 0 : std::uint64_t{1} << bits;
}

/// Whether `(key ^ seed) % denominator` has no collision over `keys`. `stamps` has `denominator` entries none of which
/// equals `stamp`. Adds the keys looked at to `probes`. O(n), ends at the first collision. Plain pointers on purpose: a
/// compiler counts each step of an iterator against its limit for constant expressions.
template <class Stamp>
[[nodiscard]] constexpr bool is_perfect_xor_modulo(std::span<const std::uint64_t> keys, std::uint64_t seed,
                                                   std::uint64_t denominator, std::span<Stamp> stamps, Stamp stamp,
                                                   std::uint64_t& probes) noexcept {
  Stamp* const slots = stamps.data();
  const std::uint64_t* const end = keys.data() + keys.size();
  for (const std::uint64_t* key = keys.data(); key != end; ++key) {
    ++probes;
    Stamp& slot = slots[(*key ^ seed) % denominator];
    if (slot == stamp) return false;
    slot = stamp;
  }
  return true;
}

/// How far a search has come: everything before (denominator, seed) is refuted.
struct XorModuloPosition {
  std::uint64_t denominator = 0;
  std::uint64_t seed = 0;
  std::uint64_t tries = 0;
  bool is_found = false;  ///< this pair is perfect: the smallest denominator, and its smallest seed
};

/// Goes on from `from` until a pair is found, `denominator_end` is reached or about `probes_max` keys were looked at.
/// `stamps` has at least `denominator_end` zeros. The order is ascending, so the first pair found is the smallest.
[[nodiscard]] constexpr XorModuloPosition search_xor_modulo(std::span<const std::uint64_t> keys, XorModuloPosition from,
                                                            std::uint64_t seeds, std::uint64_t denominator_end,
                                                            std::uint64_t probes_max,
                                                            std::span<std::uint32_t> stamps) noexcept {
  std::uint64_t probes = 0;
  std::uint32_t stamp = 0;
  while (from.denominator < denominator_end) {
    for (; from.seed < seeds; ++from.seed) {
      if (probes >= probes_max) return from;
      ++from.tries;
      if (is_perfect_xor_modulo<std::uint32_t>(keys, from.seed, from.denominator, stamps, ++stamp, probes)) {
        from.is_found = true;
        return from;
      }
    }
    ++from.denominator;
    from.seed = 0;
  }
  return from;
}

/// The plan of a pair that is known to be perfect.
[[nodiscard]] constexpr HashPlan plan_xor_modulo(std::size_t keys, const XorModuloPosition& found) noexcept {
  return {.strategy = Strategy::xor_modulo,
          .is_found = found.is_found,
          .is_exhaustive = found.is_found,
          .keys = static_cast<std::uint32_t>(keys),
          .slots = static_cast<std::uint32_t>(found.denominator),
          .seed = found.seed,
          .denominator = found.denominator,
          .tries = found.tries};
}

/// The rung without a hash: always there. O(log n) per lookup.
[[nodiscard]] constexpr HashPlan plan_sorted(std::size_t keys) noexcept {
  return {.strategy = Strategy::sorted,
          .is_found = true,
          .keys = static_cast<std::uint32_t>(keys),
          .slots = static_cast<std::uint32_t>(keys)};
}

/// The slot of `key` under `plan`; may lie outside the table for consecutive and direct. `displacements` is read by
/// two_level only. Not for `sorted`. O(1).
[[nodiscard]] constexpr std::uint64_t slot_of(const HashPlan& plan, std::uint64_t key,
                                              std::span<const std::uint16_t> displacements) noexcept {
  switch (plan.strategy) {
    case Strategy::consecutive:
    case Strategy::direct:
      return key - plan.seed;
    case Strategy::multiply_shift:
      return (key * plan.seed) >> plan.shift;
    case Strategy::two_level: {
      const std::uint64_t product = key * plan.seed;
      const unsigned bucket_bits = 64U - plan.shift;
      const auto bucket = static_cast<std::size_t>(product >> plan.shift);
      DOJIMA_ASSERT(plan.slots != 0, "a plan that was found has slots");
      return two_level_slot(product, bucket_bits, static_cast<unsigned>(std::bit_width(plan.slots)) - 1U) ^
             displacements[bucket];
    }
    case Strategy::xor_modulo:
      return (key ^ plan.seed) % plan.denominator;
    case Strategy::sorted:
      break;
  }
  return 0;
}

/// Where `key` is among `sorted` (ascending), or their number. Branch-free halving: O(log n).
template <class Stored>
[[nodiscard]] constexpr std::size_t find_sorted(const Stored* sorted, std::size_t count, std::uint64_t key) noexcept {
  if (count == 0) return 0;
  std::size_t base = 0;
  for (std::size_t length = count; length > 1;) {
    const std::size_t half = length / 2;
    base += static_cast<std::uint64_t>(sorted[base + half]) <= key ? half : 0;
    length -= half;
  }
  return static_cast<std::uint64_t>(sorted[base]) == key ? base : count;
}

}  // namespace dojima::fsm
