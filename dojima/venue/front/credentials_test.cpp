#include "dojima/venue/credentials.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dojima/mit/reject_codes.hpp"

namespace dojima::venue {
namespace {

using namespace std::chrono_literals;
using namespace mit::code;

constexpr Time k_now = time::from_nanoseconds(1'800'000'000'000'000'000);

mit::Logon logon(std::string_view password, std::string_view new_password = {}, std::string_view user = "ANNA") {
  return {Text<25>::cut(user), Text<25>::cut(password), Text<25>::cut(new_password)};
}

struct Users {
  explicit Users(const LogonRules& rules, bool must_change = false, Time since = {}) {
    const std::vector<Credential> users{
        {.name = "BERT", .password = "x"},
        {.name = "ANNA", .password = "Secret#1", .must_change = must_change, .since = since}};
    credentials.emplace(users, rules, k_now);
  }
  /// A whole logon, as the front does it: its code.
  std::int32_t log_on(const mit::Logon& with, Time now = k_now) {
    std::uint16_t user = 0;
    mit::LogonReply reply = credentials->authenticate(with, user);
    if (reply.code == 0) reply = credentials->check_change(with, user, now);
    if (reply.code == 0) credentials->commit(with, user, now);
    days = reply.days;
    return reply.code;
  }
  std::optional<Credentials> credentials;
  std::int32_t days = 0;
};

TEST(Credentials, want_eight_to_fourteen_characters_with_a_digit_a_letter_and_a_special_one) {
  EXPECT_EQ(refusal_of("abcde#1"), k_password_too_short);
  EXPECT_EQ(refusal_of("abcdef#1"), k_success);
  EXPECT_EQ(refusal_of("abcdefghijkl#1"), k_success);
  EXPECT_EQ(refusal_of("abcdefghijklm#1"), k_password_too_long);
  EXPECT_EQ(refusal_of("abcdefgh1"), k_new_password_refused);
  EXPECT_EQ(refusal_of("abcdefgh#"), k_new_password_refused);
  EXPECT_EQ(refusal_of("12345678#"), k_new_password_refused);
  EXPECT_EQ(refusal_of("abcdef 1"), k_new_password_refused) << "a space is not special";
  EXPECT_EQ(refusal_of(""), k_password_too_short);
}

TEST(Credentials, take_a_new_password_for_the_next_logon) {
  Users users({.takes_new_passwords = true});
  EXPECT_EQ(users.log_on(logon("Secret#1", "Other#22")), k_success);
  std::uint16_t user = 9;
  EXPECT_EQ(users.credentials->identify(logon("Secret#1"), user).code, k_success) << "of the session at hand";
  EXPECT_EQ(user, 1u);
  EXPECT_EQ(users.credentials->identify(logon("Other#22"), user).code, k_invalid_credentials);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_invalid_credentials);
  EXPECT_EQ(users.log_on(logon("Other#22")), k_success);
  EXPECT_EQ(users.credentials->identify(logon("Other#22"), user).code, k_success);
}

TEST(Credentials, refuse_a_new_password_that_is_none) {
  Users users({.takes_new_passwords = true});
  EXPECT_EQ(users.log_on(logon("Secret#1", "short#1")), k_password_too_short);
  EXPECT_EQ(users.log_on(logon("Secret#1", "much-too-long#1")), k_password_too_long);
  EXPECT_EQ(users.log_on(logon("Secret#1", "no-digit-in")), k_new_password_refused);
  EXPECT_EQ(users.log_on(logon("Secret#1", "Secret#1")), k_new_password_refused) << "the same is not new";
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success) << "nothing has changed";
  Users fixed({});
  EXPECT_EQ(fixed.log_on(logon("Secret#1", "Other#22")), k_new_password_refused);
}

TEST(Credentials, let_a_first_password_in_only_with_a_new_one) {
  Users users({.takes_new_passwords = true}, true);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_password_expired);
  EXPECT_EQ(users.log_on(logon("Secret#1", "Other#22")), k_success);
  EXPECT_EQ(users.log_on(logon("Other#22")), k_success);
}

TEST(Credentials, count_the_days_of_a_password_down_until_it_expires) {
  Users users({.takes_new_passwords = true, .password_days = 30}, false, k_now - 28 * 24h - 1h);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success);
  EXPECT_EQ(users.days, 2) << "begun days count";
  EXPECT_EQ(users.log_on(logon("Secret#1"), k_now + 2 * 24h), k_password_expired);
  EXPECT_EQ(users.log_on(logon("Secret#1", "Other#22"), k_now + 2 * 24h), k_success);
  EXPECT_EQ(users.days, 30);
  EXPECT_EQ(users.log_on(logon("Other#22"), k_now + 31 * 24h), k_success);
  EXPECT_EQ(users.days, 1);
  EXPECT_EQ(users.log_on(logon("Other#22"), k_now + 32 * 24h), k_password_expired);
  Users forever({});
  EXPECT_EQ(forever.log_on(logon("Secret#1")), k_success);
  EXPECT_EQ(forever.days, mit::LogonReply::k_days_not_stated);
}

TEST(Credentials, lock_a_user_after_wrong_passwords_in_a_row) {
  Users users({.failures = 3});
  EXPECT_EQ(users.log_on(logon("wrong")), k_invalid_credentials);
  EXPECT_EQ(users.log_on(logon("wrong")), k_invalid_credentials);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success) << "which forgives";
  for (int count = 0; count < 3; ++count) {
    EXPECT_FALSE(users.credentials->is_locked(1));
    EXPECT_EQ(users.log_on(logon("wrong")), k_invalid_credentials);
  }
  EXPECT_TRUE(users.credentials->is_locked(1));
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_user_locked);
  EXPECT_EQ(users.log_on(logon("x", {}, "BERT")), k_success) << "others are not";
  users.credentials->set_locked(1, false);
  EXPECT_EQ(users.log_on(logon("wrong")), k_invalid_credentials);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success);
  users.credentials->set_locked(1, true);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_user_locked);
}

/// Answers at the second time of asking, that 25 characters and more begin with the password.
struct SlowHasher final : PasswordHasher {
  std::optional<PasswordAnswer> find(const PasswordAsker& asker, const PasswordQuestion& question) override {
    ++asked;
    if (is_busy) return PasswordAnswer{.is_busy = true};
    if (!std::exchange(is_ready, !is_ready)) return std::nullopt;
    last_chosen = question.chosen;
    last_user = asker.user;
    const bool is_right = question.kept.empty() || question.kept == hash_of(question.password);
    return PasswordAnswer{.is_right = is_right,
                          .kept = question.chosen.empty() || !is_random ? std::string() : hash_of(question.chosen)};
  }
  static std::string hash_of(std::string_view password) { return std::string(password) + std::string(30, '.'); }
  std::string last_chosen;
  int asked = 0;
  std::uint16_t last_user = 0;
  bool is_ready = false, is_busy = false;
  bool is_random = true;
};

struct HashedUsers {
  explicit HashedUsers(const LogonRules& rules = {.takes_new_passwords = true, .failures = 3}) {
    const std::vector<Credential> users{{.name = "BERT", .password = "x"},
                                        {.name = "ANNA", .password = SlowHasher::hash_of("Secret#1")}};
    credentials.emplace(users, rules, k_now, &hasher);
  }
  /// As the front does it once it may.
  std::int32_t log_on(const mit::Logon& with) {
    waits = 0;
    PasswordAsker asker;
    while (credentials->wait(with, asker, is_busy) > Duration{0}) ++waits;
    if (is_busy) return k_logons_busy;
    std::uint16_t user = asker.user;
    mit::LogonReply reply = credentials->authenticate(with, user);
    if (reply.code == 0) reply = credentials->check_change(with, user, k_now);
    if (reply.code != 0) return reply.code;
    keep = credentials->to_keep(with, user);
    if (!with.new_password.is_empty() && keep.empty()) return k_system_suspended;
    credentials->commit(with, user, k_now);
    return 0;
  }
  SlowHasher hasher;
  std::optional<Credentials> credentials;
  std::string keep;
  int waits = 0;
  bool is_busy = false;
};

TEST(Credentials, of_which_only_a_hash_is_kept_are_compared_while_the_logon_waits_and_then_known) {
  HashedUsers users;
  std::uint16_t user = 0;
  EXPECT_EQ(users.credentials->identify(logon("Secret#1"), user).code, k_no_session) << "it never logged on";
  EXPECT_EQ(users.log_on(logon("wrong")), k_invalid_credentials);
  EXPECT_EQ(users.waits, 1);
  EXPECT_EQ(users.hasher.last_user, 1);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success);
  EXPECT_EQ(users.waits, 1);
  EXPECT_EQ(users.credentials->identify(logon("Secret#1"), user).code, k_success);
  const int asked = users.hasher.asked;
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success);
  EXPECT_EQ(users.log_on(logon("wrong")), k_invalid_credentials);
  EXPECT_EQ(users.log_on(logon("x", {}, "BERT")), k_success) << "it is kept in clear";
  EXPECT_EQ(users.log_on(logon("x", {}, "NOBODY")), k_user_not_found);
  EXPECT_EQ(users.hasher.asked, asked) << "all of these are known";
}

TEST(Credentials, of_a_logon_that_waits_are_those_of_the_user_that_was_found_at_first) {
  HashedUsers users;
  for (const std::uint16_t before : std::vector<std::uint16_t>{0, 1, 9, 65'535}) {
    PasswordAsker asker{.user = before};
    EXPECT_EQ(users.credentials->wait(logon("wrong"), asker, users.is_busy), Duration{20ms}) << before;
    EXPECT_EQ(asker.user, 1);
    EXPECT_EQ(users.credentials->wait(logon("wrong"), asker, users.is_busy), Duration{0});
    EXPECT_EQ(users.hasher.last_user, 1);
  }
  PasswordAsker asker{.user = 1};
  EXPECT_EQ(users.credentials->wait(logon("x", {}, "NOBODY"), asker, users.is_busy), Duration{0});
  EXPECT_EQ(asker.user, 1) << "of nobody there is none";
}

TEST(Credentials, of_a_logon_that_nobody_has_time_for_are_neither_right_nor_wrong) {
  HashedUsers users({.failures = 1});
  users.hasher.is_busy = true;
  EXPECT_EQ(users.log_on(logon("wrong")), k_logons_busy);
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_logons_busy);
  EXPECT_EQ(users.waits, 0);
  EXPECT_FALSE(users.credentials->is_locked(1)) << "a wrong one that nobody has seen does not count";
  users.hasher.is_busy = false;
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success);
  users.hasher.is_busy = true;
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_success) << "it is known, so nobody is asked";
}

TEST(Credentials, of_which_only_a_hash_is_kept_lock_their_user_too) {
  HashedUsers users;
  for (int count = 0; count < 3; ++count) EXPECT_EQ(users.log_on(logon("wrong")), k_invalid_credentials);
  const int asked = users.hasher.asked;
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_user_locked);
  EXPECT_EQ(users.hasher.asked, asked) << "nobody works for who is locked";
}

TEST(Credentials, keep_only_a_hash_of_a_new_password) {
  HashedUsers users;
  EXPECT_EQ(users.log_on(logon("Secret#1", "short#1")), k_password_too_short);
  EXPECT_EQ(users.hasher.last_chosen, "") << "of what is refused nothing is made";
  EXPECT_EQ(users.log_on(logon("Secret#1", "Other#22")), k_success);
  EXPECT_EQ(users.keep, SlowHasher::hash_of("Other#22"));
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_invalid_credentials);
  EXPECT_EQ(users.log_on(logon("Other#22")), k_success);
  EXPECT_EQ(users.log_on(logon("x", "Other#23", "BERT")), k_success);
  EXPECT_EQ(users.keep, SlowHasher::hash_of("Other#23")) << "one that was kept in clear";
  users.hasher.is_random = false;
  EXPECT_EQ(users.log_on(logon("Other#22", "Other#24")), k_system_suspended) << "nothing could be made";
  EXPECT_EQ(users.log_on(logon("Other#22")), k_success);
}

TEST(Credentials, of_which_only_a_hash_is_kept_are_never_right_without_who_knows_it) {
  const std::vector<Credential> one{{.name = "ANNA", .password = SlowHasher::hash_of("Secret#1")}};
  Credentials credentials(one, {}, k_now);
  PasswordAsker asker;
  bool is_busy = true;
  EXPECT_EQ(credentials.wait(logon("Secret#1"), asker, is_busy), Duration{0});
  EXPECT_FALSE(is_busy);
  std::uint16_t user = 0;
  EXPECT_EQ(credentials.authenticate(logon("Secret#1"), user).code, k_invalid_credentials);
  EXPECT_EQ(credentials.authenticate(logon(""), user).code, k_invalid_credentials);
}

TEST(Credentials, that_the_operator_lets_expire_want_a_new_one_once) {
  Users users({.takes_new_passwords = true});
  users.credentials->set_expired(1);
  EXPECT_TRUE(users.credentials->is_expired(1));
  EXPECT_EQ(users.log_on(logon("Secret#1")), k_password_expired);
  EXPECT_EQ(users.log_on(logon("Secret#1", "Other#22")), k_success);
  EXPECT_FALSE(users.credentials->is_expired(1));
  EXPECT_EQ(users.log_on(logon("Other#22")), k_success);
}

TEST(Credentials, delay_repeated_logons_twice_as_long_each_time) {
  Users users({.delay = 500ms, .longest_delay = 3s, .quiet = 10s});
  const auto delay = [&](Time now, std::string_view user = "ANNA") {
    return users.credentials->delay(logon("any", {}, user), now);
  };
  EXPECT_EQ(delay(k_now), 0s);
  EXPECT_EQ(delay(k_now + 1s), 500ms);
  EXPECT_EQ(delay(k_now + 2s), 1s);
  EXPECT_EQ(delay(k_now + 3s), 2s);
  EXPECT_EQ(delay(k_now + 4s), 3s) << "at most";
  EXPECT_EQ(delay(k_now + 5s), 3s);
  EXPECT_EQ(delay(k_now + 5s, "BERT"), 0s) << "each user its own";
  EXPECT_EQ(delay(k_now + 5s, "NOBODY"), 0s);
  EXPECT_EQ(delay(k_now + 15s), 0s) << "a quiet time forgives";
  EXPECT_EQ(delay(k_now + 16s), 500ms);
  Users none({});
  for (int count = 0; count < 5; ++count) EXPECT_EQ(none.credentials->delay(logon("any"), k_now), 0s);
}

}  // namespace
}  // namespace dojima::venue
