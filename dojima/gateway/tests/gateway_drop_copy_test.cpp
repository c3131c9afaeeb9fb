// Drop copies: executions reported to clients go to the firm as well, each once, also after a resend and after any end
// of the gateway.

#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_lives.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReportKind;

GatewayConfig with_copy(std::vector<std::string> clients = {}) {
  GatewayConfig config = small_config();
  config.drop_copies = {{.comp_id = "FIRM", .clients = std::move(clients)}};
  return config;
}

struct Firm {
  explicit Firm(World& world) : world_(world) {}
  void log_on() {
    world_.network.connect(k_fix_address, client.session);
    world_.run(10ms);
    ASSERT_TRUE(client.session.is_logged_on());
  }
  /// "8 115=.. 11=.. 150=.." of all that came since the last look.
  std::vector<std::string> take() {
    std::vector<std::string> all;
    for (const Message& message : client.take()) all.push_back(message.show({115, 11, 150, 39, 14}));
    return all;
  }
  ~Firm() {
    client.session.logout("end");
    world_.run(100ms);
  }

 private:
  World& world_;

 public:
  FixClient client{world_.scheduler, "FIRM"};
};

using Lines = std::vector<std::string>;

TEST(GatewayDropCopy, carries_the_executions_of_clients) {
  World world(with_copy());
  Firm firm(world);
  firm.log_on();
  world.log_on();
  world.log_on_other();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.traded(order, 77, 30, 10 * market::k_price_scale, 70));
  world.other.send("D", new_order("B-1").set(55, "NOTHING"));
  world.run(1ms);
  EXPECT_EQ(firm.take(), (Lines{"8 115=CLIENT1 11=A-1 150=0 39=0 14=0", "8 115=CLIENT1 11=A-1 150=F 39=1 14=30",
                                "8 115=CLIENT2 11=B-1 150=8 39=8 14=0"}));
  world.client.send("H", {{{11, "A-1"}, {55, "ALPHA"}, {54, "1"}}});
  world.client.send("F", cancel("A-2", "UNKNOWN"));
  world.run(1ms);
  EXPECT_EQ(world.client.take().size(), 3U) << "the fill, the state and the refusal";
  EXPECT_EQ(firm.take(), Lines{}) << "a state and a refused cancel are no news of an order";
  EXPECT_EQ(world.counters().copied, 3U);
  EXPECT_EQ(world.counters().uncopied, 0U);
}

TEST(GatewayDropCopy, says_the_same_as_the_clients_report) {
  World world(with_copy());
  Firm firm(world);
  firm.log_on();
  world.log_on();
  world.client.send("D", new_order("A-1").set(1, "HOUSE"));
  world.run(1ms);
  world.venue.say(world.venue.accepted(world.venue.orders.at(0), 77));
  world.run(1ms);
  Message received = world.client.only();
  Message copied = firm.client.only();
  EXPECT_EQ(copied.at(115), "CLIENT1");
  copied.fields.erase(115);
  for (const int header : {9, 10, 34, 52, 56}) {
    received.fields.erase(header);
    copied.fields.erase(header);
  }
  EXPECT_EQ(copied.fields, received.fields);
  EXPECT_EQ(firm.client.troubles, 0);
}

TEST(GatewayDropCopy, is_resent_to_a_firm_that_comes_later) {
  World world(with_copy());
  world.log_on();
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.traded(order, 77, 100, 10 * market::k_price_scale, 0));
  world.run(1ms);
  Firm firm(world);
  firm.log_on();
  world.run(10ms);
  EXPECT_EQ(firm.take(), (Lines{"8 115=CLIENT1 11=A-1 150=0 39=0 14=0", "8 115=CLIENT1 11=A-1 150=F 39=2 14=100"}));
}

TEST(GatewayDropCopy, carries_those_that_it_names) {
  World world(with_copy({"CLIENT2"}));
  Firm firm(world);
  firm.log_on();
  world.log_on();
  world.log_on_other();
  world.enter("A-1", 77);
  world.other.send("D", new_order("B-1").set(55, "NOTHING"));
  world.run(1ms);
  EXPECT_EQ(firm.take(), Lines{"8 115=CLIENT2 11=B-1 150=8 39=8 14=0"});
}

TEST(GatewayDropCopy, goes_on_when_a_client_begins_its_numbers_anew) {
  World world(with_copy());
  Firm firm(world);
  firm.log_on();
  world.log_on();
  world.enter("A-1", 77);
  world.run(1s);
  world.client.session.reset();
  world.run(10ms);
  ASSERT_EQ(world.client.session.next_incoming().value, 2U);
  world.enter("A-2", 78);
  EXPECT_EQ(firm.take(), (Lines{"8 115=CLIENT1 11=A-1 150=0 39=0 14=0", "8 115=CLIENT1 11=A-2 150=0 39=0 14=0"}));
}

TEST(GatewayDropCopy, takes_no_requests) {
  World world(with_copy());
  Firm firm(world);
  firm.log_on();
  firm.client.send("D", new_order("A-1"));
  world.run(1ms);
  EXPECT_EQ(firm.client.only().show({372, 380}), "j 372=D 380=3");
  EXPECT_EQ(world.counters().requests, 0U);
}

TEST(GatewayDropCopy, is_refused_where_it_makes_no_sense) {
  sched::Scheduler scheduler(512, k_noon);
  link::SimulatedNetwork network(scheduler, {});
  const auto make = [&](DropCopyConfig copy) {
    GatewayConfig config = small_config();
    config.drop_copies = {std::move(copy)};
    const Gateway gateway(config, network, scheduler);
  };
  EXPECT_THROW(make({.comp_id = ""}), std::invalid_argument);
  EXPECT_THROW(make({.comp_id = "CLIENT1"}), std::invalid_argument);
  EXPECT_THROW(make({.comp_id = "FIRM", .clients = {"NOBODY"}}), std::invalid_argument);
  EXPECT_THROW(make({.comp_id = "FIRM", .version = FixVersion::fix_4_2, .clients = {"CLIENT1"}}),
               std::invalid_argument);
}

/// The ExecIDs of all execution reports in a store, states left out.
Lines executions_in(const fix::MessageStore& store) {
  Lines ids;
  fix::MessageView view;
  for (std::uint64_t next = 1; const auto stored = store.find_from({next}); next = stored->sequence.value + 1) {
    if (stored->type != fix::type::k_execution_report || !view.read(stored->bytes)) continue;
    if (view.find(fix::tag::k_exec_type) != "I") ids.emplace_back(view.find(fix::tag::k_exec_id).value_or("none"));
  }
  return ids;
}

std::size_t expect_equal_stores(const GatewayLives& lives) {
  const auto store = [&](const char* comp_id) {
    return lives.life->stores->store({"FIX.4.4", "DOJIMA", comp_id}).value();
  };
  const Lines copied = executions_in(*store("FIRM"));
  EXPECT_EQ(copied, executions_in(*store("CLIENT1")));
  return copied.size();
}

/// Executions reported to a client while the journal has no room for copies of them.
struct Uncopied {
  /// The copy that ends the room is not always the first that finds none: `refused` requests come before it.
  Uncopied(bool has_hours, int refused) {
    lives.config = with_copy({"CLIENT1"});
    lives.config.limits.orders = 512;
    lives.config.limits.requests = 2048;
    lives.config.limits.remembered_ids = 512;
    if (has_hours) lives.config.fix.schedule = fix::ScheduleConfig{.session = fix::Hours::daily(1h, 23h)};
    World& world = lives.begin();
    // The next life begins at noon as well: to it the day of these numbers is over.
    if (has_hours) store("CLIENT1")->set_numbers_begun(k_noon - std::chrono::hours{48});
    lives.life->work();
    world.log_on();
    const market::NewOrder order = world.enter("A-1", 77);
    lives.life->work();
    for (int count = 0; count < refused; ++count)
      world.client.send("D", new_order("R-" + std::to_string(count)).set(55, "NOTHING"));
    world.run(1ms);
    for (std::int64_t lot = 1; lot <= 100; ++lot)
      world.venue.say(world.venue.traded(order, 77, 1, 10 * market::k_price_scale, 100 - lot));
    world.run(10ms);
    EXPECT_TRUE(world.gateway.waits_for_journal());
    received = executions_in(*store("CLIENT1"));
  }
  [[nodiscard]] static std::unique_ptr<Uncopied> find(bool has_hours = false) {
    for (int refused = 0; refused < 40; ++refused)
      if (auto made = std::make_unique<Uncopied>(has_hours, refused);
          executions_in(*made->store("FIRM")).size() < made->received.size())
        return made;
    ADD_FAILURE() << "all is copied always";
    return std::make_unique<Uncopied>(has_hours, 0);
  }
  [[nodiscard]] fix::MessageStore* store(const char* comp_id) const {
    return lives.life->stores->store({"FIX.4.4", "DOJIMA", comp_id}).value();
  }
  void expect_copied() const {
    Lines copied = executions_in(*store("FIRM"));
    EXPECT_EQ(lives.life->world->counters().uncopied, 0U);
    ASSERT_GE(copied.size(), received.size());
    copied.resize(received.size());
    EXPECT_EQ(copied, received);
  }
  GatewayLives lives;
  Lines received;
};

TEST(GatewayDropCopy, has_what_was_not_copied_yet_when_numbers_are_set_back) {
  const std::unique_ptr<Uncopied> found = Uncopied::find();
  Uncopied& day = *found;
  World& world = *day.lives.life->world;
  world.network.cut(world.client.session);
  world.run(1ms);
  ASSERT_TRUE(world.gateway.waits_for_journal());
  ASSERT_TRUE(world.gateway.set_numbers(0, {1}, {1}).has_value());
  EXPECT_EQ(executions_in(*day.store("CLIENT1")), Lines{});
  day.expect_copied();
  for (int count = 0; count < 200; ++count) {
    day.lives.life->work();
    world.run(1ms);
  }
  day.expect_copied();
  EXPECT_GE(executions_in(*day.store("FIRM")).size(), 101U) << "and all that comes afterwards";
}

TEST(GatewayDropCopy, has_what_was_not_copied_yet_when_the_clients_day_ended_while_the_gateway_was_down) {
  const std::unique_ptr<Uncopied> found = Uncopied::find(true);
  Uncopied& day = *found;
  day.lives.kill();
  day.lives.outgoing = {};
  day.lives.begin();
  EXPECT_EQ(executions_in(*day.store("CLIENT1")), Lines{}) << "the day of its numbers was over";
  day.expect_copied();
}

TEST(GatewayDropCopyLong, has_the_clients_executions_after_any_loss_of_power) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    GatewayLives lives;
    lives.config = with_copy({"CLIENT1"});
    lives.durability = journal::Durability::power;
    std::uint64_t order_id = 100;
    for (int life = 0; life < 3; ++life) {
      World& world = lives.begin();
      expect_equal_stores(lives);
      const auto settle = [&] {
        for (int count = 0; count < 12; ++count) {
          lives.life->work();
          world.run(1ms);
        }
      };
      settle();
      world.network.connect(k_fix_address, world.client.session);
      settle();
      if (!world.client.session.is_logged_on()) settle();
      world.client.take();
      for (auto count = random() % 12; count != 0; --count) {
        world.client.send("D", new_order("L" + std::to_string(life) + "-" + std::to_string(count)));
        if (random() % 3 != 0) lives.life->work();
        world.run(1ms);
        for (const market::NewOrder& order : world.venue.orders) {
          world.venue.say(world.venue.accepted(order, ++order_id));
          if (random() % 2 == 0)
            world.venue.say(world.venue.traded(order, order_id, 40, 10 * market::k_price_scale, 60));
        }
        world.venue.orders.clear();
        world.run(1ms);
      }
      lives.disk.lose_power();
      lives.kill();
    }
    lives.begin();
    EXPECT_NE(expect_equal_stores(lives), 0U);
  }
}

}  // namespace
}  // namespace dojima::gateway
