#include "dojima/app/trade/completion.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::app {
namespace {

const std::vector<std::string> k_symbols{"HIGO", "KAGA", "KAGI"};

std::string inserted(std::string_view before) {
  return complete(before, k_symbols).insertion;
}
std::vector<std::string> choices(std::string_view before) {
  return complete(before, k_symbols).choices;
}

TEST(Completion, finishes_commands) {
  EXPECT_EQ(inserted("am"), "end ");
  EXPECT_EQ(inserted("AM"), "end ");
  EXPECT_EQ(choices("se"), (std::vector<std::string>{"sell", "securities", "session"}));
  EXPECT_EQ(inserted("xyz"), "");
  EXPECT_GT(choices("").size(), 10u);
}

TEST(Completion, finishes_what_all_candidates_have_in_common) {
  EXPECT_EQ(inserted("buy 5 K"), "AG");
  EXPECT_EQ(choices("buy 5 K"), (std::vector<std::string>{"KAGA", "KAGI"}));
}

TEST(Completion, finishes_words_and_options_of_an_order) {
  EXPECT_EQ(inserted("buy 5 H"), "IGO ");
  EXPECT_EQ(inserted("market sell 5 h"), "IGO ");
  EXPECT_EQ(inserted("sell 5 KAGA @ 12 disp"), "lay=");
  EXPECT_EQ(inserted("buy 5 KAGA @ 12 io"), "c ");
  EXPECT_EQ(inserted("buy "), "") << "a quantity";
}

TEST(Completion, knows_what_follows_other_commands) {
  EXPECT_EQ(inserted("masscancel sy"), "mbol ");
  EXPECT_EQ(inserted("masscancel symbol h"), "IGO ");
  EXPECT_EQ(inserted("expect 3 fi"), "lled ");
  EXPECT_EQ(inserted("cancel a"), "ll ");
  EXPECT_EQ(inserted("list "), "");
}

}  // namespace
}  // namespace dojima::app
