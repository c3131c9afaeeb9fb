#include "dojima/fix/session/incoming_sequence.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

namespace dojima::fix {
namespace {

using namespace std::chrono_literals;

constexpr Time k_begin{1'000s};
constexpr std::chrono::nanoseconds k_patience = 30s;

/// Numbers from 5 on are due; messages wait in 100 bytes.
struct Numbers {
  Numbers() { incoming.advance({5}, k_begin); }
  bool note(std::uint64_t seen, bool is_duplicate = false, Time now = k_begin) {
    if (!incoming.note_gap({seen}, is_duplicate, k_patience, now)) return false;
    static_cast<void>(incoming.request(now));
    return true;
  }
  void keep(std::uint64_t sequence, std::string_view text) { incoming.keep({sequence}, as_bytes(text)); }
  /// The waiting messages that can be served now, each counted as received.
  std::string served() {
    std::string text;
    while (const auto early = incoming.next_early(k_begin)) {
      text += std::to_string(early->sequence.value) + std::string(as_text(early->message)) + " ";
      incoming.advance({early->sequence.value + 1}, k_begin);
      incoming.drop_early(early->sequence);
    }
    return text;
  }
  MemoryStore store{StoreCapacity{.messages = 4, .bytes = 100}};
  IncomingSequence incoming{store, 100, 0};
};

TEST(FixIncomingSequence, keeps_its_number_in_the_store) {
  Numbers numbers;
  EXPECT_EQ(numbers.store.next_incoming().value, 5u);
  numbers.store.set_next_incoming({8});
  EXPECT_EQ(numbers.incoming.expected().value, 8u);
  numbers.incoming.reset({1});
  EXPECT_EQ(numbers.store.next_incoming().value, 1u);
}

TEST(FixIncomingSequence, a_gap_is_asked_for_once) {
  Numbers numbers;
  EXPECT_TRUE(numbers.note(7));
  EXPECT_FALSE(numbers.note(8));
  EXPECT_FALSE(numbers.note(9, true)) << "a duplicate, but nothing has moved";
  numbers.incoming.advance({10}, k_begin);
  EXPECT_TRUE(numbers.note(12)) << "another gap";
}

TEST(FixIncomingSequence, a_gap_is_asked_for_again_when_the_answer_is_broken_or_nothing_moves) {
  Numbers numbers;
  EXPECT_TRUE(numbers.note(9));
  numbers.incoming.advance({6}, k_begin);
  EXPECT_FALSE(numbers.note(10)) << "the answer has begun";
  EXPECT_TRUE(numbers.note(8, true)) << "number 6 of the answer was lost";
  EXPECT_FALSE(numbers.note(11, false, k_begin + k_patience - 1ns));
  EXPECT_TRUE(numbers.note(11, false, k_begin + k_patience));
}

TEST(FixIncomingSequence, what_waited_is_served_when_its_number_is_due) {
  Numbers numbers;
  numbers.keep(6, "a");
  numbers.keep(7, "b");
  numbers.keep(9, "d");
  EXPECT_EQ(numbers.served(), "");
  numbers.incoming.advance({6}, k_begin);
  EXPECT_EQ(numbers.served(), "6a 7b ");
  EXPECT_EQ(numbers.incoming.expected().value, 8u);
  numbers.incoming.advance({9}, k_begin);
  EXPECT_EQ(numbers.served(), "9d ");
}

TEST(FixIncomingSequence, a_gap_fill_passes_over_numbers_but_not_over_what_arrived) {
  Numbers numbers;
  numbers.keep(7, "b");
  numbers.keep(12, "z");
  numbers.incoming.fill_up_to({10});
  numbers.incoming.fill_up_to({9});
  EXPECT_EQ(numbers.served(), "7b ");
  EXPECT_EQ(numbers.incoming.expected().value, 10u);
}

TEST(FixIncomingSequence, a_reset_forgets_what_waited_and_every_fill) {
  Numbers numbers;
  numbers.keep(6, "a");
  numbers.incoming.fill_up_to({10});
  EXPECT_TRUE(numbers.note(9));
  numbers.incoming.reset({6});
  EXPECT_EQ(numbers.served(), "");
  EXPECT_EQ(numbers.incoming.expected().value, 6u);
  EXPECT_TRUE(numbers.note(9)) << "a gap of its own";
}

TEST(FixIncomingSequence, what_has_no_room_is_left_to_the_resend) {
  Numbers numbers;
  numbers.keep(6, std::string(70, 'a'));
  numbers.keep(7, std::string(70, 'b'));
  numbers.incoming.advance({6}, k_begin);
  EXPECT_EQ(numbers.served(), "6" + std::string(70, 'a') + " ");
  EXPECT_EQ(numbers.incoming.expected().value, 7u);
}

}  // namespace
}  // namespace dojima::fix
