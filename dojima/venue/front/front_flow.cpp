// Overload slows a venue, and ends nobody who reads. What waits has bounds: a session that has no room for its reports
// is not read until it has caught up, and whoever causes reports while too many of a partition wait is not read until
// fewer do. So the network slows down those who send too much, and only those.

#include <algorithm>

#include "dojima/venue/front.hpp"

namespace dojima::venue {
namespace {

/// Others wait only for laggards that took something within this time: one that has stopped reading slows nobody for
/// longer. Also how often laggards are looked at where nothing else happens.
constexpr Duration k_review = std::chrono::milliseconds{100};

}  // namespace

/// Too many reports of the partition wait: for its journal, or for somebody who reads slower than they come. Who causes
/// more is not read any more. False: not even one more command can be taken.
bool Front::make_way(std::size_t partition, std::uint16_t user, Time now) {
  pump(partition, now);
  find_floors(now);
  const std::uint64_t end = partitions_[partition]->reports().end();
  if (end - floors_[partition] >= bounds_[partition] && user < users_.size() && users_[user].session != nullptr)
    hold(users_[user]);
  return unread(partition) < partitions_[partition]->reports().capacity() / 4;
}

void Front::hold(User& user) {
  if (user.is_held) return;
  user.is_held = is_any_held_ = true;
  ++counters_.holds;
  user.session->hold();
  if (!review_.is_armed()) review_.arm(scheduler_.now() + k_review);
}

void Front::release(User& user) {
  if (!user.is_held) return;
  user.is_held = false;
  user.session->resume();
}

/// What there is for laggards leaves, those that take nothing are ended, and who may be read again is.
std::size_t Front::serve_waiting(Time now) {
  std::size_t sent = 0;
  is_any_lagging_ = false;
  for (User& user : users_) {
    if (!user.is_lagging) continue;
    const std::size_t taken = catch_up(user);
    sent += taken;
    if (taken != 0) user.sent = now;
    if (user.is_lagging && is_stalled(user, now)) log_out_slow(user, "does not read");
    is_any_lagging_ = is_any_lagging_ || user.is_lagging;
  }
  find_floors(now);
  const bool is_crowded = is_any_crowded();
  is_any_held_ = false;
  for (User& user : users_) {
    if (user.is_held && !user.is_lagging && !is_crowded && !is_ending_day_) release(user);
    is_any_held_ = is_any_held_ || user.is_held;
  }
  if (!is_any_held_)
    review_.disarm();
  else if (!review_.is_armed())
    review_.arm(now + k_review);
  return sent;
}

/// From where the reports of each partition are still to be read by somebody for whom others wait.
void Front::find_floors(Time now) {
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
    floors_[partition] = cursors_[partition].position;
  if (!is_any_lagging_) return;
  for (const User& user : users_) {
    if (!user.is_lagging || now - user.sent > k_review) continue;
    for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
      floors_[partition] = std::min(floors_[partition], user.lag[partition].position);
  }
}

std::size_t Front::lagging() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(users_, &User::is_lagging));
}

std::uint64_t Front::lag(std::size_t partition) const noexcept {
  std::uint64_t position = cursors_[partition].position;
  for (const User& user : users_)
    if (user.is_lagging) position = std::min(position, user.lag[partition].position);
  return partitions_[partition]->reports().end() - position;
}

std::uint64_t Front::lag_of(std::uint16_t user) const {
  const User& of = users_.at(user);
  std::uint64_t reports = 0;
  for (std::size_t partition = 0; of.is_lagging && partition < partitions_.size(); ++partition)
    reports += partitions_[partition]->reports().end() - of.lag[partition].position;
  return reports;
}

/// Half of the bound: who was held begins again with some room.
bool Front::is_any_crowded() const noexcept {
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
    if (partitions_[partition]->reports().end() - floors_[partition] > bounds_[partition] / 2) return true;
  return false;
}

/// Until `stall` is over a laggard has to be sent what waits for it now, or half of what it may be behind.
void Front::begin_stall_window(User& user, Time now) {
  user.stall_due = now + config_.session.stall;
  user.stall_goal = 0;
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
    user.stall_goal += std::min(user.lag[partition].position + config_.maximum_lag / 2, cursors_[partition].position);
}

bool Front::is_stalled(User& user, Time now) {
  if (now < user.stall_due) return false;
  std::uint64_t reached = 0;
  for (const Cursor& cursor : user.lag) reached += cursor.position;
  if (reached < user.stall_goal) return true;
  begin_stall_window(user, now);
  return false;
}

}  // namespace dojima::venue
