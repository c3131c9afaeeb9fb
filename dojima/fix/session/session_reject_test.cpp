// Session-level rejects with every reason, business rejects, and the rules behind them.

#include <gtest/gtest.h>

#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/rules.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::Peer;
using testing::stamp;
using testing::Texts;
using namespace std::chrono_literals;

/// A peer that is logged on with number 1 both ways and sends number 2; what the session answers.
struct LoggedOnPeer : Peer {
  explicit LoggedOnPeer(SessionConfig config = {}, std::string_view logon = "") : Peer(std::move(config)) {
    connect();
    log_on(1, logon);
    take();
    handler.take();
  }
  std::string answer(std::string_view type, std::string_view rest, std::string_view head = "") {
    send(type, 2, rest, head);
    Texts answers = take();
    if (answers.size() == 1) {
      EXPECT_EQ(session.next_incoming().value, 3u) << "the number of a rejected message is used up";
      EXPECT_EQ(handler.take(), Texts{}) << "a rejected message does not reach the handler";
      EXPECT_TRUE(session.is_logged_on());
    }
    return answers.size() == 1 ? answers[0] : std::to_string(answers.size()) + " answers";
  }
};

std::string answer(std::string_view type, std::string_view rest, std::string_view head = "") {
  return LoggedOnPeer().answer(type, rest, head);
}

std::string order(std::string_view more = "") {
  return "11=a|21=1|38=100|40=2|44=12.5|54=1|55=RICE|60=20260720-12:00:00|" + std::string(more);
}

TEST(FixReject, reason_0_invalid_tag_number) {
  EXPECT_EQ(answer("D", order("0=x|")), "35=3|34=2|45=2|58=Invalid tag number|371=0|372=D|373=0|");
  EXPECT_EQ(answer("D", order("1500=x|")), "35=3|34=2|45=2|58=Invalid tag number|371=1500|372=D|373=0|");
  EXPECT_EQ(answer("B", "1500=x|"), "35=3|34=2|45=2|58=Invalid tag number|371=1500|372=B|373=0|");
}

TEST(FixReject, reason_1_required_tag_missing) {
  const auto missing = [](std::string_view type, std::string_view tag, std::string_view rest) {
    EXPECT_EQ(answer(type, rest), "35=3|34=2|45=2|58=Required tag missing|371=" + std::string(tag) +
                                      "|372=" + std::string(type) + "|373=1|");
  };
  missing("D", "11", "40=1|54=1|55=R|60=20260720-12:00:00|");
  missing("D", "54", "11=a|40=1|55=R|60=20260720-12:00:00|");
  missing("D", "60", "11=a|40=1|54=1|55=R|");
  missing("D", "40", "11=a|54=1|55=R|60=20260720-12:00:00|");
  missing("D", "55", "11=a|40=1|54=1|60=20260720-12:00:00|");
  missing("F", "41", "11=a|54=1|55=R|60=20260720-12:00:00|");
  missing("G", "41", "11=a|40=1|54=1|55=R|60=20260720-12:00:00|");
  missing("8", "37", "17=a|150=0|39=0|54=1|55=R|151=1|14=0|6=0|");
  missing("9", "434", "37=a|11=b|41=c|39=0|");
  missing("j", "380", "372=D|");
  missing("1", "112", "");
  missing("2", "16", "7=1|");
}

TEST(FixReject, reason_1_for_header_tags) {
  const auto rejected = [](const std::string& body) {
    LoggedOnPeer peer;
    peer.send_raw(framed(body));
    return peer.take().at(0);
  };
  const std::string now = "52=" + stamp(testing::k_noon) + "|";
  EXPECT_EQ(rejected("35=0|34=2|" + now + "56=VENUE|"), "35=3|34=2|45=2|58=Required tag missing|371=49|372=0|373=1|");
  EXPECT_EQ(rejected("35=0|34=2|49=ME|" + now), "35=3|34=2|45=2|58=Required tag missing|371=56|372=0|373=1|");
  EXPECT_EQ(rejected("35=0|34=2|49=ME|56=VENUE|"), "35=3|34=2|45=2|58=Required tag missing|371=52|372=0|373=1|");
}

TEST(FixReject, a_message_without_a_number_ends_the_session) {
  LoggedOnPeer peer;
  peer.send_raw(framed("35=0|49=ME|52=" + stamp(peer.now) + "|56=VENUE|"));
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=MsgSeqNum missing or unreadable|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixReject, security_id_may_stand_for_the_symbol) {
  LoggedOnPeer peer;
  peer.send("D", 2, "11=a|40=1|54=1|48=JP3|22=4|60=20260720-12:00:00|");
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
}

TEST(FixReject, reason_2_tag_not_defined_for_this_message) {
  EXPECT_EQ(answer("D", order("41=x|")), "35=3|34=2|45=2|58=Tag not defined for this message type|371=41|372=D|373=2|");
  EXPECT_EQ(answer("0", "44=1|"), "35=3|34=2|45=2|58=Tag not defined for this message type|371=44|372=0|373=2|");
}

TEST(FixReject, tags_of_the_users_own_pass_where_they_are_agreed) {
  LoggedOnPeer peer({.checks = {.user_tags = true}});
  peer.send("D", 2, order("5000=x|9999=y|20001=z|"));
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
}

TEST(FixReject, reason_4_tag_without_a_value) {
  EXPECT_EQ(answer("D", order("58=|")), "35=3|34=2|45=2|58=Tag specified without a value|371=58|372=D|373=4|");
  EXPECT_EQ(answer("", ""), "35=3|34=2|45=2|58=Tag specified without a value|371=35|373=4|");
}

TEST(FixReject, reason_5_value_incorrect) {
  const auto incorrect = [](std::string_view tag, const std::string& from, const std::string& to) {
    std::string rest = order("59=0|");
    rest.replace(rest.find(from), from.size(), to);
    EXPECT_EQ(answer("D", rest), "35=3|34=2|45=2|58=Value is incorrect (out of range) for this tag|371=" +
                                     std::string(tag) + "|372=D|373=5|");
  };
  incorrect("54", "54=1|", "54=H|");
  incorrect("40", "40=2|", "40=0|");
  incorrect("59", "59=0|", "59=8|");
  incorrect("21", "21=1|", "21=4|");
}

TEST(FixReject, reason_6_incorrect_format) {
  const auto incorrect = [](std::string_view tag, const std::string& from, const std::string& to) {
    std::string rest = order();
    rest.replace(rest.find(from), from.size(), to);
    EXPECT_EQ(answer("D", rest),
              "35=3|34=2|45=2|58=Incorrect data format for value|371=" + std::string(tag) + "|372=D|373=6|");
  };
  incorrect("38", "38=100|", "38=+200.00|");
  incorrect("38", "38=100|", "38=1.2.3|");
  incorrect("44", "44=12.5|", "44=abc|");
  incorrect("44", "44=12.5|", "44=.|");
  incorrect("54", "54=1|", "54=11|");
  incorrect("60", "60=20260720-12:00:00|", "60=20260720|");
  incorrect("60", "60=20260720-12:00:00|", "60=20260730-25:00:00|");
  incorrect("114", "55=RICE|", "55=RICE|114=y|");
  incorrect("203", "55=RICE|", "55=RICE|203=1.0|");
  EXPECT_EQ(answer("B", "148=h|33=1|58=x|354=3|355=abcd|"),
            "35=3|34=2|45=2|58=Incorrect data format for value|371=354|372=B|373=6|");
}

TEST(FixReject, stamps_may_have_0_3_6_or_9_decimals) {
  LoggedOnPeer peer;
  unsigned number = 2;
  for (const char* fraction : {"", ".123", ".123456", ".123456789"}) {
    peer.send("D", number++, "11=a|40=1|54=1|55=R|60=20260720-12:00:00" + std::string(fraction) + "|");
    EXPECT_EQ(peer.handler.take(), Texts{"message D a"}) << fraction;
  }
}

TEST(FixReject, reason_7_decryption_problem) {
  EXPECT_EQ(answer("D", order(), "90=3|91=abc|"), "35=3|34=2|45=2|58=Decryption problem|371=91|372=D|373=7|");
  SessionConfig config;
  config.checks.encryption = false;
  LoggedOnPeer peer(config);
  peer.send("D", 2, order(), "90=3|91=abc|");
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
}

TEST(FixReject, reason_8_signature_problem_where_signatures_count) {
  SessionConfig config;
  config.checks.signatures = true;
  EXPECT_EQ(LoggedOnPeer(config).answer("D", order("93=3|89=abc|")),
            "35=3|34=2|45=2|58=Signature problem|371=89|372=D|373=8|");
  LoggedOnPeer peer;
  peer.send("D", 2, order("93=3|89=abc|"));
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"}) << "nobody looks at it";
}

TEST(FixReject, reason_9_comp_id_problem_and_logout) {
  for (const char* names : {"49=YOU|52=20260720-12:00:00|56=VENUE|", "49=ME|52=20260720-12:00:00|56=OTHER|"}) {
    LoggedOnPeer peer;
    peer.send_raw(framed("35=0|34=2|" + std::string(names)));
    EXPECT_EQ(peer.take(), (Texts{"35=3|34=2|45=2|58=CompID problem|372=0|373=9|", "35=5|34=3|58=CompID problem|"}));
    EXPECT_TRUE(peer.transport.closed());
    EXPECT_EQ(peer.session.next_incoming().value, 3u);
  }
}

TEST(FixReject, reason_10_sending_time_accuracy_and_logout) {
  for (const std::chrono::seconds distance : {-121s, 121s}) {
    LoggedOnPeer peer;
    peer.send_raw(framed("35=0|34=2|49=ME|52=" + stamp(peer.now + distance) + "|56=VENUE|"));
    EXPECT_EQ(peer.take(), (Texts{"35=3|34=2|45=2|58=SendingTime accuracy problem|372=0|373=10|",
                                  "35=5|34=3|58=SendingTime accuracy problem|"}));
    EXPECT_TRUE(peer.transport.closed());
  }
  for (const std::chrono::seconds distance : {-120s, 120s}) {
    LoggedOnPeer peer;
    peer.send_raw(framed("35=0|34=2|49=ME|52=" + stamp(peer.now + distance) + "|56=VENUE|"));
    EXPECT_EQ(peer.take(), Texts{});
  }
}

TEST(FixReject, any_sending_time_will_do_when_its_check_is_off) {
  LoggedOnPeer peer({.sending_time_tolerance = 0s});
  peer.send_raw(framed("35=0|34=2|49=ME|52=19991231-23:59:59|56=VENUE|"));
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
}

TEST(FixReject, reason_11_invalid_msg_type) {
  EXPECT_EQ(answer("999", ""), "35=3|34=2|45=2|58=Invalid MsgType|372=999|373=11|");
  EXPECT_EQ(answer("I", ""), "35=3|34=2|45=2|58=Invalid MsgType|372=I|373=11|");
  EXPECT_EQ(answer("BI", ""), "35=3|34=2|45=2|58=Invalid MsgType|372=BI|373=11|");
}

/// As LoggedOnPeer, over FIXT 1.1.
struct LiveFixt : LoggedOnPeer {
  LiveFixt() : LoggedOnPeer({.begin_string = "FIXT.1.1"}, "1137=9|") {}
};

TEST(FixReject, reason_12_xml_validation) {
  EXPECT_EQ(LiveFixt().answer("D", order("1184=4|1185=<a>b|")),
            "35=3|34=2|45=2|58=XML validation error|371=1185|372=D|373=12|");
  LiveFixt peer;
  peer.send("D", 2, order("1184=8|1185=<a>b</a>|"));
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
}

TEST(FixReject, reason_18_application_version) {
  EXPECT_EQ(LiveFixt().answer("D", order(), "1128=1|"),
            "35=3|34=2|45=2|58=Invalid/Unsupported Application Version|371=1128|372=D|373=18|");
  LiveFixt peer;
  peer.send("D", 2, order(), "1128=9|");
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
}

TEST(FixReject, every_type_of_the_dictionary_and_the_users_own_reach_the_handler) {
  LoggedOnPeer peer;
  peer.send("B", 2, "148=h|33=2|58=x|58=y|");
  peer.send("U1", 3, "5001=x|");
  EXPECT_EQ(peer.handler.take(), (Texts{"message B ", "message U1 "}));
  EXPECT_EQ(answer("AE", "571=x|"), "35=3|34=2|45=2|58=Required tag missing|371=570|372=AE|373=1|");
}

TEST(FixReject, reason_0_for_tags_of_the_users_own_that_are_not_agreed) {
  EXPECT_EQ(answer("D", order("5000=x|")), "35=3|34=2|45=2|58=Invalid tag number|371=5000|372=D|373=0|");
}

TEST(FixReject, tags_above_65535_are_named) {
  EXPECT_EQ(answer("D", order("70000=x|")), "35=3|34=2|45=2|58=Invalid tag number|371=70000|372=D|373=0|");
  EXPECT_EQ(answer("D", order("2147483647=|")),
            "35=3|34=2|45=2|58=Tag specified without a value|371=2147483647|372=D|373=4|");
  EXPECT_EQ(LoggedOnPeer({.checks = {.user_tags = true}}).answer("D", order("70000=x|65536=y|70000=z|")),
            "35=3|34=2|45=2|58=Tag appears more than once|371=70000|372=D|373=13|");
}

TEST(FixReject, reason_17_separator_in_a_value_where_it_is_to_be_reported) {
  SessionConfig config;
  config.checks.separators = true;
  EXPECT_EQ(LoggedOnPeer(config).answer("D", order("58=a|b|")),
            "35=3|34=2|45=2|58=Non 'data' value includes field delimiter|372=D|373=17|");
}

TEST(FixReject, values_may_be_empty_where_that_is_permitted) {
  SessionConfig config;
  config.checks.empty_values = false;
  LoggedOnPeer peer(config);
  peer.send("1", 2, "112=|");
  EXPECT_EQ(peer.take(), Texts{"35=0|34=2|112=|"});
}

TEST(FixReject, each_session_has_its_dictionary) {
  LoggedOnPeer old({.begin_string = "FIX.4.2"});
  old.send("D", 2, "11=a|21=1|55=R|54=1|60=20260720-12:00:00|38=1|40=1|47=A|");
  EXPECT_EQ(old.handler.take(), Texts{"message D a"}) << "Rule80A is a field of FIX 4.2";
  EXPECT_EQ(answer("D", order("47=A|")), "35=3|34=2|45=2|58=Invalid tag number|371=47|372=D|373=0|");
}

TEST(FixReject, reason_13_tag_appears_more_than_once) {
  EXPECT_EQ(answer("D", order("54=2|")), "35=3|34=2|45=2|58=Tag appears more than once|371=54|372=D|373=13|");
  EXPECT_EQ(LoggedOnPeer({.checks = {.user_tags = true}}).answer("D", order("5001=x|5001=y|")),
            "35=3|34=2|45=2|58=Tag appears more than once|371=5001|372=D|373=13|")
      << "also the user's own";
  EXPECT_EQ(answer("B", "58=x|", "50=a|50=b|"), "35=3|34=2|45=2|58=Tag appears more than once|371=50|372=B|373=13|");
}

TEST(FixReject, reason_14_header_tag_in_the_body) {
  EXPECT_EQ(answer("D", order("50=sub|")),
            "35=3|34=2|45=2|58=Tag specified out of required order|371=50|372=D|373=14|");
  EXPECT_EQ(answer("D", "93=1|89=x|" + order()),
            "35=3|34=2|45=2|58=Tag specified out of required order|371=11|372=D|373=14|");
}

TEST(FixReject, reason_16_incorrect_count_of_a_group) {
  const std::string wrong = "35=3|34=2|45=2|58=Incorrect NumInGroup count for repeating group|371=453|372=D|373=16|";
  EXPECT_EQ(answer("D", order("453=1|448=A|447=D|452=1|448=B|447=D|452=3|")), wrong);
  EXPECT_EQ(answer("D", order("453=2|448=A|447=D|452=1|")), wrong);
  EXPECT_EQ(answer("D", order("453=99999|448=A|447=D|452=1|")), wrong);
  EXPECT_EQ(answer("D", order("453=1|448=A|802=2|523=x|803=1|")),
            "35=3|34=2|45=2|58=Incorrect NumInGroup count for repeating group|371=802|372=D|373=16|");
  EXPECT_EQ(answer("D", order("386=2|336=1|")),
            "35=3|34=2|45=2|58=Incorrect NumInGroup count for repeating group|371=386|372=D|373=16|");
}

TEST(FixReject, reason_15_group_that_does_not_begin_with_its_first_field) {
  EXPECT_EQ(answer("D", order("453=1|447=D|448=A|")),
            "35=3|34=2|45=2|58=Repeating group fields out of order|371=447|372=D|373=15|");
}

TEST(FixReject, groups_may_repeat_their_fields) {
  LoggedOnPeer peer;
  peer.send("D", 2,
            order("453=2|448=A|447=D|452=1|802=2|523=x|803=1|523=y|803=2|448=B|447=D|452=3|386=2|336=1|336=2|"));
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"});
  peer.send("8", 3,
            "37=o|17=e|150=F|39=2|54=1|55=R|151=0|14=1|6=1|518=2|519=1|520=2.5|521=JPY|519=2|520=1|864=1|865=1|866="
            "20260720|867=1.5|868=z|");
  EXPECT_EQ(peer.handler.take(), Texts{"message 8 "});
}

TEST(FixReject, reason_99_too_many_fields) {
  std::string fields;
  for (int tag = 5000; tag < 6200; ++tag) fields += std::to_string(tag) + "=1|";
  LoggedOnPeer peer({.max_body = 20'000, .checks = {.user_tags = true}});
  EXPECT_EQ(peer.answer("D", order(fields)).substr(0, 27), "35=3|34=2|45=2|58=Other|371");
}

TEST(FixReject, fix_4_2_has_no_numbers_for_the_later_reasons) {
  LoggedOnPeer peer({.begin_string = "FIX.4.2"});
  EXPECT_EQ(peer.answer("D", order("54=2|")), "35=3|34=2|45=2|58=Tag appears more than once|371=54|372=D|");
  LoggedOnPeer other({.begin_string = "FIX.4.2"});
  EXPECT_EQ(other.answer("999", ""), "35=3|34=2|45=2|58=Invalid MsgType|372=999|373=11|");
}

TEST(FixReject, another_begin_string_ends_the_session) {
  LoggedOnPeer peer;
  peer.send_raw(framed("35=0|34=2|49=ME|52=" + stamp(peer.now) + "|56=VENUE|", "FIX.4.2"));
  EXPECT_EQ(peer.take(), Texts{"35=5|34=2|58=Incorrect BeginString|"});
  EXPECT_TRUE(peer.transport.closed());
}

TEST(FixReject, a_reject_is_reported_to_the_handler_and_never_answered) {
  LoggedOnPeer peer;
  peer.send("3", 2, "45=7|58=no|373=5|");
  EXPECT_EQ(peer.handler.take(), Texts{"reject of 7"});
  peer.send("3", 3, "58=without a number|");
  EXPECT_EQ(peer.take(), Texts{});
  EXPECT_EQ(peer.session.next_incoming().value, 4u);
}

/// Answers every message through `answer`.
struct Refusing : testing::NotingHandler {
  explicit Refusing(void (*given)(Session&, const MessageView&)) : answer(given) {}
  void on_message(Session& session, const MessageView& message, Time) override { answer(session, message); }
  void (*answer)(Session&, const MessageView&);
};

Texts refused(void (*answer)(Session&, const MessageView&), std::string_view type, std::string_view rest,
              std::string_view head = "") {
  Refusing handler(answer);
  Peer peer;
  Session session(peer.scheduler, Peer::named({}), handler);
  session.on_open(peer.transport, peer.now);
  const std::string script = peer.message("A", 1, "98=0|108=30|") + peer.message(type, 2, rest, head);
  EXPECT_EQ(session.on_bytes(as_bytes(script), peer.now), script.size());
  Texts answers = peer.take();
  answers.erase(answers.begin());
  session.on_closed(link::CloseReason::by_peer, peer.now);
  return answers;
}

TEST(FixReject, the_handler_can_refuse_a_value_on_the_level_of_the_session) {
  EXPECT_EQ(
      refused(
          [](Session& session, const MessageView& message) {
            EXPECT_TRUE(session.reject(message, RejectReason::value_incorrect, tag::k_price, "too many decimals"));
          },
          "D", order()),
      Texts{"35=3|34=2|45=2|58=too many decimals|371=44|372=D|373=5|"});
}

TEST(FixReject, the_handler_can_refuse_a_type_that_is_not_supported) {
  EXPECT_EQ(refused(
                [](Session& session, const MessageView& message) {
                  EXPECT_TRUE(business_reject(session, message, BusinessRejectReason::unsupported_message_type));
                },
                "R", "131=q|146=1|55=R|"),
            Texts{"35=j|34=2|45=2|58=Unsupported Message Type|372=R|380=3|"});
}

TEST(FixReject, the_handler_can_refuse_an_order_without_a_conditionally_required_field) {
  const auto answer = [](Session& session, const MessageView& message) {
    EXPECT_EQ(reject_missing_conditional(session, message), missing_conditional(message) != 0);
  };
  const std::string base = "11=a|54=1|55=R|60=20260720-12:00:00|";
  EXPECT_EQ(refused(answer, "D", base + "40=2|"),
            Texts{"35=j|34=2|45=2|58=Conditionally Required Field Missing (44)|372=D|379=a|380=5|"});
  EXPECT_EQ(refused(answer, "D", base + "40=4|44=1|").at(0).substr(15, 45),
            "58=Conditionally Required Field Missing (99)|");
  EXPECT_EQ(refused(answer, "D", base + "40=1|59=6|").at(0).substr(15, 46),
            "58=Conditionally Required Field Missing (432)|");
  EXPECT_EQ(refused(answer, "D", base + "40=2|44=1|59=6|126=20260720-12:00:00|"), Texts{});
  EXPECT_EQ(refused(answer, "D", base + "40=1|"), Texts{});
}

TEST(FixReject, answers_are_routed_back_the_way_the_question_came) {
  EXPECT_EQ(refused(
                [](Session& session, const MessageView& message) {
                  EXPECT_TRUE(business_reject(session, message, BusinessRejectReason::other, "no"));
                },
                "D", order(), "115=OBO|116=OBOSUB|128=DT|144=LOC|"),
            Texts{"35=j|34=2|115=DT|128=OBO|129=OBOSUB|145=LOC|45=2|58=no|372=D|379=a|380=0|"});
  EXPECT_EQ(answer("D", order("54=2|"), "115=OBO|"),
            "35=3|34=2|128=OBO|45=2|58=Tag appears more than once|371=54|372=D|373=13|");
}

TEST(FixReject, routing_fields_too_long_to_repeat_do_not_swallow_the_reject) {
  EXPECT_EQ(answer("D", order("54=2|"), "115=" + std::string(3940, 'x') + "|"),
            "35=3|34=2|45=2|58=Tag appears more than once|371=54|372=D|373=13|");
}

TEST(FixRules, know_the_types_of_fix_4_4) {
  for (const char* type : {"0", "A", "D", "z", "AA", "AZ", "BA", "BH", "U", "UX"})
    EXPECT_TRUE(is_defined(msg_type(type), fix_4_4())) << type;
  for (const char* type : {"I", "O", "!", "BI", "CA", "Aa", "A1"})
    EXPECT_FALSE(is_defined(msg_type(type), fix_4_4())) << type;
  EXPECT_FALSE(is_defined(MsgType::none, fix_4_4()));
}

}  // namespace
}  // namespace dojima::fix
