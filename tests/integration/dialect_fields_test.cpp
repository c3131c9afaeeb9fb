// Annex B of the MIT203 reference in every dialect: each field of a FIX 5.0 SP2 order, mass cancel and report by
// itself. What of it reaches the venue is read from the wire, or how exactly the gateway refuses what the dialect has
// no place for; and what the report of an execution carries back.

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/mit/dialect_test_support.hpp"

namespace dojima::integration {
namespace {

using namespace std::chrono_literals;
using gateway::testing::Fields, gateway::testing::FixClient, gateway::testing::k_fix_address, gateway::testing::k_unit,
    gateway::testing::Message, gateway::testing::World;
using List = std::vector<std::pair<int, std::string>>;

gateway::GatewayConfig config_in(const mit::Dialect& dialect) {
  gateway::GatewayConfig config = gateway::testing::small_config();
  config.dialect = &dialect;
  config.limits.orders = 256;  // nothing is answered, so all stay
  config.limits.requests = 512;
  config.clients[0].version = gateway::FixVersion::fix_5_0_sp2;
  config.clients[0].has_venue_fields = true;
  return config;
}

/// A gateway between a client of FIX 5.0 SP2 and a venue that reads what comes to it in the dialect.
class AnnexB : public mit::InEachDialect {
 protected:
  AnnexB() {
    world_.network.connect(k_fix_address, client_.session);
    world_.run(10ms);
    EXPECT_TRUE(client_.session.is_logged_on());
    client_.take();
  }
  ~AnnexB() override {
    client_.session.logout("end");
    world_.run(1s);
  }
  /// The place of the dialect in a row of expectations: LSE-21.2, BIT-9.4, LSE-11.8.5.
  [[nodiscard]] static std::size_t place() {
    return GetParam() == &mit::lse_21_2::k_dialect ? 0 : GetParam() == &mit::bit_9_4::k_dialect ? 1 : 2;
  }
  /// A limit order to buy 100 ALPHA at 10, with these fields set or added: groups have several of a tag.
  void send_order(const List& fields) {
    Fields order = gateway::testing::new_order("D-" + std::to_string(++last_id_));
    const List base = order.list;
    for (const auto& [tag, value] : fields) {
      const bool is_base = std::ranges::find(base, tag, &List::value_type::first) != base.end();
      if (is_base && value.empty())
        order.drop(tag);
      else if (is_base)
        order.set(tag, value);
      else
        order.list.emplace_back(tag, value);
    }
    client_.send("D", order);
    world_.run(1ms);
  }
  /// What differs of the order that came from one with nothing set, or the refusal.
  std::string reached(const List& fields) {
    world_.venue.orders.clear();
    send_order({});
    if (world_.venue.orders.size() != 1) return "the plain order did not come";
    const market::NewOrder plain = world_.venue.orders.front();
    world_.venue.orders.clear();
    client_.take();
    send_order(fields);
    const std::vector<Message> got = client_.take();
    if (world_.venue.orders.empty()) {
      if (got.size() != 1) return "neither came nor was refused";
      return got.front().type == "8" ? got.front().show({103, 58}) : got.front().show({371, 373, 58});
    }
    EXPECT_TRUE(got.empty());
    return differences(plain, world_.venue.orders.front());
  }
  static std::string differences(const market::NewOrder& plain, const market::NewOrder& order) {
    std::string text;
    const auto add = [&](const char* name, auto before, auto now) {
      if (before != now) text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(now);
    };
    const auto add_text = [&](const char* name, const auto& before, const auto& now) {
      if (before != now) text += (text.empty() ? "" : " ") + std::string(name) + "=" + std::string(now.view());
    };
    const market::OrderTerms &a = plain.terms, &b = order.terms;
    add("type", int(a.type), int(b.type));
    add("sub_type", int(a.sub_type), int(b.sub_type));
    add("limit", a.limit.units / k_unit, b.limit.units / k_unit);
    add("displayed", a.displayed.lots, b.displayed.lots);
    add("minimum", a.minimum.lots, b.minimum.lots);
    add("tif", int(a.time_in_force), int(b.time_in_force));
    if (a.expiry != b.expiry)
      text +=
          (text.empty() ? "expiry=" : " expiry=") +
          std::to_string(std::chrono::duration_cast<std::chrono::hours>(b.expiry - gateway::testing::k_noon).count()) +
          "h";
    add("offset", a.offset_bp, b.offset_bp);
    add("group", unsigned{a.group}, unsigned{b.group});
    add("passive", unsigned{a.passive}, unsigned{b.passive});
    add("capacity", int(a.capacity), int(b.capacity));
    add("peg", unsigned{a.peg}, unsigned{b.peg});
    add("flags", unsigned{a.flags}, unsigned{b.flags});
    add("owner_type", unsigned{a.owner_type}, unsigned{b.owner_type});
    add_text("account", plain.labels.account, order.labels.account);
    add_text("trader", plain.labels.trader, order.labels.trader);
    add("clearing", unsigned{plain.labels.clearing}, unsigned{order.labels.clearing});
    add("mifid", unsigned{plain.labels.mifid}, unsigned{order.labels.mifid});
    add("roles", unsigned{plain.labels.roles}, unsigned{order.labels.roles});
    add("client", plain.labels.client, order.labels.client);
    add("decision_maker", plain.labels.decision_maker, order.labels.decision_maker);
    add("executing_trader", plain.labels.executing_trader, order.labels.executing_trader);
    return text.empty() ? "nothing" : text;
  }

  World world_{config_in(*GetParam())};
  FixClient client_{world_.scheduler, "CLIENT1", "", gateway::FixVersion::fix_5_0_sp2,
                    &gateway::order_entry_dictionary(gateway::FixVersion::fix_5_0_sp2)};
  int last_id_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, AnnexB, mit::k_each_dialect, mit::dialect_name);

struct OrderRow {
  const char* what;
  List fields;
  std::array<std::string, 3> reached;  ///< in LSE-21.2, BIT-9.4, LSE-11.8.5
};

std::array<std::string, 3> all(std::string text) {
  return {text, text, text};
}

/// How the gateway says that BIT-9.4, or another dialect, has no place for something.
std::string no_place(const std::string& what, const std::string& dialect = "BIT-9.4") {
  return "8 103=11 58=" + what + " is not accepted by this venue (" + dialect +
         "): its protocol has no such field here";
}
constexpr const char* k_no_pegs =
    "8 103=11 58=OrdType(40)=P (pegged) is not accepted by this venue (BIT-9.4): it has 1, 2, 3, 4, K";
std::string no_mass_cancel(const std::string& type, const std::string& its) {
  return "r 531=0 532=99 58=MassCancelRequestType(530)=" + type + " is not accepted by this venue (BIT-9.4): it has " +
         its;
}
/// The venue's own refusal, level 2: a short code says what it stands for.
constexpr const char* k_no_qualifier =
    "8 103=99 58=9901 PartyRoleQualifier(2376), which PartyID(448) from 4 needs: value, format or length invalid";

/// The client's defaults are clearing account 1, capacity agency and anonymous.
std::vector<OrderRow> rows() {
  const auto party = [](std::string id, std::string role) {
    return List{{453, "1"}, {448, std::move(id)}, {447, "P"}, {452, std::move(role)}};
  };
  const auto with = [](List list, int tag, std::string value) {
    list.emplace_back(tag, std::move(value));
    return list;
  };
  return {
      {"account", {{1, "HOUSE"}}, all("account=HOUSE")},
      {"account, too long",
       {{1, "ELEVEN-CHAR"}},
       all("8 103=99 58=Account(1)=ELEVEN-CHAR is too long: at most 10 characters")},
      {"client's clearing account", {{581, "1"}}, all("nothing")},
      {"house's clearing account", {{581, "3"}}, all("clearing=3")},
      {"another clearing account",
       {{581, "2"}},
       all("8 103=11 58=AccountType(581)=2 is not supported: the venue has 1 and 3")},
      {"capacity, riskless principal", {{528, "R"}}, all("capacity=1")},
      {"capacity, principal", {{528, "P"}}, all("capacity=2")},
      {"capacity, agency", {{528, "A"}}, all("nothing")},
      {"capacity, another",
       {{528, "G"}},
       all("8 103=11 58=OrderCapacity(528)=G is not supported: the venue has A, P and R")},
      {"anonymous", {{1091, "Y"}}, all("nothing")},
      {"named", {{1091, "N"}}, all("flags=3")},
      {"client", party("4711", "3"), all(k_no_qualifier)},
      {"decision maker", party("4712", "122"), all(k_no_qualifier)},
      {"executing trader", party("4713", "12"), all(k_no_qualifier)},
      {"trader", party("TRADER-7", "100"), all("trader=TRADER-7")},
      {"another party", party("4714", "1"), all("nothing")},
      {"client, an algorithm", with(party("4711", "3"), 2376, "22"), all("roles=2 client=4711")},
      {"decision maker, a firm", with(party("4712", "122"), 2376, "23"), all("roles=4 decision_maker=4712")},
      {"executing trader, a natural person", with(party("4713", "12"), 2376, "24"),
       all("roles=48 executing_trader=4713")},
      {"direct electronic access", {{1724, "5"}}, all("mifid=1")},
      {"no direct electronic access", {{1724, "1"}}, all("nothing")},
      {"liquidity provision", {{2593, "1"}, {2594, "2"}, {2595, "Y"}}, all("mifid=2")},
      {"algorithm", {{2593, "1"}, {2594, "4"}, {2595, "Y"}}, all("mifid=4")},
      {"liquidity provision and algorithm",
       {{2593, "2"}, {2594, "2"}, {2595, "Y"}, {2594, "4"}, {2595, "Y"}},
       all("mifid=6")},
      {"owner type 1",
       {{522, "1"}},
       {"owner_type=1", no_place("OwnerType(522)=1"), no_place("OwnerType(522)=1", "LSE-11.8.5")}},
      {"owner type 2",
       {{522, "2"}},
       {"owner_type=2", no_place("OwnerType(522)=2"), no_place("OwnerType(522)=2", "LSE-11.8.5")}},
      {"passive only", {{27010, "1"}}, {"passive=1", no_place("PassiveOnlyOrder(27010)=1"), "passive=1"}},
      {"passive only, soft", {{27010, "99"}}, {"passive=99", no_place("PassiveOnlyOrder(27010)=99"), "passive=99"}},
      {"group", {{27017, "5"}}, {"group=5", no_place("GroupID(27017)=5"), "group=5"}},
      {"pegged", {{40, "P"}, {44, ""}}, {"type=1 sub_type=5 limit=0", k_no_pegs, "type=1 sub_type=5 limit=0"}},
      {"pegged with a limit", {{40, "P"}}, {"sub_type=5", k_no_pegs, "sub_type=5"}},
      {"pegged with a minimum",
       {{40, "P"}, {44, ""}, {110, "20"}},
       {"type=1 sub_type=5 limit=0 minimum=20", k_no_pegs, "type=1 sub_type=5 limit=0 minimum=20"}},
      {"pegged with an instruction",
       {{40, "P"}, {44, ""}, {27021, "1"}},
       {"type=1 sub_type=5 limit=0 peg=1", k_no_pegs, no_place("PeggedExecInst(27021)=1", "LSE-11.8.5")}},
      {"a minimum of an order that is not pegged",
       {{110, "20"}},
       all("8 103=11 58=MinQty(110)=20 needs OrdType(40)=P: here it is 2")},
      {"until a date", {{59, "6"}, {432, "20260722"}}, all("tif=6 expiry=59h")},
      {"until an instant", {{59, "6"}, {126, "20260721-13:00:00"}}, all("tif=8 expiry=25h")},
      {"until both",
       {{59, "6"}, {432, "20260722"}, {126, "20260721-13:00:00"}},
       all("j 371= 373= 58=ExpireTime(126)=20260721-13:00:00 and ExpireDate(432)=20260722 are two ends: use one")},
  };
}

TEST_P(AnnexB, each_field_of_an_order_reaches_the_venue_or_is_refused) {
  for (const OrderRow& row : rows()) EXPECT_EQ(reached(row.fields), row.reached[place()]) << row.what;
}

struct MassCancelRow {
  const char* what;
  List fields;
  std::array<std::string, 3> reached;
};

TEST_P(AnnexB, each_mass_cancel_reaches_the_venue_or_is_refused) {
  const MassCancelRow mass_cancels[] = {
      {"all", {{530, "7"}}, all("instrument=0 segment= group=0")},
      {"all of the firm",
       {{530, "7"}, {1461, "1"}, {1462, "F"}, {1463, "D"}, {1464, "1"}},
       all("instrument=0 segment= group=0 firm")},
      {"of an instrument", {{530, "1"}, {55, "ALPHA"}}, all("instrument=7 segment= group=0")},
      {"of an instrument, of the firm",
       {{530, "1"}, {55, "ALPHA"}, {1461, "1"}, {1462, "F"}, {1463, "D"}, {1464, "1"}},
       all("instrument=7 segment= group=0 firm")},
      {"of a segment", {{530, "9"}, {1300, "SETS"}}, all("instrument=0 segment=SETS group=0")},
      {"of a group",
       {{530, "56"}, {27017, "5"}},
       {"instrument=0 segment= group=5", no_mass_cancel("56", "1, 7, 9"), "instrument=0 segment= group=5"}},
      {"of a group in an instrument",
       {{530, "57"}, {55, "ALPHA"}, {27017, "5"}},
       all("r 531=0 532=0 58=MassCancelRequestType(530)=57 needs TargetPartyRole(1464)=1, the firm: here it is "
           "(none)")},
      {"of a group in an instrument, of the firm",
       {{530, "57"}, {55, "ALPHA"}, {27017, "5"}, {1461, "1"}, {1462, "F"}, {1463, "D"}, {1464, "1"}},
       {"instrument=7 segment= group=5 firm", no_mass_cancel("57 of the firm", "1, 7, 9"),
        "instrument=7 segment= group=5 firm"}},
  };
  for (const MassCancelRow& row : mass_cancels) {
    world_.venue.mass_cancels.clear();
    client_.take();
    Fields fields{{{11, "Q-" + std::to_string(++last_id_)}, {60, "20260720-12:00:00.000"}}};
    fields.list.insert(fields.list.end(), row.fields.begin(), row.fields.end());
    client_.send("q", fields);
    world_.run(1ms);
    std::string text;
    if (world_.venue.mass_cancels.empty()) {
      text = client_.only().show({531, 532, 58});
    } else {
      const market::MassCancel& cancel = world_.venue.mass_cancels.front();
      text = "instrument=" + std::to_string(cancel.header.instrument) +
             " segment=" + std::string(cancel.segment.view()) + " group=" + std::to_string(cancel.group) +
             (cancel.is_account ? " firm" : "");
    }
    EXPECT_EQ(text, row.reached[place()]) << row.what;
  }
}

TEST_P(AnnexB, the_report_of_an_execution_carries_back_what_the_dialect_has) {
  send_order({});
  const market::NewOrder order = world_.venue.orders.at(0);
  market::OwnerReport accepted = world_.venue.accepted(order, 77);
  accepted.public_order = {78};
  world_.venue.say(accepted);
  world_.run(1ms);
  EXPECT_EQ(client_.only().show({150, 39, 37, 278}), "8 150=0 39=0 37=00000000001F 278=00000000001G");
  market::OwnerReport traded = world_.venue.traded(order, 77, 40, 10 * k_unit, 60);
  traded.counterparty = Text<11>::cut("FIRM-9");
  traded.trade = 1338498875692;  // of annex A
  traded.waiver = 2U | 8U | 32U;
  traded.type_of_trade = 4;
  world_.venue.say(traded);
  world_.run(1ms);
  EXPECT_EQ(client_.troubles, 0);
  EXPECT_EQ(world_.counters().executions, 1u);
  EXPECT_EQ(world_.counters().undelivered, 0u);
  const std::string before = "8 150=F 39=1 31=10 32=40 151=60 ";
  const std::string behind =
      " 851=1 9730=A 880=GGXICR4MS8 27020=1338498875692 20000=4 278=00000000001F 448=FIRM-9 452=17 528=A 2668=2 2669=0 "
      "2670=3 828=67";  // the last of each group
  // A report of BIT-9.4 names no market.
  const std::array<std::string, 3> expected = {before + "30=XLON" + behind, before + "30=" + behind,
                                               before + "30=XLON" + behind};
  EXPECT_EQ(client_.only().show(
                {150, 39, 31, 32, 151, 30, 851, 9730, 880, 27020, 20000, 278, 448, 452, 528, 2668, 2669, 2670, 828}),
            expected[place()]);
}

}  // namespace
}  // namespace dojima::integration
