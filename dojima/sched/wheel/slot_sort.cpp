#include "dojima/sched/wheel/slot_sort.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::sched {
namespace {

constexpr std::size_t k_largest_bucket = 48;  // beyond, insertion costs more than another pass
constexpr unsigned k_most_bucket_bits = 11;
constexpr unsigned k_digit_bits = 10;

template <class Key>
void sort_by_insertion(Key* keys, std::size_t count) noexcept {
  for (std::size_t next = 1; next < count; ++next) {
    const Key key = keys[next];
    std::size_t at = next;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

/// The keys arrive in the order of their positions, so only the bits above need sorting.
template <class Key>
Key* sort_by_radix(Key* keys, Key* spare, std::size_t count, unsigned bits, unsigned position_bits) noexcept {
  constexpr std::size_t k_digits = std::size_t{1} << k_digit_bits;
  std::array<std::uint16_t, k_digits> begins;
  for (unsigned shift = position_bits; shift < bits; shift += k_digit_bits) {
    begins.fill(0);
    for (std::size_t i = 0; i < count; ++i) ++begins[(keys[i] >> shift) % k_digits];
    std::uint16_t sum = 0;
    for (std::uint16_t& begin : begins) sum = static_cast<std::uint16_t>(std::exchange(begin, sum) + sum);
    for (std::size_t i = 0; i < count; ++i) spare[begins[(keys[i] >> shift) % k_digits]++] = keys[i];
    std::swap(keys, spare);
  }
  return keys;
}

/// One pass into 2^`bucket_bits` buckets by the highest bits, from `keys` to `spare`. False, nothing moved: some bucket
/// is too large. Bucket i then ends at ends[i].
template <class Key>
bool scatter(const Key* keys, Key* spare, std::size_t count, unsigned bits, unsigned bucket_bits,
             std::uint16_t* ends) noexcept {
  const std::size_t buckets = std::size_t{1} << bucket_bits;
  const unsigned shift = bits > bucket_bits ? bits - bucket_bits : 0;
  std::fill_n(ends, buckets, std::uint16_t{0});
  for (std::size_t i = 0; i < count; ++i) ++ends[keys[i] >> shift];
  std::uint16_t sum = 0, largest = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    const std::uint16_t size = ends[bucket];
    largest = std::max(largest, size);
    ends[bucket] = sum;
    sum = static_cast<std::uint16_t>(sum + size);
  }
  if (largest > k_largest_bucket) return false;
  for (std::size_t i = 0; i < count; ++i) spare[ends[keys[i] >> shift]++] = keys[i];
  return true;
}

template <class Key>
Key* sort_by_buckets(Key* keys, Key* spare, std::size_t count, unsigned bits, unsigned position_bits) noexcept {
  std::array<std::uint16_t, std::size_t{1} << k_most_bucket_bits> ends;
  const auto bucket_bits = std::clamp(static_cast<unsigned>(std::bit_width(count - 1)), 5U, k_most_bucket_bits);
  if (!scatter(keys, spare, count, bits, bucket_bits, ends.data()))
    return sort_by_radix(keys, spare, count, bits, position_bits);
  sort_by_insertion(spare, count);
  return spare;
}

/// Buckets that have a place for each lane of a register are dealt in one pass; nothing needs to be counted before. The
/// few keys that find theirs full are inserted last.
std::uint32_t* sort_by_networks(std::uint32_t* keys, std::uint32_t* spare, std::size_t count, unsigned bits,
                                unsigned position_bits) noexcept {
  constexpr std::size_t k_lanes = detail::k_lanes;
  constexpr unsigned k_mean_bits = 3;  // at most half of the lanes: few buckets overflow
  constexpr std::size_t k_most_overflowing = 16;
  std::array<std::uint16_t, (k_most_keys >> k_mean_bits)> sizes;
  std::array<std::uint32_t, k_most_overflowing> overflowing;
  const auto width = static_cast<unsigned>(std::bit_width(count - 1));
  const unsigned bucket_bits = std::max(width, k_mean_bits + 2) - k_mean_bits;
  const std::size_t buckets = std::size_t{1} << bucket_bits;
  const unsigned shift = bits > bucket_bits ? bits - bucket_bits : 0;
  std::fill_n(sizes.data(), buckets, std::uint16_t{0});
  std::size_t left_over = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t key = keys[i];
    const std::size_t bucket = key >> shift;
    const std::size_t size = sizes[bucket];
    if (size < k_lanes) [[likely]] {
      spare[bucket * k_lanes + size] = key;
      sizes[bucket] = static_cast<std::uint16_t>(size + 1);
    } else if (left_over < k_most_overflowing) {
      overflowing[left_over++] = key;
    } else {
      return sort_by_buckets(keys, spare, count, bits, position_bits);
    }
  }
  detail::sort_dealt_buckets(spare, keys, sizes.data(), buckets);
  for (std::size_t sorted = count - left_over; left_over > 0; ++sorted) {
    const std::uint32_t key = overflowing[--left_over];
    std::uint32_t* const place = std::lower_bound(keys, keys + sorted, key);
    std::memmove(place + 1, place, static_cast<std::size_t>(keys + sorted - place) * sizeof(std::uint32_t));
    *place = key;
  }
  return keys;
}

std::uint64_t* sort_by_networks(std::uint64_t* keys, std::uint64_t* spare, std::size_t count, unsigned bits,
                                unsigned position_bits) noexcept {
  constexpr unsigned k_mean_bits = 2;  // half of the lanes: few buckets are larger than them
  std::array<std::uint16_t, (k_most_keys >> k_mean_bits)> ends;
  const auto width = static_cast<unsigned>(std::bit_width(count - 1));
  const unsigned bucket_bits = std::max(width, k_mean_bits + 2) - k_mean_bits;
  if (!scatter(keys, spare, count, bits, bucket_bits, ends.data()))
    return sort_by_radix(keys, spare, count, bits, position_bits);
  detail::sort_buckets_of_8(spare, keys, ends.data(), std::size_t{1} << bucket_bits);
  return keys;
}

template <class Key>
Key* sort(Key* keys, Key* spare, std::size_t count, unsigned offset_bits, unsigned position_bits,
          SlotSort way) noexcept {
  const unsigned bits = offset_bits + position_bits;
  DOJIMA_ASSERT(count <= k_most_keys, "as many as there is room to sort");
  std::size_t fewest = detail::k_lanes;
  if (way == SlotSort::automatic) {
    static const bool s_has_networks = has_sorting_networks();
    way = s_has_networks ? SlotSort::networks : SlotSort::buckets;
    fewest = k_insertion_sort;
  }
  if (count <= fewest) {
    sort_by_insertion(keys, count);
    return keys;
  }
  switch (way) {
    case SlotSort::networks:
      return sort_by_networks(keys, spare, count, bits, position_bits);
    case SlotSort::radix:
      return sort_by_radix(keys, spare, count, bits, position_bits);
    case SlotSort::buckets:
    case SlotSort::automatic:
      break;
  }
  return sort_by_buckets(keys, spare, count, bits, position_bits);
}

}  // namespace

std::uint32_t* sort_keys(std::uint32_t* keys, std::uint32_t* spare, std::size_t count, unsigned offset_bits,
                         unsigned position_bits, SlotSort way) noexcept {
  return sort(keys, spare, count, offset_bits, position_bits, way);
}

std::uint64_t* sort_keys(std::uint64_t* keys, std::uint64_t* spare, std::size_t count, unsigned offset_bits,
                         unsigned position_bits, SlotSort way) noexcept {
  return sort(keys, spare, count, offset_bits, position_bits, way);
}

}  // namespace dojima::sched
