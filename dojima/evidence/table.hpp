#pragma once

// A result as a table: named columns, rows of numbers, text or "could not be measured, because ...". What a benchmark,
// a comparison or a run shows on the screen, writes as JSON and puts into a report is one of these. A column keeps its
// name for good: `snake_case`, times in nanoseconds unless the name says otherwise. Allocates; made after measuring.
//
//   evidence::Table table{"record", "one value into a histogram", {{"competitor"}, {"ns_per_operation", 2}}};
//   table.add_row({"record", 0.81});
//   std::fputs(to_text(table).c_str(), stdout);

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace dojima::evidence {

/// A value that could not be measured, and why. Never shown as 0.
struct Unmeasured {
  std::string reason;
  friend bool operator==(const Unmeasured&, const Unmeasured&) = default;
};

/// One cell. Integers, doubles (finite), yes/no, text, or a reason why there is none.
class Cell {
 public:
  using Value = std::variant<Unmeasured, std::int64_t, double, bool, std::string>;

  Cell(Unmeasured reason) : value_(std::move(reason)) {}
  Cell(int number) : value_(std::int64_t{number}) {}
  Cell(long number) : value_(static_cast<std::int64_t>(number)) {}
  Cell(long long number) : value_(static_cast<std::int64_t>(number)) {}
  Cell(unsigned number) : value_(std::int64_t{number}) {}
  Cell(unsigned long number) : value_(static_cast<std::int64_t>(number)) {}
  Cell(unsigned long long number) : value_(static_cast<std::int64_t>(number)) {}
  /// A number that is not finite has not been measured.
  Cell(double number);
  Cell(bool yes) : value_(yes) {}
  Cell(std::string text) : value_(std::move(text)) {}
  Cell(std::string_view text) : value_(std::string(text)) {}
  Cell(const char* text) : value_(std::string(text)) {}

  [[nodiscard]] const Value& value() const noexcept { return value_; }
  [[nodiscard]] bool is_measured() const noexcept { return value_.index() != 0; }
  /// The number in it, integer or double; null when it is none.
  [[nodiscard]] const std::int64_t* integer() const noexcept { return std::get_if<std::int64_t>(&value_); }
  [[nodiscard]] const double* real() const noexcept { return std::get_if<double>(&value_); }
  [[nodiscard]] const std::string* text() const noexcept { return std::get_if<std::string>(&value_); }
  /// Integer or double as a double; NaN for everything else.
  [[nodiscard]] double number() const noexcept;

  friend bool operator==(const Cell&, const Cell&) = default;

 private:
  Value value_;
};

struct Column {
  std::string name;
  int decimals = 2;       ///< of doubles, on the screen only
  bool on_screen = true;  ///< JSON has every column
  std::string meaning{};  ///< one line for a reader; may be empty
};

struct Table {
  std::string name;
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows{};
  std::vector<std::string> notes{};  ///< lines below the table
  /// Of a table that has a figure a row: what `Column::decimals` is to a column, for the first rows; below 0: as the
  /// column says.
  std::vector<int> row_decimals{};

  /// One cell a column, in order.
  void add_row(std::vector<Cell> cells);
  /// The column's place, or `columns.size()`.
  [[nodiscard]] std::size_t column(std::string_view column_name) const noexcept;
};

/// The table for a terminal: title, columns in line (numbers to the right), reasons as notes below, each once with the
/// columns that it is about; of a table that has a figure a row, with the rows.
[[nodiscard]] std::string to_text(const Table& table);

/// One cell as the screen shows it; an unmeasured one as "-".
[[nodiscard]] std::string to_text(const Cell& cell, int decimals);

/// The mark before a figure that has not settled, wherever it is printed.
inline constexpr char k_unsettled_mark = '~';

/// Whether a cell is a time, a rate or a ratio of a row whose column `converged` or `is_settled` says no.
[[nodiscard]] bool is_unsettled(const Table& table, std::size_t row, std::size_t column) noexcept;

/// The cell as it is printed: as above, with the mark where it has not settled.
[[nodiscard]] std::string to_text(const Table& table, std::size_t row, std::size_t column);

}  // namespace dojima::evidence
