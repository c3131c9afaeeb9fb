#pragma once

// One line on a terminal that says how far long work has come: what, done of total, rate, time left. Written over
// itself at most ten times a second, gone when the work ends; silent where stderr is no terminal. One thread.
//
//   evidence::ProgressLine progress(evidence::stderr_is_terminal() && !no_progress);
//   progress.show({.what = "record", .done = 3, .total = 8, .unit = "cases", .elapsed_s = 2.5});

#include <cstdint>
#include <string>
#include <string_view>

namespace dojima::evidence {

struct Progress {
  std::string_view what;
  double done = 0;
  double total = 0;  ///< 0: not known, then there is no time left either
  std::string_view unit;
  double elapsed_s = 0;
};

/// "record  3/8 cases  1.2 cases/s  4 s left"
[[nodiscard]] std::string to_text(const Progress& progress);

[[nodiscard]] bool stderr_is_terminal() noexcept;

class ProgressLine {
 public:
  explicit ProgressLine(bool is_shown) noexcept : is_shown_(is_shown) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  bool is_shown_;
  bool is_on_screen_ = false;
  double shown_at_s_ = -1;
};

}  // namespace dojima::evidence
