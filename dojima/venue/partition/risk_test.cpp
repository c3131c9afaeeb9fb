// Who may do what before any book is asked.

#include "dojima/venue/partition/risk.hpp"

#include <gtest/gtest.h>

namespace dojima::venue {
namespace {

using market::Reason;
using market::SessionEnd;

class RiskOfTwoUsers : public ::testing::Test {
 protected:
  book::Slot add_order(std::uint16_t user) {
    return orders.add({.quantity = {5}, .owner = user, .side = market::Side::buy}, {}, 7);
  }
  static market::NewOrder order(std::uint16_t user, std::int64_t lots) {
    market::NewOrder command;
    command.header.user = user;
    command.terms.quantity = {lots};
    return command;
  }
  static market::UserCommand session(std::uint16_t user, market::CommandType type, SessionEnd end = SessionEnd::none) {
    return {.header = {.user = user, .type = type}, .end = end};
  }

  std::vector<UserSetUp> users{{.limits = {.open_orders = 1, .order_quantity = {10}}, .cancel_on_logout = false}, {}};
  book::OrderTable orders{{.capacity = 8, .owners = 2}};
  Risk risk{users, orders};
};

TEST_F(RiskOfTwoUsers, names_the_user_before_the_instrument_before_the_limits) {
  EXPECT_EQ(risk.check(order(2, 11), false), Reason::unknown_user);
  EXPECT_EQ(risk.check(order(0, 11), false), Reason::unknown_instrument);
  EXPECT_EQ(risk.check(order(0, 11), true), Reason::quantity_out_of_range);
  EXPECT_EQ(risk.check(order(0, 10), true), Reason::none);
  add_order(0);
  EXPECT_EQ(risk.check(order(0, 10), true), Reason::too_many_orders);
  EXPECT_EQ(risk.check(order(1, 1'000'000), true), Reason::none);
}

TEST_F(RiskOfTwoUsers, holds_a_replace_to_the_limits_only_when_the_order_is_the_users) {
  market::Replace replace;
  replace.quantity = {11};
  replace.order = orders.id(add_order(0));
  EXPECT_EQ(risk.check(replace, true), Reason::quantity_out_of_range);
  replace.order = orders.id(add_order(1));
  EXPECT_EQ(risk.check(replace, true), Reason::none);  // the book refuses it, as another's order
  replace.order = {};
  EXPECT_EQ(risk.check(replace, true), Reason::none);
}

TEST_F(RiskOfTwoUsers, keeps_who_is_logged_on_and_whose_orders_end_with_the_session) {
  EXPECT_FALSE(risk.admit(session(0, market::CommandType::logon)));
  EXPECT_TRUE(risk.is_logged_on(0));
  EXPECT_FALSE(risk.is_logged_on(1));
  EXPECT_FALSE(risk.admit(session(0, market::CommandType::end_session, SessionEnd::logout)));
  EXPECT_FALSE(risk.is_logged_on(0));
  EXPECT_TRUE(risk.admit(session(0, market::CommandType::end_session, SessionEnd::disconnect)));
  EXPECT_TRUE(risk.admit(session(1, market::CommandType::end_session, SessionEnd::forced)));
  EXPECT_FALSE(risk.admit(session(2, market::CommandType::end_session, SessionEnd::disconnect)));
}

TEST_F(RiskOfTwoUsers, admits_a_mass_cancel_of_a_user_or_of_the_operator) {
  EXPECT_TRUE(risk.admit(market::MassCancel{.header = {.user = 1, .type = market::CommandType::mass_cancel}}));
  market::MassCancel stranger{.header = {.user = market::k_no_user, .type = market::CommandType::mass_cancel}};
  EXPECT_FALSE(risk.admit(stranger));
  stranger.is_everyone = true;
  EXPECT_TRUE(risk.admit(stranger));
}

}  // namespace
}  // namespace dojima::venue
