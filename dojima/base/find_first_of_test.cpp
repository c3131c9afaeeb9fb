#include "dojima/base/find_first_of.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <stdexcept>

namespace dojima {
namespace {

TEST(FindFirstOf, the_answer_is_that_of_find_if_for_any_number_of_threads) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::vector<unsigned> values(random() % 3000);
    for (unsigned& value : values) value = static_cast<unsigned>(random() % 1000);
    const unsigned limit = static_cast<unsigned>(random() % 20);
    const auto likes = [limit](unsigned value) { return value < limit; };
    const auto expected = std::ranges::find_if(values, likes);
    for (const unsigned threads : {1U, 2U, 3U, 8U}) {
      for (const std::size_t grain : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{5000}}) {
        const auto found = find_first_of(values.begin(), values.end(), likes, {.threads = threads, .grain = grain});
        ASSERT_EQ(found - values.begin(), expected - values.begin()) << threads << " threads, grain " << grain;
      }
    }
  }
}

TEST(FindFirstOf, nothing_is_the_end) {
  const std::vector<int> values(100, 1);
  EXPECT_EQ(find_first_of(values.begin(), values.end(), [](int) { return false; }), values.end());
  EXPECT_EQ(find_first_of(values.begin(), values.begin(), [](int) { return true; }), values.begin());
}

TEST(FindFirstOf, what_lies_far_behind_the_answer_is_not_looked_at) {
  std::vector<int> values(1'000'000);
  std::iota(values.begin(), values.end(), 0);
  std::atomic<int> calls{0};
  const auto found = find_first_of(values.begin(), values.end(),
                                   [&calls](int value) {
                                     calls.fetch_add(1, std::memory_order_relaxed);
                                     return value == 500;
                                   },
                                   {.threads = 2, .grain = 64});
  EXPECT_EQ(*found, 500);
  // The other thread may run on while this one waits for a processor, but not for ever.
  EXPECT_LT(calls.load(), 1'000'000);
}

TEST(FindFirstOf, each_thread_has_a_predicate_of_its_own) {
  struct Scratch {
    std::vector<int> memory = std::vector<int>(4);
    bool operator()(int value) {
      std::fill(memory.begin(), memory.end(), value);
      return std::accumulate(memory.begin(), memory.end(), 0) == 4 * 777;
    }
  };
  std::vector<int> values(5000);
  std::iota(values.begin(), values.end(), 0);
  EXPECT_EQ(*find_first_of(values.begin(), values.end(), Scratch{}, {.threads = 4, .grain = 16}), 777);
}

TEST(FindFirstOf, what_is_thrown_before_any_hit_is_thrown_on) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const auto throws_at = [](int bad) {
    return [bad](int value) {
      if (value == bad) throw std::runtime_error("bad");
      return value == 600;
    };
  };
  EXPECT_THROW(
      static_cast<void>(find_first_of(values.begin(), values.end(), throws_at(300), {.threads = 3, .grain = 8})),
      std::runtime_error);
  EXPECT_EQ(*find_first_of(values.begin(), values.end(), throws_at(999), {.threads = 3, .grain = 8}), 600)
      << "behind the answer nothing counts";
}

}  // namespace
}  // namespace dojima
