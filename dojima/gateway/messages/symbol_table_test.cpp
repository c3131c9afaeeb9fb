#include "dojima/gateway/messages/symbol_table.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dojima::gateway {
namespace {

TEST(SymbolTable, knows_symbols_and_instruments_once) {
  using Table = std::vector<SymbolConfig>;
  const SymbolTable symbols(Table{{"ALPHA", 7}, {"BETA", 8}});
  EXPECT_EQ(symbols.instrument_of("ALPHA"), 7u);
  EXPECT_EQ(symbols.instrument_of("alpha"), std::nullopt);
  EXPECT_EQ(symbols.instrument_of(std::string_view("ALPHA\0", 6)), std::nullopt);
  EXPECT_EQ(symbols.symbol_of(8), "BETA");
  EXPECT_EQ(symbols.symbol_of(9), "");
  EXPECT_THROW(SymbolTable(Table{{"A", 1}, {"A", 2}}), std::invalid_argument);
  EXPECT_THROW(SymbolTable(Table{{"A", 1}, {"B", 1}}), std::invalid_argument);
  EXPECT_THROW(SymbolTable(Table{{"A", 0}}), std::invalid_argument);
  EXPECT_THROW(SymbolTable(Table{{"", 1}}), std::invalid_argument);
  EXPECT_THROW(SymbolTable(Table{{"A\x01", 1}}), std::invalid_argument);
  EXPECT_THROW(SymbolTable(Table{{std::string(25, 'A'), 1}}), std::invalid_argument);
}

/// Of every length, alike at both ends, and more of them than fit in one group of anything.
TEST(SymbolTable, distinguishes_symbols_whatever_they_have_in_common) {
  std::vector<SymbolConfig> configs;
  for (std::size_t size = 1; size <= SymbolTable::k_symbol_max; ++size)
    for (const char character : {'A', 'B'}) {
      std::string symbol(size, 'A');
      symbol[size / 2] = character;
      if (character == 'B' || size % 2 == 0)
        configs.push_back({symbol, static_cast<std::uint32_t>(configs.size() + 1)});
    }
  const SymbolTable symbols(configs);
  for (const SymbolConfig& config : configs) {
    EXPECT_EQ(symbols.instrument_of(config.symbol), config.instrument) << config.symbol;
    EXPECT_EQ(symbols.symbol_of(config.instrument), config.symbol);
    EXPECT_TRUE(symbols.has(config.instrument));
  }
  for (std::size_t size = 3; size <= SymbolTable::k_symbol_max; size += 2)
    EXPECT_EQ(symbols.instrument_of(std::string(size, 'A')), std::nullopt) << size;
  EXPECT_EQ(symbols.instrument_of(""), std::nullopt);
  EXPECT_EQ(symbols.instrument_of(std::string(25, 'A')), std::nullopt);
  EXPECT_FALSE(symbols.has(0));
  EXPECT_FALSE(symbols.has(static_cast<std::uint32_t>(configs.size() + 1)));
}

TEST(SymbolTable, has_the_fields_that_reports_say_of_an_instrument) {
  const SymbolTable symbols(std::vector<SymbolConfig>{{"ALPHA", 7}, {std::string(24, 'Z'), 0xffff'ffff}});
  ASSERT_NE(symbols.fields_of(7), nullptr);
  EXPECT_EQ(symbols.fields_of(7)->view(),
            "55=ALPHA\x01"
            "48=7\x01"
            "22=8\x01");
  EXPECT_EQ(symbols.fields_of(0xffff'ffff)->view(),
            "55=" + std::string(24, 'Z') + "\x01" + "48=4294967295\x01" + "22=8\x01");
  EXPECT_EQ(symbols.fields_of(8), nullptr);
}

}  // namespace
}  // namespace dojima::gateway
