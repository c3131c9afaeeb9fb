// What a session writes into a message log.

#include <algorithm>
#include <gtest/gtest.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::Peer;
using testing::readable;
using testing::Texts;

/// Keeps entries as texts: "< 35", "> 35" or the event.
class KeepingLog final : public MessageLog {
 public:
  std::uint32_t add_session(const SessionName& name) override {
    names.push_back(std::string(name.sender_comp_id) + "->" + std::string(name.target_comp_id));
    return static_cast<std::uint32_t>(names.size() + 6);
  }
  void write(std::uint32_t session, LogEntry entry, Bytes bytes, Time now) noexcept override {
    EXPECT_EQ(session, 7u);
    EXPECT_GE(now, testing::k_noon);
    std::string text = readable(std::string(as_text(bytes)));
    if (entry != LogEntry::event) {
      const std::size_t type = text.find("|35=") + 4;
      text = (entry == LogEntry::incoming ? "< " : "> ") + text.substr(type, text.find('|', type) - type);
    }
    entries.push_back(std::move(text));
  }
  Texts take() { return std::exchange(entries, {}); }
  Texts names, entries;
};

TEST(FixSessionLog, has_every_message_of_both_directions_and_what_happened) {
  KeepingLog log;
  Peer peer({.log = &log});
  EXPECT_EQ(log.names, (Texts{"VENUE->ME"}));
  peer.connect();
  peer.log_on();
  EXPECT_EQ(log.take(), (Texts{"connected", "< A", "> A", "logon"}));
  peer.send("D", 2, peer.order("1"));
  peer.send("1", 3, "112=x|");
  EXPECT_EQ(log.take(), (Texts{"< D", "< 1", "> 0"}));
  peer.send("D", 4, "11=b|");
  const Texts refused = log.take();
  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused[0], "< D");
  EXPECT_TRUE(refused[1].starts_with("trouble: missing")) << refused[1];
  EXPECT_EQ(refused[2], "> 3");
  peer.send("2", 5, "7=1|16=0|");
  EXPECT_EQ(log.take(), (Texts{"< 2", "> 4", "> 3"})) << "duplicates and gap fills too";
  peer.send("5", 6, "58=enough|");
  peer.finish_close();
  EXPECT_EQ(log.take(), (Texts{"< 5", "> 5", "logout: enough", "connection closed: closed by us"}));
  EXPECT_EQ(peer.handler.events.back(), "closed: closed by us") << "the handler is notified as ever";
}

TEST(FixSessionLog, leaves_the_decision_on_a_logon_to_the_handler) {
  struct Refusing final : testing::NotingHandler {
    LogonDecision on_logon_request(Session&, const MessageView&, Time) override {
      return {.is_accepted = false, .text = "not today"};
    }
  };
  KeepingLog log;
  Peer peer;
  Refusing refusing;
  Session session(peer.scheduler, Peer::named({.log = &log}), refusing);
  session.on_open(peer.transport, peer.now);
  const std::string logon = peer.message("A", 1, "98=0|108=30|");
  EXPECT_EQ(session.on_bytes(as_bytes(logon), peer.now), logon.size());
  EXPECT_FALSE(session.is_logged_on());
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(session.refusal_text(), "not today");
  const Texts entries = log.take();
  EXPECT_NE(std::ranges::find(entries, "Logon refused: not today"), entries.end());
  session.on_closed(link::CloseReason::by_us, peer.now);
}

TEST(FixSessionLog, has_a_refused_logon_with_the_reason) {
  KeepingLog log;
  Peer peer({.log = &log, .password = "secret"});
  peer.connect();
  peer.log_on();
  const Texts entries = log.take();
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[1], "< A");
  EXPECT_EQ(entries[2], "Logon refused: field 554: expected the session's Username(553) and Password(554)");
  EXPECT_TRUE(entries[3].starts_with("trouble: refused")) << entries[3];
  EXPECT_EQ(peer.handler.troubles.size(), 1u);
}

}  // namespace
}  // namespace dojima::fix
