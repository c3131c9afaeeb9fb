#include "dojima/evidence/progress.hpp"

#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace dojima::evidence {
namespace {

std::string duration(double seconds) {
  char text[64];
  if (seconds < 100) {
    std::snprintf(text, sizeof text, "%.0f s", std::ceil(seconds));
  } else {
    std::snprintf(text, sizeof text, "%.0f min", std::ceil(seconds / 60));
  }
  return text;
}

}  // namespace

std::string to_text(const Progress& progress) {
  char text[200];
  std::string line(progress.what);
  std::snprintf(text, sizeof text, "  %.0f", progress.done);
  line += text;
  if (progress.total > 0) {
    std::snprintf(text, sizeof text, "/%.0f", progress.total);
    line += text;
  }
  line += ' ' + std::string(progress.unit);
  if (progress.elapsed_s <= 0 || progress.done <= 0) return line;
  const double rate = progress.done / progress.elapsed_s;
  std::snprintf(text, sizeof text, "  %.3g %s/s", rate, std::string(progress.unit).c_str());
  line += text;
  if (progress.total > progress.done) line += "  " + duration((progress.total - progress.done) / rate) + " left";
  return line;
}

bool stderr_is_terminal() noexcept {
  return ::isatty(STDERR_FILENO) == 1;
}

void ProgressLine::show(const Progress& progress) {
  if (!is_shown_ || (shown_at_s_ >= 0 && progress.elapsed_s - shown_at_s_ < 0.1)) return;
  shown_at_s_ = progress.elapsed_s;
  is_on_screen_ = true;
  std::fprintf(stderr, "\r\x1b[K%s", to_text(progress).c_str());
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!is_on_screen_) return;
  is_on_screen_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace dojima::evidence
