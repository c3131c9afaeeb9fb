#pragma once

// One matching partition (AppID) of the venue: its instruments' books, its orders, its users' state, one journal and
// one sequence of reports. `submit` writes a command into the journal and applies it; `apply` does all but the journal,
// so that recovery and replay are the same code. A deterministic state machine: the same commands give the same
// reports and the same digest. docs/venue.md has the rules, the reports and the reasons.
//
// O(log levels) per command and fill; nothing is allocated after construction; every capacity that is used up is a
// clean refusal. One thread.
//
//   Partition partition({.app_id = 1, .instruments = {...}, .users = {...}}, journal);
//   market::NewOrder order = ...;
//   if (!partition.submit(order.header, now)) ...      // the journal is full: nothing happened

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dojima/base/assert.hpp"
#include "dojima/base/error.hpp"
#include "dojima/book/book.hpp"
#include "dojima/journal/journal.hpp"
#include "dojima/market/command.hpp"
#include "dojima/market/instrument.hpp"
#include "dojima/market/report.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/venue/instrument_day.hpp"
#include "dojima/venue/limit_keys.hpp"
#include "dojima/venue/partition_config.hpp"
#include "dojima/venue/partition_sinks.hpp"
#include "dojima/venue/report_log.hpp"
#include "dojima/venue/user_totals.hpp"

namespace dojima {
class StateReader;
class StateWriter;
}  // namespace dojima

namespace dojima::venue {

struct TradeRecord;

using market::Sequence;
using time::Time;

/// Stages of a probe; the probe outlives the partition, or is null: nothing is marked.
struct CommandMarks {
  measure::Probe* probe = nullptr;
  std::uint8_t begun = 0, journaled = 1, applied = 2;
  std::uint32_t one_in = 1;
};

/// What is used of what a partition has room for.
struct PartitionUse {
  std::size_t trades = 0, trades_most = 0;  ///< that can still be busted
  std::size_t limits = 0;                   ///< pairs of user or account and instrument that limits count for
  std::size_t recent_orders = 0;            ///< that duplicates are looked for of
  std::size_t limits_most = 0;              ///< of either
};

class Partition {
 public:
  /// The journal must outlive the partition. Throws std::bad_alloc, std::invalid_argument for a configuration that
  /// makes no sense (app id, an instrument twice, no room for totals, a timetable that does not rise).
  Partition(PartitionConfig config, journal::Journal& journal);
  ~Partition();
  Partition(const Partition&) = delete;
  Partition& operator=(const Partition&) = delete;

  /// Stamps the command with its sequence and `now` (or the time of the command before, if that is later), journals it
  /// and applies it. `header` must be the beginning of a record of its type. no_room: the journal is full;
  /// malformed: no such command type. Then nothing happened. A price that breaks a band makes a command of the
  /// partition's own (docs/trading-day.md): before an order that would trade there, else behind the command.
  [[nodiscard]] Result<Sequence> submit(market::CommandHeader& header, Time now);

  /// The journal has room for a new order. False: it is full, or cannot be written; commands that take risk away may
  /// still be taken (journal::Journal::prepare_essential).
  [[nodiscard]] bool takes_orders();

  /// A hint for callers that have the next commands at hand, out of a journal or of what a turn has brought: what the
  /// first 16 of them will need is fetched into the cache together. Each must be the beginning of a record of its type,
  /// stamped or not. Nothing else changes, whether they come or not. O(commands).
  void prefetch(std::span<const market::CommandHeader* const> next) const noexcept;
  static constexpr std::size_t k_prefetched = 16;
  /// Up to so many live orders the caches have most of it anyway, and fetching costs more than it saves.
  static constexpr std::size_t k_orders_in_caches = std::size_t{1} << 16;

  /// Some orders that a command has begun to end are still there (PartitionConfig::slice).
  [[nodiscard]] bool is_sweeping() const noexcept;
  /// PartitionConfig::slice.
  [[nodiscard]] std::uint32_t slice() const noexcept;
  /// The next slice of them, as a command. Errors: as submit().
  [[nodiscard]] Result<Sequence> sweep(Time now);

  /// Another day of the venue begins, as a command: reports are numbered from 1 again, nobody is logged on, and what
  /// was reported before is not kept any more. Readers that must not lose reports have read all of them, and nothing is
  /// being swept. Errors: as submit().
  [[nodiscard]] Result<Sequence> begin_next_day(Time now);
  /// Days begun before the present one, and when that began; the epoch: it is the first.
  [[nodiscard]] std::uint64_t day_number() const noexcept;
  [[nodiscard]] Time day_began() const noexcept;

  /// Why a limit, a kill switch or a cancel by the operator would change nothing here, for a person. Errors: `unknown`,
  /// `missing`, `out_of_range`, `not_supported`; `wrong_state`: it limits less than is used, which `got` has;
  /// `no_room`.
  [[nodiscard]] Result<void> complaint(const market::RiskCommand& command) const;
  /// Limits that are set, in the order in which whom they are about was limited first; and those that the operator has
  /// taken away, which their configuration does not bring back.
  [[nodiscard]] std::vector<LimitRow> limits() const;
  [[nodiscard]] std::vector<LimitRow> removed_limits() const;
  /// Whether the kill switch of a user, an account or everybody is set.
  [[nodiscard]] bool is_killed(market::LimitOf of, std::uint16_t user = market::k_no_user,
                               const Text<10>& account = {}) const;
  /// Refusals for this reason that owners were told of, by a book or before it, since construction: two of a quote
  /// whose both sides are refused. No state.
  [[nodiscard]] std::uint64_t refused(market::Reason reason) const noexcept;

  /// How much of its room is used beside that of orders. O(1).
  [[nodiscard]] PartitionUse use() const noexcept;

  /// Applies a command that is in a journal already, in the order of its sequence.
  void apply(const market::CommandHeader& header);

  /// Applies a journal record. False: it is no command, nothing happened. The bytes must be aligned to 8.
  [[nodiscard]] bool replay(Bytes record);

  /// The first checkpoint among the commands that this partition did not come to: it does not do what the one did that
  /// wrote the journal.
  [[nodiscard]] std::optional<Sequence> divergence() const noexcept;

  /// Over all state that decides what comes out next. O(capacity).
  [[nodiscard]] std::uint64_t digest() const;

  /// All state, with at most so many of the newest reports: into a partition made from the same configuration it gives
  /// one that answers every command as this one does. Sinks are no state. O(capacity).
  void save(StateWriter& out, std::uint64_t reports = ~std::uint64_t{0}) const;
  /// Into a partition that has had no command. `instruments`: so many of its first ones are in the state, the others
  /// are new. An error: the bytes are no state of such a partition; it is of no use then.
  [[nodiscard]] Result<void> load(StateReader& in, std::size_t instruments = ~std::size_t{0});

  [[nodiscard]] const ReportLog& reports() const noexcept {
    static_cast<void>(*parts_);  // whose guard looks
    return *log_;
  }
  /// ReportLog::keep_from, by who sends them.
  void keep_reports_from(std::uint64_t position) noexcept;
  /// The parts that grow with the number of orders, and the report log.
  [[nodiscard]] std::vector<MemoryPart> memory_parts() const;
  /// Reports of commands up to this one may leave.
  [[nodiscard]] Sequence durable() const;

  /// A probe is called for one submitted command in so many (`one_in`, a power of two), by whoever submits it, with the
  /// command's number: when it has its place, when it is journaled, and when its reports are there. Replays mark
  /// nothing.
  void mark(const CommandMarks& marks) noexcept;

  /// Who sees the books' reports as well from now on, in the order in which they came; until dismissed. Allocates.
  void observe(ReportSink* sink);
  void dismiss(const ReportSink* sink) noexcept;
  /// Who sees the ticker from now on; null: nobody does.
  void show(TickerSink* ticker) noexcept;
  /// The same of the facts of the trading day.
  void publish(FeedSink* feed);
  void dismiss(const FeedSink* feed) noexcept;

  /// The trading day of an instrument; null when it is of no segment with a timetable, or not here.
  [[nodiscard]] const InstrumentDay* day(std::uint32_t instrument) const noexcept;
  /// When the next phase of an instrument is over; time::k_never: none that anybody knows.
  [[nodiscard]] Time day_due() const noexcept;
  /// When the next of its orders expires that are good till a time or date; time::k_never: none does. Orders expire by
  /// commands (market::Expire), which the clock submits (DayClock).
  [[nodiscard]] Time next_expiry() const;
  /// No day has begun yet, or all have ended.
  [[nodiscard]] bool is_between_days() const noexcept;
  /// Midnight of the day that began last; the epoch: none did.
  [[nodiscard]] Time day_midnight() const noexcept;
  /// The earliest of its segments' starts of day, since midnight; 0 without segments.
  [[nodiscard]] Duration first_start_of_day() const noexcept;
  /// Rises whenever a day goes on.
  [[nodiscard]] std::uint64_t day_steps() const noexcept;

  [[nodiscard]] std::uint8_t app_id() const noexcept;
  [[nodiscard]] std::span<const market::Instrument> instruments() const noexcept;
  /// Whether an instrument of this partition is of the segment.
  [[nodiscard]] bool has_segment(std::string_view segment) const noexcept;
  /// The book of an instrument; null when it is not of this partition.
  [[nodiscard]] const book::Book* book(std::uint32_t instrument) const noexcept;
  [[nodiscard]] const UserTotals& totals(std::uint16_t user) const;
  [[nodiscard]] std::uint32_t open_orders(std::uint16_t user) const;
  [[nodiscard]] std::size_t live_orders() const noexcept;
  /// Whose live order that is; none: there is no such order. O(1).
  [[nodiscard]] std::optional<std::uint16_t> owner_of(market::OrderId order) const noexcept;
  /// A trade that the operator can still bust, or has; null: none of this number is kept (VenueLimits::trades).
  [[nodiscard]] const TradeRecord* find_trade(std::uint64_t trade) const noexcept;
  /// The number of the next trade, as reports to both sides and the market data have it.
  [[nodiscard]] std::uint64_t next_trade() const noexcept;
  /// When the first command was applied; the epoch: there was none, or it was loaded from a state that does not say it.
  /// The same whichever way the state came back. No part of digest().
  [[nodiscard]] Time began() const noexcept;
  /// When the last command was applied.
  [[nodiscard]] Time last_time() const noexcept;
  [[nodiscard]] bool is_logged_on(std::uint16_t user) const noexcept;
  [[nodiscard]] std::size_t users() const noexcept;
  /// The last command applied.
  [[nodiscard]] Sequence last_command() const noexcept;

  /// From lend() to take_back() other threads apply commands here (PartitionThreads), each within an Inside. Who else
  /// uses the partition meanwhile fails an assertion, in builds with slow checks.
  void lend() noexcept { parts_.is_lent = true; }
  void take_back() noexcept { parts_.is_lent = false; }
  class Inside;

 private:
  struct Parts;

  /// The parts, and whether this thread may use them.
  class GuardedParts {
   public:
    explicit GuardedParts(std::unique_ptr<Parts> parts) noexcept;
    ~GuardedParts();
    [[nodiscard]] Parts* operator->() const noexcept { return &**this; }
    [[nodiscard]] Parts& operator*() const noexcept {
      DOJIMA_CHECK_SLOW(!is_lent || inside == this, "a partition is used by who has settled, or by its thread", is_lent,
                        static_cast<const void*>(inside), static_cast<const void*>(this));
      return *parts_;
    }
    /// What never changes: anybody, at any time.
    [[nodiscard]] const Parts& fixed() const noexcept { return *parts_; }
    bool is_lent = false;
    static constinit thread_local const GuardedParts* inside;  // whose partition this thread is in

   private:
    std::unique_ptr<Parts> parts_;
  };

  void checkpoint(Time now);
  [[nodiscard]] bool interrupt_before(market::CommandHeader& header, Time now);
  [[nodiscard]] bool interrupt(market::DayCommand interruption, Time now);
  void interrupt_what_broke_its_band(Time now);
  void protect(Time now);
  [[nodiscard]] Result<Sequence> submit_marked(const market::CommandHeader& header, Time now);
  void follow_up(const market::CommandHeader& header, Time now);
  [[nodiscard]] bool process(const market::CommandHeader& header, bool is_journaled);
  [[nodiscard, gnu::always_inline]] bool process_here(const market::CommandHeader& header, bool is_journaled);

  GuardedParts parts_;
  const ReportLog* log_;  // of the parts: senders read it for each report
};

/// This thread uses a lent partition, as its only one.
class Partition::Inside {
 public:
  explicit Inside(const Partition& partition) noexcept { GuardedParts::inside = &partition.parts_; }
  ~Inside() { GuardedParts::inside = nullptr; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

}  // namespace dojima::venue
