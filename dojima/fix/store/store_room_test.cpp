// Stores whose journal has no spare segment in time: the one that reads for them is notified early enough that nothing
// is refused, sessions read no more until there is room again, and a disk that stays full ends them in order.

#include <cerrno>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "dojima/fix/session_test_peer.hpp"
#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::Peer;
using testing::put;
using testing::store_of;
using testing::Texts;
using testing::work;

/// Segments that hold a few dozen of the largest messages.
JournalStoresOptions several_segments(unsigned spares) {
  JournalStoresOptions options = testing::small(Durability::process);
  options.segment_bytes = std::size_t{1} << 16;
  options.spare_segments = spares;
  options.disk_bytes = std::uint64_t{1} << 24;
  options.largest_message = 4196;
  return options;
}

struct RoomNotes final : RoomListener {
  void on_room(bool is_short) override { times += is_short ? "short " : "room "; }
  std::string times;
};

TEST(FixStoreRoom, what_is_kept_of_it_is_there_when_it_is_short) {
  for (const unsigned spares : {1U, 2U, 4U}) {
    for (const std::size_t wanted : {std::size_t{0}, std::size_t{10'000}, std::size_t{1} << 30U}) {
      journal::SimulatedDisk disk;
      JournalStoresOptions options = several_segments(spares);
      options.room_kept = wanted;
      const auto stores = testing::open_stores(disk, options);
      MessageStore& store = store_of(*stores, "ME");
      work(*stores);
      stores->deliver();
      RoomNotes rooms;
      stores->watch_room(&rooms);
      EXPECT_FALSE(stores->is_short_of_room());
      const std::string text(1000, 'x');
      for (int count = 0; count < 1000 && !store.is_short_of_room(); ++count) ASSERT_TRUE(put(store, text)) << spares;
      EXPECT_EQ(rooms.times, "short ");
      EXPECT_GT(stores->room_kept(), 5000u);
      const std::size_t most = wanted == 0 ? 60'000U : wanted;
      EXPECT_LE(stores->room_kept(), most);
      // Messages, and nothing else, use what is kept.
      while (stores->written_while_short() + 1200 < stores->room_kept() - 5000)
        ASSERT_TRUE(put(store, text)) << spares << " spare segments, " << stores->written_while_short() << " of "
                                      << stores->room_kept();
      EXPECT_GT(stores->written_while_short(), 0u);
      stores->deliver();
      EXPECT_EQ(rooms.times, "short ");
      work(*stores);
      EXPECT_TRUE(store.is_short_of_room()) << "until the loop has looked";
      stores->deliver();
      EXPECT_FALSE(store.is_short_of_room());
      EXPECT_EQ(rooms.times, "short room ");
      stores->watch_room(nullptr);
    }
  }
}

TEST(FixStoreRoom, is_short_while_the_disk_fails) {
  journal::SimulatedDisk disk;
  JournalStoresOptions options = several_segments(4);
  options.durability = Durability::power;
  const auto stores = testing::open_stores(disk, options);
  MessageStore& store = store_of(*stores, "ME");
  work(*stores);
  ASSERT_TRUE(put(store, "one"));
  disk.fail_writes(EIO);
  stores->journal().work();
  stores->deliver();
  EXPECT_TRUE(store.is_short_of_room());
  EXPECT_EQ(store.room_trouble().got, EIO);
  disk.fail_writes(0);
  work(*stores);
  stores->deliver();
  EXPECT_FALSE(store.is_short_of_room());
  EXPECT_EQ(store.room_trouble().code, ErrorCode::none);
}

/// As many values as it has pieces, each of two bytes.
struct Values final : StateKeeper {
  explicit Values(int values) : count(values) {}
  void begin_checkpoint() override { next = 0; }
  std::size_t write_checkpoint(Room room) override {
    if (next == count) return 0;
    ++next;
    room[0] = room[1] = std::byte{'v'};
    return 2;
  }
  int count, next = 0;
};

/// Short while a checkpoint is under way that takes longer than a segment, on a disk that has no byte left: old
/// segments are there to be removed, but for the checkpoint.
TEST(FixStoreRoom, comes_back_on_a_full_disk_without_another_record_where_segments_are_not_needed) {
  int times_short = 0, times_stuck = 0;
  for (int phase = 0; phase < 130; phase += 9) {
    journal::SimulatedDisk disk;
    JournalStoresOptions options = several_segments(2);
    options.durability = Durability::power;
    options.messages_per_session = 8;
    options.state_bytes = 1024;
    Values values(50);
    const auto stores = testing::open_stores(disk, options);
    stores->keep_state_of(&values);
    MessageStore& store = store_of(*stores, "ME");
    const auto turn = [&] {
      work(*stores);
      stores->deliver();
    };
    turn();
    const std::string text(1000, 'x');
    for (int count = 0; count < 400 + phase; ++count) {
      ASSERT_TRUE(put(store, text));
      turn();
    }
    std::uint64_t used = 0;
    const auto files = disk.list();
    ASSERT_TRUE(files);
    for (const std::string& file : *files) used += disk.contents(file).size();
    disk.set_capacity(used);
    for (int count = 0; count < 300 && !stores->is_short_of_room(); ++count) {
      ASSERT_TRUE(put(store, text));
      turn();
    }
    if (!stores->is_short_of_room()) continue;
    ++times_short;
    const std::uint64_t last = store.next_outgoing().value;
    for (int turns = 0; turns < 300 && stores->is_short_of_room(); ++turns) turn();
    EXPECT_EQ(store.next_outgoing().value, last);
    times_stuck += stores->is_short_of_room() ? 1 : 0;
    stores->keep_state_of(nullptr);
  }
  EXPECT_GT(times_short, 0);
  EXPECT_EQ(times_stuck, 0) << "of " << times_short;
}

TEST(FixStoreRoom, stores_in_memory_are_never_short_of_it) {
  MemoryStore store({.messages = 1, .bytes = 1000});
  ASSERT_TRUE(put(store, std::string(900, 'x')));
  EXPECT_FALSE(store.is_short_of_room());
}

/// A session that answers each order with `answers` reports of 1,000 bytes.
struct Answering final : testing::NotingHandler {
  void on_message(Session& session, const MessageView& message, Time) override {
    ++messages;
    for (int count = 0; count < answers; ++count) {
      Writer report = session.begin(type::k_execution_report);
      report.field(tag::k_text, std::string(1000, 'x'));
      refused += session.send(report) ? 0 : 1;
    }
    static_cast<void>(message);
  }
  void on_logout(Session&, std::string_view reason, Time) override { ended += std::string(reason) + ";"; }
  void on_trouble(Session&, const Error& error) override { trouble = error; }
  int answers = 1, messages = 0, refused = 0;
  std::string ended;
  Error trouble{};
};

/// Stores that nobody works for unless the test says so, and a peer that talks to one of their sessions.
struct Shortage {
  explicit Shortage(SessionConfig config = {}) {
    work(*stores);
    stores->deliver();
    peer.emplace();
    session.emplace(peer->scheduler, Peer::named(std::move(config)), handler, store_of(*stores, "ME"));
    session->on_open(transport, peer->now);
    send(peer->message("A", 1, "98=0|108=30|"));
    EXPECT_TRUE(session->is_logged_on());
  }
  ~Shortage() {
    if (session->is_connected()) session->on_closed(link::CloseReason::by_peer, peer->now);
  }
  void send(const std::string& bytes) {
    unread += bytes;
    look();
  }
  /// What the network does: shows what was not used while it is wanted.
  void look() {
    if (transport.is_reading && !transport.closed()) unread.erase(0, session->on_bytes(as_bytes(unread), peer->now));
  }
  void turn() {
    work(*stores);
    stores->deliver();
    look();
  }
  void order() { send(peer->message("D", ++number, peer->order("a"))); }

  journal::SimulatedDisk disk;
  std::unique_ptr<JournalStores> stores = testing::open_stores(disk, several_segments(4));
  Answering handler;
  std::optional<Peer> peer;  // of its session nothing is used
  testing::KeepingTransport transport;
  std::optional<Session> session;
  std::string unread;
  unsigned number = 1;
};

TEST(FixStoreRoom, a_session_reads_no_more_until_there_is_some) {
  Shortage room;
  room.handler.answers = 5;
  for (int count = 0; count < 200; ++count) room.order();
  EXPECT_FALSE(room.transport.is_reading);
  EXPECT_LT(room.handler.messages, 60);
  EXPECT_GT(room.handler.messages, 10);
  for (int turns = 0; turns < 50 && room.handler.messages < 200; ++turns) room.turn();
  EXPECT_EQ(room.handler.messages, 200);
  EXPECT_EQ(room.handler.refused, 0);
  EXPECT_TRUE(room.session->is_logged_on());
  EXPECT_EQ(room.handler.ended, "");
}

TEST(FixStoreRoom, what_came_early_waits_for_it_as_well) {
  Shortage room;
  // A gap in front of many messages: they are kept, and served when it is filled.
  const unsigned gap = ++room.number;
  for (int count = 0; count < 100; ++count) room.order();
  EXPECT_EQ(room.handler.messages, 0);
  room.handler.answers = 5;
  room.send(room.peer->message("4", gap, "36=" + std::to_string(gap + 1) + "|123=Y|"));
  EXPECT_FALSE(room.transport.is_reading);
  EXPECT_LT(room.handler.messages, 60);
  for (int turns = 0; turns < 50 && room.handler.messages < 100; ++turns) room.turn();
  EXPECT_EQ(room.handler.messages, 100);
  EXPECT_EQ(room.handler.refused, 0);
  EXPECT_EQ(room.handler.ended, "");
}

TEST(FixStoreRoom, a_peer_that_logs_on_while_it_is_short_is_not_read_either) {
  Shortage room;
  MessageStore& other = store_of(*room.stores, "OTHER");
  room.session->on_closed(link::CloseReason::by_peer, room.peer->now);
  while (!other.is_short_of_room()) ASSERT_TRUE(put(other, std::string(1000, 'x')));
  room.transport.reopen();
  room.session->on_open(room.transport, room.peer->now);
  room.send(room.peer->message("A", 2, "98=0|108=30|"));
  EXPECT_TRUE(room.session->is_logged_on());
  EXPECT_FALSE(room.transport.is_reading);
  room.number = 2;
  room.order();
  EXPECT_EQ(room.handler.messages, 0);
  room.turn();
  EXPECT_EQ(room.handler.messages, 1);
}

/// Slow is not full: a session that waits is not taken for silent, and none is ended.
TEST(FixStoreRoom, a_slow_disk_ends_nobody) {
  Shortage room;
  for (int count = 0; count < 300; ++count) room.order();
  EXPECT_FALSE(room.transport.is_reading);
  for (int second = 0; second < 600; second += 10) {
    room.peer->run_for(std::chrono::seconds{10});
    room.transport.kept.clear();
  }
  EXPECT_TRUE(room.session->is_logged_on());
  EXPECT_FALSE(room.transport.is_reading);
  for (int turns = 0; turns < 50 && room.handler.messages < 300; ++turns) room.turn();
  EXPECT_EQ(room.handler.messages, 300);
  EXPECT_EQ(room.handler.refused, 0);
}

TEST(FixStoreRoom, a_full_disk_ends_the_session_in_order_and_says_why) {
  for (const int stall : {10, 0}) {
    Shortage room({.stall_timeout = std::chrono::seconds{stall}});
    room.disk.fail_writes(ENOSPC);
    for (int count = 0; count < 300; ++count) {
      room.order();
      work(*room.stores);
      room.stores->deliver();
    }
    EXPECT_FALSE(room.transport.is_reading);
    EXPECT_EQ(room.handler.refused, 0);
    const int served = room.handler.messages;
    room.peer->run_for(std::chrono::seconds{9});
    EXPECT_FALSE(room.transport.closed());
    room.peer->run_for(std::chrono::seconds{2});
    ASSERT_TRUE(room.transport.closed());
    EXPECT_NE(room.transport.kept.find("58=messages cannot be stored\x01"), std::string::npos);
    EXPECT_EQ(room.handler.trouble.got, ENOSPC);
    room.session->on_closed(*room.transport.closed(), room.peer->now);
    EXPECT_EQ(room.handler.ended, "messages cannot be stored;");
    EXPECT_EQ(room.handler.messages, served) << "what was not read comes again with the peer's next resend";
    EXPECT_EQ(room.session->next_incoming().value, static_cast<std::uint64_t>(served) + 2);
    // There is room again: it logs on, and what was not read is asked for.
    room.disk.fail_writes(0);
    work(*room.stores);
    room.stores->deliver();
    room.transport.reopen();
    room.unread.clear();
    room.session->on_open(room.transport, room.peer->now);
    room.send(room.peer->message("A", room.number + 1, "98=0|108=30|"));
    EXPECT_TRUE(room.session->is_logged_on());
    EXPECT_NE(room.transport.kept.find("35=2\x01"), std::string::npos);
  }
}

}  // namespace
}  // namespace dojima::fix
