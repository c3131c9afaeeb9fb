#pragma once

// Drop copies of a venue: a separate port where a reader gets the execution reports of all users of a firm, as they
// become durable, from any number of the present day on. Served from the report logs of the partitions; what is no
// longer in a log comes from the partition's journal (report_archive.hpp). Nobody waits for a reader: one that does not
// keep up is served from the journal, too, and where there is none it is ended. No allocation after construction, but
// for what comes from a journal. One thread.
//
// As a source of the loop it only works at the end of each instant, so it must come before the fabric that flushes.
//
//   CopyFront copies({.readers = {{.name = "HOUSE-COPY", .password = "Secret#2026", .users = {0, 1, 1}}}},
//                    scheduler, front, partitions);
//   fabric.listen({"127.0.0.1", 9003}, copies);
//   Loop loop(scheduler, pacer, sources = {&front, &copies, &fabric});

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dojima/link/connection.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/recovery_server.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/front.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/recovery/report_archive.hpp"
#include "dojima/venue/recovery/report_port.hpp"

namespace dojima::venue {

/// Who gets copies, and whose.
struct CopyReader {
  std::string name;      ///< 1 to 25 characters, once
  std::string password;  ///< 1 to 25 characters; or, with a hasher, what it has made of one
  UserSet users;         ///< whose reports
  std::string host{};    ///< from where: as link::host_matches(); empty: from anywhere
};

struct CopyFrontConfig {
  std::vector<CopyReader> readers;
  PasswordHasher* hasher = nullptr;  ///< outlives the front. Null: passwords are compared as they are
  std::size_t sessions = 16;         ///< connections at a time; more are refused
  mit::RecoveryOptions session;
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;
  std::uint32_t messages_a_turn = 64;     ///< of each partition to each session, so that matching never waits long
  std::uint32_t reports_a_turn = 16'384;  ///< of a log looked through for them
};

struct CopyCounters {
  std::uint64_t connections = 0;
  std::uint64_t connections_refused = 0;  ///< all sessions taken
  std::uint64_t logons = 0;
  std::uint64_t logons_refused = 0;
  std::uint64_t reports_sent = 0;
  std::uint64_t archived = 0;  ///< times that a journal was asked
  std::uint64_t ended = 0;     ///< sessions behind what is kept
};

class CopyFront final : public ReportPort, public DayWitness {
 public:
  /// `front` with the same partitions, in the same order; it notifies of the days' ends from now on. `archives`: one
  /// for each, or none at all. All must outlive it. Throws std::bad_alloc, std::invalid_argument.
  CopyFront(CopyFrontConfig config, sched::Scheduler& scheduler, Front& front, std::span<Partition* const> partitions,
            std::span<ReportArchive* const> archives = {});
  ~CopyFront();

  /// Connections at present.
  [[nodiscard]] std::size_t connections() const noexcept { return slots_.used(); }
  /// A free session, or null.
  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  mit::LogonReply on_recovery_logon(mit::RecoveryServer& session, const mit::Logon& logon, Time now) override;
  mit::Recovery on_recovery_request(mit::RecoveryServer& session, const mit::MissedMessageRequest& request,
                                    Time now) override;
  std::optional<mit::Recovery> serve_recovery(mit::RecoveryServer& session, Time now) override;
  void on_recovery_free(mit::RecoveryServer& session, Time now) override;
  [[nodiscard]] Duration recovery_logon_delay(mit::RecoveryServer& session, const mit::Logon& logon, Time now) override;

  void on_day_over(Time now) override;

  /// Sends what there is room for. How many sessions have more to be sent at once.
  std::size_t finish(Time now) override;

  [[nodiscard]] const CopyCounters& counters() const noexcept { return counters_; }
  /// Readers that are logged on.
  [[nodiscard]] std::size_t logged_on() const noexcept;

  /// Whose report it is, as the field Counterparty of a copy says it: the user's name, or where that has more than
  /// eleven characters "#" and its number.
  [[nodiscard]] Text<11> owner_text(std::uint16_t user) const;

 private:
  struct Stream;  // a partition that a session follows
  struct Slot;    // a session and its streams

  enum class Progress : std::uint8_t { caught_up, waits, goes_on, has_no_room, is_behind };
  [[nodiscard]] Progress pump(Slot& slot, std::size_t partition, std::uint32_t most);
  [[nodiscard]] Progress pump_archived(Slot& slot, std::size_t partition, std::uint32_t most);
  [[nodiscard]] bool serve(Slot& slot, std::uint32_t most, Time now);
  [[nodiscard]] bool send(Slot& slot, const market::OwnerReport& report);
  [[nodiscard]] bool is_of(const Slot& slot, const market::OwnerReport& report) const noexcept;
  [[nodiscard]] bool is_of_earlier_day(const Slot& slot, std::size_t partition, market::Sequence last) const;
  void abandon(Slot& slot, std::size_t partition);

  CopyFrontConfig config_;
  Front& front_;
  SessionSlots<Slot> slots_;
  CopyCounters counters_;
};

}  // namespace dojima::venue
