// Each limit at its border, for users, accounts and instruments; kill switches; what is counted of what a book does.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dojima/venue/partition_test_support.hpp"
#include "dojima/venue/state_test_support.hpp"

namespace dojima::venue::testing {
namespace {

using namespace std::chrono_literals;
using enum market::LimitKind;
using market::LimitKind;
using market::LimitOf;
using market::RiskCommand;

RiskCommand limit_of_user(std::uint16_t user, LimitKind kind, std::int64_t value, std::uint32_t instrument = 0) {
  RiskCommand command{.value = value, .kind = kind, .of = LimitOf::user};
  command.header.user = user;
  command.header.instrument = instrument;
  command.who = Text<20>::cut("ann");
  command.why = Text<44>::cut("test");
  return command;
}

RiskCommand limit_of_account(std::string_view account, LimitKind kind, std::int64_t value,
                             std::uint32_t instrument = 0) {
  RiskCommand command = limit_of_user(market::k_no_user, kind, value, instrument);
  command.of = LimitOf::account;
  command.account = Text<10>::cut(account);
  return command;
}

RiskCommand limit_of_all(LimitKind kind, std::int64_t value, std::uint32_t instrument = 0) {
  RiskCommand command = limit_of_user(market::k_no_user, kind, value, instrument);
  command.of = LimitOf::everybody;
  return command;
}

/// Prices in whole units of the currency: a tick is one.
PartitionConfig risk_config() {
  PartitionConfig config = make_config();
  config.limits.orders = 512;
  config.limits.levels = 64;
  for (market::Instrument& instrument : config.instruments) {
    const market::Price unit{market::k_price_scale};
    instrument.ticks = market::TickTable::uniform(unit, unit, {1000 * unit.units}).value();
    instrument.reference = {100 * unit.units};
  }
  return config;
}

market::NewOrder order_at(const OrderArguments& arguments, std::string_view account = "") {
  market::NewOrder order = make_order(arguments);
  order.terms.limit = {arguments.ticks * market::k_price_scale};
  order.labels.account = Text<10>::cut(account);
  return order;
}

class RiskWorld : public World {
 public:
  RiskWorld() : World(risk_config(), {.keep = journal::Keep::all, .capacity = 1 << 20}) {}

  /// A limit that there is nothing to say against.
  void set(const RiskCommand& command) {
    const auto fine = partition.complaint(command);
    ASSERT_TRUE(fine.has_value()) << fine.error().expected;
    EXPECT_TRUE(submit(command).empty());
  }
  /// Why an order is refused; none: it is accepted.
  Reason enter(const OrderArguments& arguments, std::string_view account = "") {
    const auto reports = submit(order_at(arguments, account));
    last = reports.at(0).order;
    return reports.at(0).reason;
  }
  Reason replace(OrderId order, std::int64_t lots, std::int64_t ticks, const RequestArguments& more = {}) {
    RequestArguments arguments = more;
    arguments.order = order;
    arguments.lots = lots;
    market::Replace command = make_replace(arguments);
    command.limit = {ticks * market::k_price_scale};
    return submit(command).at(0).reason;
  }
  void cancel(OrderId order, const RequestArguments& more = {}) {
    RequestArguments arguments = more;
    arguments.order = order;
    EXPECT_EQ(submit(make_cancel(arguments)).at(0).kind, OwnerReportKind::cancelled);
  }
  /// What is used of a limit.
  [[nodiscard]] std::int64_t used(LimitKind kind) const {
    for (const LimitRow& row : partition.limits())
      if (row.kind == kind) return row.used;
    return -1;
  }
  /// A replay of the journal gives the same reports and state, and so does a state that is saved and loaded.
  void expect_same_again() const {
    journal::MemoryJournal nothing({.keep = journal::Keep::none, .capacity = 1});
    Partition again(risk_config(), nothing);
    for (journal::MemoryJournal::Cursor at; const auto record = journal.read(at);)
      ASSERT_TRUE(again.replay(record->bytes));
    EXPECT_EQ(again.digest(), partition.digest());
    EXPECT_EQ(again.reports().end(), partition.reports().end());
    EXPECT_EQ(again.limits(), partition.limits());
    const State state = save(partition);
    Partition loaded(risk_config(), nothing);
    const auto result = load(loaded, state);
    ASSERT_TRUE(result.has_value()) << result.error().expected;
    EXPECT_EQ(loaded.digest(), partition.digest());
    EXPECT_EQ(loaded.limits(), partition.limits());
    EXPECT_EQ(save(loaded), state);
  }

  OrderId last;
};

TEST(RiskLimits, hold_an_order_to_its_largest_quantity_for_a_user_an_account_an_instrument_and_all) {
  RiskWorld world;
  world.set(limit_of_user(0, order_quantity, 10));
  EXPECT_EQ(world.enter({.user = 0, .lots = 10, .ticks = 50}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 11, .ticks = 50}), Reason::quantity_out_of_range);
  EXPECT_EQ(world.enter({.user = 1, .lots = 11, .ticks = 50}), Reason::none);
  world.set(limit_of_account("HOUSE", order_quantity, 5, k_silk));
  EXPECT_EQ(world.enter({.user = 1, .lots = 6, .ticks = 50, .instrument = k_silk}, "HOUSE"),
            Reason::quantity_out_of_range);
  EXPECT_EQ(world.enter({.user = 1, .lots = 6, .ticks = 50}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 1, .lots = 6, .ticks = 50, .instrument = k_silk}, "OTHER"), Reason::none);
  world.set(limit_of_all(order_quantity, 7, k_silk));
  EXPECT_EQ(world.enter({.user = 2, .lots = 8, .ticks = 50, .instrument = k_silk}), Reason::quantity_out_of_range);
  EXPECT_EQ(world.enter({.user = 2, .lots = 8, .ticks = 50}), Reason::none);
  world.set(limit_of_all(order_quantity, 9));
  EXPECT_EQ(world.enter({.user = 2, .lots = 10, .ticks = 50}), Reason::quantity_out_of_range);
  world.expect_same_again();
}

TEST(RiskLimits, know_the_value_of_an_order_exactly) {
  RiskWorld world;
  world.set(limit_of_user(0, order_value, 1000));
  EXPECT_EQ(world.enter({.user = 0, .lots = 10, .ticks = 100}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 11, .ticks = 100}), Reason::value_out_of_range);
  EXPECT_EQ(world.replace(world.last, 0, 0), Reason::unknown_order);
  // One that has no price is worth what the last trade, else the reference says.
  market::NewOrder market = order_at({.user = 0, .lots = 11});
  market.terms.type = market::OrderType::market;
  EXPECT_EQ(world.submit(market).at(0).reason, Reason::value_out_of_range);
  // Beyond 64 bits.
  world.set(limit_of_user(1, order_value, 9'000'000'000'000));
  EXPECT_EQ(world.enter({.user = 1, .lots = 1'000'000, .ticks = 1000}), Reason::none);
  world.expect_same_again();
}

TEST(RiskLimits, keep_prices_within_a_collar_around_the_last_trade_or_the_reference) {
  RiskWorld world;
  world.set(limit_of_user(0, collar_bp, 1000));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 90}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 89}), Reason::price_collar);
  EXPECT_EQ(world.enter({.user = 0, .side = Side::sell, .lots = 1, .ticks = 111}), Reason::price_collar);
  // A trade at 200 moves it.
  world.enter({.user = 1, .side = Side::sell, .lots = 1, .ticks = 200});
  world.enter({.user = 2, .lots = 1, .ticks = 200});
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::price_collar);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 180}), Reason::none);
  EXPECT_EQ(world.replace(world.last, 1, 179), Reason::price_collar);
  world.set(limit_of_user(0, collar_from, 1));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 180}), Reason::price_collar);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 110}), Reason::none);
  world.set(limit_of_user(0, collar_bp, 0));
  world.set(limit_of_all(collar_ticks, 3, k_silk));
  EXPECT_EQ(world.enter({.user = 3, .lots = 1, .ticks = 97, .instrument = k_silk}), Reason::none);
  EXPECT_EQ(world.enter({.user = 3, .lots = 1, .ticks = 96, .instrument = k_silk}), Reason::price_collar);
  world.expect_same_again();
}

/// Held against the two sentences that say what a collar is.
TEST(RiskLimits, keep_prices_within_all_collars_wherever_the_last_trade_goes) {
  std::mt19937_64 draw(3);
  const auto among = [&draw](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(most - least + 1));
  };
  constexpr std::int64_t k_reference = 100, k_whole_bp = 10'000;
  int within = 0, beyond = 0;
  for (int day = 0; day < 12; ++day) {
    RiskWorld world;
    const std::int64_t bp = among(50, 30'000), ticks = among(1, 300), reference_bp = among(1'000, 60'000);
    const bool has_ticks = day % 3 != 0, has_reference = day % 2 != 0;
    world.set(limit_of_user(0, collar_bp, bp));
    if (has_ticks) world.set(limit_of_user(0, collar_ticks, ticks));
    if (has_reference) world.set(limit_of_account("HOUSE", collar_bp, reference_bp));
    if (has_reference) world.set(limit_of_account("HOUSE", collar_from, 1));
    std::int64_t last = k_reference;
    for (int step = 0; step < 60; ++step) {
      if (step % 4 == 3) {
        last = std::clamp<std::int64_t>(last + among(-last / 3, last / 2), 1, 990);
        ASSERT_EQ(world.enter({.user = 1, .side = Side::sell, .lots = 1, .ticks = last}), Reason::none);
        ASSERT_EQ(world.enter({.user = 2, .side = Side::buy, .lots = 1, .ticks = last}), Reason::none);
      }
      const std::int64_t price = std::clamp<std::int64_t>(last + among(-last / 2, last), 1, 999);
      const std::int64_t away = std::abs(price - last), from_reference = std::abs(price - k_reference);
      const bool is_beyond = away * k_whole_bp > last * bp || (has_ticks && away > ticks) ||
                             (has_reference && from_reference * k_whole_bp > k_reference * reference_bp);
      ASSERT_EQ(world.enter({.user = 0, .lots = 1, .ticks = price}, "HOUSE"),
                is_beyond ? Reason::price_collar : Reason::none)
          << day << " " << step << " " << price << " at " << last;
      if (!is_beyond) world.cancel(world.last);
      ++(is_beyond ? beyond : within);
    }
  }
  EXPECT_GT(within, 150);
  EXPECT_GT(beyond, 150);
}

TEST(RiskLimits, count_open_orders_and_their_value_whatever_becomes_of_them) {
  RiskWorld world;
  world.set(limit_of_user(0, open_orders, 2));
  world.set(limit_of_user(0, open_value, 1500));
  EXPECT_EQ(world.enter({.user = 0, .lots = 5, .ticks = 100}), Reason::none);
  const OrderId first = world.last;
  EXPECT_EQ(world.enter({.user = 0, .lots = 11, .ticks = 100}), Reason::open_value);
  EXPECT_EQ(world.enter({.user = 0, .lots = 10, .ticks = 100}), Reason::none);
  const OrderId second = world.last;
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::too_many_orders);
  EXPECT_EQ(world.used(open_orders), 2);
  EXPECT_EQ(world.used(open_value), 1500);
  EXPECT_EQ(world.replace(first, 6, 100), Reason::open_value);
  EXPECT_EQ(world.replace(first, 4, 100), Reason::none);
  EXPECT_EQ(world.used(open_value), 1400);
  world.enter({.user = 1, .side = Side::sell, .lots = 7, .ticks = 100});  // 4 of the first, 3 of the second
  EXPECT_EQ(world.used(open_orders), 1);
  EXPECT_EQ(world.used(open_value), 700);
  world.cancel(second);
  EXPECT_EQ(world.used(open_orders), 0);
  EXPECT_EQ(world.used(open_value), 0);
  // One that is over within its own command.
  market::NewOrder at_once = order_at({.user = 0, .lots = 3, .ticks = 100});
  at_once.terms.time_in_force = market::TimeInForce::immediate_or_cancel;
  world.submit(at_once);
  EXPECT_EQ(world.used(open_orders), 0);
  world.expect_same_again();
}

TEST(RiskLimits, never_let_a_position_come_beyond_its_limit_by_what_could_still_trade) {
  RiskWorld world;
  world.set(limit_of_user(0, position, 10));
  EXPECT_EQ(world.enter({.user = 0, .lots = 6, .ticks = 100}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 5, .ticks = 99}), Reason::position_limit);
  EXPECT_EQ(world.enter({.user = 0, .side = Side::sell, .lots = 10, .ticks = 110}), Reason::none) << "the other way";
  EXPECT_EQ(world.enter({.user = 0, .lots = 10, .ticks = 100, .instrument = k_silk}), Reason::none) << "another one";
  world.enter({.user = 1, .side = Side::sell, .lots = 6, .ticks = 100});  // 6 bought
  EXPECT_EQ(world.enter({.user = 0, .lots = 5, .ticks = 99}), Reason::position_limit);
  EXPECT_EQ(world.enter({.user = 0, .lots = 4, .ticks = 99}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .side = Side::sell, .lots = 6, .ticks = 120}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .side = Side::sell, .lots = 1, .ticks = 120}), Reason::position_limit);
  // What the operator says of it.
  world.set(limit_of_user(0, position_now, 0, k_silk));
  world.set(limit_of_user(1, position, 100, k_rice));
  world.set(limit_of_user(1, position_now, -99, k_rice));
  EXPECT_EQ(world.enter({.user = 1, .side = Side::sell, .lots = 2, .ticks = 120}), Reason::position_limit);
  EXPECT_EQ(world.enter({.user = 1, .side = Side::sell, .lots = 1, .ticks = 120}), Reason::none);
  world.expect_same_again();
}

TEST(RiskLimits, allow_so_many_requests_in_any_second_in_the_time_of_the_commands) {
  RiskWorld world;
  world.set(limit_of_user(0, rate, 2));
  const Time begin = world.now;
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
  world.now = begin + 500ms;
  EXPECT_EQ(world.replace(world.last, 2, 100), Reason::none) << "it counts, too";
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::rate_exceeded);
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 100}), Reason::none);
  world.now = begin + 1s - 1us;  // the next command comes a microsecond later, the first one came at begin + 1 us
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::rate_exceeded);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::rate_exceeded);
  world.cancel(world.last = OrderId{}, {.user = 1, .original = "order"});  // cancels are free
  world.expect_same_again();
}

TEST(RiskLimits, refuse_an_order_like_one_that_came_shortly_before) {
  RiskWorld world;
  world.set(limit_of_account("HOUSE", duplicate_ms, 1000));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 100}, "HOUSE"), Reason::duplicate_order);
  EXPECT_EQ(world.enter({.user = 1, .lots = 2, .ticks = 100}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 101}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 100, .instrument = k_silk}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 100}, "OTHER"), Reason::none);
  world.now += 1s;
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 100}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 100}, "HOUSE"), Reason::duplicate_order);
  world.expect_same_again();
}

TEST(RiskLimits, stop_who_is_executed_too_often_until_the_operator_lets_it_go_on) {
  RiskWorld world;
  world.set(limit_of_user(0, repeats, 2, k_rice));
  world.enter({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100});
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
  world.now += 2s;
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none) << "the second within a second";
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::repeated_executions);
  world.now += 60s;
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::repeated_executions);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100, .instrument = k_silk}), Reason::none);
  world.expect_same_again();
  world.set(limit_of_user(0, stopped, 0, k_rice));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
}

TEST(RiskLimits, count_replaces_as_new_orders_while_they_are_far_from_all_limits_too) {
  RiskWorld world;
  world.set(limit_of_user(0, open_value, 80'000));
  std::vector<OrderId> orders;
  for (int number = 0; number < 20; ++number) {
    EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
    orders.push_back(world.last);
  }
  for (std::int64_t replaced = 0; replaced < 20; ++replaced) {
    const bool fits = (replaced + 1) * 5'000 + (19 - replaced) * 100 <= 80'000;
    if (!fits && replaced > 15) break;
    EXPECT_EQ(world.replace(orders[static_cast<std::size_t>(replaced)], 50, 100),
              fits ? Reason::none : Reason::open_value)
        << replaced;
  }
  EXPECT_EQ(world.used(open_value), 15 * 5'000 + 5 * 100);
  world.set(limit_of_user(0, open_value, 80'000'000));  // far away
  world.set(limit_of_user(0, rate, 100));
  world.now += 2s;
  for (int request = 0; request < 100; ++request) EXPECT_EQ(world.replace(orders[0], 50, 100), Reason::none) << request;
  EXPECT_EQ(world.used(rate), 100);
  EXPECT_EQ(world.replace(orders[0], 50, 100), Reason::rate_exceeded);
  world.expect_same_again();
}

TEST(RiskLimits, see_executions_of_orders_that_were_there_before_somebody_looked_at_them) {
  RiskWorld world;
  world.set(limit_of_user(0, open_orders, 10, k_rice));
  world.enter({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100});
  EXPECT_EQ(world.enter({.user = 0, .lots = 5, .ticks = 99}), Reason::none);
  world.set(limit_of_user(0, repeats, 2, k_rice));
  for (int trade = 0; trade < 2; ++trade) world.enter({.user = 1, .side = Side::sell, .lots = 1, .ticks = 99});
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 99}), Reason::repeated_executions);
  EXPECT_EQ(world.used(repeats), 2);
  world.expect_same_again();
}

TEST(RiskLimits, count_a_position_from_where_the_operator_sets_it) {
  RiskWorld world;
  world.set(limit_of_user(0, position, 10, k_rice));
  world.enter({.user = 1, .side = Side::sell, .lots = 10, .ticks = 100});
  EXPECT_EQ(world.enter({.user = 0, .lots = 5, .ticks = 100}), Reason::none);
  world.set(limit_of_user(0, position_now, 2, k_rice));
  EXPECT_EQ(world.used(position), 2) << "what it bought before is part of it";
  EXPECT_EQ(world.enter({.user = 0, .lots = 3, .ticks = 100}), Reason::none);
  EXPECT_EQ(world.used(position), 5);
  EXPECT_EQ(world.enter({.user = 0, .lots = 6, .ticks = 100}), Reason::position_limit);
  world.expect_same_again();
}

TEST(RiskLimits, cancel_the_quotes_of_a_market_maker_that_is_executed_too_often) {
  RiskWorld world;
  world.set(limit_of_user(0, protection, 2, k_rice));
  for (int number = 0; number < 4; ++number)
    world.enter({.user = 0, .side = Side::sell, .lots = 1, .ticks = 100 + number});
  world.enter({.user = 0, .side = Side::sell, .lots = 1, .ticks = 100, .instrument = k_silk});
  EXPECT_EQ(world.submit(order_at({.user = 1, .lots = 1, .ticks = 100})).size(), 3u);
  const Sequence before = world.partition.last_command();
  const auto reports = world.submit(order_at({.user = 1, .lots = 1, .ticks = 101}));
  EXPECT_EQ(kinds_of(reports), (std::vector{OwnerReportKind::accepted, OwnerReportKind::traded, OwnerReportKind::traded,
                                            OwnerReportKind::cancelled, OwnerReportKind::cancelled}));
  EXPECT_EQ(reports.back().reason, Reason::protection);
  EXPECT_EQ(reports.back().client_order_id.view(), "order") << "the order's own id: nobody asked for it";
  EXPECT_EQ(world.partition.last_command().value, before.value + 2) << "the cancel is a command of its own";
  EXPECT_EQ(world.partition.open_orders(0), 1u) << "in the other instrument";
  EXPECT_EQ(world.enter({.user = 0, .side = Side::sell, .lots = 1, .ticks = 105}), Reason::none) << "it may go on";
  world.expect_same_again();
}

TEST(RiskLimits, permit_instruments_those_of_one_before_those_of_all) {
  RiskWorld world;
  world.set(limit_of_user(0, permitted, 2));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::not_permitted);
  world.set(limit_of_user(0, permitted, 1, k_rice));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100, .instrument = k_silk}), Reason::not_permitted);
  world.set(limit_of_all(permitted, 2, k_rice));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::not_permitted) << "restricted for everybody";
  world.expect_same_again();
}

TEST(RiskLimits, hold_from_the_next_order_on_whatever_was_asked_before) {
  RiskWorld world;
  world.set(limit_of_user(1, order_quantity, 50));  // of somebody else
  const auto enter = [&world](std::int64_t lots, std::int64_t ticks = 100) {
    return world.enter({.user = 0, .lots = lots, .ticks = ticks}, "HOUSE");
  };
  // Each limit refuses this order; it passes before and behind.
  const std::vector<std::pair<RiskCommand, Reason>> limits{
      {limit_of_user(0, killed, 1), Reason::killed},
      {limit_of_user(0, killed, 1, k_rice), Reason::killed},
      {limit_of_account("HOUSE", killed, 1), Reason::killed},
      {limit_of_account("HOUSE", killed, 1, k_rice), Reason::killed},
      {limit_of_all(killed, 1), Reason::killed},
      {limit_of_all(killed, 1, k_rice), Reason::killed},
      {limit_of_account("HOUSE", permitted, 2), Reason::not_permitted},
      {limit_of_all(order_quantity, 6, k_rice), Reason::quantity_out_of_range},
      {limit_of_user(0, collar_bp, 50), Reason::price_collar},
      {limit_of_account("HOUSE", collar_ticks, 1, k_rice), Reason::price_collar},
      {limit_of_all(order_value, 700), Reason::value_out_of_range},
      {limit_of_user(0, open_orders, 100), Reason::none},
      {limit_of_account("HOUSE", open_value, 1'000'000), Reason::none},
      {limit_of_user(0, duplicate_ms, 10), Reason::none}};
  for (const auto& [limit, reason] : limits) {
    EXPECT_EQ(enter(7, 102), Reason::none);
    world.now += 1s;
    world.set(limit);
    EXPECT_EQ(enter(7, 102), reason) << static_cast<int>(limit.kind);
    RiskCommand removal = limit;
    removal.value = 0;
    world.set(removal);
  }
  // An account with a limit is another one than that of the order before, of the same user or another one.
  world.set(limit_of_account("OTHER", order_quantity, 2));
  for (const std::uint16_t user : {std::uint16_t{0}, std::uint16_t{2}, std::uint16_t{0}}) {
    EXPECT_EQ(world.enter({.user = user, .lots = 3, .ticks = 100}, "OTHER"), Reason::quantity_out_of_range);
    EXPECT_EQ(world.enter({.user = user, .lots = 3, .ticks = 100}, "HOUSE"), Reason::none);
    EXPECT_EQ(world.enter({.user = user, .lots = 3, .ticks = 100}), Reason::none);
  }
  // The cell of a position comes with the first order.
  world.set(limit_of_user(3, position, 5));
  EXPECT_EQ(world.enter({.user = 3, .lots = 5, .ticks = 90, .instrument = k_silk}), Reason::none);
  EXPECT_EQ(world.enter({.user = 3, .lots = 1, .ticks = 90, .instrument = k_silk}), Reason::position_limit);
  world.expect_same_again();
}

TEST(RiskLimits, kill_a_user_an_account_or_everybody_until_the_operator_revives_them) {
  RiskWorld world;
  world.enter({.user = 0, .lots = 1, .ticks = 100});
  const OrderId open = world.last;
  world.set(limit_of_user(0, killed, 1));
  EXPECT_TRUE(world.partition.is_killed(LimitOf::user, 0));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::killed);
  EXPECT_EQ(world.replace(open, 2, 100), Reason::killed);
  world.cancel(open);
  EXPECT_EQ(world.enter({.user = 1, .lots = 1, .ticks = 100}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 2, .lots = 2, .ticks = 100}, "HOUSE"), Reason::none);
  EXPECT_EQ(world.enter({.user = 2, .lots = 3, .ticks = 100}), Reason::none);
  RiskCommand kill = limit_of_account("HOUSE", killed, 1);
  kill.is_cancelling = true;
  const auto ended = world.submit(kill);
  EXPECT_EQ(kinds_of(ended), (std::vector{OwnerReportKind::cancelled, OwnerReportKind::cancelled}));
  EXPECT_EQ(ended.at(0).reason, Reason::by_operator);
  EXPECT_EQ(world.partition.live_orders(), 1u);
  EXPECT_EQ(world.enter({.user = 2, .lots = 1, .ticks = 100}, "HOUSE"), Reason::killed);
  EXPECT_EQ(world.enter({.user = 2, .lots = 1, .ticks = 100}), Reason::none);
  world.set(limit_of_all(killed, 1));
  EXPECT_EQ(world.enter({.user = 3, .lots = 1, .ticks = 100}), Reason::killed);
  world.expect_same_again();
  world.set(limit_of_all(killed, 0));
  world.set(limit_of_user(0, killed, 0));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::none);
}

TEST(RiskLimits, count_what_is_open_when_they_are_set_and_are_not_set_below_it) {
  RiskWorld world;
  world.enter({.user = 0, .lots = 5, .ticks = 100});
  world.enter({.user = 0, .side = Side::sell, .lots = 2, .ticks = 110});
  const auto refused = world.partition.complaint(limit_of_user(0, open_orders, 1));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::wrong_state);
  EXPECT_EQ(refused.error().got, 2);
  EXPECT_EQ(world.partition.complaint(limit_of_user(0, open_value, 719)).error().got, 720);
  EXPECT_EQ(world.partition.complaint(limit_of_user(0, position, 4)).error().got, 5);
  // One that is submitted nevertheless changes nothing.
  world.submit(limit_of_user(0, open_orders, 1));
  EXPECT_EQ(world.used(open_orders), -1);
  world.set(limit_of_user(0, open_orders, 2));
  EXPECT_EQ(world.used(open_orders), 2);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 100}), Reason::too_many_orders);
  world.expect_same_again();
}

TEST(RiskLimits, of_one_instrument_are_not_taken_away_while_the_one_of_all_would_be_exceeded) {
  RiskWorld world;
  world.set(limit_of_user(0, position, 10));
  world.set(limit_of_user(0, position, 100, k_rice));
  world.enter({.user = 0, .lots = 11, .ticks = 100});
  const OrderId open = world.last;
  const auto refused = world.partition.complaint(limit_of_user(0, position, 0, k_rice));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::wrong_state);
  EXPECT_EQ(refused.error().got, 11);
  EXPECT_TRUE(world.partition.complaint(limit_of_user(0, position, 0, k_silk)).has_value()) << "another one";
  EXPECT_TRUE(world.partition.complaint(limit_of_user(1, position, 0, k_rice)).has_value()) << "another user";
  EXPECT_TRUE(world.partition.complaint(limit_of_user(0, order_quantity, 0, k_rice)).has_value()) << "another kind";
  EXPECT_EQ(world.enter({.user = 0, .lots = 89, .ticks = 99}), Reason::none);
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 99}), Reason::position_limit);
  world.cancel(world.last = OrderId{}, {.user = 0, .original = "order"});
  // At the border it goes, and the limit of all holds.
  EXPECT_EQ(world.replace(open, 10, 100), Reason::none);
  world.set(limit_of_user(0, position, 0, k_rice));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 99}), Reason::position_limit);
  // Without one of all nothing is exceeded.
  world.set(limit_of_user(0, position, 0));
  world.set(limit_of_user(0, position, 20, k_rice));
  EXPECT_EQ(world.enter({.user = 0, .lots = 10, .ticks = 99}), Reason::none);
  world.set(limit_of_user(0, position, 0, k_rice));
  EXPECT_EQ(world.enter({.user = 0, .lots = 100, .ticks = 99}), Reason::none);
  world.expect_same_again();
}

TEST(RiskLimits, of_one_instrument_go_where_a_journal_of_an_earlier_build_has_them_go) {
  RiskWorld world;
  world.set(limit_of_user(0, position, 10));
  world.set(limit_of_user(0, position, 100, k_rice));
  world.enter({.user = 0, .lots = 11, .ticks = 100});
  ASSERT_FALSE(world.partition.complaint(limit_of_user(0, position, 0, k_rice)).has_value());
  // Such a build had no complaint, and this is what became of it.
  world.submit(limit_of_user(0, position, 0, k_rice));
  for (const LimitRow& row : world.partition.limits())
    EXPECT_NE(std::pair(row.instrument, row.kind), std::pair(k_rice, position));
  EXPECT_EQ(world.enter({.user = 0, .lots = 1, .ticks = 99}), Reason::position_limit);
  EXPECT_EQ(world.replace(OrderId{}, 10, 100, {.user = 0, .original = "order"}), Reason::none);
  world.expect_same_again();
}

/// Open orders as they are, and limits as they were set: each request is held against sums over all of them.
class PlainLimits {
 public:
  struct Open {
    OrderId id;
    std::uint16_t user = 0;
    std::string account;
    std::uint32_t instrument = 0;
    bool is_buy = false;
    std::int64_t lots = 0, price = 0;
  };

  void set(const RiskCommand& limit) { limits_.push_back(limit); }
  [[nodiscard]] Reason refusal(const Open& order) const {
    for (const auto& [kind, reason] : {std::pair(open_orders, Reason::too_many_orders),
                                       {open_value, Reason::open_value},
                                       {position, Reason::position_limit}})
      for (const RiskCommand& limit : limits_)
        if (limit.kind == kind && is_of(limit, order) && used_with(limit, order) > limit.value) return reason;
    return Reason::none;
  }

  std::vector<Open> open;

 private:
  [[nodiscard]] static bool is_of(const RiskCommand& limit, const Open& order) {
    if (limit.header.instrument != 0 && limit.header.instrument != order.instrument) return false;
    return limit.of == LimitOf::user ? limit.header.user == order.user : limit.account.view() == order.account;
  }
  [[nodiscard]] std::int64_t used_with(const RiskCommand& limit, const Open& order) const {
    const auto size = [&](const Open& each) -> std::int64_t {
      if (limit.kind == open_orders) return 1;
      if (limit.kind == open_value) return each.lots * each.price;
      return each.is_buy == order.is_buy && each.instrument == order.instrument ? each.lots : 0;
    };
    std::int64_t sum = size(order);
    for (const Open& each : open)
      if (is_of(limit, each)) sum += size(each);
    return sum;
  }

  std::vector<RiskCommand> limits_;
};

TEST(RiskLimits, are_exact_while_room_is_set_aside_for_many_who_share_it) {
  RiskWorld world;
  PlainLimits plain;
  const auto set = [&](const RiskCommand& command) {
    world.set(command);
    plain.set(command);
  };
  set(limit_of_user(0, open_orders, 60));
  set(limit_of_user(0, open_orders, 35, k_silk));
  set(limit_of_user(1, open_value, 14'000));
  set(limit_of_user(1, position, 40, k_rice));
  set(limit_of_account("HOUSE", open_value, 17'000));
  set(limit_of_account("HOUSE", position, 45));
  set(limit_of_account("OTHER", open_orders, 60));
  set(limit_of_account("OTHER", open_value, 8'000, k_rice));
  std::mt19937 random(11);
  const auto below = [&](unsigned bound) { return static_cast<std::uint32_t>(random() % bound); };
  std::array<int, 4> seen{};
  for (unsigned step = 0; step < 6'000; ++step) {
    // Now many enter, now many leave.
    if (!plain.open.empty() && below(100) < (step / 400 % 2 == 0 ? 20U : 70U)) {
      const std::size_t at = below(static_cast<unsigned>(plain.open.size()));
      const PlainLimits::Open& order = plain.open[at];
      world.cancel(order.id, {.user = order.user,
                              .side = order.is_buy ? market::Side::buy : market::Side::sell,
                              .instrument = order.instrument});
      plain.open.erase(plain.open.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    // One of them for a while, so that what was set aside for others stays with them.
    const bool own = below(8) != 0;
    PlainLimits::Open order{.user = static_cast<std::uint16_t>(own ? step / 150 % 3 : below(3)),
                            .account = std::array{"HOUSE", "OTHER", ""}[own ? step / 50 % 3 : below(3)],
                            .instrument = below(2) == 0 ? k_rice : k_silk,
                            .is_buy = below(2) == 0,
                            .lots = 1 + below(4)};
    order.price = order.is_buy ? 90 + below(10) : 110 + below(10);  // nothing trades
    const Reason expected = plain.refusal(order);
    const Reason got = world.enter({.user = order.user,
                                    .side = order.is_buy ? market::Side::buy : market::Side::sell,
                                    .lots = order.lots,
                                    .ticks = order.price,
                                    .instrument = order.instrument},
                                   order.account);
    ASSERT_EQ(got, expected) << step;
    ++seen[got == Reason::none ? 0 : got == Reason::too_many_orders ? 1 : got == Reason::open_value ? 2 : 3];
    order.id = world.last;
    if (got == Reason::none) plain.open.push_back(order);
  }
  for (const int count : seen) EXPECT_GT(count, 30);
  world.expect_same_again();
}

TEST(RiskLimits, say_what_is_wrong_with_a_limit) {
  RiskWorld world;
  const auto code = [&](const RiskCommand& command) { return world.partition.complaint(command).error().code; };
  EXPECT_EQ(code(limit_of_user(9, rate, 1)), ErrorCode::unknown);
  EXPECT_EQ(code(limit_of_user(0, rate, 1, 77)), ErrorCode::unknown);
  EXPECT_EQ(code(limit_of_user(0, rate, 100'001)), ErrorCode::out_of_range);
  EXPECT_EQ(code(limit_of_user(0, rate, -1)), ErrorCode::out_of_range);
  EXPECT_EQ(code(limit_of_all(open_orders, 1)), ErrorCode::not_supported);
  EXPECT_EQ(code(limit_of_account("", rate, 1)), ErrorCode::missing);
  EXPECT_EQ(code(limit_of_user(0, position_now, 1)), ErrorCode::missing);
  EXPECT_EQ(code(limit_of_user(0, static_cast<LimitKind>(99), 1)), ErrorCode::unknown);
  EXPECT_EQ(code(limit_of_user(0, stopped, 1)), ErrorCode::out_of_range);
}

TEST(RiskLimits, hold_both_sides_of_a_quote_and_refuse_both) {
  RiskWorld world;
  world.set(limit_of_user(0, open_orders, 2));
  world.set(limit_of_user(0, open_value, 2000));
  market::Quote quote{.bid = {90 * market::k_price_scale}, .ask = {110 * market::k_price_scale}};
  quote.header.user = 0;
  quote.header.instrument = k_rice;
  quote.bid_size = quote.ask_size = {11};
  quote.labels.client_order_id = Text<20>::cut("Q");
  quote.capacity = market::Capacity::dealing;
  const auto refused = world.submit(quote);
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].reason, Reason::open_value);
  EXPECT_EQ(refused[1].reason, Reason::open_value);
  quote.bid_size = quote.ask_size = {10};
  EXPECT_EQ(world.submit(quote).at(0).kind, OwnerReportKind::accepted);
  EXPECT_EQ(world.used(open_orders), 2);
  EXPECT_EQ(world.used(open_value), 2000);
  quote.bid_size = {5};
  EXPECT_EQ(world.submit(quote).at(0).kind, OwnerReportKind::replaced);
  EXPECT_EQ(world.used(open_value), 1550);
  world.expect_same_again();
}

}  // namespace
}  // namespace dojima::venue::testing
