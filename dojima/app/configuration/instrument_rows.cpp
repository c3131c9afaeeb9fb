#include "dojima/app/configuration/instrument_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <map>
#include <unordered_map>

#include "dojima/app/configuration/instrument_cells.hpp"
#include "dojima/app/nearest.hpp"
#include "dojima/market/price.hpp"

namespace dojima::app {
namespace {

using simulate::InstrumentConfig;
using simulate::TickConfig;
using Column = InstrumentColumn;

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

class RowReader {
 public:
  explicit RowReader(std::string_view name) : problems_(name) {}

  void read(std::string_view text) {
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      at = end + 1;
      ++number;
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line.empty()) continue;
      problems_.begin_row(number);
      if (!split_cells(line, cells_)) {
        problems_.complain("", "a quotation mark is not closed, or something follows it");
        continue;
      }
      if (columns_.empty()) {
        if (!read_columns()) return;
      } else {
        read_row();
      }
    }
    if (columns_.empty() && problems_.is_empty()) {
      problems_.begin_row(1);
      problems_.complain("", "the first row names the columns: id,symbol,ticks,highest,reference,maximum_quantity");
    }
  }
  [[nodiscard]] InstrumentRows take() { return {std::move(instruments_), problems_.take()}; }

 private:
  bool read_columns() {
    for (const std::string& cell : cells_) {
      const auto known = std::ranges::find(k_instrument_columns, std::string_view(cell));
      if (known == k_instrument_columns.end()) {
        const auto meant =
            nearest(cell, std::vector<std::string>(k_instrument_columns.begin(), k_instrument_columns.end()));
        problems_.complain("", fmt::format("there is no column \"{}\"{}", cell,
                                           meant ? fmt::format("; did you mean \"{}\"?", *meant) : std::string()));
        continue;
      }
      const auto column = static_cast<Column>(known - k_instrument_columns.begin());
      if (std::ranges::find(columns_, column) != columns_.end())
        problems_.complain("", fmt::format("the column \"{}\" is there twice", cell));
      columns_.push_back(column);
    }
    for (const Column needed : k_needed_columns)
      if (std::ranges::find(columns_, needed) == columns_.end())
        problems_.complain("", fmt::format("the column \"{}\" is missing", name_of(needed)));
    return problems_.is_empty();
  }

  void read_row() {
    if (cells_.size() != columns_.size())
      return problems_.complain(
          "", fmt::format("{} cells, where the first row names {} columns", cells_.size(), columns_.size()));
    InstrumentConfig row;
    row.file_line = static_cast<std::uint32_t>(problems_.line());
    for (std::size_t at = 0; at < cells_.size(); ++at) read_cell(columns_[at], cells_[at], row, problems_);
    if (problems_.is_row_good()) check_ticks(row);
    for (const auto& [key, what] : complaints_of(row)) problems_.complain(key, what);
    if (row.id != 0) check_once(ids_, row.id, "id");
    if (!row.symbol.empty()) check_once(symbols_, row.symbol, "symbol");
    if (!row.isin.empty()) check_once(isins_, row.isin, "isin");
    if (problems_.is_row_good()) instruments_.push_back(std::move(row));
  }

  template <class Key>
  void check_once(std::unordered_map<Key, std::size_t>& seen, const Key& key, std::string_view column) {
    const auto [at, is_new] = seen.try_emplace(key, problems_.line());
    if (!is_new) problems_.complain(column, fmt::format("{} is in line {}, too", key, at->second));
  }

  /// Most rows have the bands of another.
  void check_ticks(const InstrumentConfig& row) {
    std::string key = std::to_string(row.highest.units);
    for (const TickConfig& band : row.ticks) key += fmt::format(" {}:{}", band.from.units, band.tick.units);
    auto known = tables_.find(key);
    if (known == tables_.end()) known = tables_.emplace(std::move(key), tick_table(row)).first;
    if (!known->second)
      problems_.complain(
          "ticks",
          "no tick table: bands must rise from price to price up to highest, each a whole number of its ticks wide");
    else if (!known->second->level_of(row.reference))
      problems_.complain("reference", "the reference price is not a price of the tick table");
  }

  RowProblems problems_;
  std::vector<simulate::InstrumentConfig> instruments_;
  std::vector<Column> columns_;
  std::vector<std::string> cells_;                      // of the row in hand
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
