#pragma once

// What the recovery channel and the drop copies share: a port whose sessions are served from the report logs of the
// partitions, and in front of what these keep from the partitions' journals. Which reports, and when, is each one's
// own.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/mit/recovery_server.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/recovery/report_archive.hpp"

namespace dojima::venue {

/// What a session gets from a partition's journal before what is in its log.
class ArchivedPart {
 public:
  ArchivedPart() = default;
  /// It is needed, and waits until the archive is free; or not.
  explicit ArchivedPart(bool is_needed) noexcept : step_(is_needed ? Step::waits : Step::none) {}

  [[nodiscard]] bool is_needed() const noexcept { return step_ != Step::none; }
  /// The archive has not been asked yet.
  [[nodiscard]] bool is_waiting() const noexcept { return step_ == Step::waits; }
  /// The archive works for it.
  [[nodiscard]] bool is_awaited(const ReportArchive& archive) const noexcept {
    return step_ == Step::is_read && !archive.is_ready();
  }
  /// Asks the archive where that has not been done. True: just now.
  template <class Users>
  bool ask(ReportArchive& archive, const Users& users, market::Sequence from, market::Sequence before) {
    if (step_ != Step::waits || !archive.begin(users, from, before)) return false;
    step_ = Step::is_read;
    return true;
  }
  /// Takes what the archive has brought back. True: just now.
  bool take(ReportArchive& archive) {
    if (step_ != Step::is_read || !archive.is_ready()) return false;
    found_ = archive.take();
    sent_ = 0;
    step_ = Step::is_sent;
    return true;
  }
  /// It is there to be sent.
  [[nodiscard]] bool is_there() const noexcept { return step_ == Step::is_sent; }
  [[nodiscard]] const ArchivedReports& found() const noexcept { return found_; }
  /// The next report to be sent, or null.
  [[nodiscard]] const market::OwnerReport* next() const noexcept {
    return sent_ < found_.reports.size() ? &found_.reports[sent_] : nullptr;
  }
  void count_sent() noexcept { ++sent_; }
  /// Nothing of it is sent any more.
  void abandon(ReportArchive* archive) noexcept {
    if (step_ == Step::is_read) archive->abandon();
    *this = {};
  }

 private:
  enum class Step : std::uint8_t { none, waits, is_read, is_sent };
  Step step_ = Step::none;
  ArchivedReports found_;
  std::size_t sent_ = 0;
};

/// Sessions with what is kept of each, so many as were made: `Slot` has a `session`.
template <class Slot>
class SessionSlots {
 public:
  void add(std::unique_ptr<Slot> slot) {
    free_.push_back(slot.get());
    slots_.push_back(std::move(slot));
  }
  /// One that is free, or null.
  [[nodiscard]] Slot* take() noexcept {
    if (free_.empty()) return nullptr;
    Slot* const slot = free_.back();
    free_.pop_back();
    return slot;
  }
  void give_back(Slot& slot) { free_.push_back(&slot); }
  /// Connections.
  [[nodiscard]] std::size_t used() const noexcept { return slots_.size() - free_.size(); }
  /// None is connected.
  [[nodiscard]] bool is_idle() const noexcept { return free_.size() == slots_.size(); }
  [[nodiscard]] Slot& of(const mit::RecoveryServer& session) noexcept {
    for (const auto& slot : slots_)
      if (&slot->session == &session) return *slot;
    DOJIMA_ASSERT(false, "a session is one of ours", session.user());
    std::unreachable();
  }
  [[nodiscard]] const std::vector<std::unique_ptr<Slot>>& all() const noexcept { return slots_; }

 private:
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<Slot*> free_;
};

class ReportPort : public link::Acceptor, public mit::RecoveryHandler, public sched::Source {
 public:
  /// Scheduler entries that it reserves for `sessions` sessions.
  [[nodiscard]] static constexpr std::size_t timers(std::size_t sessions) noexcept {
    return sessions * mit::RecoveryServer::k_timers;
  }
  ReportPort(const ReportPort&) = delete;
  ReportPort& operator=(const ReportPort&) = delete;

  [[nodiscard]] Time next_time() final { return time::k_never; }
  std::size_t deliver(Time) final { return 0; }

 protected:
  struct Limits {
    std::size_t sessions;
    std::uint32_t messages_a_turn, reports_a_turn;
  };
  /// `name`: what a complaint begins with. `archives`: one for each partition, or none at all. Throws
  /// std::invalid_argument.
  ReportPort(const char* name, const Limits& limits, std::span<Partition* const> partitions,
             std::span<ReportArchive* const> archives);
  ~ReportPort() = default;

  /// The place of a partition by its AppID.
  [[nodiscard]] std::optional<std::size_t> place_of(std::uint8_t app_id) const noexcept;
  [[nodiscard]] const ReportLog& log_of(std::size_t partition) const noexcept {
    return partitions_[partition]->reports();
  }
  /// The log no longer keeps this number.
  [[nodiscard]] bool is_behind_log(std::size_t partition, market::Sequence number) const noexcept {
    return log_of(partition).first_kept() > number;
  }
  /// A reader asks with the last number that it has. The report with that number, where it is in the log and durable;
  /// else null.
  [[nodiscard]] const market::OwnerReport* kept(std::size_t partition, market::Sequence number) const;

  std::vector<Partition*> partitions_;
  std::vector<ReportArchive*> archives_;  // empty: there are none
};

}  // namespace dojima::venue
