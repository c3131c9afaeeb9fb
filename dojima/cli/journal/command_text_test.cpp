#include "dojima/cli/journal/command_text.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::cli {
namespace {

using market::CommandType;
using market::Price;
using market::Side;

/// 100.5 and 99.
constexpr Price k_price{10'050'000'000}, k_lower{9'900'000'000};

market::NewOrder some_order() {
  market::NewOrder order;
  order.terms.side = Side::buy;
  order.terms.type = market::OrderType::limit;
  order.terms.limit = k_price;
  order.terms.quantity = order.terms.displayed = {10};
  order.labels.client_order_id = Text<20>::cut("A1");
  return order;
}

TEST(CommandText, names_every_type_and_no_other) {
  for (int type = 0; type <= static_cast<int>(CommandType::checkpoint); ++type)
    EXPECT_NE(name_of(static_cast<CommandType>(type)), "unknown") << type;
  EXPECT_EQ(name_of(CommandType::none), "none");
  EXPECT_EQ(name_of(CommandType::new_order), "new order");
  EXPECT_EQ(name_of(CommandType::end_session), "end of session");
  EXPECT_EQ(name_of(CommandType::checkpoint), "checkpoint");
  EXPECT_EQ(name_of(static_cast<CommandType>(200)), "unknown");
}

TEST(CommandText, of_orders) {
  market::NewOrder order = some_order();
  EXPECT_EQ(details_of(order.header), "buy 10 limit at 100.5, day, id A1");
  order.terms.side = Side::sell;
  order.terms.displayed = {2};
  order.terms.minimum = {5};
  order.terms.time_in_force = market::TimeInForce::immediate_or_cancel;
  EXPECT_EQ(details_of(order.header), "sell 10 limit at 100.5, shows 2, at least 5, immediate or cancel, id A1");
  order = some_order();
  order.terms.type = market::OrderType::stop_limit;
  order.terms.stop = k_lower;
  order.terms.displayed = {0};
  EXPECT_EQ(details_of(order.header), "buy 10 stop limit at 100.5, stop price 99, hidden, day, id A1");
  order = some_order();
  order.terms.type = market::OrderType::market;
  EXPECT_EQ(details_of(order.header), "buy 10 market, day, id A1") << "a limit means nothing to it";
  order.terms.type = market::OrderType::trailing_stop;
  order.terms.stop = k_lower;
  order.labels.client_order_id = {};
  EXPECT_EQ(details_of(order.header), "buy 10 trailing stop, distance 99, day");
}

TEST(CommandText, of_every_time_in_force_says_it_in_words) {
  market::NewOrder order = some_order();
  for (const int time : {0, 1, 3, 4, 5, 6, 8, 9, 10, 12, 13, 50, 51, 52, 54, 55}) {
    order.terms.time_in_force = static_cast<market::TimeInForce>(time);
    EXPECT_EQ(details_of(order.header).find("no time in force"), std::string::npos) << time;
  }
  order.terms.time_in_force = static_cast<market::TimeInForce>(99);
  EXPECT_EQ(details_of(order.header), "buy 10 limit at 100.5, no time in force, id A1");
}

TEST(CommandText, of_replaces_and_cancels) {
  market::Replace replace{.order = {0xabc}, .limit = k_price, .quantity = {7}};
  replace.client_order_id = Text<20>::cut("A2");
  EXPECT_EQ(details_of(replace.header), "order 0000000000000abc: 7 at 100.5, id A2");
  replace.order = {};
  replace.original_client_order_id = Text<20>::cut("A1");
  EXPECT_EQ(details_of(replace.header), "order of id A1: 7 at 100.5, id A2");
  market::Cancel cancel{.order = {0xabc}};
  EXPECT_EQ(details_of(cancel.header), "order 0000000000000abc");
  cancel.client_order_id = Text<20>::cut("A3");
  EXPECT_EQ(details_of(cancel.header), "order 0000000000000abc, id A3");
  market::MassCancel mass;
  EXPECT_EQ(details_of(mass.header), "both sides");
  mass.side = Side::sell;
  mass.is_everyone = true;
  mass.segment = Text<4>::cut("FOOD");
  mass.client_order_id = Text<20>::cut("A4");
  EXPECT_EQ(details_of(mass.header), "sell, of everybody, segment FOOD, id A4");
}

TEST(CommandText, of_sessions_and_the_day) {
  market::UserCommand session{.header = {.type = CommandType::logon}};
  EXPECT_EQ(details_of(session.header), "");
  session.header.type = CommandType::end_session;
  EXPECT_EQ(details_of(session.header), "no reason");
  session.end = market::SessionEnd::logout;
  EXPECT_EQ(details_of(session.header), "logout");
  session.end = market::SessionEnd::disconnect;
  EXPECT_EQ(details_of(session.header), "disconnect");
  session.end = market::SessionEnd::forced;
  EXPECT_EQ(details_of(session.header), "forced");
  market::Expire expire;
  EXPECT_EQ(details_of(expire.header), "");
  expire.is_end_of_day = true;
  EXPECT_EQ(details_of(expire.header), "day orders too");
  market::PhaseChange phase{.phase = market::Phase::opening_call};
  EXPECT_EQ(details_of(phase.header), "opening call");
  phase.reference = k_price;
  EXPECT_EQ(details_of(phase.header), "opening call, reference 100.5");
  phase.phase = static_cast<market::Phase>(99);
  EXPECT_EQ(details_of(phase.header), "no phase, reference 100.5");
  market::DayCommand day{.event = market::DayEvent::beyond_static};
  EXPECT_EQ(details_of(day.header), "beyond the static band");
  day.event = market::DayEvent::begin;
  day.segment = Text<4>::cut("FOOD");
  EXPECT_EQ(details_of(day.header), "begin, segment FOOD");
  day.event = static_cast<market::DayEvent>(99);
  EXPECT_EQ(details_of(day.header), "no event, segment FOOD");
}

TEST(CommandText, of_settings_and_checkpoints) {
  market::Setting setting{.size = 11};
  std::string("a = 1\nb = 2").copy(setting.text, sizeof setting.text);
  EXPECT_EQ(details_of(setting.header), "a = 1|b = 2");
  setting.size = 255;
  EXPECT_EQ(details_of(setting.header).size(), sizeof setting.text) << "never beyond its room";
  const market::Checkpoint checkpoint{.digest = 0x12};
  EXPECT_EQ(details_of(checkpoint.header), "0000000000000012");
  market::CommandHeader none;
  EXPECT_EQ(details_of(none), "");
}

}  // namespace
}  // namespace dojima::cli
