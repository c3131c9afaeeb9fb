#include "dojima/app/configuration/instrument_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <map>
#include <unordered_map>

#include "dojima/app/nearest.hpp"
#include "dojima/market/price.hpp"

namespace dojima::app {
namespace {

using simulate::InstrumentConfig;
using simulate::TickConfig;

constexpr std::size_t k_most_problems = 200;
constexpr std::int64_t k_largest = 2'147'483'647;

enum class Column : std::uint8_t {
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
constexpr std::array<std::string_view, 15> k_columns = {
    "id",   "symbol", "partition", "segment",  "ticks", "highest",   "reference", "maximum_quantity",
    "name", "isin",   "sedol",     "currency", "lot",   "first_day", "last_day"};
constexpr std::array k_needed = {Column::id,      Column::symbol,    Column::ticks,
                                 Column::highest, Column::reference, Column::maximum_quantity};

std::string_view column_name(Column column) {
  return k_columns[static_cast<std::size_t>(column)];
}

bool is_digit_of_reference(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_capital(char c) noexcept {
  return c >= 'A' && c <= 'Z';
}
/// Of digits and capital letters: 0 to 35.
int value_of_character(char c) noexcept {
  constexpr int k_ten = 10;
  return is_digit_of_reference(c) ? c - '0' : c - 'A' + k_ten;
}

/// The cells of a row; false: a quotation mark is not closed. Text in quotation marks may have commas in it, and two of
/// them stand for one.
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

class RowReader {
 public:
  explicit RowReader(std::string_view name) : name_(name) {}

  void read(std::string_view text) {
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      at = end + 1;
      ++number;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line.empty()) continue;
      line_ = number;
      if (!split_cells(line, cells_)) {
        complain("", "a quotation mark is not closed, or something stands behind it");
        continue;
      }
      if (columns_.empty()) {
        if (!read_columns()) return finish();
      } else {
        read_row();
      }
    }
    if (columns_.empty() && rows_.problems.empty()) {
      line_ = 1;
      complain("", "the first row names the columns: id,symbol,ticks,highest,reference,maximum_quantity");
    }
    finish();
  }
  [[nodiscard]] InstrumentRows take() { return std::move(rows_); }

 private:
  /// Once there are more problems than anybody reads, they are counted only.
  void complain(std::string_view column, const std::string& what) {
    is_row_good_ = false;
    if (rows_.problems.size() == k_most_problems) {
      ++more_;
      return;
    }
    rows_.problems.push_back(fmt::format("{}:{}: {}{}{}", name_, line_, column, column.empty() ? "" : ": ", what));
  }
  void finish() {
    if (more_ != 0) rows_.problems.push_back(fmt::format("{}: and {} more", name_, more_));
  }

  bool read_columns() {
    for (const std::string& cell : cells_) {
      const auto known = std::ranges::find(k_columns, std::string_view(cell));
      if (known == k_columns.end()) {
        const auto meant = nearest(cell, std::vector<std::string>(k_columns.begin(), k_columns.end()));
        complain("", fmt::format("there is no column \"{}\"{}", cell,
                                 meant ? fmt::format("; did you mean \"{}\"?", *meant) : std::string()));
        continue;
      }
      const auto column = static_cast<Column>(known - k_columns.begin());
      if (std::ranges::find(columns_, column) != columns_.end())
        complain("", fmt::format("the column \"{}\" is there twice", cell));
      columns_.push_back(column);
    }
    for (const Column needed : k_needed)
      if (std::ranges::find(columns_, needed) == columns_.end())
        complain("", fmt::format("the column \"{}\" is missing", column_name(needed)));
    return rows_.problems.empty();
  }

  void read_row() {
    is_row_good_ = true;
    if (cells_.size() != columns_.size())
      return complain("",
                      fmt::format("{} cells, where the first row names {} columns", cells_.size(), columns_.size()));
    InstrumentConfig row;
    row.is_from_file = true;
    for (std::size_t at = 0; at < cells_.size(); ++at) read_cell(columns_[at], cells_[at], row);
    if (is_row_good_) check_ticks(row);
    for (const auto& [key, what] : complaints_of(row)) complain(key, what);
    if (row.id != 0) check_once(ids_, row.id, "id");
    if (!row.symbol.empty()) check_once(symbols_, row.symbol, "symbol");
    if (!row.isin.empty()) check_once(isins_, row.isin, "isin");
    if (is_row_good_) rows_.instruments.push_back(std::move(row));
  }

  template <class Key>
  void check_once(std::unordered_map<Key, std::size_t>& seen, const Key& key, std::string_view column) {
    const auto [at, is_new] = seen.try_emplace(key, line_);
    if (!is_new) complain(column, fmt::format("{} stands in line {}, too", key, at->second));
  }

  void read_cell(Column column, std::string& cell, InstrumentConfig& row) {
    switch (column) {
      case Column::id:
        return read_number(column, cell, 1, row.id);
      case Column::partition: {
        std::uint32_t partition = 1;
        constexpr std::int64_t k_partitions = 4;
        if (!cell.empty()) read_number(column, cell, 1, partition, k_partitions);
        row.partition = static_cast<std::uint8_t>(partition);
        return;
      }
      case Column::lot:
        if (!cell.empty()) read_number(column, cell, 1, row.lot);
        return;
      case Column::maximum_quantity:
        return read_number(column, cell, 1, row.maximum_quantity.lots);
      case Column::highest:
        return read_price(column, cell, row.highest);
      case Column::reference:
        return read_price(column, cell, row.reference);
      case Column::ticks:
        return read_ticks(cell, row);
      case Column::first_day:
        return read_date(column, cell, row.first_day);
      case Column::last_day:
        return read_date(column, cell, row.last_day);
      case Column::symbol:
        if (cell.empty()) complain(column_name(column), "an instrument needs a symbol");
        return read_text(column, cell, 24, row.symbol);
      case Column::segment:
        return read_text(column, cell, 4, row.segment);
      case Column::name:
        return read_text(column, cell, 60, row.name);
      case Column::isin:
        return read_text(column, cell, 12, row.isin);
      case Column::sedol:
        return read_text(column, cell, 7, row.sedol);
      case Column::currency:
        return read_text(column, cell, 3, row.currency);
    }
  }

  void read_text(Column column, std::string& cell, std::size_t longest, std::string& value) {
    if (cell.size() > longest) complain(column_name(column), fmt::format("longer than {} characters", longest));
    if (std::ranges::any_of(cell, [](char character) { return character < ' ' || character > '~'; }))
      complain(column_name(column), "only printable ASCII characters may stand here");
    value = std::move(cell);
  }
  template <class Number>
  void read_number(Column column, std::string_view cell, std::int64_t lowest, Number& value,
                   std::int64_t highest = k_largest) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
    if (error != std::errc{} || end != cell.data() + cell.size() || number < lowest || number > highest)
      return complain(column_name(column), fmt::format("\"{}\" is no whole number of {} to {}", cell, lowest, highest));
    value = static_cast<Number>(number);
  }
  void read_price(Column column, std::string_view cell, market::Price& value) {
    if (const auto price = market::parse_price(cell))
      value = *price;
    else
      complain(column_name(column), fmt::format("\"{}\" is not a price with at most eight decimals", cell));
  }
  void read_date(Column column, std::string_view cell, std::optional<std::chrono::sys_days>& value) {
    value = parse_date(cell);
    if (!cell.empty() && !value)
      complain(column_name(column), fmt::format("\"{}\" is no date such as 2026-11-23", cell));
  }

  /// "0.5": one tick from its first price on; "0.01:0.01 10:0.05": bands, each its first price and its tick.
  void read_ticks(std::string_view cell, InstrumentConfig& row) {
    const auto wrong = [&] {
      complain("ticks", fmt::format("\"{}\" is neither a tick (0.5) nor bands (0.01:0.01 10:0.05)", cell));
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

  /// Most rows have the bands of another.
  void check_ticks(const InstrumentConfig& row) {
    std::string key = std::to_string(row.highest.units);
    for (const TickConfig& band : row.ticks) key += fmt::format(" {}:{}", band.from.units, band.tick.units);
    auto known = tables_.find(key);
    if (known == tables_.end()) known = tables_.emplace(std::move(key), tick_table(row)).first;
    if (!known->second)
      complain(
          "ticks",
          "no tick table: bands must rise from price to price up to highest, each a whole number of its ticks wide");
    else if (!known->second->level_of(row.reference))
      complain("reference", "the reference price is not a price of the tick table");
  }

  std::string name_;
  InstrumentRows rows_;
  std::vector<Column> columns_;
  std::vector<std::string> cells_;  // of the row in hand
  std::size_t line_ = 0, more_ = 0;
  bool is_row_good_ = true;
  std::unordered_map<std::uint32_t, std::size_t> ids_;  // to their lines
  std::unordered_map<std::string, std::size_t> symbols_, isins_;
  std::map<std::string, Result<market::TickTable>> tables_;
};

}  // namespace

InstrumentRows parse_instruments(std::string_view text, std::string_view name) {
  RowReader reader(name);
  reader.read(text);
  return reader.take();
}

std::vector<std::pair<std::string_view, std::string>> complaints_of(const InstrumentConfig& instrument) {
  std::vector<std::pair<std::string_view, std::string>> problems;
  const auto add = [&problems](std::string_view key, std::string what) {
    if (!what.empty()) problems.emplace_back(key, std::move(what));
  };
  if (!instrument.isin.empty()) add("isin", complaint_of_isin(instrument.isin));
  if (!instrument.sedol.empty()) add("sedol", complaint_of_sedol(instrument.sedol));
  if (!instrument.currency.empty() &&
      (instrument.currency.size() != 3 || !std::ranges::all_of(instrument.currency, is_capital)))
    add("currency", fmt::format("\"{}\" is no currency of three capital letters", instrument.currency));
  if (instrument.first_day && instrument.last_day && *instrument.last_day < *instrument.first_day)
    add("last_day", fmt::format("{} is before the first day, {}", date_text(*instrument.last_day),
                                date_text(*instrument.first_day)));
  return problems;
}

/// The check digit makes the sum of all digits, letters as two of them and every second one from the right doubled, a
/// multiple of ten (Luhn).
std::string complaint_of_isin(std::string_view isin) {
  constexpr std::size_t k_size = 12;
  constexpr int k_ten = 10;
  const bool is_shaped = isin.size() == k_size && is_capital(isin[0]) && is_capital(isin[1]) &&
                         is_digit_of_reference(isin.back()) &&
                         std::ranges::all_of(isin, [](char c) { return is_digit_of_reference(c) || is_capital(c); });
  if (!is_shaped)
    return fmt::format("\"{}\" is no ISIN: two capital letters, nine letters or digits, and a check digit", isin);
  std::string digits;
  for (const char character : isin.substr(0, k_size - 1)) digits += std::to_string(value_of_character(character));
  int sum = 0;
  bool is_doubled = true;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, is_doubled = !is_doubled) {
    const int value = (*digit - '0') * (is_doubled ? 2 : 1);
    sum += value / k_ten + value % k_ten;
  }
  const int wanted = (k_ten - sum % k_ten) % k_ten;
  if (isin.back() == static_cast<char>('0' + wanted)) return {};
  return fmt::format("\"{}\" is no ISIN: its check digit would be {}", isin, wanted);
}

/// No vowels; weights 1 3 1 7 3 9, and the check digit makes a multiple of ten.
std::string complaint_of_sedol(std::string_view sedol) {
  constexpr std::array k_weights = {1, 3, 1, 7, 3, 9};
  constexpr int k_ten = 10;
  const auto fits = [](char c) {
    return is_digit_of_reference(c) || (is_capital(c) && std::string_view("AEIOU").find(c) == std::string_view::npos);
  };
  const bool is_shaped =
      sedol.size() == k_weights.size() + 1 && is_digit_of_reference(sedol.back()) && std::ranges::all_of(sedol, fits);
  if (!is_shaped)
    return fmt::format("\"{}\" is no SEDOL: six digits or capital letters without vowels, and a check digit", sedol);
  int sum = 0;
  for (std::size_t at = 0; at < k_weights.size(); ++at) sum += k_weights[at] * value_of_character(sedol[at]);
  const int wanted = (k_ten - sum % k_ten) % k_ten;
  if (sedol.back() == static_cast<char>('0' + wanted)) return {};
  return fmt::format("\"{}\" is no SEDOL: its check digit would be {}", sedol, wanted);
}

std::optional<std::chrono::sys_days> parse_date(std::string_view text) {
  constexpr std::size_t k_size = 10, k_month = 5, k_day = 8;
  if (text.size() != k_size || text[k_month - 1] != '-' || text[k_day - 1] != '-') return {};
  int year = 0;
  unsigned month = 0, day = 0;
  const auto read = [&text](std::size_t from, std::size_t size, auto& value) {
    const char* const end = text.data() + from + size;
    const auto [at, error] = std::from_chars(text.data() + from, end, value);
    return error == std::errc{} && at == end && is_digit_of_reference(text[from]);
  };
  if (!read(0, k_month - 1, year) || !read(k_month, 2, month) || !read(k_day, 2, day)) return {};
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!date.ok()) return {};
  return std::chrono::sys_days{date};
}

std::string date_text(std::chrono::sys_days date) {
  const std::chrono::year_month_day of{date};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(of.year()), static_cast<unsigned>(of.month()),
                     static_cast<unsigned>(of.day()));
}

}  // namespace dojima::app
