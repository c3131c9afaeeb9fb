// What a translator holds against its sessions; its flows are tested through the gateway.

#include "dojima/gateway/translator.hpp"

#include <gtest/gtest.h>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/fix/writer.hpp"
#include "dojima/gateway/gateway_test_world.hpp"
#include "dojima/gateway/order_tags.hpp"

namespace dojima::gateway {
namespace {

using namespace testing;

/// A user of the venue who is never connected.
class QuietMember final : public mit::ClientHandler {
 public:
  void on_logged_on(mit::ClientSession&, std::int32_t, Time) override {}
  void on_logon_refused(mit::ClientSession&, std::int32_t, Time) override {}
  void on_report(mit::ClientSession&, const market::OwnerReport&, std::int32_t, Time) override {}
  void on_reject(mit::ClientSession&, const mit::Reject&, Time) override {}
  void on_end(mit::ClientSession&, link::CloseReason, std::string_view, Time) override {}
};

/// A translator between two sessions that are not connected.
struct Alone {
  Alone() {
    translator.attach(0, client.session);
    translator.attach_user(0, venue);
  }

  /// The client's message with this MsgSeqNum.
  void send(std::string_view type, std::uint64_t sequence) {
    std::vector<char> room(1024);
    fix::Writer writer(std::as_writable_bytes(std::span(room)),
                       {.type = fix::msg_type(type), .sender = "CLIENT1", .target = "DOJIMA", .sequence = {sequence}});
    writer.field(tag::k_cl_ord_id, "A-1");
    const Result<Bytes> bytes = writer.finish();
    ASSERT_TRUE(bytes.has_value());
    fix::MessageView view;
    ASSERT_TRUE(view.read(*bytes).has_value());
    translator.on_client(0, view, k_noon);
  }

  GatewayConfig config = small_config();
  sched::Scheduler scheduler{64, k_noon};
  FixClient client{scheduler, "CLIENT1"};
  QuietMember member;
  mit::ClientSession venue{{.user = "USER1", .password = "Secret#1"}, mit::lse_21_2::k_dialect, scheduler, member};
  Translator translator{config};
};

TEST(Translator, numbers_and_answers_a_request_while_the_venue_is_down) {
  Alone alone;
  alone.send("D", 1);
  EXPECT_EQ(alone.translator.counters().requests, 1u);
  EXPECT_EQ(alone.translator.counters().refused, 1u);
  EXPECT_EQ(alone.translator.counters().undelivered, 0u);
  EXPECT_EQ(alone.client.session.next_outgoing().value, 2u) << "the answer waits for the client";
  EXPECT_EQ(alone.translator.records().requests(), 0u);
}

TEST(Translator, drops_a_report_of_no_request) {
  Alone alone;
  market::OwnerReport report;
  report.client_order_id = Text<20>::cut("1");
  alone.translator.on_venue(0, report, 0);
  EXPECT_EQ(alone.translator.counters().strays, 1u);
}

TEST(TranslatorDeathTest, a_session_delivers_the_message_that_is_due) {
  Alone alone;
  EXPECT_DEATH(alone.send("D", 7), "a session delivers the message that is due .*= 0, 7, 1");
}

TEST(TranslatorDeathTest, a_venue_session_delivers_no_report_twice) {
  Alone alone;
  market::OwnerReport report;
  report.partition = 1;
  report.sequence = {5};
  EXPECT_DEATH(alone.translator.on_venue(0, report, 0), "a venue session delivers no report twice .*= 0, 1, 5, 0");
}

}  // namespace
}  // namespace dojima::gateway
