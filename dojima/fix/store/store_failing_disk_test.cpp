// Every call of the disk fails once: what a store took is there in the end, what it refused is not.

#include <cerrno>
#include <gtest/gtest.h>

#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::Model;
using testing::model_of;
using testing::put;
using testing::store_of;

constexpr unsigned k_changes = 90;

/// One of several changes, applied to the model as far as the store takes it.
void change(MessageStore& store, Model& model, unsigned step) {
  if (step % 31 == 30) {
    model = {.outgoing = 2, .incoming = 1, .messages = {}, .begun = time::from_nanoseconds(step)};
    store.begin_anew({2}, *model.begun);
  } else if (step % 17 == 16) {
    model.outgoing += 5;
    store.set_next_outgoing({model.outgoing});
  } else if (step % 3 == 2) {
    store.set_next_incoming({++model.incoming});
  } else if (const std::string text(40 + step, static_cast<char>('a' + step % 26)); put(store, text)) {
    model.messages[model.outgoing++] = text;
  }
}

/// False: there are not so many calls.
bool live_with_failing_call(Durability durability, std::uint64_t call, int number) {
  journal::SimulatedDisk disk;
  Model left, right;
  disk.fail_at(call, number);
  auto opened = JournalStores::open(disk, testing::small(durability));
  if (!opened) opened = JournalStores::open(disk, testing::small(durability));
  EXPECT_TRUE(opened) << "the next try is good";
  if (!opened) return false;
  JournalStores& stores = **opened;
  for (unsigned step = 0; step < k_changes; ++step) {
    stores.journal().work();
    change(store_of(stores, "LEFT"), left, step);
    change(store_of(stores, "RIGHT"), right, step + 7);
  }
  const bool is_reached = disk.calls() > call;
  for (int step = 0; step < 20; ++step) stores.journal().work();
  EXPECT_FALSE(stores.journal().trouble());
  // What waited for room is written with the next change.
  store_of(stores, "LEFT").set_next_incoming({++left.incoming});
  store_of(stores, "RIGHT").set_next_incoming({++right.incoming});
  EXPECT_EQ(model_of(store_of(stores, "LEFT")), left);
  EXPECT_EQ(model_of(store_of(stores, "RIGHT")), right);
  EXPECT_TRUE(stores.journal().close());
  opened->reset();
  const auto again = testing::open_stores(disk, testing::small(durability));
  if (again == nullptr) return false;
  EXPECT_EQ(model_of(store_of(*again, "LEFT")), left);
  EXPECT_EQ(model_of(store_of(*again, "RIGHT")), right);
  return is_reached;
}

void fail_each_call(Durability durability, int number) {
  std::uint64_t call = 1;
  while (live_with_failing_call(durability, call, number) && !::testing::Test::HasFailure()) ++call;
  EXPECT_FALSE(::testing::Test::HasFailure()) << "call " << call;
  EXPECT_GT(call, 30u);
}

TEST(FixStoreFailingDisk, that_fails_once_loses_nothing_that_was_taken) {
  for (const Durability durability : {Durability::none, Durability::process, Durability::power})
    fail_each_call(durability, EIO);
}

TEST(FixStoreFailingDisk, that_is_full_for_a_moment_loses_nothing_that_was_taken) {
  for (const Durability durability : {Durability::none, Durability::process, Durability::power})
    fail_each_call(durability, ENOSPC);
}

}  // namespace
}  // namespace dojima::fix
