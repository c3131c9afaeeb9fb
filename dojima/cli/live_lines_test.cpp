// Lines about what goes on do not wait for who reads them.

#include "dojima/cli/live_lines.hpp"

#include <array>
#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace dojima::cli {
namespace {

/// Standard output is a pipe that is read only when the test asks.
class Pipe {
 public:
  Pipe() {
    std::fflush(stdout);
    EXPECT_EQ(::pipe(ends_.data()), 0);
    before_ = ::dup(STDOUT_FILENO);
    EXPECT_EQ(::dup2(ends_[1], STDOUT_FILENO), STDOUT_FILENO);
  }
  ~Pipe() {
    std::fflush(stdout);
    ::dup2(before_, STDOUT_FILENO);
    for (const int end : {ends_[0], ends_[1], before_}) ::close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// What is in it now, and is not empty.
  std::string read() {
    std::string text(1 << 20, '\0');
    text.resize(static_cast<std::size_t>(::read(ends_[0], text.data(), text.size())));
    return text;
  }

 private:
  std::array<int, 2> ends_{};
  int before_ = -1;
};

TEST(LiveLines, are_left_out_and_counted_while_nobody_reads) {
  std::string first, second, third;
  bool could_print = true;
  {
    Pipe pipe;
    print_live("one\ntwo");
    first = pipe.read();
    // A pipe holds 65,536 bytes, of which lines that may not fit leave some.
    for (int line = 0; line < 2'000; ++line) print_live(std::string(99, 'x'));
    could_print = can_print();
    second = pipe.read();
    print_live("back");
    third = pipe.read();
  }
  EXPECT_EQ(first, "one\\x0atwo\n") << "a line stays one";
  EXPECT_FALSE(could_print);
  EXPECT_GT(second.size(), 50'000u);
  EXPECT_EQ(second.size() % 100, 0u) << "whole lines only";
  EXPECT_EQ(third, std::to_string(2'000 - second.size() / 100) + " lines are left out above: nobody read them\nback\n");
}

}  // namespace
}  // namespace dojima::cli
