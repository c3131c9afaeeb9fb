// The limits of a client: each by itself and at its edge, all of them at random against a model that keeps every order
// and looks through all of them, and what the client reads when one is broken.

#include "dojima/gateway/limits/limit_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "dojima/gateway/limits/limit_text.hpp"
#include "dojima/gateway/limits/order_limits.hpp"
#include "dojima/gateway/messages/request_reader.hpp"

namespace dojima::gateway {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t k_one = market::k_price_scale;
constexpr Time k_now{std::chrono::hours{480'000}};

LimitedRequest order_at(std::int64_t price, std::int64_t quantity) {
  return {.instrument = 7, .price = {price * k_one}, .quantity = {quantity}, .account = "HOUSE"};
}

TEST(LimitCheck, without_limits_everything_passes) {
  const LimitVerdict verdict =
      check_limits({}, {.symbol = "ALPHA", .open_orders = 4'000'000'000}, order_at(10, 100), k_now);
  EXPECT_FALSE(verdict.broken.has_value());
  EXPECT_FALSE(verdict.must_wait);
}

TEST(LimitCheck, a_limit_itself_is_allowed_and_one_more_is_not) {
  const LimitUsage usage{.symbol = "ALPHA", .reference = {100 * k_one}};
  const auto broken = [&](const ClientLimits& limits, const LimitedRequest& request, LimitUsage used) {
    return check_limits(limits, used, request, k_now).broken;
  };
  EXPECT_EQ(broken({.quantity = {100}}, order_at(10, 100), usage), std::nullopt);
  EXPECT_EQ(broken({.quantity = {100}}, order_at(10, 101), usage), Limit::quantity);
  EXPECT_EQ(broken({.value = 1000}, order_at(10, 100), usage), std::nullopt);
  EXPECT_EQ(broken({.value = 999}, order_at(10, 100), usage), Limit::value);
  EXPECT_EQ(broken({.collar_bp = 500}, order_at(105, 1), usage), std::nullopt);
  EXPECT_EQ(broken({.collar_bp = 500}, order_at(95, 1), usage), std::nullopt);
  EXPECT_EQ(broken({.collar_bp = 499}, order_at(105, 1), usage), Limit::price);
  EXPECT_EQ(broken({.collar_bp = 499}, order_at(95, 1), usage), Limit::price);
  LimitUsage two = usage;
  two.open_orders = 2;
  EXPECT_EQ(broken({.open_orders = 3}, order_at(10, 1), two), std::nullopt);
  EXPECT_EQ(broken({.open_orders = 2}, order_at(10, 1), two), Limit::open_orders);
  LimitedRequest replace = order_at(10, 1);
  replace.is_new = false;
  EXPECT_EQ(broken({.open_orders = 2}, replace, two), std::nullopt) << "a replace opens no order";
  LimitUsage same = usage;
  same.last_same = k_now - 100ms;
  EXPECT_EQ(broken({.duplicate_window = 100ms}, order_at(10, 1), same), std::nullopt);
  EXPECT_EQ(broken({.duplicate_window = 101ms}, order_at(10, 1), same), Limit::duplicate);
}

TEST(LimitCheck, values_are_exact_where_64_bits_would_not_hold_them) {
  const LimitUsage usage{.symbol = "ALPHA"};
  LimitedRequest request = order_at(0, 2'147'483'647);
  request.price = {100'000'000'000'000'001};            // 1,000,000,000.00000001
  const std::int64_t most = 2'147'483'647'000'000'000;  // the value is that and 21.47483647 more
  EXPECT_EQ(check_limits({.value = most + 20}, usage, request, k_now).broken, Limit::value);
  EXPECT_EQ(check_limits({.value = most + 22}, usage, request, k_now).broken, std::nullopt);
}

TEST(LimitCheck, an_order_without_a_price_is_valued_at_the_reference) {
  LimitUsage usage{.symbol = "ALPHA"};
  const LimitedRequest market_order = order_at(0, 100);
  EXPECT_EQ(check_limits({.value = 1000}, usage, market_order, k_now).broken, Limit::no_price);
  EXPECT_EQ(check_limits({.collar_bp = 1}, usage, market_order, k_now).broken, std::nullopt) << "nothing to compare";
  usage.reference = {10 * k_one};
  EXPECT_EQ(check_limits({.value = 1000}, usage, market_order, k_now).broken, std::nullopt);
  EXPECT_EQ(check_limits({.value = 999}, usage, market_order, k_now).broken, Limit::value);
}

TEST(LimitCheck, a_gateway_that_is_drained_takes_no_new_orders) {
  LimitedRequest request = order_at(1, 1);
  EXPECT_EQ(check_limits({}, {.is_draining = true}, request, k_now).broken, Limit::draining);
  request.is_new = false;
  EXPECT_EQ(check_limits({}, {.is_draining = true}, request, k_now).broken, std::nullopt);
}

TEST(LimitCheck, lists_permit_what_they_name) {
  const ClientLimits limits{.symbols = {"ALPHA", "BETA"}, .accounts = {"HOUSE"}};
  EXPECT_EQ(check_limits(limits, {.symbol = "BETA"}, order_at(1, 1), k_now).broken, std::nullopt);
  EXPECT_EQ(check_limits(limits, {.symbol = "GAMMA"}, order_at(1, 1), k_now).broken, Limit::symbol);
  LimitedRequest request = order_at(1, 1);
  request.account = "";
  EXPECT_EQ(check_limits(limits, {.symbol = "BETA"}, request, k_now).broken, Limit::account);
}

TEST(LimitCheck, above_the_rate_it_is_refused_or_waits_behind_those_that_wait) {
  const LimitUsage used{.symbol = "ALPHA", .rate_free = k_now + 1ns};
  EXPECT_EQ(check_limits({.rate = 1}, used, order_at(1, 1), k_now).broken, Limit::rate);
  EXPECT_EQ(check_limits({.rate = 1}, used, order_at(1, 1), k_now + 1ns).broken, std::nullopt);
  const ClientLimits queue{.rate = 1, .rate_action = RateAction::queue, .queue = 2};
  EXPECT_TRUE(check_limits(queue, used, order_at(1, 1), k_now).must_wait);
  LimitUsage waiting{.symbol = "ALPHA", .waiting = 1};
  EXPECT_TRUE(check_limits(queue, waiting, order_at(1, 1), k_now).must_wait) << "although the rate is free";
  EXPECT_TRUE(check_limits({}, waiting, order_at(1, 1), k_now).must_wait) << "although there is no rate any more";
  waiting.waiting = 2;
  EXPECT_EQ(check_limits(queue, waiting, order_at(1, 1), k_now).broken, Limit::queue);
}

TEST(LimitCheck, says_the_limit_and_the_value) {
  ClientLimits limits{.rate = 5,
                      .queue = 2,
                      .quantity = {1000},
                      .value = 1'000'000,
                      .collar_bp = 250,
                      .open_orders = 9,
                      .duplicate_window = 1500ms};
  LimitUsage usage{
      .symbol = "ALPHA", .open_orders = 9, .waiting = 2, .reference = {10 * k_one}, .last_same = k_now - 1234567us};
  LimitedRequest request = order_at(12, 100'000);
  const auto text = [&](Limit broken) { return std::string(text_of(broken, limits, usage, request, k_now).view()); };
  EXPECT_EQ(text(Limit::value), "order value 1,200,000 above the client's limit of 1,000,000");
  EXPECT_EQ(text(Limit::quantity), "order quantity 100,000 above the client's limit of 1,000");
  EXPECT_EQ(text(Limit::price), "price 12 outside the client's limit of 2.5 % around the reference 10");
  EXPECT_EQ(text(Limit::open_orders), "open orders 10 above the client's limit of 9");
  EXPECT_EQ(text(Limit::duplicate),
            "same symbol, side, price and quantity 1,234 ms ago, within the client's limit of 1,500 ms");
  EXPECT_EQ(text(Limit::rate), "orders and replaces above the client's limit of 5 a second");
  EXPECT_EQ(text(Limit::queue), "requests that wait 3 above the client's limit of 2");
  EXPECT_EQ(text(Limit::symbol), "ALPHA is not among the client's permitted symbols");
  EXPECT_EQ(text(Limit::account), "account HOUSE is not among the client's permitted ones");
  EXPECT_EQ(text(Limit::no_price), "no price and no reference price of ALPHA: the order's value is unknown");
  EXPECT_EQ(text(Limit::killed), "the client's kill switch is set: no new orders, no replaces");
  EXPECT_EQ(text(Limit::draining), "the gateway is being drained: no new orders");
  request.price = {1};
  EXPECT_EQ(text(Limit::value), "order value 0.001 above the client's limit of 1,000,000");
  EXPECT_EQ(LimitText().add(-static_cast<Notional>(1'234'567), 3).view(), "-1,234.567");
}

TEST(LimitCheck, has_a_code_for_each_version) {
  for (int limit = 0; limit <= static_cast<int>(Limit::queue); ++limit) {
    const auto broken = static_cast<Limit>(limit);
    EXPECT_LE(order_reject_of(broken, FixVersion::fix_4_2), 8) << limit;
    EXPECT_LE(order_reject_of(broken, FixVersion::fix_4_4), 15) << limit;
    EXPECT_LE(cancel_reject_of(broken, FixVersion::fix_4_2), 3) << limit;
  }
  EXPECT_EQ(order_reject_of(Limit::value, FixVersion::fix_4_4), order_reject::k_exceeds_limit);
  EXPECT_EQ(order_reject_of(Limit::value, FixVersion::fix_5_0_sp2), order_reject::k_value_exceeds_threshold);
  EXPECT_EQ(order_reject_of(Limit::price, FixVersion::fix_5_0_sp2), order_reject::k_price_band);
}

TEST(ClientLimits, are_refused_out_of_their_ranges) {
  const auto expected = [](const ClientLimits& limits) {
    const Result<void> valid = validate(limits);
    return std::string(valid ? "" : valid.error().expected);
  };
  EXPECT_EQ(expected({}), "");
  EXPECT_EQ(expected({.rate = 100'001}), "a rate of 0 to 100000 a second");
  EXPECT_EQ(expected({.rate_action = RateAction::queue, .queue = 0}), "room for at least one request that waits");
  EXPECT_EQ(expected({.rate_action = static_cast<RateAction>(3)}), "reject, queue or logout above the rate");
  EXPECT_EQ(expected({.quantity = {-1}}), "a quantity of 0 or more");
  EXPECT_EQ(expected({.value = -1}), "a value of 0 or more");
  EXPECT_EQ(expected({.collar_bp = 1'000'001}), "a collar of 0 to 10000 %");
  EXPECT_EQ(expected({.duplicate_window = 3'600'001ms}), "a window for duplicates of 0 to 3600000 ms");
  EXPECT_EQ(expected({.symbols = std::vector<std::string>(65, "A")}), "at most 64 symbols");
  EXPECT_EQ(expected({.symbols = {""}}), "symbols of 1 to 24 characters");
  EXPECT_EQ(expected({.accounts = {"ELEVENCHARS"}}), "accounts of 1 to 10 characters");
}

// ---------------------------------------------------------------------------------------------------- a naive model

/// Keeps every order and looks through all of them.
struct NaiveClient {
  struct Entered {
    LimitedRequest request;
    Time time;
  };
  std::vector<Entered> entered;
  std::vector<Time> sent;
  int open = 0;

  bool is_within_rate(const ClientLimits& limits, Time now) const {
    std::uint32_t in_window = 0;
    for (const Time time : sent)
      if (now - time < OrderLimits::k_rate_window) ++in_window;
    return limits.rate == 0 || in_window < limits.rate;
  }
  bool is_repeated(const ClientLimits& limits, const LimitedRequest& request, Time now) const {
    for (const Entered& each : entered)
      if (each.request.instrument == request.instrument && each.request.side == request.side &&
          each.request.price == request.price && each.request.quantity == request.quantity &&
          now - each.time < limits.duplicate_window)
        return true;
    return false;
  }
  /// What a limit does not look at is not remembered for the next one.
  void note(const ClientLimits& limits, const LimitedRequest& request, Time now) {
    if (request.is_new && limits.duplicate_window.count() != 0) entered.push_back({request, now});
    if (request.is_new) ++open;
    if (limits.rate != 0) sent.push_back(now);
  }
  void forget_beyond(std::size_t newest) {
    if (sent.size() > newest) sent.erase(sent.begin(), sent.end() - static_cast<std::ptrdiff_t>(newest));
  }
  /// The same order of checks as the promise of check_limits().
  std::optional<Limit> broken(const ClientLimits& limits, const LimitedRequest& request, double reference,
                              Time now) const {
    const double price = static_cast<double>(request.price.units) / k_one;  // small whole numbers: exact
    const double quantity = static_cast<double>(request.quantity.lots);
    if (limits.quantity.lots != 0 && quantity > static_cast<double>(limits.quantity.lots)) return Limit::quantity;
    if (limits.collar_bp != 0 && price != 0 && reference != 0 &&
        std::abs(price - reference) * 10'000 > reference * limits.collar_bp)
      return Limit::price;
    if (limits.value != 0 && price == 0 && reference == 0) return Limit::no_price;
    if (limits.value != 0 && (price != 0 ? price : reference) * quantity > static_cast<double>(limits.value))
      return Limit::value;
    if (request.is_new && limits.open_orders != 0 && open >= static_cast<int>(limits.open_orders))
      return Limit::open_orders;
    if (request.is_new && is_repeated(limits, request, now)) return Limit::duplicate;
    if (!is_within_rate(limits, now)) return Limit::rate;
    return std::nullopt;
  }
};

ClientLimits random_limits(std::mt19937_64& random) {
  const auto one_of = [&](std::initializer_list<int> values) { return values.begin()[random() % values.size()]; };
  ClientLimits limits;
  limits.rate = static_cast<std::uint32_t>(one_of({0, 1, 3, 10}));
  limits.quantity = {one_of({0, 3, 8})};
  limits.value = one_of({0, 20, 40});
  limits.collar_bp = static_cast<std::uint32_t>(one_of({0, 1000, 5000}));
  limits.open_orders = static_cast<std::uint32_t>(one_of({0, 2, 6}));
  limits.duplicate_window = std::chrono::milliseconds{one_of({0, 100, 1000})};
  return limits;
}

TEST(OrderLimits, agree_with_a_model_that_looks_through_all_orders) {
  GatewayConfig config;
  config.clients = {{.comp_id = "A"}, {.comp_id = "B"}};
  config.symbols = {{"ALPHA", 7}, {"BETA", 8, {6 * k_one}}};
  config.limits.recent_orders = 4096;
  const SymbolTable symbols(config.symbols);
  std::map<std::optional<Limit>, int> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<ClientState> states(2);
    OrderLimits limits(config, symbols, states);
    std::array<NaiveClient, 2> naive;
    std::map<std::uint32_t, double> references = {{7, 0}, {8, 6}};
    Time now = k_now;
    for (int step = 0; step < 400; ++step) {
      now += std::chrono::milliseconds{random() % 4 == 0 ? random() % 700 : random() % 3};
      const auto client = static_cast<std::uint32_t>(random() % 2);
      if (random() % 40 == 0) {
        const ClientLimits before = limits.limits(client), after = random_limits(random);
        ASSERT_TRUE(limits.change(client, after));
        naive[client].forget_beyond(std::min(before.rate, after.rate));
        continue;
      }
      if (naive[client].open > 0 && random() % 5 == 0) {
        limits.remove_open_order(client);
        --naive[client].open;
      }
      const auto instrument = static_cast<std::uint32_t>(7 + random() % 2);
      if (random() % 10 == 0) {
        const auto price = static_cast<std::int64_t>(4 + random() % 4);
        limits.note_trade(instrument, {price * k_one});
        references[instrument] = static_cast<double>(price);
      }
      const LimitedRequest request{
          .is_new = random() % 4 != 0,
          .instrument = instrument,
          .side = random() % 2 == 0 ? market::Side::buy : market::Side::sell,
          .price = {static_cast<std::int64_t>(random() % 3 == 0 ? 0 : 4 + random() % 5) * k_one},
          .quantity = {static_cast<std::int64_t>(1 + random() % 9)}};
      const std::optional<Limit> broken = limits.check(client, request, 0, now).broken;
      ASSERT_EQ(broken, naive[client].broken(limits.limits(client), request, references[instrument], now))
          << "seed " << seed << " step " << step;
      ++seen[broken];
      if (broken) continue;
      limits.note_order(client, request, now);
      limits.note_sent(client, now);
      naive[client].note(limits.limits(client), request, now);
    }
  }
  EXPECT_EQ(seen.size(), 8u) << "every limit was broken, and none";
}

TEST(OrderLimits, forget_the_oldest_of_too_many_recent_orders) {
  GatewayConfig config;
  config.clients = {{.comp_id = "A", .limits = {.duplicate_window = 1000ms}}};
  config.symbols = {{"ALPHA", 7}};
  config.limits.recent_orders = 2;
  const SymbolTable symbols(config.symbols);
  std::vector<ClientState> states(1);
  OrderLimits limits(config, symbols, states);
  limits.note_order(0, order_at(1, 1), k_now);
  limits.note_order(0, order_at(2, 1), k_now);
  EXPECT_EQ(limits.check(0, order_at(1, 1), 0, k_now).broken, Limit::duplicate);
  limits.note_order(0, order_at(3, 1), k_now);
  EXPECT_EQ(limits.check(0, order_at(1, 1), 0, k_now).broken, std::nullopt);
  EXPECT_EQ(limits.check(0, order_at(2, 1), 0, k_now).broken, Limit::duplicate);
}

TEST(OrderLimits, an_order_that_came_again_is_remembered_for_its_last_time) {
  GatewayConfig config;
  config.clients = {{.comp_id = "A", .limits = {.duplicate_window = 1000ms}}};
  config.symbols = {{"ALPHA", 7}};
  config.limits.recent_orders = 2;
  const SymbolTable symbols(config.symbols);
  std::vector<ClientState> states(1);
  OrderLimits limits(config, symbols, states);
  limits.note_order(0, order_at(1, 1), k_now);
  limits.note_order(0, order_at(1, 1), k_now + 1000ms);
  limits.note_order(0, order_at(2, 1), k_now + 1001ms);  // the first is forgotten
  EXPECT_EQ(limits.check(0, order_at(1, 1), 0, k_now + 1002ms).broken, Limit::duplicate);
}

TEST(OrderLimits, a_new_rate_counts_what_was_sent_under_the_old_one) {
  GatewayConfig config;
  config.clients = {{.comp_id = "A", .limits = {.rate = 4}}};
  config.symbols = {{"ALPHA", 7}};
  const SymbolTable symbols(config.symbols);
  std::vector<ClientState> states(1);
  OrderLimits limits(config, symbols, states);
  for (int at = 0; at < 6; ++at) limits.note_sent(0, k_now + at * 10ms);
  EXPECT_EQ(limits.rate_free(0), k_now + 20ms + 1s) << "the fourth from the end";
  ASSERT_TRUE(limits.change(0, {.rate = 2}));
  EXPECT_EQ(limits.rate_free(0), k_now + 40ms + 1s);
  ASSERT_TRUE(limits.change(0, {.rate = 3}));
  EXPECT_EQ(limits.rate_free(0), Time::min()) << "two are known";
  limits.note_sent(0, k_now + 60ms);
  EXPECT_EQ(limits.rate_free(0), k_now + 40ms + 1s);
}

TEST(OrderLimits, a_change_that_is_refused_changes_nothing) {
  GatewayConfig config;
  config.clients = {{.comp_id = "A", .limits = {.quantity = {5}}}};
  config.symbols = {{"ALPHA", 7}};
  const SymbolTable symbols(config.symbols);
  std::vector<ClientState> states(1);
  OrderLimits limits(config, symbols, states);
  const Result<void> changed = limits.change(0, {.quantity = {9}, .symbols = {"ALPHA", "GAMMA"}});
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, ErrorCode::unknown);
  EXPECT_EQ(changed.error().got, 1);
  EXPECT_EQ(limits.limits(0).quantity.lots, 5);
  EXPECT_FALSE(states[0].is_changed);
}

}  // namespace
}  // namespace dojima::gateway
