#pragma once

// The commands that a program of both_roles.py obeys, from standard input.

#include <fcntl.h>
#include <optional>
#include <string>
#include <unistd.h>

namespace dojima::quickfixj {

/// The lines on standard input, without waiting for them.
class Commands {
 public:
  Commands() { ::fcntl(STDIN_FILENO, F_SETFL, ::fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK); }

  /// The next line where there is a whole one; "halt" at the end of the input.
  std::optional<std::string> next() {
    char bytes[256];
    const ssize_t size = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (size > 0) text_.append(bytes, static_cast<std::size_t>(size));
    const std::size_t end = text_.find('\n');
    if (end == std::string::npos) return size == 0 ? std::optional<std::string>("halt") : std::nullopt;
    std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return line;
  }

 private:
  std::string text_;
};

}  // namespace dojima::quickfixj
