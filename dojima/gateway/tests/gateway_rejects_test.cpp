// Clients that want the venue's rejects as FIX's own, Reject(3) and BusinessMessageReject(j), in each version; and that
// only the message differs from what others get.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

GatewayConfig config_of(FixVersion version, VenueRefusals refusals) {
  GatewayConfig config = small_config();
  config.clients[0].version = version;
  config.clients[0].venue_refusals = refusals;
  return config;
}

/// A client that holds what it gets against the published dictionary of its version, and a venue that refuses.
struct RejectWorld : World {
  explicit RejectWorld(FixVersion spoken, VenueRefusals refusals = VenueRefusals::rejects)
      : World(config_of(spoken, refusals)),
        version(spoken),
        strict(scheduler, "CLIENT1", {}, spoken,
               fix::dictionary_of(begin_string_of(spoken), application_version_of(spoken))) {
    connect();
  }
  ~RejectWorld() {
    EXPECT_EQ(strict.troubles, 0) << "all that came is as published";
    strict.session.logout("end");
    run(1s);
  }
  void connect() {
    network.connect(k_fix_address, strict.session);
    run(10ms);
    EXPECT_TRUE(strict.session.is_logged_on());
  }

  [[nodiscard]] bool is(FixVersion asked) const { return version == asked; }
  /// What FIX 4.2 wants besides.
  [[nodiscard]] Fields in_version(std::string_view type, Fields fields) const {
    if (!is(FixVersion::fix_4_2)) return fields;
    if (type == "F") fields.set(38, "100");
    if (type == "D" || type == "G") fields.set(21, "1");
    return fields;
  }
  std::uint64_t send(std::string_view type, const Fields& fields) {
    const std::uint64_t number = strict.send(type, in_version(type, fields));
    run(1ms);
    return number;
  }
  void reject(std::int32_t code, std::string_view field, char type, const Text<20>& id) {
    ASSERT_TRUE(venue.users.at("USER1")->send(
        mit::Reject{.code = code, .reason = Text<30>::cut(field), .type = type, .client_order_id = id}));
    run(1ms);
  }
  void business_reject(const Text<20>& id, std::int32_t code) {
    OwnerReport report{.client_order_id = id};
    report.kind = OwnerReportKind::business_rejected;
    report.status = market::OrderStatus::rejected;
    report.reason = mit::reason_of(code);
    venue.say(report, code);
    run(1ms);
  }
  /// A new order with these fields, refused by a Reject that names a field of the protocol.
  Message refused(Fields fields, std::string_view field, std::int32_t code = mit::code::k_value_invalid) {
    last_number = send("D", fields.set(11, "A-" + std::to_string(++last_id)));
    reject(code, field, 'D', venue.orders.back().labels.client_order_id);
    return strict.only();
  }

  FixVersion version;
  FixClient strict;
  int last_id = 0;
  std::uint64_t last_number = 0;
};

class GatewayRejects : public ::testing::TestWithParam<FixVersion> {
 protected:
  [[nodiscard]] static bool is(FixVersion version) { return GetParam() == version; }
  /// The version's own word for reasons that it does not publish, as "373=".
  [[nodiscard]] static std::string other() { return is(FixVersion::fix_4_2) ? "373=" : "373=99"; }
};
INSTANTIATE_TEST_SUITE_P(, GatewayRejects, ::testing::ValuesIn(k_fix_versions), [](const auto& version) {
  std::string name(name_of(version.param));
  std::erase(name, '.');
  return name;
});

TEST_P(GatewayRejects, a_reject_of_a_new_order_is_fixs_own) {
  RejectWorld world(GetParam());
  const Message got = world.refused(new_order(""), "TIF");
  EXPECT_EQ(got.show({371, 372}), "3 371=59 372=D");
  EXPECT_EQ(got.at(45), std::to_string(world.last_number));
  EXPECT_EQ("373=" + got.at(373), other());
  EXPECT_EQ(got.at(58), "9901 TimeInForce(59): value, format or length invalid");
  EXPECT_FALSE(got.has(379));
  EXPECT_EQ(world.held().closed_orders, 1u);
  EXPECT_EQ(world.gateway.status(0).rejects, 1u);
  EXPECT_EQ(world.gateway.status(0).last_reject, got.at(58));
  // The order is what it would have been with a report: refused, and known.
  world.send("H", {{{11, "A-1"}, {55, "ALPHA"}, {54, "1"}}});
  EXPECT_EQ(world.strict.only().show({11, 39}), "8 11=A-1 39=8");
}

TEST_P(GatewayRejects, the_tag_is_that_of_the_clients_own_field) {
  RejectWorld world(GetParam());
  const bool is_new = is(FixVersion::fix_5_0_sp2), is_old = is(FixVersion::fix_4_2);
  const auto tag_of = [&](std::string_view field) { return world.refused(new_order(""), field).at(371); };
  EXPECT_EQ(tag_of("OrderQty"), "38");
  EXPECT_EQ(tag_of("Capacity"), is_old ? "47" : "528");
  EXPECT_EQ(tag_of("DisplayQty"), is_new ? "1138" : "111");
  EXPECT_EQ(tag_of("PassiveOnlyOrder"), "27010");
  EXPECT_EQ(tag_of("ExecutingTrader"), is_old ? "" : "448");
  EXPECT_EQ(tag_of("Anonymity"), is_new ? "1091" : "") << "the client cannot have said it";
  EXPECT_EQ(tag_of("PartyRoleQualifiers"), is_new ? "2376" : "");
  EXPECT_EQ(tag_of("ClientOrderID"), "") << "the gateway's own";
  const Fields dated = new_order("").set(59, "6").set(432, "20260801");
  const Fields timed = new_order("").set(59, "6").set(126, "20260720-15:00:00");
  EXPECT_EQ(world.refused(dated, "ExpireDateTime").at(371), "432");
  EXPECT_EQ(world.refused(timed, "ExpireDateTime").at(371), "126");
}

TEST_P(GatewayRejects, a_business_reject_of_a_new_order_is_fixs_own) {
  RejectWorld world(GetParam());
  const std::vector<std::pair<std::int32_t, std::string>> rows = {
      {mit::code::k_unknown_instrument, "380=0 58=9000 unknown instrument"},
      {mit::code::k_user_suspended, "380=0 58=20905 the venue has suspended the user from trading"},
      {mit::code::k_partition_suspended, "380=4 58=9998 partition suspended"},
      {mit::code::k_system_suspended, "380=4 58=9999 system suspended"},
      {3, "380=3 58=3 refused by the venue"},  // a number that is published stays what it is
  };
  for (const auto& [code, wanted] : rows) {
    const std::string id = "A-" + std::to_string(code);
    const std::uint64_t number = world.send("D", new_order(id));
    world.business_reject(world.venue.orders.back().labels.client_order_id, code);
    const Message got = world.strict.only();
    EXPECT_EQ(got.show({45, 372, 379}), "j 45=" + std::to_string(number) + " 372=D 379=" + id);
    EXPECT_EQ(got.show({380, 58}), "j " + wanted);
  }
  EXPECT_EQ(world.held().closed_orders, rows.size());
}

TEST_P(GatewayRejects, what_exceeds_the_venues_rate_is_a_business_reject) {
  RejectWorld world(GetParam());
  const Message got = world.refused(new_order(""), "message rate exceeded", mit::code::k_rate_exceeded);
  EXPECT_EQ(got.show({45, 372, 379}), "j 45=" + std::to_string(world.last_number) + " 372=D 379=A-1");
  EXPECT_EQ(got.show({380, 58}),
            is(FixVersion::fix_5_0_sp2) ? "j 380=8 58=Message rate exceeded" : "j 380=0 58=Message rate exceeded");
}

TEST_P(GatewayRejects, of_changes_leave_the_order_as_it_is) {
  RejectWorld world(GetParam());
  world.send("D", new_order("A-1"));
  const market::NewOrder order = world.venue.orders.back();
  world.venue.say(world.venue.accepted(order, 77));
  world.run(1ms);
  world.strict.take();
  std::uint64_t number = world.send("G", replace("A-2", "A-1", "50", "10"));
  world.reject(mit::code::k_replace_quantity, "OrderQty", 'G', world.venue.replaces.back().client_order_id);
  Message got = world.strict.only();
  EXPECT_EQ(got.show({45, 371, 372}), "3 45=" + std::to_string(number) + " 371=38 372=G");
  EXPECT_EQ("373=" + got.at(373), other());
  EXPECT_EQ(got.at(58), "1000 OrderQty(38): order quantity of a replace not positive");
  number = world.send("F", cancel("A-3", "A-1"));
  world.reject(mit::code::k_rate_exceeded, "message rate exceeded", 'F', world.venue.cancels.back().client_order_id);
  got = world.strict.only();
  EXPECT_EQ(got.show({45, 372, 379, 58}), "j 45=" + std::to_string(number) + " 372=F 379=A-3 58=Message rate exceeded");
  number = world.send("F", cancel("A-4", "A-1"));
  world.business_reject(world.venue.cancels.back().client_order_id, mit::code::k_user_suspended);
  EXPECT_EQ(world.strict.only().show({45, 372, 379, 380}), "j 45=" + std::to_string(number) + " 372=F 379=A-4 380=0");
  world.send("H", {{{11, "A-1"}, {55, "ALPHA"}, {54, "1"}}});
  EXPECT_EQ(world.strict.only().show({11, 39, 38}), "8 11=A-1 39=0 38=100");
  EXPECT_EQ(world.counters().strays, 0u);
  // The venue's reports on the order are reports, as ever.
  world.send("F", cancel("A-5", "A-1"));
  OwnerReport refused =
      world.venue.answer(order, OwnerReportKind::request_rejected, 77, world.venue.cancels.back().client_order_id, 100);
  refused.reason = market::Reason::quantity_already_executed;
  world.venue.say(refused);
  world.run(1ms);
  EXPECT_EQ(world.strict.only().show({11, 102}), "9 11=A-5 102=0");
}

TEST_P(GatewayRejects, of_a_quote_are_one_message) {
  RejectWorld world(GetParam());
  const auto quote = [&](std::string id) {
    return world.send("S", {{{117, std::move(id)}, {55, "ALPHA"}, {132, "9"}, {133, "11"}, {134, "10"}, {135, "12"}}});
  };
  std::uint64_t number = quote("Q-1");
  world.reject(mit::code::k_value_invalid, "BidPrice", 'S', world.venue.quotes.back().labels.client_order_id);
  EXPECT_EQ(world.strict.only().show({45, 371, 372, 379}), "3 45=" + std::to_string(number) + " 371=132 372=S 379=");
  number = quote("Q-2");
  world.business_reject(world.venue.quotes.back().labels.client_order_id, mit::code::k_partition_suspended);
  EXPECT_EQ(world.strict.only().show({45, 372, 379, 380}), "j 45=" + std::to_string(number) + " 372=S 379=Q-2 380=4");
  EXPECT_EQ(world.held().closed_orders, 4u) << "both sides of both";
  EXPECT_EQ(world.gateway.status(0).rejects, 2u);
}

TEST_P(GatewayRejects, of_a_mass_cancel_of_quotes_name_the_clients_message) {
  RejectWorld world(GetParam());
  const std::uint64_t number = world.send("Z", {{{117, "Z-1"}, {298, "4"}, {295, "0"}}});
  ASSERT_EQ(world.venue.mass_cancels.size(), 1u);
  world.business_reject(world.venue.mass_cancels.back().client_order_id, mit::code::k_system_suspended);
  EXPECT_EQ(world.strict.only().show({45, 372, 379, 380}), "j 45=" + std::to_string(number) + " 372=Z 379=Z-1 380=4");
}

TEST_P(GatewayRejects, reach_a_client_that_was_away) {
  RejectWorld world(GetParam());
  const std::uint64_t number = world.send("D", new_order("A-1"));
  world.strict.session.logout("for a while");
  world.run(10ms);
  ASSERT_FALSE(world.strict.session.is_connected());
  world.reject(mit::code::k_value_missing, "Capacity", 'D', world.venue.orders.back().labels.client_order_id);
  world.connect();
  EXPECT_EQ(world.strict.only().show({45, 372, 43}), "3 45=" + std::to_string(number) + " 372=D 43=Y");
}

/// FIX 4.2 has no mass cancels.
TEST(GatewayMassRejects, of_a_mass_cancel_are_an_answer_to_it) {
  for (const FixVersion version : {FixVersion::fix_4_4, FixVersion::fix_5_0_sp2})
    for (const VenueRefusals refusals : {VenueRefusals::reports, VenueRefusals::rejects}) {
      const bool is_report = refusals == VenueRefusals::reports;
      SCOPED_TRACE(std::string(name_of(version)) + (is_report ? " reports" : " rejects"));
      RejectWorld world(version, refusals);
      const auto ask = [&](std::string id) {
        return std::to_string(world.send("q", {{{11, std::move(id)}, {530, "7"}, {60, "20260720-12:00:00.000"}}}));
      };
      std::string number = ask("M-1");
      world.reject(mit::code::k_rate_exceeded, "message rate exceeded", 'q',
                   world.venue.mass_cancels.back().client_order_id);
      Message got = world.strict.only();
      if (is_report)
        EXPECT_EQ(got.show({11, 530, 531, 532, 58}), "r 11=M-1 530=7 531=0 532=99 58=20903 message rate exceeded");
      else
        EXPECT_EQ(got.show({45, 372, 379, 58}), "j 45=" + number + " 372=q 379=M-1 58=Message rate exceeded");
      number = ask("M-2");
      world.reject(mit::code::k_value_missing, "Segment", 'q', world.venue.mass_cancels.back().client_order_id);
      got = world.strict.only();
      if (is_report)
        EXPECT_EQ(got.show({11, 531, 532, 58}),
                  "r 11=M-2 531=0 532=99 58=9900 MarketSegmentID(1300): required value missing");
      else
        EXPECT_EQ(got.show({45, 371, 372}), "3 45=" + number + " 371=1300 372=q");
      number = ask("M-3");
      world.business_reject(world.venue.mass_cancels.back().client_order_id, mit::code::k_partition_suspended);
      EXPECT_EQ(world.strict.only().show({45, 372, 379, 380}), "j 45=" + number + " 372=q 379=M-3 380=4");
      EXPECT_EQ(world.gateway.status(0).rejects, 3u);
      EXPECT_EQ(world.counters().strays, 0u);
    }
}

}  // namespace
}  // namespace dojima::gateway
