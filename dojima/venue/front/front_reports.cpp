// The way out of a front: reports that are durable are sent to whoever they are for, and a user whose connection has no
// room for them reads the logs on its own until it has caught up.

#include <algorithm>
#include <cstring>
#include <span>

#include "dojima/base/assert.hpp"
#include "dojima/mit/identifiers.hpp"
#include "dojima/venue/front.hpp"

namespace dojima::venue {

using market::OwnerReport, market::OwnerReportKind, market::SessionEnd;

namespace {

/// The one report that answers a request, as opposed to fills and to unsolicited reports.
bool is_answer(const OwnerReport& report) noexcept {
  switch (report.kind) {
    case OwnerReportKind::accepted:
    case OwnerReportKind::rejected:
    case OwnerReportKind::replaced:
    case OwnerReportKind::cancelled:
    case OwnerReportKind::request_rejected:
    case OwnerReportKind::business_rejected:
    case OwnerReportKind::mass_cancelled:
      return true;
    case OwnerReportKind::none:
    case OwnerReportKind::traded:
    case OwnerReportKind::expired:
    case OwnerReportKind::suspended:
    case OwnerReportKind::restated:
    case OwnerReportKind::trade_cancelled:
      return false;
  }
  return false;
}

}  // namespace

std::size_t Front::finish(Time now) {
  if (is_any_end_pending_) {
    is_any_end_pending_ = false;
    for (std::size_t user = 0; user < users_.size(); ++user)
      if (users_[user].pending_end != SessionEnd::none) submit_ends(static_cast<std::uint16_t>(user), now);
  }
  std::size_t sent = 0;
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) sent += pump(partition, now);
  if (is_any_lagging_ || is_any_held_) [[unlikely]]
    sent += serve_waiting(now);
  if (is_ending_day_) [[unlikely]]
    go_on_to_next_day(now);
  return sent;
}

/// Inlined by force: it is called for each report that is sent.
[[gnu::always_inline]] inline bool Front::send(User& user, const OwnerReport& report) {
  if (!user.session->send(report)) return false;
  ++counters_.reports_sent;
  if (probe_ != nullptr && is_answer(report)) mark(config_.stage_out, report.client_order_id);
  return true;
}

/// Sends the durable reports of a partition, in their order.
std::size_t Front::pump(std::size_t partition, Time now) {
  const ReportLog& log = partitions_[partition]->reports();
  const market::Sequence durable = partitions_[partition]->durable();
  DOJIMA_ASSERT(durable >= durables_[partition], "what is durable stays durable", durable, durables_[partition],
                partition);
  durables_[partition] = durable;
  Cursor& cursor = cursors_[partition];
  const std::span<User> users(users_);
  std::size_t sent = 0;
  for (;;) {
    const std::uint64_t begin = cursor.position;
    const ReportLog::Batch batch = log.read(cursor, durable);
    DOJIMA_ASSERT(batch.lost == 0, "the front is never overtaken", batch.lost, partition, begin, log.end());
    if (batch.reports.empty()) break;
    for (std::size_t at = 0; at < batch.reports.size(); ++at) {
      const OwnerReport& report = batch.reports[at];
      User* user = report.user < users.size() ? &users[report.user] : nullptr;
      if (user == nullptr || user->session == nullptr || user->is_too_slow ||
          begin + at < user->begin[partition].position) {
        ++counters_.reports_missed;
      } else if (!user->is_lagging) {
        if (send(*user, report)) [[likely]]
          ++sent;
        else
          begin_lagging(*user, partition, begin + at, now);
      }
    }
  }
  partitions_[partition]->keep_reports_from(cursor.position);
  if (is_any_lagging_) {
    for (User& user : users_)
      if (user.is_lagging &&
          cursor.position - std::min(cursor.position, user.lag[partition].position) > config_.maximum_lag)
        log_out_slow(user, "too slow");
  } else {
    floors_[partition] = cursor.position;
  }
  return sent;
}

/// From now on the user reads the logs on its own: this one from `position`, the others from where all are. Its session
/// is not read until it has caught up.
void Front::begin_lagging(User& user, std::size_t partition, std::uint64_t position, Time now) {
  user.is_lagging = is_any_lagging_ = true;
  user.lag = cursors_;
  user.lag[partition].position = position;
  user.sent = now;
  begin_stall_window(user, now);
  hold(user);
}

/// Sends a lagging user what it has missed, as far as there is room.
std::size_t Front::catch_up(User& user) {
  const auto index = static_cast<std::uint16_t>(&user - users_.data());
  std::size_t sent = 0;
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) {
    const ReportLog& log = partitions_[partition]->reports();
    Cursor& cursor = user.lag[partition];
    while (cursor.position < cursors_[partition].position) {
      const std::uint64_t begin = cursor.position;
      const ReportLog::Batch batch = log.read(cursor, durables_[partition]);
      DOJIMA_ASSERT(batch.lost == 0, "a slow user is logged out before it is overtaken", batch.lost, index, partition,
                    begin);
      for (std::size_t at = 0; at < batch.reports.size(); ++at) {
        if (batch.reports[at].user != index || begin + at < user.begin[partition].position) continue;
        if (!send(user, batch.reports[at])) {
          cursor.position = begin + at;
          return sent;
        }
        ++sent;
      }
    }
  }
  user.is_lagging = false;
  return sent;
}

/// Counts what a lagging user will not get any more: its reports up to where the others are.
void Front::count_missed(const User& user) {
  const auto index = static_cast<std::uint16_t>(&user - users_.data());
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) {
    for (Cursor at = user.lag[partition]; at.position < cursors_[partition].position;) {
      const ReportLog::Batch batch = partitions_[partition]->reports().read(at, durables_[partition]);
      for (const OwnerReport& report : batch.reports) counters_.reports_missed += report.user == index ? 1 : 0;
    }
  }
}

/// A user that does not read: it gets nothing more and is logged out.
void Front::log_out_slow(User& user, std::string_view text) {
  count_missed(user);
  user.is_lagging = false;
  user.is_too_slow = true;
  ++counters_.sessions_ended;
  release(user);
  user.session->logout(text);
}

/// A request and its answers have the same id, so all of them are marked or none, however long the journal takes.
bool Front::is_marked(const Text<20>& client_order_id) const noexcept {
  if (config_.marked_one_in == 1) return true;
  std::uint64_t first = 0, second = 0;
  std::uint32_t third = 0;
  static_assert(sizeof first + sizeof second + sizeof third == sizeof client_order_id.chars);
  const char* const at = client_order_id.chars.data();
  std::memcpy(&first, at, sizeof first);
  std::memcpy(&second, at + sizeof first, sizeof second);
  std::memcpy(&third, at + sizeof first + sizeof second, sizeof third);
  // Odd multipliers carry every character into the upper bits: those of the golden ratio, and of the roots of 2 and 3.
  const std::uint64_t mixed =
      (first * 0x9e3779b97f4a7c15U) ^ (second * 0x6a09e667f3bcc909U) ^ (third * 0xbb67ae8584caa73bU);
  return ((mixed * 0x9e3779b97f4a7c15U) >> 32U & (config_.marked_one_in - 1)) == 0;
}

/// Requests are known to the probe by the number in their ClientOrderID; those without a number are not measured.
void Front::mark_number(std::uint8_t stage, const Text<20>& client_order_id) {
  if (const Result<std::uint64_t> number = mit::parse_base62(client_order_id.view())) probe_->mark(stage, *number);
}

}  // namespace dojima::venue
