#pragma once

// Lines that a person types at a terminal, with libedit: cursor keys, history over runs, completion. next() takes the
// keys that are there and never waits; what is shown meanwhile is above the line that is being typed.
//
//   EditedLines lines("dojima> ", history_file());
//   lines.show("1 filled: ...");
//   if (const auto line = lines.next()) ...

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dojima/app/trade/line_source.hpp"

namespace dojima::cli {

class EditedLines final : public app::LineSource {
 public:
  /// On stdin and stdout, which are a terminal. The history is read from the file and written to it at the end, where
  /// it can be; empty: none is kept. Throws std::runtime_error where the terminal cannot be used.
  EditedLines(std::string prompt, std::string history_file);
  ~EditedLines() override;
  EditedLines(const EditedLines&) = delete;
  EditedLines& operator=(const EditedLines&) = delete;

  [[nodiscard]] std::optional<std::string> next() override;
  [[nodiscard]] bool is_over() const override { return is_over_; }

  /// Prints a line above the one that is being typed.
  void show(const std::string& line);
  /// A symbol that completion offers, besides those of orders that were typed.
  void learn(const std::string& symbol);

 private:
  struct Editor;

  std::string prompt_;
  std::string history_file_;
  std::vector<std::string> symbols_;
  std::unique_ptr<Editor> editor_;
  bool is_over_ = false;
};

/// Where the history of a person's commands is kept; empty: no home.
[[nodiscard]] std::string history_file();

}  // namespace dojima::cli
