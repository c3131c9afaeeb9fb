#include "dojima/gateway/venue_link.hpp"

#include <algorithm>
#include <utility>

#include "dojima/mit/dialect.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::gateway {
namespace {

/// AppIDs of the protocol.
constexpr std::uint8_t k_first_partition = 1, k_last_partition = 4;
/// Times that a partition may leave it unsaid that it has cancelled what there may still be.
constexpr unsigned k_unanswered_most = 3;
/// Times that the venue may say that it cannot serve a recovery before executions count as missing.
constexpr unsigned k_refusals = 3;
constexpr std::size_t k_longest_password = 25;
/// What a venue says in the Logout with which its day ends: all of it has come before.
constexpr std::string_view k_end_of_day = "end of day";
/// The count in an execution's number; above it is the partition.
constexpr std::uint64_t k_execution_count = (std::uint64_t{1} << 60) - 1;

}  // namespace

VenueLink::VenueLink(const Parts& parts, std::uint32_t user, const VenueConfig& venue, const VenueUser& configured)
    : parts_(parts),
      user_(user),
      reconnect_(venue.reconnect),
      session_({.user = configured.name,
                .password = configured.password,
                .new_password = configured.new_password,
                .heartbeat = venue.heartbeat},
               *venue.dialect, parts.scheduler, *this),
      recovery_({.user = configured.name, .password = configured.password, .heartbeat = venue.heartbeat},
                *venue.dialect, parts.scheduler, *this),
      reconnect_timer_(parts.scheduler, *this),
      recovery_timer_(parts.scheduler, *this),
      new_password_(configured.new_password) {
  session_password_.reserve(k_longest_password);
}

void VenueLink::start(const VenueAddress& primary, const std::optional<VenueAddress>& secondary) {
  primary_ = primary;
  secondary_ = secondary;
  // What an earlier life left unanswered nothing will settle.
  if (!primary.recovery) parts_.translator.venue_sessions().on_end(user_);
  connect();
}

const VenueAddress& VenueLink::address() const noexcept {
  return gateway_ == mit::VenueGateway::secondary ? *secondary_ : primary_;
}

void VenueLink::connect() {
  is_reaching_ = true;
  gateway_ = attempts_.next();
  session_password_ = session_.password();
  ++parts_.translator.counters().venue_attempts;
  parts_.fabric.connect(address().real_time, wire_);
}

void VenueLink::stop(std::string_view text) {
  is_stopping_ = true;
  reconnect_timer_.disarm();
  recovery_timer_.disarm();
  session_.logout(text);
}

// ------------------------------------------------------------------------------------------------- the real-time
// session

void VenueLink::on_logged_on(mit::ClientSession& session, std::int32_t, Time now) {
  // What a real-time session brings is never a repetition; only a venue that numbers anew could look like one.
  session.forget_sequences();
  was_up_ = true;
  refusals_ = 0;
  attempts_.note_success();
  recovery_.set_password(session_password_);
  if (session.has_changed_password()) {
    new_password_.clear();
    if (parts_.observer != nullptr) parts_.observer->on_venue_password(user_, now);
  }
  ++parts_.translator.counters().venue_sessions;
  parts_.flow.on_venue_up(user_);
  if (address().recovery) {
    is_recovering_ = true;
    is_day_known_ = false;
    parts_.translator.venue_sessions().begin_recovery(user_);
    // One for the session before ends where that began.
    is_recovery_old_ = is_recovery_reaching_;
    if (!is_recovery_reaching_) recover();
  } else {
    // Nothing says of which day the numbers are that come now.
    if (parts_.translator.venue_days().of(user_).day.is_said()) parts_.translator.venue_days().name(user_, {});
    parts_.translator.venue_sessions().on_ready(user_, now);
  }
  if (parts_.observer != nullptr) parts_.observer->on_venue_up(user_, now);
}

void VenueLink::on_logon_refused(mit::ClientSession&, std::int32_t code, Time now) {
  try_other_password(code);
  if (parts_.observer != nullptr) parts_.observer->on_venue_refused(user_, code, now);
}

/// A new password may have been taken in an earlier life of ours; one that is refused is not asked for again.
void VenueLink::try_other_password(std::int32_t code) {
  using namespace mit::code;
  const bool is_refused = code == k_new_password_refused || code == k_password_too_short || code == k_password_too_long;
  if (new_password_.empty() || (!is_refused && code != k_invalid_credentials)) return;
  if (!is_refused) session_.set_password(new_password_);
  session_.change_password("");
  new_password_.clear();
}

void VenueLink::on_report(mit::ClientSession&, const market::OwnerReport& report, std::int32_t code, Time now) {
  // Behind our Logout a venue is read whatever room there is: what there is none for the next life recovers.
  is_dropping_ = is_dropping_ || (is_stopping_ && address().recovery && parts_.flow.is_short_of_room());
  if (is_dropping_) return;
  if (is_recovering_) {
    if (!is_of_leftovers(report.client_order_id) || !take_leftovers_answer(report, now)) hold(report, code);
    return;
  }
  const std::size_t written = parts_.flow.written_while_short();
  if (parts_.translator.on_venue(user_, report, code)) session_.count_answer();
  parts_.flow.on_venue(user_);
  parts_.flow.check_room(written, parts_.translator.counters().unwritten);
}

void VenueLink::on_reject(mit::ClientSession&, const mit::Reject& reject, Time now) {
  if (is_of_leftovers(reject.client_order_id)) return put_off_leftovers(now);
  parts_.translator.on_venue_reject(user_, reject, now);
  parts_.flow.on_venue(user_);
}

void VenueLink::on_end(mit::ClientSession&, link::CloseReason reason, std::string_view text, Time now) {
  // Where some of it was dropped for want of room, the next life finds by its recovery that the day has ended.
  const bool is_day_over = was_up_ && !is_dropping_ && text == k_end_of_day;
  if (is_day_over) end_day(now);
  is_reaching_ = is_probing_ = false;
  is_recovering_ = false;
  next_step_ = Step::none;
  is_given_up_ = false;
  leftovers_id_ = {};
  answered_ = {};
  times_asked_ = 0;
  recovery_timer_.disarm();
  recovery_.set_reading(true);             // what it brings is nobody's now
  static_cast<void>(release_held(false));  // they come again
  parts_.translator.venue_sessions().on_down(user_, now);
  // No recovery brings more of that day. What there is no room for now is reported behind the next one.
  if (is_day_over) static_cast<void>(parts_.translator.venue_sessions().release_busts(user_));
  parts_.flow.on_venue_end(user_);
  const bool was_up = std::exchange(was_up_, false);
  if (!was_up) attempts_.note_failure(secondary_.has_value());
  if (was_up && !address().recovery) parts_.translator.venue_sessions().on_end(user_);
  if (parts_.observer != nullptr) parts_.observer->on_venue_down(user_, text.empty() ? name_of(reason) : text, now);
  if (!is_stopping_) reconnect_timer_.arm(now + reconnect_);
}

/// One whose number the venue had not said yet is found to be missed by the next recovery, and the days before it.
void VenueLink::end_day(Time now) {
  const mit::VenueDay day = parts_.translator.venue_days().of(user_).day;
  if (day.is_said() && !is_day_known_) return;
  EndedDays days{.is_missed = is_recovering_, .first = {}, .last = {}};
  if (day.is_said()) days.first = days.last = day.number;
  parts_.translator.venue_days().end(user_, is_recovering_);
  report_days(days, now);
}

void VenueLink::on_trouble(mit::ClientSession&, const Error& error, Time now) {
  if (parts_.observer != nullptr) parts_.observer->on_venue_trouble(user_, error, now);
  parts_.flow.on_venue(user_);
}

void VenueLink::on_system_status(mit::ClientSession&, const mit::SystemStatus& status, Time now) {
  if (status.status != mit::SystemStatus::k_partition_unavailable) return;
  ++parts_.translator.counters().unavailable;
  if (parts_.observer != nullptr) parts_.observer->on_venue_status(user_, status, now);
}

/// No room: the session ends, and what it brought is recovered by the next one.
void VenueLink::hold(const market::OwnerReport& report, std::int32_t code) {
  const auto slot = parts_.held.acquire();
  if (!slot) return session_.logout("busy recovering");
  parts_.held[*slot] = {.report = report, .code = code, .next = k_none};
  (last_held_ == k_none ? first_held_ : parts_.held[last_held_].next) = *slot;
  last_held_ = *slot;
}

/// False: the journal is short of room; the rest stay.
bool VenueLink::release_held(bool is_delivered) {
  while (first_held_ != k_none) {
    if (is_delivered && parts_.flow.is_short_of_room()) return false;
    const HeldReport held = parts_.held[first_held_];
    parts_.held.release(first_held_);
    first_held_ = held.next;
    const PartitionProgress* const last =
        parts_.translator.venue_sessions().progress(user_).find(held.report.partition);
    const std::uint64_t number = held.report.sequence.value;
    // Recovered as well; where nothing could be, the last number may be one of a day that is over.
    const PartitionProgress* const before = recovered_from_.find(held.report.partition);
    const bool has_recovered =
        !is_given_up_ || before == nullptr || (last != nullptr && last->digest != before->digest);
    const bool is_known = has_recovered && number != 0 && last != nullptr && number <= last->sequence;
    if (is_delivered && !is_known)
      parts_.translator.on_venue(user_, held.report, held.code, Translator::ReportChannel::held);
  }
  last_held_ = k_none;
  return true;
}

// ------------------------------------------------------------------------------------------------------------ recovery

/// Asks for everything behind the last report of each partition.
void VenueLink::recover() {
  if (!is_recovering_ || is_stopping_) return;
  if (parts_.flow.is_short_of_room()) {
    next_step_ = Step::recover;
    return;
  }
  is_other_venue_ = is_day_known_ = false;
  leftovers_id_ = {};
  said_ = {};
  ask();
  is_recovery_reaching_ = true;
  parts_.fabric.connect(*address().recovery, recovery_);
}

/// For what follows the last report of each partition; of one without any, for all.
void VenueLink::ask() {
  recovered_from_ = parts_.translator.venue_sessions().progress(user_);
  seen_ = {};
  recovery_.forget();
  for (std::uint8_t partition = k_first_partition; partition <= k_last_partition; ++partition)
    if (recovered_from_.find(partition) == nullptr) recovery_.ask_for(partition, {});
  for (const PartitionProgress& progress : recovered_from_.all())
    recovery_.ask_for(progress.partition, {is_probing_ ? 0 : progress.sequence});
}

/// What is asked for depends on the day.
void VenueLink::on_recovery_logged_on(mit::RecoveryClient&, const mit::VenueDay& day, Time now) {
  if (!is_recovering_ || is_recovery_old_) return;
  said_ = day;
  const KnownDay& known = parts_.translator.venue_days().of(user_);
  const DayRelation relation = relation_of(known, day, !recovered_from_.all().empty());
  is_day_known_ = relation != DayRelation::unknown;
  switch (relation) {
    case DayRelation::unknown:
      // One that says no day any more: what comes from here on is of none that is known.
      if (known.day.is_said()) parts_.translator.venue_days().name(user_, {});
      return;
    case DayRelation::first:
      return parts_.translator.venue_days().name(user_, day);
    case DayRelation::same:
      return;
    case DayRelation::next:
    case DayRelation::later:
      return begin_day(now);
    case DayRelation::other_venue:
      note_other_venue();
      return recovery_.forget();
  }
}

/// Everything of the day is asked for.
void VenueLink::begin_day(Time now) {
  const KnownDay known = parts_.translator.venue_days().of(user_);
  const std::uint64_t first = known.day.number + (known.is_over ? 1 : 0);
  const bool is_missed = first < said_.number;
  parts_.translator.venue_days().begin(user_, said_, is_missed);
  refusals_ = 0;
  ask();
  if (is_missed) report_days({.is_missed = true, .first = first, .last = said_.number - 1}, now);
}

void VenueLink::report_days(const EndedDays& days, Time now) {
  if (parts_.observer != nullptr) parts_.observer->on_venue_next_day(user_, days, now);
}

void VenueLink::on_repeated(mit::RecoveryClient&, const market::OwnerReport& report, Time) {
  if (!is_recovering_ || is_recovery_old_) return;
  note(report);
}

/// Of a venue that says no day: every execution has a report with a number, so on its first day it has given no more
/// executions than numbers. On later ones it has, as executions are not numbered anew.
void VenueLink::note(const market::OwnerReport& report) noexcept {
  const PartitionProgress* const last = recovered_from_.find(report.partition);
  if (last == nullptr) return;
  Seen& seen = seen_[static_cast<std::size_t>(last - recovered_from_.all().data())];
  seen.has_said = true;
  if ((report.execution & k_execution_count) > report.sequence.value) seen.is_numbered_anew = true;
  if (last->sequence == report.sequence.value && last->digest == digest_of(report)) seen.has_come_again = true;
  if (!seen.has_come_again && !is_probing_) note_other_venue();
}

void VenueLink::on_recovered(mit::RecoveryClient&, const market::OwnerReport& report, std::int32_t code, Time) {
  // One that was begun for an earlier session has gone on without one: what it brings now is not all that was missed.
  if (!is_recovering_ || is_recovery_old_) return;
  note(report);
  if (is_probing_) return;
  if (is_other_venue_) return;
  const std::size_t written = parts_.flow.written_while_short();
  parts_.translator.on_venue(user_, report, code, Translator::ReportChannel::recovery);
  parts_.flow.check_room(written, parts_.translator.counters().unwritten);
}

bool VenueLink::has_all_come_again() const noexcept {
  return std::all_of(seen_.begin(), seen_.begin() + static_cast<std::ptrdiff_t>(recovered_from_.all().size()),
                     [](const Seen& seen) { return seen.has_come_again; });
}

/// Whether the partition of a venue that does not say it has begun another day: it has numbered anew what it says now,
/// and does not say again what came last. One that has said nothing yet today refuses the number that came last, and
/// serves number 1.
bool VenueLink::has_day_begun(std::size_t place, const mit::RecoveryOutcome& outcome) const noexcept {
  const Seen& seen = seen_[place];
  if (is_day_known_ || seen.has_come_again) return false;
  return seen.is_numbered_anew || (is_probing_ && outcome.is_complete && !seen.has_said);
}

/// What came before says nothing of their numbers any more.
bool VenueLink::find_day(const mit::RecoveryOutcome& outcome, Time now) {
  const bool was_missed = parts_.translator.venue_days().of(user_).is_missed;
  bool is_found = false;
  for (std::size_t place = 0; place < recovered_from_.all().size(); ++place) {
    if (!has_day_begun(place, outcome)) continue;
    is_found = true;
    parts_.translator.venue_days().miss(user_, recovered_from_.all()[place].partition);
  }
  if (!is_found) return false;
  refusals_ = 0;
  if (!was_missed) report_days({.is_missed = true, .first = {}, .last = {}}, now);
  return true;
}

/// The recovery waits, on this connection and those that follow, however long that takes.
void VenueLink::on_recovery_status(mit::RecoveryClient&, const mit::SystemStatus& status, Time now) {
  if (status.status == mit::SystemStatus::k_recovery_unavailable) ++parts_.translator.counters().recovery_waits;
  if (parts_.observer != nullptr) parts_.observer->on_venue_status(user_, status, now);
}

void VenueLink::on_recovery_end(mit::RecoveryClient&, const mit::RecoveryOutcome& outcome, Time now) {
  is_recovery_reaching_ = false;
  if (!is_recovering_) return;
  for (std::size_t partition = k_first_partition; partition <= k_last_partition; ++partition)
    absent_[partition] = outcome.absent[partition];
  if (std::exchange(is_recovery_old_, false)) return recover();
  const bool has_day_begun = find_day(outcome, now);
  const bool was_probing = std::exchange(is_probing_, false);
  if (has_day_begun) return recover();
  if (was_probing) {
    recovery_timer_.arm(now + reconnect_);
    return;
  }
  if (parts_.observer != nullptr) parts_.observer->on_venue_recovery(user_, outcome, now);
  const bool is_partition_gone = outcome.response == mit::Recovery::unknown_partition;
  if (is_other_venue_ || is_partition_gone || (outcome.is_complete && !has_all_come_again())) {
    return lose_orders(now);
  }
  if (outcome.is_complete) return end_recovery(now);
  if (outcome.response != mit::Recovery::good && ++refusals_ == k_refusals) return give_up_recovery(now);
  // It may be a number of a day that is over.
  is_probing_ = !is_day_known_ && outcome.response == mit::Recovery::unavailable && !recovered_from_.all().empty();
  if (is_probing_) return recover();
  recovery_timer_.arm(now + reconnect_);
}

/// The next recovery, which asks for everything, follows when all of them are.
void VenueLink::lose_orders(Time now) {
  const std::uint64_t before = parts_.translator.counters().lost_orders;
  const bool is_done = parts_.translator.venue_sessions().on_other_venue(user_, now);
  lost_orders_ += parts_.translator.counters().lost_orders - before;
  if (!is_done) {
    next_step_ = Step::lose;
    return;
  }
  const std::uint64_t lost = std::exchange(lost_orders_, 0u);
  if (parts_.observer != nullptr) parts_.observer->on_other_venue(user_, lost, now);
  recover();
}

void VenueLink::end_recovery(Time now) {
  // What came last is of the day that the venue says: it has come again.
  if (!std::exchange(is_day_known_, said_.is_said()) && said_.is_said())
    parts_.translator.venue_days().name(user_, said_);
  if (parts_.translator.venue_days().of(user_).is_missed) return give_up_recovery(now);
  if (parts_.translator.venue_sessions().end_recovery(user_, now)) return hand_over(now);
  next_step_ = Step::settle;
}

/// The venue has them no more. What the next reports say of an order's rest shows some of it.
void VenueLink::give_up_recovery(Time now) {
  if (parts_.flow.is_short_of_room()) {
    next_step_ = Step::give_up;
    return;
  }
  is_given_up_ = true;
  parts_.translator.venue_sessions().give_up_recovery(user_);
  hand_over(now);
}

/// What was held back is delivered, and requests leave again.
void VenueLink::hand_over(Time now) {
  if (has_leftovers(now)) return;
  if (!release_held(true) || !parts_.translator.venue_sessions().release_busts(user_)) {
    next_step_ = Step::hand_over;
    return;
  }
  is_recovering_ = false;
  parts_.translator.venue_sessions().on_ready(user_, now);
  if (std::exchange(is_given_up_, false) && parts_.observer != nullptr)
    parts_.observer->on_venue_unrecoverable(user_, now);
}

/// A venue that was taken for another one may have some of the user's orders all the same, as one does that has lost
/// only its last commands. Their clients were notified that they are gone, so they are cancelled before any request
/// leaves, which each of its partitions says for itself. True: that is waited for.
bool VenueLink::has_leftovers(Time now) {
  VenueSessions& sessions = parts_.translator.venue_sessions();
  if (!sessions.has_leftovers(user_)) return false;
  if (times_asked_ == k_unanswered_most && answered_.any()) {
    // As one of other make may, which answers once for all of them.
    constexpr const char* k_expected = "that each partition says that it has cancelled what it may still have";
    if (parts_.observer != nullptr)
      parts_.observer->on_venue_trouble(user_, {.code = ErrorCode::missing, .expected = k_expected}, now);
    end_leftovers();
    return false;
  }
  const std::optional<Text<20>> id = sessions.cancel_leftovers(user_);
  if (!id) {
    recovery_timer_.arm(now + reconnect_);
    return true;
  }
  leftovers_id_ = *id;
  ++times_asked_;
  return true;
}

bool VenueLink::is_of_leftovers(const Text<20>& id) const noexcept {
  return !leftovers_id_.is_empty() && id == leftovers_id_;
}

bool VenueLink::has_every_partition_answered() const noexcept {
  for (std::size_t partition = k_first_partition; partition <= k_last_partition; ++partition)
    if (!answered_[partition] && !absent_[partition]) return false;
  return true;
}

/// An answer of no partition is one of all. Those that have not answered are asked again, behind another recovery.
/// False: it is the end of an order that follows from it.
bool VenueLink::take_leftovers_answer(const market::OwnerReport& report, Time now) {
  const bool is_answer = report.kind == market::OwnerReportKind::mass_cancelled;
  if (!is_answer && report.kind != market::OwnerReportKind::business_rejected) return false;
  if (!is_answer || report.reason != market::Reason::none) {
    put_off_leftovers(now);
    return true;
  }
  if (report.partition < k_first_partition || report.partition > k_last_partition)
    answered_.set();
  else
    answered_.set(report.partition);
  if (!has_every_partition_answered()) {
    recovery_timer_.arm(now + reconnect_);
    return true;
  }
  recovery_timer_.disarm();
  end_leftovers();
  hand_over(now);
  return true;
}

/// The venue, or one of its partitions, cannot do it now.
void VenueLink::put_off_leftovers(Time now) {
  times_asked_ = 0;
  recovery_timer_.arm(now + reconnect_);
}

void VenueLink::end_leftovers() {
  leftovers_id_ = {};
  parts_.translator.venue_sessions().end_leftovers(user_);
}

void VenueLink::go_on(Time now) {
  recovery_.set_reading(true);
  switch (std::exchange(next_step_, Step::none)) {
    case Step::none:
      return;
    case Step::recover:
      return recover();
    case Step::lose:
      return lose_orders(now);
    case Step::settle:
      return end_recovery(now);
    case Step::give_up:
      return give_up_recovery(now);
    case Step::hand_over:
      return hand_over(now);
  }
}

}  // namespace dojima::gateway
