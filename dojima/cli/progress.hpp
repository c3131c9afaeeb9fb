#pragma once

// One line on stderr that is written over again and again; silent when stderr is no terminal or on request.

#include <cstdio>
#include <string>
#include <unistd.h>

namespace dojima::cli {

class ProgressLine {
 public:
  explicit ProgressLine(bool is_wanted) : is_shown_(is_wanted && ::isatty(STDERR_FILENO) == 1) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text) {
    if (!is_shown_) return;
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
    std::fflush(stderr);
    is_dirty_ = true;
  }
  void clear() {
    if (!is_dirty_) return;
    std::fprintf(stderr, "\r\033[K");
    is_dirty_ = false;
  }
  [[nodiscard]] bool is_shown() const noexcept { return is_shown_; }

 private:
  bool is_shown_;
  bool is_dirty_ = false;
};

}  // namespace dojima::cli
