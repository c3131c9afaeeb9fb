#pragma once

// The passwords of a venue's users and what logons cost: what a new password must be like, when one ends, users who are
// locked after wrong ones, and the growing delay of repeated logons (section 8 of MIT203; docs/venue.md). A change
// takes effect with the user's next logon. O(users) to find a user, no allocation after construction, no clock. One
// thread.
//
//   Credentials credentials(users, rules, now);
//   mit::LogonReply reply = credentials.authenticate(logon, user);          // who is it?
//   if (reply.code == 0) reply = credentials.check_change(logon, user, now);
//   if (reply.code == 0) credentials.commit(logon, user, now);

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/mit/messages.hpp"
#include "dojima/time/time.hpp"

namespace dojima::venue {

using time::Duration;
using time::Time;

struct LogonRules {
  bool takes_new_passwords = false;  ///< else NewPassword is refused with code 3
  std::uint32_t password_days = 0;   ///< that a password is good for; 0: for ever
  std::uint32_t failures = 0;  ///< wrong passwords in a row that lock a user until the operator unlocks it; 0: none
  Duration delay{};            ///< of the second logon in a row; each further one waits twice as long. 0: none
  Duration longest_delay = std::chrono::seconds{4};
  Duration quiet =
      std::chrono::seconds{30};  ///< without a logon of the user, after which the next is a first one again
  friend bool operator==(const LogonRules&, const LogonRules&) = default;
};

/// A user as it is configured.
struct Credential {
  std::string name;          ///< 1 to 25 characters, once
  std::string password;      ///< 1 to 25 characters; more: what a PasswordHasher made of it
  bool must_change = false;  ///< a first password: the logon has to bring a new one
  Time since{};              ///< when the password was set; the epoch: when the venue started
};

/// What a logon asks about passwords. It owns no text: a hasher that answers later keeps copies.
struct PasswordQuestion {
  std::string_view kept;  ///< that `password` is compared with; empty: with nothing, it is right
  std::string_view password;
  std::string_view chosen;  ///< of which something is to be kept; empty: nothing
  friend bool operator==(const PasswordQuestion&, const PasswordQuestion&) = default;
};
struct PasswordAnswer {
  bool is_right = false;
  bool is_busy = false;  ///< not looked at: too many wait, the asker may try again
  std::string kept;      ///< of `chosen`, more than 25 characters; empty: nothing could be made, or was to be
};

/// Who asks. A connection has one question at a time; connections, users and hosts take turns.
struct PasswordAsker {
  std::uint32_t connection = 0;  ///< a number that no other connection has meanwhile
  std::uint16_t user = 0;
  std::string_view host;  ///< where the connection comes from
};

/// Compares passwords with what is kept in their place, and makes that. It takes long on purpose, so somebody else does
/// it meanwhile.
class PasswordHasher {
 public:
  /// Between two times that a question is asked.
  static constexpr Duration k_ask_again = std::chrono::milliseconds{20};

  /// None: it is being found; ask again in k_ask_again, with the same question. A question that is not asked again need
  /// not be answered; another one of the connection takes its place. An answer is given once.
  [[nodiscard]] virtual std::optional<PasswordAnswer> find(const PasswordAsker& asker,
                                                           const PasswordQuestion& question) = 0;

 protected:
  ~PasswordHasher() = default;
};

/// Keeps changed passwords beyond the end of the process.
class PasswordKeeper {
 public:
  /// `password`: what is to be kept of it. False: it could not be kept, and is not changed.
  [[nodiscard]] virtual bool keep(std::string_view user, std::string_view password, Time since) = 0;
  /// The last keep(), which was of this user, is undone: what was kept of it before holds as it was kept then, and if
  /// nothing was, nothing is.
  virtual void take_back(std::string_view user) = 0;

 protected:
  ~PasswordKeeper() = default;
};

/// What a user may do, where the operator has said it.
enum class UserRight : std::uint8_t { as_configured = 0, trade = 1, read = 2 };

/// A user that the operator did not add.
inline constexpr std::uint16_t k_no_place = 0xffff;

/// What a user may not do, because somebody said so.
struct UserAccess {
  bool is_locked = false;   ///< it cannot log on
  bool is_killed = false;   ///< its orders and replaces are refused
  bool is_expired = false;  ///< its next logon has to bring a new password
  bool is_removed = false;  ///< it is no user any more
  UserRight right = UserRight::as_configured;
  std::uint16_t place = k_no_place;  ///< its number, of one that the operator added
  friend bool operator==(const UserAccess&, const UserAccess&) = default;
};

/// Keeps what users may not do beyond the end of the process.
class AccessKeeper {
 public:
  [[nodiscard]] virtual UserAccess access_of(std::string_view user) const = 0;
  /// False: it could not be kept, and is not changed. `why` is for a person who
  /// reads it later.
  [[nodiscard]] virtual bool keep(std::string_view user, const UserAccess& access, std::string_view why, Time now) = 0;

 protected:
  ~AccessKeeper() = default;
};

/// The code with which MIT203 refuses a password, 0 for a good one: 14 below 8 characters, 15 above 14, 3 without a
/// letter, a digit or a special character.
[[nodiscard]] std::int32_t refusal_of(std::string_view new_password) noexcept;

class Credentials {
 public:
  /// `now`: of the start. `hasher`: without one passwords are compared, and kept, as they are; it outlives this. Throws
  /// std::bad_alloc.
  Credentials(std::span<const Credential> users, const LogonRules& rules, Time now, PasswordHasher* hasher = nullptr);

  /// How long until a logon can be looked at, because its passwords are being compared; 0: now. The asker's user: any
  /// number at first; then what this has put there, which finds the user in O(1). `is_busy`: they are not, as too many
  /// wait, and the logon is to be refused. Allocates when they have been compared.
  [[nodiscard]] Duration wait(const mit::Logon& logon, PasswordAsker& asker, bool& is_busy);

  /// Who logs on. 4: nobody of this name; 8: locked; 1: another password, which counts towards locking the user, whose
  /// number is given then, too.
  [[nodiscard]] mit::LogonReply authenticate(const mit::Logon& logon, std::uint16_t& user) noexcept;
  /// Whether the user may log on with what it asks for, with the days that its password is still good for. 9: the
  /// password has expired or is a first one, and no new one was given; 3, 14, 15: the new one is not taken.
  [[nodiscard]] mit::LogonReply check_change(const mit::Logon& logon, std::uint16_t user, Time now) const noexcept;
  /// The user is logged on; a new password is the one of its next logon.
  void commit(const mit::Logon& logon, std::uint16_t user, Time now) noexcept;
  /// What is to be kept of the new password of a logon that wait() lets through; empty: nothing could be made.
  [[nodiscard]] std::string_view to_keep(const mit::Logon& logon, std::uint16_t user) const noexcept;
  /// Who it is by the password of its session, without a trace: for another channel. 4 and 1 as above; 20904: it has
  /// not logged on yet, and its password is not known.
  [[nodiscard]] mit::LogonReply identify(const mit::Logon& logon, std::uint16_t& user) const noexcept;

  /// How long a logon has to wait; called once for each.
  [[nodiscard]] Duration delay(const mit::Logon& logon, Time now) noexcept;

  [[nodiscard]] bool is_locked(std::uint16_t user) const { return users_.at(user).is_locked; }
  /// By the operator; unlocking forgets what was wrong before.
  void set_locked(std::uint16_t user, bool is_locked);
  /// By the operator: who is at this place from now on, with what is kept of its password. Throws std::out_of_range,
  /// std::bad_alloc.
  void set(std::uint16_t user, const Credential& credential, Time now);
  /// By the operator: nobody of this name can log on.
  void remove(std::uint16_t user) { users_.at(user).name.clear(); }
  /// By the operator: the next logon has to bring a new password.
  void set_expired(std::uint16_t user) { users_.at(user).is_expired = true; }
  [[nodiscard]] bool is_expired(std::uint16_t user) const { return users_.at(user).is_expired; }
  /// Days until the password that counts at the next logon expires, rounded up; negative: never.
  [[nodiscard]] std::int32_t days_left(std::uint16_t user, Time now) const;

 private:
  struct User {
    std::string name;
    std::string kept;         // of the next logon's password: itself, or what the hasher made of it
    std::string kept_next;    // ... of the one that a logon at hand chooses
    Text<25> password;        // of the session at hand, and of the next logon unless there is `next`
    Text<25> next;            // what the next logon has to bring; empty: `password`
    Time since;               // of the newest of both
    Time last_logon{};        // that was tried
    std::uint32_t row = 0;    // logons in a row
    std::uint32_t wrong = 0;  // passwords in a row
    bool must_change = false;
    bool is_locked = false;
    bool is_expired = false;  // by the operator
    bool is_known = true;     // `password` is; else only what is kept of it
  };

  [[nodiscard]] std::int32_t refusal_of_change(const mit::Logon& logon) const noexcept;

  [[nodiscard]] const User* find(const mit::Logon& logon) const noexcept;
  [[nodiscard]] User* find(const mit::Logon& logon) noexcept {
    return const_cast<User*>(static_cast<const Credentials&>(*this).find(logon));
  }
  [[nodiscard]] std::uint16_t number_of(const User& user) const noexcept {
    return static_cast<std::uint16_t>(&user - users_.data());
  }

  LogonRules rules_;
  PasswordHasher* hasher_;
  std::vector<User> users_;
};

}  // namespace dojima::venue
