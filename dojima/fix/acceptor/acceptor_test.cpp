#include "dojima/fix/acceptor.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

#include "dojima/fix/session_test_peer.hpp"

namespace dojima::fix {
namespace {

using testing::framed;
using testing::k_noon;
using testing::KeepingTransport;
using testing::NotingHandler;
using testing::Texts;
using namespace std::chrono_literals;

/// Notes what an acceptor refused, and makes sessions where a test wants it.
struct NotingAcceptorObserver final : AcceptorObserver {
  void on_refused(const RefusedConnection& refused, Time) override {
    std::string text = refused.peer.host + ": " + std::string(text_of(refused.reason));
    for (const std::string_view name : {refused.begin_string, refused.sender_comp_id, refused.target_comp_id}) {
      if (!name.empty()) text += " " + std::string(name);
    }
    if (!refused.text.empty()) text += ": " + std::string(refused.text);
    refusals.push_back(text);
  }
  Session* on_unknown_session(const MessageView& logon, const link::Address& peer, Time) override {
    return make ? make(logon, peer) : nullptr;
  }
  Texts take() { return std::exchange(refusals, {}); }
  Texts refusals;
  std::function<Session*(const MessageView&, const link::Address&)> make;
};

/// Two sessions behind one acceptor, and as many connections as a test opens.
struct Port {
  explicit Port(SessionAcceptorOptions options = {.links = 4, .unknown_links = 2})
      : acceptor(scheduler, options, &observer) {
    EXPECT_TRUE(acceptor.add(alice));
    EXPECT_TRUE(acceptor.add(bob));
  }
  ~Port() {
    for (const auto& [connection, transport] : open) connection->on_closed(link::CloseReason::by_peer, k_noon);
  }

  link::Connection* accept(KeepingTransport& transport, const std::string& host = "peer") {
    link::Connection* connection = acceptor.on_accept({host, 7});
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
  NotingAcceptorObserver observer;
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

TEST(FixAcceptor, bounds_links) {
  Port port;
  KeepingTransport transports[6];
  link::Connection* first = port.accept(transports[0]);
  link::Connection* second = port.accept(transports[1]);
  static_cast<void>(feed(first, Port::logon("BOB")));
  static_cast<void>(feed(second, Port::logon("ALICE")));
  link::Connection* third = port.accept(transports[2]);
  ASSERT_NE(third, nullptr);
  ASSERT_NE(port.accept(transports[3]), nullptr);
  EXPECT_EQ(port.accept(transports[4]), nullptr) << "four links in all";
  EXPECT_TRUE(transports[2].closed()) << "the oldest stranger makes room for the next attempt";
  port.closed(third);
  EXPECT_NE(port.accept(transports[5]), nullptr) << "a link that is free again is used again";
}

TEST(FixAcceptor, of_the_connections_without_a_session_the_oldest_makes_room) {
  Port port;
  KeepingTransport transports[4];
  link::Connection* first = port.accept(transports[0]);
  link::Connection* second = port.accept(transports[1]);
  ASSERT_NE(port.accept(transports[2]), nullptr);
  EXPECT_TRUE(transports[0].closed());
  EXPECT_FALSE(transports[1].closed());
  EXPECT_EQ(port.observer.take(), Texts{"peer: too many connections without a session"});
  EXPECT_EQ(feed(first, Port::logon("BOB")), Port::logon("BOB").size());
  EXPECT_FALSE(port.bob.is_connected()) << "what a connection that is over still brings";
  static_cast<void>(feed(second, Port::logon("BOB")));
  EXPECT_TRUE(port.bob.is_logged_on());
  EXPECT_EQ(port.acceptor.unknown_links(), 1u);
}

/// However many connections a host begins, what another has waiting stays; and it may begin some while there are as
/// many.
TEST(FixAcceptor, a_storm_from_one_host_does_not_displace_the_connections_of_another) {
  Port port({.links = 12, .unknown_links = 8});
  std::vector<std::unique_ptr<KeepingTransport>> transports;
  const auto begin = [&](const std::string& host) {
    transports.push_back(std::make_unique<KeepingTransport>());
    link::Connection* const connection = port.accept(*transports.back(), host);
    // Those that were closed are reported as such, as a fabric does.
    const auto open = port.open;
    for (const auto& [other, transport] : open)
      if (transport->closed()) port.closed(other);
    return connection;
  };
  for (int count = 0; count < 20; ++count) ASSERT_NE(begin("storm"), nullptr);
  link::Connection* const first = begin("client");
  link::Connection* const second = begin("client");
  for (int count = 0; count < 100; ++count) ASSERT_NE(begin("storm"), nullptr);
  port.acceptor.on_turned_away({"storm", 8});
  EXPECT_EQ(port.acceptor.unknown_links(), 7u);
  for (const std::string& refusal : port.observer.take()) EXPECT_TRUE(refusal.starts_with("storm: ")) << refusal;
  EXPECT_EQ(feed(first, Port::logon("BOB")), Port::logon("BOB").size());
  EXPECT_TRUE(port.bob.is_logged_on());
  EXPECT_EQ(feed(second, Port::logon("ALICE")), Port::logon("ALICE").size());
  EXPECT_TRUE(port.alice.is_logged_on());
}

TEST(FixAcceptor, one_that_the_network_has_no_place_for_is_reported_and_the_oldest_stranger_makes_room) {
  Port port;
  KeepingTransport transports[2];
  ASSERT_NE(port.accept(transports[0]), nullptr);
  ASSERT_NE(port.accept(transports[1]), nullptr);
  port.acceptor.on_turned_away({"late", 8});
  EXPECT_EQ(port.observer.take(),
            (Texts{"late: too many connections", "peer: too many connections without a session"}));
  EXPECT_TRUE(transports[0].closed());
  EXPECT_FALSE(transports[1].closed());
}

TEST(FixAcceptor, its_observer_hears_of_every_refusal) {
  Port port({.links = 8, .unknown_links = 8});
  const auto refused = [&](const std::string& bytes) {
    KeepingTransport transport;
    link::Connection* connection = port.accept(transport);
    static_cast<void>(feed(connection, bytes));
    EXPECT_TRUE(transport.closed());
    EXPECT_EQ(transport.kept, "");
    port.closed(connection);
    return port.observer.take();
  };
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n"), Texts{"peer: not FIX"});
  EXPECT_EQ(refused(Port::message("0", 1, "BOB", "")), Texts{"peer: first message is not a Logon FIX.4.4 BOB VENUE"});
  EXPECT_EQ(refused(Port::logon("EVE")), Texts{"peer: unknown session FIX.4.4 EVE VENUE"});
  EXPECT_EQ(
      refused(Port::message("A", 1, "BOB", "98=0|108=30|", "BOURSE")),
      Texts{"peer: unknown session FIX.4.4 BOB BOURSE: this SenderCompID(49) is known to TargetCompID(56)=VENUE"});
  EXPECT_EQ(refused(Port::message("A", 1, "BOB", "98=0|108=-5|")),
            Texts{"peer: Logon refused FIX.4.4 BOB VENUE: field 108: expected 0 to 86400 seconds, got -5"});
  KeepingTransport silent, live;
  link::Connection* late = port.accept(silent);
  port.scheduler.check(k_noon + 10s, 100);
  EXPECT_TRUE(silent.closed());
  port.closed(late);
  EXPECT_EQ(port.observer.take(), Texts{"peer: no Logon in time"});
}

TEST(FixAcceptor, sessions_are_for_the_hosts_that_they_allow) {
  Port port;
  Session near(port.scheduler,
               {.sender_comp_id = "VENUE", .target_comp_id = "NEAR", .allowed_hosts = {"10.0.0.0/8", "peer"}},
               port.handler);
  Session far(port.scheduler, {.sender_comp_id = "VENUE", .target_comp_id = "FAR", .allowed_hosts = {"10.0.0.0/8"}},
              port.handler);
  EXPECT_TRUE(port.acceptor.add(near));
  EXPECT_TRUE(port.acceptor.add(far));
  KeepingTransport first, second;
  link::Connection* link = port.accept(first);
  static_cast<void>(feed(link, Port::logon("FAR")));
  EXPECT_TRUE(first.closed());
  EXPECT_EQ(port.observer.take(), Texts{"peer: host not allowed FIX.4.4 FAR VENUE"});
  port.closed(link);
  link = port.accept(second);
  static_cast<void>(feed(link, Port::logon("NEAR")));
  EXPECT_TRUE(near.is_logged_on());
  port.closed(link);
}

TEST(FixAcceptor, further_names_choose_between_sessions_of_the_same_comp_ids) {
  Port port;
  SessionConfig config{.sender_comp_id = "VENUE", .target_comp_id = "BOB", .target_sub_id = "DESK"};
  Session desk(port.scheduler, config, port.handler);
  EXPECT_TRUE(port.acceptor.add(desk));
  EXPECT_FALSE(port.acceptor.add(desk));
  KeepingTransport first, second;
  link::Connection* to_desk = port.accept(first);
  static_cast<void>(feed(to_desk, Port::message("A", 1, "BOB", "50=DESK|98=0|108=30|")));
  EXPECT_TRUE(desk.is_logged_on());
  static_cast<void>(feed(port.accept(second), Port::message("A", 1, "BOB", "50=OTHER|98=0|108=30|")));
  EXPECT_TRUE(port.bob.is_logged_on());
  port.closed(to_desk);
}

TEST(FixAcceptor, a_session_can_be_made_when_its_logon_comes) {
  Port port;
  std::unique_ptr<Session> made;
  port.observer.make = [&](const MessageView& logon, const link::Address&) -> Session* {
    if (logon.find(tag::k_username) != "guest") return nullptr;
    made = std::make_unique<Session>(
        port.scheduler,
        SessionConfig{.sender_comp_id = "VENUE", .target_comp_id = std::string(*logon.find(tag::k_sender_comp_id))},
        port.handler);
    EXPECT_TRUE(port.acceptor.add(*made));
    return made.get();
  };
  KeepingTransport first, second, third;
  static_cast<void>(feed(port.accept(first), Port::logon("CAROL")));
  EXPECT_TRUE(first.closed());
  link::Connection* link = port.accept(second);
  static_cast<void>(feed(link, Port::message("A", 1, "CAROL", "98=0|108=30|553=guest|")));
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->is_logged_on());
  port.closed(link);
  link = port.accept(third);
  static_cast<void>(feed(link, Port::message("A", 2, "CAROL", "98=0|108=30|")));
  EXPECT_TRUE(made->is_logged_on()) << "known from now on";
  port.closed(link);
}

TEST(FixAcceptor, a_second_connection_for_a_live_session_makes_a_dead_one_go) {
  Port port;
  KeepingTransport old, fresh;
  link::Connection* dead = port.accept(old);
  static_cast<void>(feed(dead, Port::logon("BOB")));
  link::Connection* again = port.accept(fresh);
  static_cast<void>(feed(again, Port::message("A", 2, "BOB", "98=0|108=30|")));
  EXPECT_TRUE(fresh.closed());
  EXPECT_EQ(port.observer.take(), Texts{"peer: session already connected FIX.4.4 BOB VENUE"});
  EXPECT_NE(old.kept.find("35=1\x01"), std::string::npos) << "the live one is asked for a sign of life";
  EXPECT_FALSE(old.closed());
  port.scheduler.check(k_noon + 2s, 100);
  EXPECT_TRUE(old.closed());
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
