#include "dojima/gateway/messages/reasons.hpp"

#include <gtest/gtest.h>
#include <string>

#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

TEST(GatewayReasons, every_reason_has_words_and_keeps_the_venues_code) {
  for (int number = 1; number <= static_cast<int>(market::k_last_reason); ++number) {
    const std::int32_t code = mit::code_of(static_cast<market::Reason>(number));
    EXPECT_NE(words_of(code), words_of(424242)) << number;
    EXPECT_EQ(text_of(code).view(), std::to_string(code) + " " + std::string(words_of(code)));
  }
  EXPECT_EQ(text_of(424242).view(), "424242 refused by the venue");
  EXPECT_EQ(text_of(9900, "Symbol\x01").view(), "9900 Symbol?: required value missing");
}

TEST(GatewayReasons, a_field_that_the_venue_names_is_said_as_fix_names_it) {
  EXPECT_EQ(text_of(9901, "PassiveOnlyOrder").view(), "9901 PassiveOnlyOrder(27010): value, format or length invalid");
  EXPECT_EQ(text_of(9901, "Account").view(), "9901 Account(1): value, format or length invalid");
  EXPECT_EQ(text_of(9901, "PartyRoleQualifiers").view(),
            "9901 PartyRoleQualifier(2376), which PartyID(448) from 4 needs: value, format or length invalid");
  EXPECT_EQ(text_of(9901, "InvestmentDecisionMa").view(),
            "9901 PartyID(448) of PartyRole(452)=122: value, format or length invalid")
      << "a Reject has room for 20 characters";
  EXPECT_EQ(text_of(9901, "MessageLength").view(), "9901 MessageLength: value, format or length invalid");
}

TEST(GatewayReasons, reasons_map_to_what_fix_has_for_them) {
  using market::Reason;
  EXPECT_EQ(order_reject_of(Reason::unknown_instrument), 1);
  EXPECT_EQ(order_reject_of(Reason::book_closed), 2);
  EXPECT_EQ(order_reject_of(Reason::too_many_orders), 3);
  EXPECT_EQ(order_reject_of(Reason::not_supported), 11);
  EXPECT_EQ(order_reject_of(Reason::quantity_out_of_range), 13);
  EXPECT_EQ(order_reject_of(Reason::order_table_full), 0);
  EXPECT_EQ(order_reject_of(Reason::price_not_on_tick), 99);
  EXPECT_EQ(cancel_reject_of(Reason::unknown_order), 1);
  EXPECT_EQ(cancel_reject_of(Reason::not_owner), 1);
  EXPECT_EQ(cancel_reject_of(Reason::quantity_already_executed), 0);
  EXPECT_EQ(cancel_reject_of(Reason::book_closed), 2);
  EXPECT_EQ(cancel_reject_of(Reason::nothing_changed), 99);
}

}  // namespace
}  // namespace dojima::gateway
