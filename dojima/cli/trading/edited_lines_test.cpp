// A person at a terminal: a child with a terminal of its own, whose keys and screen are ours.

#include "dojima/cli/trading/edited_lines.hpp"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <pty.h>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

#include "dojima/cli/call_test_support.hpp"

namespace dojima::cli {
namespace {

/// Shows every line that is typed, and "above" for every byte of the pipe, until there are no more lines.
int echo_lines(const std::string& history, int pipe) {
  EditedLines lines("> ", history);
  lines.learn("KAGA");
  while (!lines.is_over()) {
    std::array<pollfd, 2> ready{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{pipe, POLLIN, 0}};
    ::poll(ready.data(), ready.size(), -1);
    char byte = 0;
    if ((ready[1].revents & POLLIN) != 0 && ::read(pipe, &byte, 1) == 1) lines.show("above");
    while (const auto line = lines.next()) lines.show("got <" + *line + ">");
  }
  return 0;
}

class Person {
 public:
  explicit Person(const std::string& history) {
    EXPECT_EQ(::pipe(pipe_.data()), 0);
    child_ = ::forkpty(&terminal_, nullptr, nullptr, nullptr);
    if (child_ == 0) {
      ::setenv("TERM", "xterm", 1);
      ::_exit(echo_lines(history, pipe_[0]));
    }
  }
  ~Person() {
    ::close(terminal_);
    ::close(pipe_[0]);
    ::close(pipe_[1]);
  }
  void type(std::string_view keys) const {
    EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  void ask_for_a_line() const { EXPECT_EQ(::write(pipe_[1], "x", 1), 1); }
  /// Reads until the text is on the screen, behind what was seen before; at most ten seconds without anything new.
  void see(std::string_view text) {
    std::size_t at = 0;
    while ((at = screen_.find(text, seen_)) == std::string::npos) {
      pollfd ready{terminal_, POLLIN, 0};
      std::array<char, 512> bytes;
      const ssize_t size = ::poll(&ready, 1, 10'000) > 0 ? ::read(terminal_, bytes.data(), bytes.size()) : 0;
      if (size <= 0) {
        ADD_FAILURE() << "\"" << text << "\" is not in\n" << screen_.substr(seen_);
        return;
      }
      screen_.append(bytes.data(), static_cast<std::size_t>(size));
    }
    seen_ = at + text.size();
  }
  [[nodiscard]] int exit_status() const {
    int status = -1;
    ::waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::array<int, 2> pipe_{};
  int terminal_ = -1;
  pid_t child_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
};

TEST(EditedLines, are_completed_remembered_and_drawn_again_below_what_is_shown) {
  const TemporaryFolder folder;
  const std::string history = folder / "history";
  {
    Person person(history);
    person.see("> ");
    person.type("bu\t5 K\t\r");
    person.see("got <buy 5 KAGA >");
    person.see("> ");
    person.type("sel");
    person.see("sel");
    person.ask_for_a_line();
    person.see("above");
    person.see("> sel");
    person.type("l\x7fL 5 HIGO @ 1\r");
    person.see("got <selL 5 HIGO @ 1>");
    person.see("> ");
    // A symbol that was used is known.
    person.type("buy 5 H\t\r");
    person.see("got <buy 5 HIGO >");
    // The history keeps no blanks at the end.
    person.type("\x1b[A\x1b[A\x1b[A\r");
    person.see("got <buy 5 KAGA>");
    person.type("\x04");
    EXPECT_EQ(person.exit_status(), 0);
  }
  // Another run has the lines of the one before.
  Person person(history);
  person.see("> ");
  person.type("\x1b[A\r");
  person.see("got <buy 5 KAGA>");
  person.type("\x04");
  EXPECT_EQ(person.exit_status(), 0);
}

}  // namespace
}  // namespace dojima::cli
