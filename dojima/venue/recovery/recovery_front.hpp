#pragma once

// The venue's recovery channel: a separate port where members ask again for the reports that they missed. Served from
// the report logs of the partitions, up to the first report of the member's real-time session, which has the rest. What
// is no longer in a log comes from the partition's journal (report_archive.hpp), which takes its time; where there is
// none it is answered with "service unavailable", never left out; so is a number of an earlier day, which has begun its
// numbers anew since. Where a journal cannot be read, or the operator says so, members hear that the partition cannot
// be recovered now, and hear it when it can again. No allocation after construction, but for what comes from a journal.
// One thread.
//
// As a source of the loop it only works at the end of each instant, so it must come before the fabric that flushes.
//
//   RecoveryFront recovery({.sessions = 16}, scheduler, front, partitions);
//   fabric.listen({"127.0.0.1", 9002}, recovery);
//   Loop loop(scheduler, pacer, sources = {&front, &recovery, &fabric});

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/recovery_server.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/recovery/report_archive.hpp"
#include "dojima/venue/recovery/report_port.hpp"

namespace dojima::venue {

struct RecoveryFrontConfig {
  std::size_t sessions = 16;  ///< connections at a time; more are refused
  mit::RecoveryOptions session;
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;
  std::uint32_t requests = 1000;                     ///< of a user in one real-time session
  std::uint32_t messages = 100'000;                  ///< sent for one request; the member asks again from the last one
  std::uint32_t messages_a_turn = 64;                ///< of each session, so that matching never waits long
  std::uint32_t reports_a_turn = 16'384;             ///< of the log looked through for them
  Duration archive_retry = std::chrono::seconds{5};  ///< > 0: until a journal that could not be read is read again
  unsigned archive_attempts = 12;  ///< >= 1; so many in vain in a row, and what is asked for of it counts as gone
};

struct RecoveryCounters {
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;  ///< all sessions taken
  std::uint64_t logons = 0;
  std::uint64_t logons_refused = 0;
  std::uint64_t requests = 0;
  std::uint64_t requests_refused = 0;
  std::uint64_t reports_sent = 0;
  std::uint64_t archived = 0;    ///< requests that were served from a journal
  std::uint64_t unreadable = 0;  ///< times that a journal could not be read for them
};

class RecoveryFront final : public ReportPort {
 public:
  /// Scheduler entries that it reserves for `sessions` sessions.
  [[nodiscard]] static constexpr std::size_t timers(std::size_t sessions) noexcept {
    return ReportPort::timers(sessions) + 1;
  }

  /// `front` with the same partitions, in the same order. `archives`: one for each, or none at all. All must outlive
  /// it. Throws std::bad_alloc, std::invalid_argument.
  RecoveryFront(const RecoveryFrontConfig& config, sched::Scheduler& scheduler, const Front& front,
                std::span<Partition* const> partitions, std::span<ReportArchive* const> archives = {});
  ~RecoveryFront();

  /// Connections at present.
  [[nodiscard]] std::size_t connections() const noexcept { return slots_.used(); }
  /// A free session, or null.
  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  mit::LogonReply on_recovery_logon(mit::RecoveryServer& session, const mit::Logon& logon, Time now) override;
  mit::Recovery on_recovery_request(mit::RecoveryServer& session, const mit::MissedMessageRequest& request,
                                    Time now) override;
  std::optional<mit::Recovery> serve_recovery(mit::RecoveryServer& session, Time now) override;
  void on_recovery_free(mit::RecoveryServer& session, Time now) override;

  /// Sends what there is room for. How many sessions went on.
  std::size_t finish(Time now) override;

  /// By the operator: says on all sessions whether the reports of a partition (by place) can be recovered; requests for
  /// it are refused meanwhile. It ends with the process.
  void set_available(std::size_t partition, bool is_available);
  [[nodiscard]] bool is_available(std::size_t partition) const { return services_.at(partition).is_open; }
  /// The partition's journal could not be read, and is read again now and then: what is in its log is served, what is
  /// not has to wait.
  [[nodiscard]] bool is_unreadable(std::size_t partition) const {
    const unsigned failures = services_.at(partition).failures;
    return failures != 0 && failures < config_.archive_attempts;
  }

  [[nodiscard]] const RecoveryCounters& counters() const noexcept { return counters_; }

 private:
  struct Slot;  // a session and the request in its hand

  [[nodiscard]] bool is_served(std::uint16_t user) const;
  [[nodiscard]] bool is_of_earlier_day(std::size_t partition, std::uint16_t user, market::Sequence last) const;
  [[nodiscard]] std::optional<mit::Recovery> serve_archived(Slot& slot, bool& is_over);
  void say_away(Slot& slot, std::size_t partition);
  void say_resumed(std::size_t partition);
  void note_unreadable(std::size_t partition, const Slot& slot);
  void read_again(Time now);
  void on_retry_due(Time) {}  // the work is done at the end of the instant

  /// A partition as far as it can be recovered.
  struct Service {
    bool is_open = true;    // the operator has not said otherwise
    unsigned failures = 0;  // reads of its journal in vain, in a row
    Time retry{};           // with failures: when the next one is due
    std::uint16_t user = 0;
    market::Sequence from, before;  // what could not be read
    ArchivedPart probe;
  };

  RecoveryFrontConfig config_;
  sched::Scheduler& scheduler_;
  const Front& front_;
  std::vector<Service> services_;        // per partition
  std::vector<std::uint32_t> requests_;  // per user, in its real-time session
  std::vector<std::uint64_t> session_;   // per user: which real-time session that is
  SessionSlots<Slot> slots_;
  sched::TimerOf<&RecoveryFront::on_retry_due> retry_timer_;
  RecoveryCounters counters_;
  bool is_reading_again_ = false;  // some journal
};

}  // namespace dojima::venue
