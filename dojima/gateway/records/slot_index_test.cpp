#include "dojima/gateway/records/slot_index.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

#include "dojima/gateway/records/slot_queue.hpp"

namespace dojima::gateway {
namespace {

/// An index of keys that stand in slots, and what says the same by looking through a map. `spread`: how many hashes
/// there are, few of which make long rows of places.
class IndexedKeys {
 public:
  IndexedKeys(std::uint32_t capacity, std::uint64_t spread) : index_(capacity), keys_(capacity, 0), spread_(spread) {}

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
  /// Both halves take part: the upper one says the place, the lower one the part of it that is kept.
  [[nodiscard]] std::uint64_t hash_of(std::uint64_t key) const noexcept {
    const std::uint64_t hash = key % spread_ * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash << 32U;
  }

  SlotIndex index_;
  std::vector<std::uint64_t> keys_;
  std::map<std::uint64_t, std::uint32_t> model_;
  std::uint64_t spread_;
};

void expect_what_a_map_finds(std::uint32_t slots, std::uint64_t spread, std::uint32_t seed) {
  const std::uint64_t keys_end = std::uint64_t{slots} * 3;
  std::mt19937 random(seed);
  IndexedKeys keys(slots, spread);
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
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << slots << " slots, spread " << spread << " seed " << seed;
  }
}

TEST(SlotIndex, finds_what_a_map_finds) {
  for (const std::uint64_t spread : {1U, 2U, 5U, 64U})
    for (std::uint32_t seed = 0; seed < 8; ++seed) expect_what_a_map_finds(24, spread, seed);
}

TEST(SlotIndex, finds_it_farther_from_its_home_than_a_place_can_say) {
  for (const std::uint64_t spread : {1U, 3U}) expect_what_a_map_finds(120, spread, 1);
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

TEST(SlotIndex, takes_six_bytes_for_each_slot) {
  EXPECT_LE(SlotIndex(1'000'000).bytes(), 6'000'004u);
  EXPECT_LE(SlotIndex((1 << 20) + 1).bytes(), 6U * ((1 << 20) + 2)) << "whatever the capacity";
}

TEST(SlotIndexDeathTest, takes_no_more_slots_than_it_has_room_for) {
  SlotIndex index(2);
  for (std::uint32_t slot = 0; slot < 3; ++slot) index.insert(slot, 0);
  EXPECT_DEATH(index.insert(0, 0), "an index has no more slots than its capacity .*= 3, 4");
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
