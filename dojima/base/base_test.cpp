#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>
#include <set>
#include <thread>

#include "dojima/base/bytes.hpp"
#include "dojima/base/error.hpp"
#include "dojima/base/fixed_map.hpp"
#include "dojima/base/pool.hpp"
#include "dojima/base/ring.hpp"
#include "dojima/base/text.hpp"

namespace dojima {
namespace {

TEST(Error, describes_itself_in_one_line_with_everything_it_knows) {
  char text[160];
  EXPECT_EQ(describe(Error{ErrorCode::out_of_range, 38, 61, -5, "a whole number > 0"}, text),
            "out of range: field 38, offset 61, got -5, expected a whole number > 0");
  EXPECT_EQ(describe(Error{ErrorCode::missing}, text), "missing");
}

TEST(Error, is_cut_to_the_room_it_is_given) {
  char text[10];
  EXPECT_EQ(describe(Error{ErrorCode::out_of_range, 38, 0, 0, "something long"}, text), "out of ran");
  EXPECT_EQ(describe(Error{ErrorCode::out_of_range}, std::span<char>{}), "");
}

TEST(Error, every_code_has_a_name) {
  std::set<std::string_view> names;
  for (std::uint16_t code = 0; code <= static_cast<std::uint16_t>(ErrorCode::wrong_state); ++code) {
    EXPECT_TRUE(names.insert(name_of(static_cast<ErrorCode>(code))).second) << code;
  }
  EXPECT_EQ(name_of(static_cast<ErrorCode>(999)), "unnamed error");
}

TEST(Assert, stops_the_process_and_says_what_was_broken) {
  EXPECT_DEATH(DOJIMA_ASSERT(1 + 1 == 3, "sums are right"), "sums are right .1 . 1 == 3.");
}

TEST(Bytes, little_endian_numbers_are_read_where_they_were_written) {
  std::byte memory[16]{};
  store_little(Room(memory), 3, std::uint32_t{0x01020304});
  EXPECT_EQ(memory[3], std::byte{4});
  EXPECT_EQ(memory[6], std::byte{1});
  EXPECT_EQ(load_little<std::uint32_t>(Bytes(memory), 3), 0x01020304u);
  EXPECT_DEATH((void)load_little<std::uint32_t>(Bytes(memory), 13), "inside the view");
}

TEST(Text, keeps_what_fits_and_refuses_what_does_not) {
  EXPECT_EQ(Text<5>::from("ABCDE").value().view(), "ABCDE");
  EXPECT_EQ(Text<5>::from("ABCDEF").error().code, ErrorCode::too_long);
  EXPECT_EQ(Text<5>::cut("ABCDEF").view(), "ABCDE");
  EXPECT_TRUE(Text<5>{}.is_empty());
  EXPECT_EQ(Text<5>::cut("AB"), Text<5>::cut("AB"));
}

TEST(Pool, gives_slots_out_oldest_first_and_refuses_when_all_are_taken) {
  Pool<int> pool(3);
  EXPECT_EQ(pool.acquire(), 0u);
  EXPECT_EQ(pool.acquire(), 1u);
  EXPECT_EQ(pool.acquire(), 2u);
  EXPECT_FALSE(pool.acquire().has_value());
  pool.release(2);
  pool.release(0);
  EXPECT_EQ(pool.acquire(), 2u);
  EXPECT_EQ(pool.acquire(), 0u);
  EXPECT_TRUE(pool.is_full());
  pool.release(1);
  EXPECT_FALSE(pool.is_used(1));
  EXPECT_DEATH(pool.release(1), "only a taken slot");
}

RC_GTEST_PROP(Pool, behaves_like_a_queue_of_free_slots, (const std::vector<bool>& steps)) {
  Pool<int> pool(8);
  std::deque<std::uint32_t> free{0, 1, 2, 3, 4, 5, 6, 7}, taken;
  for (const bool is_acquire : steps) {
    if (is_acquire) {
      const auto slot = pool.acquire();
      RC_ASSERT(slot.has_value() == !free.empty());
      if (!slot) continue;
      RC_ASSERT(*slot == free.front());
      free.pop_front();
      taken.push_back(*slot);
    } else if (!taken.empty()) {
      pool.release(taken.front());
      free.push_back(taken.front());
      taken.pop_front();
    }
    RC_ASSERT(pool.size() == taken.size());
  }
}

RC_GTEST_PROP(FixedMap, behaves_like_a_map_of_limited_size, ()) {
  struct Key {
    std::uint64_t value;
  };
  FixedMap<Key, int> map(12);
  std::map<std::uint64_t, int> model;
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange(0, 20)));
  int value = 0;
  for (const auto& [action, number] : steps) {
    const Key key{static_cast<std::uint64_t>(number)};
    if (action < 2) {
      const bool fits = model.size() < 12 && !model.contains(key.value);
      RC_ASSERT(map.insert(key, ++value) == fits);
      if (fits) model[key.value] = value;
    } else if (action == 2) {
      RC_ASSERT(map.erase(key) == (model.erase(key.value) == 1));
    } else {
      const bool fits = model.contains(key.value) || model.size() < 12;
      RC_ASSERT(map.assign(key, ++value) == fits);
      if (fits) model[key.value] = value;
    }
    RC_ASSERT(map.size() == model.size());
    for (std::uint64_t probe = 0; probe < 20; ++probe) {
      const int* found = map.find(Key{probe});
      RC_ASSERT((found != nullptr) == model.contains(probe));
      if (found != nullptr) RC_ASSERT(*found == model.at(probe));
    }
  }
}

TEST(FixedMap, keeps_every_entry_of_a_full_map_while_others_come_and_go) {
  constexpr std::size_t k_capacity = 2'000;
  FixedMap<std::uint64_t, std::uint64_t> map(k_capacity);
  std::vector<std::uint64_t> keys;
  std::vector<std::size_t> cells;  // where insert_at() says that they lie
  std::uint64_t next = 0;
  for (std::uint64_t turn = 0; turn < 60'000; ++turn) {
    if (keys.size() == k_capacity) {
      ASSERT_TRUE(map.is_full());
      ASSERT_FALSE(map.insert(~turn, 0));
      const std::size_t at = turn * 7919 % k_capacity;
      if (turn % 2 == 0)
        ASSERT_TRUE(map.erase(keys[at]));
      else
        map.erase_at(cells[at]);
      ASSERT_EQ(map.find(keys[at]), nullptr);
      ASSERT_FALSE(map.erase(keys[at]));
      keys[at] = keys.back();
      keys.pop_back();
      cells[at] = cells.back();
      cells.pop_back();
    }
    keys.push_back(++next * 64);
    cells.push_back(map.insert_at(keys.back(), next));
    ASSERT_NE(cells.back(), map.k_nowhere);
    ASSERT_FALSE(map.insert(keys.back(), 0));
    ASSERT_EQ(map.insert_at(keys.back(), 0), map.k_nowhere);
  }
  for (const std::uint64_t key : keys) {
    ASSERT_NE(map.find(key), nullptr);
    ASSERT_EQ(*map.find(key), key / 64);
  }
}

TEST(FixedMap, takes_the_hash_of_a_key_that_was_asked_for_before) {
  using Map = FixedMap<std::uint64_t, int>;
  Map map(100);
  for (std::uint64_t key = 0; key < 100; ++key) {
    const Map::Hash hash = Map::hash_of(key);
    map.prefetch(hash);
    map.prefetch_cell(hash);
    ASSERT_NE(map.insert_at(key, static_cast<int>(key), hash), Map::k_nowhere);
    ASSERT_EQ(map.insert_at(key, -1, hash), Map::k_nowhere);
  }
  ASSERT_EQ(map.insert_at(100, -1, Map::hash_of(100)), Map::k_nowhere);  // full
  for (std::uint64_t key = 0; key < 100; ++key) {
    const Map::Hash hash = Map::hash_of(key);
    ASSERT_NE(map.find(key, hash), nullptr);
    EXPECT_EQ(map.find(key, hash), map.find(key));
    EXPECT_EQ(*map.find(key, hash), static_cast<int>(key));
    EXPECT_EQ(&map.hint(hash), &map.hint(key));
  }
  EXPECT_EQ(map.find(100, Map::hash_of(100)), nullptr);
}

TEST(FixedMap, hashes_are_the_same_everywhere) {
  // Written down once; another value means that a journal replayed on another build could take another path.
  EXPECT_EQ(hash_bytes("ORD-1", 5), hash_bytes("ORD-1", 5));
  EXPECT_NE(hash_bytes("ORD-1", 5), hash_bytes("ORD-2", 5));
  EXPECT_NE(hash_bytes("\0", 1), hash_bytes("\0\0", 2));
}

TEST(SpscRing, puts_a_record_together_where_it_lies_unless_it_is_full) {
  struct Pair {
    int left = 1, right = 2;
  };
  SpscRing<Pair> ring(2);
  EXPECT_TRUE(ring.push_in_place([](Pair& pair) { pair.left = 3; }));
  EXPECT_TRUE(ring.push({.left = 4, .right = 5}));
  EXPECT_FALSE(ring.push_in_place([](Pair& pair) { pair.left = 6; }));
  Pair popped;
  ASSERT_TRUE(ring.pop(popped));
  EXPECT_EQ(popped.left, 3);
  EXPECT_EQ(popped.right, 2);
  ASSERT_TRUE(ring.pop(popped));
  ASSERT_TRUE(ring.push({.left = 7, .right = 8}));
  ASSERT_TRUE(ring.push_in_place([](Pair& pair) { pair.right = 9; }));
  ASSERT_TRUE(ring.pop(popped));
  ASSERT_TRUE(ring.pop(popped));
  EXPECT_EQ(popped.left, 4) << "what it does not write is left over from the record before";
  EXPECT_EQ(popped.right, 9);
}

TEST(SpscRing, shows_its_oldest_record_until_that_is_dropped) {
  SpscRing<int> ring(2);
  EXPECT_EQ(ring.front(), nullptr);
  ASSERT_TRUE(ring.push(1));
  ASSERT_TRUE(ring.push(2));
  ASSERT_NE(ring.front(), nullptr);
  EXPECT_EQ(*ring.front(), 1);
  *ring.front() = 7;
  EXPECT_FALSE(ring.push(3)) << "what is only looked at still takes its place";
  EXPECT_EQ(*ring.front(), 7);
  ring.drop();
  EXPECT_TRUE(ring.push(3));
  EXPECT_EQ(*ring.front(), 2);
  ring.drop();
  int value = 0;
  EXPECT_TRUE(ring.pop(value));
  EXPECT_EQ(value, 3);
  EXPECT_EQ(ring.front(), nullptr);
}

TEST(SpscRing, hides_what_is_staged_until_it_is_published) {
  SpscRing<int> ring(4);
  const auto stage = [&ring](int value) { return ring.stage_in_place([value](int& place) { place = value; }); };
  ASSERT_TRUE(stage(1));
  ASSERT_TRUE(stage(2));
  int value = 0;
  EXPECT_FALSE(ring.pop(value));
  EXPECT_EQ(ring.size(), 0u);
  ring.publish();
  EXPECT_EQ(ring.size(), 2u);
  ASSERT_TRUE(stage(3));
  ASSERT_TRUE(ring.pop(value));
  EXPECT_EQ(value, 1);
  ASSERT_TRUE(ring.push(4)) << "what was staged before it comes with it";
  EXPECT_EQ(ring.size(), 3u);
  ASSERT_TRUE(stage(5));
  EXPECT_FALSE(stage(6)) << "staged records take their place";
  for (int expected = 2; expected <= 4; ++expected) {
    ASSERT_TRUE(ring.pop(value));
    EXPECT_EQ(value, expected);
  }
  EXPECT_FALSE(ring.pop(value));
}

TEST(SpscRing, shows_all_records_that_it_counted) {
  SpscRing<int> ring(2);
  EXPECT_EQ(ring.look(), 0u);
  ASSERT_TRUE(ring.push(1));
  ASSERT_TRUE(ring.push(2));
  ASSERT_EQ(ring.look(), 2u);
  EXPECT_EQ(ring.at(0), 1);
  EXPECT_EQ(ring.at(1), 2);
  ring.drop();
  ASSERT_TRUE(ring.push(3));
  EXPECT_EQ(ring.at(0), 2);
  EXPECT_DEATH(static_cast<void>(ring.at(1)), "a record is read once it was seen");
  ASSERT_EQ(ring.look(), 2u);
  EXPECT_EQ(ring.at(1), 3);
}

TEST(SpscRing, refuses_when_full_and_says_when_it_is_empty) {
  SpscRing<int> ring(4);
  int value = 0;
  EXPECT_FALSE(ring.pop(value));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(ring.push(i));
  EXPECT_FALSE(ring.push(4));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(ring.pop(value));
    EXPECT_EQ(value, i);
  }
  EXPECT_FALSE(ring.pop(value));
  EXPECT_EQ(SpscRing<int>(5).capacity(), 8u);
}

TEST(SpscRing, carries_every_record_in_order_between_two_threads) {
  struct Record {
    std::uint64_t number, twice;
  };
  constexpr std::uint64_t k_count = 200'000;
  SpscRing<Record> ring(64);
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < k_count;) {
      if (ring.push({i, 2 * i})) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  Record record{};
  for (std::uint64_t i = 0; i < k_count;) {
    if (!ring.pop(record)) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(record.number, i);
    ASSERT_EQ(record.twice, 2 * i);
    ++i;
  }
  producer.join();
  EXPECT_EQ(ring.size(), 0u);
}

}  // namespace
}  // namespace dojima
