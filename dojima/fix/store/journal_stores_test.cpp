// What is particular to stores in a journal: many sessions, the next life, how much is kept, and disks that fail.

#include "dojima/fix/journal_stores.hpp"

#include <cerrno>
#include <gtest/gtest.h>

#include "dojima/base/allocation_counter.hpp"
#include "dojima/fix/session_test_peer.hpp"
#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::open_stores;
using testing::put;
using testing::small;
using testing::store_of;
using testing::text_at;
using testing::work;

class FixJournalStores : public ::testing::TestWithParam<Durability> {
 public:
  [[nodiscard]] static JournalStoresOptions options() { return small(GetParam()); }
  journal::SimulatedDisk disk;
};

INSTANTIATE_TEST_SUITE_P(each_durability, FixJournalStores,
                         ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& made) { return std::string(journal::name_of(made.param)); });

TEST_P(FixJournalStores, numbers_and_messages_of_all_sessions_are_there_in_the_next_life) {
  {
    const auto stores = open_stores(disk, options());
    MessageStore& a = store_of(*stores, "A");
    MessageStore& b = store_of(*stores, "B");
    for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(put(a, text, 100));
    ASSERT_TRUE(put(b, "ONE"));
    a.set_next_incoming({17});
    a.set_next_outgoing({3});
    b.begin_anew({2}, time::from_nanoseconds(5));
    ASSERT_TRUE(put(b, "TWO"));
  }
  const auto stores = open_stores(disk, options());
  EXPECT_EQ(stores->sessions(), 2u);
  EXPECT_EQ(stores->messages(), 3u);
  MessageStore& b = store_of(*stores, "B");
  MessageStore& a = store_of(*stores, "A");
  EXPECT_EQ(a.next_outgoing().value, 3u);
  EXPECT_EQ(a.next_incoming().value, 17u);
  EXPECT_EQ(text_at(a, 1), "1 one");
  EXPECT_EQ(text_at(a, 2), "2 two");
  EXPECT_EQ(text_at(a, 3), "none");
  EXPECT_EQ(b.next_outgoing().value, 3u);
  EXPECT_EQ(b.next_incoming().value, 1u);
  EXPECT_EQ(text_at(b, 1), "2 TWO");
  EXPECT_EQ(a.numbers_begun(), std::nullopt);
  EXPECT_EQ(b.numbers_begun(), time::from_nanoseconds(5));
  EXPECT_EQ(a.may_leave(), a.next_outgoing());
  ASSERT_TRUE(put(a, "THREE"));
  EXPECT_EQ(text_at(a, 3), "3 THREE");
}

TEST_P(FixJournalStores, sessions_are_distinguished_by_all_their_names) {
  const auto stores = open_stores(disk, options());
  const SessionName name{"FIX.4.4", "VENUE", "A"};
  const auto store = stores->store(name);
  ASSERT_TRUE(store);
  EXPECT_EQ(*stores->store(name), *store);
  EXPECT_NE(*stores->store({"FIX.4.2", "VENUE", "A"}), *store);
  EXPECT_NE(*stores->store({"FIX.4.4", "OTHER", "A"}), *store);
  EXPECT_NE(*stores->store({"FIX.4.4", "VENUE", "B"}), *store);
  EXPECT_NE(*stores->store({"FIX.4.4", "VENUE", "A", "backup"}), *store);
  EXPECT_EQ(stores->sessions(), 5u);
  EXPECT_EQ(stores->store({"FIX.4.4", "VENUE", std::string(256, 'x')}).error().code, ErrorCode::out_of_range);
  EXPECT_EQ(stores->store({"", "VENUE", "A"}).error().code, ErrorCode::out_of_range);
}

TEST_P(FixJournalStores, messages_that_two_sessions_write_at_once_do_not_meet) {
  const auto stores = open_stores(disk, options());
  MessageStore& a = store_of(*stores, "A");
  MessageStore& b = store_of(*stores, "B");
  const Room left = a.prepare(10), right = b.prepare(10);
  std::ranges::fill(left, std::byte{'a'});
  std::ranges::fill(right, std::byte{'b'});
  ASSERT_TRUE(b.commit({.sequence = {1}, .bytes = right, .type = type::k_heartbeat}));
  a.set_next_incoming({2});
  ASSERT_TRUE(a.commit({.sequence = {1}, .bytes = left, .type = type::k_heartbeat}));
  EXPECT_EQ(text_at(a, 1), "1 aaaaaaaaaa");
  EXPECT_EQ(text_at(b, 1), "1 bbbbbbbbbb");
}

TEST_P(FixJournalStores, says_whether_the_last_message_is_still_where_it_was_written) {
  const auto stores = open_stores(disk, options());
  MessageStore& a = store_of(*stores, "A");
  MessageStore& b = store_of(*stores, "B");
  ASSERT_FALSE(a.prepare(10).empty());
  a.give_back_room();
  ASSERT_TRUE(put(b, "one"));
  EXPECT_TRUE(b.keeps_last_room());
  ASSERT_TRUE(put(a, "two"));
  EXPECT_TRUE(a.keeps_last_room());
  // Messages that wait for the disk have to stay.
  EXPECT_EQ(b.keeps_last_room(), GetParam() == Durability::power);
  // While one of them writes, the other one has a room of its own.
  const Room open = a.prepare(3);
  ASSERT_TRUE(put(b, "three"));
  ASSERT_TRUE(put(b, "four"));
  EXPECT_TRUE(b.keeps_last_room());
  std::ranges::fill(open, std::byte{'x'});
  ASSERT_TRUE(a.commit({.sequence = {2}, .bytes = open, .type = type::k_heartbeat}));
  EXPECT_TRUE(a.keeps_last_room());
  EXPECT_TRUE(b.keeps_last_room());
  EXPECT_EQ(text_at(a, 2), "2 xxx");
  EXPECT_EQ(text_at(b, 3), "3 four");
}

TEST_P(FixJournalStores, a_message_without_room_in_its_transport_leaves_as_it_was_although_another_session_wrote) {
  auto wide = options();
  wide.largest_message = 1024;
  const auto stores = open_stores(disk, wide);
  const SessionConfig config{.max_body = 512};
  testing::Peer slow(config, &store_of(*stores, "A")), other(config, &store_of(*stores, "B"));
  const auto say = [](Session& session, std::string_view text) {
    Writer writer = session.begin(type::k_execution_report);
    writer.field(tag::k_text, text);
    EXPECT_TRUE(session.send(writer));
  };
  for (testing::Peer* peer : {&slow, &other}) {
    peer->connect();
    peer->log_on();
    work(*stores);
    stores->deliver();
    EXPECT_EQ(peer->take().size(), 1u) << "a Logon";
  }
  slow.transport.capacity = 0;
  say(slow.session, "of the slow one");
  say(other.session, "of the other one, over it");
  slow.transport.capacity = std::size_t{1} << 16;
  work(*stores);
  stores->deliver();
  slow.session.on_writable(slow.now);
  EXPECT_EQ(slow.take(), std::vector<std::string>{"35=8|34=2|58=of the slow one|"});
  EXPECT_EQ(other.take(), std::vector<std::string>{"35=8|34=2|58=of the other one, over it|"});
}

TEST_P(FixJournalStores, keeps_so_many_messages_and_bytes_of_a_session) {
  auto few = options();
  few.messages_per_session = 10;
  few.bytes_per_session = 60;
  const auto stores = open_stores(disk, few);
  MessageStore& store = store_of(*stores, "A");
  for (int count = 0; count < 20; ++count) ASSERT_TRUE(put(store, "1"));
  EXPECT_EQ(text_at(store, 1), "11 1");
  for (int count = 0; count < 4; ++count) ASSERT_TRUE(put(store, "0123456789012345678901234"));
  EXPECT_EQ(stores->messages(), 2u) << "two of 25 bytes fit";
  ASSERT_TRUE(put(store, std::string(100, 'x')));
  EXPECT_EQ(stores->messages(), 1u) << "the newest is always kept";
  EXPECT_EQ(store.find_from({1})->sequence.value, 25u);
}

TEST_P(FixJournalStores, a_pool_that_is_used_up_loses_the_oldest_messages_of_all) {
  auto few = options();
  few.messages = 256;
  const auto stores = open_stores(disk, few);
  MessageStore& old = store_of(*stores, "OLD");
  MessageStore& busy = store_of(*stores, "BUSY");
  ASSERT_TRUE(put(old, "old"));
  for (int count = 0; count < 1000; ++count) {
    work(*stores);
    ASSERT_TRUE(put(busy, std::to_string(count)));
  }
  EXPECT_EQ(text_at(old, 1), "none");
  EXPECT_GT(stores->messages(), 3u * 64u - 1u);
  EXPECT_EQ(text_at(busy, 1000), "1000 999");
}

TEST_P(FixJournalStores, what_a_used_up_pool_kept_is_there_in_the_next_life_although_older_segments_are_gone) {
  auto few = options();
  few.messages = 64;
  std::string kept;
  {
    const auto stores = open_stores(disk, few);
    MessageStore& store = store_of(*stores, "A");
    store.set_next_outgoing({11});
    for (int count = 0; count < 241; ++count) {
      work(*stores);
      ASSERT_TRUE(put(store, std::string(50, 'x')));
    }
    kept = text_at(store, 1);
    EXPECT_TRUE(stores->journal().close());
  }
  const auto stores = open_stores(disk, few);
  EXPECT_GT(stores->journal().recovery().first.value, 1u);
  EXPECT_EQ(text_at(store_of(*stores, "A"), 1), kept) << "the oldest one";
}

/// Everything together, over many segments: the disk's bound, released segments, and numbers that survive all of it.
TEST_P(FixJournalStores, the_disk_is_bounded_and_no_number_is_lost_with_old_segments) {
  auto few = options();
  few.disk_bytes = std::uint64_t{10} * 4096;
  std::uint64_t written = 0;
  for (int life = 0; life < 3; ++life) {
    const auto stores = open_stores(disk, few);
    MessageStore& quiet = store_of(*stores, "QUIET");
    MessageStore& busy = store_of(*stores, "BUSY");
    if (life == 0) {
      ASSERT_TRUE(put(quiet, "once"));
      quiet.set_next_incoming({42});
    }
    for (int count = 0; count < 500; ++count) {
      work(*stores);
      ASSERT_TRUE(put(busy, std::string(100, 'x')));
      ++written;
      if (count % 5 == 0) busy.set_next_incoming({written + 1});
    }
    work(*stores);
    EXPECT_LE(disk.list()->size(), 11u) << "and the lock";
    EXPECT_EQ(busy.next_outgoing().value, written + 1);
    EXPECT_EQ(quiet.next_outgoing().value, 2u);
    EXPECT_EQ(quiet.next_incoming().value, 42u);
    EXPECT_EQ(text_at(quiet, 1), "none") << "its segment is gone";
    EXPECT_EQ(busy.find_from({written})->sequence.value, written);
    EXPECT_GT(stores->messages(), 50u);
  }
}

TEST_P(FixJournalStores, segments_in_which_nothing_is_kept_are_released_before_the_bound) {
  auto few = options();
  few.messages_per_session = 5;
  const auto stores = open_stores(disk, few);
  for (int count = 0; count < 500; ++count) {
    work(*stores);
    ASSERT_TRUE(put(store_of(*stores, "A"), std::string(200, 'x')));
  }
  work(*stores);
  EXPECT_LE(disk.list()->size(), 8u);
}

TEST_P(FixJournalStores, a_thousand_messages_of_many_sessions_are_found_again) {
  constexpr int k_sessions = 60;
  {
    const auto stores = open_stores(disk, options());
    for (int count = 0; count < 1200; ++count) {
      work(*stores);
      const int session = count * 7 % k_sessions;
      ASSERT_TRUE(put(store_of(*stores, std::to_string(session)), std::to_string(session * 1000 + count / k_sessions)));
    }
    EXPECT_TRUE(stores->journal().close());
  }
  const auto stores = open_stores(disk, options());
  EXPECT_EQ(stores->sessions(), 60u);
  for (int session = 0; session < k_sessions; ++session)
    for (std::uint64_t number = 1; number <= 20; ++number)
      ASSERT_EQ(text_at(store_of(*stores, std::to_string(session)), number),
                std::to_string(number) + " " + std::to_string(static_cast<std::uint64_t>(session) * 1000 + number - 1));
}

// ---- What cannot be opened -----------------------------------------------------------------------------------------

TEST_P(FixJournalStores, refuses_what_is_not_its_own_and_says_why) {
  {
    const auto stores = open_stores(disk, options());
  }
  auto other = options();
  other.name = "other";
  EXPECT_FALSE(JournalStores::open(disk, other));
  auto wrong = options();
  wrong.disk_bytes = std::uint64_t{6} * 4096;
  ASSERT_FALSE(JournalStores::open(disk, wrong));
  EXPECT_NE(JournalStores::open(disk, wrong).error().advice.find("spare_segments"), std::string::npos);
  wrong = options();
  wrong.messages = 0;
  EXPECT_FALSE(JournalStores::open(disk, wrong));
  {
    auto journal = journal::FileJournal::open(disk, {.identity = identity_of_store("test"),
                                                     .durability = GetParam(),
                                                     .segment_bytes = 4096,
                                                     .largest_record = 1048});
    ASSERT_TRUE(journal);
    static_cast<void>((*journal)->prepare(8));
    (*journal)->commit(8, 99);
  }
  const auto refused = JournalStores::open(disk, options());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::not_supported);
  EXPECT_EQ(refused.error().place.sequence.value, 1u);
  EXPECT_FALSE(refused.error().what.empty());
}

TEST_P(FixJournalStores, takes_records_that_another_wrote_whatever_their_numbers) {
  {
    auto journal = journal::FileJournal::open(disk, {.identity = identity_of_store("test"),
                                                     .durability = GetParam(),
                                                     .segment_bytes = 4096,
                                                     .largest_record = 1048});
    ASSERT_TRUE(journal);
    const auto write = [&](const StoreRecord& record) {
      write_store_record(record, (*journal)->prepare(size_of(record)));
      (*journal)->commit(size_of(record), static_cast<std::uint8_t>(record.kind));
    };
    const auto message = [&](std::uint64_t number) {
      write({.kind = StoreRecordKind::message,
             .session = 2,
             .next_incoming = {1},
             .message = {.sequence = {number}, .bytes = as_bytes("text")}});
    };
    for (const unsigned number : {5u, 9u, 7u, 8u}) message(number);
    for (const std::uint32_t session : {1u, 2u})
      write({.kind = StoreRecordKind::session,
             .session = session,
             .next_outgoing = {9},
             .next_incoming = {1},
             .name = {"FIX.4.4", "VENUE", session == 1 ? "A" : "B"}});
  }
  const auto stores = open_stores(disk, options());
  MessageStore& store = store_of(*stores, "B");
  EXPECT_EQ(text_at(store, 1), "5 text");
  EXPECT_EQ(text_at(store, 6), "7 text");
  EXPECT_EQ(text_at(store, 9), "none");
  EXPECT_EQ(store.next_outgoing().value, 9u);
}

// ---- Disks that fail -----------------------------------------------------------------------------------------------

TEST_P(FixJournalStores, a_full_disk_refuses_messages_but_a_logout_still_goes_and_later_all_goes_on) {
  auto stores = open_stores(disk, options());
  MessageStore& store = store_of(*stores, "A");
  disk.fail_writes(ENOSPC);
  std::uint64_t written = 0;
  Error refused;
  while (refused.code == ErrorCode::none && written < 1000) {
    work(*stores);
    if (const auto kept = put(store, std::string(200, 'x')); kept) {
      ++written;
    } else {
      refused = kept.error();
    }
  }
  EXPECT_NE(refused.code, ErrorCode::none);
  EXPECT_EQ(store.next_outgoing().value, written + 1) << "the number is not used up";
  const auto newest = store.find_from({written});
  EXPECT_TRUE(written == 0 || (newest && newest->sequence.value == written));
  store.set_next_incoming({500});
  EXPECT_EQ(store.next_incoming().value, 500u);
  EXPECT_FALSE(put(store, "x"));
  if (GetParam() == Durability::process) {
    EXPECT_TRUE(put(store, "bye", 3, 0, type::k_logout)) << "from the reserve";
    ++written;
  }
  disk.fail_writes(0);
  work(*stores);
  ASSERT_TRUE(put(store, "again"));
  EXPECT_EQ(text_at(store, written + 1), std::to_string(written + 1) + " again");
  work(*stores);
  stores.reset();
  stores = open_stores(disk, options());
  EXPECT_EQ(store_of(*stores, "A").next_outgoing().value, written + 2);
  EXPECT_EQ(store_of(*stores, "A").next_incoming().value, 500u) << "written once there was room";
}

TEST_P(FixJournalStores, a_reset_that_could_not_be_written_is_written_before_the_next_message) {
  auto stores = open_stores(disk, options());
  MessageStore& store = store_of(*stores, "A");
  for (int count = 0; count < 3; ++count) ASSERT_TRUE(put(store, "x"));
  disk.fail_writes(ENOSPC);
  // All the reserve is used up.
  while (put(store, std::string(300, 'x'), 300, 0, type::k_logout)) work(*stores);
  while (put(store, "y", 1, 0, type::k_logout)) work(*stores);
  store.begin_anew({2}, time::from_nanoseconds(6));
  store.set_next_incoming({9});
  EXPECT_EQ(store.next_outgoing().value, 2u);
  EXPECT_FALSE(put(store, "two"));
  disk.fail_writes(0);
  work(*stores);
  ASSERT_TRUE(put(store, "two"));
  work(*stores);
  stores.reset();
  stores = open_stores(disk, options());
  EXPECT_EQ(store_of(*stores, "A").next_outgoing().value, 3u);
  EXPECT_EQ(store_of(*stores, "A").next_incoming().value, 9u);
  EXPECT_EQ(text_at(store_of(*stores, "A"), 1), "2 two");
  EXPECT_EQ(stores->messages(), 1u);
  EXPECT_EQ(store_of(*stores, "A").numbers_begun(), time::from_nanoseconds(6));
}

TEST_P(FixJournalStores, a_verifier_is_kept_with_its_session_through_lives_and_checkpoints) {
  const SessionName a{"FIX.4.4", "VENUE", "A"}, b{"FIX.4.4", "VENUE", "B"};
  JournalStoresOptions few = options();
  few.messages_per_session = 4;
  {
    const auto stores = open_stores(disk, few);
    EXPECT_EQ(stores->set_verifier(a, "x").error().code, ErrorCode::missing);
    static_cast<void>(store_of(*stores, "A"));
    MessageStore& other = store_of(*stores, "B");
    const std::string longest(k_session_text_max, 'v');
    EXPECT_TRUE(stores->set_verifier(a, longest));
    EXPECT_EQ(stores->set_verifier(a, longest + "v").error().code, ErrorCode::out_of_range);
    EXPECT_EQ(stores->verifier(a), longest);
    EXPECT_TRUE(stores->set_verifier(a, "$6$salt$hash"));
    for (int count = 0; count < 200; ++count) {
      ASSERT_TRUE(put(other, std::string(300, 'x')));
      work(*stores);
    }
  }
  const auto stores = open_stores(disk, few);
  EXPECT_GT(stores->journal().recovery().first.value, 4u) << "the segment that it was written to is gone";
  EXPECT_EQ(stores->verifier(a), "$6$salt$hash");
  EXPECT_EQ(stores->verifier(b), "");
}

TEST_P(FixJournalStores, a_verifier_that_cannot_be_written_is_not_taken) {
  const SessionName a{"FIX.4.4", "VENUE", "A"};
  const auto stores = open_stores(disk, options());
  MessageStore& store = store_of(*stores, "A");
  ASSERT_TRUE(stores->set_verifier(a, "old"));
  work(*stores);
  disk.fail_writes(ENOSPC);
  while (put(store, std::string(300, 'x'))) work(*stores);
  while (put(store, "x")) work(*stores);
  const std::string longer(100, 'n');
  EXPECT_FALSE(stores->set_verifier(a, longer));
  EXPECT_EQ(stores->verifier(a), "old");
  disk.fail_writes(0);
  work(*stores);
  EXPECT_TRUE(stores->set_verifier(a, longer));
  EXPECT_EQ(stores->verifier(a), longer);
}

// ---- What may leave ------------------------------------------------------------------------------------------------

struct GateMoveCounter final : SendGateListener {
  void on_gate_moved() override { ++times; }
  int times = 0;
};

TEST(FixJournalStoresGate, with_power_nothing_leaves_before_it_is_on_the_disk) {
  journal::SimulatedDisk disk;
  const auto stores = open_stores(disk, small(Durability::power));
  MessageStore& a = store_of(*stores, "A");
  MessageStore& b = store_of(*stores, "B");
  GateMoveCounter moves;
  a.listen(&moves);
  work(*stores);
  ASSERT_TRUE(put(a, "one"));
  ASSERT_TRUE(put(b, "ONE"));
  EXPECT_EQ(a.may_leave().value, 1u);
  stores->deliver();
  EXPECT_EQ(moves.times, 0);
  EXPECT_TRUE(stores->journal().work(journal::FileJournal::Publish::later));
  ASSERT_TRUE(put(a, "two"));
  stores->journal().publish();
  EXPECT_EQ(a.may_leave().value, 2u) << "only the first one";
  EXPECT_EQ(b.may_leave().value, 2u);
  work(*stores);
  stores->deliver();
  EXPECT_EQ(moves.times, 1);
  EXPECT_EQ(a.may_leave().value, 3u);
  stores->deliver();
  EXPECT_EQ(moves.times, 1);
  ASSERT_TRUE(put(a, "three"));
  work(*stores);
  stores->deliver();
  EXPECT_EQ(moves.times, 2);
  a.listen(nullptr);
}

// ---- Cost ----------------------------------------------------------------------------------------------------------

TEST(FixJournalStoresCost, writing_takes_no_memory_once_it_runs) {
  if (!counts_heap_allocations()) GTEST_SKIP() << "sanitizer builds keep their own operator new";
  journal::SimulatedDisk disk;
  auto plenty = small(Durability::process);
  plenty.segment_bytes = std::size_t{1} << 20;
  plenty.disk_bytes = std::uint64_t{1} << 24;
  plenty.messages = 256;
  const auto stores = open_stores(disk, plenty);
  MessageStore& a = store_of(*stores, "A");
  MessageStore& b = store_of(*stores, "B");
  ASSERT_TRUE(put(a, "message"));
  ASSERT_TRUE(put(b, "message"));
  EXPECT_EQ(text_at(a, 1), "1 message");
  const std::uint64_t before = heap_allocations();
  bool is_good = true;
  for (std::uint64_t count = 2; count < 1000; ++count) {
    is_good &= put(a, "message").has_value() && put(b, "message").has_value();
    a.set_next_incoming({count});
    is_good &= a.find_from({count})->sequence.value == count;
    stores->deliver();
  }
  EXPECT_TRUE(is_good);
  EXPECT_EQ(heap_allocations(), before);
}

}  // namespace
}  // namespace dojima::fix
