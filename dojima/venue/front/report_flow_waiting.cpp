// Who waits for reports to leave, for whom others wait, and who is not read meanwhile.

#include <algorithm>

#include "dojima/venue/front/report_flow.hpp"

namespace dojima::venue {
namespace {

/// Others wait only for laggards that took something within this time: one that has stopped reading slows nobody for
/// longer. Also how often laggards are looked at where nothing else happens.
constexpr Duration k_review = std::chrono::milliseconds{100};

}  // namespace

bool ReportFlow::make_way(std::size_t partition, std::uint16_t user, Time now) {
  pump(partition, now);
  find_floors(now);
  if (is_crowded(partition) && user < users_.size() && users_[user].session != nullptr) hold(users_[user]);
  return unread(partition) < partitions_[partition]->reports().capacity() / 4;
}

void ReportFlow::hold(FrontUser& user) {
  if (user.is_held) return;
  user.is_held = is_any_held_ = true;
  ++counters_.holds;
  user.session->hold();
  look_again(scheduler_.now() + k_review);
}

void ReportFlow::release(FrontUser& user) {
  if (!user.is_held) return;
  user.is_held = false;
  user.session->resume();
}

/// What there is for laggards leaves, those that take nothing are ended, and who may be read again is.
std::size_t ReportFlow::serve_waiting(Time now, bool may_release) {
  std::size_t sent = 0;
  is_any_lagging_ = false;
  for (FrontUser& user : users_) {
    if (!user.is_lagging) continue;
    const std::size_t taken = catch_up(user);
    sent += taken;
    if (taken != 0) user.sent = now;
    if (user.is_lagging && is_stalled(user, now)) log_out_slow(user, "does not read");
    is_any_lagging_ = is_any_lagging_ || user.is_lagging;
  }
  find_floors(now);
  const bool is_any_crowded = is_any_half_crowded();
  is_any_held_ = false;
  for (FrontUser& user : users_) {
    if (user.is_held && !user.is_lagging && !is_any_crowded && may_release) release(user);
    is_any_held_ = is_any_held_ || user.is_held;
  }
  if (!is_any_held_)
    review_.disarm();
  else
    look_again(now + k_review);
  return sent;
}

/// From where the reports of each partition are still to be read by somebody for whom others wait.
void ReportFlow::find_floors(Time now) {
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
    floors_[partition] = cursors_[partition].position;
  if (!is_any_lagging_) return;
  for (const FrontUser& user : users_) {
    if (!user.is_lagging || now - user.sent > k_review) continue;
    for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
      floors_[partition] = std::min(floors_[partition], user.lag[partition].position);
  }
}

std::uint64_t ReportFlow::lag(std::size_t partition) const noexcept {
  std::uint64_t position = cursors_[partition].position;
  for (const FrontUser& user : users_)
    if (user.is_lagging) position = std::min(position, user.lag[partition].position);
  return partitions_[partition]->reports().end() - position;
}

std::uint64_t ReportFlow::lag_of(const FrontUser& user) const noexcept {
  std::uint64_t reports = 0;
  for (std::size_t partition = 0; user.is_lagging && partition < partitions_.size(); ++partition)
    reports += partitions_[partition]->reports().end() - user.lag[partition].position;
  return reports;
}

/// Half of the bound: who was held begins again with some room.
bool ReportFlow::is_any_half_crowded() const noexcept {
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
    if (partitions_[partition]->reports().end() - floors_[partition] > bounds_[partition] / 2) return true;
  return false;
}

/// Until `stall` is over a laggard has to be sent what waits for it now, or half of what it may be behind.
void ReportFlow::begin_stall_window(FrontUser& user, Time now) {
  user.stall_due = now + limits_.stall;
  user.stall_goal = 0;
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
    user.stall_goal += std::min(user.lag[partition].position + limits_.maximum_lag / 2, cursors_[partition].position);
}

bool ReportFlow::is_stalled(FrontUser& user, Time now) {
  if (now < user.stall_due) return false;
  std::uint64_t reached = 0;
  for (const Cursor& cursor : user.lag) reached += cursor.position;
  if (reached < user.stall_goal) return true;
  begin_stall_window(user, now);
  return false;
}

}  // namespace dojima::venue
