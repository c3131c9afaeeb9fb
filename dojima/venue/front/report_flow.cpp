#include "dojima/venue/front/report_flow.hpp"

#include <algorithm>
#include <span>

#include "dojima/base/assert.hpp"

namespace dojima::venue {

using market::OwnerReport, market::OwnerReportKind;

namespace {

/// The one report that answers a request, as opposed to fills and to unsolicited reports.
constexpr bool is_answer(const OwnerReport& report) noexcept {
  constexpr auto bit = [](OwnerReportKind kind) { return 1U << static_cast<unsigned>(kind); };
  constexpr std::uint32_t k_answers = bit(OwnerReportKind::accepted) | bit(OwnerReportKind::rejected) |
                                      bit(OwnerReportKind::replaced) | bit(OwnerReportKind::cancelled) |
                                      bit(OwnerReportKind::request_rejected) | bit(OwnerReportKind::business_rejected) |
                                      bit(OwnerReportKind::mass_cancelled);
  return (k_answers >> static_cast<unsigned>(report.kind) & 1U) != 0;
}

}  // namespace

/// Half of a log holds the reports of one command, or the log grows. The other half is shared by what waits to be sent
/// and by how far a slow user may be behind, so that nobody is ever overtaken.
ReportFlow::ReportFlow(const FlowLimits& limits, sched::Scheduler& scheduler, std::span<Partition* const> partitions,
                       std::span<FrontUser> users, FrontCounters& counters, RequestMarks& marks)
    : limits_(limits),
      scheduler_(scheduler),
      partitions_(partitions.begin(), partitions.end()),
      users_(users),
      counters_(counters),
      marks_(marks),
      cursors_(partitions.size()),
      durables_(partitions.size()),
      floors_(partitions.size()),
      bounds_(partitions.size()),
      review_(scheduler, *this) {
  for (std::size_t at = 0; at < partitions_.size(); ++at) {
    const ReportLog& log = partitions_[at]->reports();
    cursors_[at].position = floors_[at] = log.end();
    partitions_[at]->keep_reports_from(floors_[at]);
    bounds_[at] = std::max<std::uint64_t>(1, std::min<std::uint64_t>(log.capacity() / 4, limits_.maximum_lag) / 2);
  }
}

/// Inlined by force: it is called for each report that is sent.
[[gnu::always_inline]] inline bool ReportFlow::send_to(FrontUser& user, const OwnerReport& report) {
  const bool is_marked = marks_.are_any_waiting() && is_answer(report) && marks_.is_marked(report.client_order_id);
  if (is_marked) [[unlikely]]
    marks_.was_taken(report.client_order_id);
  if (!user.session->send(report)) return false;
  ++counters_.reports_sent;
  if (is_marked) [[unlikely]]
    marks_.went_out(report.client_order_id);
  return true;
}

/// Sends the durable reports of a partition, in their order.
std::size_t ReportFlow::pump(std::size_t partition, Time now) {
  const ReportLog& log = partitions_[partition]->reports();
  const market::Sequence durable = partitions_[partition]->durable();
  DOJIMA_ASSERT(durable >= durables_[partition], "what is durable stays durable", durable, durables_[partition],
                partition);
  durables_[partition] = durable;
  Cursor& cursor = cursors_[partition];
  const std::span<FrontUser> users = users_;
  std::size_t sent = 0;
  for (;;) {
    const std::uint64_t begin = cursor.position;
    const ReportLog::Batch batch = log.read(cursor, durable);
    DOJIMA_ASSERT(batch.lost == 0, "the front is never overtaken", batch.lost, partition, begin, log.end());
    if (batch.reports.empty()) break;
    for (std::size_t at = 0; at < batch.reports.size(); ++at) {
      const OwnerReport& report = batch.reports[at];
      FrontUser* user = report.user < users.size() ? &users[report.user] : nullptr;
      if (user == nullptr || user->session == nullptr || user->is_too_slow ||
          begin + at < user->begin[partition].position) {
        ++counters_.reports_missed;
      } else if (!user->is_lagging) {
        if (send_to(*user, report)) [[likely]]
          ++sent;
        else
          begin_lagging(*user, partition, begin + at, now);
      }
    }
  }
  partitions_[partition]->keep_reports_from(cursor.position);
  if (is_any_lagging_) {
    for (FrontUser& user : users_)
      if (user.is_lagging &&
          cursor.position - std::min(cursor.position, user.lag[partition].position) > limits_.maximum_lag)
        log_out_slow(user, "too slow");
  } else {
    floors_[partition] = cursor.position;
  }
  return sent;
}

/// From now on the user reads the logs on its own: this one from `position`, the others from where all are. Its session
/// is not read until it has caught up.
void ReportFlow::begin_lagging(FrontUser& user, std::size_t partition, std::uint64_t position, Time now) {
  user.is_lagging = is_any_lagging_ = true;
  user.lag = cursors_;
  user.lag[partition].position = position;
  user.sent = now;
  begin_stall_window(user, now);
  hold(user);
}

/// Sends a lagging user what it has missed, as far as there is room.
std::size_t ReportFlow::catch_up(FrontUser& user) {
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
        if (!send_to(user, batch.reports[at])) {
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
void ReportFlow::count_missed(const FrontUser& user) {
  const auto index = static_cast<std::uint16_t>(&user - users_.data());
  for (std::size_t partition = 0; partition < partitions_.size(); ++partition) {
    for (Cursor at = user.lag[partition]; at.position < cursors_[partition].position;) {
      const ReportLog::Batch batch = partitions_[partition]->reports().read(at, durables_[partition]);
      for (const OwnerReport& report : batch.reports) counters_.reports_missed += report.user == index ? 1 : 0;
    }
  }
}

/// A user that does not read: it gets nothing more and is logged out.
void ReportFlow::log_out_slow(FrontUser& user, std::string_view text) {
  count_missed(user);
  user.is_lagging = false;
  user.is_too_slow = true;
  ++counters_.sessions_ended;
  release(user);
  user.session->logout(text);
}

}  // namespace dojima::venue
