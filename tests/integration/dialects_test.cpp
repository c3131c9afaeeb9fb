// Every dialect of MIT203 on the whole road: a FIX client's order, fill, change, cancel, mass cancel and refusal, the
// orders for auctions that the dialect has, an iceberg, a busted and a corrected trade; and what it has no place for,
// refused in front of the venue.

#include "road.hpp"

#include <gtest/gtest.h>
#include <string>

namespace dojima::integration {
namespace {

/// What a dialect has of what differs.
struct Case {
  const char* name;
  const mit::Dialect* dialect;
  std::string times_in_force;  ///< TimeInForce(59) of orders for auctions that it carries; the venue has no D and E
  bool has_offset = false;
};

void PrintTo(const Case& of, std::ostream* out) {
  *out << of.name;
}

class Dialects : public ::testing::TestWithParam<Case> {
 protected:
  Dialects() {
    for (auto& client : clients_) road_.network->connect(k_fix_address, client->session);
    road_.run(100ms);
    for (auto& client : clients_) EXPECT_TRUE(client->session.is_logged_on());
  }
  ~Dialects() override {
    for (auto& client : clients_) client->session.logout("end");
    road_.run(1s);
  }

  /// Sends and waits; what the client got.
  std::vector<Message> say(std::size_t trader, std::string_view type, const Fields& fields) {
    client(trader).send(type, fields);
    road_.run(50ms);
    return client(trader).take();
  }
  FixClient& client(std::size_t trader) { return *clients_[trader]; }

  Fields order(std::string side, std::string quantity, std::string price) {
    return {{{11, "D-" + std::to_string(++last_id_)},
             {55, "ALPHA"},
             {54, std::move(side)},
             {60, "20260720-12:00:00.000"},
             {38, std::move(quantity)},
             {40, "2"},
             {44, std::move(price)}}};
  }
  std::string id() const { return "D-" + std::to_string(last_id_); }
  Fields change(std::string id, std::string orig, std::string side) {
    return {{{41, std::move(orig)},
             {11, std::move(id)},
             {55, "ALPHA"},
             {54, std::move(side)},
             {60, "20260720-12:00:00.000"}}};
  }
  /// The venue's operator sets a phase.
  std::vector<Message> phase(market::Phase next, std::int64_t reference = 0) {
    market::PhaseChange command;
    command.header.instrument = 7;
    command.header.user = market::k_no_user;
    command.phase = next;
    command.reference = {reference * market::k_price_scale};
    EXPECT_TRUE(road_.partitions[0]->submit(command.header, road_.scheduler.now()).has_value());
    road_.run(50ms);
    return client(0).take();
  }
  std::unique_ptr<FixClient> make_client(const char* name) {
    const auto version = gateway::FixVersion::fix_4_4;
    return std::make_unique<FixClient>(road_.scheduler, name, "", version, &gateway::order_entry_dictionary(version));
  }
  static std::string shown(const std::vector<Message>& messages, std::initializer_list<int> tags) {
    std::string all;
    for (const Message& message : messages) all += (all.empty() ? "" : "; ") + message.show(tags);
    return all;
  }

  Road road_{1, {}, *GetParam().dialect};
  // With the dictionary that has the values which FIX 4.4 lacks.
  std::unique_ptr<FixClient> clients_[2] = {make_client("CLIENT1"), make_client("CLIENT2")};
  int last_id_ = 0;
};

TEST_P(Dialects, carry_an_order_its_fills_its_change_and_its_end) {
  EXPECT_EQ(shown(say(0, "D", order("2", "10", "100")), {150, 39, 14, 151}), "8 150=0 39=0 14=0 151=10");
  const std::string resting = id();
  EXPECT_EQ(shown(say(1, "D", order("1", "4", "100")), {150, 39, 14, 151, 31}),
            "8 150=0 39=0 14=0 151=4 31=; 8 150=F 39=2 14=4 151=0 31=100");
  const std::vector<Message> filled = client(0).take();
  EXPECT_EQ(shown(filled, {11, 150, 39, 14, 151, 6}), "8 11=" + resting + " 150=F 39=1 14=4 151=6 6=100");
  EXPECT_EQ(shown(say(0, "G", change("G-1", resting, "2").set(38, "12").set(40, "2").set(44, "101")),
                  {11, 41, 150, 38, 44, 151}),
            "8 11=G-1 41=" + resting + " 150=5 38=12 44=101 151=8");
  EXPECT_EQ(shown(say(0, "F", change("F-1", "G-1", "2")), {11, 41, 150, 39, 14, 151}),
            "8 11=F-1 41=G-1 150=4 39=4 14=4 151=0");
  EXPECT_EQ(shown(say(0, "F", change("F-2", "G-1", "2")), {11, 102, 39}), "9 11=F-2 102=0 39=4");
  EXPECT_EQ(road_.gate->counters().strays, 0u);
}

TEST_P(Dialects, carry_a_mass_cancel) {
  say(0, "D", order("2", "10", "100"));
  say(0, "D", order("2", "10", "101"));
  const std::vector<Message> ended = say(0, "q", {{{11, "Q-1"}, {530, "7"}, {60, "20260720-12:00:00.000"}}});
  EXPECT_EQ(shown(ended, {11, 531, 150, 39}),
            "r 11=Q-1 531=7 150= 39=; 8 11=Q-1 531= 150=4 39=4; 8 11=Q-1 531= 150=4 39=4; r 11=Q-1 531=7 150= 39=");
}

TEST_P(Dialects, carry_a_refusal_of_the_venue) {
  EXPECT_EQ(shown(say(0, "D", order("2", "10", "100.5")), {150, 39, 151}), "8 150=8 39=8 151=0") << "between ticks";
  EXPECT_EQ(shown(say(0, "D", order("2", "10", "100").set(59, "3")), {150, 39, 151}),
            "8 150=0 39=0 151=10; 8 150=C 39=C 151=0");
}

TEST_P(Dialects, carry_the_orders_for_auctions_that_they_have) {
  for (const char time_in_force : std::string("789CDE")) {
    SCOPED_TRACE(time_in_force);
    Fields fields = order("1", "10", "90").set(59, std::string(1, time_in_force));
    const bool is_carried = GetParam().times_in_force.find(time_in_force) != std::string::npos;
    const std::vector<Message> got = say(0, "D", fields);
    EXPECT_EQ(shown(got, {150, 39}), is_carried ? "8 150=0 39=0; 8 150=9 39=9" : "8 150=8 39=8");
    if (!is_carried) continue;
    EXPECT_EQ(shown(say(0, "F", change("F" + id(), id(), "1")), {150, 39}), "8 150=4 39=4");
  }
  // At the closing price, which FIX says without a TimeInForce.
  const std::vector<Message> crossed = say(0, "D", order("1", "10", "90").set(386, "1").set(336, "a"));
  EXPECT_EQ(shown(crossed, {150, 39}), "8 150=0 39=0; 8 150=9 39=9");
}

TEST_P(Dialects, carry_an_order_at_the_opening) {
  EXPECT_EQ(shown(say(0, "D", order("1", "10", "90").set(59, "2")), {150, 39}), "8 150=8 39=8") << "too late";
  phase(market::Phase::opening_call);
  EXPECT_EQ(shown(say(0, "D", order("1", "10", "90").set(59, "2")), {150, 39}), "8 150=0 39=0");
  say(1, "D", order("2", "4", "90"));
  EXPECT_EQ(shown(phase(market::Phase::continuous), {150, 39, 14, 31}),
            "8 150=F 39=1 14=4 31=90; 8 150=C 39=C 14=4 31=");
}

TEST_P(Dialects, report_what_was_parked_as_in_the_call_and_what_its_end_traded) {
  const std::vector<Message> parked = say(0, "D", order("1", "10", "90").set(59, "7"));
  ASSERT_EQ(shown(parked, {150, 39}), "8 150=0 39=0; 8 150=9 39=9");
  EXPECT_EQ(shown(phase(market::Phase::closing_call), {11, 150, 39, 151}), "8 11=" + id() + " 150=0 39=0 151=10");
  say(1, "D", order("2", "4", "90"));
  EXPECT_EQ(shown(phase(market::Phase::continuous), {150, 39, 14, 31}),
            "8 150=F 39=1 14=4 31=90; 8 150=C 39=C 14=4 31=");
}

TEST_P(Dialects, carry_a_stop_order_to_its_trade) {
  const std::vector<Message> parked = say(0, "D", order("1", "10", "100").set(40, "4").set(99, "100"));
  EXPECT_EQ(shown(parked, {150, 39}), "8 150=0 39=0; 8 150=9 39=9");
  say(1, "D", order("2", "1", "100"));
  say(1, "D", order("1", "1", "100"));
  EXPECT_EQ(shown(client(0).take(), {150, 39, 151}), "8 150=0 39=0 151=10") << "it entered and found nobody";
}

TEST_P(Dialects, carry_an_iceberg_that_shows_its_next_peak) {
  say(0, "D", order("2", "10", "100").set(111, "4"));
  say(1, "D", order("1", "4", "100"));
  EXPECT_EQ(shown(client(0).take(), {150, 39, 14, 151, 378}),
            "8 150=F 39=1 14=4 151=6 378=; 8 150=D 39=1 14=4 151=6 378=99");
}

TEST_P(Dialects, carry_a_busted_trade_to_both_sides) {
  say(0, "D", order("2", "10", "100"));
  const std::vector<Message> bought = say(1, "D", order("1", "4", "100"));
  const std::vector<Message> sold = client(0).take();
  ASSERT_EQ(bought.size(), 2u);
  ASSERT_EQ(sold.size(), 1u);
  const std::uint64_t trade = road_.partitions[0]->next_trade() - 1;
  ASSERT_TRUE(road_.front->bust_trade(7, trade, road_.scheduler.now()));
  road_.run(50ms);
  const std::vector<Message> seller = client(0).take(), buyer = client(1).take();
  EXPECT_EQ(shown(seller, {150, 39, 38, 14, 151, 6}),
            "8 150=H 39=0 38=6 14=0 151=6 6=0; 8 150=D 39=0 38=6 14=0 151=6 6=0");
  EXPECT_EQ(seller.at(0).at(19), sold[0].at(17)) << "under the execution's id";
  EXPECT_EQ(shown(buyer, {150, 39, 14, 151, 6}), "8 150=H 39=4 14=0 151=0 6=0");
  EXPECT_EQ(buyer.at(0).at(19), bought[1].at(17));
  EXPECT_EQ(road_.gate->counters().strays, 0u);
  EXPECT_EQ(road_.partitions[0]->totals(0).sold, 0u);
}

TEST_P(Dialects, carry_a_corrected_trade_to_both_sides) {
  say(0, "D", order("2", "10", "100"));
  const std::vector<Message> bought = say(1, "D", order("1", "4", "100"));
  const std::vector<Message> sold = client(0).take();
  const std::uint64_t trade = road_.partitions[0]->next_trade() - 1;
  ASSERT_TRUE(road_.front->correct_trade(7, trade, {98 * market::k_price_scale}, road_.scheduler.now()));
  road_.run(50ms);
  const std::vector<Message> seller = client(0).take(), buyer = client(1).take();
  EXPECT_EQ(shown(seller, {150, 39, 38, 14, 151, 6, 31, 32}), "8 150=G 39=1 38=10 14=4 151=6 6=98 31=98 32=4");
  EXPECT_EQ(seller.at(0).at(19), sold.at(0).at(17)) << "under the execution's id";
  EXPECT_EQ(shown(buyer, {150, 39, 14, 151, 6, 31, 32}), "8 150=G 39=2 14=4 151=0 6=98 31=98 32=4");
  EXPECT_EQ(buyer.at(0).at(19), bought.at(1).at(17));
  // Once more, and then it is taken back: each names the execution that counts.
  ASSERT_TRUE(road_.front->correct_trade(7, trade, {97 * market::k_price_scale}, road_.scheduler.now()));
  ASSERT_TRUE(road_.front->bust_trade(7, trade, road_.scheduler.now()));
  road_.run(50ms);
  const std::vector<Message> again = client(0).take();
  EXPECT_EQ(shown(again, {150, 39, 14, 151, 6}),
            "8 150=G 39=1 14=4 151=6 6=97; 8 150=H 39=0 14=0 151=6 6=0; 8 150=D 39=0 14=0 151=6 6=0");
  EXPECT_EQ(again.at(0).at(19), seller.at(0).at(17));
  EXPECT_EQ(again.at(1).at(19), again.at(0).at(17));
  EXPECT_EQ(road_.gate->counters().strays, 0u);
  EXPECT_EQ(road_.gate->counters().corrections, 4u);
}

TEST_P(Dialects, carry_an_offset_order_or_refuse_it_in_front_of_the_venue) {
  const std::vector<Message> got = say(0, "D", order("1", "10", "100").set(40, "F").set(59, "7").set(27018, "-100"));
  EXPECT_EQ(shown(got, {150, 39}), GetParam().has_offset ? "8 150=0 39=0; 8 150=9 39=9" : "8 150=8 39=8");
}

INSTANTIATE_TEST_SUITE_P(
    All, Dialects,
    ::testing::Values(
        Case{.name = "Lse212", .dialect = &mit::lse_21_2::k_dialect, .times_in_force = "789C", .has_offset = true},
        Case{.name = "Bit94", .dialect = &mit::bit_9_4::k_dialect, .times_in_force = "7"},
        Case{.name = "Lse1185", .dialect = &mit::lse_11_8_5::k_dialect, .times_in_force = "789C"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace dojima::integration
