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
  const auto shown = [](const Words& words) { return without_secrets(words, true); };
  const std::string hash = "$scrypt$ln=14,r=8,p=1$a$b";
  EXPECT_EQ(
      shown({"user", "add", "ANN", hash, "read", "first", "account=HOUSE", "max_rate=10", "--", "she joins"}),
      (Words{"user", "add", "ANN", "$scrypt$...", "read", "first", "account=HOUSE", "max_rate=10", "--", "she joins"}));
  EXPECT_EQ(shown({"user", "password", "ANN", hash}), (Words{"user", "password", "ANN", "$scrypt$..."}));
  EXPECT_EQ(shown({"user", "add", "ANN", "-"}), (Words{"user", "add", "ANN", "-"}));
  EXPECT_EQ(shown({"user", "$scrypt$ln=14"}), (Words{"user", "$scrypt$..."})) << "wherever it is";
  for (const Words& words :
       {Words{"user", "role", "ANN", "read"}, Words{"user", "remove", "ANN", "--", "left"},
        Words{"user", "lock", "ANN"}, Words{"lock", "ANN", "--", "why not"}, Words{"limits", "ANN", "max_rate=10"},
        Words{"next-day", "--", "over"}, Words{"logout", "ANN", "come back at two"}, Words{}})
    EXPECT_EQ(shown(words), words);
}

TEST(AdminWords, show_nothing_of_a_command_that_is_not_whole_and_may_have_a_password) {
  const std::string secret = "Rice#2026", hash = "$scrypt$ln=14,r=8,p=1$a$b";
  struct Case {
    Words words, shown;
  };
  const std::vector<Case> of_a_verb = {
      {{"user", "add", "ANN", secret, "read"}, {"user", "add", "***", "***", "***"}},
      {{"user", "add", secret, "ANN"}, {"user", "add", "***", "***"}},
      {{"user", "add", secret}, {"user", "add", "***"}},
      {{"user", "ad", "ANN", secret}, {"user", "ad", "***", "***"}},
      {{"user", secret, "ANN"}, {"user", "***", "***"}},
      {{"user", "add", "ANN", hash, secret}, {"user", "add", "ANN", "$scrypt$...", "***"}},
      {{"user", "add", "ANN", hash, "max_rate=" + secret}, {"user", "add", "ANN", "$scrypt$...", "***"}},
      {{"user", "password", "ANN", secret, "first"}, {"user", "password", "***", "***", "***"}},
      {{"user", "password", "ANN", "--", secret}, {"user", "password", "***", "--", "***"}},
      {{"user", "role", "ANN", secret}, {"user", "role", "ANN", "***"}},
      {{"user", "expire", "ANN", secret}, {"user", "expire", "ANN", "***"}},
      {{"users", "add", "ANN", secret}, {"users", "***", "***", "***"}},
      {{"users", secret}, {"users", "***"}},
      {{"expire", "ANN", secret}, {"expire", "ANN", "***"}},
      {{"lock", "ANN", secret}, {"lock", "ANN", "***"}},
  };
  for (const Case& each : of_a_verb) EXPECT_EQ(without_secrets(each.words, true), each.shown) << admin_line(each.words);
  const std::vector<Case> of_none = {
      {{"usr", "add", "ANN", secret}, {"usr", "***", "***", "***"}},
      {{"add", "ANN", secret, "--", "joins"}, {"add", "***", "***", "--", "***"}},
      {{"password", secret}, {"password", "***"}},
      {{secret}, {"***"}},
      {{"useradd", "ANN", hash}, {"useradd", "***", "$scrypt$..."}},
  };
  for (const Case& each : of_none) EXPECT_EQ(without_secrets(each.words, false), each.shown) << admin_line(each.words);
}

}  // namespace
}  // namespace dojima::app
