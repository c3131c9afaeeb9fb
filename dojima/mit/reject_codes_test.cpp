#include "dojima/mit/reject_codes.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string_view>

namespace dojima::mit {
namespace {

TEST(RejectCodes, are_one_to_one_for_every_reason) {
  for (int number = 0; number <= static_cast<int>(market::k_last_reason); ++number) {
    const auto reason = static_cast<market::Reason>(number);
    EXPECT_EQ(reason_of(code_of(reason)), reason) << number;
  }
}

TEST(RejectCodes, use_documented_codes_where_there_are_some_and_the_own_range_elsewhere) {
  EXPECT_EQ(code_of(market::Reason::none), 0);
  EXPECT_EQ(code_of(market::Reason::unknown_instrument), 9000);
  EXPECT_EQ(code_of(market::Reason::unknown_user), 9100);
  EXPECT_EQ(code_of(market::Reason::expiry_passed), 1501);
  EXPECT_EQ(code_of(market::Reason::unknown_order), 20002);
  EXPECT_EQ(code_of(market::Reason::display_not_allowed), 20020);
  EXPECT_EQ(code_of(market::Reason::wrong_phase), 20028);
  EXPECT_EQ(reason_of(20028), market::Reason::wrong_phase);
  EXPECT_EQ(code_of(market::Reason::killed), 20905);
  EXPECT_EQ(code_of(market::Reason::by_operator), 20040);
}

TEST(RejectCodes, of_others_have_no_reason_of_ours) {
  for (const std::int32_t code : {-1, 1, 1000, 2000, 9901, 9998, 20000, 20001, 20003, 20023, 20029, 20041, 20901, 20903,
                                  std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()})
    EXPECT_EQ(reason_of(code), market::Reason::none) << code;
}

TEST(RejectCodes, every_code_has_words_of_its_own) {
  std::set<std::string_view> words;
  for (int number = 1; number <= static_cast<int>(market::k_last_reason); ++number) {
    const std::int32_t code = code_of(static_cast<market::Reason>(number));
    EXPECT_FALSE(words_of(code).empty()) << code;
    EXPECT_TRUE(words.insert(words_of(code)).second) << code << ' ' << words_of(code);
  }
  for (const std::int32_t code :
       {code::k_invalid_credentials, code::k_already_logged_in, code::k_new_password_refused, code::k_user_locked,
        code::k_password_expired, code::k_unauthorised_front_end, code::k_password_too_short, code::k_password_too_long,
        code::k_replace_quantity, code::k_value_missing, code::k_value_invalid, code::k_partition_suspended,
        code::k_system_suspended, code::k_not_logged_on, code::k_second_logon, code::k_no_session,
        code::k_rate_exceeded, code::k_logons_busy})
    EXPECT_TRUE(words.insert(words_of_logon(code)).second) << code << ' ' << words_of_logon(code);
  EXPECT_EQ(words_of_logon(code::k_user_not_found), words_of(code::k_unknown_user));
  EXPECT_EQ(words_of(code::k_new_password_refused), "") << "of a LogonReply only";
  EXPECT_EQ(words_of_logon(code::k_system_suspended), words_of(code::k_system_suspended));
  for (const std::int32_t code : {-1, 0, 5, 31, 424242}) EXPECT_EQ(words_of(code), "") << code;
}

}  // namespace
}  // namespace dojima::mit
