#include "dojima/fsm/perfect_hash.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string_view>
#include <vector>

#include "dojima/fsm/built_lookup.hpp"

namespace dojima::fsm {
namespace {

[[nodiscard]] std::vector<std::uint64_t> codes_of(std::string_view text) {
  std::vector<std::uint64_t> codes;
  for (const char c : text) codes.push_back(static_cast<unsigned char>(c));
  return codes;
}

struct Known {
  std::string_view types;
  std::uint64_t denominator;
  std::uint64_t seed;
};

// MIT203 message types by direction; each pair is the smallest denominator and then the smallest seed.
constexpr Known k_known[] = {{"DFG", 3, 1},
                             {"DFGq", 4, 0},
                             {"05AM", 5, 17},
                             {"03589Bj", 7, 47},
                             {"05ADFGSabdfq", 18, 38},
                             {"03589Babcdefgjnr", 23, 16},
                             {"0358BNPcdefgnrab", 23, 48}};

TEST(XorModulo, finds_the_known_smallest_pairs_of_message_types) {
  constexpr Strategy only[] = {Strategy::xor_modulo};
  for (const Known& known : k_known) {
    const Result<BuiltLookup> lookup = BuiltLookup::build(codes_of(known.types), only);
    ASSERT_TRUE(lookup.has_value());
    EXPECT_EQ(lookup->plan().denominator, known.denominator) << known.types;
    EXPECT_EQ(lookup->plan().seed, known.seed) << known.types;
    EXPECT_TRUE(lookup->plan().is_exhaustive);
  }
}

TEST(XorModulo, seeds_above_the_width_of_the_keys_change_nothing_but_the_rotation) {
  // What xor_modulo_seeds proves: for every denominator, a wide seed is perfect if and only if its low bits are.
  std::uint64_t number = 0;
  std::vector<std::uint32_t> stamps(256);
  std::uint32_t stamp = 0;
  std::uint64_t probes = 0;
  for (int set = 0; set < 200; ++set) {
    std::set<std::uint64_t> unique;
    while (unique.size() < 3 + static_cast<std::size_t>(set % 9)) unique.insert(multiplier(number++) >> 56U);
    const std::vector<std::uint64_t> keys(unique.begin(), unique.end());
    for (int i = 0; i < 500; ++i) {
      const std::uint64_t wide = multiplier(number++) >> (static_cast<unsigned>(i) % 40U);
      const std::uint64_t denominator = keys.size() + multiplier(number++) % 60;
      const bool is_wide_perfect =
          is_perfect_xor_modulo<std::uint32_t>(keys, wide, denominator, stamps, ++stamp, probes);
      const bool is_low_perfect =
          is_perfect_xor_modulo<std::uint32_t>(keys, wide & 0xffU, denominator, stamps, ++stamp, probes);
      ASSERT_EQ(is_wide_perfect, is_low_perfect) << "seed " << wide << ", denominator " << denominator;
    }
  }
}

TEST(XorModulo, always_succeeds_at_the_power_of_two_above_the_keys) {
  EXPECT_EQ(xor_modulo_seeds('z'), 128U);
  EXPECT_EQ(xor_modulo_seeds(0xffff), 65'536U);
  EXPECT_EQ(xor_modulo_seeds(~std::uint64_t{0}), 0U);
  std::vector<std::uint64_t> all(128);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  constexpr Strategy only[] = {Strategy::xor_modulo};
  const Result<BuiltLookup> lookup = BuiltLookup::build(all, only);
  EXPECT_EQ(lookup->plan().denominator, 128U);
}

TEST(PerfectHash, a_search_in_stretches_ends_where_one_in_a_single_piece_ends) {
  const std::vector<std::uint64_t> keys = codes_of("03589Babcdefgjnr");
  XorModuloPosition at{.denominator = keys.size()};
  int stretches = 0;
  while (!at.is_found) {
    std::vector<std::uint32_t> stamps(64);
    at = search_xor_modulo(keys, at, 128, 64, 1000, stamps);
    ++stretches;
  }
  EXPECT_GT(stretches, 3);
  EXPECT_EQ(at.denominator, 23U);
  EXPECT_EQ(at.seed, 16U);
}

/// Fails the test unless all keys have their numbers and all of `strangers` are misses.
void expect_perfect(const BuiltLookup& lookup, const std::vector<std::uint64_t>& keys,
                    const std::vector<std::uint64_t>& strangers) {
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(lookup.index(keys[i]), i) << name_of(lookup.plan().strategy);
  const std::set<std::uint64_t> known(keys.begin(), keys.end());
  for (const std::uint64_t stranger : strangers) {
    if (!known.contains(stranger)) {
      ASSERT_EQ(lookup.index(stranger), lookup.miss());
    }
  }
}

class KeySets {
 public:
  enum class Kind : std::uint8_t { random, ascii, consecutive, stride, high_bits };

  [[nodiscard]] std::vector<std::uint64_t> make(Kind kind, std::size_t count) {
    std::set<std::uint64_t> unique;
    std::vector<std::uint64_t> keys;
    const std::uint64_t start = draw();
    const auto shift = static_cast<unsigned>(draw() % 53);
    for (std::size_t i = 0; keys.size() < count; ++i) {
      std::uint64_t key = 0;
      switch (kind) {
        case Kind::random:
          key = draw();
          break;
        case Kind::ascii:
          key = (32 + draw() % 95) << 8U | (32 + draw() % 95);
          break;
        case Kind::consecutive:
          key = start + i;
          break;
        case Kind::stride:
          key = static_cast<std::uint64_t>(i) << shift;
          break;
        case Kind::high_bits:
          key = static_cast<std::uint64_t>(i) << 54U | (start >> 60U);
          break;
      }
      if (unique.insert(key).second) keys.push_back(key);
    }
    return keys;
  }
  [[nodiscard]] std::uint64_t draw() {
    number_ += 2;
    return multiplier(number_) ^ multiplier(number_ + 1) << 1U;  // a multiplier alone is always odd
  }

 private:
  std::uint64_t number_ = 1;
};

TEST(PerfectHashLong, hashes_a_hundred_thousand_generated_key_sets_without_falling_back_to_search) {
  // Small sets outnumber large ones, as they do in machines; every size up to 1,024 occurs.
  KeySets sets;
  std::size_t built = 0;
  std::array<std::size_t, 6> by_strategy{};
  for (const auto kind : {KeySets::Kind::random, KeySets::Kind::ascii, KeySets::Kind::consecutive,
                          KeySets::Kind::stride, KeySets::Kind::high_bits}) {
    for (std::size_t i = 0; i < 20'500; ++i) {
      const std::size_t count = i < 1024 ? i + 1 : 1 + sets.draw() % (i % 8 == 0 ? 128 : 32);
      const std::vector<std::uint64_t> keys = sets.make(kind, count);
      const Result<BuiltLookup> lookup = BuiltLookup::build(keys);
      ASSERT_TRUE(lookup.has_value());
      ASSERT_NE(lookup->plan().strategy, Strategy::sorted) << "set " << built << " of " << count << " keys";
      std::vector<std::uint64_t> strangers{0, ~std::uint64_t{0}, sets.draw(), keys[0] + 1, keys[0] ^ 1U << 31U};
      expect_perfect(*lookup, keys, strangers);
      if (HasFatalFailure()) return;
      ++by_strategy[static_cast<std::size_t>(lookup->plan().strategy)];
      ++built;
    }
  }
  EXPECT_GE(built, 100'000U);
  for (std::size_t s = 0; s < by_strategy.size(); ++s)
    RecordProperty(std::string(name_of(static_cast<Strategy>(s))), static_cast<int>(by_strategy[s]));
}

TEST(PerfectHash, two_levels_take_key_sets_that_are_multiples_of_a_power_of_two) {
  // Their low product bits are zero: a slot taken from there would put them all into one.
  constexpr Strategy only[] = {Strategy::two_level};
  for (const std::size_t count : {7U, 16U, 32U, 64U, 128U, 1000U}) {
    for (unsigned shift = 0; shift + bits_for(count) <= 64; ++shift) {
      std::vector<std::uint64_t> keys(count);
      for (std::size_t i = 0; i < count; ++i) keys[i] = static_cast<std::uint64_t>(i) << shift;
      const Result<BuiltLookup> lookup = BuiltLookup::build(keys, only);
      ASSERT_EQ(lookup->plan().strategy, Strategy::two_level) << count << " keys, shift " << shift;
      expect_perfect(*lookup, keys, {~std::uint64_t{0}});
    }
  }
}

RC_GTEST_PROP(PerfectHash, any_set_of_numbers_has_a_lookup_on_every_rung, ()) {
  const auto unique = *rc::gen::container<std::set<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>());
  const std::vector<std::uint64_t> keys(unique.begin(), unique.end());
  const auto strangers = *rc::gen::container<std::vector<std::uint64_t>>(rc::gen::arbitrary<std::uint64_t>());
  for (const Strategy rung : {Strategy::consecutive, Strategy::direct, Strategy::multiply_shift, Strategy::two_level,
                              Strategy::xor_modulo, Strategy::sorted}) {
    const Strategy rungs[] = {rung};
    const Result<BuiltLookup> lookup = BuiltLookup::build(keys, rungs);
    RC_ASSERT(lookup.has_value());
    for (std::size_t i = 0; i < keys.size(); ++i) RC_ASSERT(lookup->index(keys[i]) == i);
    for (const std::uint64_t stranger : strangers)
      RC_ASSERT(unique.contains(stranger) || lookup->index(stranger) == lookup->miss());
  }
}

TEST(PerfectHash, refuses_a_key_that_is_there_twice_and_more_keys_than_indexes) {
  const std::uint64_t twice[] = {7, 5, 7};
  const Result<BuiltLookup> duplicate = BuiltLookup::build(twice);
  ASSERT_FALSE(duplicate.has_value());
  EXPECT_EQ(duplicate.error().code, ErrorCode::duplicate);
  EXPECT_EQ(duplicate.error().got, 7);

  const std::vector<std::uint64_t> many(k_keys_max + 1);
  EXPECT_EQ(BuiltLookup::build(many).error().code, ErrorCode::no_room);
}

TEST(PerfectHash, an_empty_set_misses_everything) {
  const Result<BuiltLookup> lookup = BuiltLookup::build({});
  ASSERT_TRUE(lookup.has_value());
  EXPECT_EQ(lookup->index(0), lookup->miss());
  EXPECT_EQ(lookup->index(~std::uint64_t{0}), lookup->miss());
}

}  // namespace
}  // namespace dojima::fsm
