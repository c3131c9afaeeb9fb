// Stores on a real disk with the journal's thread beside them, in a process that is killed at any instant.

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "dojima/fix/store/store_test_support.hpp"
#include "dojima/journal/journal_thread.hpp"
#include "dojima/journal/real_disk.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::put;
using testing::store_of;

constexpr std::size_t k_killed_sessions = 3;

JournalStoresOptions options(Durability durability) {
  auto options = testing::small(durability);
  options.segment_bytes = std::size_t{1} << 16;
  options.spare_segments = 4;
  options.messages_per_session = 500;
  return options;
}

std::string client(std::size_t session) {
  return "CLIENT" + std::to_string(session);
}

std::string text_of(std::size_t session, std::uint64_t number) {
  return std::to_string(session) + ":" + std::string(1 + number * 37 % 200, static_cast<char>('a' + number % 26));
}

/// What the child says of each session; shared with it.
struct Witness {
  std::atomic<std::uint64_t> may_leave[k_killed_sessions]{};
  std::atomic<std::uint64_t> begun[k_killed_sessions]{};  // the number of the message in hand
};

[[noreturn]] void write_until_killed(const std::string& path, Durability durability, Witness& witness) {
  const auto disk = std::move(*journal::RealDisk::open(path));
  auto opened = JournalStores::open(*disk, options(durability));
  if (!opened) ::_exit(3);
  JournalStores& stores = **opened;
  const journal::JournalThread thread(stores.journal());
  MessageStore* sessions[k_killed_sessions];
  for (std::size_t session = 0; session < k_killed_sessions; ++session) {
    sessions[session] = &store_of(stores, client(session));
    // The life before may have ended between a message and the number behind it, and so may this one: not two behind.
    sessions[session]->set_next_incoming(sessions[session]->next_outgoing());
  }
  for (std::uint64_t step = 0;; ++step) {
    const std::size_t session = step * step % 7 % k_killed_sessions;
    MessageStore& store = *sessions[session];
    witness.begun[session] = store.next_outgoing().value;
    if (!put(store, text_of(session, store.next_outgoing().value), 300)) std::this_thread::yield();
    store.set_next_incoming({store.next_outgoing().value});
    stores.deliver();
    witness.may_leave[session] = store.may_leave().value;
  }
}

/// Every number that may have left is used, and every message that is kept says what it should, up to the last one.
void check(MessageStore& store, std::size_t session, Witness& witness) {
  ASSERT_GE(store.next_outgoing().value, witness.may_leave[session].load());
  ASSERT_LE(store.next_outgoing().value, witness.begun[session].load() + 1);
  std::uint64_t next = 0;
  while (const auto message = store.find_from({next})) {
    ASSERT_TRUE(next == 0 || message->sequence.value == next) << "none is missing between others";
    ASSERT_EQ(as_text(message->bytes), text_of(session, message->sequence.value));
    next = message->sequence.value + 1;
  }
  ASSERT_TRUE(store.next_outgoing().value == 1 || next == store.next_outgoing().value);
  ASSERT_TRUE(store.next_incoming().value + 1 >= store.next_outgoing().value);
  witness.may_leave[session] = witness.begun[session] = store.next_outgoing().value;
}

/// Kills a writer `times` times at random instants, also while it recovers; each goes on where the one before was.
void kill_writers(Durability durability, int times) {
  std::string path = (std::filesystem::temp_directory_path() / "dojima-stores-XXXXXX").string();
  ASSERT_NE(::mkdtemp(path.data()), nullptr);
  void* shared = ::mmap(nullptr, sizeof(Witness), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  Witness& witness = *new (shared) Witness;
  std::uint64_t random = 7;
  for (int time = 0; time < times && !::testing::Test::HasFatalFailure(); ++time) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(path, durability, witness);
    random = random * 6364136223846793005U + 1442695040888963407U;
    ::usleep(static_cast<useconds_t>(random >> 33U) % 30'000);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "ended by itself with " << WEXITSTATUS(status);
    const auto disk = std::move(*journal::RealDisk::open(path));
    const auto stores = testing::open_stores(*disk, options(durability));
    ASSERT_NE(stores, nullptr);
    for (std::size_t session = 0; session < k_killed_sessions; ++session)
      check(store_of(*stores, client(session)), session, witness);
  }
  EXPECT_GT(witness.may_leave[0].load(), 1u);
  ::munmap(shared, sizeof(Witness));
  std::filesystem::remove_all(path);
}

TEST(FixStoreKilled, uses_no_number_again_and_keeps_every_message) {
  kill_writers(Durability::process, 4);
}
TEST(FixStoreKilledLong, uses_no_number_again_however_often_it_is_killed) {
  kill_writers(Durability::process, 40);
}
TEST(FixStoreKilledLong, uses_no_number_again_against_a_loss_of_power) {
  kill_writers(Durability::power, 40);
}

}  // namespace
}  // namespace dojima::fix
