#include "dojima/gateway/messages/request_reader.hpp"

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "dojima/fix/writer.hpp"
#include "dojima/gateway/messages/request_fields.hpp"
#include "dojima/gateway/messages/values.hpp"

namespace dojima::gateway {
namespace {

using market::OrderTerms, market::OrderType, market::OrderSubType, market::TimeInForce;

constexpr std::int64_t k_unit = market::k_price_scale;

/// A message of named fields, kept with its view.
struct Written {
  Written(std::string_view type, const std::vector<std::pair<int, std::string>>& fields) {
    fix::Writer writer(std::as_writable_bytes(std::span(room)),
                       {.type = fix::msg_type(type), .sender = "A", .target = "B", .sequence = {1}});
    for (const auto& [tag, value] : fields) writer.field(static_cast<fix::Tag>(tag), value);
    const Result<Bytes> bytes = writer.finish();
    EXPECT_TRUE(bytes.has_value());
    const bool is_read = bytes && view.read(*bytes);
    EXPECT_TRUE(is_read);
  }
  std::vector<char> room = std::vector<char>(4096);
  fix::MessageView view;
};

std::vector<std::pair<int, std::string>> order_fields(const std::vector<std::pair<int, std::string>>& changes) {
  std::vector<std::pair<int, std::string>> fields{{11, "A"},   {55, "ALPHA"}, {54, "1"}, {60, "20260720-12:00:00"},
                                                  {38, "100"}, {40, "2"},     {44, "10"}};
  for (const auto& [tag, value] : changes) {
    bool is_known = false;
    for (auto& [known, old] : fields) {
      if (known != tag) continue;
      old = value;
      is_known = true;
    }
    if (!is_known) fields.emplace_back(tag, value);
    if (value.empty()) std::erase_if(fields, [&](const auto& field) { return field.first == tag; });
  }
  return fields;
}

const SymbolTable& symbols() {
  static const SymbolTable k_table(std::vector<SymbolConfig>{{"ALPHA", 7}, {"BETA", 8}});
  return k_table;
}

/// The values in a refusal are of the message, which is there no longer.
std::expected<market::NewOrder, Refusal> read(const std::vector<std::pair<int, std::string>>& changes) {
  const Written message("D", order_fields(changes));
  market::NewOrder order = make_template({});
  OrderParties said;
  const Read done = read_new_order(message.view, symbols(), order, said);
  if (!done) return std::unexpected(done.error());
  return order;
}

time::Time at(std::chrono::sys_days day, std::chrono::seconds seconds = {}) {
  return time::Time{day} + seconds;
}

TEST(RequestReader, reads_every_field_that_the_venue_has_a_place_for) {
  struct Row {
    std::vector<std::pair<int, std::string>> changes;
    std::function<bool(const market::NewOrder&)> holds;
  };
  using std::chrono::year;
  const auto day = std::chrono::sys_days{year{2026} / 8 / 1};
  const std::vector<Row> rows{
      {{}, [](const auto& o) { return o.header.instrument == 7 && o.terms.limit.units == 10 * k_unit; }},
      {{{55, "BETA"}}, [](const auto& o) { return o.header.instrument == 8; }},
      {{{55, "[N/A]"}, {48, "8"}, {22, "8"}}, [](const auto& o) { return o.header.instrument == 8; }},
      {{{48, "7"}, {22, "8"}}, [](const auto& o) { return o.header.instrument == 7; }},
      {{{48, "GB00TEST"}, {22, "4"}},
       [](const auto& o) { return o.header.instrument == 7; }},  // an ISIN: not looked at
      {{{54, "2"}}, [](const auto& o) { return o.terms.side == market::Side::sell; }},
      {{{38, "2147483647"}}, [](const auto& o) { return o.terms.quantity.lots == 2147483647; }},
      {{{38, "5.0"}}, [](const auto& o) { return o.terms.quantity.lots == 5; }},
      {{{44, "0.00000001"}}, [](const auto& o) { return o.terms.limit.units == 1; }},
      {{{40, "1"}, {44, ""}}, [](const auto& o) { return o.terms.type == OrderType::market; }},
      {{{40, "1"}}, [](const auto& o) { return o.terms.limit.units == 0; }},  // a price that does not apply is ignored
      {{{40, "3"}, {44, ""}, {99, "9"}},
       [](const auto& o) { return o.terms.type == OrderType::stop && o.terms.stop.units == 9 * k_unit; }},
      {{{40, "4"}, {99, "9"}},
       [](const auto& o) { return o.terms.stop.units == 9 * k_unit && o.terms.limit.units == 10 * k_unit; }},
      {{{99, "9"}}, [](const auto& o) { return o.terms.stop.units == 0; }},
      {{{40, "P"}, {110, "10"}, {27021, "2"}},
       [](const auto& o) {
         return o.terms.sub_type == OrderSubType::pegged && o.terms.minimum.lots == 10 && o.terms.peg == 2 &&
                o.terms.type == OrderType::limit;
       }},
      {{{40, "P"}, {44, ""}}, [](const auto& o) { return o.terms.type == OrderType::market; }},
      {{{40, "F"}, {44, ""}, {27018, "-25"}, {59, "7"}},
       [](const auto& o) { return o.terms.sub_type == OrderSubType::offset && o.terms.offset_bp == -25; }},
      {{{59, "6"}, {432, "20260801"}},
       [&](const auto& o) {
         return o.terms.time_in_force == TimeInForce::good_till_date &&
                o.terms.expiry == at(day, std::chrono::days{1} - std::chrono::seconds{1});
       }},
      {{{59, "6"}, {126, "20260801-00:00:09"}},
       [&](const auto& o) {
         return o.terms.time_in_force == TimeInForce::good_till_time &&
                o.terms.expiry == at(day, std::chrono::seconds{9});
       }},
      {{{111, "20"}}, [](const auto& o) { return o.terms.displayed.lots == 20; }},
      {{{111, "0"}}, [](const auto& o) { return o.terms.displayed.lots == 0; }},
      {{}, [](const auto& o) { return o.terms.displayed.lots == 100; }},
      {{{110, "0"}}, [](const auto& o) { return o.terms.minimum.lots == 0; }},
      {{{27010, "99"}, {27017, "255"}}, [](const auto& o) { return o.terms.passive == 99 && o.terms.group == 255; }},
      {{{528, "R"}, {581, "3"}, {1, "ACCOUNT-10"}},
       [](const auto& o) {
         return o.terms.capacity == market::Capacity::matched_principal && o.labels.clearing == 3 &&
                o.labels.account.view() == "ACCOUNT-10";
       }},
  };
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const auto order = read(rows[index].changes);
    ASSERT_TRUE(order.has_value()) << "row " << index << ": " << order.error().text;
    EXPECT_TRUE(rows[index].holds(*order)) << "row " << index;
  }
}

TEST(RequestReader, reads_parties_by_their_roles) {
  const Written message("D", [] {
    auto fields = order_fields({});
    fields.insert(fields.end(), {{453, "5"},
                                 {448, "12345678"},
                                 {447, "P"},
                                 {452, "3"},
                                 {448, "77"},
                                 {447, "P"},
                                 {452, "122"},
                                 {448, "99"},
                                 {447, "P"},
                                 {452, "12"},
                                 {448, "TRADER-0001"},
                                 {447, "D"},
                                 {452, "100"},
                                 {448, "BROKER"},
                                 {447, "D"},
                                 {452, "1"}});
    return fields;
  }());
  market::NewOrder order = make_template({});
  OrderParties said;
  ASSERT_TRUE(read_new_order(message.view, symbols(), order, said).has_value());
  EXPECT_EQ(order.labels.client, 12345678u);
  EXPECT_EQ(order.labels.decision_maker, 77u);
  EXPECT_EQ(order.labels.executing_trader, 99u);
  EXPECT_EQ(order.labels.trader.view(), "TRADER-0001");
}

TEST(RequestReader, refuses_what_it_cannot_carry_exactly) {
  using Answer = Refusal::Answer;
  struct Row {
    std::vector<std::pair<int, std::string>> changes;
    Answer answer;
    int reason, tag;
  };
  const std::vector<Row> rows{
      {{{55, "GAMMA"}}, Answer::report, 1, 55},
      {{{55, std::string(25, 'A')}}, Answer::report, 1, 55},
      {{{55, "[N/A]"}}, Answer::report, 1, 55},
      {{{48, "8"}, {22, "8"}}, Answer::report, 1, 48},  // another instrument than the symbol's
      {{{55, "[N/A]"}, {48, "9"}, {22, "8"}}, Answer::report, 1, 48},
      {{{55, "[N/A]"}, {48, "4294967303"}, {22, "8"}}, Answer::report, 1, 48},  // 2^32 + 7
      {{{54, "5"}}, Answer::report, 11, 54},
      {{{54, "11"}}, Answer::session, 6, 54},
      {{{40, "J"}}, Answer::report, 11, 40},
      {{{38, ""}}, Answer::business, 5, 38},
      {{{38, "0"}}, Answer::report, 13, 38},
      {{{38, "2147483648"}}, Answer::report, 13, 38},
      {{{38, "1.5"}}, Answer::session, 5, 38},
      {{{38, "-1"}}, Answer::session, 5, 38},
      {{{38, "99999999999999999999"}}, Answer::session, 5, 38},
      {{{44, ""}}, Answer::business, 5, 44},
      {{{44, "10.000000001"}}, Answer::session, 5, 44},
      {{{44, "99999999999999"}}, Answer::session, 5, 44},
      {{{44, "0"}}, Answer::report, 99, 44},
      {{{44, "-1"}}, Answer::report, 99, 44},
      {{{44, "ten"}}, Answer::session, 6, 44},
      {{{40, "3"}, {44, ""}}, Answer::business, 5, 99},
      {{{40, "4"}, {99, "0"}}, Answer::report, 99, 99},
      {{{59, "5"}}, Answer::report, 11, 59},
      {{{59, "6"}}, Answer::business, 5, 432},
      {{{59, "6"}, {432, "20260801"}, {126, "20260801-00:00:09"}}, Answer::business, 5, 432},
      {{{59, "6"}, {432, "20260230"}}, Answer::session, 5, 432},
      {{{59, "6"}, {432, "2026-801"}}, Answer::session, 6, 432},
      {{{59, "6"}, {126, "20260801-00:00:09.500"}}, Answer::report, 99, 126},
      {{{59, "6"}, {126, "22000101-00:00:00"}}, Answer::report, 99, 126},
      {{{111, "101"}}, Answer::report, 13, 111},
      {{{110, "10"}}, Answer::report, 11, 110},  // would be ignored by the venue
      {{{27018, "5"}}, Answer::report, 11, 27018},
      {{{27010, "101"}}, Answer::report, 11, 27010},
      {{{27017, "256"}}, Answer::report, 11, 27017},
      {{{27021, "3"}}, Answer::report, 11, 27021},
      {{{528, "I"}}, Answer::report, 11, 528},
      {{{581, "2"}}, Answer::report, 11, 581},
      {{{1, "ACCOUNT-011"}}, Answer::report, 99, 1},
      {{{18, "6"}}, Answer::report, 11, 18},
      {{{152, "1000"}}, Answer::report, 11, 152},
      {{{168, "20260720-12:00:00"}}, Answer::report, 11, 168},
      {{{211, "1"}}, Answer::report, 11, 211},
      {{{388, "0"}}, Answer::report, 11, 388},
      {{{423, "2"}}, Answer::report, 11, 423},
      {{{516, "10"}}, Answer::report, 11, 516},
      {{{847, "1"}}, Answer::report, 11, 847},
  };
  for (std::size_t index = 0; index < rows.size(); ++index) {
    const auto order = read(rows[index].changes);
    ASSERT_FALSE(order.has_value()) << "row " << index;
    EXPECT_EQ(order.error().answer, rows[index].answer) << "row " << index << ": " << order.error().text;
    EXPECT_EQ(order.error().reason, rows[index].reason) << "row " << index << ": " << order.error().text;
    EXPECT_EQ(order.error().tag, rows[index].tag) << "row " << index << ": " << order.error().text;
  }
}

/// What the client reads of a new order with these fields besides.
std::string refusal_of(const std::vector<std::pair<int, std::string>>& changes,
                       const std::vector<std::pair<int, std::string>>& groups = {}) {
  auto fields = order_fields(changes);
  fields.insert(fields.end(), groups.begin(), groups.end());
  const Written message("D", fields);
  market::NewOrder order = make_template({});
  OrderParties said;
  const Read done = read_new_order(message.view, symbols(), order, said);
  return done ? "taken" : std::string(text_of(done.error()).view());
}

TEST(RequestReader, names_the_value_of_a_type_or_time_in_force_that_there_is_not) {
  EXPECT_EQ(refusal_of({{40, "J"}}), "OrdType(40)=J is not supported: the gateway has 1, 2, 3, 4, K, P and F");
  EXPECT_EQ(refusal_of({{40, "!"}}), "OrdType(40)=! is not supported: the gateway has 1, 2, 3, 4, K, P and F");
  const std::string has = " is not supported: the gateway has 0 to 4, 6 to 9, C, D and E";
  EXPECT_EQ(refusal_of({{59, "5"}}), "TimeInForce(59)=5" + has);
  EXPECT_EQ(refusal_of({{59, "~"}}), "TimeInForce(59)=~" + has);
  EXPECT_EQ(refusal_of({{59, "\x7f"}}), "TimeInForce(59)=?" + has);
}

/// A field at a time: what it is called, its value, and what is accepted.
TEST(RequestReader, names_the_field_the_value_and_what_is_accepted) {
  struct Row {
    std::vector<std::pair<int, std::string>> changes;
    std::string text;
  };
  const std::vector<Row> rows{
      {{{55, "GAMMA"}}, "Symbol(55)=GAMMA is unknown"},
      {{{55, "[N/A]"}},
       "Symbol(55)=[N/A] names no instrument, and there is no SecurityID(48) of SecurityIDSource(22)=8"},
      {{{55, ""}}, "Symbol(55)=(none) names no instrument, and there is no SecurityID(48) of SecurityIDSource(22)=8"},
      {{{55, ""}, {48, "GB00TEST"}, {22, "4"}},
       "SecurityID(48)=GB00TEST of SecurityIDSource(22)=4 names no instrument: Symbol(55) or source 8 does"},
      {{{55, ""}, {48, "9"}, {22, "8"}}, "SecurityID(48)=9 of SecurityIDSource(22)=8 is unknown"},
      {{{54, "5"}}, "Side(54)=5 is not supported: the venue has 1 and 2"},
      {{{38, "0"}}, "OrderQty(38)=0 is out of range: 1 to 2147483647"},
      {{{44, ""}}, "Price(44) is required for OrdType(40)=2"},
      {{{44, "-1"}}, "Price(44)=-1 is out of range: above 0"},
      {{{40, "3"}}, "StopPx(99) is required for OrdType(40)=3"},
      {{{40, "3"}, {99, "0"}}, "StopPx(99)=0 is out of range: above 0"},
      {{{59, "6"}}, "TimeInForce(59)=6 needs ExpireDate(432) or ExpireTime(126)"},
      {{{59, "6"}, {126, "22000101-00:00:00"}},
       "ExpireTime(126)=22000101-00:00:00 is not supported: the venue has whole seconds before 2106"},
      {{{111, "2147483648"}}, "MaxFloor(111)=2147483648 is out of range: 0 to 2147483647"},
      {{{1138, "2147483648"}}, "DisplayQty(1138)=2147483648 is out of range: 0 to 2147483647"},
      {{{1084, "2"}}, "DisplayMethod(1084)=2 is not supported: the venue has 1, 3 and 4"},
      {{{1084, "3"}}, "DisplayMethod(1084)=3 needs DisplayQty(1138)"},
      {{{110, "2147483648"}}, "MinQty(110)=2147483648 is out of range: 0 to 2147483647"},
      {{{528, "I"}}, "OrderCapacity(528)=I is not supported: the venue has A, P and R"},
      {{{47, "I"}}, "Rule80A(47)=I is not supported: the venue has A and P"},
      {{{522, "3"}}, "OwnerType(522)=3 is out of range: 0 to 2"},
      {{{581, "2"}}, "AccountType(581)=2 is not supported: the venue has 1 and 3"},
      {{{1, "ACCOUNT-011"}}, "Account(1)=ACCOUNT-011 is too long: at most 10 characters"},
      {{{152, "1000"}}, "CashOrderQty(152)=1000 is not supported: OrderQty(38) says how much"},
      {{{210, "5"}}, "MaxShow(210)=5 is not supported: MaxFloor(111) or DisplayQty(1138) says what is shown"},
      {{{1085, "5"}}, "DisplayLowQty(1085)=5 is not supported: the venue has its own random sizes"},
      {{{1102, "9"}}, "TriggerPrice(1102)=9 is not supported: OrdType(40) 3 and 4 wait for StopPx(99)"}};
  for (const Row& row : rows) EXPECT_EQ(refusal_of(row.changes), row.text);
}

TEST(RequestReader, names_both_fields_where_one_contradicts_the_other) {
  EXPECT_EQ(refusal_of({{48, "8"}, {22, "8"}}), "SecurityID(48)=8 and Symbol(55)=ALPHA name different instruments");
  EXPECT_EQ(refusal_of({{18, "6"}}), "ExecInst(18)=6 of OrdType(40)=2 is not supported: the venue has M, of P");
  EXPECT_EQ(refusal_of({{1094, "4"}, {40, "P"}}),
            "PegPriceType(1094)=4 of OrdType(40)=P is not supported: the venue has 2, of P");
  EXPECT_EQ(refusal_of({{211, "0"}}), "PegOffsetValue(211)=0 of OrdType(40)=2 is not supported: the venue has 0, of P");
  EXPECT_EQ(refusal_of({{59, "6"}, {432, "20260801"}, {126, "20260801-00:00:09"}}),
            "ExpireTime(126)=20260801-00:00:09 and ExpireDate(432)=20260801 are two ends: use one");
  EXPECT_EQ(refusal_of({{111, "101"}}), "MaxFloor(111)=101 is above OrderQty(38)=100");
  EXPECT_EQ(refusal_of({{1138, "101"}}), "DisplayQty(1138)=101 is above OrderQty(38)=100");
  EXPECT_EQ(refusal_of({{110, "10"}}), "MinQty(110)=10 needs OrdType(40)=P: here it is 2");
  EXPECT_EQ(refusal_of({{27018, "5"}}), "Offset(27018)=5 needs OrdType(40)=F: here it is 2");
  EXPECT_EQ(refusal_of({{40, "P"}, {1084, "3"}, {1138, "5"}}),
            "DisplayMethod(1084)=3 of OrdType(40)=P is not supported: it has no peaks of random size");
  EXPECT_EQ(refusal_of({}, {{386, "2"}, {336, "a"}, {336, "b"}}),
            "NoTradingSessions(386)=2 is not supported: the venue has 1, with TradingSessionID(336)=a");
  EXPECT_EQ(refusal_of({{386, "1"}, {336, "b"}}),
            "TradingSessionID(336)=b is not supported: the venue has a, the closing price cross");
  EXPECT_EQ(refusal_of({{386, "1"}, {336, "a"}, {59, "0"}}),
            "TradingSessionID(336)=a and TimeInForce(59)=0 say the same: use one");
}

TEST(RequestReader, names_the_party_whose_id_or_qualifier_cannot_be_carried) {
  EXPECT_EQ(refusal_of({}, {{453, "1"}, {448, "x1"}, {452, "122"}}),
            "PartyID(448)=x1 of PartyRole(452)=122 is no number from 0 to 4294967295");
  EXPECT_EQ(refusal_of({}, {{453, "1"}, {448, "TRADER-00012"}, {452, "100"}}),
            "PartyID(448)=TRADER-00012 of PartyRole(452)=100 is too long: at most 11 characters");
  EXPECT_EQ(refusal_of({}, {{453, "1"}, {448, "7"}, {452, "3"}, {2376, "21"}}),
            "PartyRoleQualifier(2376)=21 of PartyRole(452)=3 is not supported: the venue has 22, 23 and 24");
}

TEST(RequestReader, refuses_an_end_of_an_order_that_has_none) {
  EXPECT_EQ(refusal_of({{432, "20260801"}}), "ExpireDate(432)=20260801 needs TimeInForce(59)=6: here it is (none)");
  EXPECT_EQ(refusal_of({{59, "0"}, {126, "20260801-00:00:09"}}),
            "ExpireTime(126)=20260801-00:00:09 needs TimeInForce(59)=6: here it is 0");
  EXPECT_EQ(refusal_of({{386, "1"}, {336, "a"}, {432, "20260801"}}),
            "ExpireDate(432)=20260801 needs TimeInForce(59)=6: here it is (none)");
  EXPECT_EQ(refusal_of({{59, "6"}, {432, "20260801"}}), "taken");
  EXPECT_EQ(refusal_of({{59, "6"}, {126, "20260801-00:00:09"}}), "taken");
}

TEST(RequestReader, refuses_a_second_party_of_a_role) {
  const std::string behind = " in NoPartyIDs(453): the venue has one place for it";
  for (const std::string role : {"3", "12", "122", "100"})
    EXPECT_EQ(refusal_of({}, {{453, "2"}, {448, "7"}, {452, role}, {448, "8"}, {452, role}}),
              "a second party of PartyRole(452)=" + role + behind);
  EXPECT_EQ(refusal_of({}, {{453, "2"}, {448, "7"}, {452, "3"}, {448, "7"}, {452, "12"}}), "taken");
  EXPECT_EQ(refusal_of({}, {{453, "2"}, {448, "A"}, {452, "1"}, {448, "B"}, {452, "1"}}), "taken") << "not carried";
}

TEST(RequestReader, refuses_a_display_that_says_two_things) {
  EXPECT_EQ(refusal_of({{1084, "4"}, {1138, "10"}}),
            "DisplayQty(1138)=10 would be shown, and DisplayMethod(1084)=4 shows nothing");
  EXPECT_EQ(refusal_of({{1084, "4"}, {1138, "0"}}), "taken");
  EXPECT_EQ(refusal_of({{1084, "3"}, {1138, "0"}}),
            "DisplayQty(1138)=0 is no peak: DisplayMethod(1084)=3 needs one above 0");
  EXPECT_EQ(refusal_of({{1084, "3"}, {1138, "1"}}), "taken");
  EXPECT_EQ(refusal_of({{111, "5"}, {1138, "10"}}), "MaxFloor(111)=5 and DisplayQty(1138)=10 say the same: use one");
  EXPECT_EQ(refusal_of({{111, "5"}, {1084, "1"}}), "MaxFloor(111)=5 and DisplayMethod(1084)=1 say the same: use one");
}

TEST(RequestReader, refuses_what_the_venue_reads_of_pegged_orders_only) {
  EXPECT_EQ(refusal_of({{27021, "1"}}), "PeggedExecInst(27021)=1 needs OrdType(40)=P: here it is 2");
  EXPECT_EQ(refusal_of({{27021, "0"}}), "taken");
  EXPECT_EQ(refusal_of({{40, "P"}, {27021, "2"}}), "taken");
}

TEST(RequestReader, refuses_an_attribute_that_the_venue_has_no_flag_for) {
  EXPECT_EQ(refusal_of({}, {{2593, "2"}, {2594, "2"}, {2595, "Y"}, {2594, "3"}, {2595, "Y"}}),
            "OrderAttributeType(2594)=3 is not supported: the venue has 2 and 4");
  EXPECT_EQ(refusal_of({}, {{2593, "2"}, {2594, "2"}, {2594, "4"}}), "taken");
}

TEST(RequestReader, names_the_field_the_value_and_the_range_of_a_number) {
  EXPECT_EQ(refusal_of({{27017, "256"}}), "GroupID(27017)=256 is out of range: 0 to 255");
  EXPECT_EQ(refusal_of({{27010, "-1"}}), "PassiveOnlyOrder(27010)=-1 is out of range: 0 to 100");
  EXPECT_EQ(refusal_of({{27018, "2147483648"}}), "Offset(27018)=2147483648 is out of range: -2147483648 to 2147483647");
  EXPECT_EQ(refusal_of({{40, "P"}, {27021, "3"}}), "PeggedExecInst(27021)=3 is out of range: 0 to 2");
  EXPECT_EQ(refusal_of({{44, "99999999999999"}}), "a decimal number from -92233720368 to 92233720368");
  EXPECT_EQ(refusal_of({{44, "-99999999999999.5"}}), "a decimal number from -92233720368 to 92233720368");
  EXPECT_EQ(refusal_of({{44, "1.123456789"}}), "a decimal number with at most eight decimals");
}

TEST(RequestReader, a_text_has_its_value_or_stays_as_it_is) {
  EXPECT_EQ(text_of(Refusal{.text = "5 % around"}).view(), "5 % around") << "no value: a percent sign";
  EXPECT_EQ(text_of(Refusal{.text = "a=% b", .value = std::string_view("%")}).view(), "a=% b");
  EXPECT_EQ(text_of(Refusal{.text = "a=% b", .value = std::string_view("")}).view(), "a= b");
  EXPECT_EQ(text_of(Refusal{.text = "a=% b=% c", .value = "1", .other = Text<32>::cut("2")}).view(), "a=1 b=2 c");
  const std::string longest(300, 'x');
  EXPECT_EQ(text_of(Refusal{.text = "a=% b", .value = longest}).view(), "a=" + longest.substr(0, 64) + " b");
}

TEST(RequestReader, refuses_parties_that_are_no_numbers) {
  for (const char* id : {"", "x", "1x", "4294967296", "-1"}) {
    auto fields = order_fields({});
    fields.emplace_back(453, "1");
    fields.emplace_back(448, *id == '\0' ? "?" : id);
    fields.emplace_back(452, "12");
    const Written message("D", fields);
    market::NewOrder order = make_template({});
    OrderParties said;
    EXPECT_FALSE(read_new_order(message.view, symbols(), order, said).has_value()) << id;
  }
}

TEST(RequestReader, ids_have_at_most_forty_characters) {
  EXPECT_EQ(read_id(Written("D", {{11, std::string(40, 'x')}}).view, 11)->view(), std::string(40, 'x'));
  const auto longer = read_id(Written("D", {{11, std::string(41, 'x')}}).view, 11);
  ASSERT_FALSE(longer.has_value());
  EXPECT_EQ(longer.error().answer, Refusal::Answer::session);
  EXPECT_EQ(longer.error().reason, 5);
  EXPECT_EQ(longer.error().tag, 11);
  EXPECT_FALSE(read_id(Written("D", {{11, std::string("a\0b", 3)}}).view, 11).has_value());
}

TEST(RequestReader, ids_of_every_length_are_read_whole_and_without_nulls) {
  const std::string text = "abcdefghijklmnopqrstuvwxyz0123456789ABCD";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    const std::string shown = text.substr(0, size);
    ClOrdId id = ClOrdId::cut(std::string(40, '#'));  // of which nothing may be left
    EXPECT_TRUE(read_id(Written("D", {{11, shown}}).view, 11, id).has_value()) << size;
    EXPECT_EQ(id, ClOrdId::cut(shown)) << size;
    for (std::size_t at = 0; at < size; ++at) {
      std::string wrong = shown;
      wrong[at] = '\0';
      EXPECT_FALSE(read_id(Written("D", {{11, wrong}}).view, 11, id).has_value()) << size << ' ' << at;
    }
  }
}

/// An iceberg that is good till a date, with everything set that can be.
Order known_order() {
  Order order;
  order.instrument = 7;
  order.terms.side = market::Side::buy;
  order.terms.type = OrderType::limit;
  order.terms.limit = {10 * k_unit};
  order.terms.quantity = {100};
  order.terms.displayed = {20};
  order.terms.time_in_force = TimeInForce::good_till_date;
  order.terms.expiry = at(std::chrono::sys_days{std::chrono::year{2026} / 8 / 1});
  order.terms.passive = 99;
  order.terms.group = 4;
  return order;
}

std::expected<OrderTerms, Refusal> read_change(const Order& order,
                                               const std::vector<std::pair<int, std::string>>& changes,
                                               const OrderParties* said = nullptr) {
  auto fields = order_fields(changes);
  fields.emplace_back(41, "B");
  const Written message("G", fields);
  OrderTerms terms;
  Text<10> account;
  const market::NewOrder defaults = make_template({});
  const Read done = read_replace(message.view, symbols(), order, {said, defaults}, terms, account);
  if (!done) return std::unexpected(done.error());
  return terms;
}

TEST(RequestReader, a_replace_keeps_what_it_does_not_say) {
  const Order order = known_order();
  const auto terms = read_change(order, {{38, "150"}, {44, "11"}});
  ASSERT_TRUE(terms.has_value());
  OrderTerms wanted = order.terms;
  wanted.quantity = {150};
  wanted.limit = {11 * k_unit};
  EXPECT_EQ(*terms, wanted);
  // The total may fall below the peak; without a quantity it stays.
  EXPECT_EQ(read_change(order, {{38, "15"}})->displayed.lots, 15);
  EXPECT_EQ(read_change(order, {{38, ""}})->quantity.lots, 100);
  Order visible = order;
  visible.terms.displayed = visible.terms.quantity;
  EXPECT_EQ(read_change(visible, {{38, "150"}})->displayed.lots, 150);
}

TEST(RequestReader, a_replace_changes_peak_expiry_group_and_passive_rule) {
  const Order order = known_order();
  EXPECT_EQ(read_change(order, {{111, "30"}})->displayed.lots, 30);
  EXPECT_EQ(read_change(order, {{432, "20260901"}})->expiry,
            at(std::chrono::sys_days{std::chrono::year{2026} / 9 / 2}) - std::chrono::seconds{1})
      << "it can trade on that day";
  EXPECT_EQ(read_change(order, {{27017, "9"}})->group, 9);
  EXPECT_EQ(read_change(order, {{27010, "0"}})->passive, 0);
}

TEST(RequestReader, a_replace_cannot_change_what_the_protocol_has_no_field_for) {
  const Order order = known_order();
  const auto reason = [&](const std::vector<std::pair<int, std::string>>& changes) {
    const auto terms = read_change(order, changes);
    return terms ? -1 : int{terms.error().reason};
  };
  EXPECT_EQ(reason({{40, "1"}}), 2);
  EXPECT_EQ(reason({{59, "0"}}), 2);
  EXPECT_EQ(reason({{59, "6"}}), -1);
  EXPECT_EQ(reason({{126, "20260901-00:00:00"}}), 2);
  EXPECT_EQ(reason({{54, "2"}}), 99);
  EXPECT_EQ(reason({{55, "BETA"}}), 99);
  EXPECT_EQ(reason({{55, "GAMMA"}}), 99);
  EXPECT_EQ(reason({{27017, "0"}}), 2);
  EXPECT_EQ(reason({{18, "6"}}), 2);
  EXPECT_EQ(reason({{44, "-1"}}), 99);  // at the venue: unchanged
  EXPECT_EQ(reason({{44, "0"}}), 99);
  EXPECT_EQ(reason({{38, "0"}}), 99);
  EXPECT_EQ(reason({{44, ""}}), 5);  // business: conditionally required
}

/// What the client reads of a change with these fields besides; `group` comes last.
std::string refusal_of_change(const Order& order, std::vector<std::pair<int, std::string>> changes,
                              const OrderParties* said = nullptr,
                              const std::vector<std::pair<int, std::string>>& group = {}) {
  auto fields = order_fields(changes);
  fields.emplace_back(41, "B");
  fields.insert(fields.end(), group.begin(), group.end());
  const Written message("G", fields);
  OrderTerms terms;
  Text<10> account;
  const market::NewOrder defaults = make_template({});
  const Read done = read_replace(message.view, symbols(), order, {said, defaults}, terms, account);
  return done ? "taken" : std::string(text_of(done.error()).view());
}

TEST(RequestReader, a_replace_says_what_it_wants_and_what_the_order_has) {
  Order order = known_order();
  const auto refused = [&](const std::vector<std::pair<int, std::string>>& changes) {
    return refusal_of_change(order, changes);
  };
  EXPECT_EQ(refused({{55, "BETA"}}), "Symbol(55)=BETA is not the order's: the order has ALPHA");
  EXPECT_EQ(refused({{55, ""}, {48, "8"}, {22, "8"}}), "SecurityID(48)=8 is not the order's: the order has 7");
  EXPECT_EQ(refused({{54, "2"}}), "Side(54)=2 is not the order's: the order has 1");
  EXPECT_EQ(refused({{40, "1"}}), "OrdType(40)=1 cannot be changed: the order has 2");
  EXPECT_EQ(refused({{59, "0"}}), "TimeInForce(59)=0 cannot be changed: the order has 6");
  EXPECT_EQ(refused({{386, "1"}, {336, "a"}}),
            "TradingSessionID(336)=a cannot be changed: the order has TimeInForce(59)=6");
  EXPECT_EQ(refused({{126, "20260901-00:00:00"}}),
            "ExpireTime(126)=20260901-00:00:00 does not fit: the order ends at an ExpireDate(432)");
  EXPECT_EQ(refused({{432, "20260901"}, {126, "20260901-00:00:00"}}),
            "ExpireTime(126)=20260901-00:00:00 and ExpireDate(432)=20260901 are two ends: use one");
  EXPECT_EQ(refused({{27017, "0"}}), "GroupID(27017)=0 cannot be: the order has 4, and a group cannot be left");
  EXPECT_EQ(refused({{38, ""}, {111, "101"}}), "MaxFloor(111)=101 is above OrderQty(38)=100");
  EXPECT_EQ(refused({{1138, "10"}, {1084, "3"}}),
            "DisplayMethod(1084)=3 cannot be changed: the order has no peaks of random size");
  order.terms.sub_type = OrderSubType::random_peak;
  EXPECT_EQ(refused({{1138, "10"}, {1084, "1"}}), "DisplayMethod(1084)=1 cannot be changed: the order has 3");
  EXPECT_EQ(refused({{1138, "10"}, {1084, "3"}}), "taken");
  EXPECT_EQ(refused({{1138, "10"}}), "taken");
  order = known_order();
  order.terms.time_in_force = TimeInForce::closing_price_cross;
  EXPECT_EQ(refused({{59, "0"}}), "TimeInForce(59)=0 cannot be changed: the order has TradingSessionID(336)=a");
  EXPECT_EQ(refused({{432, "20260901"}}),
            "ExpireDate(432)=20260901 needs TimeInForce(59)=6: the order has TradingSessionID(336)=a");
  order.terms.time_in_force = TimeInForce::day;
  EXPECT_EQ(refused({{126, "20260901-00:00:00"}}),
            "ExpireTime(126)=20260901-00:00:00 needs TimeInForce(59)=6: the order has 0");
  order.terms.sub_type = OrderSubType::pegged;
  EXPECT_EQ(refused({{40, "P"}, {44, ""}}), "Price(44)=(none) cannot be changed: the order is pegged with a limit");
  order.terms.type = OrderType::market;
  EXPECT_EQ(refused({{40, "P"}}), "Price(44)=10 cannot be changed: the order is pegged without a limit");
}

/// FIX clients repeat an order's values in its change: that is taken, and another value refused.
TEST(RequestReader, a_replace_repeats_what_it_cannot_change_or_is_refused) {
  Order order = known_order();
  order.terms.sub_type = OrderSubType::pegged;
  order.terms.peg = 1;
  order.terms.capacity = market::Capacity::any_other;
  order.terms.owner_type = 2;
  order.terms.flags = static_cast<std::uint8_t>(market::k_named);
  const auto refused = [&](std::vector<std::pair<int, std::string>> changes) {
    changes.emplace_back(40, "P");
    return refusal_of_change(order, changes);
  };
  EXPECT_EQ(refused({{27021, "1"}, {528, "A"}, {522, "2"}, {1091, "N"}, {581, "1"}}), "taken");
  EXPECT_EQ(refused({{47, "A"}}), "taken");
  EXPECT_EQ(refused({{27021, "2"}}), "PeggedExecInst(27021)=2 cannot be changed: the order has 1");
  EXPECT_EQ(refused({{27021, "3"}}), "PeggedExecInst(27021)=3 is out of range: 0 to 2");
  EXPECT_EQ(refused({{528, "P"}}), "OrderCapacity(528)=P cannot be changed: the order has A");
  EXPECT_EQ(refused({{528, "I"}}), "OrderCapacity(528)=I is not supported: the venue has A, P and R");
  EXPECT_EQ(refused({{47, "P"}}), "Rule80A(47)=P cannot be changed: the order has OrderCapacity(528)=A");
  EXPECT_EQ(refused({{522, "0"}}), "OwnerType(522)=0 cannot be changed: the order has 2");
  EXPECT_EQ(refused({{1091, "Y"}}), "PreTradeAnonymity(1091)=Y cannot be changed: the order has N");
  EXPECT_EQ(refused({{581, "3"}}), "AccountType(581)=3 cannot be changed: the order has 1");
  const auto change = read_change(order, {{40, "P"}, {528, "P"}});
  ASSERT_FALSE(change.has_value());
  EXPECT_EQ(change.error().reason, cancel_reject::k_exchange_option);
  EXPECT_EQ(read_change(order, {{40, "P"}, {528, "I"}}).error().reason, cancel_reject::k_exchange_option);
}

TEST(RequestReader, a_replace_repeats_the_parties_of_its_order_or_is_refused) {
  const Order order = known_order();
  OrderParties said;
  said.given = OrderParties::client_id | OrderParties::trader_id;
  said.client = 77;
  said.clearing = 3;
  said.roles = 0b11'00'01;  // a person trades, and the client is a firm
  said.trader = Text<11>::cut("TRADER-1");
  using Group = std::vector<std::pair<int, std::string>>;
  const auto refused = [&](const Group& group) { return refusal_of_change(order, {}, &said, group); };
  EXPECT_EQ(refused({{453, "2"}, {448, "77"}, {452, "3"}, {2376, "23"}, {448, "TRADER-1"}, {452, "100"}}), "taken");
  EXPECT_EQ(refused({{453, "1"}, {448, "3"}, {452, "12"}}), "taken") << "the client's default";
  EXPECT_EQ(refused({{453, "1"}, {448, "BROKER"}, {452, "1"}}), "taken") << "not carried";
  EXPECT_EQ(refused({{453, "1"}, {448, "78"}, {452, "3"}}),
            "PartyID(448)=78 of PartyRole(452)=3 cannot be changed: the order has 77");
  EXPECT_EQ(refused({{453, "1"}, {448, "5"}, {452, "122"}}),
            "PartyID(448)=5 of PartyRole(452)=122 cannot be changed: the order has 0");
  EXPECT_EQ(refused({{453, "1"}, {448, "77"}, {452, "3"}, {2376, "22"}}),
            "PartyRoleQualifier(2376)=22 of PartyRole(452)=3 cannot be changed: the order has 23");
  EXPECT_EQ(refused({{453, "1"}, {448, "TRADER-2"}, {452, "100"}}),
            "PartyID(448)=TRADER-2 of PartyRole(452)=100 cannot be changed: the order has TRADER-1");
  EXPECT_EQ(refusal_of_change(order, {{581, "3"}}, &said), "taken");
  EXPECT_EQ(refusal_of_change(order, {{581, "1"}}, &said), "AccountType(581)=1 cannot be changed: the order has 3");
  EXPECT_EQ(refusal_of_change(order, {}, nullptr, {{453, "1"}, {448, "T"}, {452, "100"}}),
            "PartyID(448)=T of PartyRole(452)=100 cannot be changed: the order has (none)");
}

/// Text(58) changes nothing but that the order is not plain any more.
TEST(RequestReader, reads_a_plain_order_as_one_with_more_fields) {
  using Values = std::vector<std::string>;
  const std::vector<std::pair<int, Values>> tags{{1, {"", "ACCOUNT", "ACCOUNT-0123"}},
                                                 {21, {"", "1"}},
                                                 {22, {"", "", "", "8", "4"}},
                                                 {38, {"100", "100", "100", "100", "0", "2147483648", "", "x"}},
                                                 {40, {"1", "2", "2", "2", "2", "2", "3", "4", "K", "P", "F", "9"}},
                                                 {44, {"10", "10", "10", "10", "0", "-1", ""}},
                                                 {48, {"", "", "", "7", "9"}},
                                                 {54, {"1", "2", "1", "2", "5", ""}},
                                                 {55, {"ALPHA", "BETA", "ALPHA", "BETA", "GAMMA", "[N/A]", ""}},
                                                 {59, {"", "0", "0", "0", "1", "3", "6", "9", "Z"}}};
  std::mt19937 random(11);
  std::size_t taken = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::vector<std::pair<int, std::string>> changes;
    for (const auto& [tag, values] : tags) changes.emplace_back(tag, values[random() % values.size()]);
    const auto plain = read(changes);
    const std::string text = refusal_of(changes);
    changes.emplace_back(58, "more");
    const auto with_more = read(changes);
    ASSERT_EQ(plain.has_value(), with_more.has_value()) << round;
    if (plain) {
      ++taken;
      ASSERT_TRUE(plain->terms == with_more->terms && plain->labels == with_more->labels) << round;
      ASSERT_EQ(plain->header.instrument, with_more->header.instrument) << round;
    } else {
      ASSERT_EQ(plain.error().answer, with_more.error().answer) << round;
      ASSERT_EQ(plain.error().reason, with_more.error().reason) << round;
      ASSERT_EQ(plain.error().tag, with_more.error().tag) << round;
      ASSERT_EQ(text, refusal_of(changes)) << round;
    }
  }
  EXPECT_GT(taken, 100u);
}

TEST(RequestReader, defaults_that_no_venue_takes_are_refused_at_the_start) {
  EXPECT_NO_THROW(static_cast<void>(make_template({})));
  EXPECT_THROW(static_cast<void>(make_template({.executing_trader = 0})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_template({.executing_trader = 4})), std::invalid_argument);
  EXPECT_NO_THROW(static_cast<void>(make_template({.executing_trader = 4, .role_qualifiers = 0x30})));
  EXPECT_THROW(static_cast<void>(make_template({.client = 3})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_template({.decision_maker = 1})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_template({.role_qualifiers = 0x40})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_template({.clearing_account = 2})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_template({.mifid_flags = 8})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_template({.capacity = market::Capacity::none})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(make_template({.account = "ACCOUNT-011"})), std::invalid_argument);
}

}  // namespace
}  // namespace dojima::gateway
