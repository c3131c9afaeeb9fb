#include "dojima/fix/store/message_index.hpp"

#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "dojima/base/allocation_counter.hpp"

namespace dojima::fix {
namespace {

IndexEntry entry(std::uint64_t place) {
  return {.at = {place}, .size = static_cast<std::uint32_t>(place % 7 + 1)};
}

TEST(FixMessageIndex, finds_messages_by_number_and_passes_over_holes) {
  BlockPool pool(1000);
  MessageIndex index(pool);
  EXPECT_FALSE(index.find_from({1}));
  for (std::uint64_t number = 1; number <= 200; ++number) ASSERT_TRUE(index.push({number}, entry(number)));
  ASSERT_TRUE(index.push({500}, entry(500)));
  EXPECT_EQ(index.find_from({137})->entry.at.value, 137u);
  EXPECT_EQ(index.find_from({201})->sequence.value, 500u);
  EXPECT_FALSE(index.find_from({501}));
  EXPECT_EQ(index.find_from({0})->sequence.value, 1u);
  index.pop_front();
  EXPECT_EQ(index.front()->sequence.value, 2u);
  index.drop_front_block();
  EXPECT_EQ(index.front()->sequence.value, 64u) << "blocks begin at multiples of their size";
  index.truncate({100});
  EXPECT_EQ(index.find_from({99})->sequence.value, 99u);
  EXPECT_FALSE(index.find_from({100}));
  EXPECT_EQ(index.size(), 36u);
}

TEST(FixMessageIndex, sessions_share_a_pool_and_one_that_is_cleared_gives_everything_back) {
  BlockPool pool(std::size_t{2} * IndexBlock::k_entries);
  MessageIndex left(pool), right(pool);
  ASSERT_EQ(pool.free(), 2u);
  ASSERT_TRUE(left.push({1}, entry(1)));
  ASSERT_TRUE(right.push({1}, entry(1)));
  ASSERT_FALSE(right.push({9}, entry(1))) << "a hole begins a block";
  EXPECT_EQ(right.size(), 1u);
  left.clear();
  EXPECT_TRUE(right.push({9}, entry(1)));
  EXPECT_EQ(pool.free(), 0u);
  right.truncate({9});
  EXPECT_EQ(pool.free(), 1u);
  right.clear();
  EXPECT_EQ(pool.free(), 2u);
  EXPECT_EQ(right.bytes(), 0u);
}

RC_GTEST_PROP(FixMessageIndexProperty, is_a_map_of_numbers, ()) {
  BlockPool pool(600);
  MessageIndex index(pool);
  std::map<std::uint64_t, std::uint64_t> naive;
  std::uint64_t next = 1, bytes = 0, place = 0;
  const auto drop = [&](auto at) {
    bytes -= entry(at->second).size;
    return naive.erase(at);
  };
  for (int step = *rc::gen::inRange(1, 400); step > 0; --step) {
    const int what = *rc::gen::inRange(0, 40);
    if (what == 0) next += *rc::gen::inRange<std::uint64_t>(0, 200);
    if (what == 1 && !naive.empty()) {
      next = *rc::gen::inRange<std::uint64_t>(1, next + 1);
      index.truncate({next});
      while (!naive.empty() && naive.rbegin()->first >= next) drop(std::prev(naive.end()));
    } else if (what < 8 && !naive.empty()) {
      index.pop_front();
      drop(naive.begin());
    } else if (index.push({next}, entry(++place))) {
      naive[next++] = place;
      bytes += entry(place).size;
    } else {
      RC_ASSERT(pool.free() == 0u);
    }
    RC_ASSERT(index.size() == naive.size());
    RC_ASSERT(index.bytes() == bytes);
    const auto wanted = *rc::gen::inRange<std::uint64_t>(0, next + 3);
    const auto expected = naive.lower_bound(wanted);
    const auto found = index.find_from({wanted});
    RC_ASSERT(found.has_value() == (expected != naive.end()));
    if (!found) continue;
    RC_ASSERT(found->sequence.value == expected->first);
    RC_ASSERT(found->entry.at.value == expected->second);
    RC_ASSERT(index.front()->sequence.value == naive.begin()->first);
  }
}

TEST(FixMessageIndex, takes_no_memory_once_its_pool_is_made) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  BlockPool pool(1000);
  const std::uint64_t before = heap_allocations();
  MessageIndex index(pool);
  bool is_good = true;
  for (std::uint64_t number = 1; number < 10'000; ++number) {
    is_good &= index.push({number}, entry(number));
    if (index.size() > 900) index.pop_front();
    is_good &= index.find_from({number / 2}).has_value();
  }
  index.clear();
  EXPECT_TRUE(is_good);
  EXPECT_EQ(heap_allocations(), before);
}

}  // namespace
}  // namespace dojima::fix
