#include "dojima/app/trade/fix/fix_request.hpp"

#include <gtest/gtest.h>
#include <string>

#include "dojima/app/trade/trade_command.hpp"
#include "dojima/time/timestamp_text.hpp"

namespace dojima::app {
namespace {

using gateway::FixVersion;

/// The message of a line, as "35=D|11=Q-1|...": requests about orders are about `order`, those about trades about a
/// trade of it.
std::string message_of(std::string_view line, FixVersion version, const OrderEntry& before = {}) {
  const auto command = parse_trade_command(line, time::parse_timestamp("20261223-12:00:00").value());
  EXPECT_TRUE(command.has_value()) << line << ": " << (command ? "" : command.error());
  if (!command) return {};
  const bool is_new = command->verb == TradeVerb::enter;
  const BlotterOrder order{.number = 1, .entry = is_new ? command->order : before, .id = "A-1"};
  const Trade trade{.symbol = "KAGA", .side = market::Side::sell, .quantity = {5}, .execution_id = "X1"};
  const auto message = fix_request_of({.command = *command, .id = "Q-1", .order = &order, .trade = &trade},
                                      {.version = version, .user = "ME"});
  if (!message) return message.error();
  std::string text = "35=" + std::string(fix::text_of(message->type).view());
  for (const FixFieldText& field : message->fields) text += "|" + std::to_string(field.tag) + "=" + field.value;
  return text + (message->has_transact_time ? "|60" : "");
}

std::string in_4_2(std::string_view line) {
  return message_of(line, FixVersion::fix_4_2);
}
std::string in_4_4(std::string_view line) {
  return message_of(line, FixVersion::fix_4_4);
}
std::string in_5_0(std::string_view line) {
  return message_of(line, FixVersion::fix_5_0_sp2);
}

OrderEntry entered(std::string_view line) {
  return parse_trade_command(line).value().order;
}

TEST(FixRequest, writes_an_order_in_every_version) {
  const std::string rest = "55=KAGA|54=1|38=100|40=2|44=12.5|59=0|60";
  EXPECT_EQ(in_4_2("buy 100 KAGA @ 12.5"), "35=D|11=Q-1|21=1|" + rest);
  EXPECT_EQ(in_4_4("buy 100 KAGA @ 12.5"), "35=D|11=Q-1|" + rest);
  EXPECT_EQ(in_5_0("buy 100 KAGA @ 12.5"), "35=D|11=Q-1|" + rest);
}

TEST(FixRequest, writes_every_type_of_order) {
  EXPECT_NE(in_4_4("sell 5 X market").find("54=2|38=5|40=1|59=0"), std::string::npos);
  EXPECT_NE(in_4_4("buy 5 X stop 12").find("40=3|99=12|"), std::string::npos);
  EXPECT_NE(in_4_4("buy 5 X stop 12 @ 13").find("40=4|44=13|99=12|"), std::string::npos);
  EXPECT_NE(in_4_4("buy 5 X mtl").find("40=K|"), std::string::npos);
  EXPECT_NE(in_4_4("buy 5 X peg @ 13 min=2").find("40=P|44=13|59=0|110=2"), std::string::npos);
  EXPECT_NE(in_4_4("buy 5 X peg pegs=nopegs").find("40=P|59=0|27021=2"), std::string::npos);
  EXPECT_NE(in_4_2("buy 5 X offset 25 close").find("40=F|27018=25|59=7"), std::string::npos);
  EXPECT_NE(in_4_2("buy 5 X offset -2 @ 13 close").find("40=F|44=13|27018=-2|59=7"), std::string::npos);
}

TEST(FixRequest, writes_every_time_in_force) {
  const std::pair<const char*, const char*> words[] = {{"gtc", "59=1"},
                                                       {"opg", "59=2"},
                                                       {"ioc", "59=3"},
                                                       {"fok", "59=4"},
                                                       {"close", "59=7"},
                                                       {"intraday", "59=8"},
                                                       {"next", "59=9"},
                                                       {"avd", "59=D"},
                                                       {"vdc", "59=E"},
                                                       {"scheduled", "59=C"},
                                                       {"cpx", "386=1|336=a"},
                                                       {"gtd 2026-12-24", "59=6|432=20261224"},
                                                       {"gtt 16:30", "59=6|126=20261223-16:30:00"}};
  for (const auto& [word, field] : words)
    for (const FixVersion version : gateway::k_fix_versions)
      EXPECT_NE(message_of("buy 5 X @ 1 " + std::string(word), version).find(std::string("44=1|") + field),
                std::string::npos)
          << word;
  EXPECT_NE(in_5_0("buy 5 X @ 1 gfa").find("FIX has no word for this time in force"), std::string::npos);
}

TEST(FixRequest, writes_what_is_shown_as_the_version_says_it) {
  EXPECT_NE(in_4_4("buy 5 X @ 1 display=2").find("|111=2"), std::string::npos);
  EXPECT_NE(in_4_2("buy 5 X @ 1 hidden").find("|111=0"), std::string::npos);
  EXPECT_NE(in_5_0("buy 5 X @ 1 display=2").find("|1138=2|1084=1"), std::string::npos);
  EXPECT_NE(in_5_0("buy 5 X @ 1 hidden").find("|1084=4"), std::string::npos);
  EXPECT_NE(in_5_0("buy 5 X @ 1 peak=2").find("|1138=2|1084=3"), std::string::npos);
}

TEST(FixRequest, writes_whose_order_it_is) {
  EXPECT_NE(in_4_4("buy 5 X @ 1 account=RICE clearing=house capacity=matched client=5 passive=99 group=7")
                .find("|27010=99|27017=7|1=RICE|581=3|528=R|453=1|448=5|447=D|452=3|"),
            std::string::npos)
      << in_4_4("buy 5 X @ 1 account=RICE clearing=house capacity=matched client=5 passive=99 group=7");
  EXPECT_NE(in_5_0("buy 5 X @ 1 trader=T client=5").find("|453=2|448=5|447=P|452=3|448=T|447=D|452=100|"),
            std::string::npos)
      << in_5_0("buy 5 X @ 1 trader=T client=5");
  EXPECT_EQ(in_4_4("buy 5 X @ 1 trader=T"), "FIX.4.4 has no PartyRole(452) of 100");
  EXPECT_NE(in_5_0("buy 5 X @ 1 owner=retail named executing=7:algo dea")
                .find("|522=1|1091=N|453=1|448=7|447=P|452=12|2376=22|1724=5|2593=2|2594=2|2595=N|2594=4|2595=N"),
            std::string::npos)
      << in_5_0("buy 5 X @ 1 owner=retail named executing=7:algo dea");
  EXPECT_NE(in_4_2("buy 5 X @ 1 capacity=dealing").find("|47=P"), std::string::npos);
}

TEST(FixRequest, refuses_in_words_what_the_version_cannot_say) {
  EXPECT_EQ(in_4_4("buy 5 X @ 1 peak=2"), "FIX.4.4 has no DisplayMethod(1084) in NewOrderSingle");
  EXPECT_EQ(in_4_4("buy 5 X @ 1 named"), "FIX.4.4 has no PreTradeAnonymity(1091) in NewOrderSingle");
  EXPECT_EQ(in_4_4("buy 5 X @ 1 client=5:firm"), "FIX.4.4 has no PartyRoleQualifier(2376) in NewOrderSingle");
  EXPECT_NE(in_4_2("buy 5 X @ 1 client=5").find("FIX.4.2 has no"), std::string::npos);
  EXPECT_NE(in_4_2("buy 5 X mtl").find("FIX.4.2 has no OrdType(40) of K"), std::string::npos);
  EXPECT_EQ(in_4_2("buy 5 X @ 1 capacity=matched"), "FIX.4.2 has no capacity of a matched principal");
  EXPECT_NE(in_4_2("status all").find("FIX.4.2 has no message for this"), std::string::npos);
  EXPECT_NE(in_4_2("masscancel segment RICE").find("FIX.4.2 has no message for this"), std::string::npos);
  EXPECT_NE(in_4_4("masscancel segment RICE").find("|530=9|1300=RICE"), std::string::npos)
      << in_4_4("masscancel segment RICE");
}

TEST(FixRequest, changes_what_was_said_and_repeats_the_rest) {
  const OrderEntry before = entered("buy 5 X stop 12 @ 13 gtd 2026-12-24 display=2");
  const auto change = [&](std::string_view line) { return message_of(line, FixVersion::fix_4_4, before); };
  EXPECT_EQ(change("amend 1 4"), "35=G|41=A-1|11=Q-1|55=X|54=1|38=4|40=4|44=13|99=12|59=6|432=20261224|60");
  EXPECT_EQ(change("amend 1 @ 14 stop=11 display=1"),
            "35=G|41=A-1|11=Q-1|55=X|54=1|38=5|40=4|44=14|99=11|59=6|432=20261224|111=1|60");
  EXPECT_EQ(change("cancel 1"), "35=F|41=A-1|11=Q-1|55=X|54=1|38=5|60");
}

TEST(FixRequest, writes_the_other_requests) {
  const OrderEntry before = entered("buy 5 X @ 1");
  EXPECT_EQ(in_4_4("masscancel all"), "35=q|11=Q-1|530=7|60");
  for (const FixVersion version : gateway::k_fix_versions) {
    EXPECT_EQ(message_of("quote X 10 @ 99 / 12 @ 101", version), "35=S|117=Q-1|55=X|132=99|133=101|134=10|135=12");
    EXPECT_EQ(message_of("quote X 10 @ 99 / 0", version), "35=S|117=Q-1|55=X|132=99|134=10|135=0");
    EXPECT_EQ(message_of("unquote X", version), "35=Z|117=Q-1|298=1|295=1|55=X");
  }
  EXPECT_EQ(in_4_4("unquote"), "35=Z|117=Q-1|298=4");
  EXPECT_EQ(in_4_2("unquote"), "35=Z|117=Q-1|298=4|295=1|55=[N/A]");
  EXPECT_EQ(in_4_4("masscancel group 7 symbol X"), "35=q|11=Q-1|530=57|55=X|27017=7|60");
  EXPECT_EQ(in_5_0("masscancel segment RICE firm"), "35=q|11=Q-1|530=9|1300=RICE|1461=1|1462=ME|1463=D|1464=1|60");
  EXPECT_EQ(message_of("status 1", FixVersion::fix_4_4, before), "35=H|790=Q-1|11=A-1|55=X|54=1");
  EXPECT_EQ(message_of("status 1", FixVersion::fix_4_2, before), "35=H|11=A-1|55=X|54=1");
  EXPECT_EQ(in_4_4("status all"), "35=AF|584=Q-1|585=7");
  EXPECT_EQ(in_4_4("status all X"), "35=AF|584=Q-1|585=1|55=X");
  EXPECT_EQ(in_4_4("securities"), "35=x|320=Q-1|559=4");
  EXPECT_EQ(in_4_4("session"), "35=g|335=Q-1|263=0");
  EXPECT_EQ(in_4_4("user"), "35=BE|923=Q-1|924=4|553=ME");
  EXPECT_EQ(in_4_2("dk 1 side"), "35=Q|37=NONE|17=X1|127=B|55=KAGA|54=2|32=5|31=0");
}

}  // namespace
}  // namespace dojima::app
