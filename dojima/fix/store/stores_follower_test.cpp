// Stores that are followed while another process writes them: taken over at any instant they are what a start of a new
// process would find.

#include "dojima/fix/stores_follower.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::model_of, testing::open_stores, testing::put, testing::store_of, testing::text_at, testing::work;

/// The pieces of a state, as they came.
struct Pieces {
  std::string text;
  [[nodiscard]] JournalStoresOptions options(Durability durability) {
    JournalStoresOptions options = testing::small(durability);
    options.on_state = [this](Bytes piece) -> Result<void> {
      text += as_text(piece);
      return {};
    };
    return options;
  }
};

/// A writer and a follower of one directory.
struct FollowedPair {
  explicit FollowedPair(Durability wanted) : durability(wanted) {}
  std::unique_ptr<JournalStores> open() { return open_stores(disk, written.options(durability)); }
  std::unique_ptr<StoresFollower> follow() {
    auto follower = StoresFollower::begin(disk, followed.options(durability), [this] { followed.text.clear(); });
    EXPECT_TRUE(follower);
    return std::move(*follower);
  }
  /// Reads all that has come.
  static void read(StoresFollower& follower) {
    while (true) {
      const auto read = follower.step(100);
      ASSERT_TRUE(read) << describe(read.error());
      if (*read < 100) return;
    }
  }
  /// The writer is gone, and the follower writes.
  StoresFollower::TakenOver take_over(std::unique_ptr<StoresFollower> follower) {
    auto lock = disk.lock();
    EXPECT_TRUE(lock);
    auto taken = StoresFollower::take_over(std::move(follower), std::move(*lock));
    EXPECT_TRUE(taken) << (taken ? "" : describe(taken.error()));
    return std::move(*taken);
  }
  void kill(std::unique_ptr<JournalStores>& stores) {
    disk.end_process();
    stores.reset();
    disk.restart();
  }

  Durability durability;
  journal::SimulatedDisk disk;
  Pieces written, followed;
};

class FixStoresFollower : public ::testing::TestWithParam<Durability>, public FollowedPair {
 public:
  FixStoresFollower() : FollowedPair(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(each_durability, FixStoresFollower,
                         ::testing::Values(Durability::none, Durability::process, Durability::power),
                         [](const auto& made) { return std::string(journal::name_of(made.param)); });

TEST_P(FixStoresFollower, have_everything_at_once_when_the_writer_is_gone) {
  auto stores = open();
  auto follower = follow();
  MessageStore& store = store_of(*stores, "A");
  ASSERT_TRUE(put(store, "one"));
  ASSERT_TRUE(stores->set_verifier({"FIX.4.4", "VENUE", "A"}, "$6$secret"));
  ASSERT_TRUE(stores->write_state(as_bytes("a1"), false));
  work(*stores);
  read(*follower);
  EXPECT_EQ(followed.text, "a1");
  EXPECT_EQ(follower->messages(), 1u);
  EXPECT_EQ(follower->last(), stores->journal().last());
  EXPECT_FALSE(disk.lock()) << "the writer lives";
  ASSERT_TRUE(put(store, "two"));
  store.set_next_incoming({9});
  work(*stores);
  kill(stores);
  auto taken = take_over(std::move(follower));
  EXPECT_FALSE(taken.is_cold);
  EXPECT_LT(taken.followed, taken.stores->journal().last());
  MessageStore& mine = store_of(*taken.stores, "A");
  EXPECT_EQ(text_at(mine, 1), "1 one");
  EXPECT_EQ(text_at(mine, 2), "2 two");
  EXPECT_EQ(mine.next_incoming().value, 9u);
  EXPECT_EQ(taken.stores->verifier({"FIX.4.4", "VENUE", "A"}), "$6$secret");
  EXPECT_EQ(followed.text, "a1");
  EXPECT_FALSE(disk.lock()) << "it is the writer now";
  ASSERT_TRUE(put(mine, "three"));
  work(*taken.stores);
  EXPECT_EQ(mine.may_leave().value, 4u);
}

TEST_P(FixStoresFollower, that_come_before_the_first_gateway_begin_the_journal) {
  auto taken = take_over(follow());
  ASSERT_NE(taken.stores, nullptr);
  ASSERT_TRUE(put(store_of(*taken.stores, "A"), "one"));
}

/// What the writer does at a step.
void act(JournalStores& stores, std::uint64_t step) {
  MessageStore& store = store_of(stores, step % 3 == 0 ? "A" : "B");
  const std::string text = std::to_string(step) + std::string(step % 60, 'x');
  switch (step % 11) {
    case 4:
      store.set_next_incoming({step});
      break;
    case 7:
      ASSERT_TRUE(stores.write_state(as_bytes(text), false));
      break;
    case 9:
      if (step % 5 == 0) store.begin_anew({1}, time::from_nanoseconds(static_cast<std::int64_t>(step)));
      break;
    case 10:
      stores.carry_state(as_bytes(text));
      ASSERT_TRUE(put(store, text));
      break;
    default:
      ASSERT_TRUE(put(store, text));
  }
  work(stores);
}

/// The writer is killed behind each of its steps, with a follower that has read all, some or nothing of it.
TEST_P(FixStoresFollower, are_what_a_start_would_find_wherever_the_writer_ends) {
  for (std::uint64_t end = 0; end < 90; ++end) {
    SCOPED_TRACE(end);
    FollowedPair each(GetParam());
    auto stores = each.open();
    auto follower = each.follow();
    for (std::uint64_t step = 0; step < end; ++step) {
      act(*stores, step);
      if ((step * 7 + end) % 5 != 0) continue;
      ASSERT_TRUE(follower->step(1 + end % 4));
    }
    each.kill(stores);
    auto taken = each.take_over(std::move(follower));
    ASSERT_NE(taken.stores, nullptr);
    EXPECT_FALSE(taken.is_cold && taken.followed.value != 0);
    std::vector<testing::Model> warm;
    for (const char* name : {"A", "B"}) warm.push_back(model_of(store_of(*taken.stores, name)));
    work(*taken.stores);
    each.kill(taken.stores);
    const auto cold = each.open();
    std::vector<testing::Model> found;
    for (const char* name : {"A", "B"}) found.push_back(model_of(store_of(*cold, name)));
    ASSERT_EQ(warm, found);
    ASSERT_EQ(each.followed.text, each.written.text);
  }
}

TEST_P(FixStoresFollower, begin_anew_when_the_writer_has_removed_what_they_had_not_read) {
  JournalStoresOptions options = written.options(GetParam());
  options.disk_bytes = std::uint64_t{4096} * 10;
  auto stores = open_stores(disk, options);
  JournalStoresOptions same = followed.options(GetParam());
  same.disk_bytes = options.disk_bytes;
  std::uint64_t forgotten = 0;
  auto follower = StoresFollower::begin(disk, same, [&] { ++forgotten; }).value();
  MessageStore& store = store_of(*stores, "A");
  ASSERT_TRUE(put(store, "first"));
  work(*stores);
  read(*follower);
  for (int count = 0; count < 400; ++count) {
    ASSERT_TRUE(put(store, std::string(300, 'm')));
    work(*stores);
  }
  read(*follower);
  read(*follower);
  EXPECT_EQ(forgotten, 1u);
  EXPECT_EQ(follower->restarts(), 1u);
  EXPECT_EQ(follower->last(), stores->journal().last());
  const testing::Model model = model_of(store);
  EXPECT_EQ(model.messages.count(1), 0u);
  kill(stores);
  auto taken = take_over(std::move(follower));
  EXPECT_FALSE(taken.is_cold);
  EXPECT_EQ(model_of(store_of(*taken.stores, "A")), model);
}

TEST_P(FixStoresFollower, read_all_again_when_the_journal_is_no_longer_the_one_that_they_followed) {
  auto stores = open();
  ASSERT_TRUE(put(store_of(*stores, "A"), "one"));
  work(*stores);
  const std::vector<std::byte> before = disk.contents(journal::segment_name(1));
  ASSERT_TRUE(put(store_of(*stores, "A"), "two"));
  work(*stores);
  auto follower = follow();
  read(*follower);
  kill(stores);
  disk.put(journal::segment_name(1), before);  // a copy that somebody brought back
  auto taken = take_over(std::move(follower));
  EXPECT_TRUE(taken.is_cold);
  EXPECT_EQ(store_of(*taken.stores, "A").next_outgoing().value, 2u);
}

TEST_P(FixStoresFollower, do_not_follow_what_they_cannot_understand) {
  auto stores = open();
  ASSERT_TRUE(stores->write_state(as_bytes("??"), false));
  work(*stores);
  JournalStoresOptions options = testing::small(GetParam());
  options.on_state = [](Bytes) -> Result<void> { return fail(ErrorCode::malformed, 0, 0, 0, "a state"); };
  auto follower = StoresFollower::begin(disk, options, [] {}).value();
  const auto read = follower->step(100);
  ASSERT_FALSE(read);
  EXPECT_NE(describe(read.error()).find("expected a state"), std::string::npos) << describe(read.error());

  options.name = "other";
  follower = StoresFollower::begin(disk, options, [] {}).value();
  const auto other = follower->step(100);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().what, "the directory holds the journal of another");
}

}  // namespace
}  // namespace dojima::fix
