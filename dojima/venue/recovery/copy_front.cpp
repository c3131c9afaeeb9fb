#include "dojima/venue/recovery/copy_front.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

#include "dojima/base/assert.hpp"
#include "dojima/link/host_pattern.hpp"
#include "dojima/mit/reject_codes.hpp"

namespace dojima::venue {

using market::OwnerReport;
using market::OwnerReportKind;
using mit::Recovery;

namespace {

constexpr std::size_t k_longest_name = 25;
/// Numbers of connections and readers for the hasher, behind those of the front's.
constexpr std::uint32_t k_copy_connections = 1U << 20;
constexpr std::ptrdiff_t k_copy_readers = 0xc000;

/// What becomes an ExecutionReport: all that happens to orders. Answers to requests that changed nothing are the
/// user's own.
[[nodiscard]] bool is_execution_report(OwnerReportKind kind) noexcept {
  switch (kind) {
    case OwnerReportKind::accepted:
    case OwnerReportKind::traded:
    case OwnerReportKind::cancelled:
    case OwnerReportKind::replaced:
    case OwnerReportKind::expired:
    case OwnerReportKind::rejected:
    case OwnerReportKind::suspended:
    case OwnerReportKind::restated:
    case OwnerReportKind::trade_cancelled:
      return true;
    case OwnerReportKind::trade_corrected:
    case OwnerReportKind::none:
    case OwnerReportKind::request_rejected:
    case OwnerReportKind::business_rejected:
    case OwnerReportKind::mass_cancelled:
      return false;
  }
  return false;
}

}  // namespace

struct CopyFront::Stream {
  bool is_followed = false;
  market::Sequence next;  // numbers below are not wanted, or were sent
  Cursor cursor;          // of the partition's log
  ArchivedPart archived;
  bool is_checked = false;  // that the first one from a journal is the one that the reader has
};

struct CopyFront::Slot {
  Slot(const CopyFrontConfig& config, std::size_t partitions, sched::Scheduler& scheduler, CopyFront& front)
      : session(config.session, *config.dialect, scheduler, front), streams(partitions) {}
  mit::RecoveryServer session;
  Text<64> host;
  std::uint32_t number = 0;  // of the connection
  bool is_busy = false;      // its password was not looked at, as too many wait
  std::size_t reader = 0;
  bool is_known = false;        // logged on, as that reader
  bool is_complete = true;      // it was sent that all it had asked for has come
  bool is_day_over = false;     // it gets nothing more, and is to be logged out
  bool has_day = false;         // and had got all of it
  std::vector<Stream> streams;  // per partition
};

CopyFront::CopyFront(CopyFrontConfig config, sched::Scheduler& scheduler, Front& front,
                     std::span<Partition* const> partitions, std::span<ReportArchive* const> archives)
    : ReportPort("drop copies", {config.sessions, config.messages_a_turn, config.reports_a_turn}, partitions, archives),
      config_(std::move(config)),
      front_(front) {
  for (const CopyReader& reader : config_.readers) {
    if (reader.name.empty() || reader.name.size() > k_longest_name || reader.password.empty() ||
        (reader.password.size() > k_longest_name && config_.hasher == nullptr))
      throw std::invalid_argument("drop copies: names and passwords of readers have 1 to 25 characters");
    if (std::ranges::count(config_.readers, reader.name, &CopyReader::name) > 1)
      throw std::invalid_argument("drop copies: a reader's name is given once");
  }
  config_.session.follows = true;
  for (std::size_t at = 0; at < config_.sessions; ++at)
    slots_.add(std::make_unique<Slot>(config_, partitions_.size(), scheduler, *this));
  for (std::uint32_t number = 0; const auto& slot : slots_.all()) slot->number = number++;
  front_.watch_days(this);
}

CopyFront::~CopyFront() {
  front_.watch_days(nullptr);
}

Text<11> CopyFront::owner_text(std::uint16_t user) const {
  const std::string& name = front_.accounts().name_of(user);
  if (name.size() <= Text<11>{}.chars.size()) return Text<11>::cut(name);
  std::array<char, 11> text{'#'};
  const auto end = std::to_chars(text.data() + 1, text.data() + text.size(), user).ptr;
  return Text<11>::cut({text.data(), static_cast<std::size_t>(end - text.data())});
}

std::size_t CopyFront::logged_on() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(slots_.all(), [](const auto& slot) { return slot->is_known; }));
}

// ---- Sessions ------------------------------------------------------------------------------------------------------

link::Connection* CopyFront::on_accept(const link::Address& peer) {
  Slot* const slot = slots_.take();
  if (slot == nullptr) {
    ++counters_.connections_refused;
    return nullptr;
  }
  ++counters_.connections;
  slot->host = Text<64>::cut(peer.host);
  slot->is_known = slot->is_day_over = slot->has_day = slot->is_busy = false;
  slot->is_complete = true;
  return &slot->session;
}

void CopyFront::on_recovery_free(mit::RecoveryServer& session, Time) {
  Slot& slot = slots_.of(session);
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) abandon(slot, partition);
  slot.is_known = false;
  slots_.give_back(slot);
}

/// Nothing of the partition is sent from here on.
void CopyFront::abandon(Slot& slot, std::size_t partition) {
  Stream& stream = slot.streams[partition];
  stream.archived.abandon(archives_.empty() ? nullptr : archives_[partition]);
  stream = {};
}

/// Once a password was right it is compared with itself, and others are wrong at once.
Duration CopyFront::recovery_logon_delay(mit::RecoveryServer& session, const mit::Logon& logon, Time) {
  Slot& slot = slots_.of(session);
  slot.is_busy = false;
  const auto reader = std::ranges::find(config_.readers, logon.user.view(), &CopyReader::name);
  if (reader == config_.readers.end() || reader->password.size() <= k_longest_name) return {};
  if (!reader->host.empty() && !link::host_matches(slot.host.view(), reader->host)) return {};
  const auto answer =
      config_.hasher->find({.connection = k_copy_connections + slot.number,
                            .user = static_cast<std::uint16_t>(k_copy_readers + (reader - config_.readers.begin())),
                            .host = slot.host.view()},
                           {.kept = reader->password, .password = logon.password.view(), .chosen = {}});
  if (!answer) return PasswordHasher::k_ask_again;
  slot.is_busy = answer->is_busy;
  if (answer->is_right && !answer->is_busy) reader->password = logon.password.view();
  return {};
}

mit::LogonReply CopyFront::on_recovery_logon(mit::RecoveryServer& session, const mit::Logon& logon, Time) {
  front_.settle();
  ++counters_.logons_refused;
  Slot& slot = slots_.of(session);
  const auto reader = std::ranges::find(config_.readers, logon.user.view(), &CopyReader::name);
  if (reader == config_.readers.end()) return {.code = mit::code::k_user_not_found};
  if (slot.is_busy) return {.code = mit::code::k_logons_busy};
  if (logon.password.view() != reader->password) return {.code = mit::code::k_invalid_credentials};
  if (!reader->host.empty() && !link::host_matches(slot.host.view(), reader->host))
    return {.code = mit::code::k_unauthorised_front_end};
  const auto number = static_cast<std::size_t>(reader - config_.readers.begin());
  if (std::ranges::any_of(slots_.all(), [=](const auto& other) { return other->is_known && other->reader == number; }))
    return {.code = mit::code::k_already_logged_in};
  if (front_.is_ending_day()) return {.code = mit::code::k_system_suspended};
  --counters_.logons_refused;
  ++counters_.logons;
  slot.is_known = true;
  slot.reader = number;
  return {.venue_day = front_.venue_day()};
}

bool CopyFront::is_of(const Slot& slot, const OwnerReport& report) const noexcept {
  const UserSet& users = config_.readers[slot.reader].users;
  return report.sequence.value != 0 && is_in(users, report.user) && is_execution_report(report.kind);
}

/// A reader asks from the last number that it has. One that is no copy of its own is of an earlier day, or of another
/// venue. Of numbers that are in the journal only, what comes from there says it.
bool CopyFront::is_of_earlier_day(const Slot& slot, std::size_t partition, market::Sequence last) const {
  if (last.value <= 1 || is_behind_log(partition, last)) return false;
  const OwnerReport* const report = kept(partition, last);
  return report == nullptr || !is_of(slot, *report);
}

Recovery CopyFront::on_recovery_request(mit::RecoveryServer& session, const mit::MissedMessageRequest& request, Time) {
  front_.settle();
  Slot& slot = slots_.of(session);
  const std::optional<std::size_t> place = place_of(request.partition);
  if (!place) return Recovery::unknown_partition;
  if (slot.is_day_over) return Recovery::unavailable;
  const bool is_old = is_behind_log(*place, request.last);
  if ((is_old && archives_.empty()) || is_of_earlier_day(slot, *place, request.last)) return Recovery::unavailable;
  abandon(slot, *place);
  Stream& stream = slot.streams[*place];
  stream.is_followed = true;
  stream.next = request.last;
  stream.cursor = log_of(*place).find(request.last);
  stream.archived = ArchivedPart(is_old);
  stream.is_checked = !is_old || request.last.value <= 1;
  slot.is_complete = false;
  return Recovery::good;
}

// ---- Sending -------------------------------------------------------------------------------------------------------

bool CopyFront::send(Slot& slot, const OwnerReport& report) {
  OwnerReport copy = report;
  copy.counterparty = owner_text(report.user);
  if (!slot.session.send(copy, mit::code_of(report.reason))) return false;
  ++counters_.reports_sent;
  return true;
}

/// Sends at most so many of what the journal gave, and goes on to the log behind it.
CopyFront::Progress CopyFront::pump_archived(Slot& slot, std::size_t partition, std::uint32_t most) {
  ReportArchive& archive = *archives_[partition];
  Stream& stream = slot.streams[partition];
  const ReportLog& log = log_of(partition);
  if (stream.archived.ask(archive, config_.readers[slot.reader].users, stream.next, log.first_kept()))
    ++counters_.archived;
  if (stream.archived.take(archive)) {
    const ArchivedReports& found = stream.archived.found();
    const auto is_next = [&](const OwnerReport& first) { return first.sequence == stream.next && is_of(slot, first); };
    const bool is_known =
        found.is_found && (stream.is_checked || (!found.reports.empty() && is_next(found.reports.front())));
    if (!is_known) return Progress::is_behind;
    stream.is_checked = true;
  }
  if (!stream.archived.is_there()) return Progress::waits;
  for (std::uint32_t sent = 0; const OwnerReport* const report = stream.archived.next();) {
    if (is_of(slot, *report)) {
      if (sent == most) return Progress::goes_on;
      if (!send(slot, *report)) return Progress::has_no_room;
      ++sent;
    }
    stream.next = {report->sequence.value + 1};
    stream.archived.count_sent();
  }
  stream.next = {stream.archived.found().covers.value + 1};
  stream.cursor = log.find(stream.next);
  stream.archived = ArchivedPart(is_behind_log(partition, stream.next));  // newer ones have taken the place of some
  return Progress::goes_on;
}

/// Sends at most so many of a partition's reports.
CopyFront::Progress CopyFront::pump(Slot& slot, std::size_t partition, std::uint32_t most) {
  Stream& stream = slot.streams[partition];
  if (stream.archived.is_needed()) return pump_archived(slot, partition, most);
  const ReportLog& log = log_of(partition);
  std::uint32_t sent = 0;
  for (std::uint32_t looked = 0; looked < config_.reports_a_turn;) {
    const std::uint64_t begin = stream.cursor.position;
    const ReportLog::Batch batch = log.read(stream.cursor, partitions_[partition]->durable());
    if (batch.lost != 0) {
      if (archives_.empty()) return Progress::is_behind;
      stream.archived = ArchivedPart(true);
      return Progress::goes_on;
    }
    if (batch.reports.empty()) return Progress::caught_up;
    for (std::size_t at = 0; at < batch.reports.size(); ++at) {
      const OwnerReport& report = batch.reports[at];
      ++looked;
      if (report.sequence < stream.next) continue;
      if (is_of(slot, report)) {
        const bool is_enough = sent == most;
        if (is_enough || !send(slot, report)) {
          stream.cursor.position = begin + at;
          return is_enough ? Progress::goes_on : Progress::has_no_room;
        }
        ++sent;
      }
      stream.next = {report.sequence.value + 1};
    }
  }
  return Progress::goes_on;
}

/// Whether there is more to be sent at once. What has no room goes on when the connection has some.
bool CopyFront::serve(Slot& slot, std::uint32_t most, Time now) {
  bool goes_on = false, is_all = true, has_room = true;
  for (std::size_t partition = 0; partition < partitions_.size() && has_room; ++partition) {
    if (!slot.streams[partition].is_followed) continue;
    switch (pump(slot, partition, most)) {
      case Progress::caught_up:
        break;
      case Progress::waits:
        is_all = false;
        break;
      case Progress::goes_on:
        goes_on = true;
        is_all = false;
        break;
      case Progress::has_no_room:
        has_room = is_all = false;
        break;
      case Progress::is_behind:
        ++counters_.ended;
        abandon(slot, partition);
        slot.session.logout("behind what is kept", now);
        return false;
    }
  }
  if (is_all && !slot.is_complete) slot.is_complete = slot.session.say_complete();
  slot.has_day = is_all;
  return goes_on && has_room;
}

std::optional<Recovery> CopyFront::serve_recovery(mit::RecoveryServer& session, Time now) {
  Slot& slot = slots_.of(session);
  if (!slot.is_day_over) static_cast<void>(serve(slot, config_.messages_a_turn, now));
  return std::nullopt;
}

std::size_t CopyFront::finish(Time now) {
  if (slots_.is_idle()) return 0;
  std::size_t work = 0;
  for (const auto& slot : slots_.all()) {
    if (!slot->is_known || !slot->session.is_logged_on()) continue;
    if (slot->is_day_over) {
      if (!front_.is_ending_day()) slot->session.logout(slot->has_day ? "end of day" : "end of day, behind", now);
    } else if (slot->session.is_serving() && serve(*slot, config_.messages_a_turn, now)) {
      ++work;
    }
  }
  return work;
}

/// The numbers begin anew: what a reader has not got by now it finds in the files of the day.
void CopyFront::on_day_over(Time now) {
  for (const auto& slot : slots_.all()) {
    if (!slot->is_known || slot->is_day_over || !slot->session.is_logged_on()) continue;
    slot->has_day = true;
    while (slot->session.is_serving() && serve(*slot, std::numeric_limits<std::uint32_t>::max(), now)) {
    }
    slot->is_day_over = true;
    for (std::size_t partition = 0; partition < partitions_.size(); ++partition) abandon(*slot, partition);
  }
}

}  // namespace dojima::venue
