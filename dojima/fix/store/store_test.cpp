#include "dojima/fix/store.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <string>

#include "dojima/fix/session/early_messages.hpp"

namespace dojima::fix {
namespace {

/// Writes `text` as the next message, `offset` bytes into a room of `room_size`.
bool put(MemoryStore& store, std::string_view text, std::size_t room_size, std::size_t offset = 0) {
  const Room room = store.prepare(room_size);
  if (room.size() != room_size) return false;
  std::memcpy(room.data() + offset, text.data(), text.size());
  return store
      .commit({.sequence = store.next_outgoing(),
               .bytes = room.subspan(offset, text.size()),
               .header_size = 3,
               .type = type::k_execution_report,
               .sending_time = time::from_nanoseconds(7)})
      .has_value();
}

std::string text_at(const MemoryStore& store, std::uint64_t sequence) {
  const auto message = store.find_from({sequence});
  if (!message) return "none";
  return std::to_string(message->sequence.value) + " " + std::string(as_text(message->bytes));
}

TEST(FixStore, begins_at_1_both_ways_and_keeps_messages_by_number) {
  MemoryStore store({.messages = 10, .bytes = 1000});
  EXPECT_EQ(store.next_outgoing().value, 1u);
  EXPECT_EQ(store.next_incoming().value, 1u);
  ASSERT_TRUE(put(store, "one", 20, 4));
  ASSERT_TRUE(put(store, "two", 20));
  EXPECT_EQ(store.next_outgoing().value, 3u);
  EXPECT_EQ(text_at(store, 1), "1 one");
  EXPECT_EQ(text_at(store, 2), "2 two");
  EXPECT_EQ(text_at(store, 3), "none");
  EXPECT_EQ(store.find_from({1})->header_size, 3u);
  EXPECT_EQ(store.find_from({1})->type, type::k_execution_report);
  EXPECT_EQ(store.find_from({1})->sending_time, time::from_nanoseconds(7));
}

TEST(FixStore, overwrites_the_oldest_when_entries_or_bytes_run_out) {
  MemoryStore entries({.messages = 2, .bytes = 1000});
  MemoryStore bytes({.messages = 100, .bytes = 8});
  for (const char* text : {"one", "two", "six"}) {
    ASSERT_TRUE(put(entries, text, 3));
    ASSERT_TRUE(put(bytes, text, 3));
  }
  EXPECT_EQ(text_at(entries, 1), "2 two");
  EXPECT_EQ(text_at(bytes, 1), "2 two");
  EXPECT_EQ(entries.size(), 2u);
}

TEST(FixStore, gives_no_room_that_it_does_not_have) {
  MemoryStore store({.messages = 2, .bytes = 10});
  EXPECT_TRUE(store.prepare(11).empty());
  EXPECT_EQ(store.prepare(10).size(), 10u);
  EXPECT_THROW(MemoryStore({.messages = 0, .bytes = 10}), std::invalid_argument);
  EXPECT_THROW(MemoryStore({.messages = 1, .bytes = 0}), std::invalid_argument);
}

TEST(FixStore, numbers_can_be_set_forwards_and_backwards) {
  MemoryStore store({.messages = 10, .bytes = 1000});
  for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(put(store, text, 8));
  store.set_next_outgoing({10});
  ASSERT_TRUE(put(store, "ten", 8));
  EXPECT_EQ(text_at(store, 4), "10 ten");
  store.set_next_outgoing({3});
  EXPECT_EQ(text_at(store, 2), "2 two");
  EXPECT_EQ(text_at(store, 3), "none") << "what lies behind is forgotten";
  ASSERT_TRUE(put(store, "THREE", 8));
  EXPECT_EQ(text_at(store, 3), "3 THREE");
  store.set_next_incoming({99});
  EXPECT_EQ(store.next_incoming().value, 99u);
}

TEST(FixStore, a_reset_forgets_everything) {
  MemoryStore store({.messages = 10, .bytes = 1000});
  ASSERT_TRUE(put(store, "one", 8));
  store.set_next_incoming({5});
  store.reset(time::from_nanoseconds(3));
  EXPECT_EQ(store.next_outgoing().value, 1u);
  EXPECT_EQ(store.next_incoming().value, 1u);
  EXPECT_EQ(text_at(store, 1), "none");
}

RC_GTEST_PROP(FixStoreProperty, keeps_the_latest_messages_whole, ()) {
  const auto capacity = *rc::gen::inRange<std::size_t>(20, 200);
  const auto messages = *rc::gen::inRange<std::size_t>(1, 20);
  MemoryStore store({.messages = messages, .bytes = capacity});
  std::map<std::uint64_t, std::string> written;
  const auto steps = *rc::gen::inRange(1, 100);
  for (int step = 0; step < steps; ++step) {
    if (*rc::gen::inRange(0, 20) == 0) {
      const auto back = *rc::gen::inRange<std::uint64_t>(1, store.next_outgoing().value + 3);
      store.set_next_outgoing({back});
      written.erase(written.lower_bound(back), written.end());
    }
    const auto room = *rc::gen::inRange<std::size_t>(1, capacity + 1);
    const auto size = *rc::gen::inRange<std::size_t>(1, room + 1);
    const auto offset = *rc::gen::inRange<std::size_t>(0, room - size + 1);
    const std::string text(size, static_cast<char>('a' + step % 26));
    written[store.next_outgoing().value] = text;
    RC_ASSERT(put(store, text, room, offset));
    RC_ASSERT(store.size() <= messages);
    // What is kept is a run of the latest ones, each as it was written.
    std::uint64_t sequence = 0;
    std::size_t count = 0;
    while (const auto message = store.find_from({sequence})) {
      RC_ASSERT(as_text(message->bytes) == written.at(message->sequence.value));
      sequence = message->sequence.value + 1;
      ++count;
    }
    RC_ASSERT(count == store.size());
    RC_ASSERT(count >= 1u);
    RC_ASSERT(sequence == store.next_outgoing().value);
    auto expected = written.end();
    std::advance(expected, -static_cast<std::ptrdiff_t>(count));
    RC_ASSERT(store.find_from({0})->sequence.value == expected->first);
  }
}

TEST(FixEarlyMessages, gives_back_what_came_in_ascending_order) {
  EarlyMessages early(100);
  EXPECT_FALSE(early.front());
  EXPECT_TRUE(early.push({5}, as_bytes("five")));
  EXPECT_FALSE(early.push({5}, as_bytes("five")));
  EXPECT_FALSE(early.push({4}, as_bytes("four")));
  EXPECT_TRUE(early.push({7}, as_bytes("seven")));
  EXPECT_EQ(as_text(early.front()->message), "five");
  early.pop();
  EXPECT_EQ(early.front()->sequence.value, 7u);
  early.clear();
  EXPECT_TRUE(early.is_empty());
  early.pop();
  EXPECT_TRUE(early.push({1}, as_bytes("one"))) << "a new order begins when nothing waits";
}

TEST(FixEarlyMessages, sessions_share_buffers_and_give_them_back_when_nothing_waits) {
  EarlyBuffers buffers(1, 40);
  EarlyMessages left(0, &buffers);
  {
    EarlyMessages right(0, &buffers);
    EXPECT_TRUE(left.push({5}, as_bytes("five")));
    EXPECT_EQ(buffers.free(), 0u);
    EXPECT_FALSE(right.push({5}, as_bytes("five"))) << "the resend brings it";
    EXPECT_FALSE(right.front());
    right.pop();
    right.clear();
    EXPECT_EQ(as_text(left.front()->message), "five");
    left.pop();
    EXPECT_EQ(buffers.free(), 1u);
    EXPECT_FALSE(right.push({5}, as_bytes(std::string(30, 'x'))));
    EXPECT_EQ(buffers.free(), 1u) << "what does not fit leaves it free";
    EXPECT_TRUE(right.push({5}, as_bytes("five")));
    right.clear();
    EXPECT_EQ(buffers.free(), 1u);
    EXPECT_TRUE(right.push({6}, as_bytes("six")));
  }
  EXPECT_EQ(buffers.free(), 1u);
  EXPECT_TRUE(left.push({1}, as_bytes("one")));
}

TEST(FixEarlyMessages, refuses_what_does_not_fit) {
  EarlyMessages early(40);
  EXPECT_TRUE(early.push({1}, as_bytes("0123456789")));
  EXPECT_FALSE(early.push({2}, as_bytes("0123456789")));
  early.pop();
  EXPECT_TRUE(early.push({2}, as_bytes("0123456789")));
}

}  // namespace
}  // namespace dojima::fix
