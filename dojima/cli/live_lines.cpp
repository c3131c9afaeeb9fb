#include "dojima/cli/live_lines.hpp"

#include <cstdint>
#include <cstdio>
#include <fmt/core.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

#include "dojima/base/one_line.hpp"

namespace dojima::cli {

bool can_print() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) != 0;
}

void print_live(const std::string& line) {
  static std::uint64_t left_out = 0;
  if (!can_print()) {
    ++left_out;
    return;
  }
  std::string text;
  if (left_out != 0) text = fmt::format("{} lines are left out above: nobody read them\n", std::exchange(left_out, 0));
  static_cast<void>(std::fputs((text + one_line(line) + '\n').c_str(), stdout));
  std::fflush(stdout);
}

}  // namespace dojima::cli
