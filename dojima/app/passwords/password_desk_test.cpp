// Passwords checked on a thread of its own: answers, questions that nobody asks any more, and a flood of them.

#include "dojima/app/passwords/password_desk.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

namespace dojima::app {
namespace {

using std::chrono::milliseconds;

constexpr ScryptCost k_desk_cost{.ln = 10, .r = 1};
constexpr std::chrono::minutes k_long{10};
constexpr std::string_view k_host = "10.0.0.1";

venue::PasswordAsker asker(std::uint32_t connection, std::string_view host = k_host) {
  return {.connection = connection, .user = static_cast<std::uint16_t>(connection), .host = host};
}

/// As a connection does it: asks until there is an answer.
venue::PasswordAnswer ask(PasswordDesk& desk, const venue::PasswordAsker& who,
                          const venue::PasswordQuestion& question) {
  for (;;) {
    if (auto answer = desk.find(who, question)) return *answer;
    std::this_thread::yield();
  }
}

TEST(PasswordDesk, answers_each_connection_once_it_has_found_out) {
  PasswordDesk desk(k_desk_cost);
  const std::string kept = scrypt_text("Secret#2026", k_desk_cost);
  EXPECT_FALSE(desk.find(asker(1), {.kept = kept, .password = "Secret#2026", .chosen = {}})) << "not at once";
  EXPECT_FALSE(ask(desk, asker(2), {.kept = kept, .password = "wrong", .chosen = "Other#2026"}).is_right);
  const venue::PasswordAnswer right = ask(desk, asker(1), {.kept = kept, .password = "Secret#2026", .chosen = {}});
  EXPECT_TRUE(right.is_right);
  EXPECT_FALSE(right.is_busy);
  const venue::PasswordAnswer answer = ask(desk, asker(2), {.kept = {}, .password = "known", .chosen = "Other#2026"});
  EXPECT_TRUE(answer.is_right);
  EXPECT_TRUE(is_password_of(answer.kept, "Other#2026"));
  EXPECT_EQ(ask(desk, asker(2), {.kept = kept, .password = "wrong", .chosen = "Other#2026"}).kept, "")
      << "of a wrong one";
}

/// Work that takes until the test lets it go, and notes which passwords it was asked for.
class HeldWork {
 public:
  [[nodiscard]] PasswordWork work() {
    return [this](const venue::PasswordQuestion& question) {
      order_.emplace_back(question.password);
      began_.release();
      ends_.acquire();
      return venue::PasswordAnswer{.is_right = question.password == question.kept};
    };
  }
  /// Until the next piece of work has begun.
  void wait_for_begin() { began_.acquire(); }
  /// The piece in hand ends, and another begins.
  void end_one() {
    ends_.release();
    wait_for_begin();
  }
  /// Nothing takes time any more.
  void end_all() { ends_.release(1'000'000); }
  /// Only between two of those.
  [[nodiscard]] const std::vector<std::string>& order() const { return order_; }

 private:
  std::vector<std::string> order_;
  std::counting_semaphore<> began_{0}, ends_{0};
};

TEST(PasswordDesk, keeps_nobody_waiting_for_more_than_one_piece_of_work_of_a_host_that_floods_it) {
  HeldWork held;
  PasswordDesk desk(held.work(), {.question = k_long, .unread = k_long});
  constexpr std::uint32_t k_flood = 400, k_other = 1000, k_neighbour = 1001;
  // 400 connections of one host with wrong passwords of 40 users.
  for (std::uint32_t connection = 0; connection < k_flood; ++connection) {
    const venue::PasswordAsker of{
        .connection = connection, .user = static_cast<std::uint16_t>(connection % 40), .host = "10.0.0.66"};
    EXPECT_FALSE(desk.find(of, {.kept = "k", .password = "wrong" + std::to_string(connection), .chosen = {}}));
  }
  held.wait_for_begin();
  const venue::PasswordAsker other = asker(k_other);
  const venue::PasswordQuestion right{.kept = "right", .password = "right", .chosen = {}};
  EXPECT_FALSE(desk.find(other, right));
  held.end_one();
  held.end_one();
  ASSERT_EQ(held.order().size(), 3u);
  EXPECT_EQ(held.order()[0], "wrong0") << "which was in hand when the other host came";
  EXPECT_EQ(held.order()[1], "right") << "the other host is next";
  EXPECT_EQ(held.order()[2], "wrong1") << "and then the flood again";
  const auto answer = desk.find(other, right);
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->is_right);
  // A user of the host that floods waits for one of each of its other users at most.
  const venue::PasswordAsker neighbour{.connection = k_neighbour, .user = 77, .host = "10.0.0.66"};
  EXPECT_FALSE(desk.find(neighbour, {.kept = "k", .password = "neighbour", .chosen = {}}));
  for (int piece = 0; piece < 41; ++piece) held.end_one();
  const auto place = std::ranges::find(held.order(), "neighbour") - held.order().begin();
  EXPECT_LE(place, 3 + 40) << "of 400";
  held.end_all();
}

TEST(PasswordDesk, turns_away_who_asks_the_most_when_too_many_wait) {
  HeldWork held;
  PasswordDesk desk(held.work(), {.question = k_long, .unread = k_long, .waiting = 3});
  const auto is_busy = [&](std::uint32_t connection, std::string_view host) {
    const auto answer =
        desk.find(asker(connection, host), {.kept = "k", .password = std::to_string(connection), .chosen = {}});
    return answer && answer->is_busy;
  };
  EXPECT_FALSE(is_busy(1, "A"));
  held.wait_for_begin();
  for (std::uint32_t connection = 2; connection <= 4; ++connection) EXPECT_FALSE(is_busy(connection, "A"));
  EXPECT_FALSE(is_busy(5, "A")) << "one too many: it hears of it when it asks again";
  EXPECT_TRUE(is_busy(5, "A"));
  EXPECT_FALSE(is_busy(6, "B")) << "another host";
  EXPECT_TRUE(is_busy(4, "A")) << "for which the last of the first host goes";
  EXPECT_FALSE(is_busy(6, "B"));
  EXPECT_FALSE(is_busy(2, "A"));
  held.end_one();
  held.end_one();
  held.end_one();
  EXPECT_EQ(held.order(), (std::vector<std::string>{"1", "6", "2", "3"}));
  held.end_all();
  EXPECT_FALSE(ask(desk, asker(5, "A"), {.kept = "k", .password = "5", .chosen = {}}).is_busy) << "tried again";
}

TEST(PasswordDesk, takes_a_new_question_of_a_connection_for_the_one_before) {
  HeldWork held;
  PasswordDesk desk(held.work(), {.question = k_long, .unread = k_long});
  const venue::PasswordQuestion first{.kept = "a", .password = "a", .chosen = {}};
  const venue::PasswordQuestion second{.kept = "a", .password = "b", .chosen = {}};
  EXPECT_FALSE(desk.find(asker(1), first));
  held.wait_for_begin();
  EXPECT_FALSE(desk.find(asker(1), second)) << "not while the first is worked on";
  EXPECT_FALSE(desk.find(asker(2), first));
  EXPECT_FALSE(desk.find(asker(2), {.kept = "a", .password = "c", .chosen = {}}));
  held.end_one();
  EXPECT_EQ(held.order(), (std::vector<std::string>{"a", "c"})) << "of the second connection the second question";
  EXPECT_FALSE(desk.find(asker(1), second)) << "the answer to the first is nobody's";
  held.end_one();
  held.end_all();
  EXPECT_FALSE(ask(desk, asker(1), second).is_right);
  // The same password from elsewhere, or of another user, is another question.
  EXPECT_TRUE(ask(desk, asker(3), first).is_right);
  EXPECT_EQ(held.order(), (std::vector<std::string>{"a", "c", "b", "a"})) << "nobody waits in two places";
  EXPECT_FALSE(desk.find(asker(3), first));
  while (!desk.find(asker(4), first)) std::this_thread::yield();
  EXPECT_FALSE(desk.find(asker(3, "10.0.0.2"), first)) << "though there is an answer for the earlier connection";
  EXPECT_FALSE(desk.find(asker(5), first));
  while (!desk.find(asker(6), first)) std::this_thread::yield();
  venue::PasswordAsker another = asker(5);
  another.user = 99;
  EXPECT_FALSE(desk.find(another, first)) << "though there is one for the other user";
}

TEST(PasswordDesk, does_not_work_on_what_nobody_asks_again) {
  // 100 of them take a second and more.
  PasswordDesk desk(ScryptCost{.ln = 12}, {.question = milliseconds{50}, .unread = k_long});
  const auto ask_once = [&](std::uint32_t connection) {
    return desk.find(asker(connection), {.kept = {}, .password = "a", .chosen = "Other#2026"}).has_value();
  };
  constexpr std::uint32_t k_gone = 100, k_here = 1000;
  for (std::uint32_t connection = 0; connection < k_gone; ++connection) EXPECT_FALSE(ask_once(connection));
  EXPECT_TRUE(ask(desk, asker(k_here), {.kept = {}, .password = "a", .chosen = "Mine#2026"}).is_right);
  int answered = 0;
  for (std::uint32_t connection = 0; connection < k_gone; ++connection) answered += ask_once(connection) ? 1 : 0;
  EXPECT_LT(answered, static_cast<int>(k_gone) / 2) << "those of the first moments only";
}

TEST(PasswordDesk, throws_answers_away_that_nobody_came_for) {
  PasswordDesk desk(k_desk_cost, {.question = milliseconds{20}, .unread = milliseconds{1}});
  const venue::PasswordQuestion question{.kept = {}, .password = "a", .chosen = "Other#2026"};
  const auto is_there_later = [&] {
    EXPECT_FALSE(desk.find(asker(1), question));
    std::this_thread::sleep_for(milliseconds{100});
    return desk.find(asker(1), question).has_value();
  };
  bool is_there = is_there_later();
  for (int turn = 0; is_there && turn < 20; ++turn) is_there = is_there_later();  // a busy machine needs more
  EXPECT_FALSE(is_there);
}

TEST(PasswordDesk, ends_without_working_off_what_waits) {
  const auto start = std::chrono::steady_clock::now();
  {
    PasswordDesk desk;
    for (std::uint32_t connection = 0; connection < 100; ++connection)
      static_cast<void>(desk.find(asker(connection), {.kept = {}, .password = "a", .chosen = "Other#2026"}));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{1}) << "all of them take several seconds";
}

}  // namespace
}  // namespace dojima::app
