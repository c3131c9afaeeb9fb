#include <gtest/gtest.h>
#include <limits>
#include <rapidcheck/gtest.h>
#include <string>

#include "dojima/market/command.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/price.hpp"
#include "dojima/market/report.hpp"
#include "dojima/market/tick_table.hpp"

namespace dojima::market {
namespace {

constexpr std::int64_t k_most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t k_least = std::numeric_limits<std::int64_t>::min();

std::string text_of(Price price) {
  char text[k_price_text_max];
  return std::string(format_price(price, text));
}

TEST(Price, reads_decimal_text_exactly) {
  EXPECT_EQ(parse_price("123.45").value().units, 12'345'000'000);
  EXPECT_EQ(parse_price("100").value().units, 10'000'000'000);
  EXPECT_EQ(parse_price("-0.00000001").value().units, -1);
  EXPECT_EQ(parse_price(".5").value().units, 50'000'000);
  EXPECT_EQ(parse_price("7.").value().units, 700'000'000);
  EXPECT_EQ(parse_price("0001.1000000000").value().units, 110'000'000);
  EXPECT_EQ(parse_price("92233720368.54775807").value().units, k_most);
  EXPECT_EQ(parse_price("-92233720368.54775808").value().units, k_least);
}

TEST(Price, refuses_what_it_would_have_to_round_or_cut) {
  EXPECT_EQ(parse_price("1.000000001").error().code, ErrorCode::too_precise);
  EXPECT_EQ(parse_price("92233720368.54775808").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_price("-92233720368.54775809").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_price("99999999999999999999").error().code, ErrorCode::out_of_range);
  for (const char* wrong : {"", "-", ".", "1e5", "1,5", " 1", "1 ", "+1", "1.2.3", "--1", "nan"}) {
    EXPECT_EQ(parse_price(wrong).error().code, ErrorCode::malformed) << wrong;
  }
}

TEST(Price, writes_the_shortest_exact_text) {
  EXPECT_EQ(text_of({12'345'000'000}), "123.45");
  EXPECT_EQ(text_of({10'000'000'000}), "100");
  EXPECT_EQ(text_of({0}), "0");
  EXPECT_EQ(text_of({-1}), "-0.00000001");
  EXPECT_EQ(text_of({k_least}), "-92233720368.54775808");
  EXPECT_EQ(text_of({k_most}), "92233720368.54775807");
}

RC_GTEST_PROP(Price, reads_back_what_it_wrote, (std::int64_t units)) {
  RC_ASSERT(parse_price(text_of({units})).value().units == units);
}

TEST(Quantity, reads_whole_numbers_and_nothing_else) {
  EXPECT_EQ(parse_quantity("100").value().lots, 100);
  EXPECT_EQ(parse_quantity("100.00").value().lots, 100);
  EXPECT_EQ(parse_quantity("9223372036854775807").value().lots, k_most);
  EXPECT_EQ(parse_quantity("1.5").error().code, ErrorCode::too_precise);
  EXPECT_EQ(parse_quantity("-1").error().code, ErrorCode::out_of_range);
  EXPECT_EQ(parse_quantity("").error().code, ErrorCode::malformed);
}

TEST(TickTable, numbers_prices_densely_across_its_bands) {
  // 0 to 1 in steps of 0.01, then to 10 in steps of 0.05.
  const auto table = TickTable::make({{{0}, {1'000'000}}, {{100'000'000}, {5'000'000}}}, {1'000'000'000}).value();
  EXPECT_EQ(table.level_of({0}), Level{0});
  EXPECT_EQ(table.level_of({99'000'000}), Level{99});
  EXPECT_EQ(table.level_of({100'000'000}), Level{100});
  EXPECT_EQ(table.level_of({105'000'000}), Level{101});
  EXPECT_EQ(table.level_of({1'000'000'000}), Level{280});
  EXPECT_EQ(table.level_count(), 281);
  EXPECT_FALSE(table.level_of({101'000'000}).has_value());
  EXPECT_FALSE(table.level_of({500'000}).has_value());
  EXPECT_FALSE(table.level_of({-1'000'000}).has_value());
  EXPECT_FALSE(table.level_of({1'005'000'000}).has_value());
}

TEST(TickTable, knows_prices_of_its_first_band_without_the_others) {
  const auto table = TickTable::make({{{0}, {1'000'000}}, {{100'000'000}, {5'000'000}}}, {1'000'000'000}).value();
  Level level{};
  EXPECT_TRUE(table.is_in_first_band({99'000'000}, level));
  EXPECT_EQ(level, Level{99});
  EXPECT_TRUE(table.is_in_first_band({100'000'000}, level));  // where the next one begins
  EXPECT_EQ(level, Level{100});
  for (const std::int64_t units : {101'000'000, 105'000'000, 500'000, -1'000'000, 1'005'000'000})
    EXPECT_FALSE(table.is_in_first_band({units}, level)) << units;
}

TEST(TickTable, refuses_bands_that_make_no_table) {
  EXPECT_EQ(TickTable::make({}, {1}).error().code, ErrorCode::missing);
  EXPECT_FALSE(TickTable::make({{{0}, {0}}}, {100}).has_value());
  EXPECT_FALSE(TickTable::make({{{0}, {3}}}, {100}).has_value());
  EXPECT_FALSE(TickTable::make({{{100}, {1}}, {{50}, {1}}}, {200}).has_value());
  EXPECT_FALSE(TickTable::make({{{0}, {1}}}, {k_most}).has_value());
}

TEST(TickTable, reaches_both_ends_of_the_price_domain) {
  const std::int64_t tick = std::int64_t{1} << 40;
  const auto table = TickTable::uniform({tick}, {k_least}, {k_most - (tick - 1)}).value();
  EXPECT_EQ(table.price_of(Level{table.level_count() - 1}).units, k_most - (tick - 1));
  EXPECT_EQ(table.level_of({k_least}), Level{0});
  EXPECT_EQ(table.price_of(Level{1}).units, k_least + tick);
}

RC_GTEST_PROP(TickTable, a_level_and_its_price_name_each_other, ()) {
  const auto table = TickTable::make({{{-500}, {5}}, {{0}, {7}}, {{7000}, {100}}}, {1'007'000}).value();
  const auto level = Level{*rc::gen::inRange(0, table.level_count())};
  RC_ASSERT(table.level_of(table.price_of(level)) == level);
  const Price price{*rc::gen::inRange<std::int64_t>(-600, 1'008'000)};
  if (const auto found = table.level_of(price)) RC_ASSERT(table.price_of(*found) == price);
}

TEST(Command, every_type_knows_the_size_of_its_record) {
  EXPECT_EQ(size_of(CommandType::new_order), 152u);
  EXPECT_EQ(size_of(CommandType::replace), 144u);
  EXPECT_EQ(size_of(CommandType::cancel), 80u);
  EXPECT_EQ(size_of(CommandType::logon), 32u);
  EXPECT_EQ(size_of(static_cast<CommandType>(200)), 0u);
  EXPECT_EQ(NewOrder{}.header.type, CommandType::new_order);
}

TEST(ScaledNumber, is_written_as_short_as_it_can_be_and_read_back) {
  char text[k_scaled_text_max];
  EXPECT_EQ(format_scaled(0, 0, text), "0");
  EXPECT_EQ(format_scaled(0, 4, text), "0");
  EXPECT_EQ(format_scaled(5, 4, text), "0.0005");
  EXPECT_EQ(format_scaled(-1'250'000, 4, text), "-125");
  EXPECT_EQ(format_scaled(1'234'567, 4, text), "123.4567");
  EXPECT_EQ(format_scaled(INT64_MIN, 18, text), "-9.223372036854775808");
  EXPECT_EQ(format_scaled(INT64_MIN, 0, text), "-9223372036854775808");
  EXPECT_EQ(format_scaled(INT64_MAX, 1, text), "922337203685477580.7");
  for (unsigned decimals = 0; decimals <= k_scaled_decimals_max; ++decimals)
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-10}, std::int64_t{123'456'789}, INT64_MAX, INT64_MIN})
      EXPECT_EQ(parse_scaled(format_scaled(value, decimals, text), decimals, "a number").value(), value) << decimals;
}

}  // namespace
}  // namespace dojima::market
