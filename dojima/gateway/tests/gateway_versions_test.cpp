// Clients of all versions of FIX at one gateway: what each can say of an order, and that each is answered in words of
// its own version.

#include <gtest/gtest.h>

#include "dojima/gateway/gateway_test_world.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;
using market::OrderSubType, market::OrderType, market::TimeInForce;

GatewayConfig config_of(FixVersion version, bool has_venue_fields = false) {
  GatewayConfig config = small_config();
  config.clients[0].version = version;
  config.clients[0].has_venue_fields = has_venue_fields;
  return config;
}

/// A gateway, and a client that holds what it gets against the published dictionary of its version, with no tag of the
/// venue's own allowed.
struct VersionWorld : World {
  explicit VersionWorld(FixVersion spoken) : VersionWorld(spoken, config_of(spoken)) {}
  VersionWorld(FixVersion spoken, const GatewayConfig& config)
      : World(config),
        version(spoken),
        strict(scheduler, "CLIENT1", {}, spoken,
               fix::dictionary_of(begin_string_of(spoken), application_version_of(spoken))) {
    network.connect(k_fix_address, strict.session);
    run(10ms);
    EXPECT_TRUE(strict.session.is_logged_on());
  }
  ~VersionWorld() {
    strict.session.logout("end");
    run(1s);
  }

  /// What the version wants besides.
  Fields order(std::string id) const {
    Fields fields = new_order(std::move(id));
    if (is_old()) fields.set(21, "1");
    return fields;
  }
  bool is_old() const { return version == FixVersion::fix_4_2; }

  FixVersion version;
  FixClient strict;
};

TEST(GatewayVersions, answer_in_words_that_the_published_dictionary_has) {
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    VersionWorld world(version);
    FixClient& client = world.strict;
    client.send("D", world.order("A-1"));
    world.run(1ms);
    ASSERT_EQ(world.venue.orders.size(), 1u);
    const market::NewOrder order = world.venue.orders.back();
    world.venue.say(world.venue.accepted(order, 77));
    market::OwnerReport fill = world.venue.traded(order, 77, 30, 10 * k_unit, 70);
    fill.liquidity = 'C';
    fill.counterparty = Text<11>::cut("MEMBER7");
    fill.trade = 1338498875692;
    world.venue.say(fill);
    Fields change = cancel("A-2", "A-1");
    if (world.is_old()) change.set(38, "100");
    client.send("F", change);
    world.run(1ms);
    market::OwnerReport refused = world.venue.answer(order, market::OwnerReportKind::request_rejected, 77,
                                                     world.venue.cancels.back().client_order_id, 70);
    refused.reason = market::Reason::unknown_user;  // 99 where the version has it
    world.venue.say(refused);
    client.send("D", world.order("A-1"));               // duplicate
    client.send("D", world.order("A-3").set(38, "0"));  // no such quantity
    Fields again = world.order("A-1");
    again.list.insert(again.list.begin(), {97, "Y"});  // of the header
    client.send("D", again);                           // sent before
    world.run(1ms);
    const std::vector<Message> got = client.take();
    ASSERT_EQ(got.size(), 6u);
    EXPECT_EQ(client.troubles, 0);
    const bool is_old = version == FixVersion::fix_4_2;
    const char* const begun = is_old ? "8 20=0 150=0 39=0" : "8 20= 150=0 39=0";
    EXPECT_EQ(got[0].show({20, 150, 39}), begun);
    EXPECT_EQ(got[1].show({20, 150, 39, 32, 31, 14, 151}),
              is_old ? "8 20=0 150=1 39=1 32=30 31=10 14=30 151=70" : "8 20= 150=F 39=1 32=30 31=10 14=30 151=70");
    switch (version) {
      case FixVersion::fix_4_2:
        EXPECT_EQ(got[1].show({382, 375, 453, 448, 851, 527, 880, 47, 528}),
                  "8 382=1 375=MEMBER7 453= 448= 851= 527= 880= 47=A 528=");
        break;
      case FixVersion::fix_4_4:
        EXPECT_EQ(got[1].show({382, 453, 448, 452, 851, 527, 880, 528}),
                  "8 382= 453=1 448=MEMBER7 452=17 851= 527=GGXICR4MS8 880= 528=A");
        break;
      case FixVersion::fix_5_0_sp2:
        EXPECT_EQ(got[1].show({453, 448, 851, 527, 880, 278, 528}),
                  "8 453=1 448=MEMBER7 851=4 527= 880=GGXICR4MS8 278=00000000001F 528=A");
        break;
    }
    EXPECT_EQ(got[2].show({11, 41, 434, 102, 39}),
              is_old ? "9 11=A-2 41=A-1 434=1 102=2 39=1" : "9 11=A-2 41=A-1 434=1 102=99 39=1");
    EXPECT_EQ(got[3].show({11, 103, 39}), "8 11=A-1 103=6 39=8");
    EXPECT_EQ(got[4].show({11, 103, 39}), is_old ? "8 11=A-3 103=0 39=8" : "8 11=A-3 103=13 39=8");
    EXPECT_EQ(got[5].show({11, 20, 150, 39}), is_old ? "8 11=A-1 20=3 150=1 39=1" : "8 11=A-1 20= 150=I 39=1");
  }
}

TEST(GatewayVersions, say_why_the_venue_ended_an_order) {
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    VersionWorld world(version);
    FixClient& client = world.strict;
    client.send("D", world.order("A-1"));
    client.send("D", world.order("A-2"));
    world.run(1ms);
    ASSERT_EQ(world.venue.orders.size(), 2u);
    for (std::uint64_t at = 0; at < 2; ++at) world.venue.say(world.venue.accepted(world.venue.orders[at], 77 + at));
    market::OwnerReport expired = world.venue.about(world.venue.orders[0], market::OwnerReportKind::expired, 77);
    expired.reason = market::Reason::passive_only;
    market::OwnerReport gone = world.venue.about(world.venue.orders[1], market::OwnerReportKind::cancelled, 78);
    gone.restatement = static_cast<std::uint8_t>(market::Restatement::market);
    world.venue.say(expired);
    world.venue.say(gone);
    world.run(1ms);
    const std::vector<Message> got = client.take();
    ASSERT_EQ(got.size(), 4u);
    EXPECT_EQ(client.troubles, 0);
    EXPECT_EQ(got[2].show({11, 150, 39, 103, 58}), "8 11=A-1 150=C 39=C 103= 58=20025 not as passive as it must be");
    EXPECT_EQ(got[3].show({11, 150, 39, 378, 58}), version == FixVersion::fix_4_2
                                                       ? "8 11=A-2 150=4 39=4 378= 58=cancelled by the venue"
                                                       : "8 11=A-2 150=4 39=4 378=8 58=cancelled by the venue");
  }
}

/// 5.0 SP2 lets OrigClOrdID(41) be absent, in other versions a client's checks can. Each request has one answer.
TEST(GatewayVersions, a_change_without_orig_cl_ord_id_is_answered_once_whatever_is_wrong_with_it) {
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    GatewayConfig config = config_of(version);
    config.fix.session.checks.required = false;
    config.clients[0].chain = 1;
    config.users = {{.client = "CLIENT1", .sub_id = "ANN", .logon = {.name = "USER3", .password = "Secret#3"}}};
    VersionWorld world(version, config);
    FixClient& client = world.strict;
    const bool may_be_absent = version == FixVersion::fix_5_0_sp2;
    const auto answer = [&](std::string_view type, const Fields& fields) {
      client.send(type, fields);
      world.run(1ms);
      return client.only().show({11, 41, 37, 39, 434, 102});
    };
    const auto change = [](std::string_view type, std::string id, std::string order_id) {
      Fields fields = type == "F" ? cancel(std::move(id), "") : replace(std::move(id), "", "50", "10");
      return fields.set(21, "1").drop(type == "F" ? 21 : 0).drop(41).set(37, std::move(order_id));
    };
    const auto of_nobody = [&](std::string_view type, std::string id) {
      Fields fields = change(type, std::move(id), wire_id(77));
      fields.list.insert(fields.list.begin(), {50, "BOB"});
      return fields;
    };
    const std::string unknown = may_be_absent ? " 41= " : " 41=NONE ";
    EXPECT_EQ(answer("F", change("F", "C-1", wire_id(5))), "9 11=C-1" + unknown + "37=NONE 39=8 434=1 102=1");
    EXPECT_EQ(answer("G", change("G", "C-2", wire_id(5))), "9 11=C-2" + unknown + "37=NONE 39=8 434=2 102=1");
    EXPECT_EQ(answer("F", change("F", "C-3", "no id")), "9 11=C-3" + unknown + "37=NONE 39=8 434=1 102=1");
    client.send("D", world.order("A-1"));
    world.run(1ms);
    world.venue.say(world.venue.accepted(world.venue.orders.back(), 77));
    world.run(1ms);
    client.take();
    // The order is found, or was not looked for.
    const std::string of_order = "41=A-1 37=" + wire_id(77);
    EXPECT_EQ(answer("F", of_nobody("F", "C-4")),
              "9 11=C-4" + unknown + "37=NONE 39=8 434=1 102=" + (world.is_old() ? "2" : "99"));
    EXPECT_EQ(answer("G", of_nobody("G", "C-5")),
              "9 11=C-5" + unknown + "37=NONE 39=8 434=2 102=" + (world.is_old() ? "2" : "99"));
    EXPECT_EQ(answer("F", change("F", "A-1", wire_id(77))),
              "9 11=A-1 " + of_order + " 39=0 434=1 102=" + (world.is_old() ? "2" : "6"));
    EXPECT_EQ(answer("F", change("F", "C-6", wire_id(77)).set(54, "2")),
              "9 11=C-6 " + of_order + " 39=0 434=1 102=" + (world.is_old() ? "2" : "99"));
    EXPECT_EQ(world.counters().undelivered, 0u);
    EXPECT_EQ(client.troubles, 0);
  }
}

TEST(GatewayVersions, a_field_that_cannot_be_read_is_refused_with_what_was_expected_and_what_came) {
  VersionWorld world(FixVersion::fix_5_0_sp2);
  FixClient& client = world.strict;
  const auto answer = [&](std::string_view type, const Fields& fields) {
    client.send(type, fields);
    world.run(1ms);
    return client.only().show({371, 373, 58});
  };
  EXPECT_EQ(answer("F", cancel("C-1", "").drop(41)), "3 371=41 373=1 58=field 41 is missing");
  EXPECT_EQ(answer("D", world.order("A-1").set(38, "5.5")),
            "3 371=38 373=5 58=field 38: expected a whole number >= 0, got 5.5");
  EXPECT_EQ(answer("D", world.order(std::string(41, 'A'))),
            "3 371=11 373=5 58=field 11: expected at most 40 characters, none of them null, got " +
                std::string(32, 'A') + "...");
  EXPECT_EQ(answer("Z", {{{298, "5"}}}), "3 371=117 373=1 58=field 117 is missing");
}

/// FIX 4.4 has MarketSegmentID(1300) and TargetParties by the extension of its dictionary.
TEST(GatewayVersions, a_mass_cancel_of_a_segment_or_of_the_firm_can_be_said_from_fix_4_4_on) {
  for (const FixVersion version : {FixVersion::fix_4_4, FixVersion::fix_5_0_sp2}) {
    SCOPED_TRACE(name_of(version));
    World world(config_of(version));
    FixClient client(world.scheduler, "CLIENT1", {}, version, &order_entry_dictionary(version));
    world.network.connect(k_fix_address, client.session);
    world.run(10ms);
    const Fields firm{{{1461, "1"}, {1462, "WE"}, {1463, "D"}, {1464, "1"}}};
    const auto of_firm = [&](Fields fields) {
      fields.list.insert(fields.list.end(), firm.list.begin(), firm.list.end());
      return fields;
    };
    const Fields segment{{{11, "Q-1"}, {530, "9"}, {1300, "SETS"}, {60, "20260720-12:00:00.000"}}};
    client.send("q", segment);
    client.send("q", of_firm(Fields(segment).set(11, "Q-2")));
    client.send("q", of_firm({{{11, "Q-3"}, {530, "57"}, {55, "ALPHA"}, {27017, "9"}, {60, "20260720-12:00:00.000"}}}));
    world.run(1ms);
    const std::vector<Message> got = client.take();
    ASSERT_EQ(world.venue.mass_cancels.size(), 3u) << (got.empty() ? "" : got[0].show({371, 373, 58}));
    EXPECT_EQ(world.venue.mass_cancels[0].segment.view(), "SETS");
    EXPECT_FALSE(world.venue.mass_cancels[0].is_account);
    EXPECT_TRUE(world.venue.mass_cancels[1].is_account);
    EXPECT_TRUE(world.venue.mass_cancels[2].is_account);
    EXPECT_EQ(world.venue.mass_cancels[2].group, 9);
    // The venue has one code for an instrument and a segment that it does not know.
    market::NewOrder nothing;
    market::OwnerReport refused = world.venue.answer(nothing, market::OwnerReportKind::mass_cancelled, 0,
                                                     world.venue.mass_cancels[0].client_order_id, 0);
    refused.reason = market::Reason::unknown_instrument;
    world.venue.say(refused);
    refused = world.venue.answer(nothing, market::OwnerReportKind::mass_cancelled, 0,
                                 world.venue.mass_cancels[2].client_order_id, 0);
    refused.reason = market::Reason::unknown_instrument;
    world.venue.say(refused);
    world.run(1ms);
    const std::vector<Message> answers = client.take();
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(answers[0].show({11, 531, 532, 58}), std::string("r 11=Q-1 531=0 532=") +
                                                       (version == FixVersion::fix_4_4 ? "99" : "8") +
                                                       " 58=9000 unknown MarketSegmentID(1300) SETS");
    EXPECT_EQ(answers[1].show({11, 531, 532, 58}), "r 11=Q-3 531=0 532=1 58=9000 unknown instrument");
    // Without its group the role has no place.
    client.send("q", {{{11, "Q-4"}, {530, "7"}, {1464, "1"}, {60, "20260720-12:00:00.000"}}});
    world.run(1ms);
    EXPECT_EQ(client.only().type, "3");
    EXPECT_EQ(world.venue.mass_cancels.size(), 3u);
    client.session.logout("end");
    world.run(1s);
  }
}

/// FIX 4.2 has no word for a phase that is not known.
TEST(GatewayVersions, the_trading_session_is_answered_in_every_version) {
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    VersionWorld world(version);
    FixClient& client = world.strict;
    const std::string open = world.is_old() ? "2" : "0", closed = world.is_old() ? "3" : "0";
    client.send("g", {{{335, "T-1"}, {336, "1"}, {263, "0"}}});
    world.run(1ms);
    Message received = client.only();
    EXPECT_EQ(received.show({335, 336, 325, 340}), "h 335=T-1 336=1 325=N 340=" + open);
    EXPECT_NE(received.at(58).find("does not carry its phase"), std::string::npos) << received.at(58);
    world.venue.is_open = false;
    world.network.cut(*world.venue.users.at("USER1"));
    world.run(1ms);
    client.send("g", {{{335, "T-2"}, {263, "0"}}});
    world.run(1ms);
    EXPECT_EQ(client.only().show({335, 336, 340}), "h 335=T-2 336=1 340=" + closed);
    EXPECT_EQ(client.troubles, 0);
    EXPECT_EQ(world.counters().undelivered, 0u);
  }
}

/// SecurityDefinitionRequest(c) is in every version, and FIX 4.2 has no other way to list what is traded.
TEST(GatewayVersions, define_instruments) {
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    GatewayConfig config = config_of(version);
    config.symbols.push_back({.symbol = "KAGA",
                              .instrument = 1001,
                              .name = "Rice, of Kaga",
                              .isin = "GB0002634946",
                              .sedol = "0263494",
                              .currency = "JPY",
                              .lot = 100});
    VersionWorld world(version, config);
    FixClient& client = world.strict;
    client.send("c", {{{320, "D-1"}, {321, "0"}, {55, "KAGA"}}});
    client.send("c", {{{320, "D-2"}, {321, "0"}, {55, "NOTHING"}}});
    client.send("c", {{{320, "D-3"}, {321, "2"}}});
    client.send("c", {{{320, "D-4"}, {321, "3"}}});
    world.run(1ms);
    const std::vector<Message> got = client.take();
    EXPECT_EQ(client.troubles, 0);
    const bool is_old = world.is_old();
    ASSERT_EQ(got.size(), is_old ? 6u : 4u);
    EXPECT_EQ(got[0].show({320, 323, 393, 55, 48, 454, 231, 107, 15}),
              is_old ? "d 320=D-1 323=1 393=1 55=KAGA 48=1001 454= 231=100 107=Rice, of Kaga 15=JPY"
                     : "d 320=D-1 323=1 393= 55=KAGA 48=1001 454=2 231=100 107=Rice, of Kaga 15=JPY");
    EXPECT_EQ(got[1].show({320, 323, 393, 55, 58}), is_old
                                                        ? "d 320=D-2 323=6 393=0 55=NOTHING 58=unknown symbol NOTHING"
                                                        : "d 320=D-2 323=6 393= 55=NOTHING 58=unknown symbol NOTHING");
    EXPECT_EQ(got[2].show({320, 323}), "d 320=D-3 323=5");
    EXPECT_EQ(got[3].show({320, 323}), is_old ? "d 320=D-4 323=4" : "d 320=D-4 323=5");
    if (!is_old) continue;
    EXPECT_EQ(got[3].show({393, 55}), "d 393=3 55=ALPHA");
    EXPECT_EQ(got[4].show({393, 55}), "d 393=3 55=BETA");
    EXPECT_EQ(got[5].show({393, 55}), "d 393=3 55=KAGA");
  }
}

TEST(GatewayVersions, say_what_no_version_publishes_to_who_wants_it) {
  for (const FixVersion version : k_fix_versions) {
    SCOPED_TRACE(name_of(version));
    World world(config_of(version, true));
    FixClient client(world.scheduler, "CLIENT1", {}, version, &order_entry_dictionary(version));
    world.network.connect(k_fix_address, client.session);
    world.run(10ms);
    client.send("D", version == FixVersion::fix_4_2 ? new_order("A-1").set(21, "1") : new_order("A-1"));
    world.run(1ms);
    ASSERT_EQ(world.venue.orders.size(), 1u);
    market::OwnerReport fill = world.venue.traded(world.venue.orders.back(), 77, 30, 10 * k_unit, 70);
    fill.liquidity = 'C';
    fill.trade = 1338498875692;
    fill.type_of_trade = 1;
    world.venue.say(fill);
    world.run(1ms);
    EXPECT_EQ(client.only().show({9730, 27020, 20000}), "8 9730=C 27020=1338498875692 20000=1");
    client.session.logout("end");
    world.run(1s);
  }
}

/// What a client says besides the plain limit order, and what the venue gets.
struct OrderRow {
  const char* name;
  std::vector<std::pair<int, std::string>> fields;  // empty: without the field
  std::function<bool(const market::NewOrder&)> holds;
};

/// Each row reaches the venue, but for those that the dialect has no place for: the names of these, which are refused.
std::vector<std::string> check_rows(FixVersion version, const std::vector<OrderRow>& rows,
                                    const mit::Dialect& dialect = mit::lse_21_2::k_dialect) {
  GatewayConfig config = config_of(version);
  config.dialect = &dialect;
  std::vector<std::string> refused;
  World world(config);
  FixClient client(world.scheduler, "CLIENT1", {}, version, &order_entry_dictionary(version));
  world.network.connect(k_fix_address, client.session);
  world.run(10ms);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    SCOPED_TRACE(rows[row].name);
    Fields fields = new_order("A-" + std::to_string(row));
    if (version == FixVersion::fix_4_2) fields.set(21, "1");
    for (const auto& [tag, value] : rows[row].fields) {
      if (value.empty())
        fields.drop(tag);
      else
        fields.list.emplace_back(tag, value);
    }
    // The last of two is meant.
    for (const auto& [tag, value] : rows[row].fields) {
      const auto known = [tag](const auto& field) { return field.first == tag; };
      const bool is_base = std::ranges::count_if(fields.list, known) > 1 && tag < 400 && tag != 336;
      if (is_base) fields.list.erase(std::ranges::find_if(fields.list, known));
    }
    const std::size_t before = world.venue.orders.size();
    client.send("D", fields);
    world.run(1ms);
    const std::vector<Message> answers = client.take();
    if (world.venue.orders.size() == before) {
      EXPECT_EQ(answers.size(), 1u);
      EXPECT_EQ(answers.empty() ? "" : answers.back().show({150, 103}), "8 150=8 103=11");
      const std::string text = answers.empty() ? "" : answers.back().at(58);
      EXPECT_NE(text.find(dialect.name), std::string::npos) << text;
      refused.emplace_back(rows[row].name);
      continue;
    }
    EXPECT_EQ(world.venue.orders.size(), before + 1);
    EXPECT_TRUE(rows[row].holds(world.venue.orders.back()));
  }
  client.session.logout("end");
  world.run(1s);
  return refused;
}

using Refused = std::vector<std::string>;

TimeInForce tif_of(const market::NewOrder& order) {
  return order.terms.time_in_force;
}

/// What every version can say.
std::vector<OrderRow> common_rows() {
  return {
      {"market", {{40, "1"}, {44, ""}}, [](const auto& o) { return o.terms.type == OrderType::market; }},
      {"limit", {}, [](const auto& o) { return o.terms.type == OrderType::limit && o.terms.displayed.lots == 100; }},
      {"stop", {{40, "3"}, {44, ""}, {99, "11"}}, [](const auto& o) { return o.terms.type == OrderType::stop; }},
      {"stop limit", {{40, "4"}, {99, "9"}}, [](const auto& o) { return o.terms.type == OrderType::stop_limit; }},
      {"pegged",
       {{40, "P"}, {44, ""}, {18, "M"}, {110, "10"}, {27021, "1"}},
       [](const auto& o) {
         return o.terms.sub_type == OrderSubType::pegged && o.terms.type == OrderType::market &&
                o.terms.minimum.lots == 10 && o.terms.peg == 1;
       }},
      {"pegged with a limit",
       {{40, "P"}},
       [](const auto& o) { return o.terms.sub_type == OrderSubType::pegged && o.terms.type == OrderType::limit; }},
      {"iceberg of fixed peaks",
       {{111, "10"}},
       [](const auto& o) { return o.terms.displayed.lots == 10 && o.terms.sub_type == OrderSubType::plain; }},
      {"hidden", {{111, "0"}}, [](const auto& o) { return o.terms.displayed.lots == 0; }},
      {"offset",
       {{40, "F"}, {44, ""}, {59, "7"}, {27018, "25"}},
       [](const auto& o) {
         return o.terms.sub_type == OrderSubType::offset && o.terms.offset_bp == 25 && o.terms.limit.units == 0 &&
                tif_of(o) == TimeInForce::at_the_close;
       }},
      {"offset with a limit",
       {{40, "F"}, {59, "7"}, {27018, "-25"}},
       [](const auto& o) { return o.terms.offset_bp == -25 && o.terms.limit.units == 10 * k_unit; }},
      {"day", {{59, "0"}}, [](const auto& o) { return tif_of(o) == TimeInForce::day; }},
      {"OPG", {{59, "2"}}, [](const auto& o) { return tif_of(o) == TimeInForce::at_the_opening; }},
      {"IOC", {{59, "3"}}, [](const auto& o) { return tif_of(o) == TimeInForce::immediate_or_cancel; }},
      {"FOK", {{59, "4"}}, [](const auto& o) { return tif_of(o) == TimeInForce::fill_or_kill; }},
      {"GTD", {{59, "6"}, {432, "20260721"}}, [](const auto& o) { return tif_of(o) == TimeInForce::good_till_date; }},
      {"GTT",
       {{59, "6"}, {126, "20260720-13:00:00"}},
       [](const auto& o) { return tif_of(o) == TimeInForce::good_till_time; }},
      {"ATC", {{59, "7"}}, [](const auto& o) { return tif_of(o) == TimeInForce::at_the_close; }},
      {"GFX", {{59, "8"}}, [](const auto& o) { return tif_of(o) == TimeInForce::good_for_intraday_auction; }},
      {"GFA", {{59, "9"}}, [](const auto& o) { return tif_of(o) == TimeInForce::good_for_next_auction; }},
      {"GFS", {{59, "C"}}, [](const auto& o) { return tif_of(o) == TimeInForce::good_for_scheduled_auction; }},
      {"AVD", {{59, "D"}}, [](const auto& o) { return tif_of(o) == TimeInForce::auction_volume_discovery; }},
      {"AVC", {{59, "E"}}, [](const auto& o) { return tif_of(o) == TimeInForce::volume_discovery_and_cross; }},
      {"CPX", {{386, "1"}, {336, "a"}}, [](const auto& o) { return tif_of(o) == TimeInForce::closing_price_cross; }},
      {"passive 1", {{27010, "1"}}, [](const auto& o) { return o.terms.passive == 1; }},
      {"passive 100", {{27010, "100"}}, [](const auto& o) { return o.terms.passive == 100; }},
      {"group", {{27017, "9"}}, [](const auto& o) { return o.terms.group == 9; }},
  };
}

/// What FIX 5.0 SP2 can say.
std::vector<OrderRow> all_rows() {
  std::vector<OrderRow> rows = common_rows();
  const std::vector<OrderRow> own = {
      {"iceberg of random peaks",
       {{1084, "3"}, {1138, "10"}},
       [](const auto& o) { return o.terms.sub_type == OrderSubType::random_peak && o.terms.displayed.lots == 10; }},
      {"iceberg of fixed peaks, by DisplayMethod",
       {{1084, "1"}, {1138, "10"}},
       [](const auto& o) { return o.terms.sub_type == OrderSubType::plain && o.terms.displayed.lots == 10; }},
      {"hidden, by DisplayMethod", {{1084, "4"}}, [](const auto& o) { return o.terms.displayed.lots == 0; }},
      {"pegged, by PegPriceType",
       {{40, "P"}, {1094, "2"}, {211, "0"}},
       [](const auto& o) { return o.terms.sub_type == OrderSubType::pegged; }},
      {"named", {{1091, "N"}}, [](const auto& o) { return (o.terms.flags & market::k_named) != 0; }},
      {"anonymous", {{1091, "Y"}}, [](const auto& o) { return (o.terms.flags & market::k_named) == 0; }},
      {"retail investor", {{522, "1"}}, [](const auto& o) { return o.terms.owner_type == 1; }},
      {"direct access", {{1724, "5"}}, [](const auto& o) { return o.labels.mifid == 1; }},
      {"liquidity provision and algorithm",
       {{2593, "2"}, {2594, "2"}, {2595, "Y"}, {2594, "4"}, {2595, "Y"}},
       [](const auto& o) { return o.labels.mifid == 6; }},
      {"no algorithm", {{2593, "1"}, {2594, "4"}, {2595, "N"}}, [](const auto& o) { return o.labels.mifid == 0; }},
      {"parties",
       {{453, "4"},
        {448, "1001"},
        {447, "P"},
        {452, "3"},
        {2376, "23"},
        {448, "1002"},
        {447, "P"},
        {452, "122"},
        {2376, "24"},
        {448, "1003"},
        {447, "P"},
        {452, "12"},
        {2376, "22"},
        {448, "TRD1"},
        {447, "D"},
        {452, "100"}},
       [](const auto& o) {
         return o.labels.client == 1001 && o.labels.decision_maker == 1002 && o.labels.executing_trader == 1003 &&
                o.labels.roles == (1 | 3 << 2 | 2 << 4) && o.labels.trader.view() == "TRD1";
       }},
      {"capacity and clearing",
       {{528, "R"}, {581, "3"}},
       [](const auto& o) { return o.terms.capacity == market::Capacity::matched_principal && o.labels.clearing == 3; }},
  };
  rows.insert(rows.end(), own.begin(), own.end());
  return rows;
}

TEST(GatewayVersions, carry_every_order_of_the_value_tables_from_fix_5_0_sp2) {
  EXPECT_EQ(check_rows(FixVersion::fix_5_0_sp2, all_rows()), Refused{});
}

/// Both published descriptions have no place for these.
TEST(GatewayVersions, carry_to_the_other_dialects_what_has_a_place_there_and_say_what_has_not) {
  EXPECT_EQ(check_rows(FixVersion::fix_5_0_sp2, all_rows(), mit::bit_9_4::k_dialect),
            (Refused{"pegged", "pegged with a limit", "offset", "offset with a limit", "GFX", "GFA", "GFS", "AVD",
                     "AVC", "passive 1", "passive 100", "group", "pegged, by PegPriceType", "retail investor"}));
  EXPECT_EQ(check_rows(FixVersion::fix_5_0_sp2, all_rows(), mit::lse_11_8_5::k_dialect),
            (Refused{"pegged", "offset", "offset with a limit", "retail investor"}));
}

/// What the client has said of its order and the venue's reports do not repeat: the gateway does.
TEST(GatewayVersions, repeat_parties_and_account_type_in_the_reports_of_an_order) {
  World world(config_of(FixVersion::fix_5_0_sp2));
  FixClient client(world.scheduler, "CLIENT1", {}, FixVersion::fix_5_0_sp2,
                   &order_entry_dictionary(FixVersion::fix_5_0_sp2));
  world.network.connect(k_fix_address, client.session);
  world.run(10ms);
  struct Row {
    std::vector<std::pair<int, std::string>> fields;
    std::string reported;
  };
  const std::vector<Row> rows = {
      {{}, ""},
      {{{581, "1"}}, "581=1|"},
      {{{453, "1"}, {448, "1001"}, {447, "P"}, {452, "3"}, {2376, "23"}}, "453=1|448=1001|447=P|452=3|2376=23|"},
      {{{453, "1"}, {448, "7"}, {447, "P"}, {452, "122"}, {2376, "22"}}, "453=1|448=7|447=P|452=122|2376=22|"},
      {{{453, "1"}, {448, "8"}, {447, "P"}, {452, "12"}, {2376, "24"}}, "453=1|448=8|447=P|452=12|2376=24|"},
      {{{453, "1"}, {448, "TRD1"}, {447, "D"}, {452, "100"}}, "453=1|448=TRD1|447=D|452=100|"},
      // A role that the venue has no place for was not carried.
      {{{453, "2"}, {448, "ANYBODY"}, {447, "D"}, {452, "76"}, {448, "2"}, {447, "P"}, {452, "3"}},
       "453=1|448=2|447=P|452=3|"},
  };
  for (std::size_t row = 0; row < rows.size(); ++row) {
    Fields fields = new_order("A-" + std::to_string(row));
    fields.list.insert(fields.list.end(), rows[row].fields.begin(), rows[row].fields.end());
    client.send("D", fields);
    world.run(1ms);
    ASSERT_EQ(world.venue.orders.size(), row + 1);
    world.venue.say(world.venue.accepted(world.venue.orders.back(), 100 + row));
    world.run(1ms);
    const Message report = client.take().back();
    ASSERT_EQ(report.at(150), "0") << row;
    std::string shown;
    for (const int tag : {581, 453, 448, 447, 452, 2376})
      if (report.has(tag)) shown += std::to_string(tag) + "=" + report.at(tag) + "|";
    EXPECT_EQ(shown, rows[row].reported) << row;
  }
  client.session.logout("end");
  world.run(1s);
}

/// No version publishes the TrdType(828) of a trade at the closing price: a client that knows the published dictionary
/// alone would refuse the whole fill.
TEST(GatewayVersions, say_a_trade_at_the_closing_price_to_those_who_want_the_venues_fields) {
  for (const bool has_venue_fields : {false, true}) {
    World world(config_of(FixVersion::fix_5_0_sp2, has_venue_fields));
    FixClient client(world.scheduler, "CLIENT1", {}, FixVersion::fix_5_0_sp2,
                     has_venue_fields ? &order_entry_dictionary(FixVersion::fix_5_0_sp2)
                                      : fix::dictionary_of(begin_string_of(FixVersion::fix_5_0_sp2),
                                                           application_version_of(FixVersion::fix_5_0_sp2)));
    world.network.connect(k_fix_address, client.session);
    world.run(10ms);
    client.send("D", new_order("A-1"));
    world.run(1ms);
    const market::NewOrder order = world.venue.orders.at(0);
    world.venue.say(world.venue.accepted(order, 77));
    market::OwnerReport fill = world.venue.traded(order, 77, 100, 10 * market::k_price_scale, 0);
    fill.waiver = 2;
    world.venue.say(fill);
    world.run(1ms);
    const std::vector<Message> got = client.take();
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[1].show({150, 828}), has_venue_fields ? "8 150=F 828=67" : "8 150=F 828=");
    EXPECT_EQ(client.troubles, 0);
    client.session.logout("end");
    world.run(1s);
  }
}

/// DisplayQty(1138) is what is visible when the report is made; a visible order says it with LeavesQty(151).
TEST(GatewayVersions, say_what_an_iceberg_shows_now) {
  World world(config_of(FixVersion::fix_5_0_sp2));
  FixClient client(world.scheduler, "CLIENT1", {}, FixVersion::fix_5_0_sp2,
                   &order_entry_dictionary(FixVersion::fix_5_0_sp2));
  world.network.connect(k_fix_address, client.session);
  world.run(10ms);
  Fields fields = new_order("A-1");
  fields.set(1138, "10");
  client.send("D", fields);
  world.run(1ms);
  const market::NewOrder order = world.venue.orders.at(0);
  const auto say = [&](market::OwnerReport report, std::int64_t displayed) {
    report.displayed = {displayed};
    world.venue.say(report);
    world.run(1ms);
    return client.take().back().show({150, 151, 1138});
  };
  EXPECT_EQ(say(world.venue.accepted(order, 77), 10), "8 150=0 151=100 1138=10");
  EXPECT_EQ(say(world.venue.traded(order, 77, 4, 10 * market::k_price_scale, 96), 6), "8 150=F 151=96 1138=6");
  // From the records alone nobody knows what is left of the peak.
  Fields question{{{790, "Q-1"}, {11, "A-1"}, {55, "ALPHA"}, {54, "1"}}};
  client.send("H", question);
  world.run(1ms);
  EXPECT_FALSE(client.take().back().has(1138));
  client.session.logout("end");
  world.run(1s);
}

TEST(GatewayVersions, carry_from_fix_4_4_and_4_2_what_has_a_field_there) {
  std::vector<OrderRow> rows = common_rows();
  EXPECT_EQ(check_rows(FixVersion::fix_4_4, rows), Refused{});
  rows.push_back(
      {"capacity", {{47, "P"}}, [](const auto& o) { return o.terms.capacity == market::Capacity::dealing; }});
  EXPECT_EQ(check_rows(FixVersion::fix_4_2, rows), Refused{});
}

}  // namespace
}  // namespace dojima::gateway
