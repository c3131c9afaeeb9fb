// A gateway that is killed and started again on its journal: it knows every order, request and id, goes on with its
// numbers, and never sends a client what it did not write, nor the reverse.

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "dojima/fix/journal_stores.hpp"
#include "dojima/gateway/gateway_test_lives.hpp"
#include "dojima/gateway/records/record_image.hpp"
#include "dojima/gateway/saved_state.hpp"
#include "dojima/gateway/setup/saved_content.hpp"
#include "dojima/gateway/tests/gateway_test_busts.hpp"
#include "dojima/gateway/translator.hpp"
#include "dojima/gateway/translator/state_journal.hpp"
#include "dojima/journal/simulated_disk.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReport, market::OwnerReportKind;

/// All that records hold, as text to compare.
std::string image_of(const Records& records) {
  std::string image;
  std::array<std::byte, 256> room;
  for (std::uint32_t slot = 0; slot < records.order_capacity(); ++slot) {
    if (!records.has_order(slot)) continue;
    EntryWriter out(room);
    const Order& order = records.order_at(slot);
    write_order(out, slot, order, records.id_of(order));
    if (const OrderParties* const parties = records.parties_of(order); parties != nullptr)
      write_parties(out, slot, *parties);
    out.add(order.pending_change);
    out.add(order.stale_changes);
    image += as_text(out.written());
  }
  for (std::uint32_t slot = 0; slot < records.request_capacity(); ++slot) {
    if (!records.request_at(slot).is_used) continue;
    EntryWriter out(room);
    write_request(out, records, records.request_at(slot));
    image += as_text(out.written());
  }
  return image + std::to_string(records.orders()) + "/" + std::to_string(records.closed_orders()) + "/" +
         std::to_string(records.requests());
}

/// The ids of the past and what they address, oldest first.
std::vector<std::string> past_ids_of(const Records& records) {
  std::vector<std::string> ids;
  std::array<std::byte, 256> room;
  for (std::uint64_t at = records.ids().past_begin(); at != records.ids().past_end(); ++at) {
    EntryWriter out(room);
    const ClOrdIdRef id = records.ids().past_at(at);
    write_past_id(out, records.ids().key(id), records.ids().target(id));
    ids.emplace_back(as_text(out.written()));
  }
  return ids;
}

/// Whether the newest of these are those.
bool ends_with(const std::vector<std::string>& all, const std::vector<std::string>& newest) {
  return newest.size() <= all.size() && std::ranges::equal(newest, std::span(all).last(newest.size()));
}

TEST(GatewayJournal, orders_and_sessions_go_on_after_a_kill) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  const market::NewOrder order = world->enter("A-1", 77);
  world->client.send("G", replace("A-2", "A-1", "60", "11"));
  world->run(1ms);
  const market::Replace change = world->venue.replaces.at(0);
  world->venue.say(world->venue.answer(order, OwnerReportKind::replaced, 77, change.client_order_id, 60));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 41, 150}), "8 11=A-2 41=A-1 150=5");
  const std::string image = image_of(world->gateway.translator().records());
  const std::uint64_t number = world->gateway.translator().records().next_number();
  lives.kill();

  world = &lives.begin();
  EXPECT_EQ(lives.life->saved.open_orders(), 1u);
  EXPECT_GE(world->gateway.translator().records().next_number(), number);
  world->log_on();
  EXPECT_EQ(world->client.session.next_incoming().value, lives.incoming.value + 1);  // our Logon, nothing asked for
  market::NewOrder now = order;
  now.labels.client_order_id = change.client_order_id;
  world->venue.say(world->venue.traded(now, 77, 60, 11 * market::k_price_scale, 0));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 37, 150, 39, 38, 14, 6}),
            "8 11=A-2 37=00000000001F 150=F 39=2 38=60 14=60 6=11");
  world->client.send("D", new_order("A-1"));  // known, however long ago
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 103}), "8 11=A-1 150=8 103=6");
  world->enter("A-3", 78);
  EXPECT_EQ(world->counters().strays, 0u);
}

TEST(GatewayJournal, the_parties_of_an_order_are_in_its_reports_before_and_after_a_kill) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  Fields fields = new_order("A-1");
  for (const auto& [tag, value] : std::vector<std::pair<int, std::string>>{
           {581, "3"}, {453, "2"}, {448, "1"}, {447, "D"}, {452, "3"}, {448, "3"}, {447, "D"}, {452, "12"}})
    fields.list.emplace_back(tag, value);
  world->client.send("D", fields);
  world->run(1ms);
  ASSERT_EQ(world->venue.orders.size(), 1u);
  const market::NewOrder order = world->venue.orders.back();
  EXPECT_EQ(order.labels.clearing, 3u);
  EXPECT_EQ(order.labels.client, 1u);
  world->venue.say(world->venue.accepted(order, 77));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 581, 453, 448, 447, 452}),
            "8 11=A-1 150=0 581=3 453=2 448=3 447=D 452=12");
  world->enter("A-2", 78);
  lives.kill();

  world = &lives.begin();
  world->log_on();
  OwnerReport fill = world->venue.traded(order, 77, 60, 10 * k_unit, 40);
  fill.counterparty = Text<11>::cut("CCP01");
  world->venue.say(fill);
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 581, 453, 448, 447, 452}),
            "8 11=A-1 150=F 581=3 453=3 448=CCP01 447=D 452=17");
  lives.kill();  // the order was written again behind its execution

  world = &lives.begin();
  world->log_on();
  for (const char* id : {"A-1", "A-2"}) {
    world->client.send("H", {{{11, id}, {55, "ALPHA"}, {54, "1"}}});
    world->run(1ms);
  }
  const std::vector<Message> answers = world->client.take();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].show({11, 150, 581, 453, 448, 452}), "8 11=A-1 150=I 581=3 453=2 448=3 452=12");
  EXPECT_EQ(answers[1].show({11, 150, 581, 453}), "8 11=A-2 150=I 581= 453=");
}

/// A quote says for whom its sides are, and the next one that the venue takes says it anew.
TEST(GatewayJournal, the_parties_of_a_quote_are_in_the_reports_of_its_sides_before_and_after_a_kill) {
  using market::Side;
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  const auto quote = [&](std::string id, const std::vector<std::pair<int, std::string>>& owner) {
    Fields fields{{{117, std::move(id)}, {55, "ALPHA"}, {132, "9"}, {133, "11"}, {134, "10"}, {135, "12"}}};
    for (const auto& [tag, value] : owner) fields.list.emplace_back(tag, value);
    world->client.send("S", fields);
    world->run(1ms);
    EXPECT_EQ(world->venue.quotes.size(), 1u) << world->client.only().show({45, 58, 371, 372});
    return world->venue.quotes.empty() ? market::Quote{} : std::exchange(world->venue.quotes, {}).back();
  };
  const auto say = [&](const market::Quote& of, Side side, OwnerReportKind kind, std::int64_t lots = 0) {
    market::NewOrder order;
    order.header.instrument = of.header.instrument;
    order.terms.side = side;
    order.terms.quantity = side == Side::buy ? of.bid_size : of.ask_size;
    order.labels.client_order_id = of.labels.client_order_id;
    OwnerReport report = world->venue.about(order, kind, side == Side::buy ? 77 : 78);
    report.quantity = {lots};
    report.price = {kind == OwnerReportKind::traded ? 9 * k_unit : 0};
    report.leaves -= report.quantity;
    if (kind == OwnerReportKind::rejected) report.reason = market::Reason::price_out_of_range;
    world->venue.say(report);
    world->run(1ms);
  };
  const auto said = [&](std::initializer_list<int> tags) {
    std::string all;
    for (const Message& message : world->client.take()) all += message.show(tags) + "|";
    return all;
  };
  const std::vector<std::pair<int, std::string>> first{{581, "3"}, {453, "1"}, {448, "2"}, {447, "D"}, {452, "3"}};
  const std::vector<std::pair<int, std::string>> second{{453, "1"}, {448, "3"}, {447, "D"}, {452, "12"}};
  const market::Quote one = quote("Q-1", first);
  EXPECT_EQ(one.labels.client, 2u);
  for (const Side side : {Side::buy, Side::sell}) say(one, side, OwnerReportKind::accepted);
  EXPECT_EQ(said({11, 54, 150, 581, 453, 448, 452}),
            "8 11=Q-1 54=1 150=0 581=3 453=1 448=2 452=3|8 11=Q-1 54=2 150=0 581=3 453=1 448=2 452=3|");
  lives.kill();

  // What is not answered says nothing yet, and what is refused never will.
  world = &lives.begin();
  world->log_on();
  const market::Quote two = quote("Q-2", second);
  say(one, Side::buy, OwnerReportKind::traded, 4);
  EXPECT_EQ(said({11, 150, 581, 453, 448}), "8 11=Q-1 150=F 581=3 453=1 448=2|");
  lives.kill();

  world = &lives.begin();
  world->log_on();
  say(two, Side::buy, OwnerReportKind::replaced);
  EXPECT_EQ(said({11, 41, 54, 150, 581, 453, 448}), "8 11=Q-2 41=Q-1 54=1 150=5 581= 453=1 448=3|");
  say(two, Side::sell, OwnerReportKind::rejected);
  world->client.take();
  world->client.send("H", {{{11, "?"}, {37, wire_id(78)}, {55, "ALPHA"}, {54, "2"}}});
  world->run(1ms);
  EXPECT_EQ(said({11, 150, 581, 453, 448}), "8 11=Q-1 150=I 581=3 453=1 448=2|") << "as it was";

  // One that names nobody is for nobody in particular.
  const market::Quote three = quote("Q-3", {});
  for (const Side side : {Side::buy, Side::sell}) say(three, side, OwnerReportKind::replaced);
  EXPECT_EQ(said({11, 54, 150, 581, 453}), "8 11=Q-3 54=1 150=5 581= 453=|8 11=Q-3 54=2 150=5 581= 453=|");
  lives.kill();
  world = &lives.begin();
  world->log_on();
  world->client.send("H", {{{11, "?"}, {37, wire_id(77)}, {55, "ALPHA"}, {54, "1"}}});
  world->run(1ms);
  EXPECT_EQ(said({11, 150, 581, 453}), "8 11=Q-3 150=I 581= 453=|");
}

TEST(GatewayJournal, trades_that_a_client_does_not_know_are_kept_for_those_who_settle_them) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  const auto doubt = [&](const std::string& execution, const std::string& text) {
    world->client.send("Q",
                       {{{37, "00000000001F"}, {17, execution}, {127, "D"}, {55, "ALPHA"}, {54, "1"}, {58, text}}});
    world->run(1ms);
  };
  const auto kept = [&] {
    const UnknownTrades& trades = world->gateway.unknown_trades();
    std::vector<std::string> all;
    for (std::size_t place = 0; place < trades.size(); ++place) {
      const UnknownTrade& trade = trades.at(place);
      all.push_back(std::to_string(trade.client) + " " + std::string(trade.order_id.view()) + " " +
                    std::string(trade.exec_id.view()) + " " + trade.reason + " " + std::string(trade.text.view()));
    }
    return all;
  };
  doubt("E-1", "not\x1b[2J ours");
  doubt("E-2", std::string(80, 'x'));
  const std::vector<std::string> two = {"0 00000000001F E-1 D not?[2J ours",
                                        "0 00000000001F E-2 D " + std::string(60, 'x')};
  EXPECT_EQ(kept(), two);
  lives.kill();

  world = &lives.begin();
  EXPECT_EQ(kept(), two);
  world->log_on();
  for (int more = 3; more <= 258; ++more) {
    doubt("E-" + std::to_string(more), "-");
    lives.life->work();
  }
  EXPECT_EQ(kept().size(), 256u);
  EXPECT_EQ(kept().front(), "0 00000000001F E-3 D -");
  const std::vector<std::string> newest = kept();
  lives.kill();

  world = &lives.begin();
  EXPECT_EQ(kept(), newest);
}

TEST(GatewayJournal, a_busted_trade_stays_busted_also_of_an_order_that_is_over) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  const market::NewOrder open = world->enter("A-1", 77), over = world->enter("A-2", 78);
  const OwnerReport part = world->venue.traded(open, 77, 30, 10 * k_unit, 70);
  const OwnerReport all = world->venue.traded(over, 78, 100, 10 * k_unit, 0);
  world->venue.say(part);
  world->venue.say(all);
  world->run(1ms);
  world->venue.say(busted(world->venue, open, part, 70));
  world->run(1ms);
  lives.kill();

  world = &lives.begin();
  world->log_on();
  world->client.take();
  world->venue.say(busted(world->venue, over, all, 0));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 39, 14, 6}), "8 11=A-2 150=H 39=4 14=0 6=0");
  // Another report about the execution that an earlier life took back: of an order with a fill that counts.
  world->venue.say(world->venue.traded(open, 77, 50, 10 * k_unit, 20));
  world->venue.say(busted(world->venue, open, part, 20));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 14}), "8 11=A-1 150=F 14=50");
  EXPECT_EQ(world->counters().busts, 1u);
  EXPECT_EQ(world->counters().strays, 1u);
  world->client.send("H", {{{790, "Q"}, {11, "A-1"}, {55, "ALPHA"}, {54, "1"}}});
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({39, 38, 14, 151}), "8 39=1 38=70 14=50 151=20");
}

TEST(GatewayJournal, an_order_of_the_next_life_has_a_number_of_its_own) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  const market::NewOrder first = world->enter("A-1", 77);
  lives.kill();
  world = &lives.begin();
  world->log_on();
  const market::NewOrder second = world->enter("A-2", 78);
  EXPECT_NE(first.labels.client_order_id, second.labels.client_order_id);
  // An execution of the first is the first's, although the other one is younger and fits as well.
  world->venue.say(world->venue.traded(first, 77, 100, 9 * market::k_price_scale, 0));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 39, 14}), "8 11=A-1 150=F 39=2 14=100");
}

TEST(GatewayJournal, exec_ids_of_the_gateway_are_never_used_again) {
  GatewayLives lives;
  std::string last;
  for (int life = 0; life < 3; ++life) {
    World& world = lives.begin();
    world.log_on();
    world.client.send("D", new_order("A-1").set(55, "NOTHING"));
    world.run(1ms);
    const std::string id = world.client.only().at(17);
    EXPECT_LT(last, id);
    last = id;
    lives.kill();
  }
}

/// The message to the client and the change of state are in one record: whatever the journal's tail loses, it loses
/// both or none.
TEST(GatewayJournal, a_refusal_and_the_message_that_it_answers_survive_together) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  const std::uint64_t sequence = world->client.session.next_outgoing().value;
  world->client.send("D", new_order("A-1").set(55, "NOTHING"));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({150}), "8 150=8");
  lives.kill();
  world = &lives.begin();
  world->log_on();
  EXPECT_EQ(world->client.session.next_outgoing().value, sequence + 2);
  world->run(1s);
  EXPECT_TRUE(world->client.take().empty());
}

TEST(GatewayJournal, a_resent_order_that_is_known_is_answered_with_its_state) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  world->enter("A-1", 77);
  lives.kill();
  world = &lives.begin();
  world->log_on();
  Fields again = new_order("A-1");
  again.list.insert(again.list.begin(), {97, "Y"});
  world->client.send("D", again);
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 39}), "8 11=A-1 150=I 39=0");
  EXPECT_TRUE(world->venue.orders.empty());
}

TEST(GatewayJournal, without_room_in_the_journal_no_request_reaches_the_venue) {
  GatewayLives lives;
  World& world = lives.begin();
  world.log_on();
  lives.disk.fail_writes(28);
  for (int count = 0; count < 4000 && world.counters().refused == 0; ++count) {
    world.client.send("D", new_order("A-" + std::to_string(count)).set(1, "X"));
    world.run(1ms);
    if (!world.client.session.is_logged_on()) break;
  }
  EXPECT_EQ(world.gateway.translator().records().orders(), world.venue.orders.size());
  EXPECT_EQ(world.gateway.translator().records().requests(), world.venue.orders.size());
}

/// Why a gateway of this configuration does not start on the journal; empty: it does, and has written what it begins
/// with.
std::string refusal_of(GatewayLives& lives, const GatewayConfig& config) {
  lives.disk.restart();
  SavedState saved;
  auto stores = fix::JournalStores::open(lives.disk, {.name = "test",
                                                      .segment_bytes = std::size_t{1} << 14,
                                                      .disk_bytes = std::uint64_t{1} << 22,
                                                      .largest_message = 4196,
                                                      .state_bytes = std::uint64_t{1} << 17,
                                                      .on_state = [&](Bytes piece) { return saved.apply(piece); }});
  EXPECT_TRUE(stores);
  sched::Scheduler scheduler(512, k_noon);
  link::SimulatedNetwork network(scheduler, {});
  std::string why;
  const std::size_t sessions = (*stores)->sessions();
  try {
    Gateway gateway(config, network, scheduler, {.stores = stores->get(), .saved = &saved});
  } catch (const std::runtime_error& error) {
    why = error.what();
  }
  EXPECT_TRUE(why.empty() || (*stores)->sessions() == sessions) << "a refused start leaves the journal as it was";
  stores->reset();
  lives.disk.end_process();
  constexpr std::string_view k_before = "the gateway's journal does not go with its configuration: ";
  EXPECT_TRUE(why.empty() || why.starts_with(k_before)) << why;
  return why.empty() ? why : why.substr(k_before.size());
}

TEST(GatewayJournal, a_journal_of_another_configuration_is_refused_with_the_order_and_what_both_say) {
  GatewayLives lives;
  lives.begin().log_on();
  lives.life->world->enter("A-1", 77);
  lives.kill();
  const auto refused = [&](auto change) {
    GatewayConfig config = lives.config;
    change(config);
    return refusal_of(lives, config);
  };
  const std::string first = lives.config.symbols[0].symbol, second = lives.config.symbols[1].symbol;
  const std::string number = std::to_string(lives.config.symbols[0].instrument),
                    other = std::to_string(lives.config.symbols[1].instrument);
  const std::string of_order = "order A-1 of client CLIENT1 is open, ";
  const std::string in_instrument = of_order + "in instrument " + number + ", which was symbol " + first + " and is ";
  EXPECT_EQ(refused([](GatewayConfig& config) { config.clients[0].venue_user = "USER9"; }),
            of_order + "entered as venue user USER1, and the client trades as USER9 now");
  EXPECT_EQ(refused([](GatewayConfig& config) { config.clients.erase(config.clients.begin()); }),
            of_order + "and the configuration has no such client");
  EXPECT_EQ(refused([](GatewayConfig& config) { config.venue_name = "MILAN"; }),
            of_order + "entered as venue user USER1, and the client trades as USER1 of venue MILAN now");
  EXPECT_EQ(refused([](GatewayConfig& config) { config.clients[0].version = FixVersion::fix_4_2; }),
            of_order + "and the client spoke FIX.4.4, but its version is FIX.4.2 now");
  EXPECT_EQ(refused([](GatewayConfig& config) { config.dialect = &mit::bit_9_4::k_dialect; }),
            of_order + "at the venue, whose dialect was " + mit::lse_21_2::k_dialect.name + " and is " +
                mit::bit_9_4::k_dialect.name + " now");
  EXPECT_EQ(refused([](GatewayConfig& config) { config.symbols.erase(config.symbols.begin()); }),
            in_instrument + "none now");
  EXPECT_EQ(refused([](GatewayConfig& config) { config.symbols[0].symbol = "RENAMED"; }),
            in_instrument + "RENAMED now");
  EXPECT_EQ(
      refused([](GatewayConfig& config) { std::swap(config.symbols[0].instrument, config.symbols[1].instrument); }),
      in_instrument + second + " now; " + first + " is instrument " + other);
  EXPECT_EQ(refused([](GatewayConfig&) {}), "");
}

TEST(GatewayJournal, what_differs_but_concerns_no_open_order_is_taken_and_counts_from_then_on) {
  GatewayLives lives;
  World* world = &lives.begin();
  world->log_on();
  const market::NewOrder order = world->enter("A-1", 77);
  world->venue.say(world->venue.traded(order, 77, 100, 10 * k_unit, 0));
  world->run(1ms);
  lives.kill();
  const std::uint32_t number = lives.config.symbols[0].instrument;
  GatewayConfig other = lives.config;
  other.clients[0].version = FixVersion::fix_4_2;
  other.dialect = &mit::bit_9_4::k_dialect;
  std::swap(other.symbols[0].instrument, other.symbols[1].instrument);
  EXPECT_EQ(refusal_of(lives, other), "") << "its order is over";
  EXPECT_EQ(refusal_of(lives, lives.config), "") << "and back again";

  world = &lives.begin();
  world->log_on();
  world->enter("A-2", 78);
  world->enter("A-3", 79);
  lives.kill();
  GatewayConfig more = lives.config;
  more.clients[1].version = FixVersion::fix_5_0_sp2;
  more.symbols[1].symbol = "UNUSED";
  EXPECT_EQ(refusal_of(lives, more), "") << "another client, another instrument";
  more.symbols[0].instrument = number + 1'000;
  EXPECT_EQ(refusal_of(lives, more), "order A-2 of client CLIENT1 is open, in instrument " + std::to_string(number) +
                                         ", which was symbol ALPHA and is none now; ALPHA is instrument " +
                                         std::to_string(number + 1'000) + "; 2 open orders do not go with it");
}

TEST(GatewayJournal, power_holds_back_requests_and_answers_until_they_are_on_the_disk) {
  GatewayLives lives;
  lives.durability = journal::Durability::power;
  World& world = lives.begin();
  world.run(1ms);
  EXPECT_TRUE(world.venue.users.empty());  // not even the Logon leaves before what was written first
  world.network.connect(k_fix_address, world.client.session);
  for (int count = 0; count < 10; ++count) {
    world.run(1ms);
    lives.life->work();
  }
  ASSERT_TRUE(world.client.session.is_logged_on());
  ASSERT_TRUE(world.gateway.is_venue_up());
  world.client.send("D", new_order("A-1").set(55, "NOTHING"));
  world.client.send("D", new_order("A-2"));
  world.run(10ms);
  EXPECT_TRUE(world.client.take().empty());
  EXPECT_TRUE(world.venue.orders.empty());
  lives.life->work();
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({11, 150}), "8 11=A-1 150=8");
  ASSERT_EQ(world.venue.orders.size(), 1u);
  // What waits when the connection goes never leaves.
  world.client.send("D", new_order("A-3"));
  world.run(10ms);
  world.network.cut(*world.venue.users.at("USER1"));
  world.run(10ms);
  lives.life->work();
  world.run(4s);
  lives.life->work();
  world.run(1ms);
  EXPECT_EQ(world.venue.orders.size(), 1u);
}

/// Whatever clients and venue do: after a kill at any of the disk's calls the records are what they were.
void live_at_random(std::uint64_t seed, int steps) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t below) { return random() % below; };
  GatewayLives lives;
  std::vector<market::NewOrder> open;
  std::vector<std::string> ids{"none"};
  std::uint64_t order_id = 100;
  int name = 0;
  for (int life = 0; life < 4; ++life) {
    World& world = lives.begin();
    world.log_on();
    for (int step = 0; step < steps; ++step) {
      const std::string id = "A-" + std::to_string(++name);
      const std::string orig = ids[draw(ids.size())];
      const std::size_t orders = world.venue.orders.size(), replaces = world.venue.replaces.size();
      switch (draw(6)) {
        case 0:
          world.client.send("F", cancel(id, orig));
          break;
        case 1:
          world.client.send("G", testing::replace(id, orig, "80", "11"));
          break;
        case 2:
          if (open.empty()) break;
          world.venue.say(world.venue.traded(open[draw(open.size())], order_id, 1, 10 * market::k_price_scale, 50));
          break;
        case 3: {
          if (open.empty()) break;
          OwnerReport report = world.venue.about(open[draw(open.size())], OwnerReportKind::cancelled, 0);
          report.order = {};
          report.leaves = {};
          report.status = market::OrderStatus::cancelled;
          world.venue.say(report);
          break;
        }
        default:
          world.client.send("D", new_order(id));
          ids.push_back(id);
      }
      world.run(1ms);
      if (world.venue.orders.size() != orders && draw(4) != 0) {
        OwnerReport report = world.venue.accepted(world.venue.orders.back(), ++order_id);
        report.order = {};
        world.venue.say(report);
        open.push_back(world.venue.orders.back());
      }
      if (world.venue.replaces.size() != replaces && draw(2) != 0 && !open.empty()) {
        OwnerReport report = world.venue.answer(open.back(), OwnerReportKind::request_rejected, 0,
                                                world.venue.replaces.back().client_order_id, 0);
        world.venue.say(report);
      }
      world.run(1ms);
      lives.life->work();
    }
    // As the next life finds it: nothing can settle what is unanswered.
    lives.life->world->network.cut(*world.venue.users.at("USER1"));
    world.run(10ms);
    const std::string image = image_of(world.gateway.translator().records());
    const std::vector<std::string> past = past_ids_of(world.gateway.translator().records());
    lives.kill();
    const Records& records = lives.begin().gateway.translator().records();
    EXPECT_TRUE(image_of(records) == image) << "seed " << seed << " life " << life;
    // A life begins with its whole reserve, of which the one before may have used some.
    const std::vector<std::string> remembered = past_ids_of(records);
    if (remembered.size() >= past.size()) {
      EXPECT_TRUE(ends_with(remembered, past)) << "seed " << seed << " life " << life;
    } else {
      EXPECT_TRUE(ends_with(past, remembered)) << "seed " << seed << " life " << life;
      EXPECT_LE(past.size() - remembered.size(), records.ids().reserve()) << "seed " << seed << " life " << life;
    }
    lives.kill();
  }
}

TEST(GatewayJournal, records_are_in_every_life_what_they_were) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) live_at_random(seed, 60);
}

TEST(GatewayJournalLong, records_are_in_every_life_what_they_were) {
  for (std::uint64_t seed = 100; seed < 140; ++seed) live_at_random(seed, 400);
}

TEST(GatewayJournal, goes_on_where_its_oldest_segments_are_gone) {
  GatewayLives lives;
  lives.messages = 8;  // of few messages, or the segments that hold them would stay
  World* world = &lives.begin();
  world->log_on();
  const market::NewOrder open = world->enter("OPEN", 7);
  for (std::uint64_t order_id = 1000; order_id < 1150; ++order_id) {
    const market::NewOrder order = world->enter("A-" + std::to_string(order_id), order_id);
    world->venue.say(world->venue.traded(order, order_id, 100, 10 * market::k_price_scale, 0));
    world->run(1ms);
    world->client.take();
    lives.life->work();
  }
  const std::size_t orders = world->gateway.translator().records().orders(),
                    closed = world->gateway.translator().records().closed_orders();
  const std::vector<std::string> past = past_ids_of(world->gateway.translator().records());
  lives.kill();
  world = &lives.begin();
  EXPECT_GT(lives.life->stores->journal().recovery().first.value, 1U) << "no segment went";
  EXPECT_EQ(world->gateway.translator().records().orders(), orders);
  EXPECT_EQ(world->gateway.translator().records().closed_orders(), closed);
  EXPECT_TRUE(past_ids_of(world->gateway.translator().records()) == past);
  world->log_on();
  world->venue.say(world->venue.traded(open, 7, 60, 10 * market::k_price_scale, 40));
  world->run(1ms);
  EXPECT_EQ(world->client.only().show({11, 150, 39, 14, 151}), "8 11=OPEN 150=F 39=1 14=60 151=40");
}

TEST(GatewayJournal, the_whole_state_written_anew_has_what_was_kept_of_each_client) {
  GatewayConfig config = small_config();
  fix::JournalStoresOptions options{.name = "test",
                                    .segment_bytes = std::size_t{1} << 14,
                                    .disk_bytes = std::uint64_t{1} << 22,
                                    .largest_message = 4196,
                                    .state_bytes = std::uint64_t{1} << 17};
  journal::SimulatedDisk disk;
  const auto stores = fix::JournalStores::open(disk, options);
  ASSERT_TRUE(stores);
  GatewayCounters counters;
  Records records({.orders = 4, .requests = 8, .remembered_ids = 4}, 0);
  std::vector<ClientState> states(config.clients.size());
  const VenueUsers users(config);
  StateJournal journal(records, counters, states, users);
  journal.begin(**stores, config);
  states[0].limits = {.quantity = {50}, .symbols = std::vector<std::string>(ClientLimits::k_symbols_max, "SYMBOL")};
  states[0].is_changed = true;
  states[1].is_killed = true;
  states[1].presence = {.stage = CancelStage::due, .lost_at = k_noon, .number = 7};
  journal.begin_checkpoint();
  SavedState saved;
  std::vector<std::byte> room(fix::k_state_piece);
  for (std::size_t size = 0; (size = journal.write_checkpoint(room)) != 0;)
    ASSERT_TRUE(saved.apply(Bytes(room).first(size)));
  for (std::size_t client = 0; client < states.size(); ++client) {
    ASSERT_NE(saved.content().find_state(config.clients[client]), nullptr);
    EXPECT_EQ(*saved.content().find_state(config.clients[client]), states[client]);
  }
  EXPECT_GE(saved.content().records(config)->next_number, 8u) << "a mass cancel has a number too";
}

/// What an open order takes in the journal, and a start with many of them.
TEST(GatewayJournalLong, a_hundred_thousand_open_orders_of_three_hundred_clients_come_back) {
  constexpr std::uint32_t k_orders = 100'000, k_clients = 300;
  GatewayConfig config = small_config();
  config.limits.orders = k_orders;
  config.limits.requests = 2 * k_orders;
  config.clients.clear();
  for (std::uint32_t client = 0; client < k_clients; ++client) {
    const std::string name = std::to_string(client);
    config.clients.push_back({.comp_id = "CLIENT" + name, .venue_user = "USER" + name, .venue_password = "x"});
  }
  fix::JournalStoresOptions options{.name = "test", .disk_bytes = std::uint64_t{1} << 29};
  options.state_bytes = SavedState::bytes_most(config);
  journal::SimulatedDisk disk({.capacity = std::uint64_t{1} << 30});
  std::uint64_t bytes = 0;
  {
    const auto stores = fix::JournalStores::open(disk, options);
    ASSERT_TRUE(stores);
    GatewayCounters counters;
    Records records({.orders = k_orders, .requests = 2 * k_orders, .remembered_ids = 64}, 0, k_clients);
    const std::vector<ClientState> states(k_clients);
    const VenueUsers users(config);
    StateJournal journal(records, counters, states, users);
    journal.begin(**stores, config);
    for (std::uint32_t number = 0; number < k_orders; ++number) {
      const std::uint32_t slot = *records.open_order();
      Request& request = records.open_request(*records.take_number(), number % k_clients);
      Order& order = records.order_at(slot);
      const ClOrdId id = ClOrdId::cut("ORDER-" + std::to_string(1'000'000 + number));
      records.name_order(order, records.add_id(request, id, slot));
      order.client = request.client;
      order.user = static_cast<std::uint16_t>(request.client);
      order.terms.quantity = {100};
      order.state = OrderState::live;
      order.current_request = request.number;
      request.order = slot;
      request.is_answered = true;
      ASSERT_TRUE(journal.write(false));
      while ((*stores)->journal().work()) {
      }
    }
    std::vector<std::byte> room(fix::k_state_piece);
    journal.begin_checkpoint();
    for (std::size_t size = 0; (size = journal.write_checkpoint(room)) != 0;) bytes += size;
  }
  const auto begin = std::clock();
  SavedState saved;
  options.on_state = [&](Bytes piece) { return saved.apply(piece); };
  const auto stores = fix::JournalStores::open(disk, options);
  ASSERT_TRUE(stores);
  Records records({.orders = k_orders, .requests = 2 * k_orders, .remembered_ids = 64}, 0, k_clients);
  const auto remembered = saved.content().records(config);
  ASSERT_TRUE(remembered);
  ASSERT_TRUE(records.restore(*remembered));
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(saved.open_orders(), k_orders);
  EXPECT_EQ(records.orders(), k_orders);
  EXPECT_LE(bytes / k_orders, 400u);
  std::cout << bytes / k_orders << " bytes an open order, " << seconds << " s of processor time to come back\n";
}

}  // namespace
}  // namespace dojima::gateway
