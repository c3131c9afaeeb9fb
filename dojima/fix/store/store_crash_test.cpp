// Lives of stores on a disk that loses power, or whose process is killed, at any call: what is there afterwards is what
// the last whole record said, and with `power` nothing is missing that may have left.

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

#include "dojima/fix/store/store_test_support.hpp"

namespace dojima::fix {
namespace {

using journal::Durability;
using testing::Model;
using testing::model_of;
using testing::put;
using testing::work;

constexpr std::uint64_t k_sessions = 5;

std::string name_of_session(std::uint64_t session) {
  return "CLIENT" + std::to_string(session);
}

/// One life after the other, with a history of what every record led to.
class Lives {
 public:
  Lives(std::uint64_t seed, Durability durability)
      : options_(testing::small(durability)),
        disk_({.seed = seed, .writes_back = durability != Durability::process}),
        random_(seed) {
    // Half of them keep so little that segments go, and with them the records that named the sessions.
    if (seed % 2 == 0) options_.messages_per_session = 4;
    options_.cut_holes = true;
  }

  void live_and_crash(bool is_power_loss) {
    auto opened = JournalStores::open(disk_, options_);
    if (!opened) {
      ASSERT_FALSE(disk_.has_power()) << opened.error().what << ": " << opened.error().place.file;
      return restart(is_power_loss);
    }
    JournalStores& stores = **opened;
    const std::uint64_t found = stores.journal().recovery().last.value;
    ASSERT_GE(found, promised_) << "what may have left is there";
    check(stores, found);
    if (::testing::Test::HasFatalFailure()) return;
    if (is_power_loss && below(2) == 0) disk_.lose_power_at(1 + below(60));
    std::vector<MessageStore*> sessions;
    for (std::uint64_t session = 0; session < k_sessions && disk_.has_power(); ++session) {
      const std::string name = name_of_session(session);
      const auto store = stores.store({"FIX.4.4", "VENUE", name});
      if (!store) break;
      sessions.push_back(*store);
      if (history_[session].empty()) history_[session][stores.journal().last().value] = {};
    }
    const std::uint64_t steps = below(120);
    for (std::uint64_t step = 0; step < steps && sessions.size() == k_sessions && disk_.has_power(); ++step) {
      // Often enough for a segment to be ready always.
      if (step % 8 == 0 || below(3) == 0) work(stores);
      if (disk_.has_power()) change(stores, sessions);
    }
    promised_ = options_.durability == Durability::none ? 0 : stores.journal().durable().value;
    if (is_power_loss && options_.durability == Durability::process) promised_ = stores.journal().synced().value;
    if (is_power_loss) disk_.lose_power();
    stores.journal().abandon();
    opened->reset();
    restart(is_power_loss);
  }

 private:
  void restart(bool is_power_loss) {
    if (is_power_loss || !disk_.has_power()) disk_.lose_power();
    disk_.restart();
    disk_.lose_power_at(0);
  }

  std::uint64_t below(std::uint64_t bound) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return (random_ >> 33U) % bound;
  }

  time::Time any_time() { return time::from_nanoseconds(static_cast<std::int64_t>(below(1'000'000))); }

  /// Any one change of any session.
  void change(JournalStores& stores, const std::vector<MessageStore*>& sessions) {
    const std::uint64_t session = below(k_sessions);
    MessageStore& store = *sessions[session];
    Model model = history_[session].rbegin()->second;
    const std::uint64_t before = stores.journal().last().value;
    switch (below(14)) {
      case 0:
        model.outgoing = 1 + below(2);
        model.incoming = 1;
        model.messages.clear();
        model.begun = any_time();
        store.begin_anew({model.outgoing}, *model.begun);
        break;
      case 1:
        model.outgoing = 1 + below(model.outgoing + 3);
        model.messages.erase(model.messages.lower_bound(model.outgoing), model.messages.end());
        store.set_next_outgoing({model.outgoing});
        break;
      case 2:
        model.begun = any_time();
        store.set_numbers_begun(*model.begun);
        break;
      case 11:
        model.verifier = std::string(below(90), static_cast<char>('a' + below(26)));
        if (!stores.set_verifier({"FIX.4.4", "VENUE", name_of_session(session)}, model.verifier)) return;
        break;
      case 3:
      case 4:
        store.set_next_incoming({++model.incoming});
        break;
      case 12: {  // an answer, whose message the session goes on to work on
        const std::string text(1 + below(200), static_cast<char>('A' + below(26)));
        store.count_received({model.incoming + 1});
        if (!put(store, text)) return store.set_next_incoming({model.incoming});
        ++model.incoming;
        model.messages[model.outgoing++] = text;
        if (model.messages.size() > options_.messages_per_session) model.messages.erase(model.messages.begin());
        break;
      }
      default: {
        const std::string text(1 + below(200), static_cast<char>('a' + below(26)));
        if (!put(store, text)) return;
        model.messages[model.outgoing++] = text;
        if (model.messages.size() > options_.messages_per_session) model.messages.erase(model.messages.begin());
      }
    }
    // Behind the record of the change there may be some of a checkpoint, which change nothing.
    if (stores.journal().last().value > before) history_[session][before + 1] = model;
  }

  void check(JournalStores& stores, std::uint64_t found) {
    for (std::uint64_t session = 0; session < k_sessions; ++session) {
      auto& records = history_[session];
      records.erase(records.upper_bound(found), records.end());  // never happened
      if (records.empty()) continue;
      const std::string name = name_of_session(session);
      const std::size_t known = stores.sessions();
      const auto store = stores.store({"FIX.4.4", "VENUE", name});
      ASSERT_TRUE(store);
      ASSERT_EQ(stores.sessions(), known) << "it was known";
      Model recovered = model_of(**store);
      recovered.verifier = stores.verifier({"FIX.4.4", "VENUE", name});
      ASSERT_EQ(recovered.outgoing, records.rbegin()->second.outgoing) << "session " << session << " at " << found;
      ASSERT_EQ(recovered.incoming, records.rbegin()->second.incoming) << "session " << session << " at " << found;
      ASSERT_EQ(recovered, records.rbegin()->second) << "session " << session << " at " << found;
    }
  }

  JournalStoresOptions options_;
  journal::SimulatedDisk disk_;
  std::uint64_t random_;
  std::uint64_t promised_ = 0;                            // records that must be there
  std::map<std::uint64_t, Model> history_[k_sessions]{};  // by the record that led to it
};

void run(Durability durability, bool is_power_loss, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Lives lives(seed, durability);
    for (int life = 0; life < 8; ++life) {
      lives.live_and_crash(is_power_loss);
      ASSERT_FALSE(::testing::Test::HasFatalFailure()) << "seed " << seed << ", life " << life;
    }
  }
}

std::uint64_t long_seeds() {
  const char* const wanted = std::getenv("DOJIMA_FIX_STORE_RUNS");
  return wanted == nullptr ? 200 : std::strtoull(wanted, nullptr, 10);
}

TEST(FixStoreCrash, a_killed_process_loses_no_number_and_no_message) {
  run(Durability::process, false, 10);
}
TEST(FixStoreCrash, with_power_a_loss_of_power_loses_nothing_that_may_have_left) {
  run(Durability::power, true, 10);
}
TEST(FixStoreCrash, with_process_a_loss_of_power_loses_no_session_and_nothing_that_was_synced) {
  run(Durability::process, true, 10);
}
TEST(FixStoreCrash, without_durability_what_is_left_is_a_beginning) {
  run(Durability::none, true, 10);
}
TEST(FixStoreCrashLong, a_killed_process) {
  run(Durability::process, false, long_seeds());
}
TEST(FixStoreCrashLong, a_loss_of_power) {
  run(Durability::power, true, long_seeds());
}
TEST(FixStoreCrashLong, a_loss_of_power_that_was_not_covered) {
  run(Durability::process, true, long_seeds());
}
TEST(FixStoreCrashLong, nothing_promised) {
  run(Durability::none, true, long_seeds());
}

}  // namespace
}  // namespace dojima::fix
