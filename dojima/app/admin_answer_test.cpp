#include "dojima/app/admin_answer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

namespace dojima::app {
namespace {

using Words = std::vector<std::string>;

TEST(AdminWords, stand_between_spaces_or_quotation_marks) {
  EXPECT_EQ(admin_words("  kill\tA  "), (Words{"kill", "A"}));
  EXPECT_EQ(admin_words("logout A \"back at \\\"two\\\"\" \"\""), (Words{"logout", "A", "back at \"two\"", ""}));
  EXPECT_EQ(admin_words("a\" b\"c"), (Words{"a bc"}));
  EXPECT_EQ(admin_words(""), Words{});
  EXPECT_EQ(admin_words("logout \"A"), std::nullopt);
}

RC_GTEST_PROP(AdminWords, are_read_back_from_their_line, (const Words& words)) {
  RC_ASSERT(admin_words(admin_line(words)) == words);
}

TEST(AdminAnswers, are_read_back_from_their_json) {
  AdminAnswer answer;
  answer.text = "two \"rows\"";
  answer.columns = {"a", "b"};
  answer.rows = {{"1", "2"}, {"", "\n"}};
  EXPECT_EQ(parse_admin_answer(json_of(answer)), answer);
  EXPECT_EQ(parse_admin_answer(json_of(AdminAnswer::refusal("no"))), AdminAnswer::refusal("no"));
}

TEST(AdminAnswers, are_no_other_json) {
  for (const char* text : {"", "{}", "[]", "null", "{\"done\":1,\"text\":\"\",\"columns\":[],\"rows\":[]}",
                           "{\"done\":true,\"text\":\"\",\"columns\":[\"a\"],\"rows\":[[\"1\",\"2\"]]}"})
    EXPECT_EQ(parse_admin_answer(text), std::nullopt) << text;
}

TEST(AdminWords, are_written_down_without_passwords) {
  const auto shown = [](const Words& words) { return without_secrets(words); };
  EXPECT_EQ(shown({"user", "add", "ANN", "Rice#2026", "read"}), (Words{"user", "add", "ANN", "***", "read"}));
  EXPECT_EQ(shown({"user", "password", "ANN", "Rice#2026"}), (Words{"user", "password", "ANN", "***"}));
  EXPECT_EQ(shown({"user", "add", "ANN", "$scrypt$ln=14,r=8,p=1$a$b"}), (Words{"user", "add", "ANN", "$scrypt$..."}));
  EXPECT_EQ(shown({"user", "$scrypt$ln=14"}), (Words{"user", "$scrypt$..."})) << "wherever it stands";
  for (const Words& words : {Words{"user", "role", "ANN", "read"}, Words{"user", "add", "ANN"}, Words{}})
    EXPECT_EQ(shown(words), words);
}

}  // namespace
}  // namespace dojima::app
