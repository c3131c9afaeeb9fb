#include "dojima/base/large_array.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

namespace dojima {
namespace {

struct Entry {
  std::uint64_t key = 7;
  std::uint64_t value = 0;
};

constexpr std::size_t k_huge_page_bytes = std::size_t{2} << 20;

std::size_t misplaced(const void* memory, std::size_t by) {
  return reinterpret_cast<std::uintptr_t>(memory) % by;
}

TEST(LargeArray, elements_are_what_their_type_says_or_zero_bytes_where_they_were_not_touched) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{1000}, k_huge_page_bytes / sizeof(Entry)}) {
    const LargeArray<Entry> touched(size);
    const LargeArray<Entry> untouched(size, k_untouched);
    const LargeArray<Entry> by_page(size, k_by_page);
    const LargeArray<Entry> gradual(size, Memory::gradual);
    ASSERT_EQ(touched.size(), size);
    for (std::size_t at = 0; at < size; at += 97) {
      ASSERT_EQ(touched[at].key, 7u) << at << " of " << size;
      ASSERT_EQ(untouched[at].key, 0u) << at << " of " << size;
      ASSERT_EQ(by_page[at].key, 0u) << at << " of " << size;
      ASSERT_EQ(gradual[at].key, 0u) << at << " of " << size;
    }
  }
}

TEST(LargeArray, small_ones_begin_with_a_cache_line_and_large_ones_with_a_huge_page) {
  const LargeArray<std::uint8_t> small(3);
  EXPECT_EQ(misplaced(&small[0], 64), 0u);
  const LargeArray<std::uint8_t> large(k_huge_page_bytes + 1);
  EXPECT_EQ(misplaced(&large[0], k_huge_page_bytes), 0u);
}

TEST(LargeArray, a_move_takes_the_memory_along) {
  for (const std::size_t size : {std::size_t{3}, k_huge_page_bytes}) {
    LargeArray<std::uint8_t> from(size);
    from[size - 1] = 9;
    const std::uint8_t* const memory = &from[0];
    const LargeArray<std::uint8_t> to(std::move(from));
    EXPECT_EQ(&to[0], memory);
    EXPECT_EQ(to[size - 1], 9);
    EXPECT_EQ(from.size(), 0u);  // NOLINT(bugprone-use-after-move): what a move leaves is part of the contract
  }
}

TEST(LargeArray, cleared_memory_is_zero_again) {
  for (const std::size_t size : {std::size_t{100}, k_huge_page_bytes + 4096}) {
    LargeArray<std::uint8_t> array(size);
    array[0] = array[size - 1] = 5;
    clear_large_memory(&array[0], size);
    EXPECT_EQ(array[0], 0);
    EXPECT_EQ(array[size - 1], 0);
  }
}

}  // namespace
}  // namespace dojima
