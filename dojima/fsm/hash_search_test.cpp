#include "dojima/fsm/hash_search.hpp"

#include <gtest/gtest.h>

namespace dojima::fsm {
namespace {

[[nodiscard]] std::vector<std::uint64_t> fix_types() {
  std::string text;
  for (const char c : std::string_view("0123456789ABCDEFGHJKLMNPQRSTVWXYZabcdefghijklmnopqrstuvwxyz"))
    text += std::string(1, c) + "\n";
  for (char c = 'A'; c <= 'Z'; ++c) text += std::string("A") + c + "\n";
  for (char c = 'A'; c <= 'H'; ++c) text += std::string("B") + c + "\n";
  return *parse_keys(text);
}

[[nodiscard]] HashPlan search_all(std::span<const std::uint64_t> keys, unsigned threads, std::uint64_t blocks,
                                  HashSearchLimits limits = {}) {
  Result<HashSearch> search = HashSearch::begin(keys, limits);
  EXPECT_TRUE(search.has_value());
  while (search->status() == HashSearch::Status::searching) search->run(threads, blocks);
  return search->plan();
}

TEST(HashSearch, finds_the_smallest_pair_of_the_fix_message_types) {
  const HashPlan plan = search_all(fix_types(), 2, 256);
  EXPECT_EQ(plan.keys, 93U);
  EXPECT_EQ(plan.denominator, 114U);
  EXPECT_EQ(plan.seed, 894U);
  EXPECT_TRUE(plan.is_exhaustive);
}

TEST(HashSearchLong, finds_the_pair_of_the_same_types_with_their_characters_the_other_way_round) {
  std::vector<std::uint64_t> keys = fix_types();
  for (std::uint64_t& key : keys)
    if (key > 0xff) key = (key & 0xffU) << 8U | key >> 8U;
  const HashPlan plan = search_all(keys, 2, 1024);
  EXPECT_EQ(plan.denominator, 247U);
  EXPECT_EQ(plan.seed, 4875U);
}

TEST(HashSearchLong, gives_the_same_answer_on_any_number_of_threads_and_in_slices_of_any_size) {
  const std::vector<std::uint64_t> keys = fix_types();
  for (const unsigned threads : {0U, 1U, 2U, 3U, 8U}) {
    for (const std::uint64_t blocks : {7U, 64U, 100'000U}) {
      const HashPlan plan = search_all(keys, threads, blocks);
      EXPECT_EQ(plan.denominator, 114U) << threads << " threads, " << blocks << " blocks";
      EXPECT_EQ(plan.seed, 894U) << threads << " threads, " << blocks << " blocks";
    }
  }
}

TEST(HashSearch, goes_on_from_a_checkpoint_and_refuses_that_of_other_keys) {
  const std::vector<std::uint64_t> keys = fix_types();
  Result<HashSearch> first = HashSearch::begin(keys);
  first->run(2, 40);
  ASSERT_EQ(first->status(), HashSearch::Status::searching);
  const std::string checkpoint = first->checkpoint() + "\n";

  Result<HashSearch> second = HashSearch::begin(keys);
  ASSERT_TRUE(second->resume(checkpoint).has_value());
  EXPECT_EQ(second->position().tries, first->position().tries);
  while (second->status() == HashSearch::Status::searching) second->run(1, 64);
  EXPECT_EQ(second->plan().seed, 894U);
  EXPECT_TRUE(second->plan().is_exhaustive);

  Result<HashSearch> finished = HashSearch::begin(keys);
  ASSERT_TRUE(finished->resume(second->checkpoint()).has_value());
  EXPECT_EQ(finished->status(), HashSearch::Status::found);
  EXPECT_EQ(finished->plan().denominator, 114U);

  Result<HashSearch> other = HashSearch::begin(std::span(keys).first(50));
  EXPECT_EQ(other->resume(checkpoint).error().code, ErrorCode::refused);
  for (const std::string_view broken : {"", "xor", "xor_modulo", "xor_modulo 1 2 3", "xor_modulo a b c d e f"})
    EXPECT_EQ(first->resume(broken).error().code, ErrorCode::malformed) << broken;
  std::string forged = second->checkpoint();
  forged.replace(forged.find(" 114 894 "), 9, " 113 894 ");
  EXPECT_EQ(first->resume(forged).error().code, ErrorCode::malformed) << "a pair that is not perfect is not believed";
}

TEST(HashSearch, says_that_it_is_not_exhaustive_where_the_seeds_are_more_than_anyone_tries) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 7; ++i) keys.push_back(multiplier(i));
  const HashPlan plan = search_all(keys, 1, 16, {.seeds_max = 100'000});
  EXPECT_TRUE(plan.is_found);
  EXPECT_FALSE(plan.is_exhaustive);
}

TEST(HashSearch, ends_when_no_denominator_within_the_limits_works) {
  Result<HashSearch> search = HashSearch::begin(fix_types(), {.last_denominator = 95});
  while (search->status() == HashSearch::Status::searching) search->run(2, 1000);
  EXPECT_EQ(search->status(), HashSearch::Status::exhausted);
  EXPECT_FALSE(search->plan().is_found);
  Result<HashSearch> again = HashSearch::begin(fix_types(), {.last_denominator = 95});
  ASSERT_TRUE(again->resume(search->checkpoint()).has_value());
  EXPECT_EQ(again->status(), HashSearch::Status::exhausted);
}

TEST(HashSearch, refuses_what_has_no_answer) {
  EXPECT_EQ(HashSearch::begin({}).error().code, ErrorCode::missing);
  const std::uint64_t twice[] = {1, 1};
  EXPECT_EQ(HashSearch::begin(twice).error().code, ErrorCode::duplicate);
  const std::uint64_t two[] = {1, 2};
  EXPECT_EQ(HashSearch::begin(two, {.last_denominator = 1}).error().code, ErrorCode::out_of_range);
}

TEST(ParseKeys, reads_numbers_and_text_and_skips_comments) {
  const Result<std::vector<std::uint64_t>> keys =
      parse_keys("# types\nD\n  AE  # trade capture report\n\n'8'\n12\n0x1f\r\n\"q\"\n7\n");
  ASSERT_TRUE(keys.has_value());
  EXPECT_EQ(*keys, (std::vector<std::uint64_t>{'D', 'A' << 8 | 'E', '8', 12, 31, 'q', '7'}));
  EXPECT_EQ((*parse_keys("7", true))[0], 7U);
}

TEST(ParseKeys, says_in_which_line_it_stumbled) {
  EXPECT_EQ(parse_keys("D\n12x\n").error().offset, 2U);
  EXPECT_EQ(parse_keys("D\nF\n123456789abc\n").error().offset, 3U);
  EXPECT_EQ(parse_keys("'D\n").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_keys("''\n").error().code, ErrorCode::malformed);
  EXPECT_EQ(parse_keys("NineBytes\n").error().code, ErrorCode::too_long);
  EXPECT_EQ(parse_keys("99999999999999999999\n").error().code, ErrorCode::malformed);
}

TEST(ParseKeys, takes_each_key_once_however_it_is_written) {
  for (const char* text : {"D\nF\nD\n", "D\n# of orders\n'D'\n", "F\nD\n0x44\n"}) {
    const auto keys = parse_keys(text);
    ASSERT_FALSE(keys.has_value()) << text;
    EXPECT_EQ(keys.error().code, ErrorCode::duplicate);
    EXPECT_EQ(keys.error().offset, 3U);
  }
  EXPECT_EQ(key_in_line("  AE  # trade capture report\r"), "AE");
  EXPECT_EQ(key_in_line("# types"), "");
}

TEST(EmitHeader, writes_keys_and_pair_for_the_compiler_to_check) {
  Result<HashSearch> search = HashSearch::begin(*parse_keys("D\nF\nG\n"));
  while (search->status() == HashSearch::Status::searching) search->run(1, 1);
  EXPECT_EQ(emit_header(*search, "order_types"), R"(#pragma once

// Found by `dojima fsm search`: 3 keys, 2 seeds looked at; every smaller denominator was refuted.
// The compiler checks the pair again.

#include <array>
#include <cstdint>

#include "dojima/fsm/key_lookup.hpp"

struct OrderTypes {
  static constexpr std::array<std::uint64_t, 3> keys{
      68U, 70U, 71U,
  };
};

using OrderTypesLookup = dojima::fsm::KeyLookup<OrderTypes, dojima::fsm::XorModuloOf<1U, 3U>>;
)");
}

TEST(Explain, says_strategy_slots_seed_denominator_tries_and_exhaustiveness) {
  const HashPlan plan = search_all(*parse_keys("D\nF\nG\n"), 1, 1);
  EXPECT_EQ(explain(plan),
            "strategy     xor_modulo\nkeys         3\nslots        3\nseed         1\ndenominator  3\n"
            "tries        2\nexhaustive   yes\n");
}

}  // namespace
}  // namespace dojima::fsm
