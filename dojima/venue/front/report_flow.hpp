#pragma once

// How reports flow from the partitions' logs to the sessions of their users. Reports that are durable are sent to their
// users; a user whose connection has no room for them reads the logs by itself until it has caught up.
//
// Overload slows a venue, and ends nobody who reads. What waits has bounds: a session that has no room for its reports
// is not read until it has caught up, and a session that causes reports while too many of a partition wait is not read
// until fewer do. So the network slows down those who send too much, and only those.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/market/report.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/time/time.hpp"
#include "dojima/venue/front/front_counters.hpp"
#include "dojima/venue/front/front_user.hpp"
#include "dojima/venue/front/request_marks.hpp"
#include "dojima/venue/partition.hpp"

namespace dojima::venue {

/// How far a user may be behind, in reports, and for how long it may take nothing of them.
struct FlowLimits {
  std::size_t maximum_lag = 0;
  time::Duration stall{};
};

class ReportFlow {
 public:
  /// From the ends of the logs. All outlive it.
  ReportFlow(const FlowLimits& limits, sched::Scheduler& scheduler, std::span<Partition* const> partitions,
             std::span<FrontUser> users, FrontCounters& counters, RequestMarks& marks);

  /// Sends what may leave. How many reports did. `may_release`: who is not read may be read again.
  std::size_t send(Time now, bool may_release) {
    std::size_t sent = 0;
    for (std::size_t partition = 0; partition < partitions_.size(); ++partition)
      if (unread(partition) != 0 || floors_[partition] != cursors_[partition].position) sent += pump(partition, now);
    if (is_any_lagging_ || is_any_held_) [[unlikely]]
      sent += serve_waiting(now, may_release);
    return sent;
  }

  /// Too many reports of the partition wait: make_way() before it takes another command.
  [[nodiscard]] bool is_crowded(std::size_t partition) const noexcept {
    return partitions_[partition]->reports().end() - floors_[partition] >= bounds_[partition];
  }
  /// From so many reports on it is.
  [[nodiscard]] std::uint64_t crowded_from(std::size_t partition) const noexcept {
    return floors_[partition] + bounds_[partition];
  }
  /// They wait for its journal, or for somebody who reads slower than they come. Who causes more is not read any more.
  /// False: not even one more command can be taken.
  [[nodiscard]] bool make_way(std::size_t partition, std::uint16_t user, Time now);
  /// Its session is not read, until release() or until enough has left.
  void hold(FrontUser& user);
  void release(FrontUser& user);
  /// At this time something is to be done at the end of the instant, where nothing else happens.
  void look_again(Time at) {
    if (!review_.is_armed()) review_.arm(at);
  }
  /// Counts what a lagging user will not get any more: its reports up to where the others are.
  void count_missed(const FrontUser& user);

  /// Of a partition's reports those that may not leave yet.
  [[nodiscard]] std::uint64_t unread(std::size_t partition) const noexcept {
    return partitions_[partition]->reports().end() - cursors_[partition].position;
  }
  /// As Front::lag().
  [[nodiscard]] std::uint64_t lag(std::size_t partition) const noexcept;
  /// As Front::lag_of().
  [[nodiscard]] std::uint64_t lag_of(const FrontUser& user) const noexcept;

 private:
  std::size_t pump(std::size_t partition, Time now);
  [[nodiscard]] bool send_to(FrontUser& user, const market::OwnerReport& report);
  std::size_t catch_up(FrontUser& user);
  void begin_lagging(FrontUser& user, std::size_t partition, std::uint64_t position, Time now);
  void log_out_slow(FrontUser& user, std::string_view text);

  // report_flow_waiting.cpp: who waits, and for whom
  std::size_t serve_waiting(Time now, bool may_release);
  void begin_stall_window(FrontUser& user, Time now);
  [[nodiscard]] bool is_stalled(FrontUser& user, Time now);
  void find_floors(Time now);
  [[nodiscard]] bool is_any_half_crowded() const noexcept;
  void on_review_due(Time) {}  // the work is done at the end of the instant

  FlowLimits limits_;
  sched::Scheduler& scheduler_;
  std::vector<Partition*> partitions_;
  std::span<FrontUser> users_;
  FrontCounters& counters_;
  RequestMarks& marks_;
  std::vector<Cursor> cursors_;             // per partition
  std::vector<market::Sequence> durables_;  // per partition: up to here the cursor has read
  std::vector<std::uint64_t> floors_;       // per partition: from here reports wait for the journal, or for who reads
  std::vector<std::uint64_t> bounds_;       // per partition: so many may wait before who causes more is not read
  sched::TimerOf<&ReportFlow::on_review_due> review_;
  bool is_any_lagging_ = false;
  bool is_any_held_ = false;
};

}  // namespace dojima::venue
