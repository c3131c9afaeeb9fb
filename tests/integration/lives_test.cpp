// What is true after a gateway, a venue or both were killed and started again: first the failures that made this
// necessary, one by one, then random days with kills at any instant.

#include "tests/integration/lives_scenario.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace dojima::integration {
namespace {

using journal::Durability;

TEST(Lives, a_venue_that_lost_its_orders_is_noticed_and_no_cancel_hits_another_order) {
  Scenario day;
  const std::string lost = day.lives.enter(day.ann, "1", 100, "99");
  EXPECT_EQ(day.last_report(), "8 11=D-1 41= 150=0 39=0 38=100 32= 14=0 103= 102= 380= 58=");
  day.lives.kill_venue(false);
  day.lives.empty_venue_disk();
  day.lives.start_venue();
  day.lives.run(2s);
  EXPECT_EQ(day.last_report(),
            "8 11=D-1 41= 150=4 39=4 38=100 32= 14=0 103= 102= 380= 58=the venue no longer has this: another one "
            "answers, or it lost what it had; executions may be missing");
  // The next order has the id that the lost one had.
  const std::string live = day.lives.enter(day.ann, "1", 50, "95");
  EXPECT_EQ(day.last_report(), "8 11=D-2 41= 150=0 39=0 38=50 32= 14=0 103= 102= 380= 58=");
  day.lives.change(day.ann, 'F', lost);
  EXPECT_EQ(day.last_report().substr(0, 30), "9 11=F-3 41=D-1 150= 39=8 38= ");
  EXPECT_EQ(day.lives.resting(0), 50u);
  day.lives.change(day.ann, 'F', live);
  EXPECT_EQ(day.last_report().substr(0, 31), "8 11=F-4 41=D-2 150=4 39=4 38=5");
  EXPECT_EQ(day.lives.resting(0), 0u);
}

TEST(Lives, a_killed_gateway_books_executions_to_the_orders_that_they_are_of) {
  Scenario day;
  day.lives.enter(day.ann, "1", 55, "99");
  day.received();
  day.lives.kill_gateway(false);
  day.lives.run(1s);
  day.lives.start_gateway();
  day.lives.settle();
  EXPECT_EQ(day.received(), std::vector<std::string>{});
  day.lives.enter(day.ann, "1", 55, "95");
  EXPECT_EQ(day.last_report(), "8 11=D-2 41= 150=0 39=0 38=55 32= 14=0 103= 102= 380= 58=");
  day.lives.enter(day.bob, "2", 55, "99");
  day.received();
  day.lives.check();
}

TEST(Lives, what_happened_while_a_gateway_was_dead_is_reported_when_it_is_back) {
  Scenario day({.seed = 1, .cancels_on_disconnect = true, .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  day.received();
  day.lives.kill_gateway(false);
  day.lives.run(1s);
  EXPECT_EQ(day.lives.resting(0), 0u);
  day.lives.start_gateway();
  day.lives.settle();
  EXPECT_EQ(day.last_report().substr(0, 47), "8 11=D-1 41= 150=C 39=C 38=55 32= 14=0 103= 102");
  day.lives.check();
}

TEST(Lives, a_user_above_its_limit_hears_that_its_orders_ended) {
  Scenario day({.seed = 1, .cancels_on_disconnect = true, .throttle = 20, .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  EXPECT_EQ(day.last_report().substr(0, 22), "8 11=D-1 41= 150=0 39=");
  for (int count = 0; count < 150; ++count) {
    day.lives.enter(day.ann, "1", 1, "90");
    day.lives.run(30ms);
  }
  day.lives.run(3s);
  std::size_t ended = 0;
  for (const std::string& line : day.received()) ended += line.starts_with("8 11=D-1 41= 150=C 39=C") ? 1U : 0U;
  EXPECT_EQ(ended, 1u);
  day.lives.check();
}

TEST(Lives, a_request_that_never_arrived_is_answered_when_the_venue_is_back) {
  Scenario day;
  const std::string first = day.lives.enter(day.ann, "1", 10, "99");
  day.received();
  day.lives.enter(day.ann, "1", 20, "98");
  day.lives.change(day.ann, 'F', first);
  day.lives.run(70us);  // on their way from the gateway to the venue
  EXPECT_EQ(day.lives.counters().sent, 3u);
  day.lives.kill_venue(false);
  day.lives.start_venue();
  day.lives.settle();
  std::vector<std::string> received = day.received();
  for (std::string& line : received) line.resize(23);
  EXPECT_EQ(received, (std::vector<std::string>{"8 11=D-2 41= 150=8 39=8", "9 11=F-3 41=D-1 150= 39"}));
  EXPECT_EQ(day.lives.counters().settled, 2u);
  EXPECT_EQ(day.lives.resting(0), 10u);
  day.lives.check();
}

/// The reports of a long absence are no longer in the venue's log.
TEST(Lives, what_is_older_than_the_report_log_comes_from_the_venues_journal) {
  LivesOptions options = calm();
  options.orders = 40;
  Scenario day(options);
  day.lives.enter(day.ann, "1", 55, "99");
  day.received();
  day.lives.kill_gateway(false);
  for (int count = 0; count < 200; ++count) {  // of somebody else
    market::NewOrder order;
    order.header.instrument = 8;
    order.header.user = 1;
    order.terms.side = count % 2 == 0 ? market::Side::buy : market::Side::sell;
    order.terms.limit = {100 * market::k_price_scale};
    order.terms.quantity = order.terms.displayed = {1};
    order.terms.type = market::OrderType::limit;
    order.terms.capacity = market::Capacity::dealing;
    if (count == 3) {  // fills the one that rests
      order.header.instrument = 7;
      order.terms.quantity = order.terms.displayed = {20};
      order.terms.limit = {99 * market::k_price_scale};
    }
    ASSERT_TRUE(day.lives.venue->partition().submit(order.header, day.lives.scheduler.now()).has_value());
    day.lives.run(100us, false);
  }
  ASSERT_GT(day.lives.venue->partition().reports().first_kept().value, 20u);
  day.lives.start_gateway();
  day.lives.settle();
  EXPECT_GT(day.lives.venue->recovery->counters().archived, 0u);
  EXPECT_EQ(day.last_report().substr(0, 45), "8 11=D-1 41= 150=F 39=1 38=55 32=20 14=20 103");
}

TEST(Lives, a_client_that_is_lost_has_no_orders_at_the_venue_and_gets_the_reports) {
  Scenario day({.seed = 1, .cancel = gateway::CancelOnDisconnect::disconnect, .grace = 1s, .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  day.lives.enter(day.ann, "1", 45, "98", "BETA");
  day.lives.enter(day.bob, "1", 10, "97");
  day.received();
  day.lives.network.cut(day.ann.client.session);
  day.lives.run(900ms, false);
  EXPECT_EQ(day.lives.resting(0), 100u);
  day.lives.run(200ms, false);
  EXPECT_EQ(day.lives.resting(0), 0u);
  EXPECT_EQ(day.lives.resting(1), 10u) << "nobody else's";
  day.lives.settle();
  std::vector<std::string> received = day.received();
  ASSERT_EQ(received.size(), 2u);
  std::ranges::sort(received);
  EXPECT_EQ(received[0],
            "8 11=D-1 41= 150=4 39=4 38=55 32= 14=0 103= 102= 380= 58=cancelled because the connection to the client "
            "was lost");
  EXPECT_EQ(received[1].substr(0, 28), "8 11=D-2 41= 150=4 39=4 38=4");
  day.lives.check();
}

TEST(Lives, a_gateway_that_dies_with_its_client_cancels_in_its_next_life) {
  Scenario day({.seed = 1, .cancel = gateway::CancelOnDisconnect::disconnect, .grace = 2s, .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  day.received();
  day.lives.network.cut(day.ann.client.session);
  day.lives.run(500ms, false);
  day.lives.kill_gateway(false);
  day.lives.run(10s, false);
  EXPECT_EQ(day.lives.resting(0), 55u);
  day.lives.start_gateway();
  day.lives.run(500ms, false);  // the grace was over long ago
  EXPECT_EQ(day.lives.resting(0), 0u);
  day.lives.settle();
  EXPECT_EQ(day.last_report().substr(0, 27), "8 11=D-1 41= 150=4 39=4 38=");
  day.lives.check();
}

/// The venue has done what the gateway asked for and died before it could know.
TEST(Lives, a_gateway_that_died_behind_its_mass_cancel_reports_why_the_orders_ended) {
  Scenario day({.seed = 1, .cancel = gateway::CancelOnDisconnect::disconnect, .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  day.received();
  day.lives.network.cut(day.ann.client.session);
  for (int count = 0; count < 100 && day.lives.resting(0) != 0; ++count) day.lives.run(10us, false);
  EXPECT_EQ(day.lives.resting(0), 0u);
  day.lives.kill_gateway(false);  // the reports are on their way
  EXPECT_EQ(day.received(), std::vector<std::string>{});
  day.lives.start_gateway();
  day.lives.settle();
  EXPECT_EQ(day.last_report(),
            "8 11=D-1 41= 150=4 39=4 38=55 32= 14=0 103= 102= 380= 58=cancelled because the connection to the client "
            "was lost");
  day.lives.check();
}

/// Both at the venue under one name.
TEST(Lives, a_lost_client_that_shares_its_user_loses_its_own_orders_also_where_the_venue_dies_meanwhile) {
  Scenario day({.seed = 1,
                .is_shared = true,
                .cancel = gateway::CancelOnDisconnect::disconnect,
                .grace = 1s,
                .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  day.lives.enter(day.bob, "1", 10, "97");
  day.lives.enter(day.ann, "1", 45, "98", "BETA");
  day.received();
  day.lives.network.cut(day.ann.client.session);
  day.lives.run(500ms, false);
  day.lives.kill_venue(false);
  day.lives.start_venue();
  day.lives.run(2s, false);
  EXPECT_EQ(day.lives.resting(0), 10u);
  day.lives.settle();
  std::vector<std::string> received = day.received();
  ASSERT_EQ(received.size(), 2u);
  for (const std::string& line : received) EXPECT_NE(line.find(" 150=4 39=4 "), std::string::npos) << line;
  day.lives.check();
}

/// Of two clients of one venue user the one that is lost has its order cancelled by a cancel of the gateway's own,
/// which comes too late: the order was filled meanwhile. The gateway is killed before it hears of either.
TEST(Lives, a_cancel_of_the_gateways_own_that_came_too_late_concerns_nobody_in_its_next_life) {
  Scenario day(
      {.seed = 1, .is_shared = true, .cancel = gateway::CancelOnDisconnect::disconnect, .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  day.received();
  day.lives.network.cut(day.ann.client.session);
  day.lives.run(110us, false);  // the gateway has heard of it, its cancel is on the way
  ASSERT_EQ(day.lives.resting(0), 55u);
  market::NewOrder order;
  order.header.instrument = 7;
  order.header.user = 1;
  order.terms.side = market::Side::sell;
  order.terms.limit = {99 * market::k_price_scale};
  order.terms.quantity = order.terms.displayed = {55};
  order.terms.type = market::OrderType::limit;
  order.terms.capacity = market::Capacity::dealing;
  ASSERT_TRUE(day.lives.venue->partition().submit(order.header, day.lives.scheduler.now()).has_value());
  const std::uint64_t reports = day.lives.venue->partition().reports().end();
  for (int count = 0; count < 60 && day.lives.venue->partition().reports().end() == reports; ++count)
    day.lives.run(1us, false);
  ASSERT_EQ(day.lives.venue->partition().reports().end(), reports + 1) << "the refusal of the cancel";
  day.lives.kill_gateway(false);
  EXPECT_EQ(day.received(), std::vector<std::string>{});
  day.lives.start_gateway();
  day.lives.settle();
  EXPECT_EQ(day.last_report(), "8 11=D-1 41= 150=F 39=2 38=55 32=55 14=55 103= 102= 380= 58=");
  EXPECT_EQ(day.lives.counters().recovered, 1u) << "the fill; the refusal is not kept";
  EXPECT_EQ(day.lives.counters().strays, 0u);
}

TEST(Lives, a_venue_that_lost_its_orders_loses_them_for_no_other) {
  LivesOptions options = calm();
  options.has_second = true;
  Scenario day(options);
  day.lives.enter(day.ann, "1", 100, "99");
  day.lives.enter(day.ann, "1", 50, "98", "BETA");
  day.received();
  day.lives.kill_second(false);
  day.lives.second_disk.restart();
  const auto names = day.lives.second_disk.list();
  for (const std::string& name : *names) ASSERT_TRUE(day.lives.second_disk.remove(name).has_value());
  day.lives.start_second();
  day.lives.settle();
  EXPECT_EQ(day.last_report().substr(0, 23), "8 11=D-2 41= 150=4 39=4");
  EXPECT_EQ(day.lives.counters().lost_orders, 1u);
  EXPECT_EQ(day.lives.resting(0), 100u);
  day.lives.change(day.ann, 'F', "D-1");
  EXPECT_EQ(day.last_report().substr(0, 26), "8 11=F-3 41=D-1 150=4 39=4");
}

TEST(Lives, an_order_that_waited_for_the_rate_is_answered_by_the_next_life) {
  Scenario day(
      {.seed = 1, .limits = {.rate = 1, .rate_action = gateway::RateAction::queue}, .network = {.delay = 50us}});
  day.lives.enter(day.ann, "1", 55, "99");
  day.lives.enter(day.ann, "1", 20, "98");
  day.received();
  day.lives.kill_gateway(false);
  day.lives.start_gateway();
  day.lives.settle();
  EXPECT_EQ(day.last_report().substr(0, 24), "8 11=D-2 41= 150=8 39=8 ");
  EXPECT_EQ(day.lives.resting(0), 55u);
  day.lives.check();
}

/// A day of a seed.
void live(std::uint64_t seed, int steps) {
  LivesOptions options{.seed = seed};
  options.durability = seed % 3 == 0 ? Durability::power : Durability::process;
  options.cancels_on_disconnect = seed % 2 == 0;
  if (seed % 5 == 0) options.network.max_delivery = 60;
  if (seed % 7 == 0) options.orders = 60;
  if (seed % 4 == 1) options.cancel = gateway::CancelOnDisconnect::logout;
  if (seed % 8 == 1) options.grace = 500ms;
  if (seed % 4 >= 2) options.limits = {.rate = 100, .rate_action = gateway::RateAction::queue, .queue = 30};
  options.has_busts = seed % 4 < 2;
  options.is_shared = seed % 3 == 1;
  options.has_sub_id = seed % 4 == 2 || seed % 4 == 1;
  if (seed % 2 == 1) options.chain = 4;
  options.has_second = seed % 5 >= 3;
  options.has_standby = seed % 2 == 1;
  options.has_quotes = seed % 3 != 1;
  options.has_slow_disk = seed % 3 == 2 || seed % 8 == 3;
  options.has_days = seed % 5 == 1 || seed % 5 == 4;
  options.has_copy = seed % 6 < 2;
  Lives lives(options);
  lives.settle();
  for (int step = 0; step < steps; ++step) {
    lives.act();
    lives.run(time::Duration{lives.draw(3'000'000)});
    lives.listen();
    if (lives.draw(15) == 0) lives.kill_something();
    if (lives.draw(40) == 0) lives.network.cut(lives.traders[lives.draw(Lives::k_traders)]->client.session);
    // Mostly while everybody is there, but whoever is killed may be in the middle of it.
    if (options.has_days && lives.draw(12) == 0 && (lives.is_ready() || lives.draw(8) == 0))
      lives.end_day(options.has_second && lives.draw(2) == 0);
  }
  lives.check();
}

/// Each side is an order of its own in the books of all three.
TEST(Lives, a_quote_whose_answer_came_after_the_gateway_died_is_reported_in_its_next_life) {
  Scenario day;
  day.lives.quote(day.ann, 95, 10, 105, 20);
  day.received();
  day.lives.quote(day.ann, 96, 30, 104, 0);
  for (int count = 0; count < 100 && day.lives.resting(0) != 30; ++count) day.lives.run(10us);
  EXPECT_EQ(day.lives.resting(0), 30u);
  day.lives.kill_gateway(false);  // the reports are on their way
  EXPECT_EQ(day.received(), std::vector<std::string>{});
  day.lives.start_gateway();
  day.lives.settle();
  const std::vector<std::string> received = day.received();
  ASSERT_EQ(received.size(), 2u);
  EXPECT_EQ(received[0].substr(0, 29), "8 11=S-2 41=S-1 150=5 39=0 38");
  EXPECT_EQ(received[1].substr(0, 29), "8 11=S-2 41=S-1 150=4 39=4 38");
  // The next one amends the side that is left and brings the other anew.
  day.lives.quote(day.ann, 97, 30, 103, 5);
  const std::vector<std::string> next = day.received();
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(next[0].substr(0, 21), "8 11=S-3 41=S-2 150=5");
  EXPECT_EQ(next[1].substr(0, 18), "8 11=S-3 41= 150=0");
  day.lives.check();
}

TEST(Lives, a_quote_that_never_arrived_leaves_the_one_before_it) {
  Scenario day;
  day.lives.quote(day.ann, 95, 10, 105, 20);
  day.received();
  day.lives.quote(day.ann, 96, 30, 104, 5);
  day.lives.run(70us);  // on its way from the gateway to the venue
  day.lives.kill_venue(false);
  day.lives.start_venue();
  day.lives.settle();
  EXPECT_EQ(day.last_report().substr(0, 2), "AI");
  EXPECT_EQ(day.lives.resting(0), 30u);
  day.lives.check();
}

/// What others took meanwhile, the venue has no more of: it refuses the quote, by its number.
TEST(Lives, a_quote_that_takes_back_what_was_filled_is_answered) {
  Scenario day;
  day.lives.quote(day.ann, 95, 0, 105, 20);
  day.received();
  day.lives.enter(day.bob, "1", 20, "105");
  day.lives.run(time::Duration{60us});
  day.lives.quote(day.ann, 95, 0, 105, 0);  // crosses the report of the fill
  const std::vector<std::string> received = day.received();
  std::size_t refused = 0;
  for (const std::string& line : received) refused += line.starts_with("AI") ? 1U : 0U;
  EXPECT_EQ(refused, 1U) << (received.empty() ? "" : received.back());
  day.lives.check();
}

/// Ann buys forty of Bob. While the gateway is dead the venue's operator does something about that trade, and then the
/// venue dies as well; what the clients hear when all are back.
template <class Change>
std::vector<std::string> heard_of_a_trade_changed_meanwhile(Scenario& day, Change change) {
  day.lives.enter(day.ann, "1", 100, "99");
  day.lives.enter(day.bob, "2", 40, "99");
  day.received();
  const std::uint64_t trade = day.lives.venue->partition().next_trade() - 1;
  day.lives.kill_gateway(false);
  EXPECT_TRUE(change(trade));
  day.lives.run(1s);
  day.lives.kill_venue(false);
  day.lives.start_venue();
  day.lives.start_gateway();
  day.lives.settle();
  return day.received();
}

std::ptrdiff_t count_of(const std::vector<std::string>& received, std::string_view words) {
  return std::ranges::count_if(received, [=](const std::string& line) { return line.contains(words); });
}

TEST(Lives, a_trade_that_was_busted_while_the_gateway_was_dead_is_taken_back_once_when_it_is_back) {
  Scenario day;
  std::uint64_t busted = 0;
  const auto bust = [&](std::uint64_t trade) {
    busted = trade;
    return day.lives.venue->front->bust_trade(7, trade, day.lives.scheduler.now());
  };
  EXPECT_EQ(count_of(heard_of_a_trade_changed_meanwhile(day, bust), "150=H"), 2) << "one for each side";
  EXPECT_EQ(day.ann.ledger.bought(), 0);
  EXPECT_EQ(day.bob.ledger.sold(), 0);
  EXPECT_EQ(day.ann.ledger.complaints(), std::vector<std::string>{});
  EXPECT_EQ(bust(busted).error().code, ErrorCode::wrong_state);
}

TEST(Lives, a_trade_that_was_corrected_while_the_gateway_was_dead_has_its_price_once_it_is_back) {
  Scenario day;
  const auto correct = [&](std::uint64_t trade) {
    return day.lives.venue->front->correct_trade(7, trade, {95 * market::k_price_scale}, day.lives.scheduler.now());
  };
  EXPECT_EQ(count_of(heard_of_a_trade_changed_meanwhile(day, correct), "150=G"), 2) << "one for each side";
  EXPECT_EQ(day.ann.ledger.bought(), 40);
  EXPECT_EQ(day.bob.ledger.sold(), 40);
  EXPECT_EQ(day.ann.ledger.complaints(), std::vector<std::string>{});
  EXPECT_EQ(day.bob.ledger.complaints(), std::vector<std::string>{});
}

/// The gateway's process ends at the `step`-th instant of a small day, and its standby goes on. False: it had not
/// ended.
bool takes_over_at(std::uint64_t step) {
  LivesOptions options = calm(step);
  options.has_standby = true;
  options.durability = step % 3 == 0 ? Durability::power : Durability::process;
  Lives lives(options);
  lives.is_restarting = false;
  lives.settle();
  lives.gateway_fuse.light(step, false);
  Lives::Trader& ann = *lives.traders[0];
  Lives::Trader& bob = *lives.traders[1];
  const std::string first = lives.enter(ann, "1", 100, "99");
  lives.run(time::Duration{150us});
  const std::string second = lives.enter(ann, "1", 50, "98");
  lives.run(time::Duration{400us});
  lives.enter(bob, "2", 40, "99");
  lives.run(time::Duration{150us});
  lives.change(ann, 'G', first);
  lives.change(ann, 'F', second);
  lives.run(3ms);
  lives.listen();
  const bool has_ended = !lives.gateway;
  if (has_ended) {
    EXPECT_TRUE(lives.standby);
    lives.start_gateway();
    EXPECT_EQ(lives.takeovers, 1u);
  }
  lives.enter(bob, "2", 10, "95");
  lives.check();
  return has_ended;
}

TEST(Lives, a_standby_goes_on_where_the_gateway_ended) {
  EXPECT_TRUE(takes_over_at(1));
  EXPECT_TRUE(takes_over_at(6));
  EXPECT_TRUE(takes_over_at(11));
}

TEST(LivesLong, a_standby_goes_on_wherever_the_gateway_ends) {
  std::uint64_t step = 1;
  while (takes_over_at(step) && !HasFailure()) ++step;
  EXPECT_GT(step, 20u) << "the day has more instants";
}

/// Requests that the gateway refuses itself, until the answer to one of them begins another segment of its journal, or
/// up to the `last`-th, at whose `step`-th instant the process ends. How many there were.
std::size_t refuse_until_segment(std::size_t last, std::uint64_t step) {
  LivesOptions options = calm();
  options.has_slow_disk = true;  // its segments are small
  Lives lives(options);
  lives.is_restarting = false;
  lives.settle();
  Lives::Trader& ann = *lives.traders[0];
  const std::uint64_t segment = lives.gateway->stores->journal().segment_in_use();
  std::size_t count = 0;
  while (count < last && lives.gateway->stores->journal().segment_in_use() == segment) {
    if (++count == last) lives.gateway_fuse.light(step, false);
    lives.quote(ann, 95, 0, 105, 0);  // there is none to take back
    lives.run(200us);
    if (!lives.gateway) break;
  }
  if (step != 0) {
    EXPECT_FALSE(lives.gateway) << "the request has fewer instants";
    if (!lives.gateway) lives.start_gateway();
  }
  lives.check();
  return count;
}

/// With the segment's first record the numbers of all sessions are written anew, before the request has been counted.
TEST(Lives, a_gateway_that_ends_behind_an_answer_that_began_a_segment_answers_once) {
  const std::size_t last = refuse_until_segment(1000, 0);
  ASSERT_LT(last, 1000u);
  EXPECT_EQ(refuse_until_segment(last, 1), last);
  EXPECT_EQ(refuse_until_segment(last, 2), last);
}

/// Nothing is refused, lost or reported twice because the gateway's disk makes no segment in time.
TEST(Lives, a_slow_disk_slows_the_gateway_and_loses_nothing) {
  LivesOptions options = calm(2);
  options.has_slow_disk = true;
  options.has_quotes = options.has_busts = true;
  Lives lives(options);
  lives.is_restarting = false;
  lives.settle();
  for (int step = 0; step < 400; ++step) {
    lives.act();
    if (step % 8 == 7) lives.run(1ms);
    lives.listen();
  }
  EXPECT_GT(lives.counters().journal_waits, 0u);
  lives.check();
}

TEST(Lives, random_days_with_kills_lose_and_double_nothing) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) live(seed, 60);
}

TEST(LivesLong, random_days_with_kills_lose_and_double_nothing) {
  const char* const wanted = std::getenv("DOJIMA_LIVES");
  const std::uint64_t seeds = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 60;
  const char* const first = std::getenv("DOJIMA_LIVES_FIRST");
  const std::uint64_t begin = first != nullptr ? std::strtoull(first, nullptr, 10) : 1000;
  for (std::uint64_t seed = begin; seed < begin + seeds && !HasFailure(); ++seed) live(seed, 300);
}

/// The venue's operator holds the recovery back while a gateway comes again: it waits for as long as that takes, beyond
/// what counts as refused for good, and then everything arrives once.
TEST(Lives, a_gateway_waits_for_a_recovery_that_is_not_available_and_everything_arrives_once) {
  for (const bool is_late : {false, true}) {
    SCOPED_TRACE(is_late);
    Scenario day;
    day.lives.enter(day.ann, "1", 100, "99");
    day.received();
    day.lives.kill_gateway(false);
    day.lives.sell_at_venue(3, 99);
    day.lives.venue->recovery->set_available(0, false);
    day.lives.start_gateway();
    day.lives.run(is_late ? 120s : 5s);
    EXPECT_TRUE(day.lives.gateway->object->is_venue_up(0));
    EXPECT_FALSE(day.lives.gateway->object->is_venue_ready(0)) << "it waits, and does not give up";
    EXPECT_GE(day.lives.counters().recovery_waits, is_late ? 8u : 2u) << "of each user, on each connection";
    EXPECT_GE(day.lives.days.statuses.size(), 2u);
    EXPECT_EQ(day.received(), std::vector<std::string>{});
    day.lives.venue->recovery->set_available(0, true);
    day.lives.settle();
    EXPECT_EQ(day.lives.counters().recovered, 9u) << "three fills of one, and three acceptances and fills of the other";
    std::vector<std::string> fills;
    for (const std::string& line : day.received())
      if (line.find("150=F") != std::string::npos) fills.push_back(line);
    EXPECT_EQ(fills.size(), 3u);
    day.lives.check_reported_once();
    EXPECT_EQ(day.ann.ledger.bought(), day.lives.totals_of(0).bought);
    EXPECT_EQ(day.lives.counters().missed_lots, 0u);
  }
}

}  // namespace
}  // namespace dojima::integration
