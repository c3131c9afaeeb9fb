#include "dojima/fix/acceptor.hpp"

#include <gtest/gtest.h>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::k_noon;
using testing::KeepingTransport;
using testing::NotingHandler;
using testing::Texts;
using namespace std::chrono_literals;

/// Two sessions behind one acceptor, and as many connections as a test opens.
struct Port {
  explicit Port(SessionAcceptorOptions options = {.links = 4, .unknown_links = 2}) : acceptor(scheduler, options) {
    EXPECT_TRUE(acceptor.add(alice));
    EXPECT_TRUE(acceptor.add(bob));
  }
  ~Port() {
    for (const auto& [connection, transport] : open) connection->on_closed(link::CloseReason::by_peer, k_noon);
  }

  link::Connection* accept(KeepingTransport& transport) {
    link::Connection* connection = acceptor.on_accept({});
    if (connection == nullptr) return nullptr;
    open.emplace_back(connection, &transport);
    connection->on_open(transport, scheduler.now());
    return connection;
  }
  void closed(link::Connection* connection) {
    std::erase_if(open, [&](const auto& entry) { return entry.first == connection; });
    connection->on_closed(link::CloseReason::by_us, scheduler.now());
  }
  static std::string message(std::string_view type, unsigned number, std::string_view sender, std::string_view rest,
                             std::string_view target = "VENUE") {
    return framed("35=" + std::string(type) + "|34=" + std::to_string(number) + "|49=" + std::string(sender) +
                  "|52=20260720-12:00:00|56=" + std::string(target) + "|" + std::string(rest));
  }
  static std::string logon(std::string_view sender) { return message("A", 1, sender, "98=0|108=30|"); }

  sched::Scheduler scheduler{64, k_noon};
  NotingHandler handler;
  Session alice{scheduler, {.sender_comp_id = "VENUE", .target_comp_id = "ALICE"}, handler};
  Session bob{scheduler, {.sender_comp_id = "VENUE", .target_comp_id = "BOB"}, handler};
  SessionAcceptor acceptor;
  std::vector<std::pair<link::Connection*, KeepingTransport*>> open;
};

std::size_t feed(link::Connection* connection, std::string_view bytes) {
  return connection->on_bytes(as_bytes(bytes), k_noon);
}

TEST(FixAcceptor, a_logon_finds_its_session_and_everything_after_it_goes_there) {
  Port port;
  KeepingTransport first, second;
  link::Connection* to_bob = port.accept(first);
  link::Connection* to_alice = port.accept(second);
  const std::string script = Port::logon("BOB") + Port::message("1", 2, "BOB", "112=x|");
  EXPECT_EQ(feed(to_bob, script), script.size());
  EXPECT_TRUE(port.bob.is_logged_on());
  EXPECT_FALSE(port.alice.is_connected());
  EXPECT_NE(first.kept.find("112=x"), std::string::npos);
  EXPECT_EQ(feed(to_alice, Port::logon("ALICE")), Port::logon("ALICE").size());
  EXPECT_TRUE(port.alice.is_logged_on());
  EXPECT_EQ(port.acceptor.links(), 2u);
  EXPECT_EQ(port.acceptor.unknown_links(), 0u);
}

TEST(FixAcceptor, waits_for_a_first_message_that_comes_in_pieces) {
  Port port;
  KeepingTransport transport;
  link::Connection* link = port.accept(transport);
  const std::string logon = Port::logon("BOB");
  for (std::size_t size = 0; size < logon.size(); ++size) EXPECT_EQ(feed(link, logon.substr(0, size)), 0u);
  EXPECT_EQ(feed(link, logon), logon.size());
  EXPECT_TRUE(port.bob.is_logged_on());
}

TEST(FixAcceptor, closes_without_a_word_what_names_no_session) {
  for (const std::string& first :
       {Port::logon("EVE"), Port::message("A", 1, "BOB", "98=0|108=30|", "ELSEWHERE"), Port::message("0", 1, "BOB", ""),
        std::string("GET / HTTP/1.1\r\n\r\n"), Port::logon("BOB").replace(8, 1, "2"),
        framed("35=A|34=1|49=BOB|52=20260720-12:00:00|56=VENUE|98=0|108=30|", "FIX.4.2")}) {
    Port port;
    KeepingTransport transport;
    link::Connection* link = port.accept(transport);
    EXPECT_EQ(feed(link, first), first.size());
    EXPECT_TRUE(transport.closed());
    EXPECT_EQ(transport.kept, "");
    EXPECT_FALSE(port.bob.is_connected());
    EXPECT_EQ(feed(link, Port::logon("BOB")), Port::logon("BOB").size()) << "nothing is read any more";
    EXPECT_FALSE(port.bob.is_connected());
    EXPECT_EQ(port.handler.take(), Texts{});
  }
}

TEST(FixAcceptor, closes_a_connection_that_does_not_speak_in_time) {
  Port port;
  KeepingTransport transport;
  static_cast<void>(port.accept(transport));
  port.scheduler.check(k_noon + 9999ms, 10);
  EXPECT_FALSE(transport.closed());
  port.scheduler.check(k_noon + 10s, 10);
  EXPECT_TRUE(transport.closed());
}

TEST(FixAcceptor, drops_the_new_connection_of_a_live_session_and_keeps_the_old_one) {
  Port port;
  KeepingTransport old, fresh;
  static_cast<void>(feed(port.accept(old), Port::logon("BOB")));
  link::Connection* link = port.accept(fresh);
  static_cast<void>(feed(link, Port::message("A", 2, "BOB", "98=0|108=30|")));
  EXPECT_TRUE(fresh.closed());
  EXPECT_EQ(fresh.kept, "");
  EXPECT_FALSE(old.closed());
  EXPECT_TRUE(port.bob.is_logged_on());
  EXPECT_EQ(port.bob.next_incoming().value, 2u);
}

TEST(FixAcceptor, a_session_takes_a_new_connection_when_the_old_one_is_gone) {
  Port port;
  KeepingTransport old, fresh;
  link::Connection* first = port.accept(old);
  static_cast<void>(feed(first, Port::logon("BOB")));
  port.closed(first);
  EXPECT_EQ(port.handler.take(), (Texts{"logon", "logout: closed by us", "closed: closed by us"}));
  static_cast<void>(feed(port.accept(fresh), Port::message("A", 2, "BOB", "98=0|108=30|")));
  EXPECT_TRUE(port.bob.is_logged_on());
}

TEST(FixAcceptor, bounds_links_and_those_that_have_not_named_a_session) {
  Port port;
  KeepingTransport transports[6];
  link::Connection* first = port.accept(transports[0]);
  link::Connection* second = port.accept(transports[1]);
  EXPECT_EQ(port.accept(transports[2]), nullptr) << "two strangers at once";
  static_cast<void>(feed(first, Port::logon("BOB")));
  static_cast<void>(feed(second, Port::logon("ALICE")));
  link::Connection* third = port.accept(transports[2]);
  ASSERT_NE(third, nullptr);
  ASSERT_NE(port.accept(transports[3]), nullptr);
  EXPECT_EQ(port.accept(transports[4]), nullptr) << "four links in all";
  port.closed(third);
  EXPECT_NE(port.accept(transports[5]), nullptr) << "a link that is free again is used again";
}

TEST(FixAcceptor, knows_each_name_once) {
  Port port;
  Session again(port.scheduler, {.sender_comp_id = "VENUE", .target_comp_id = "BOB"}, port.handler);
  EXPECT_FALSE(port.acceptor.add(again));
  Session other(port.scheduler, {.begin_string = "FIX.4.2", .sender_comp_id = "VENUE", .target_comp_id = "BOB"},
                port.handler);
  EXPECT_TRUE(port.acceptor.add(other));
}

}  // namespace
}  // namespace dojima::fix
