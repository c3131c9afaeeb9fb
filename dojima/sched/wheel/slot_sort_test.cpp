#include "dojima/sched/wheel/slot_sort.hpp"

#include <algorithm>
#include <bit>
#include <gtest/gtest.h>
#include <vector>

#include "dojima/sched/containers/hold_model.hpp"

namespace dojima::sched {
namespace {

constexpr std::size_t k_counts[] = {0, 1, 2, 24, 25, 33, 63, 64, 65, 500, 1000, 2100, 4095, 4096, 8192};

std::vector<SlotSort> ways() {
  std::vector<SlotSort> ways = {SlotSort::automatic, SlotSort::buckets, SlotSort::radix};
  if (has_sorting_networks()) ways.push_back(SlotSort::networks);
  return ways;
}

/// How offsets lie in a slot: spread, all the same, two instants, nearly all at its end, descending.
std::uint64_t offset_of(int shape, std::size_t position, unsigned bits, HoldRandom& random) {
  const std::uint64_t last = (std::uint64_t{1} << bits) - 1;
  switch (shape) {
    case 0:
      return random() & last;
    case 1:
      return last;
    case 2:
      return random() % 2 != 0 ? 0 : last / 2;
    case 3:
      return random() % 50 == 0 ? random() & last : last - std::min<std::uint64_t>(last, random() % 3);
    default:
      return last - position % (last + 1);
  }
}

template <class Key>
void expect_sorted(unsigned offset_bits, unsigned key_bits) {
  HoldRandom random;
  for (const SlotSort way : ways()) {
    for (const std::size_t count : k_counts) {
      const auto position_bits = static_cast<unsigned>(std::bit_width(std::max<std::size_t>(count, 1) - 1));
      if (offset_bits + position_bits > key_bits) continue;
      for (int shape = 0; shape < 5; ++shape) {
        std::vector<Key> keys(count + k_sort_slack), spare(k_narrow_spare * count + k_sort_slack);
        for (std::size_t i = 0; i < count; ++i) {
          keys[i] = static_cast<Key>(offset_of(shape, i, offset_bits, random) << position_bits | i);
        }
        std::vector<Key> expected(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
        std::sort(expected.begin(), expected.end());
        const Key* const sorted = sort_keys(keys.data(), spare.data(), count, offset_bits, position_bits, way);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), sorted))
            << count << " keys, way " << static_cast<int>(way) << ", shape " << shape;
      }
    }
  }
}

TEST(SlotSort, all_ways_sort_narrow_keys_of_any_shape_and_number) {
  expect_sorted<std::uint32_t>(19, 32);
  expect_sorted<std::uint32_t>(20, 32);
  expect_sorted<std::uint32_t>(1, 32);
}

TEST(SlotSort, all_ways_sort_wide_keys_of_any_shape_and_number) {
  expect_sorted<std::uint64_t>(20, 64);
  expect_sorted<std::uint64_t>(30, 64);
  expect_sorted<std::uint64_t>(36, 64);
}

}  // namespace
}  // namespace dojima::sched
