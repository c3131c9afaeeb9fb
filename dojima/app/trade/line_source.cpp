#include "dojima/app/trade/line_source.hpp"

#include <algorithm>
#include <poll.h>
#include <unistd.h>

namespace dojima::app {
namespace {

constexpr std::size_t k_longest_line = 4096;

}  // namespace

std::optional<std::string> DescriptorLines::next() {
  while (!is_ended_ && pending_.find('\n') == std::string::npos && pending_.size() < k_longest_line) {
    pollfd ready{descriptor_, POLLIN, 0};
    if (::poll(&ready, 1, 0) <= 0) return std::nullopt;
    char bytes[512];
    const ssize_t size = ::read(descriptor_, bytes, sizeof bytes);
    if (size <= 0) {
      is_ended_ = true;
    } else {
      pending_.append(bytes, static_cast<std::size_t>(size));
    }
  }
  if (pending_.empty()) return std::nullopt;
  const std::size_t end = std::min(pending_.find('\n'), pending_.size());
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  return line;
}

}  // namespace dojima::app
