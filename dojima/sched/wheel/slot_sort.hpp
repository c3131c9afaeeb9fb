#pragma once

// Sorting what one slot of the run wheel holds: a few to 8,192 keys, each the offset of an entry in the slot over its
// position in the order of scheduling. As the position is part of the key, keys are distinct and any sort is stable.
// The way is chosen by size, and by the processor at run time; all ways give the same bytes. Plain functions.

#include <cstddef>
#include <cstdint>

namespace dojima::sched {

/// The most keys at once: a position has up to 13 bits.
inline constexpr std::size_t k_most_keys = 8192;
/// Up to here insertion is the fastest.
inline constexpr std::size_t k_insertion_sort = 24;

/// Ways to sort, for tests and benchmarks.
enum class SlotSort : std::uint8_t {
  automatic,  ///< networks where the processor has AVX-512, else buckets
  networks,   ///< one pass into buckets of 4 to 8 keys, 2 to 4 wide ones, then each in one AVX-512 register
  buckets,    ///< one pass into small buckets, then insertion; skewed keys go to `radix`
  radix,      ///< least significant digit first, 10 bits at a time
};

/// Whether the processor has what `networks` needs.
[[nodiscard]] bool has_sorting_networks() noexcept;

/// Keys that both arrays have room for beyond `count`.
inline constexpr std::size_t k_sort_slack = 16;
/// Narrow keys need so many times `count` as spare room: buckets of 16 places are filled to a quarter at least.
inline constexpr std::size_t k_narrow_spare = 4;

/// Sorts `count` keys, at most `k_most_keys`: each an offset below 2^`offset_bits` over its own position in
/// `position_bits`, and in the order of these. `spare` has room for `k_narrow_spare` times as many; the sorted keys
/// are where the result says, in one of the two. O(count): insertion within buckets is bounded.
std::uint32_t* sort_keys(std::uint32_t* keys, std::uint32_t* spare, std::size_t count, unsigned offset_bits,
                         unsigned position_bits, SlotSort way = SlotSort::automatic) noexcept;
/// As above, for what does not fit into 32 bits; `spare` is as long as `keys`.
std::uint64_t* sort_keys(std::uint64_t* keys, std::uint64_t* spare, std::size_t count, unsigned offset_bits,
                         unsigned position_bits, SlotSort way = SlotSort::automatic) noexcept;

namespace detail {
/// Keys of 32 bits in a register.
inline constexpr std::size_t k_lanes = 16;
/// Sorts buckets of sizes[i], at most `k_lanes`, keys at from[i * k_lanes], one behind the other to `to`. Writes up to
/// 16 keys behind the last one. Only for processors with AVX-512.
void sort_dealt_buckets(const std::uint32_t* from, std::uint32_t* to, const std::uint16_t* sizes,
                        std::size_t buckets) noexcept;
/// Sorts each bucket of `from` into the same place of `to`: bucket i ends where ends[i] says and begins where the one
/// before ended. Meant for buckets of at most 8 keys. Writes up to 8 keys behind the last bucket. Only for processors
/// with AVX-512.
void sort_buckets_of_8(const std::uint64_t* from, std::uint64_t* to, const std::uint16_t* ends,
                       std::size_t buckets) noexcept;
}  // namespace detail

}  // namespace dojima::sched
