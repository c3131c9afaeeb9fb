// From one day of a venue to the next: everybody gets what has been reported, the partitions number their reports anew
// between two instants, and as soon as that is durable everybody is logged out. No report falls between the days.

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

#include "dojima/venue/front.hpp"

namespace dojima::venue {
namespace {

/// How often is looked whether the day can end, where nothing else happens.
constexpr Duration k_look = std::chrono::milliseconds{100};

/// Day orders of instruments that no timetable leads. False: the journal is full; what has ended has ended.
[[nodiscard]] bool expire_untimed(Partition& partition, Time now) {
  const auto expire = [&](std::uint32_t instrument, std::uint8_t flags) {
    market::Expire command{.is_end_of_day = true};
    command.header.instrument = instrument;
    command.header.flags = flags;
    command.header.user = market::k_no_user;
    return partition.submit(command.header, now).has_value();
  };
  const auto is_untimed = [&](const market::Instrument& each) { return partition.day(each.id) == nullptr; };
  if (partition.slice() != 0) return std::ranges::none_of(partition.instruments(), is_untimed) || expire(0, k_untimed);
  return std::ranges::all_of(partition.instruments(),
                             [&](const market::Instrument& each) { return !is_untimed(each) || expire(each.id, 0); });
}

}  // namespace

Result<void> Front::end_day(Time now) {
  settle();
  if (is_ending_day_) return fail(ErrorCode::wrong_state, 0, 0, 0, "a day that is not being ended");
  for (const Partition* partition : partitions_)
    if (!partition->is_between_days())
      return fail(ErrorCode::wrong_state, 0, 0, partition->app_id(), "a partition whose trading days are over");
  for (Partition* partition : partitions_)
    if (!expire_untimed(*partition, now))
      return fail(ErrorCode::no_room, 0, 0, partition->app_id(), "a partition that takes commands");
  is_ending_day_ = true;
  next_day_ = day_number() + 1;
  for (FrontUser& user : users_)
    if (user.session != nullptr && !user.is_too_slow) flow_.hold(user);
  flow_.look_again(now);
  return {};
}

/// Whether anything of the day is still to be done or to be reported.
bool Front::has_day_left() const noexcept {
  if (is_any_end_pending_ || std::ranges::any_of(users_, &FrontUser::is_lagging)) return true;
  for (std::size_t at = 0; at < partitions_.size(); ++at) {
    const Partition& partition = *partitions_[at];
    if (partition.day_number() == next_day_) continue;
    if (partition.is_sweeping() || !partition.is_between_days() || flow_.unread(at) != 0) return true;
  }
  return false;
}

/// All of the day has been reported: what the partitions report from here on is of the next one.
void Front::close_day() noexcept {
  for (FrontUser& user : users_) {
    if (user.session == nullptr || user.is_day_over) continue;
    user.is_day_over = true;
    user.is_logout_sent = std::exchange(user.is_too_slow, true);
  }
}

/// A member takes this for the end of the numbers that it has, so the beginning of the others is durable by then.
void Front::end_sessions_of_day() {
  for (FrontUser& user : users_) {
    if (user.session == nullptr || !user.is_day_over || user.is_logout_sent) continue;
    flow_.release(user);
    user.session->logout("end of day");
  }
}

/// Until a journal takes it, a partition is asked again at the end of every instant.
void Front::go_on_to_next_day(Time now) {
  const auto has_begun = [this](const Partition* each) { return each->day_number() == next_day_; };
  if (!std::ranges::all_of(partitions_, has_begun) && !has_day_left()) {
    close_day();
    if (day_witness_ != nullptr) day_witness_->on_day_over(now);
    for (Partition* partition : partitions_)
      if (!has_begun(partition) && partition->begin_next_day(now)) ++counters_.commands;
  }
  const auto is_kept = [&](const Partition* each) {
    return has_begun(each) && each->durable() >= each->last_command();
  };
  is_ending_day_ = !std::ranges::all_of(partitions_, is_kept);
  if (is_ending_day_) {
    flow_.look_again(now + k_look);
    return;
  }
  end_sessions_of_day();
  ++counters_.days_begun;
}

mit::VenueDay Front::venue_day() const noexcept {
  // Members keep it: the same for ever.
  constexpr std::uint64_t k_factor = 0x9e37'79b9'7f4a'7c15;
  mit::VenueDay day{.number = day_number()};
  for (const Partition* partition : partitions_) {
    if (partition->began() == Time{}) return {};
    day.venue = day.venue * k_factor + static_cast<std::uint64_t>(time::nanoseconds_of(partition->began()));
  }
  if (day.number > mit::VenueDay::k_most) return {};
  return day;
}

/// The process ended after some partitions had begun a day and others had not.
void Front::catch_up_with_day() {
  const auto newest = std::ranges::max_element(partitions_, {}, &Partition::day_number);
  for (Partition* partition : partitions_)
    while (partition->day_number() < (*newest)->day_number())
      if (!partition->begin_next_day(scheduler_.now()))
        throw std::runtime_error("the journal has no room for the beginning of a day");
}

}  // namespace dojima::venue
