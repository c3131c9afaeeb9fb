// The keys of a client's limits and of what becomes of its orders: read, printed, and what is wrong with them said.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/app/config.hpp"

namespace dojima::app {
namespace {

using namespace std::chrono_literals;

Loaded<GatewayConfig> overridden(std::vector<Override> overrides) {
  return parse_gateway(text_of(default_gateway()), "gateway.toml", overrides);
}

TEST(LimitsConfig, is_read_and_printed) {
  const auto config = overridden({{"client.1.max_rate", "50"},
                                  {"client.1.rate_action", "queue"},
                                  {"client.1.rate_queue", "20"},
                                  {"client.1.max_quantity", "1000"},
                                  {"client.1.max_value", "9000000000000000000"},
                                  {"client.1.price_collar", "\"2.25\""},
                                  {"client.1.max_open_orders", "7"},
                                  {"client.1.duplicate_ms", "1500"},
                                  {"client.1.symbols", "\"HIGO KAGA\""},
                                  {"client.1.accounts", "HOUSE"},
                                  {"client.1.cancel_on_disconnect", "logout"},
                                  {"client.1.cancel_grace_ms", "2500"},
                                  {"symbol.0.reference", "\"12.5\""},
                                  {"limits.waiting_requests", "64"},
                                  {"limits.recent_orders", "128"}});
  ASSERT_TRUE(config.has_value()) << config.error();
  const gateway::ClientConfig& client = config->gateway.clients[1];
  EXPECT_EQ(client.limits, (gateway::ClientLimits{.rate = 50,
                                                  .rate_action = gateway::RateAction::queue,
                                                  .queue = 20,
                                                  .quantity = {1000},
                                                  .value = 9'000'000'000'000'000'000,
                                                  .collar_bp = 225,
                                                  .open_orders = 7,
                                                  .duplicate_window = 1500ms,
                                                  .symbols = {"HIGO", "KAGA"},
                                                  .accounts = {"HOUSE"}}));
  EXPECT_EQ(client.cancel_on_disconnect, gateway::CancelOnDisconnect::logout);
  EXPECT_EQ(client.cancel_grace, 2500ms);
  EXPECT_EQ(config->gateway.symbols[0].reference.units, 1'250'000'000);
  EXPECT_EQ(config->gateway.limits.waiting_requests, 64u);
  EXPECT_EQ(config->gateway.limits.recent_orders, 128u);
  EXPECT_EQ(config->gateway.clients[0].limits, gateway::ClientLimits{}) << "the other has none";
  const auto again = parse_gateway(text_of(*config), "gateway.toml");
  ASSERT_TRUE(again.has_value()) << again.error();
  EXPECT_EQ(*again, *config);
}

TEST(LimitsConfig, says_what_is_wrong) {
  const auto expect = [](std::string_view problem, std::vector<Override> overrides) {
    const auto config = overridden(std::move(overrides));
    ASSERT_FALSE(config.has_value()) << problem;
    EXPECT_NE(config.error().find(problem), std::string::npos) << config.error();
  };
  expect("client.0.max_rate", {{"client.0.max_rate", "100001"}});
  expect("client.0.rate_action", {{"client.0.rate_action", "refuse"}});
  expect("client.0.rate_queue", {{"client.0.rate_queue", "0"}});
  expect("client.0.max_value", {{"client.0.max_value", "-1"}});
  expect("0 to 10000 percent, with at most two decimals", {{"client.0.price_collar", "\"0.001\""}});
  expect("0 to 10000 percent, with at most two decimals", {{"client.0.price_collar", "0.001"}});
  expect("\"1e1\" is not a price with at most eight decimals", {{"client.0.price_collar", "1e1"}});
  expect("0 to 10000 percent, with at most two decimals", {{"client.0.price_collar", "10001"}});
  expect("0 to 10000 percent, with at most two decimals", {{"client.0.price_collar", "-1"}});
  expect("there is no [[symbol]] KAGE", {{"client.0.symbols", "\"KAGA KAGE\""}});
  expect("\"ELEVENCHARS\" has more than 10 characters", {{"client.0.accounts", "\"HOUSE ELEVENCHARS\""}});
  std::string many;
  for (int count = 0; count < 25; ++count) many += " A" + std::to_string(count);
  expect("at most 24 of them", {{"client.0.accounts", "\"" + many + "\""}});
  expect("client.0.cancel_on_disconnect", {{"client.0.cancel_on_disconnect", "always"}});
  expect("client.0.cancel_grace_ms", {{"client.0.cancel_grace_ms", "-1"}});
  expect("a reference price is above 0", {{"symbol.0.reference", "\"-1\""}});
}

}  // namespace
}  // namespace dojima::app
