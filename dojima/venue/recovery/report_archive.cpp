#include "dojima/venue/recovery/report_archive.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "dojima/base/assert.hpp"

namespace dojima::venue {
namespace {

/// Takes users' reports of a day out of a log as it goes on.
class Collector {
 public:
  Collector(const UserSet& users, std::uint64_t day, market::Sequence from, market::Sequence before, std::size_t most,
            ArchivedReports& found)
      : users_(users), day_(day), from_(from), before_(before), most_(most), found_(found) {}

  /// False: enough, or not there.
  bool look(const Partition& partition) {
    const ReportLog& log = partition.reports();
    if (partition.day_number() != day_) return partition.day_number() < day_;
    if (!cursor_) {
      if (log.first_kept() > from_) return false;
      cursor_ = log.find(from_);
      found_.is_found = true;
    }
    for (;;) {
      const ReportLog::Batch batch = log.read(*cursor_, {~std::uint64_t{0}});
      if (batch.reports.empty()) return true;
      for (const market::OwnerReport& report : batch.reports)
        if (!take(report)) return false;
    }
  }

 private:
  bool take(const market::OwnerReport& report) {
    if (report.sequence.value == 0) return true;
    if (report.sequence >= before_) return false;
    if (is_in(users_, report.user) && report.sequence >= from_) {
      found_.is_cut = found_.reports.size() == most_;
      if (found_.is_cut) return false;
      found_.reports.push_back(report);
    }
    found_.covers = report.sequence;
    return true;
  }

  const UserSet& users_;
  std::uint64_t day_;
  market::Sequence from_, before_;
  std::size_t most_;
  ArchivedReports& found_;
  std::optional<Cursor> cursor_;
};

}  // namespace

UserSet only(std::uint16_t user) {
  UserSet users(std::size_t{user} + 1);
  users.back() = 1;
  return users;
}

bool ReportArchive::begin(const UserSet& users, market::Sequence from, market::Sequence before) {
  if (is_busy_ && !is_wanted_ && is_ready()) static_cast<void>(take());
  if (is_busy_) return false;
  is_busy_ = is_wanted_ = true;
  is_ready_.store(false, std::memory_order_relaxed);
  const journal::Sequence up_to{journaled_.partition().durable().value};
  const std::uint64_t day = journaled_.partition().day_number();
  if (!options_.has_thread) {
    read(users, day, from, before, up_to, {});
    return true;
  }
  thread_ = std::jthread([=, this](const std::stop_token& stop) { read(users, day, from, before, up_to, stop); });
  return true;
}

ArchivedReports ReportArchive::take() {
  DOJIMA_ASSERT(is_busy_ && is_ready(), "reports are taken when they are there", is_busy_);
  if (thread_.joinable()) thread_.join();
  is_busy_ = false;
  is_ready_.store(false, std::memory_order_relaxed);
  return std::exchange(found_, {});
}

void ReportArchive::read(const UserSet& users, std::uint64_t day, market::Sequence from, market::Sequence before,
                         journal::Sequence up_to, const std::stop_token& stop) {
  ArchivedReports found;
  try {
    Collector collector(users, day, from, before, options_.most, found);
    bool goes_on = true;
    ReplayOptions options{.from_oldest_snapshot = true, .up_to = up_to};
    options.before = [&](const Partition* partition, const journal::Record&) {
      return goes_on = !stop.stop_requested() && (partition == nullptr || collector.look(*partition));
    };
    const auto replayed = replay_directory(journaled_.disk(), options);
    if (!replayed || replayed->replayer->partition() == nullptr)
      found = {.is_unreadable = !replayed};
    else if (goes_on && collector.look(*replayed->replayer->partition()) &&
             replayed->replayer->last().value < up_to.value)
      found = {.is_unreadable = true};  // what is durable is not all there to be read
  } catch (const std::exception&) {     // no memory for another partition
    found = {.is_unreadable = true};
  }
  found_ = std::move(found);
  is_ready_.store(true, std::memory_order_release);
  if (options_.has_thread && options_.on_ready) options_.on_ready();
}

}  // namespace dojima::venue
