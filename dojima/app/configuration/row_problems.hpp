#pragma once

// What is wrong with the rows of a file: a line for each problem, as many as anybody reads.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::app {

class RowProblems {
 public:
  /// Those beyond are counted only.
  static constexpr std::size_t k_most = 200;

  /// `name` stands for the file.
  explicit RowProblems(std::string_view name) : name_(name) {}

  /// What is complained of next is in that line, from 1 on.
  void begin_row(std::size_t line) noexcept {
    line_ = line;
    is_row_good_ = true;
  }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] bool is_row_good() const noexcept { return is_row_good_; }
  [[nodiscard]] bool is_empty() const noexcept { return problems_.empty(); }
  /// `column` empty: it is about the whole row.
  void complain(std::string_view column, const std::string& what);
  /// "instruments.csv:17: isin: ..." each, and how many more there are. Nothing is left here.
  [[nodiscard]] std::vector<std::string> take();

 private:
  std::string name_;
  std::vector<std::string> problems_;
  std::size_t line_ = 0, more_ = 0;
  bool is_row_good_ = true;
};

}  // namespace dojima::app
