#include "dojima/venue/recovery/recovery_front.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::venue {

using mit::Recovery;

namespace {

/// OrderCancelReject is not kept for recovery (section 8), and BusinessReject has no number. One that a member has, and
/// asks from, comes again all the same: a member may hold what it has against it, as it does with every other report.
[[nodiscard]] bool is_recovered(const market::OwnerReport& report, market::Sequence asked) noexcept {
  const bool is_kept = report.kind != market::OwnerReportKind::request_rejected;
  return report.sequence.value != 0 && (is_kept || (report.sequence == asked && asked.value > 1));
}

}  // namespace

struct RecoveryFront::Slot {
  Slot(const RecoveryFrontConfig& config, sched::Scheduler& scheduler, RecoveryFront& front)
      : session(config.session, *config.dialect, scheduler, front), is_told(front.partitions_.size()) {}
  mit::RecoveryServer session;
  bool is_known = false;  // logged on: the user is the session's
  std::size_t partition = 0;
  market::Sequence asked;  // the number that the member has
  market::Sequence from;   // numbers below are not wanted
  Cursor next, end;        // of the partition's log
  std::uint32_t sent = 0;
  ArchivedPart archived;
  std::vector<std::uint8_t> is_told;  // per partition: that it cannot be recovered now
};

RecoveryFront::RecoveryFront(const RecoveryFrontConfig& config, sched::Scheduler& scheduler, const Front& front,
                             std::span<Partition* const> partitions, std::span<ReportArchive* const> archives)
    : ReportPort("recovery front", {config.sessions, config.messages_a_turn, config.reports_a_turn}, partitions,
                 archives),
      config_(config),
      scheduler_(scheduler),
      front_(front),
      services_(partitions.size()),
      requests_(front.users()),
      session_(front.users()),
      retry_timer_(scheduler, *this) {
  if (config.messages == 0) throw std::invalid_argument("recovery front: at least one message");
  if (config.archive_retry <= Duration{0} || config.archive_attempts == 0)
    throw std::invalid_argument("recovery front: a journal that cannot be read is read again");
  for (std::size_t at = 0; at < config.sessions; ++at) slots_.add(std::make_unique<Slot>(config_, scheduler, *this));
}

RecoveryFront::~RecoveryFront() = default;

link::Connection* RecoveryFront::on_accept(const link::Address&) {
  Slot* const slot = slots_.take();
  if (slot == nullptr) {
    ++counters_.connections_refused;
    return nullptr;
  }
  ++counters_.connections;
  slot->is_known = false;
  std::ranges::fill(slot->is_told, std::uint8_t{0});
  return &slot->session;
}

void RecoveryFront::on_recovery_free(mit::RecoveryServer& session, Time) {
  Slot& slot = slots_.of(session);
  slot.archived.abandon(archives_.empty() ? nullptr : archives_[slot.partition]);
  slot.is_known = false;
  slots_.give_back(slot);
}

mit::LogonReply RecoveryFront::on_recovery_logon(mit::RecoveryServer& session, const mit::Logon& logon, Time) {
  front_.settle();
  ++counters_.logons_refused;
  std::uint16_t user = 0;
  if (const mit::LogonReply reply = front_.accounts().identify(logon, user); reply.code != mit::code::k_success)
    return reply;
  // A session of a day that is over is about to be logged out: what comes now is of another day.
  if (!is_served(user)) return {.code = mit::code::k_no_session};
  if (std::ranges::any_of(slots_.all(),
                          [=](const auto& slot) { return slot->is_known && slot->session.user() == user; }))
    return {.code = mit::code::k_already_logged_in};
  --counters_.logons_refused;
  ++counters_.logons;
  session.set_user(user);
  slots_.of(session).is_known = true;
  return {.venue_day = front_.venue_day()};
}

/// A session of a day that is over has numbers that mean others today.
bool RecoveryFront::is_served(std::uint16_t user) const {
  return front_.is_logged_on(user) && !front_.is_day_over(user);
}

/// A member asks from the last number that it got. One that is no report to it was of a day that is over, as the
/// numbers of this one began at 1. Of numbers that are in the journal only, what comes from there says it.
bool RecoveryFront::is_of_earlier_day(std::size_t partition, std::uint16_t user, market::Sequence last) const {
  if (partitions_[partition]->day_number() == 0 || last.value <= 1 || is_behind_log(partition, last)) return false;
  const market::OwnerReport* const report = kept(partition, last);
  return report == nullptr || report->user != user;
}

Recovery RecoveryFront::on_recovery_request(mit::RecoveryServer& session, const mit::MissedMessageRequest& request,
                                            Time) {
  front_.settle();
  ++counters_.requests_refused;
  const std::uint16_t user = session.user();
  const std::optional<std::size_t> partition = place_of(request.partition);
  if (!partition) return Recovery::unknown_partition;
  if (!is_served(user)) return Recovery::unavailable;
  Slot& slot = slots_.of(session);
  const bool is_old = is_behind_log(*partition, request.last);
  if (!is_available(*partition) || (is_old && is_unreadable(*partition))) {
    say_away(slot, *partition);
    return Recovery::unavailable;
  }
  if (session_[user] != front_.logons(user)) {
    session_[user] = front_.logons(user);
    requests_[user] = 0;
  }
  if (requests_[user] == config_.requests) return Recovery::limit;
  // The number itself has arrived, but the member compares it: a venue without it is another one.
  if (is_old && archives_.empty()) return Recovery::unavailable;
  if (is_of_earlier_day(*partition, user, request.last)) return Recovery::unavailable;
  ++requests_[user];
  --counters_.requests_refused;
  ++counters_.requests;
  slot.partition = *partition;
  slot.asked = slot.from = request.last;
  slot.next = log_of(*partition).find(request.last);
  slot.end = front_.session_begin(user, *partition);
  slot.sent = 0;
  slot.archived = ArchivedPart(is_old);
  if (is_old) ++counters_.archived;
  return Recovery::good;
}

/// What comes from the journal, one request of a partition after the other. `is_over`: all of it was sent, the log goes
/// on.
std::optional<Recovery> RecoveryFront::serve_archived(Slot& slot, bool& is_over) {
  ReportArchive& archive = *archives_[slot.partition];
  const std::uint16_t user = slot.session.user();
  if (slot.archived.is_waiting() && is_unreadable(slot.partition)) {
    say_away(slot, slot.partition);
    return Recovery::unavailable;
  }
  slot.archived.ask(archive, user, slot.from, front_.session_begin_number(user, slot.partition));
  if (slot.archived.take(archive)) {
    const ArchivedReports& found = slot.archived.found();
    if (found.is_unreadable) note_unreadable(slot.partition, slot);
    if (is_unreadable(slot.partition) && found.is_unreadable) say_away(slot, slot.partition);
    if (!found.is_found) return Recovery::unavailable;
    services_[slot.partition].failures = 0;
    const bool has_days = partitions_[slot.partition]->day_number() != 0 && slot.from.value > 1;
    if (has_days && (found.reports.empty() || found.reports.front().sequence != slot.from))
      return Recovery::unavailable;
  }
  if (!slot.archived.is_there()) return std::nullopt;
  std::uint32_t sent = 0;
  for (; const market::OwnerReport* const report = slot.archived.next(); slot.archived.count_sent()) {
    if (!is_recovered(*report, slot.asked)) continue;
    if (slot.sent == config_.messages) return Recovery::limit;
    if (sent == config_.messages_a_turn || !slot.session.send(*report, mit::code_of(report->reason)))
      return std::nullopt;
    ++sent;
    ++slot.sent;
    ++counters_.reports_sent;
  }
  if (slot.archived.found().is_cut) return Recovery::limit;
  const market::Sequence next{slot.archived.found().covers.value + 1};
  // Newer reports may have taken the place of those behind it meanwhile.
  if (is_behind_log(slot.partition, next) && next < front_.session_begin_number(user, slot.partition))
    return Recovery::unavailable;
  slot.from = next;
  slot.next = log_of(slot.partition).find(next);
  slot.archived = {};
  is_over = true;
  return std::nullopt;
}

std::optional<Recovery> RecoveryFront::serve_recovery(mit::RecoveryServer& session, Time) {
  Slot& slot = slots_.of(session);
  const Partition& partition = *partitions_[slot.partition];
  if (slot.archived.is_needed()) {
    bool is_over = false;
    const std::optional<Recovery> response = serve_archived(slot, is_over);
    if (!is_over) return response;
  }
  std::uint32_t sent = 0;
  for (std::uint32_t looked = 0; looked < config_.reports_a_turn;) {
    if (slot.next.position >= slot.end.position) return Recovery::good;
    const std::uint64_t begin = slot.next.position;
    const ReportLog::Batch batch = partition.reports().read(slot.next, partition.durable());
    if (batch.lost != 0) return Recovery::unavailable;  // newer reports took its place meanwhile
    if (batch.reports.empty()) return std::nullopt;     // until it is durable
    for (std::size_t at = 0; at < batch.reports.size(); ++at) {
      const market::OwnerReport& report = batch.reports[at];
      if (begin + at >= slot.end.position) return Recovery::good;
      ++looked;
      if (report.user != session.user() || !is_recovered(report, slot.asked) || report.sequence < slot.from) continue;
      const bool is_limit = slot.sent == config_.messages;
      if (is_limit || sent == config_.messages_a_turn || !session.send(report, mit::code_of(report.reason))) {
        slot.next.position = begin + at;
        return is_limit ? std::optional(Recovery::limit) : std::nullopt;
      }
      ++sent;
      ++slot.sent;
      ++counters_.reports_sent;
    }
  }
  return std::nullopt;
}

std::size_t RecoveryFront::finish(Time now) {
  if (is_reading_again_) [[unlikely]]
    read_again(now);
  if (slots_.is_idle()) return 0;
  std::size_t work = 0;
  for (const auto& slot : slots_.all()) {
    if (!slot->is_known) continue;
    if (!is_served(slot->session.user())) {
      slot->session.logout("no real-time session", now);
    } else if (!slot->archived.is_needed() || !slot->archived.is_awaited(*archives_[slot->partition])) {
      if (slot->session.serve(now)) ++work;
    }
  }
  return work;
}

void RecoveryFront::set_available(std::size_t partition, bool is_available) {
  Service& service = services_.at(partition);
  if (service.is_open == is_available) return;
  service.is_open = is_available;
  if (is_available) return say_resumed(partition);
  for (const auto& slot : slots_.all())
    if (slot->is_known) say_away(*slot, partition);
}

/// Once, until it can be recovered again.
void RecoveryFront::say_away(Slot& slot, std::size_t partition) {
  if (std::exchange(slot.is_told[partition], std::uint8_t{1}) != 0) return;
  slot.session.send({partitions_[partition]->app_id(), mit::SystemStatus::k_recovery_unavailable});
}

/// To those who were told that it could not be.
void RecoveryFront::say_resumed(std::size_t partition) {
  for (const auto& slot : slots_.all())
    if (slot->is_known && std::exchange(slot->is_told[partition], std::uint8_t{0}) != 0)
      slot->session.send({partitions_[partition]->app_id(), mit::SystemStatus::k_recovery_resumed});
}

/// The same is read again, until it can be or has been tried often enough.
void RecoveryFront::note_unreadable(std::size_t partition, const Slot& slot) {
  ++counters_.unreadable;
  Service& service = services_[partition];
  if (service.failures >= config_.archive_attempts) return;
  ++service.failures;
  service.user = slot.session.user();
  service.from = slot.from;
  service.before = front_.session_begin_number(service.user, partition);
  service.retry = scheduler_.now() + config_.archive_retry;
  is_reading_again_ = true;
  if (!retry_timer_.is_armed()) retry_timer_.arm(service.retry);
}

void RecoveryFront::read_again(Time now) {
  Time next = time::k_never;
  is_reading_again_ = false;
  for (std::size_t at = 0; at < services_.size(); ++at) {
    Service& service = services_[at];
    if (!is_unreadable(at)) continue;
    is_reading_again_ = true;
    if (!service.probe.is_needed() && now >= service.retry) service.probe = ArchivedPart(true);
    if (service.probe.is_needed()) {
      service.probe.ask(*archives_[at], service.user, service.from, service.before);
      if (service.probe.take(*archives_[at])) {
        const bool is_readable = !service.probe.found().is_unreadable;
        service.probe = {};
        service.failures = is_readable ? 0 : service.failures + 1;
        if (!is_readable) ++counters_.unreadable;
        service.retry = now + config_.archive_retry;
        // Read, or given up: who waits asks again, and hears what is so.
        if (!is_unreadable(at) && service.is_open) say_resumed(at);
      }
    }
    if (is_unreadable(at) && !service.probe.is_needed()) next = std::min(next, service.retry);
  }
  if (next != time::k_never && !retry_timer_.is_armed()) retry_timer_.arm(next);
}

}  // namespace dojima::venue
