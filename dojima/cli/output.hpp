#pragma once

// Where results go. `--json [FILE]` is the same for every subcommand: the result as one JSON object, to the file or to
// stdout.

#include <string>

namespace dojima::cli {

class Command;

/// False: the file cannot be written; that has been reported.
bool write_file(const std::string& file, const std::string& text);

/// Whether `write_file` would succeed now, before long work is done for it; touches nothing that is there and leaves
/// nothing behind. False: that has been reported.
bool can_write_file(const std::string& file);

class JsonOption {
 public:
  void add_to(Command command);

  [[nodiscard]] bool is_wanted() const noexcept { return is_wanted_; }
  /// Then nothing else may be printed there.
  [[nodiscard]] bool is_on_stdout() const noexcept { return is_wanted_ && file_.empty(); }

  /// Empty when it goes to stdout.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }

  /// Whether `write` would succeed now, before long work is done for it. False: that has been reported.
  [[nodiscard]] bool can_write() const { return !is_wanted_ || file_.empty() || can_write_file(file_); }
  /// False: the file cannot be written; that has been reported.
  [[nodiscard]] bool write(const std::string& json) const;

 private:
  bool is_wanted_ = false;
  std::string file_;
};

}  // namespace dojima::cli
