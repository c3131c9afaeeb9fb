// Sessions on stores other than memory: the next life, numbers only, messages that wait for the disk, disks that fail.

#include <algorithm>
#include <cerrno>
#include <gtest/gtest.h>
#include <malloc.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/fix/session_test_peer.hpp"
#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::Peer;
using testing::send_report;
using testing::store_of;
using testing::Texts;
using testing::work;

/// Room for a session's largest messages.
JournalStoresOptions roomy_options(Durability durability) {
  auto options = testing::small(durability);
  options.segment_bytes = std::size_t{1} << 16;
  options.largest_message = 4096;
  return options;
}

struct OnDisk {
  explicit OnDisk(Durability which) : durability(which) { open(); }
  void open() {
    stores.reset();
    stores = testing::open_stores(disk, roomy_options(durability));
    work(*stores);
  }
  MessageStore& store() { return store_of(*stores, "ME"); }
  /// The journal's thread, and then the loop.
  void turn() {
    work(*stores);
    stores->deliver();
  }
  Durability durability;
  journal::SimulatedDisk disk;
  std::unique_ptr<JournalStores> stores;
};

TEST(FixSessionStore, a_session_goes_on_in_the_next_life_and_resends_what_was_sent_before) {
  OnDisk here(Durability::process);
  {
    Peer peer({}, &here.store());
    peer.connect();
    peer.log_on();
    send_report(peer.session, "before");
    EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|", "35=8|34=2|58=before|"}));
    peer.send("0", 2);
  }
  here.open();
  Peer peer({}, &here.store());
  EXPECT_EQ(peer.session.next_outgoing().value, 3u);
  EXPECT_EQ(peer.session.next_incoming().value, 3u);
  peer.connect();
  peer.log_on(3);
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=3|98=0|108=30|"}));
  peer.send("2", 4, "7=1|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=4|34=1|43=Y|122=T|36=2|123=Y|", "35=8|34=2|43=Y|122=T|58=before|",
                                "35=4|34=3|43=Y|122=T|36=4|123=Y|"}));
  EXPECT_TRUE(peer.handler.troubles.empty());
}

TEST(FixSessionStore, with_numbers_only_every_resend_is_a_gap_fill) {
  NullStore store;
  Peer peer({.max_body = 4096}, &store);
  peer.connect();
  peer.log_on();
  send_report(peer.session, "gone");
  EXPECT_EQ(peer.take().size(), 2u);
  peer.send("2", 2, "7=1|16=0|");
  EXPECT_EQ(peer.take(), (Texts{"35=4|34=1|43=Y|122=T|36=3|123=Y|"}));
  EXPECT_TRUE(peer.handler.troubles.empty()) << "nothing else was promised";
}

// ---- Messages that wait for the disk -------------------------------------------------------------------------------

TEST(FixSessionStore, with_power_a_message_leaves_once_it_is_durable) {
  OnDisk here(Durability::power);
  Peer peer({}, &here.store());
  peer.connect();
  peer.log_on();
  EXPECT_EQ(peer.take(), Texts{});
  here.turn();
  EXPECT_EQ(peer.take(), (Texts{"35=A|34=1|98=0|108=30|"}));
  send_report(peer.session, "one");
  send_report(peer.session, "two");
  EXPECT_EQ(peer.take(), Texts{});
  here.turn();
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|58=one|", "35=8|34=3|58=two|"}));
  peer.send("2", 2, "7=2|16=2|");
  EXPECT_EQ(peer.take(), (Texts{"35=8|34=2|43=Y|122=T|58=one|"})) << "it was durable already";
}

TEST(FixSessionStore, with_power_nothing_is_sent_again_before_the_logon_has_left) {
  OnDisk here(Durability::power);
  {
    Peer peer({}, &here.store());
    peer.connect();
    peer.log_on();
    send_report(peer.session, "one");
    here.turn();
  }
  // The Logon names what is missing, so that it could be sent at once: but our own Logon waits for the disk.
  {
    Peer peer({.next_expected = true}, &here.store());
    peer.connect();
    peer.log_on(2, "789=2|");
    EXPECT_EQ(peer.take(), Texts{});
    here.turn();
    EXPECT_EQ(peer.take(), (Texts{"35=A|34=3|98=0|108=30|789=3|", "35=8|34=2|43=Y|122=T|58=one|",
                                  "35=4|34=3|43=Y|122=T|36=4|123=Y|"}));
  }
  // The same of a peer that asks before it has our Logon.
  Peer asking({}, &here.store());
  asking.connect();
  asking.log_on(3);
  asking.send("2", 4, "7=2|16=3|");
  EXPECT_EQ(asking.take(), Texts{});
  here.turn();
  EXPECT_EQ(asking.take(),
            (Texts{"35=A|34=4|98=0|108=30|", "35=8|34=2|43=Y|122=T|58=one|", "35=4|34=3|43=Y|122=T|36=4|123=Y|"}));
}

TEST(FixSessionStore, with_power_the_answer_to_a_logout_leaves_before_the_connection_is_closed) {
  OnDisk here(Durability::power);
  Peer peer({}, &here.store());
  peer.connect();
  peer.log_on();
  here.turn();
  static_cast<void>(peer.take());
  peer.send("5", 2);
  EXPECT_FALSE(peer.transport.closed());
  EXPECT_EQ(peer.take(), Texts{});
  here.turn();
  EXPECT_EQ(peer.take(), (Texts{"35=5|34=2|"}));
  ASSERT_TRUE(peer.transport.closed());
  peer.finish_close();
  EXPECT_EQ(peer.handler.events.back(), "closed: closed by us");
}

TEST(FixSessionStore, with_power_a_disk_that_stands_still_does_not_keep_a_connection_for_ever) {
  OnDisk here(Durability::power);
  Peer peer({}, &here.store());
  peer.connect();
  peer.log_on();
  here.turn();
  static_cast<void>(peer.take());
  peer.send("5", 2);
  peer.run_for(std::chrono::seconds{9});
  EXPECT_FALSE(peer.transport.closed());
  peer.run_for(std::chrono::seconds{2});
  EXPECT_TRUE(peer.transport.closed());
  EXPECT_EQ(peer.take(), Texts{});
  peer.finish_close();
  here.turn();
}

// ---- Disks that fail -----------------------------------------------------------------------------------------------

/// Sends until the store refuses; says how many messages were taken.
unsigned send_until_refused(OnDisk& here, Session& session) {
  const std::string text(2000, 'x');
  for (unsigned count = 0; count < 1000; ++count) {
    work(*here.stores);
    Writer report = session.begin(type::k_execution_report);
    report.field(tag::k_text, text);
    if (!session.send(report)) return count;
  }
  ADD_FAILURE() << "never refused";
  return 0;
}

/// Keeps what happened, without the messages.
struct EventLog final : MessageLog {
  std::uint32_t add_session(const SessionName&) override { return 1; }
  void write(std::uint32_t, LogEntry entry, Bytes bytes, Time) noexcept override {
    if (entry == LogEntry::event) events.emplace_back(as_text(bytes));
  }
  Texts events;
};

TEST(FixSessionStore, a_full_disk_ends_the_session_with_a_logout_that_says_why) {
  OnDisk here(Durability::process);
  EventLog log;
  Peer peer({.log = &log}, &here.store());
  peer.connect();
  peer.log_on();
  here.disk.fail_writes(ENOSPC);
  const unsigned sent = send_until_refused(here, peer.session);
  const Texts out = peer.take();
  ASSERT_EQ(out.size(), sent + 2) << "all that was taken, and Logon and Logout";
  EXPECT_EQ(out.back(), "35=5|34=" + std::to_string(sent + 2) + "|58=messages cannot be stored|");
  ASSERT_TRUE(peer.transport.closed());
  EXPECT_TRUE(peer.handler.troubles.empty()) << "nothing is called back from inside send";
  peer.finish_close();
  ASSERT_EQ(peer.handler.troubles.size(), 1u);
  EXPECT_EQ(peer.handler.troubles[0].got, ENOSPC);
  EXPECT_EQ(peer.handler.take(), (Texts{"logon", "logout: messages cannot be stored", "closed: closed by us"}));
  EXPECT_EQ(std::ranges::count(log.events, "trouble: No space left on device, trying to sync a file"), 1);

  // While there is no room, nobody can log on.
  peer.connect();
  peer.log_on(2);
  EXPECT_TRUE(peer.transport.closed());
  peer.finish_close();
  EXPECT_EQ(peer.handler.take(), (Texts{"closed: closed by us"}));
  static_cast<void>(peer.take());

  here.disk.fail_writes(0);
  here.turn();
  peer.connect();
  peer.log_on(2);
  EXPECT_TRUE(peer.session.is_logged_on());
  peer.send("2", 3, "7=2|16=2|");
  const Texts resent = peer.take();
  ASSERT_EQ(resent.size(), 2u);
  EXPECT_TRUE(resent[1].starts_with("35=8|34=2|43=Y|")) << "nothing that was taken is lost";
}

TEST(FixSessionStore, a_message_that_cannot_be_read_now_ends_the_session_and_is_not_gap_filled) {
  OnDisk here(Durability::process);
  Peer peer({}, &here.store());
  peer.connect();
  peer.log_on();
  const std::string text(2000, 'x');
  for (int count = 0; count < 200; ++count) {
    send_report(peer.session, text);
    work(*here.stores);
  }
  static_cast<void>(peer.take());
  here.disk.fail_at(1, EMFILE);
  peer.send("2", 2, "7=2|16=3|");
  EXPECT_EQ(peer.take(), (Texts{"35=5|34=202|58=stored messages cannot be read|"}));
  peer.finish_close();
  ASSERT_EQ(peer.handler.troubles.size(), 1u);
  EXPECT_EQ(peer.handler.troubles[0].got, EMFILE);

  peer.connect();
  peer.log_on(3);
  static_cast<void>(peer.take());
  peer.send("2", 4, "7=2|16=3|");
  const Texts resent = peer.take();
  ASSERT_EQ(resent.size(), 2u);
  EXPECT_TRUE(resent[0].starts_with("35=8|34=2|43=Y|"));
  EXPECT_TRUE(resent[1].starts_with("35=8|34=3|43=Y|"));
}

TEST(FixSessionStore, an_initiator_that_cannot_store_its_logon_closes_without_a_word) {
  OnDisk here(Durability::process);
  Peer peer({.role = Role::initiator}, &here.store());
  here.disk.fail_writes(ENOSPC);
  static_cast<void>(send_until_refused(here, peer.session));
  peer.connect();
  EXPECT_EQ(peer.take(), Texts{});
  ASSERT_TRUE(peer.transport.closed());
  peer.finish_close();
  ASSERT_EQ(peer.handler.troubles.size(), 1u);
  EXPECT_EQ(peer.handler.troubles[0].got, ENOSPC);
}

TEST(FixSessionStore, heartbeats_and_answers_that_cannot_be_stored_end_the_session) {
  OnDisk here(Durability::process);
  for (const bool is_heartbeat : {true, false}) {
    here.open();
    Peer peer({}, &here.store());
    peer.connect();
    peer.log_on(1, "141=Y|");
    here.disk.fail_writes(ENOSPC);
    // Another session uses up the room.
    MessageStore& other = store_of(*here.stores, "OTHER");
    while (testing::put(other, std::string(3000, 'x'))) work(*here.stores);
    while (testing::put(other, "x")) work(*here.stores);
    static_cast<void>(peer.take());
    // What the peer says is not read any more: it may have to be answered.
    if (!is_heartbeat) peer.send("1", 2, "112=x|");
    peer.run_for(std::chrono::seconds{is_heartbeat ? 31 : 11});
    EXPECT_EQ(peer.take(), (Texts{"35=5|34=2|58=messages cannot be stored|"})) << is_heartbeat;
    EXPECT_TRUE(peer.transport.closed());
    peer.finish_close();
    EXPECT_EQ(peer.handler.troubles.size(), 1u);
    here.disk.fail_writes(0);
  }
}

// ---- Cost ----------------------------------------------------------------------------------------------------------

std::size_t heap_bytes() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

TEST(FixSessionStore, a_session_that_is_not_connected_costs_at_most_64_KiB) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own heap";
  constexpr std::size_t k_sessions = 50;
  OnDisk here(Durability::process);
  sched::Scheduler scheduler(3 * k_sessions, testing::k_noon);
  testing::NotingHandler handler;
  EarlyBuffers early(4, std::size_t{1} << 16);
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::string> names;
  for (std::size_t session = 0; session < k_sessions; ++session) names.push_back("CLIENT" + std::to_string(session));
  sessions.reserve(k_sessions);
  const std::size_t before = heap_bytes();
  for (const std::string& name : names) {
    SessionConfig config{.sender_comp_id = "VENUE", .target_comp_id = name, .early_buffers = &early};
    sessions.push_back(std::make_unique<Session>(scheduler, config, handler, store_of(*here.stores, name)));
  }
  const std::size_t each = (heap_bytes() - before) / k_sessions;
  EXPECT_LE(each, std::size_t{1} << 16);
  EXPECT_GT(each, sizeof(MessageView)) << "the count works";
  RecordProperty("bytes_per_session", std::to_string(each));
}

}  // namespace
}  // namespace dojima::fix
