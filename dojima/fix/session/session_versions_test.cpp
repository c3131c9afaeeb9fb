// What a session of each version leaves out, and how it says "all": scripts in virtual time.

#include <gtest/gtest.h>

#include "dojima/fix/business_reject.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::logged_on;
using testing::Peer;
using testing::Texts;

SessionConfig of(const char* version) {
  return {.begin_string = version};
}

constexpr const char* k_versions[] = {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1"};

TEST(FixVersions, all_log_on_answer_test_requests_and_log_out) {
  for (const char* version : k_versions) {
    Peer peer(of(version));
    logged_on(peer);
    peer.send("1", 2, "112=x|");
    EXPECT_EQ(peer.take(), Texts{"35=0|34=2|112=x|"}) << version;
    peer.send("5", 3);
    EXPECT_EQ(peer.take(), Texts{"35=5|34=3|"}) << version;
    EXPECT_TRUE(peer.transport.closed()) << version;
  }
}

TEST(FixVersions, up_to_4_1_all_messages_are_those_up_to_999999) {
  for (const char* version : k_versions) {
    const bool is_old = std::string_view(version) <= "FIX.4.1";
    Peer peer(of(version));
    logged_on(peer);
    peer.send("0", 5);
    EXPECT_EQ(peer.take(), Texts{is_old ? "35=2|34=2|7=2|16=999999|" : "35=2|34=2|7=2|16=0|"}) << version;
    peer.send("2", 6, "7=1|16=999999|");
    EXPECT_EQ(peer.take(), Texts{"35=4|34=1|43=Y|122=T|36=3|123=Y|"}) << version;
  }
}

TEST(FixVersions, a_reject_has_its_details_from_4_2) {
  for (const char* version : k_versions) {
    const bool is_old = std::string_view(version) <= "FIX.4.1";
    Peer peer(of(version));
    logged_on(peer);
    peer.send("0", 2, "112=x|112=y|");
    const std::string reason = std::string_view(version) <= "FIX.4.2" ? "" : "373=13|";
    EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Tag appears more than once|" +
                                 (is_old ? std::string{} : "371=112|372=0|" + reason)})
        << version;
  }
}

TEST(FixVersions, a_business_reject_is_a_reject_before_4_2) {
  for (const char* version : k_versions) {
    const bool is_old = std::string_view(version) <= "FIX.4.1";
    Peer peer(of(version));
    logged_on(peer);
    MessageView view;
    const std::string order = framed("35=D|34=2|49=ME|52=20260720-12:00:00|56=VENUE|11=a|", version);
    ASSERT_TRUE(view.read(as_bytes(order)));
    ASSERT_TRUE(business_reject(peer.session, view, BusinessRejectReason::unsupported_message_type));
    EXPECT_EQ(peer.take(), Texts{is_old ? "35=3|34=2|45=2|58=Unsupported Message Type|"
                                        : "35=j|34=2|45=2|58=Unsupported Message Type|372=D|379=a|380=3|"})
        << version;
  }
}

TEST(FixVersions, stamps_have_no_decimals_before_4_2) {
  for (const char* version : k_versions) {
    const bool is_old = std::string_view(version) <= "FIX.4.1";
    Peer peer(of(version));
    EXPECT_EQ(peer.session.config().timestamp_decimals, is_old ? 0u : 3u) << version;
    peer.connect();
    peer.log_on(1, std::string_view(version) == "FIXT.1.1" ? "1137=9|" : "");
    const bool is_whole = peer.transport.kept.find("52=20260720-12:00:00\x01") != std::string::npos;
    EXPECT_EQ(is_whole, is_old) << version;
  }
}

TEST(FixVersions, a_session_message_of_fixt_is_held_against_the_transport_alone) {
  Peer peer(of("FIXT.1.1"));
  logged_on(peer);
  peer.send("0", 2, "44=1.5|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=2|58=Invalid tag number|371=44|372=0|373=0|"});
}

TEST(FixVersions, a_message_of_fixt_may_name_its_version) {
  Peer peer(of("FIXT.1.1"));
  logged_on(peer);
  const std::string order = "11=a|21=1|38=100|40=2|44=12.5|54=1|55=RICE|60=" + testing::stamp(peer.now) + "|";
  peer.send("D", 2, order + "47=A|", "1128=4|");
  EXPECT_EQ(peer.handler.take(), Texts{"message D a"}) << "Rule80A is a field of FIX 4.2";
  peer.send("D", 3, order + "47=A|");
  EXPECT_EQ(peer.take(), Texts{"35=3|34=2|45=3|58=Invalid tag number|371=47|372=D|373=0|"});
  peer.send("D", 4, order, "1128=77|");
  EXPECT_EQ(peer.take().size(), 1u) << "a version that nobody knows";
}

TEST(FixVersions, the_default_version_of_the_logon_is_that_of_the_session) {
  Peer peer({.begin_string = "FIXT.1.1", .default_appl_ver_id = "7"});
  peer.connect();
  peer.log_on(1, "1137=9|");
  EXPECT_TRUE(peer.transport.closed());
  peer.finish_close();
  peer.connect();
  peer.log_on(1, "1137=7|");
  EXPECT_EQ(peer.take(), Texts{"35=A|34=1|98=0|108=30|1137=7|"});
}

TEST(FixVersions, what_a_version_does_not_have_cannot_be_configured) {
  testing::NotingHandler handler;
  sched::Scheduler scheduler(64, testing::k_noon);
  const auto refuses = [&](SessionConfig config) {
    EXPECT_THROW(Session(scheduler, Peer::named(std::move(config)), handler), std::invalid_argument);
  };
  refuses(of("FIX.3.9"));
  refuses(of("FIX.5.0"));
  refuses({.begin_string = "FIXT.1.1", .default_appl_ver_id = "1"});
  refuses({.begin_string = "FIX.4.3", .next_expected = true});
  refuses({.begin_string = "FIX.4.1", .last_processed = true});
  refuses({.begin_string = "FIX.4.1", .announces_max_message_size = true});
  refuses({.allowed_hosts = {"10.0.0.0/40"}});
  refuses({.test_request_percent = 240, .give_up_percent = 240});
}

}  // namespace
}  // namespace dojima::fix
