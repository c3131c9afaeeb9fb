// What is kept of passwords: as the standard says, read as it was written and nothing else is; made and checked on a
// thread of its own.

#include "dojima/app/passwords/scrypt.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "dojima/app/passwords/password_desk.hpp"

namespace dojima::app {
namespace {

constexpr ScryptCost k_cheap{.ln = 10, .r = 1};

TEST(Scrypt, makes_what_another_implementation_does) {
  // As Python's hashlib.scrypt(b"pleaseletmein", salt=b"SodiumChlorideXX", n=16384, r=8, p=1, dklen=32) gives it.
  EXPECT_EQ(scrypt_text("pleaseletmein", {}, "SodiumChlorideXX"),
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGVYWA$qoO5uPmn1ZlMEv/5LVYAy23giCraB+wz6S8naTjrRmU");
  // ... n=1024, r=8, p=16.
  EXPECT_EQ(scrypt_text("password", {.ln = 10, .r = 8, .p = 16}, "NaClNaClNaClNaCl"),
            "$scrypt$ln=10,r=8,p=16$TmFDbE5hQ2xOYUNsTmFDbA$ruflYSr7JKwcyP4taFgPBJI7nqmwRVvjonthQb2MSCI");
}

TEST(Scrypt, knows_the_password_that_it_was_made_of) {
  const std::string text = scrypt_text("Secret#2026", k_cheap);
  EXPECT_TRUE(is_scrypt_text(text)) << text;
  EXPECT_TRUE(is_password_of(text, "Secret#2026"));
  EXPECT_FALSE(is_password_of(text, "Secret#2027"));
  EXPECT_FALSE(is_password_of(text, ""));
  EXPECT_FALSE(is_password_of("Secret#2026", "Secret#2026")) << "in clear it is none";
  EXPECT_NE(scrypt_text("Secret#2026", k_cheap), text) << "a salt of its own";
}

TEST(Scrypt, takes_no_other_text) {
  const std::string text = scrypt_text("Secret#2026", k_cheap);
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(is_scrypt_text(text.substr(0, size))) << size;
  EXPECT_FALSE(is_scrypt_text(text + "A"));
  EXPECT_FALSE(is_scrypt_text(text + "="));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string other = text;
    return other.replace(other.find(from), from.size(), to);
  };
  EXPECT_TRUE(is_scrypt_text(with("ln=10,r=1,", "ln=20,r=2,")));
  EXPECT_TRUE(is_scrypt_text(with("ln=10", "ln=15")));
  EXPECT_FALSE(is_scrypt_text(with("ln=10", "ln=16"))) << "with r = 1 nobody can make one";
  for (const char* const cost : {"ln=9", "ln=21", "ln=010", "ln=", "ln=x", "ln=10,", "ln=99999999999"})
    EXPECT_FALSE(is_scrypt_text(with("ln=10", cost))) << cost;
  EXPECT_FALSE(is_scrypt_text(with("r=1,", "r=33,")));
  EXPECT_FALSE(is_scrypt_text(with("p=1$", "p=17$")));
  EXPECT_FALSE(is_scrypt_text(with("p=1$", "p=1$*")));
  EXPECT_EQ(scrypt_text("x", {.ln = 9}), "");
  EXPECT_EQ(scrypt_text("x", k_cheap, "short"), "");
  EXPECT_EQ(scrypt_text("x", {.ln = 16, .r = 1}), "");
  EXPECT_TRUE(is_password_of(scrypt_text("x", {.ln = 15, .r = 1}), "x")) << "the border";
}

/// As a connection does it: asks until there is an answer.
venue::PasswordAnswer ask(PasswordDesk& desk, std::uint16_t user, const venue::PasswordQuestion& question) {
  for (;;) {
    if (auto answer = desk.find(user, question)) return *answer;
    std::this_thread::yield();
  }
}

TEST(PasswordDesk, answers_each_user_once_it_has_found_out) {
  PasswordDesk desk(k_cheap);
  const std::string kept = scrypt_text("Secret#2026", k_cheap);
  EXPECT_FALSE(desk.find(1, {.kept = kept, .password = "Secret#2026", .chosen = {}})) << "not at once";
  EXPECT_FALSE(ask(desk, 2, {.kept = kept, .password = "wrong", .chosen = "Other#2026"}).is_right);
  EXPECT_TRUE(ask(desk, 1, {.kept = kept, .password = "Secret#2026", .chosen = {}}).is_right);
  const venue::PasswordAnswer answer = ask(desk, 2, {.kept = {}, .password = "known", .chosen = "Other#2026"});
  EXPECT_TRUE(answer.is_right);
  EXPECT_TRUE(is_password_of(answer.kept, "Other#2026"));
  EXPECT_EQ(ask(desk, 2, {.kept = kept, .password = "wrong", .chosen = "Other#2026"}).kept, "") << "of a wrong one";
}

TEST(PasswordDesk, forgets_a_question_whose_connection_is_gone) {
  PasswordDesk desk(k_cheap, {.answer = std::chrono::milliseconds{1}});
  const std::string kept = scrypt_text("Secret#2026", k_cheap);
  for (int connection = 0; connection < 20; ++connection)
    static_cast<void>(desk.find(1, {.kept = kept, .password = std::to_string(connection), .chosen = {}}));
  EXPECT_TRUE(ask(desk, 1, {.kept = kept, .password = "Secret#2026", .chosen = {}}).is_right);
  EXPECT_FALSE(ask(desk, 1, {.kept = kept, .password = "3", .chosen = {}}).is_right);
}

constexpr std::chrono::minutes k_long{10};

TEST(PasswordDesk, does_not_work_on_what_nobody_asks_again) {
  // 100 of them take a second and more.
  PasswordDesk desk({.ln = 12}, {.question = std::chrono::milliseconds{50}, .answer = k_long, .unread = k_long});
  const auto ask_once = [&](std::uint16_t user) {
    return desk.find(user, {.kept = {}, .password = "a", .chosen = "Other#2026"}).has_value();
  };
  constexpr std::uint16_t k_gone = 100, k_here = 1000;
  for (std::uint16_t user = 0; user < k_gone; ++user) EXPECT_FALSE(ask_once(user));
  EXPECT_TRUE(ask(desk, k_here, {.kept = {}, .password = "a", .chosen = "Mine#2026"}).is_right);
  int answered = 0;
  for (std::uint16_t user = 0; user < k_gone; ++user) answered += ask_once(user) ? 1 : 0;
  EXPECT_LT(answered, k_gone / 2) << "those of the first moments only";
}

TEST(PasswordDesk, keeps_an_answer_for_who_asked_though_another_connection_of_the_user_asks_something_else) {
  PasswordDesk desk(k_cheap, {.answer = k_long});
  const std::string kept = scrypt_text("Secret#2026", k_cheap);
  const venue::PasswordQuestion right{.kept = kept, .password = "Secret#2026", .chosen = {}};
  const venue::PasswordQuestion wrong{.kept = kept, .password = "wrong", .chosen = {}};
  EXPECT_FALSE(desk.find(1, right));
  static_cast<void>(ask(desk, 2, wrong));  // behind the first one, which has been answered
  EXPECT_FALSE(desk.find(1, wrong));
  const auto answer = desk.find(1, right);
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->is_right);
  EXPECT_FALSE(ask(desk, 1, wrong).is_right) << "now it is its turn";
}

TEST(PasswordDesk, gives_the_place_of_an_answer_that_nobody_came_for_to_another_question) {
  PasswordDesk desk(k_cheap, {.answer = std::chrono::milliseconds{0}});
  const std::string kept = scrypt_text("Secret#2026", k_cheap);
  const venue::PasswordQuestion right{.kept = kept, .password = "Secret#2026", .chosen = {}};
  const venue::PasswordQuestion wrong{.kept = kept, .password = "wrong", .chosen = {}};
  EXPECT_FALSE(desk.find(1, wrong));
  static_cast<void>(ask(desk, 2, wrong));
  EXPECT_TRUE(ask(desk, 1, right).is_right);
  EXPECT_FALSE(desk.find(1, wrong)) << "that answer is gone";
}

TEST(PasswordDesk, throws_answers_away_that_nobody_came_for) {
  using std::chrono::milliseconds;
  PasswordDesk desk(k_cheap, {.question = milliseconds{20}, .answer = k_long, .unread = milliseconds{1}});
  const venue::PasswordQuestion question{.kept = {}, .password = "a", .chosen = "Other#2026"};
  const auto is_there_later = [&] {
    EXPECT_FALSE(desk.find(1, question));
    std::this_thread::sleep_for(milliseconds{100});
    return desk.find(1, question).has_value();
  };
  bool is_there = is_there_later();
  for (int turn = 0; is_there && turn < 20; ++turn) is_there = is_there_later();  // a busy machine needs more
  EXPECT_FALSE(is_there);
}

TEST(PasswordDesk, ends_without_working_off_what_waits) {
  const auto start = std::chrono::steady_clock::now();
  {
    PasswordDesk desk;
    for (std::uint16_t user = 0; user < 100; ++user)
      static_cast<void>(desk.find(user, {.kept = {}, .password = "a", .chosen = "Other#2026"}));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{1}) << "all of them take several seconds";
}

}  // namespace
}  // namespace dojima::app
