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

}  // namespace
}  // namespace dojima::gateway
