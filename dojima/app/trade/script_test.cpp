#include "dojima/app/trade/script.hpp"

#include <deque>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace dojima::app {
namespace {

class Lines final : public LineSource {
 public:
  explicit Lines(std::deque<std::string> lines) : lines_(std::move(lines)) {}
  std::optional<std::string> next() override {
    if (lines_.empty()) return std::nullopt;
    std::string line = lines_.front();
    lines_.pop_front();
    return line;
  }
  [[nodiscard]] bool is_over() const override { return lines_.empty() && !is_more_to_come; }
  bool is_more_to_come = false;

 private:
  std::deque<std::string> lines_;
};

/// Everything that a script gives: its lines, and what is wrong behind a '!'.
std::string all_of(Script& script) {
  std::string all;
  while (!script.is_over()) {
    const auto line = script.next();
    if (!line) {
      all += "!" + line.error().where + " " + line.error().text + "\n";
    } else if (*line) {
      all += (*line)->where + " " + (*line)->text + "\n";
    } else if (!script.is_over()) {
      return all + "waits\n";
    }
  }
  return all;
}

std::string run(std::deque<std::string> lines) {
  Lines source(std::move(lines));
  Script script(source, "day");
  return all_of(script);
}

std::string file_of(const std::string& name, const std::string& text) {
  std::string path = ::testing::TempDir() + "dojima-" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(Script, gives_lines_with_their_places) {
  EXPECT_EQ(run({"list", "# a remark", "quit"}), "day:1 list\nday:2 # a remark\nday:3 quit\n");
  Lines typed({"list"});
  Script script(typed, "");
  EXPECT_EQ(all_of(script), " list\n");
}

TEST(Script, repeats_lines_and_repetitions) {
  EXPECT_EQ(run({"repeat 2", "a", "repeat 2", "b", "end", "end", "c"}),
            "day:2 a\nday:4 b\nday:4 b\nday:2 a\nday:4 b\nday:4 b\nday:7 c\n");
  EXPECT_EQ(run({"repeat 3", "end", "c"}), "day:3 c\n");
}

TEST(Script, waits_for_the_end_of_a_repetition_that_is_being_typed) {
  Lines source({"repeat 2", "a"});
  source.is_more_to_come = true;
  Script script(source, "day");
  EXPECT_EQ(all_of(script), "waits\n");
  source.is_more_to_come = false;
  EXPECT_EQ(all_of(script), "!day:1 repeat without an end\n");
}

TEST(Script, runs_files_in_files) {
  const std::string inner = file_of("inner.trade", "x\n");
  const std::string outer = file_of("outer.trade", "repeat 2\nsource " + inner + "\nend\ny\n");
  EXPECT_EQ(run({"source " + outer, "z"}), inner + ":1 x\n" + inner + ":1 x\n" + outer + ":4 y\n" + "day:2 z\n");
}

TEST(Script, says_where_something_is_wrong) {
  EXPECT_EQ(run({"a", "end"}), "day:1 a\n!day:2 end without a repeat before it\n");
  EXPECT_EQ(run({"source /nowhere/at.all", "a"}), "!day:1 source /nowhere/at.all: the file cannot be read\nday:2 a\n");
  const std::string open = file_of("open.trade", "repeat 2\na\n");
  EXPECT_EQ(run({"source " + open, "end"}),
            "!" + open + ":1 repeat without an end\n!day:2 end without a repeat before it\n");
}

TEST(Script, ends_a_file_that_runs_itself) {
  const std::string path = ::testing::TempDir() + "dojima-self.trade";
  std::ofstream(path) << "source " << path << "\n";
  EXPECT_NE(run({"source " + path}).find("more than 16 files"), std::string::npos);
}

}  // namespace
}  // namespace dojima::app
