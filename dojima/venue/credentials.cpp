#include "dojima/venue/credentials.hpp"

#include <algorithm>

#include "dojima/mit/reject_codes.hpp"

namespace dojima::venue {
namespace {

constexpr std::size_t k_shortest = 8, k_longest = 14;
constexpr std::size_t k_longest_clear = 25;
constexpr Duration k_day = std::chrono::hours{24};

[[nodiscard]] bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
[[nodiscard]] bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] bool is_special(char c) noexcept {
  return c > ' ' && c <= '~' && !is_digit(c) && !is_letter(c);
}

}  // namespace

std::int32_t refusal_of(std::string_view password) noexcept {
  if (password.size() < k_shortest) return mit::code::k_password_too_short;
  if (password.size() > k_longest) return mit::code::k_password_too_long;
  const bool has_all = std::ranges::any_of(password, is_digit) && std::ranges::any_of(password, is_letter) &&
                       std::ranges::any_of(password, is_special);
  return has_all ? mit::code::k_success : mit::code::k_new_password_refused;
}

Credentials::Credentials(std::span<const Credential> users, const LogonRules& rules, Time now, PasswordHasher* hasher)
    : rules_(rules), hasher_(hasher) {
  users_.resize(users.size());
  for (std::size_t at = 0; at < users.size(); ++at) set(static_cast<std::uint16_t>(at), users[at], now);
}

void Credentials::set(std::uint16_t number, const Credential& credential, Time now) {
  User& user = users_.at(number);
  const bool is_clear = credential.password.size() <= k_longest_clear;
  user.name = credential.name;
  user.kept = credential.password;
  user.kept_next.clear();
  user.password = is_clear ? Text<25>::cut(credential.password) : Text<25>{};
  user.next = {};
  user.since = credential.since == Time{} ? now : credential.since;
  user.wrong = 0;
  user.must_change = credential.must_change;
  user.is_expired = false;
  user.is_known = is_clear;
}

Duration Credentials::wait(const mit::Logon& logon, PasswordAsker& asker, bool& is_busy) {
  is_busy = false;
  if (hasher_ == nullptr) return {};
  const bool is_found = asker.user < users_.size() && users_[asker.user].name == logon.user.view();
  User* const user = is_found ? &users_[asker.user] : find(logon);
  if (user == nullptr) return {};
  asker.user = number_of(*user);
  if (user->is_locked) return {};
  const Text<25>& expected = user->next.is_empty() ? user->password : user->next;
  if (user->is_known && expected != logon.password) return {};
  const bool is_choosing = !logon.new_password.is_empty() && refusal_of_change(logon) == mit::code::k_success;
  if (user->is_known && !is_choosing) return {};
  const auto answer = hasher_->find(asker, {.kept = user->is_known ? std::string_view() : user->kept,
                                            .password = logon.password.view(),
                                            .chosen = is_choosing ? logon.new_password.view() : std::string_view()});
  if (!answer) return PasswordHasher::k_ask_again;
  is_busy = answer->is_busy;
  if (is_busy) return {};
  user->kept_next = answer->kept;
  if (user->is_known || !answer->is_right) return {};
  // From here on it is compared with itself: what differs from it is wrong at once.
  user->password = logon.password;
  user->is_known = true;
  return {};
}

std::string_view Credentials::to_keep(const mit::Logon& logon, std::uint16_t number) const noexcept {
  return hasher_ == nullptr ? logon.new_password.view() : std::string_view(users_[number].kept_next);
}

const Credentials::User* Credentials::find(const mit::Logon& logon) const noexcept {
  const auto found =
      std::ranges::find(users_, logon.user.view(), [](const User& user) -> std::string_view { return user.name; });
  return found == users_.end() || found->name.empty() ? nullptr : &*found;
}

mit::LogonReply Credentials::authenticate(const mit::Logon& logon, std::uint16_t& number) noexcept {
  User* user = find(logon);
  if (user == nullptr) return {.code = mit::code::k_user_not_found};
  if (user->is_locked) return {.code = mit::code::k_user_locked};
  const Text<25>& expected = user->next.is_empty() ? user->password : user->next;
  number = number_of(*user);
  if (!user->is_known || expected != logon.password) {
    if (++user->wrong == rules_.failures) user->is_locked = true;
    return {.code = mit::code::k_invalid_credentials};
  }
  return {};
}

mit::LogonReply Credentials::check_change(const mit::Logon& logon, std::uint16_t number, Time now) const noexcept {
  const User& user = users_[number];
  if (logon.new_password.is_empty()) {
    const std::int32_t days = days_left(number, now);
    if (user.must_change || user.is_expired || days == 0) return {.code = mit::code::k_password_expired};
    return {.days = days};
  }
  if (const std::int32_t code = refusal_of_change(logon); code != mit::code::k_success) return {.code = code};
  const bool is_forever = rules_.password_days == 0;
  return {.days = is_forever ? mit::LogonReply::k_days_not_stated : static_cast<std::int32_t>(rules_.password_days)};
}

std::int32_t Credentials::refusal_of_change(const mit::Logon& logon) const noexcept {
  if (!rules_.takes_new_passwords || logon.new_password == logon.password) return mit::code::k_new_password_refused;
  return refusal_of(logon.new_password.view());
}

void Credentials::commit(const mit::Logon& logon, std::uint16_t number, Time now) noexcept {
  User& user = users_[number];
  user.wrong = 0;
  user.password = logon.password;
  user.next = logon.new_password;
  if (logon.new_password.is_empty()) return;
  user.kept = to_keep(logon, number);
  user.kept_next.clear();
  user.since = now;
  user.must_change = user.is_expired = false;
}

mit::LogonReply Credentials::identify(const mit::Logon& logon, std::uint16_t& number) const noexcept {
  const User* user = find(logon);
  if (user == nullptr) return {.code = mit::code::k_user_not_found};
  if (!user->is_known) return {.code = mit::code::k_no_session};
  if (user->password != logon.password) return {.code = mit::code::k_invalid_credentials};
  number = number_of(*user);
  return {};
}

Duration Credentials::delay(const mit::Logon& logon, Time now) noexcept {
  User* user = find(logon);
  if (user == nullptr || rules_.delay <= Duration{0}) return {};
  const bool is_first = user->last_logon == Time{} || now - user->last_logon >= rules_.quiet;
  user->row = is_first ? 0 : user->row + 1;
  user->last_logon = now;
  if (user->row == 0) return {};
  Duration delay = rules_.delay;
  for (std::uint32_t doubled = 1; doubled < user->row && delay < rules_.longest_delay; ++doubled) delay += delay;
  return std::min(delay, rules_.longest_delay);
}

void Credentials::set_locked(std::uint16_t number, bool is_locked) {
  User& user = users_.at(number);
  user.is_locked = is_locked;
  user.wrong = 0;
}

std::int32_t Credentials::days_left(std::uint16_t number, Time now) const {
  if (rules_.password_days == 0) return mit::LogonReply::k_days_not_stated;
  const Duration left = users_.at(number).since + rules_.password_days * k_day - now;
  if (left <= Duration{0}) return 0;
  return static_cast<std::int32_t>((left + k_day - Duration{1}) / k_day);
}

}  // namespace dojima::venue
