#pragma once

// Single keys from a terminal, without Enter and without waiting; nothing where standard input is no terminal. The
// terminal is as it was when the object is gone.
//
//   TerminalKeys keys;
//   if (const int key = keys.next(); key == 'q') ...

#include <poll.h>
#include <termios.h>
#include <unistd.h>

namespace dojima::cli {

class TerminalKeys {
 public:
  TerminalKeys() : is_terminal_(::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!is_terminal_) return;
    termios single = before_;
    single.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    is_terminal_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &single) == 0;
  }
  ~TerminalKeys() {
    if (is_terminal_) static_cast<void>(::tcsetattr(STDIN_FILENO, TCSANOW, &before_));
  }
  TerminalKeys(const TerminalKeys&) = delete;
  TerminalKeys& operator=(const TerminalKeys&) = delete;

  [[nodiscard]] bool is_terminal() const noexcept { return is_terminal_; }
  /// -1: none was pressed.
  [[nodiscard]] int next() const {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    unsigned char key = 0;
    if (!is_terminal_ || ::poll(&input, 1, 0) != 1 || ::read(STDIN_FILENO, &key, 1) != 1) return -1;
    return key;
  }

 private:
  termios before_{};
  bool is_terminal_;
};

}  // namespace dojima::cli
