#include "dojima/app/configuration/instrument_cells.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <optional>
#include <system_error>
#include <utility>

#include "dojima/app/configuration/instrument_rows.hpp"
#include "dojima/market/price.hpp"

namespace dojima::app {
namespace {

using simulate::InstrumentConfig;
using Column = InstrumentColumn;

constexpr std::int64_t k_largest_number = 2'147'483'647;

void read_text(RowProblems& problems, Column column, std::string& cell, std::size_t longest, std::string& value) {
  if (cell.size() > longest) problems.complain(name_of(column), fmt::format("longer than {} characters", longest));
  if (std::ranges::any_of(cell, [](char character) { return character < ' ' || character > '~'; }))
    problems.complain(name_of(column), "only printable ASCII characters are allowed here");
  value = std::move(cell);
}
template <class Number>
void read_number(RowProblems& problems, Column column, std::string_view cell, std::int64_t lowest, Number& value,
                 std::int64_t highest = k_largest_number) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (error != std::errc{} || end != cell.data() + cell.size() || number < lowest || number > highest)
    return problems.complain(name_of(column),
                             fmt::format("\"{}\" is no whole number of {} to {}", cell, lowest, highest));
  value = static_cast<Number>(number);
}
void read_price(RowProblems& problems, Column column, std::string_view cell, market::Price& value) {
  if (const auto price = market::parse_price(cell))
    value = *price;
  else
    problems.complain(name_of(column), fmt::format("\"{}\" is not a price with at most eight decimals", cell));
}
void read_date(RowProblems& problems, Column column, std::string_view cell,
               std::optional<std::chrono::sys_days>& value) {
  value = parse_date(cell);
  if (!cell.empty() && !value)
    problems.complain(name_of(column), fmt::format("\"{}\" is no date such as 2026-11-23", cell));
}

/// "0.5": one tick from its first price on; "0.01:0.01 10:0.05": bands, each its first price and its tick.
void read_ticks(RowProblems& problems, std::string_view cell, InstrumentConfig& row) {
  const auto wrong = [&] {
    problems.complain("ticks", fmt::format("\"{}\" is neither a tick (0.5) nor bands (0.01:0.01 10:0.05)", cell));
  };
  for (std::string_view rest = cell; !rest.empty();) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view band = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (band.empty()) continue;
    const std::size_t colon = band.find(':');
    const auto from = market::parse_price(band.substr(0, colon));
    const auto tick = colon == std::string_view::npos ? from : market::parse_price(band.substr(colon + 1));
    if (!from || !tick) return wrong();
    row.ticks.push_back({.from = *from, .tick = *tick});
  }
  if (row.ticks.empty()) wrong();
}

}  // namespace

bool split_cells(std::string_view line, std::vector<std::string>& cells) {
  cells.clear();
  std::size_t at = 0;
  for (;;) {
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      for (++at;; ++at) {
        if (at == line.size()) return false;
        if (line[at] != '"')
          cell += line[at];
        else if (at + 1 < line.size() && line[at + 1] == '"')
          cell += line[at++];
        else
          break;
      }
      ++at;
      if (at < line.size() && line[at] != ',') return false;
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell = line.substr(at, end - at);
      at = end;
    }
    cells.push_back(std::move(cell));
    if (at >= line.size()) return true;
    ++at;
  }
}

void read_cell(InstrumentColumn column, std::string& cell, simulate::InstrumentConfig& row, RowProblems& problems) {
  switch (column) {
    case Column::id:
      return read_number(problems, column, cell, 1, row.id);
    case Column::partition: {
      std::uint32_t partition = 1;
      constexpr std::int64_t k_partitions = 4;
      if (!cell.empty()) read_number(problems, column, cell, 1, partition, k_partitions);
      row.partition = static_cast<std::uint8_t>(partition);
      return;
    }
    case Column::lot:
      if (!cell.empty()) read_number(problems, column, cell, 1, row.lot);
      return;
    case Column::maximum_quantity:
      return read_number(problems, column, cell, 1, row.maximum_quantity.lots);
    case Column::highest:
      return read_price(problems, column, cell, row.highest);
    case Column::reference:
      return read_price(problems, column, cell, row.reference);
    case Column::ticks:
      return read_ticks(problems, cell, row);
    case Column::first_day:
      return read_date(problems, column, cell, row.first_day);
    case Column::last_day:
      return read_date(problems, column, cell, row.last_day);
    case Column::symbol:
      if (cell.empty()) problems.complain(name_of(column), "an instrument needs a symbol");
      return read_text(problems, column, cell, 24, row.symbol);
    case Column::segment:
      return read_text(problems, column, cell, 4, row.segment);
    case Column::name:
      return read_text(problems, column, cell, 60, row.name);
    case Column::isin:
      return read_text(problems, column, cell, 12, row.isin);
    case Column::sedol:
      return read_text(problems, column, cell, 7, row.sedol);
    case Column::currency:
      return read_text(problems, column, cell, 3, row.currency);
  }
}

}  // namespace dojima::app
