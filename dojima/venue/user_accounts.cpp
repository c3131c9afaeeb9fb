#include "dojima/venue/user_accounts.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "dojima/mit/reject_codes.hpp"

namespace dojima::venue {
namespace {

constexpr std::size_t k_longest_user = 25;

std::vector<Credential> credentials_of(std::span<const UserConfig> users) {
  std::vector<Credential> credentials;
  for (const UserConfig& user : users)
    credentials.push_back({.name = user.is_removed ? std::string() : user.name,
                           .password = user.password,
                           .must_change = user.must_change_password,
                           .since = user.password_since});
  return credentials;
}

std::unexpected<Error> no_room_for_access(std::int64_t got) {
  return fail(ErrorCode::no_room, 0, 0, got, "room in the operator's journal");
}

std::unexpected<Error> no_password_keeper() {
  return fail(ErrorCode::not_supported, 0, 0, 0, "passwords that are kept, and compared with what is kept of them");
}

}  // namespace

std::vector<UserSetUp> set_ups_of(std::span<const UserConfig> users) {
  std::vector<UserSetUp> set_ups;
  for (const UserConfig& user : users) set_ups.push_back(user.set_up);
  return set_ups;
}

UserAccounts::UserAccounts(std::vector<UserConfig> users, const LogonRules& rules, const AccountKeepers& keepers,
                           std::span<Partition* const> partitions, Time now)
    : users_(std::move(users)),
      said_(users_.size()),
      rules_(rules),
      keepers_(keepers),
      partitions_(partitions.begin(), partitions.end()),
      credentials_(credentials_of(users_), rules, now, keepers.hasher) {
  for (std::uint16_t user = 0; keepers_.access != nullptr && user < users_.size(); ++user) {
    if (users_[user].name.empty()) continue;
    said_[user] = keepers_.access->access_of(users_[user].name);
    credentials_.set_locked(user, said_[user].is_locked);
    if (said_[user].is_expired) credentials_.set_expired(user);
  }
}

bool UserAccounts::is_killed(std::uint16_t user) const {
  static_cast<void>(users_.at(user));
  return std::ranges::any_of(
      partitions_, [user](const Partition* partition) { return partition->is_killed(market::LimitOf::user, user); });
}

UserAccess UserAccounts::access_of(std::uint16_t user) const {
  UserAccess access = said_.at(user);
  access.is_locked = is_locked(user);
  access.is_killed = is_killed(user);
  access.is_expired = credentials_.is_expired(user);
  return access;
}

bool UserAccounts::keep(std::uint16_t user, const UserAccess& access, std::string_view why, Time now) {
  return keepers_.access == nullptr || keepers_.access->keep(users_[user].name, access, why, now);
}

// ---- By the operator -----------------------------------------------------------------------------------------------

Result<void> UserAccounts::set_locked(std::uint16_t user, bool is_locked, Time now) {
  UserAccess access = access_of(user);
  access.is_locked = is_locked;
  if (!keep(user, access, "", now)) return no_room_for_access(user);
  credentials_.set_locked(user, is_locked);
  return {};
}

Result<void> UserAccounts::expire_password(std::uint16_t user, Time now) {
  UserAccess access = access_of(user);
  if (access.is_expired) return fail(ErrorCode::wrong_state, 0, 0, user, "a user whose password has not expired");
  if (!rules_.takes_new_passwords) return fail(ErrorCode::not_supported, 0, 0, user, "rules that take new ones");
  access.is_expired = true;
  if (!keep(user, access, "", now)) return no_room_for_access(user);
  credentials_.set_expired(user);
  return {};
}

Result<void> UserAccounts::set_password(std::uint16_t user, const std::string& kept, bool must_change, Time now) {
  if (is_vacant(user) || is_removed(user)) return fail(ErrorCode::wrong_state, 0, 0, user, "a user");
  if (keepers_.passwords == nullptr || keepers_.hasher == nullptr) return no_password_keeper();
  UserAccess access = access_of(user);
  access.is_expired = must_change;
  if (!keepers_.passwords->keep(name_of(user), kept, now))
    return fail(ErrorCode::no_room, 0, 0, -1, "room where passwords are kept");
  if (!keep(user, access, "", now)) {
    keepers_.passwords->take_back(name_of(user));
    return no_room_for_access(-1);
  }
  const bool was_locked = is_locked(user);
  credentials_.set(user, {.name = name_of(user), .password = kept, .must_change = false, .since = now}, now);
  credentials_.set_locked(user, was_locked);
  if (must_change) credentials_.set_expired(user);
  return {};
}

Result<void> UserAccounts::keep_right(std::uint16_t user, UserRight right, Time now) {
  if (is_vacant(user) || is_removed(user)) return fail(ErrorCode::wrong_state, 0, 0, user, "a user");
  UserAccess access = access_of(user);
  access.right = right;
  if (!keep(user, access, "", now)) return no_room_for_access(-1);
  said_[user].right = right;
  return {};
}

Result<std::uint16_t> UserAccounts::place_for(const NewUser& user) const {
  if (user.name.empty() || user.name.size() > k_longest_user)
    return fail(ErrorCode::out_of_range, 0, 0, static_cast<std::int64_t>(user.name.size()),
                "a name of 1 to 25 characters");
  if (keepers_.passwords == nullptr || keepers_.hasher == nullptr) return no_password_keeper();
  const auto end = users_.end();
  const auto known = std::ranges::find(users_, user.name, &UserConfig::name);
  if (known != end && !known->is_removed)
    return fail(ErrorCode::duplicate, 0, 0, known - users_.begin(), "a name that nobody has");
  const auto place = [&] {
    if (known != end) return known;
    if (!user.place) return std::ranges::find(users_, "", &UserConfig::name);
    const bool is_free = *user.place < users_.size() && users_[*user.place].name.empty();
    return is_free ? users_.begin() + *user.place : end;
  }();
  if (place == end)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(users_.size()), "a place for another user");
  return static_cast<std::uint16_t>(place - users_.begin());
}

Result<void> UserAccounts::add(std::uint16_t place, const NewUser& user, Time now) {
  UserConfig& account = users_.at(place);
  DOJIMA_ASSERT(account.name.empty() || (account.name == user.name && account.is_removed),
                "a user is added to a place that nobody has, or its own", place, users_.size());
  const UserAccess access{.is_killed = is_killed(place),
                          .is_expired = user.must_change_password,
                          .right = user.right,
                          .place = account.name.empty() ? place : said_[place].place};
  if (!keepers_.passwords->keep(user.name, user.password, now))
    return fail(ErrorCode::no_room, 0, 0, -1, "room where passwords are kept");
  if (keepers_.access != nullptr && !keepers_.access->keep(user.name, access, "", now)) {
    keepers_.passwords->take_back(user.name);
    return no_room_for_access(-1);
  }
  account.name = user.name;
  account.is_removed = false;
  said_[place] = access;
  credentials_.set(place, {.name = user.name, .password = user.password, .since = now}, now);
  credentials_.set_locked(place, false);
  if (user.must_change_password) credentials_.set_expired(place);
  return {};
}

Result<void> UserAccounts::remove(std::uint16_t user, Time now) {
  if (is_vacant(user) || is_removed(user)) return fail(ErrorCode::wrong_state, 0, 0, user, "a user");
  UserAccess access = access_of(user);
  access.is_removed = true;
  if (!keep(user, access, "", now)) return no_room_for_access(-1);
  said_[user] = access;
  users_[user].is_removed = true;
  credentials_.remove(user);
  return {};
}

// ---- At the start --------------------------------------------------------------------------------------------------

void UserAccounts::kill_as_kept(Time now) {
  for (std::uint16_t user = 0; keepers_.access != nullptr && user < users_.size(); ++user) {
    if (users_[user].name.empty() || !keepers_.access->access_of(users_[user].name).is_killed) continue;
    for (Partition* partition : partitions_) {
      if (partition->is_killed(market::LimitOf::user, user)) continue;
      market::RiskCommand command{.value = 1, .kind = market::LimitKind::killed, .of = market::LimitOf::user};
      command.header.user = user;
      command.who = Text<20>::cut("operator's log");
      if (!partition->submit(command.header, now))
        throw std::runtime_error("the journal has no room for the kill switch of a user");
    }
  }
}

void UserAccounts::cancel_of_removed(Time now) {
  for (std::uint16_t user = 0; user < users_.size(); ++user) {
    if (!users_[user].is_removed) continue;
    for (Partition* partition : partitions_) {
      if (partition->open_orders(user) == 0) continue;
      market::MassCancel cancel{.header = {.user = user, .type = market::CommandType::mass_cancel},
                                .of = market::MassCancelOf::orders_and_quotes};
      cancel.header.flags = k_by_operator;
      if (!partition->submit(cancel.header, now))
        throw std::runtime_error("the journal has no room for the end of what a removed user has open");
    }
  }
}

// ---- Logons --------------------------------------------------------------------------------------------------------

mit::LogonReply UserAccounts::authenticate(const mit::Logon& logon, std::uint16_t& user, Time now) {
  const mit::LogonReply who = credentials_.authenticate(logon, user);
  // The last wrong password locks: in the next life, too. Where that cannot be kept it is locked in this one.
  if (who.code == mit::code::k_invalid_credentials && credentials_.is_locked(user))
    static_cast<void>(keep(user, access_of(user), "wrong passwords", now));
  return who;
}

bool UserAccounts::keep_new_password(const mit::Logon& logon, std::uint16_t user, Time now) {
  const std::string_view password = credentials_.to_keep(logon, user);
  if (password.empty()) return false;
  return keepers_.passwords == nullptr || keepers_.passwords->keep(users_[user].name, password, now);
}

void UserAccounts::take_back_password(std::uint16_t user) {
  if (keepers_.passwords != nullptr) keepers_.passwords->take_back(users_[user].name);
}

void UserAccounts::commit(const mit::Logon& logon, std::uint16_t user, Time now) {
  const bool was_expired = credentials_.is_expired(user);
  credentials_.commit(logon, user, now);
  // Where that cannot be kept, the next life asks for another one.
  if (was_expired) static_cast<void>(keep(user, access_of(user), "a new password", now));
}

}  // namespace dojima::venue
