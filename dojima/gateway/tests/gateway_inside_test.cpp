// What other tests want to know of a gateway's inside, read where its private headers are included.

#include <gtest/gtest.h>

#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/gateway/setup/saved_content.hpp"
#include "dojima/gateway/translator.hpp"

namespace dojima::gateway {
namespace testing {

Held held_by(const Gateway& gateway) {
  const Records& records = gateway.translator().records();
  return {.orders = records.orders(),
          .closed_orders = records.closed_orders(),
          .requests = records.requests(),
          .known_ids = records.known_ids(),
          .next_number = records.next_number()};
}

std::uint32_t waiting(const Gateway& gateway, std::uint32_t client) {
  return gateway.translator().waiting(client);
}

std::uint64_t counted_open_orders(const Gateway& gateway, std::uint32_t client) {
  return gateway.translator().limits().open_orders(client);
}

KnownDay known_day(const Gateway& gateway, std::uint32_t user) {
  return gateway.translator().venue_days().of(user);
}

Cancels cancels_at(const Gateway& gateway, std::uint32_t client) {
  const ClientPresence& presence = gateway.translator().state(client).presence;
  return {.mode = presence.mode, .why = text_of(presence.cause)};
}

bool is_cancelled(const Gateway& gateway, std::uint64_t order_id) {
  const Records& records = gateway.translator().records();
  const auto slot = records.find_by_venue_id(0, {order_id});
  return slot && records.order_at(*slot).state == OrderState::cancelled;
}

bool is_order_of(const Gateway& gateway, std::uint32_t client, std::uint8_t venue, std::uint64_t order_id) {
  const Records& records = gateway.translator().records();
  const auto user = gateway.translator().users().at(client, venue);
  return user && records.order_at(0).user == *user && records.find_by_venue_id(*user, {order_id});
}

bool goes_with(const SavedState& saved, const GatewayConfig& config) {
  return saved.content().conflict(config).empty() && saved.content().records(config).has_value();
}

}  // namespace testing

namespace {

using namespace testing;

TEST(GatewayInside, an_operator_is_told_the_open_orders_and_the_requests_that_the_records_hold) {
  World world;
  world.log_on();
  world.enter("A-1", 77);
  world.client.send("D", new_order("A-2"));
  world.run(1ms);
  const Held held = world.held();
  EXPECT_EQ(held.orders, 2u);
  EXPECT_EQ(held.requests, 2u);
  EXPECT_EQ(world.gateway.open_orders(), held.orders - held.closed_orders);
  EXPECT_EQ(world.gateway.requests_in_use(), held.requests);
}

}  // namespace
}  // namespace dojima::gateway
