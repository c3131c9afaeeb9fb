// Users that come and go while a venue runs. What the operator says of them is kept before it holds.

#include <algorithm>
#include <stdexcept>

#include "dojima/venue/front.hpp"

namespace dojima::venue {
namespace {

constexpr std::size_t k_longest_user = 25;

}  // namespace

Result<std::uint16_t> Front::add_user(const NewUser& user, Time now) {
  if (user.name.empty() || user.name.size() > k_longest_user)
    return fail(ErrorCode::out_of_range, 0, 0, static_cast<std::int64_t>(user.name.size()),
                "a name of 1 to 25 characters");
  if (config_.passwords == nullptr || config_.hasher == nullptr)
    return fail(ErrorCode::not_supported, 0, 0, 0, "passwords that are kept, and compared with what is kept of them");
  const auto known = std::ranges::find(config_.users, user.name, &UserConfig::name);
  if (known != config_.users.end() && !known->is_removed)
    return fail(ErrorCode::duplicate, 0, 0, known - config_.users.begin(), "a name that nobody has");
  const auto end = config_.users.end();
  const auto place = [&] {
    if (known != end) return known;
    if (!user.place) return std::ranges::find(config_.users, "", &UserConfig::name);
    const bool is_vacant = *user.place < config_.users.size() && config_.users[*user.place].name.empty();
    return is_vacant ? config_.users.begin() + *user.place : end;
  }();
  const auto number = static_cast<std::uint16_t>(place - config_.users.begin());
  if (place == end || users_[number].session != nullptr)
    return fail(ErrorCode::no_room, 0, 0, static_cast<std::int64_t>(users_.size()), "a place for another user");
  const UserAccess before = users_[number].standing;
  UserAccess access{.is_killed = is_killed(number),
                    .is_expired = user.must_change_password,
                    .right = user.right,
                    .place = known != config_.users.end() ? before.place : number};
  if (!config_.passwords->keep(user.name, user.password, now))
    return fail(ErrorCode::no_room, 0, 0, -1, "room where passwords are kept");
  if (config_.access != nullptr && !config_.access->keep(user.name, access, "", now)) {
    config_.passwords->take_back(user.name);
    return fail(ErrorCode::no_room, 0, 0, -1, "room in the operator's journal");
  }
  place->name = user.name;
  place->is_removed = false;
  users_[number].standing = access;
  credentials_.set(number, {.name = user.name, .password = user.password, .since = now}, now);
  credentials_.set_locked(number, false);
  if (user.must_change_password) credentials_.set_expired(number);
  return number;
}

Result<void> Front::remove_user(std::uint16_t user, Time now) {
  if (is_vacant(user) || is_removed(user)) return fail(ErrorCode::wrong_state, 0, 0, user, "a user");
  UserAccess access = access_of(user);
  access.is_removed = true;
  if (!keep_access(user, access, "", now)) return fail(ErrorCode::no_room, 0, 0, -1, "room in the operator's journal");
  users_[user].standing = access;
  config_.users[user].is_removed = true;
  credentials_.remove(user);
  if (users_[user].session != nullptr) users_[user].session->logout("removed by the operator");
  return cancel_orders(user, 0, now);
}

/// The process ended, or a journal was full, when a user was removed and before its orders were cancelled.
void Front::cancel_of_removed() {
  for (std::uint16_t user = 0; user < users_.size(); ++user) {
    if (!config_.users[user].is_removed) continue;
    for (Partition* partition : partitions_) {
      if (partition->open_orders(user) == 0) continue;
      market::MassCancel cancel{.header = {.user = user, .type = market::CommandType::mass_cancel},
                                .of = market::MassCancelOf::orders_and_quotes};
      cancel.header.flags = k_by_operator;
      if (!partition->submit(cancel.header, scheduler_.now()))
        throw std::runtime_error("the journal has no room for the end of what a removed user has open");
    }
  }
}

Result<void> Front::set_password(std::uint16_t user, const std::string& kept, bool must_change, Time now) {
  if (is_vacant(user) || is_removed(user)) return fail(ErrorCode::wrong_state, 0, 0, user, "a user");
  if (config_.passwords == nullptr || config_.hasher == nullptr)
    return fail(ErrorCode::not_supported, 0, 0, 0, "passwords that are kept, and compared with what is kept of them");
  UserAccess access = access_of(user);
  access.is_expired = must_change;
  if (!config_.passwords->keep(name_of(user), kept, now))
    return fail(ErrorCode::no_room, 0, 0, -1, "room where passwords are kept");
  if (!keep_access(user, access, "", now)) {
    config_.passwords->take_back(name_of(user));
    return fail(ErrorCode::no_room, 0, 0, -1, "room in the operator's journal");
  }
  const bool was_locked = is_locked(user);
  credentials_.set(user, {.name = name_of(user), .password = kept, .must_change = false, .since = now}, now);
  credentials_.set_locked(user, was_locked);
  if (must_change) credentials_.set_expired(user);
  return {};
}

Result<void> Front::keep_right(std::uint16_t user, UserRight right, Time now) {
  if (is_vacant(user) || is_removed(user)) return fail(ErrorCode::wrong_state, 0, 0, user, "a user");
  UserAccess access = access_of(user);
  access.right = right;
  if (!keep_access(user, access, "", now)) return fail(ErrorCode::no_room, 0, 0, -1, "room in the operator's journal");
  users_[user].standing.right = right;
  return {};
}

}  // namespace dojima::venue
