// What every store does: in memory, with numbers only, and in a journal of each durability.

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::put;
using testing::text_at;

constexpr time::Time k_morning = time::from_nanoseconds(1'784'534'400'000'000'000);

struct InMemory {
  MemoryStore store{{.messages = 100'000, .bytes = 1 << 20}};
  MessageStore& get() { return store; }
  void work() {}
};

struct OfNumbers {
  NullStore store{{.messages = 100'000, .bytes = 1 << 20}};
  MessageStore& get() { return store; }
  void work() {}
};

template <Durability Which>
struct InJournal {
  journal::SimulatedDisk disk;
  std::unique_ptr<JournalStores> stores = testing::open_stores(disk, testing::small(Which));
  MessageStore& get() { return testing::store_of(*stores, "A"); }
  void work() { testing::work(*stores); }
};

template <class Made>
class FixStoreSuite : public ::testing::Test {
 public:
  Made made;
  MessageStore& kept = made.get();
};

using Stores = ::testing::Types<InMemory, OfNumbers, InJournal<Durability::none>, InJournal<Durability::process>,
                                InJournal<Durability::power>>;
TYPED_TEST_SUITE(FixStoreSuite, Stores);

TYPED_TEST(FixStoreSuite, begins_at_1_both_ways_and_keeps_messages_by_number) {
  MessageStore& store = this->kept;
  EXPECT_EQ(store.next_outgoing().value, 1u);
  EXPECT_EQ(store.next_incoming().value, 1u);
  ASSERT_TRUE(put(store, "one", 20, 4));
  ASSERT_TRUE(put(store, "two", 20));
  EXPECT_EQ(store.next_outgoing().value, 3u);
  EXPECT_EQ(text_at(store, 1), "1 one");
  EXPECT_EQ(text_at(store, 2), "2 two");
  EXPECT_EQ(text_at(store, 3), "none");
  EXPECT_EQ(store.find_from({1})->header_size, 1u);
  EXPECT_EQ(store.find_from({1})->type, type::k_execution_report);
  EXPECT_EQ(store.find_from({1})->sending_time, time::from_nanoseconds(7));
}

TYPED_TEST(FixStoreSuite, numbers_can_be_set_and_begin_anew) {
  MessageStore& store = this->kept;
  for (const char* text : {"one", "two", "three"}) ASSERT_TRUE(put(store, text, 8));
  store.set_next_outgoing({10});
  ASSERT_TRUE(put(store, "ten", 8));
  EXPECT_EQ(text_at(store, 4), "10 ten");
  store.set_next_outgoing({3});
  EXPECT_EQ(text_at(store, 3), "none") << "what lies behind is forgotten";
  ASSERT_TRUE(put(store, "THREE", 8));
  EXPECT_EQ(text_at(store, 3), "3 THREE");
  store.set_next_incoming({99});
  EXPECT_EQ(store.next_incoming().value, 99u);
  store.begin_anew({2}, k_morning);
  EXPECT_EQ(store.next_outgoing().value, 2u);
  EXPECT_EQ(store.next_incoming().value, 1u);
  EXPECT_EQ(text_at(store, 1), "none");
  store.reset(k_morning);
  EXPECT_EQ(store.next_outgoing().value, 1u);
}

TYPED_TEST(FixStoreSuite, knows_when_its_numbers_began) {
  MessageStore& store = this->kept;
  EXPECT_EQ(store.numbers_begun(), std::nullopt) << "nobody has said";
  store.set_numbers_begun(k_morning);
  ASSERT_TRUE(put(store, "one"));
  store.set_next_incoming({4});
  store.set_next_outgoing({9});
  EXPECT_EQ(store.numbers_begun(), k_morning);
  store.begin_anew({2}, k_morning + std::chrono::hours{3});
  EXPECT_EQ(store.numbers_begun(), k_morning + std::chrono::hours{3});
}

TYPED_TEST(FixStoreSuite, everything_may_leave_once_it_is_as_safe_as_promised) {
  MessageStore& store = this->kept;
  for (const char* text : {"one", "two"}) ASSERT_TRUE(put(store, text));
  this->made.work();
  EXPECT_EQ(store.may_leave(), store.next_outgoing());
  store.set_next_outgoing({7});
  EXPECT_LE(store.may_leave(), store.next_outgoing());
  ASSERT_TRUE(put(store, "seven"));
  this->made.work();
  EXPECT_EQ(store.may_leave().value, 8u);
  store.begin_anew({2}, k_morning);
  EXPECT_EQ(store.may_leave().value, 2u);
}

TYPED_TEST(FixStoreSuite, does_what_a_map_does) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    MessageStore& store = this->kept;
    store.reset(k_morning);
    std::map<std::uint64_t, std::string> naive;
    std::uint64_t next = 1, random = seed * 977;
    const auto below = [&random](std::uint64_t bound) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      return (random >> 33U) % bound;
    };
    for (int step = 0; step < 400; ++step) {
      this->made.work();
      if (const auto what = below(40); what == 0) {
        next = below(next + 20) + 1;
        store.set_next_outgoing({next});
        naive.erase(naive.lower_bound(next), naive.end());
      } else if (what == 1) {
        store.set_next_incoming({next});
      } else if (what == 2 && below(8) == 0) {
        store.reset(k_morning);
        next = 1;
        naive.clear();
      }
      const std::string text(1 + below(300), static_cast<char>('a' + step % 26));
      const std::size_t offset = below(100);
      ASSERT_TRUE(put(store, text, text.size() + offset + below(50), offset));
      naive[next++] = text;
      ASSERT_EQ(store.next_outgoing().value, next);
      const std::uint64_t wanted = below(next + 2);
      const auto expected = naive.lower_bound(wanted);
      ASSERT_EQ(text_at(store, wanted),
                expected == naive.end() ? "none" : std::to_string(expected->first) + " " + expected->second);
    }
  }
}

TEST(FixNullStore, keeps_nothing_for_a_resend) {
  NullStore store;
  EXPECT_FALSE(store.keeps_for_resend());
  EXPECT_TRUE(store.prepare(1 << 17).empty());
}

}  // namespace
}  // namespace dojima::fix
