// A state that the user of sessions keeps in their journal: pieces by themselves and with messages come back in their
// order, those that go with a message together with it or not at all, and the state is written anew as old segments go.

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::open_stores;
using testing::put;
using testing::store_of;
using testing::text_at;
using testing::work;

/// Pairs of a letter and a digit; the last one of a letter counts.
class Letters final : public StateKeeper {
 public:
  void begin_checkpoint() override {
    next_ = '\0';
    ++checkpoints;
  }
  std::size_t write_checkpoint(Room room) override {
    const auto found = values.upper_bound(next_);
    if (found == values.end()) return 0;
    next_ = found->first;
    room[0] = std::byte(found->first);
    room[1] = std::byte(found->second);
    return 2;
  }
  void apply(Bytes state) { values[static_cast<char>(state[0])] = static_cast<char>(state[1]); }

  std::map<char, char> values;
  int checkpoints = 0;

 private:
  char next_ = '\0';
};

class FixStoreState : public ::testing::TestWithParam<Durability> {
 public:
  /// The next life; what its journal says is in `letters`.
  std::unique_ptr<JournalStores> open() {
    letters = {};
    read.clear();
    JournalStoresOptions options = testing::small(GetParam());
    options.segment_bytes = 8192;
    options.state_bytes = 1024;
    options.disk_bytes = std::uint64_t{8192} * 12;
    options.on_state = [this](Bytes state) -> Result<void> {
      letters.apply(state);
      read += as_text(state);
      return {};
    };
    auto stores = open_stores(disk, options);
    stores->keep_state_of(&letters);
    return stores;
  }
  journal::SimulatedDisk disk;
  Letters letters;
  std::string read;
};

INSTANTIATE_TEST_SUITE_P(each_durability, FixStoreState,
                         ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& made) { return std::string(journal::name_of(made.param)); });

TEST_P(FixStoreState, pieces_come_back_in_their_order_alone_and_with_messages) {
  {
    const auto stores = open();
    MessageStore& store = store_of(*stores, "A");
    ASSERT_TRUE(stores->write_state(as_bytes("a1"), false));
    stores->carry_state(as_bytes("b2"));
    EXPECT_FALSE(stores->is_state_carried());
    ASSERT_TRUE(put(store, "one", 100));
    EXPECT_TRUE(stores->is_state_carried());
    ASSERT_TRUE(put(store, "two"));
    ASSERT_TRUE(stores->write_state(as_bytes("a3"), true));
    EXPECT_EQ(text_at(store, 1), "1 one");
  }
  const auto stores = open();
  EXPECT_EQ(read, "a1b2a3");
  EXPECT_EQ(text_at(store_of(*stores, "A"), 1), "1 one");
  EXPECT_EQ(text_at(store_of(*stores, "A"), 2), "2 two");
}

TEST_P(FixStoreState, a_message_that_is_not_kept_carries_nothing) {
  const auto stores = open();
  MessageStore& store = store_of(*stores, "A");
  disk.fail_writes(28);
  while (put(store, std::string(400, 'x'))) work(*stores);
  // What carries a state may use the reserve, as the state alone may.
  int kept = 0;
  for (stores->carry_state(as_bytes("a1")); put(store, std::string(400, 'x')); stores->carry_state(as_bytes("a1"))) {
    EXPECT_TRUE(stores->is_state_carried());
    EXPECT_FALSE(put(store, std::string(400, 'x')));
    ++kept;
  }
  EXPECT_GT(kept, 5);
  EXPECT_FALSE(stores->is_state_carried());
}

TEST_P(FixStoreState, what_is_kept_while_a_message_is_worked_on_says_that_it_was_received) {
  {
    const auto stores = open();
    MessageStore& store = store_of(*stores, "A");
    store.set_next_incoming({7});
    store.count_received({8});
    ASSERT_TRUE(put(store, "answer"));
    MessageStore& other = store_of(*stores, "B");
    other.count_received({3});
    ASSERT_TRUE(stores->write_state(as_bytes("a1"), false, &other));
    EXPECT_EQ(store.next_incoming().value, 7u);
    EXPECT_EQ(other.next_incoming().value, 1u);
    work(*stores);
    disk.end_process();
  }
  disk.restart();
  const auto stores = open();
  EXPECT_EQ(store_of(*stores, "A").next_incoming().value, 8u);
  EXPECT_EQ(store_of(*stores, "B").next_incoming().value, 3u);
  store_of(*stores, "A").count_received({20});
  store_of(*stores, "A").set_next_incoming({9});
  ASSERT_TRUE(put(store_of(*stores, "A"), "later"));
  work(*stores);
  EXPECT_EQ(store_of(*stores, "A").next_incoming().value, 9u);
}

/// A checkpoint that begins while a message is worked on writes the session's numbers anew behind what was kept of it,
/// and the process may end right there.
TEST_P(FixStoreState, numbers_written_anew_while_a_message_is_worked_on_say_of_it_what_was_kept) {
  {
    const auto stores = open();
    MessageStore& kept = store_of(*stores, "KEPT");
    MessageStore& changed = store_of(*stores, "CHANGED");
    MessageStore& begun = store_of(*stores, "BEGUN");
    for (MessageStore* const store : {&kept, &changed, &begun}) {
      store->set_next_incoming({7});
      store->count_received({8});
    }
    ASSERT_TRUE(put(kept, "answer"));
    ASSERT_TRUE(stores->write_state(as_bytes("a1"), false, &changed));
    for (MessageStore* const store : {&kept, &changed, &begun}) store->set_numbers_begun(time::from_nanoseconds(9));
    work(*stores);
    disk.end_process();
  }
  disk.restart();
  {
    const auto stores = open();
    EXPECT_EQ(store_of(*stores, "KEPT").next_incoming().value, 8u);
    EXPECT_EQ(store_of(*stores, "CHANGED").next_incoming().value, 8u);
    EXPECT_EQ(store_of(*stores, "BEGUN").next_incoming().value, 7u) << "its answer would be lost";
    // Of a segment's checkpoint, while the message that filled the one before is worked on.
    MessageStore& store = store_of(*stores, "KEPT");
    store.count_received({9});
    const std::uint64_t segment = stores->journal().segment_in_use();
    for (int count = 0; count < 100 && stores->journal().segment_in_use() == segment; ++count) {
      ASSERT_TRUE(put(store, std::string(300, 'm')));
      work(*stores);
    }
    ASSERT_GT(stores->journal().segment_in_use(), segment);
    disk.end_process();
  }
  disk.restart();
  EXPECT_EQ(store_of(*open(), "KEPT").next_incoming().value, 9u);
}

/// What the session says itself counts, also where it is less.
TEST_P(FixStoreState, a_number_that_is_set_is_written_anew_whatever_was_received_before) {
  {
    const auto stores = open();
    MessageStore& set = store_of(*stores, "SET");
    MessageStore& reset = store_of(*stores, "RESET");
    for (MessageStore* const store : {&set, &reset}) {
      store->count_received({20});
      ASSERT_TRUE(put(*store, "answer"));
    }
    set.set_next_incoming({5});
    reset.begin_anew({1}, time::from_nanoseconds(11));
    for (MessageStore* const store : {&set, &reset}) store->set_numbers_begun(time::from_nanoseconds(12));
    work(*stores);
    disk.end_process();
  }
  disk.restart();
  const auto stores = open();
  EXPECT_EQ(store_of(*stores, "SET").next_incoming().value, 5u);
  EXPECT_EQ(store_of(*stores, "RESET").next_incoming().value, 1u);
}

TEST_P(FixStoreState, the_state_is_written_anew_and_old_segments_go) {
  std::map<char, char> expected;
  for (int life = 0; life < 3; ++life) {
    const auto stores = open();
    EXPECT_EQ(letters.values, expected) << life;
    MessageStore& store = store_of(*stores, "A");
    // A piece of the state goes with as many bytes of messages: a whole one takes about 320 of these.
    for (int count = 0; count < 1600; ++count) {
      const char piece[2] = {static_cast<char>('a' + (count * 7 + life) % (count < 1500 ? 26 : 3)),
                             static_cast<char>('0' + (count + life) % 10)};
      const Bytes bytes = as_bytes({piece, 2});
      letters.apply(bytes);
      if (count % 2 == 0) {
        stores->carry_state(bytes);
        ASSERT_TRUE(put(store, std::string(300, 'm')));
        ASSERT_TRUE(stores->is_state_carried());
      } else {
        ASSERT_TRUE(stores->write_state(bytes, false));
      }
      work(*stores);
    }
    EXPECT_GT(letters.checkpoints, 3);
    EXPECT_GT(stores->journal().recovery().first.value + 1, life == 0 ? 0u : 100u);
    expected = letters.values;
  }
}

/// The journal must not lose a state because it was opened by somebody who does not know it.
TEST_P(FixStoreState, a_journal_with_a_state_and_nobody_to_write_it_anew_removes_nothing) {
  {
    const auto stores = open();
    ASSERT_TRUE(stores->write_state(as_bytes("a1"), false));
  }
  {
    const auto stores = open();
    stores->keep_state_of(nullptr);
    for (int count = 0; count < 400; ++count) {
      ASSERT_TRUE(put(store_of(*stores, "A"), std::string(300, 'm')));
      work(*stores);
    }
  }
  const auto stores = open();
  EXPECT_EQ(letters.values, (std::map<char, char>{{'a', '1'}}));
}

}  // namespace
}  // namespace dojima::fix
