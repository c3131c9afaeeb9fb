#include "dojima/harness/program_options.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace dojima::harness {
namespace {

TEST(ProgramOptions, put_what_was_given_where_it_belongs) {
  std::string word = "plain";
  std::uint64_t kills = 3;
  std::vector<std::string> symbols;
  std::optional<std::int64_t> begin, end;
  bool is_kept = false;
  ProgramOptions program("what it does");
  program.add("--word", word, "a word").one_of({"plain", "other"});
  program.add("--kills", kills, "how many").between(1, 10).show_default();
  program.add("--symbol", symbols, "two").required().values(2, 2);
  program.add("--begin", begin, "when");
  program.add("--end", end, "when").needs("--begin");
  program.add_flag("--keep", is_kept, "whether");
  constexpr std::array words{"program", "--word", "other", "--symbol", "A", "B", "--begin", "-7", "--keep"};
  EXPECT_FALSE(program.parse(static_cast<int>(words.size()), words.data()));
  EXPECT_EQ(word, "other");
  EXPECT_EQ(kills, 3u);
  EXPECT_EQ(symbols, (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(begin, -7);
  EXPECT_FALSE(end);
  EXPECT_TRUE(is_kept);
}

TEST(ProgramOptions, end_with_a_status_when_the_command_line_is_wrong_or_asks_for_help) {
  const auto status_of = [](const std::vector<const char*>& words) {
    std::string word;
    std::uint64_t kills = 3;
    std::optional<std::int64_t> begin, end;
    ProgramOptions program("what it does");
    program.add("--word", word, "a word").one_of({"plain", "other"}).required();
    program.add("--kills", kills, "how many").between(1, 10);
    program.add("--begin", begin, "when");
    program.add("--end", end, "when").needs("--begin");
    return program.parse(static_cast<int>(words.size()), words.data());
  };
  EXPECT_EQ(status_of({"program", "--word", "plain", "--kills", "10"}), std::nullopt);
  EXPECT_EQ(status_of({"program", "--help"}), 0);
  for (const std::vector<const char*>& wrong : {std::vector<const char*>{"program"},
                                                {"program", "--word", "third"},
                                                {"program", "--word", "plain", "--kills", "11"},
                                                {"program", "--word", "plain", "--end", "5"},
                                                {"program", "--word", "plain", "--unknown"}}) {
    const auto status = status_of(wrong);
    ASSERT_TRUE(status);
    EXPECT_NE(*status, 0);
  }
}

}  // namespace
}  // namespace dojima::harness
