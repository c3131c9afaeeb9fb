#include "dojima/evidence/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "dojima/base/assert.hpp"

namespace dojima::evidence {

Cell::Cell(double number) : value_(number) {
  if (!std::isfinite(number)) value_ = Unmeasured{"no finite number"};
}

double Cell::number() const noexcept {
  if (const std::int64_t* whole = integer()) return static_cast<double>(*whole);
  if (const double* fraction = real()) return *fraction;
  return std::numeric_limits<double>::quiet_NaN();
}

void Table::add_row(std::vector<Cell> cells) {
  DOJIMA_ASSERT(cells.size() == columns.size(), "one cell a column");
  rows.push_back(std::move(cells));
}

std::size_t Table::column(std::string_view column_name) const noexcept {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [column_name](const Column& column) { return column.name == column_name; });
  return static_cast<std::size_t>(found - columns.begin());
}

namespace {

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

/// Characters on the screen: UTF-8 continuation bytes take no place.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0u) != 0x80u; }));
}

void append_padded(std::string& line, std::string_view text, std::size_t width, bool to_the_right) {
  const std::size_t blanks = width - std::min(width, width_of(text));
  if (to_the_right) line.append(blanks, ' ');
  line += text;
  if (!to_the_right) line.append(blanks, ' ');
}

/// Numbers are aligned to the right, and so are their column's gaps.
bool is_numeric(const Table& table, std::size_t column) {
  const bool has_text = std::any_of(table.rows.begin(), table.rows.end(),
                                    [column](const auto& row) { return row[column].text() != nullptr; });
  return !has_text && !table.rows.empty();
}

/// Whether the word is in a name of words with underscores between.
bool has_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != std::string_view::npos; at = name.find(word, at + 1)) {
    const bool begins = at == 0 || name[at - 1] == '_';
    const std::size_t end = at + word.size();
    if (begins && (end == name.size() || name[end] == '_')) return true;
  }
  return false;
}

/// Times, rates and ratios, of which a busy machine makes others; counts and bytes it leaves alone.
bool is_timed(std::string_view column) {
  if (column.ends_with("percent")) return false;
  return has_word(column, "ns") || has_word(column, "us") || has_word(column, "vs") || column.ends_with("_per_second");
}

constexpr std::string_view k_settled_columns[] = {"converged", "is_settled"};

/// Why cells have no value, and whose they are.
struct Gap {
  std::string reason;
  std::string names;  // with commas between
};

void note_gap(std::vector<Gap>& gaps, const std::string& reason, const std::string& name) {
  const auto known = std::find_if(gaps.begin(), gaps.end(), [&](const Gap& gap) { return gap.reason == reason; });
  if (known == gaps.end()) {
    gaps.push_back({reason, name});
  } else if ((", " + known->names + ",").find(", " + name + ",") == std::string::npos) {
    known->names += ", " + name;
  }
}

}  // namespace

bool is_unsettled(const Table& table, std::size_t row, std::size_t column) noexcept {
  const Cell& cell = table.rows[row][column];
  if ((cell.integer() == nullptr && cell.real() == nullptr) || !is_timed(table.columns[column].name)) return false;
  return std::any_of(std::begin(k_settled_columns), std::end(k_settled_columns), [&](std::string_view name) {
    const std::size_t at = table.column(name);
    if (at == table.columns.size()) return false;
    const bool* settled = std::get_if<bool>(&table.rows[row][at].value());
    return settled != nullptr && !*settled;
  });
}

std::string to_text(const Table& table, std::size_t row, std::size_t column) {
  const int of_row = row < table.row_decimals.size() ? table.row_decimals[row] : -1;
  std::string text = to_text(table.rows[row][column], of_row < 0 ? table.columns[column].decimals : of_row);
  if (is_unsettled(table, row, column)) text.insert(text.begin(), k_unsettled_mark);
  return text;
}

std::string to_text(const Cell& cell, int decimals) {
  if (const std::int64_t* whole = cell.integer()) return grouped(*whole);
  if (const double* fraction = cell.real()) {
    char text[400];
    const int size = std::snprintf(text, sizeof text, "%.*f", decimals, *fraction);
    return {text, static_cast<std::size_t>(std::clamp(size, 0, int{sizeof text} - 1))};
  }
  if (const std::string* text = cell.text()) return *text;
  if (const bool* yes = std::get_if<bool>(&cell.value())) return *yes ? "yes" : "no";
  return "-";
}

std::string to_text(const Table& table) {
  struct Shown {
    std::size_t column;
    std::size_t width;
    bool to_the_right;
  };
  std::vector<Shown> shown;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (!table.columns[column].on_screen) continue;
    std::size_t width = width_of(table.columns[column].name);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      width = std::max(width, width_of(to_text(table, row, column)));
    shown.push_back({column, width, is_numeric(table, column)});
  }

  std::string text = table.name;
  if (!table.title.empty()) text += ": " + table.title;
  text += "\n\n";
  const auto add_line = [&](auto&& text_of) {
    std::string line;
    for (const Shown& part : shown) {
      if (!line.empty()) line += "  ";
      append_padded(line, text_of(part.column), part.width, part.to_the_right);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };

  add_line([&](std::size_t column) { return table.columns[column].name; });
  // A name and what it is worth: the row says more than the column.
  const bool has_figure_a_row = table.columns.size() == 2;
  std::vector<Gap> gaps;
  bool has_unsettled = false;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    const auto& row = table.rows[at];
    add_line([&](std::size_t column) { return to_text(table, at, column); });
    for (const Shown& part : shown) {
      has_unsettled = has_unsettled || is_unsettled(table, at, part.column);
      const auto* reason = std::get_if<Unmeasured>(&row[part.column].value());
      if (reason == nullptr || reason->reason.empty()) continue;
      const std::string* row_name = has_figure_a_row ? row.front().text() : nullptr;
      note_gap(gaps, reason->reason, row_name != nullptr ? *row_name : table.columns[part.column].name);
    }
  }
  std::vector<std::string> reasons;
  for (const Gap& gap : gaps) reasons.push_back(gap.names + " -: " + gap.reason);
  if (has_unsettled) reasons.push_back(std::string(1, k_unsettled_mark) + ": has not settled");
  if (!reasons.empty() || !table.notes.empty()) text += '\n';
  for (const std::string& reason : reasons) text += reason + '\n';
  for (const std::string& note : table.notes) text += note + '\n';
  return text;
}

}  // namespace dojima::evidence
