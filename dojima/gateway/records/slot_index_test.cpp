#include "dojima/gateway/records/slot_index.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

#include "dojima/gateway/records/slot_queue.hpp"

namespace dojima::gateway {
namespace {

/// So many different hashes, few of which make long rows of places.
struct KeyHashes {
  std::uint64_t hashes;
  std::uint64_t first_place = 0;  ///< of 181, the places of 120 slots; 0: anywhere

  /// Both halves take part: the upper one says the place, the lower one the part of it that is kept.
  [[nodiscard]] std::uint64_t of(std::uint64_t key) const noexcept {
    if (first_place != 0) return (((first_place + key % hashes * 5) << 32U) / 181 + 1) << 32U | key << 16U;
    const std::uint64_t hash = key % hashes * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash << 32U;
  }
};

/// An index of keys in slots, and a map that gives the same by a search.
class IndexedKeys {
 public:
  IndexedKeys(std::uint32_t capacity, KeyHashes hashes) : index_(capacity), keys_(capacity, 0), hashes_(hashes) {}

  void add(std::uint32_t slot, std::uint64_t key) {
    keys_[slot] = key;
    index_.insert(hash_of(key), slot);
    model_[key] = slot;
  }
  void erase(std::uint32_t slot) {
    model_.erase(keys_[slot]);
    EXPECT_TRUE(
        index_.erase(hash_of(keys_[slot]), slot, [this](std::uint32_t other) { return hash_of(keys_[other]); }));
    EXPECT_FALSE(
        index_.erase(hash_of(keys_[slot]), slot, [this](std::uint32_t other) { return hash_of(keys_[other]); }));
  }
  void expect_all(std::uint64_t keys_end) const {
    ASSERT_EQ(index_.size(), model_.size());
    for (std::uint64_t key = 0; key < keys_end; ++key) {
      const std::uint32_t found = index_.find(hash_of(key), [&](std::uint32_t slot) { return keys_[slot] == key; });
      const auto expected = model_.find(key);
      ASSERT_EQ(found, expected == model_.end() ? SlotIndex::k_nowhere : expected->second) << key;
    }
  }

 private:
  [[nodiscard]] std::uint64_t hash_of(std::uint64_t key) const noexcept { return hashes_.of(key); }

  SlotIndex index_;
  std::vector<std::uint64_t> keys_;
  std::map<std::uint64_t, std::uint32_t> model_;
  KeyHashes hashes_;
};

void expect_what_a_map_finds(std::uint32_t slots, KeyHashes hashes, std::uint32_t seed) {
  const std::uint64_t keys_end = std::uint64_t{slots} * 3;
  std::mt19937 random(seed);
  IndexedKeys keys(slots, hashes);
  std::vector<std::uint64_t> key_of(slots, keys_end);
  std::vector<bool> is_used_key(keys_end, false);
  for (int step = 0; step < 300; ++step) {
    const auto slot = static_cast<std::uint32_t>(random() % slots);
    const std::uint64_t key = random() % keys_end;
    if (key_of[slot] != keys_end) {
      keys.erase(slot);
      is_used_key[key_of[slot]] = false;
      key_of[slot] = keys_end;
    } else if (!is_used_key[key]) {
      keys.add(slot, key);
      is_used_key[key] = true;
      key_of[slot] = key;
    }
    keys.expect_all(keys_end);
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << slots << " slots, seed " << seed;
  }
}

TEST(SlotIndex, finds_what_a_map_finds) {
  for (const std::uint64_t spread : {1U, 2U, 5U, 64U})
    for (std::uint32_t seed = 0; seed < 8; ++seed) expect_what_a_map_finds(24, {spread}, seed);
}

TEST(SlotIndex, finds_it_farther_from_its_home_than_a_place_can_say) {
  for (const std::uint64_t spread : {1U, 3U}) expect_what_a_map_finds(120, {spread}, 1);
}

/// Keys of two homes a little apart, in one row that goes over the end of the places and begins anew at their front.
TEST(SlotIndex, finds_it_in_a_row_over_the_end) {
  expect_what_a_map_finds(120, {.hashes = 2, .first_place = 175}, 1);
}

TEST(SlotIndex, reads_no_record_to_erase_one_where_rows_are_short) {
  constexpr std::uint32_t k_slots = 1'000;
  SlotIndex index(k_slots);
  const auto hash_of = [](std::uint32_t slot) { return (slot + 1) * 0x9e3779b97f4a7c15ULL; };
  for (std::uint32_t slot = 0; slot < k_slots; ++slot) index.insert(hash_of(slot), slot);
  int read = 0;
  for (std::uint32_t slot = 0; slot < k_slots; slot += 2)
    EXPECT_TRUE(index.erase(hash_of(slot), slot, [&](std::uint32_t other) {
      ++read;
      return hash_of(other);
    }));
  EXPECT_EQ(read, 0);
  for (std::uint32_t slot = 0; slot < k_slots; ++slot)
    EXPECT_EQ(index.find(hash_of(slot), [=](std::uint32_t found) { return found == slot; }),
              slot % 2 == 0 ? SlotIndex::k_nowhere : slot);
}

TEST(SlotIndex, a_slot_may_be_found_in_the_place_of_another) {
  SlotIndex index(4);
  index.insert(7, 1);
  EXPECT_TRUE(index.replace(7, 1, 3));
  EXPECT_FALSE(index.replace(7, 1, 2)) << "it is gone";
  EXPECT_EQ(index.find(7, [](std::uint32_t) { return true; }), 3u);
  EXPECT_EQ(index.size(), 1u);
}

/// In the middle of a row it is found by its own hash, and moves when one before it goes.
TEST(SlotIndex, a_slot_takes_all_that_the_other_had_in_its_place) {
  SlotIndex index(16);
  const std::uint64_t hashes[] = {0x1111'0000, 0x2222'0000, 0x3333'0000};  // of one home
  for (std::uint32_t slot = 0; slot < 3; ++slot) index.insert(hashes[slot], slot);
  EXPECT_TRUE(index.replace(hashes[1], 1, 9));
  const auto found = [&](std::uint64_t hash) { return index.find(hash, [](std::uint32_t) { return true; }); };
  EXPECT_EQ(found(hashes[1]), 9u);
  EXPECT_TRUE(index.erase(hashes[0], 0, [&](std::uint32_t slot) { return hashes[slot == 9 ? 1 : slot]; }));
  EXPECT_EQ(found(hashes[0]), SlotIndex::k_nowhere);
  EXPECT_EQ(found(hashes[1]), 9u);
  EXPECT_EQ(found(hashes[2]), 2u);
}

TEST(SlotIndex, looks_at_few_records_that_are_not_meant) {
  constexpr std::uint32_t k_slots = 1'000;
  SlotIndex index(k_slots);
  const auto hash_of = [](std::uint32_t slot) { return (slot + 1) * 0x9e3779b97f4a7c15ULL; };
  for (std::uint32_t slot = 0; slot < k_slots; ++slot) index.insert(hash_of(slot), slot);
  std::uint32_t looked_at = 0;
  for (std::uint32_t slot = 0; slot < k_slots; ++slot)
    static_cast<void>(index.find(hash_of(slot), [&](std::uint32_t found) { return ++looked_at, found == slot; }));
  EXPECT_LT(looked_at, k_slots + k_slots / 100);
}

TEST(SlotIndex, takes_seven_and_a_half_bytes_for_each_slot) {
  EXPECT_LE(SlotIndex(1'000'000).bytes(), 7'500'004u);
  EXPECT_LE(SlotIndex((1 << 20) + 1).bytes(), 15U * ((1 << 19) + 1)) << "whatever the capacity";
}

TEST(SlotIndexDeathTest, takes_no_more_slots_than_it_has_room_for) {
  SlotIndex index(2);
  for (std::uint32_t slot = 0; slot < 2; ++slot) index.insert(slot, 0);
  EXPECT_DEATH(index.insert(0, 0), "an index has no more slots than its capacity .*= 2, 2");
}

TEST(SlotQueue, gives_back_oldest_first_and_shares_its_array) {
  std::vector<std::uint32_t> behind(4);
  SlotQueue first, second;
  EXPECT_EQ(first.pop(behind), std::nullopt);
  for (const std::uint32_t slot : {2U, 0U, 3U}) first.push(slot, behind);
  second.push(1, behind);
  EXPECT_EQ(first.pop(behind), 2u);
  second.push(2, behind);
  EXPECT_EQ(first.size(), 2u);
  EXPECT_EQ(first.pop(behind), 0u);
  EXPECT_EQ(second.pop(behind), 1u);
  first.push(1, behind);
  EXPECT_EQ(second.pop(behind), 2u);
  EXPECT_EQ(second.pop(behind), std::nullopt);
  EXPECT_EQ(first.pop(behind), 3u);
  EXPECT_EQ(first.pop(behind), 1u);
  EXPECT_EQ(first.pop(behind), std::nullopt);
}

}  // namespace
}  // namespace dojima::gateway
