#include "dojima/fsm/key_lookup.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>

#include "dojima/fsm/built_lookup.hpp"

namespace dojima::fsm {
namespace {

struct ThreeTypes {
  static constexpr std::array keys{'D', 'F', 'G'};
};
struct SevenTypes {
  static constexpr std::array keys{'0', '3', '5', '8', '9', 'B', 'j'};
};
struct TwentyFiveTypes {
  static constexpr std::array keys{'0', '3', '5', '8', '9', 'A', 'B', 'D', 'F', 'G', 'M', 'N', 'P',
                                   'S', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'j', 'n', 'q', 'r'};
};

/// FIX 4.4's message types, the first character the most significant.
struct FixTypes {
  static constexpr auto keys = [] {
    std::array<std::uint16_t, 93> result{};
    std::size_t at = 0;
    for (const char c : std::string_view("0123456789ABCDEFGHJKLMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz"))
      result[at++] = static_cast<unsigned char>(c);
    for (char c = 'A'; c <= 'Z'; ++c) result[at++] = static_cast<std::uint16_t>('A' << 8 | c);
    for (char c = 'A'; c <= 'H'; ++c) result[at++] = static_cast<std::uint16_t>('B' << 8 | c);
    return result;
  }();
};

struct RandomKeys {
  static constexpr auto keys = [] {
    std::array<std::uint64_t, 64> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = multiplier(1000 + i);
    return result;
  }();
};
struct ThousandTags {
  static constexpr auto keys = [] {
    std::array<std::uint16_t, 1000> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::uint16_t>(i * 65 + (i * i) % 61);
    return result;
  }();
};
struct FourThousandKeys {
  static constexpr auto keys = [] {
    std::array<std::uint64_t, 4000> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = multiplier(i) << 1U;
    return result;
  }();
};
struct NoKeys {
  static constexpr std::array<std::uint32_t, 0> keys{};
};
struct OneKey {
  static constexpr std::array<std::uint64_t, 1> keys{0xffff'ffff'ffff'ffff};
};
struct Strides {
  static constexpr auto keys = [] {
    std::array<std::uint64_t, 100> result{};
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::uint64_t>(i) << 57U;
    return result;
  }();
};

enum class Signed : std::int8_t { low = -3, middle = 0, high = 100 };
struct SignedKeys {
  static constexpr std::array keys{Signed::high, Signed::low, Signed::middle};
};

/// Every key of two bytes or less, else all keys and what lies around them.
template <class Lookup>
void expect_right_for_every_value() {
  std::map<std::uint64_t, std::size_t> expected;
  for (std::size_t i = 0; i < Lookup::k_size; ++i) expected[code_of(Lookup::key(i))] = i;
  const auto check = [&](std::uint64_t code) {
    const auto found = expected.find(code);
    const std::size_t index = found == expected.end() ? Lookup::k_miss : found->second;
    ASSERT_EQ(Lookup::index(static_cast<typename Lookup::Key>(code)), index) << code;
  };
  if constexpr (sizeof(typename Lookup::Key) <= 2) {
    for (std::uint64_t code = 0; code < std::uint64_t{1} << 8U * sizeof(typename Lookup::Key); ++code) check(code);
  } else {
    for (const auto& [code, index] : expected) {
      check(code);
      for (unsigned bit = 0; bit < 8 * sizeof(typename Lookup::Key); ++bit) check(code ^ std::uint64_t{1} << bit);
    }
    for (std::uint64_t i = 0; i < 100'000; ++i)
      check(code_of(static_cast<typename Lookup::Key>(multiplier(i + (std::uint64_t{1} << 40U)))));
  }
}

template <class KeySet>
void expect_right_on_every_rung() {
  expect_right_for_every_value<KeyLookup<KeySet>>();
  expect_right_for_every_value<KeyLookup<KeySet, Ladder<Strategy::direct>>>();
  expect_right_for_every_value<KeyLookup<KeySet, Ladder<Strategy::multiply_shift>>>();
  expect_right_for_every_value<KeyLookup<KeySet, Ladder<Strategy::two_level>>>();
  expect_right_for_every_value<KeyLookup<KeySet, Ladder<>>>();
}

TEST(KeyLookup, answers_every_value_of_a_byte_on_every_rung) {
  expect_right_on_every_rung<ThreeTypes>();
  expect_right_on_every_rung<SevenTypes>();
  expect_right_on_every_rung<TwentyFiveTypes>();
  expect_right_on_every_rung<SignedKeys>();
  expect_right_for_every_value<KeyLookup<SevenTypes, Ladder<Strategy::xor_modulo>>>();
  expect_right_for_every_value<KeyLookup<TwentyFiveTypes, Ladder<Strategy::xor_modulo>>>();
}

TEST(KeyLookup, answers_all_65536_values_of_two_bytes_on_every_rung) {
  expect_right_on_every_rung<FixTypes>();
  expect_right_on_every_rung<ThousandTags>();
  expect_right_for_every_value<KeyLookup<FixTypes, XorModuloOf<894, 114>>>();
}

TEST(KeyLookup, answers_wide_keys_and_their_neighbours_on_every_rung) {
  expect_right_on_every_rung<RandomKeys>();
  expect_right_on_every_rung<FourThousandKeys>();
  expect_right_on_every_rung<OneKey>();
  expect_right_on_every_rung<NoKeys>();
  expect_right_on_every_rung<Strides>();
}

TEST(KeyLookup, says_how_it_looks_up) {
  static_assert(KeyLookup<SevenTypes>::plan().strategy == Strategy::direct);
  static_assert(KeyLookup<SevenTypes>::plan().slots == 256);
  static_assert(KeyLookup<FixTypes>::plan().strategy == Strategy::two_level);
  static_assert(KeyLookup<FixTypes>::plan().slots == 128);
  static_assert(KeyLookup<RandomKeys>::plan().slots <= 4 * 64);
  static_assert(KeyLookup<ThousandTags>::plan().strategy == Strategy::two_level);
  static_assert(KeyLookup<ThousandTags>::plan().slots == 1024);
  static_assert(KeyLookup<OneKey>::plan().strategy == Strategy::consecutive);
  // Over 2,048 keys the search for a hash leaves the compilers' limits for one constant; the binary search does not.
  static_assert(KeyLookup<FourThousandKeys>::plan().strategy == Strategy::sorted);
  static_assert(KeyLookup<SevenTypes, Ladder<Strategy::xor_modulo>>::plan().seed == 47);
  static_assert(KeyLookup<SevenTypes, Ladder<Strategy::xor_modulo>>::plan().denominator == 7);
  static_assert(KeyLookup<TwentyFiveTypes, Ladder<Strategy::xor_modulo>>::plan().denominator == 46);
  static_assert(KeyLookup<TwentyFiveTypes, Ladder<Strategy::xor_modulo>>::plan().seed == 48);
  static_assert(KeyLookup<TwentyFiveTypes, Ladder<Strategy::xor_modulo>>::plan().is_exhaustive);
}

TEST(KeyLookup, takes_the_next_rung_where_the_exhaustive_search_would_leave_the_budget) {
  static_assert(KeyLookup<FixTypes, Ladder<Strategy::xor_modulo, Strategy::two_level>>::plan().strategy ==
                Strategy::two_level);
}

TEST(KeyLookup, finds_in_the_compiler_what_is_found_at_run_time) {
  const auto same = [](const HashPlan& a, std::span<const std::uint64_t> keys, std::span<const Strategy> rungs) {
    const HashPlan b = BuiltLookup::build(keys, rungs)->plan();
    EXPECT_EQ(a.strategy, b.strategy);
    EXPECT_EQ(a.slots, b.slots);
    EXPECT_EQ(a.seed, b.seed);
    EXPECT_EQ(a.tries, b.tries);
  };
  same(KeyLookup<FixTypes>::plan(), detail::codes<FixTypes>, BuiltLookup::k_automatic);
  same(KeyLookup<RandomKeys>::plan(), detail::codes<RandomKeys>, BuiltLookup::k_automatic);
  same(KeyLookup<ThousandTags>::plan(), detail::codes<ThousandTags>, BuiltLookup::k_automatic);
  constexpr Strategy xor_modulo[] = {Strategy::xor_modulo};
  same(KeyLookup<TwentyFiveTypes, Ladder<Strategy::xor_modulo>>::plan(), detail::codes<TwentyFiveTypes>, xor_modulo);
}

}  // namespace
}  // namespace dojima::fsm
