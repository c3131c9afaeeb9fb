// Requests that are about no single change of an order: mass cancels, and questions about orders.

#include <gtest/gtest.h>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OwnerReportKind;

Fields mass_cancel(std::string id, std::string type) {
  return {{{11, std::move(id)}, {530, std::move(type)}, {60, "20260720-12:00:00.000"}}};
}

struct Queries : ::testing::Test {
  Queries() { world.log_on(); }

  market::OwnerReport answer_to(const market::MassCancel& command, std::uint8_t partition) {
    market::OwnerReport report;
    report.kind = OwnerReportKind::mass_cancelled;
    report.client_order_id = command.client_order_id;
    report.partition = partition;
    report.sequence = {++world.venue.last_sequence};
    report.time = k_noon + 1s;
    return report;
  }

  World world;
};

TEST_F(Queries, a_mass_cancel_is_answered_and_ends_its_orders) {
  const market::NewOrder first = world.enter("A-1", 77), second = world.enter("A-2", 78);
  world.client.send("q", mass_cancel("M-1", "7"));
  world.run(1ms);
  ASSERT_EQ(world.venue.mass_cancels.size(), 1u);
  const market::MassCancel& command = world.venue.mass_cancels.back();
  EXPECT_FALSE(command.is_account);
  EXPECT_EQ(command.header.instrument, 0u);
  world.venue.say(answer_to(command, 1));
  for (const auto& [order, id] : {std::pair{first, 77u}, {second, 78u}})
    world.venue.say(world.venue.answer(order, OwnerReportKind::cancelled, id, command.client_order_id, 0));
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({11, 530, 531, 532, 1180}), "r 11=M-1 530=7 531=7 532= 1180=");
  EXPECT_FALSE(got[0].at(37).empty());
  EXPECT_EQ(got[1].show({11, 41, 150, 39, 151, 37}), "8 11=M-1 41=A-1 150=4 39=4 151=0 37=00000000001F");
  EXPECT_EQ(got[2].show({11, 41, 150, 39}), "8 11=M-1 41=A-2 150=4 39=4");
  EXPECT_EQ(world.held().closed_orders, 2u);
  EXPECT_EQ(world.counters().strays, 0u);
}

TEST_F(Queries, a_mass_cancel_says_which_orders_it_means) {
  world.client.send("q", mass_cancel("M-1", "1").set(55, "ALPHA"));
  world.client.send("q", mass_cancel("M-2", "56").set(27017, "9"));
  world.run(1ms);
  ASSERT_EQ(world.venue.mass_cancels.size(), 2u);
  EXPECT_EQ(world.venue.mass_cancels[0].header.instrument, 7u);
  EXPECT_EQ(world.venue.mass_cancels[1].group, 9);
  EXPECT_NE(world.venue.mass_cancels[0].client_order_id, world.venue.mass_cancels[1].client_order_id);
}

TEST_F(Queries, a_mass_cancel_that_cannot_be_carried_is_refused_in_its_own_report) {
  world.enter("A-1", 77);
  const std::vector<std::pair<Fields, std::string>> rows = {
      {mass_cancel("M-1", "1").set(55, "NOTHING"), "r 11=M-1 531=0 532=1"},
      {mass_cancel("M-2", "3"), "r 11=M-2 531=0 532=0"},
      {mass_cancel("M-3", "7").set(54, "1"), "r 11=M-3 531=0 532=0"},
      {mass_cancel("A-1", "7"), "r 11=A-1 531=0 532=99"},
  };
  for (const auto& [fields, expected] : rows) {
    world.client.send("q", fields);
    world.run(1ms);
    EXPECT_EQ(world.client.only().show({11, 531, 532}), expected);
  }
  EXPECT_EQ(world.gateway.status(0).rejects, rows.size());
  world.client.send("q", mass_cancel("M-5", "56"));  // which group?
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({372, 380}), "j 372=q 380=5");
  EXPECT_TRUE(world.venue.mass_cancels.empty());
}

TEST_F(Queries, the_venue_may_refuse_a_mass_cancel_or_one_of_its_orders) {
  const market::NewOrder order = world.enter("A-1", 77);
  world.client.send("q", mass_cancel("M-1", "7"));
  world.run(1ms);
  market::OwnerReport refused = answer_to(world.venue.mass_cancels.back(), 1);
  refused.reason = market::Reason::book_closed;
  world.venue.say(refused);
  market::OwnerReport one = world.venue.answer(order, OwnerReportKind::request_rejected, 77,
                                               world.venue.mass_cancels.back().client_order_id, 100);
  one.reason = market::Reason::book_closed;
  world.venue.say(one);
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({11, 531, 532}), "r 11=M-1 531=0 532=99");
  EXPECT_EQ(got[1].show({11, 41, 434, 102, 39}), "9 11=M-1 41=A-1 434=1 102=2 39=0");
  EXPECT_EQ(world.gateway.status(0).rejects, 2u);
}

TEST_F(Queries, an_order_may_be_named_by_the_venues_id) {
  world.enter("A-1", 77);
  Fields by_venue = cancel("A-2", "NOBODY").set(37, "00000000001F");
  world.client.send("F", by_venue);
  world.run(1ms);
  ASSERT_EQ(world.venue.cancels.size(), 1u);
  EXPECT_EQ(world.venue.cancels.back().order.value, 77u);
}

TEST_F(Queries, the_state_of_an_order_is_answered_from_the_records) {
  const market::NewOrder order = world.enter("A-1", 77);
  world.venue.say(world.venue.traded(order, 77, 30, 10 * market::k_price_scale, 70));
  world.run(1ms);
  world.client.take();
  world.client.send("H", {{{11, "A-1"}, {55, "ALPHA"}, {54, "1"}, {790, "S-1"}}});
  world.client.send("H", {{{11, "NOBODY"}, {37, "00000000001F"}, {55, "ALPHA"}, {54, "1"}}});
  world.client.send("H", {{{11, "NOBODY"}, {55, "ALPHA"}, {54, "1"}, {790, "S-2"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({11, 790, 150, 39, 14, 151, 37}), "8 11=A-1 790=S-1 150=I 39=1 14=30 151=70 37=00000000001F");
  EXPECT_EQ(got[1].show({11, 790, 150, 39}), "8 11=A-1 790= 150=I 39=1");
  EXPECT_EQ(got[2].show({11, 790, 150, 39, 103, 37}), "8 11=NOBODY 790=S-2 150=I 39=8 103=5 37=NONE");
  EXPECT_TRUE(world.venue.cancels.empty());
  EXPECT_EQ(world.counters().status_requests, 3u);
}

TEST_F(Queries, the_state_of_all_open_orders_is_a_report_of_each) {
  world.enter("A-1", 77);
  world.enter("A-2", 78);
  world.client.send("AF", {{{584, "Q-1"}, {585, "7"}}});
  world.run(1ms);
  std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({584, 911, 912, 11, 150, 39}), "8 584=Q-1 911=2 912=N 11=A-1 150=I 39=0");
  EXPECT_EQ(got[1].show({584, 911, 912, 11}), "8 584=Q-1 911=2 912=Y 11=A-2");
  world.client.send("AF", {{{584, "Q-2"}, {585, "1"}, {55, "BETA"}}});
  world.client.send("AF", {{{584, "Q-3"}, {585, "2"}}});
  world.run(1ms);
  got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({584, 911, 912, 39, 103}), "8 584=Q-2 911=0 912=Y 39=8 103=5");
  EXPECT_EQ(got[1].show({584, 911, 912, 39, 103, 54}), "8 584=Q-3 911=0 912=Y 39=8 103=11 54=7");
  world.client.send("AF", {{{584, std::string(65, 'x')}, {585, "7"}}});
  world.run(1ms);
  EXPECT_EQ(world.client.only().show({371, 372, 373}), "3 371=584 372=AF 373=5");
}

TEST_F(Queries, the_instruments_are_listed) {
  world.client.send("x", {{{320, "L-1"}, {559, "4"}}});
  world.client.send("x", {{{320, "L-2"}, {559, "0"}, {55, "BETA"}}});
  world.client.send("x", {{{320, "L-3"}, {559, "0"}, {55, "NOTHING"}}});
  world.client.send("x", {{{320, "L-4"}, {559, "1"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 4u);
  EXPECT_EQ(got[0].show({320, 560, 393, 893, 146, 55, 48}), "y 320=L-1 560=0 393=2 893=Y 146=2 55=BETA 48=8");
  EXPECT_EQ(got[1].show({320, 560, 393, 146, 55, 48, 22}), "y 320=L-2 560=0 393=1 146=1 55=BETA 48=8 22=8");
  EXPECT_EQ(got[2].show({320, 560, 146}), "y 320=L-3 560=2 146=");
  EXPECT_EQ(got[3].show({320, 560, 146}), "y 320=L-4 560=1 146=");
}

TEST(QueriesOfManyInstruments, are_answered_in_pieces) {
  GatewayConfig config = small_config();
  for (std::uint32_t more = 0; more < 100; ++more)
    config.symbols.push_back({"MORE" + std::to_string(more), 100 + more});
  World world(config);
  world.log_on();
  world.client.send("x", {{{320, "L-1"}, {559, "4"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({393, 893, 146}), "y 393=102 893=N 146=50");
  EXPECT_EQ(got[2].show({393, 893, 146}), "y 393=102 893=Y 146=2");
}

TEST(QueriesOfReferenceData, are_answered_with_what_there_is) {
  GatewayConfig config = small_config();
  config.symbols.push_back({.symbol = "KAGA",
                            .instrument = 1001,
                            .name = "Rice, of Kaga",
                            .isin = "GB0002634946",
                            .sedol = "0263494",
                            .currency = "JPY",
                            .lot = 100});
  config.symbols.push_back({.symbol = "HIGO", .instrument = 1002, .isin = "JP3633400001"});
  World world(config);
  world.log_on();
  world.client.send("x", {{{320, "L-1"}, {559, "0"}, {55, "KAGA"}}});
  world.client.send("x", {{{320, "L-2"}, {559, "0"}, {55, "HIGO"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({55, 48, 22, 454, 231, 107, 15}),
            "y 55=KAGA 48=1001 22=8 454=2 231=100 107=Rice, of Kaga 15=JPY");
  EXPECT_EQ(got[0].show({455, 456}), "y 455=0263494 456=2") << "the last of the two";
  EXPECT_EQ(got[1].show({55, 454, 455, 456, 231, 107, 15}), "y 55=HIGO 454=1 455=JP3633400001 456=4 231= 107= 15=");
}

TEST(QueriesOfReferenceData, come_in_as_many_pieces_as_the_largest_body_needs) {
  GatewayConfig config = small_config();
  config.fix.session.max_body = 1024;
  for (std::uint32_t more = 0; more < 20; ++more)
    config.symbols.push_back({.symbol = "MORE" + std::to_string(more) + std::string(18, 'X'),
                              .instrument = 2'000'000'000 + more,
                              .name = std::string(60, 'n'),
                              .isin = "GB0002634946",
                              .sedol = "0263494",
                              .currency = "JPY",
                              .lot = 2'000'000'000});
  World world(config);
  world.log_on();
  world.client.send("x", {{{320, std::string(64, 'L')}, {559, "4"}}});
  world.run(1ms);
  int listed = 0;
  const std::vector<Message> got = world.client.take();
  for (const Message& message : got) {
    EXPECT_EQ(message.show({560, 393}), "y 560=0 393=22");
    EXPECT_EQ(message.at(893), &message == &got.back() ? "Y" : "N");
    listed += std::stoi(message.at(146));
  }
  EXPECT_EQ(listed, 22);
  EXPECT_GE(got.size(), 6u);
  EXPECT_EQ(world.counters().undelivered, 0u);
}

/// Whatever the names around the list take of a message.
TEST(QueriesOfReferenceData, leave_out_no_piece_for_long_names) {
  const std::string name(100, 'C');  // as much as CompIDs of 32 characters and a location id
  GatewayConfig config = small_config();
  config.fix.session.max_body = 1024;
  config.clients[0].comp_id = name;
  for (std::uint32_t more = 0; more < 60; ++more)
    config.symbols.push_back({.symbol = "M" + std::to_string(10 + more), .instrument = 1'000'000'000 + more});
  World world(config);
  FixClient client(world.scheduler, name);
  world.network.connect(k_fix_address, client.session);
  world.run(10ms);
  client.take();
  client.send("x", {{{50, std::string(64, 'S')}, {320, std::string(64, 'L')}, {559, "4"}}});
  world.run(1ms);
  int listed = 0;
  for (const Message& message : client.take()) listed += std::stoi("0" + message.at(146));
  EXPECT_EQ(listed, 62);
  EXPECT_EQ(world.counters().undelivered, 0u);
  client.session.logout("end");
  world.run(100ms);
}

TEST_F(Queries, an_instrument_is_defined_by_any_of_its_names) {
  world.client.send("c", {{{320, "D-1"}, {321, "0"}, {55, "BETA"}}});
  world.client.send("c", {{{320, "D-2"}, {321, "1"}, {55, "[N/A]"}, {48, "8"}, {22, "8"}}});
  world.client.send("c", {{{320, "D-3"}, {321, "0"}, {55, "BETA"}, {48, "8"}, {22, "8"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[0].show({320, 323, 393, 55, 48, 22}), "d 320=D-1 323=1 393= 55=BETA 48=8 22=8");
  EXPECT_EQ(got[1].show({320, 323, 55, 48, 22}), "d 320=D-2 323=1 55=BETA 48=8 22=8");
  EXPECT_EQ(got[2].show({320, 323, 55, 48, 22}), "d 320=D-3 323=1 55=BETA 48=8 22=8");
  EXPECT_FALSE(got[0].at(322).empty());
  EXPECT_NE(got[0].at(322), got[1].at(322));
}

TEST_F(Queries, a_definition_that_there_is_not_is_refused_in_words) {
  const std::vector<std::pair<Fields, std::string>> rows = {
      {{{{321, "0"}, {55, "NOTHING"}}}, "323=6 55=NOTHING 58=unknown symbol NOTHING"},
      {{{{321, "1"}, {48, "99"}, {22, "8"}}}, "323=6 55=[N/A] 58=unknown SecurityID(48) 99"},
      {{{{321, "1"}, {48, "8x"}, {22, "8"}}}, "323=6 55=[N/A] 58=unknown SecurityID(48) 8x"},
      {{{{321, "1"}, {48, "GB0002634946"}, {22, "4"}}}, "323=6 55=[N/A] 58=unknown SecurityID(48) GB0002634946"},
      {{{{321, "0"}, {55, "ALPHA"}, {48, "8"}, {22, "8"}}},
       "323=6 55=ALPHA 58=Symbol(55) and SecurityID(48) name two instruments"},
      {{{{321, "1"}, {48, "8"}, {22, "1"}}},
       "323=6 55=[N/A] 58=the source(22) of a SecurityID(48) is 8 for the venue's number, 4 for an ISIN or 2 for a "
       "SEDOL"},
      {{{{321, "1"}, {48, "8"}}},
       "323=6 55=[N/A] 58=the source(22) of a SecurityID(48) is 8 for the venue's number, 4 for an ISIN or 2 for a "
       "SEDOL"},
      {{{{321, "0"}}}, "323=6 55=[N/A] 58=Symbol(55) or SecurityID(48) names the instrument"},
      {{{{321, "2"}}}, "323=5 55=[N/A] 58=the instruments have no security types to be listed"},
      {{{{321, "3"}}}, "323=5 55=[N/A] 58=instruments are listed by SecurityListRequest(x)"},
  };
  for (const auto& [fields, expected] : rows) {
    Fields request = fields;
    request.list.insert(request.list.begin(), {320, "D-1"});
    world.client.send("c", request);
    world.run(1ms);
    EXPECT_EQ(world.client.only().show({320, 323, 55, 58}), "d 320=D-1 " + expected);
  }
  for (const int tag : {320, 55}) {
    Fields request{{{320, "D-1"}, {321, "0"}, {55, "ALPHA"}}};
    world.client.send("c", request.set(tag, std::string(65, 'x')));
    world.run(1ms);
    EXPECT_EQ(world.client.only().show({371, 372, 373}), "3 371=" + std::to_string(tag) + " 372=c 373=5");
  }
}

TEST(QueriesOfReferenceData, define_an_instrument_with_what_there_is) {
  GatewayConfig config = small_config();
  config.symbols.push_back({.symbol = "KAGA",
                            .instrument = 1001,
                            .name = "Rice, of Kaga",
                            .isin = "GB0002634946",
                            .sedol = "0263494",
                            .currency = "JPY",
                            .lot = 100});
  World world(config);
  world.log_on();
  world.client.send("c", {{{320, "D-1"}, {321, "1"}, {48, "GB0002634946"}, {22, "4"}}});
  world.client.send("c", {{{320, "D-2"}, {321, "1"}, {48, "0263494"}, {22, "2"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].show({323, 55, 48, 22, 454, 231, 107, 15}),
            "d 323=1 55=KAGA 48=1001 22=8 454=2 231=100 107=Rice, of Kaga 15=JPY");
  EXPECT_EQ(got[1].show({323, 55, 48, 22}), "d 323=1 55=KAGA 48=1001 22=8");
}

TEST_F(Queries, the_trading_session_is_unknown_and_the_user_known) {
  world.client.send("g", {{{335, "T-1"}, {263, "0"}}});
  world.client.send("BE", {{{923, "U-1"}, {924, "4"}, {553, "CLIENT1"}}});
  world.client.send("BE", {{{923, "U-2"}, {924, "4"}, {553, "NOBODY"}}});
  world.client.send("BE", {{{923, "U-3"}, {924, "3"}, {553, "CLIENT1"}, {554, "a"}, {925, "b"}}});
  world.client.send("BE", {{{923, std::string(65, 'x')}, {924, "4"}, {553, "CLIENT1"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 5u);
  EXPECT_EQ(got[0].show({335, 336, 340}), "h 335=T-1 336=1 340=0");
  EXPECT_EQ(got[1].show({923, 553, 926}), "BF 923=U-1 553=CLIENT1 926=1");
  EXPECT_EQ(got[2].show({923, 926}), "BF 923=U-2 926=3");
  EXPECT_EQ(got[3].show({923, 926}), "BF 923=U-3 926=6");
  EXPECT_EQ(got[4].show({371, 373}), "3 371=923 373=5");
}

TEST_F(Queries, a_subscription_is_answered_once_and_says_so) {
  world.client.send("g", {{{335, "T-1"}, {263, "0"}}});
  world.client.send("g", {{{335, "T-2"}, {263, "1"}}});
  world.client.send("g", {{{335, "T-3"}, {263, "2"}}});
  world.client.send("x", {{{320, "L-1"}, {559, "4"}, {263, "1"}}});
  world.client.send("x", {{{320, "L-2"}, {559, "4"}, {263, "2"}}});
  world.run(1ms);
  const std::vector<Message> got = world.client.take();
  ASSERT_EQ(got.size(), 5u);
  const std::string phase = "the venue's protocol does not carry its phase";
  EXPECT_EQ(got[0].show({335, 58}), "h 335=T-1 58=" + phase);
  EXPECT_EQ(got[1].show({335, 58}), "h 335=T-2 58=" + phase + "; SubscriptionRequestType(263)=1: no update follows");
  const std::string ends = "58=SubscriptionRequestType(263)=2 ends nothing: there are no subscriptions";
  EXPECT_EQ(got[2].show({372, 380, 58}), "j 372=g 380=0 " + ends);
  EXPECT_EQ(got[3].show({320, 560, 393}), "y 320=L-1 560=0 393=2") << "symbols do not change while a gateway runs";
  EXPECT_EQ(got[4].show({372, 380, 58}), "j 372=x 380=0 " + ends);
}

TEST_F(Queries, a_trade_that_the_client_does_not_know_is_counted) {
  world.client.send("Q", {{{37, "00000000001F"}, {17, "E-1"}, {127, "A"}, {55, "ALPHA"}, {54, "1"}, {38, "100"}}});
  world.run(1ms);
  EXPECT_TRUE(world.client.take().empty());
  EXPECT_EQ(world.counters().unknown_trades, 1u);
}

}  // namespace
}  // namespace dojima::gateway
