#pragma once

// Where the commands of a terminal client come from: lines, one after the other, from whoever has them.
//
//   DescriptorLines lines(STDIN_FILENO);
//   if (const auto line = lines.next()) ...      // none: nothing yet, or nothing more

#include <optional>
#include <string>

namespace dojima::app {

/// Where commands come from. Never waits.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// The next whole line; none: nothing yet, or nothing more.
  [[nodiscard]] virtual std::optional<std::string> next() = 0;
  /// Nothing more will come.
  [[nodiscard]] virtual bool is_over() const = 0;
};

/// Lines of a file descriptor, a terminal or a pipe.
class DescriptorLines final : public LineSource {
 public:
  explicit DescriptorLines(int descriptor) : descriptor_(descriptor) {}
  [[nodiscard]] std::optional<std::string> next() override;
  [[nodiscard]] bool is_over() const override { return is_ended_ && pending_.empty(); }

 private:
  int descriptor_;
  bool is_ended_ = false;
  std::string pending_;
};

/// No lines at all: where everything is in a script.
class NoLines final : public LineSource {
 public:
  [[nodiscard]] std::optional<std::string> next() override { return std::nullopt; }
  [[nodiscard]] bool is_over() const override { return true; }
};

}  // namespace dojima::app
