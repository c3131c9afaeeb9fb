#pragma once

// Reports that are no longer in a partition's log, brought back from its journal: the records are applied to a
// partition of their own, from the first one or from the oldest snapshot on, and its reports are what they were. That
// takes as long as a start of the venue does, and as much memory as another partition, so it is done by a thread, one
// request at a time. Allocates; the thread of the venue only asks whether it is done.
//
//   ReportArchive archive(journaled, {.on_ready = wake the loop});
//   if (archive.begin(users, from, before)) ...     // later:
//   if (archive.is_ready()) { const ArchivedReports found = archive.take(); ... }

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "dojima/market/report.hpp"
#include "dojima/venue/recovery/journaled_partition.hpp"

namespace dojima::venue {

/// Users by their number, 1 for each that is meant; numbers beyond the end are not.
using UserSet = std::vector<std::uint8_t>;
[[nodiscard]] inline bool is_in(const UserSet& users, std::uint16_t user) noexcept {
  return user < users.size() && users[user] != 0;
}
[[nodiscard]] UserSet only(std::uint16_t user);

struct ArchivedReports {
  bool is_found = false;                     ///< false: the journal does not reach back so far, or cannot be read
  bool is_unreadable = false;                ///< the latter: it may be read another time
  bool is_cut = false;                       ///< there are more than were wanted
  std::vector<market::OwnerReport> reports;  ///< with rising numbers
  market::Sequence covers;                   ///< all of the users' up to this number are among them
};

struct ReportArchiveOptions {
  std::size_t most = 100'000;        ///< reports of one request
  bool has_thread = true;            ///< false: `begin` does it all, for simulations
  std::function<void()> on_ready{};  ///< called by the thread when it is done
};

class ReportArchive {
 public:
  /// The partition outlives it.
  explicit ReportArchive(JournaledPartition& journaled, ReportArchiveOptions options = {})
      : journaled_(journaled), options_(std::move(options)) {}
  ReportArchive(const ReportArchive&) = delete;
  ReportArchive& operator=(const ReportArchive&) = delete;

  /// Who is called when it is done; before anything is begun.
  void on_ready(std::function<void()> call) { options_.on_ready = std::move(call); }
  /// Begins to bring back the users' reports of the partition's present day with these numbers: `from` and what
  /// follows, in front of `before`. False: it is busy with another request, or that one's reports were not taken.
  [[nodiscard]] bool begin(const UserSet& users, market::Sequence from, market::Sequence before);
  [[nodiscard]] bool begin(std::uint16_t user, market::Sequence from, market::Sequence before) {
    return begin(only(user), from, before);
  }
  [[nodiscard]] bool is_ready() const noexcept { return is_ready_.load(std::memory_order_acquire); }
  /// Nobody waits for what was begun.
  void abandon() noexcept { is_wanted_ = false; }
  /// What it has brought back. Once, when it is ready.
  [[nodiscard]] ArchivedReports take();

 private:
  void read(const UserSet& users, std::uint64_t day, market::Sequence from, market::Sequence before,
            journal::Sequence up_to, const std::stop_token& stop);

  JournaledPartition& journaled_;
  ReportArchiveOptions options_;
  ArchivedReports found_;
  bool is_busy_ = false;
  bool is_wanted_ = false;
  std::atomic<bool> is_ready_ = false;
  std::jthread thread_;  // ends before what it uses
};

}  // namespace dojima::venue
