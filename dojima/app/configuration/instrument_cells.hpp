#pragma once

// The columns of a file of instruments, and the values of their cells.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/app/configuration/row_problems.hpp"
#include "dojima/simulate/exchange_config.hpp"

namespace dojima::app {

enum class InstrumentColumn : std::uint8_t {
  id,
  symbol,
  partition,
  segment,
  ticks,
  highest,
  reference,
  maximum_quantity,
  name,
  isin,
  sedol,
  currency,
  lot,
  first_day,
  last_day,
};
inline constexpr std::array<std::string_view, 15> k_instrument_columns = {
    "id",   "symbol", "partition", "segment",  "ticks", "highest",   "reference", "maximum_quantity",
    "name", "isin",   "sedol",     "currency", "lot",   "first_day", "last_day"};
inline constexpr std::array k_needed_columns = {InstrumentColumn::id,        InstrumentColumn::symbol,
                                                InstrumentColumn::ticks,     InstrumentColumn::highest,
                                                InstrumentColumn::reference, InstrumentColumn::maximum_quantity};

[[nodiscard]] constexpr std::string_view name_of(InstrumentColumn column) noexcept {
  return k_instrument_columns[static_cast<std::size_t>(column)];
}

/// The cells of a row; false: a quotation mark is not closed. Text in quotation marks may have commas in it, and two of
/// them stand for one.
[[nodiscard]] bool split_cells(std::string_view line, std::vector<std::string>& cells);

/// Reads a cell into its place of a row, or complains. The cell's text may be taken.
void read_cell(InstrumentColumn column, std::string& cell, simulate::InstrumentConfig& row, RowProblems& problems);

}  // namespace dojima::app
