#include "dojima/book/queues/ladder_window.hpp"

namespace dojima::book {

const char* LadderWindow::inconsistency() const noexcept {
  for (std::size_t at = 0; at < size(); ++at) {
    const bool has_bit = (ticks_.bits[at / 64] >> (at % 64) & 1) != 0;
    if (has_bit != (ticks_.levels[at] != 0)) return "a bit of the window is wrong";
    if (has_bit && (groups_ >> (at / 64) & 1) == 0) return "a group's bit is missing";
  }
  for (std::size_t group = 0; group < size() / 64; ++group)
    if (ticks_.bits[group] == 0 && (groups_ >> group & 1) != 0) return "a group's bit is set for nothing";
  return nullptr;
}

}  // namespace dojima::book
