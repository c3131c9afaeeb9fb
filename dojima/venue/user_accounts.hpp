#pragma once

// The users of a venue as its operator knows them: who they are, with which passwords they log on, and what they may
// not do. What the operator says of them is kept before it holds. O(users) to find one by its name. One thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/mit/messages.hpp"
#include "dojima/time/time.hpp"
#include "dojima/venue/credentials.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

/// A user of the venue. Its number is its place in the configuration, in the front and in every partition.
struct UserConfig {
  std::string name;                   ///< 1 to 25 characters, once in the venue; empty: a place that nobody has yet
  std::string password;               ///< 1 to 25 characters; with FrontConfig::hasher also what that made of it
  UserSetUp set_up;                   ///< what the partitions know
  std::uint32_t throttle = 0;         ///< messages per second; 0: no limit
  bool must_change_password = false;  ///< it is a first one
  Time password_since{};              ///< when it was set; the epoch: when the front was made
  bool is_removed = false;            ///< it cannot log on; its name is kept for those who read of it
};

/// A user that the operator adds.
struct NewUser {
  std::string name;      ///< 1 to 25 characters
  std::string password;  ///< what FrontConfig::hasher makes of it
  bool must_change_password = false;
  UserRight right = UserRight::trade;
  std::optional<std::uint16_t> place;  ///< of those that nobody has; none: the first. Who was removed has its own
};

/// Who keeps what is said of users beyond the end of the process. All outlive the accounts; each may be null.
struct AccountKeepers {
  PasswordKeeper* passwords = nullptr;  ///< of changed passwords. Null: they are gone with the process
  AccessKeeper* access = nullptr;       ///< of locks, kill switches and expired passwords; likewise
  PasswordHasher* hasher = nullptr;     ///< null: passwords are compared and kept as they are
};

/// What the partitions know of these users.
[[nodiscard]] std::vector<UserSetUp> set_ups_of(std::span<const UserConfig> users);

/// By number, the place of a user in the configuration. A number that nobody has throws std::out_of_range.
class UserAccounts {
 public:
  /// With what is kept of these users; partitions are those of the venue, which outlive it. Throws std::bad_alloc.
  UserAccounts(std::vector<UserConfig> users, const LogonRules& rules, const AccountKeepers& keepers,
               std::span<Partition* const> partitions, Time now);

  [[nodiscard]] std::size_t size() const noexcept { return users_.size(); }
  [[nodiscard]] const UserConfig& operator[](std::uint16_t user) const noexcept { return users_[user]; }
  /// A place that nobody has.
  [[nodiscard]] bool is_vacant(std::uint16_t user) const { return users_.at(user).name.empty(); }
  [[nodiscard]] bool is_removed(std::uint16_t user) const { return users_.at(user).is_removed; }
  [[nodiscard]] const std::string& name_of(std::uint16_t user) const { return users_.at(user).name; }
  /// Whether too many wrong passwords, or the operator, have locked a user: it cannot log on then.
  [[nodiscard]] bool is_locked(std::uint16_t user) const { return credentials_.is_locked(user); }
  /// In any partition.
  [[nodiscard]] bool is_killed(std::uint16_t user) const;
  /// What the user may not do.
  [[nodiscard]] UserAccess access_of(std::uint16_t user) const;

  // ---- by the operator. `no_room`: it could not be kept, and is as it was

  /// Who is logged on stays so.
  [[nodiscard]] Result<void> set_locked(std::uint16_t user, bool is_locked, Time now);
  /// The user's next logon has to bring a new password. `wrong_state`: it has to already; `not_supported`: the rules
  /// take no new passwords.
  [[nodiscard]] Result<void> expire_password(std::uint16_t user, Time now);
  /// The user's next logon has to bring this password; `kept`: what the hasher makes of it. A session goes on, without
  /// a recovery channel from here on. `wrong_state`: it is no user; `not_supported`: nobody keeps passwords, or
  /// compares what is kept of them.
  [[nodiscard]] Result<void> set_password(std::uint16_t user, const std::string& kept, bool must_change, Time now);
  /// What the user may do, as is kept; the caller sees to it that it holds. `wrong_state`: it is no user.
  [[nodiscard]] Result<void> keep_right(std::uint16_t user, UserRight right, Time now);

  /// Where this user would be: in the place that it had, or the one that is wanted, or any that nobody has.
  /// `out_of_range`: the name; `duplicate`: there is one of this name; `not_supported` as of set_password(); `no_room`:
  /// all places are taken, or the wanted one is (`got` is their number).
  [[nodiscard]] Result<std::uint16_t> place_for(const NewUser& user) const;
  /// Puts a user into the place that place_for() gave.
  [[nodiscard]] Result<void> add(std::uint16_t place, const NewUser& user, Time now);
  /// It is none any more. `wrong_state`: it is none; `no_room` with -1.
  [[nodiscard]] Result<void> remove(std::uint16_t user, Time now);
  /// False: it could not be kept. `why` is for a person who reads it later.
  [[nodiscard]] bool keep(std::uint16_t user, const UserAccess& access, std::string_view why, Time now);

  /// A kill switch that is kept and in no partition: it was set by a build that had it elsewhere, or the process ended
  /// between the two. Throws std::runtime_error where a journal has no room.
  void kill_as_kept(Time now);
  /// The process ended, or a journal was full, when a user was removed and before its orders were cancelled. Likewise.
  void cancel_of_removed(Time now);

  // ---- logons

  [[nodiscard]] Credentials& credentials() noexcept { return credentials_; }
  /// As Credentials::identify().
  [[nodiscard]] mit::LogonReply identify(const mit::Logon& logon, std::uint16_t& user) const noexcept {
    return credentials_.identify(logon, user);
  }
  /// As Credentials::authenticate(); a lock is kept, too.
  [[nodiscard]] mit::LogonReply authenticate(const mit::Logon& logon, std::uint16_t& user, Time now);
  /// Keeps a logon's new password, before the partitions hear of it: what could not be kept is not changed. False then.
  [[nodiscard]] bool keep_new_password(const mit::Logon& logon, std::uint16_t user, Time now);
  void take_back_password(std::uint16_t user);
  /// The user is logged on; its new password is that of its next logon.
  void commit(const mit::Logon& logon, std::uint16_t user, Time now);

 private:
  std::vector<UserConfig> users_;
  std::vector<UserAccess> said_;  // by the operator, but for what is asked of others
  LogonRules rules_;
  AccountKeepers keepers_;
  std::vector<Partition*> partitions_;
  Credentials credentials_;
};

}  // namespace dojima::venue
