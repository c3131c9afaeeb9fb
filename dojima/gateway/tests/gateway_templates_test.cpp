// What a gateway's configuration says of its FIX sessions: templates, hours, names, hosts and the reports of refusals.

#include "dojima/fix/acceptor.hpp"
#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

struct NotedRefusals final : Observer {
  void on_refused(const fix::RefusedConnection& refused, Time) override {
    texts.push_back(std::string(refused.sender_comp_id) + ": " + std::string(fix::text_of(refused.reason)) +
                    (refused.text.empty() ? "" : ": " + std::string(refused.text)));
  }
  std::vector<std::string> texts;
};

/// The second client logs on by its own template.
GatewayConfig with_template() {
  GatewayConfig config = small_config();
  config.templates = {{.name = "office", .session = {.checks = {.user_tags = true}}}};
  // The clock begins at noon.
  config.templates[0].schedule = fix::ScheduleConfig{.session = fix::Hours::daily(8h, 13h), .logon = {}, .zone = {}};
  config.clients[1].session_template = "office";
  return config;
}

Fields order_with_a_tag_of_its_own(std::string id) {
  Fields order = new_order(std::move(id));
  order.list.emplace_back(6001, "mine");
  return order;
}

TEST(GatewayTemplates, a_session_has_the_values_of_the_template_that_its_client_names) {
  World world(with_template());
  world.run(10ms);
  world.log_on();
  world.log_on_other();
  world.client.send("D", order_with_a_tag_of_its_own("A-1"));
  world.run(10ms);
  EXPECT_EQ(world.client.only().show({373, 371}), "3 373=0 371=6001");
  world.other.send("D", order_with_a_tag_of_its_own("B-1"));
  world.run(10ms);
  EXPECT_EQ(world.venue.orders.size(), 1u) << "it was agreed";
}

TEST(GatewayTemplates, a_session_ends_with_its_day_and_begins_anew) {
  World world(with_template());
  world.run(10ms);
  world.log_on();
  world.log_on_other();
  world.run(61min);
  EXPECT_TRUE(world.client.session.is_logged_on()) << "its session never ends";
  EXPECT_FALSE(world.other.session.is_logged_on());
  EXPECT_EQ(world.other.logouts, 1);
  EXPECT_FALSE(world.gateway.is_client_up(1));
  EXPECT_TRUE(world.gateway.is_venue_up(1)) << "the venue's session has no such hours";
  world.network.connect(k_fix_address, world.other.session);
  world.run(10ms);
  EXPECT_FALSE(world.other.session.is_logged_on()) << "outside of the hours";
  world.run(19h);
  world.other.session.reset();
  world.network.connect(k_fix_address, world.other.session);
  world.run(10ms);
  EXPECT_TRUE(world.other.session.is_logged_on());
  EXPECT_EQ(world.other.session.next_incoming().value, 2u) << "numbers begin with the day";
}

TEST(GatewayTemplates, refused_connections_are_reported_with_their_names) {
  GatewayConfig config = small_config();
  config.clients[0].username = "me";
  config.clients[1].allowed_hosts = {"10.1.0.0/16"};
  NotedRefusals observer;
  World world(config, {.observer = &observer});
  world.run(10ms);
  FixClient nobody(world.scheduler, "NOBODY");
  for (FixClient* const each : {&nobody, &world.client, &world.other}) {
    world.network.connect(k_fix_address, each->session);
    world.run(10ms);
    EXPECT_FALSE(each->session.is_logged_on());
  }
  EXPECT_EQ(observer.texts,
            (std::vector<std::string>{"NOBODY: unknown session",
                                      "CLIENT1: Logon refused: field 554: expected the session's Username(553) and "
                                      "Password(554)",
                                      "CLIENT2: host not allowed"}));
}

TEST(GatewayTemplates, the_reason_of_a_refused_logon_is_reported_in_words) {
  NotedRefusals observer;
  World world(small_config(), {.observer = &observer});
  world.run(10ms);
  FixClient other_version(world.scheduler, "CLIENT1", {}, FixVersion::fix_4_2);
  FixClient wrong_password(world.scheduler, "CLIENT2", "shut");
  for (FixClient* const each : {&other_version, &wrong_password}) {
    world.network.connect(k_fix_address, each->session);
    world.run(10ms);
    EXPECT_FALSE(each->session.is_logged_on());
  }
  EXPECT_EQ(observer.texts,
            (std::vector<std::string>{
                "CLIENT1: unknown session: this SenderCompID(49) is known with BeginString(8)=FIX.4.4",
                "CLIENT2: Logon refused: field 554: expected the session's Username(553) and Password(554)"}));
}

TEST(GatewayTemplates, further_names_of_a_client_are_demanded) {
  GatewayConfig config = small_config();
  config.clients[0].sub_id = "DESK";
  World world(config);
  world.run(10ms);
  world.network.connect(k_fix_address, world.client.session);
  world.run(10ms);
  EXPECT_FALSE(world.client.session.is_logged_on());
}

TEST(GatewayTemplates, that_are_not_there_or_have_no_name_of_their_own_are_refused) {
  sched::Scheduler scheduler(512, k_noon);
  link::SimulatedNetwork network(scheduler, {});
  GatewayConfig config = small_config();
  config.clients[0].session_template = "office";
  EXPECT_THROW(Gateway(config, network, scheduler), std::invalid_argument);
  config.templates = {{.name = "office"}, {.name = "office"}};
  EXPECT_THROW(Gateway(config, network, scheduler), std::invalid_argument);
  config.templates = {{.name = "office"}, {.name = ""}};
  EXPECT_THROW(Gateway(config, network, scheduler), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::gateway
