#include "dojima/gateway/messages/venue_commands.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace dojima::gateway {
namespace {

Order live_order() {
  Order order;
  order.terms.side = market::Side::sell;
  order.terms.type = market::OrderType::limit;
  order.terms.quantity = {100};
  order.terms.displayed = {100};
  order.terms.limit = {1'000};
  order.terms.group = 5;
  order.instrument = 7;
  order.order_id = {77};
  order.current_request = 12;
  return order;
}

RC_GTEST_PROP(VenueCommands, a_number_comes_back_from_its_id, (std::uint64_t number)) {
  RC_ASSERT(number_of(venue_id_of(number)) == number);
}

TEST(VenueCommands, a_text_that_is_no_number_has_none) {
  EXPECT_EQ(number_of(Text<20>::cut("")), std::nullopt);
  EXPECT_EQ(number_of(Text<20>::cut("A-1")), std::nullopt);
  EXPECT_EQ(number_of(Text<20>::cut("zzzzzzzzzzzzzzzzzzzz")), std::nullopt) << "above 64 bits";
}

TEST(VenueCommands, a_cancel_addresses_the_order_by_the_venues_id) {
  const market::Cancel command = cancel_command(62, live_order());
  EXPECT_EQ(command.client_order_id.view(), "10");
  EXPECT_EQ(command.order.value, 77u);
  EXPECT_TRUE(command.original_client_order_id.is_empty());
  EXPECT_EQ(command.header.instrument, 7u);
  EXPECT_EQ(command.side, market::Side::sell);
}

TEST(VenueCommands, an_order_without_an_id_of_the_venue_is_addressed_by_its_request) {
  Order order = live_order();
  order.order_id = {};
  EXPECT_EQ(cancel_command(62, order).original_client_order_id, venue_id_of(12));
  EXPECT_EQ(replace_command(62, order, order.terms, {}).original_client_order_id, venue_id_of(12));
  EXPECT_EQ(replace_command(62, order, order.terms, {}).order.value, 0u);
}

TEST(VenueCommands, a_replace_says_every_final_value) {
  const Order order = live_order();
  market::OrderTerms terms = order.terms;
  terms.quantity = {150};
  terms.displayed = {20};
  terms.limit = {1'100};
  terms.group = 6;
  const market::Replace command = replace_command(63, order, terms, Text<10>::cut("ACC"));
  EXPECT_EQ(command.client_order_id.view(), "11");
  EXPECT_EQ(command.quantity.lots, 150);
  EXPECT_EQ(command.displayed.lots, 20);
  EXPECT_EQ(command.limit.units, 1'100);
  EXPECT_LT(command.stop.units, 0) << "it has no stop price";
  EXPECT_EQ(command.group, 6);
  EXPECT_EQ(command.account.view(), "ACC");
}

TEST(VenueCommands, a_replace_leaves_the_group_that_stays) {
  const Order order = live_order();
  EXPECT_EQ(replace_command(63, order, order.terms, {}).group, 0) << "0 is unchanged";
}

TEST(VenueCommands, an_offset_order_may_have_no_limit_and_others_say_so) {
  Order order = live_order();
  order.terms.limit = {};
  EXPECT_EQ(replace_command(63, order, order.terms, {}).limit.units, -1);
  order.terms.sub_type = market::OrderSubType::offset;
  EXPECT_EQ(replace_command(63, order, order.terms, {}).limit.units, 0);
}

}  // namespace
}  // namespace dojima::gateway
