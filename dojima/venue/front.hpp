#pragma once

// The venue's front: it takes connections, logs users on, hands their commands to the partition of the instrument and
// their reports from the partitions' logs back to their sessions. Overload slows: a session without room for its
// reports lags behind and is not read meanwhile, one whose partition has too many that wait is not read either; only a
// session that does not read is ended. Users who are not logged on miss reports, which stay in the report log.
// docs/venue.md has the rules. No allocation after construction. One thread.
//
// As a source of the loop it only works at the end of each instant, so it must come before the fabric that flushes.
//
//   Front front({.users = users}, scheduler, partitions);
//   fabric.listen({"127.0.0.1", 9001}, front);
//   Loop loop(scheduler, pacer, sources = {&front, &fabric});

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dojima/base/text.hpp"
#include "dojima/link/connection.hpp"
#include "dojima/measure/probe.hpp"
#include "dojima/mit/dialect.hpp"
#include "dojima/mit/reject_codes.hpp"
#include "dojima/mit/server_session.hpp"
#include "dojima/sched/event.hpp"
#include "dojima/sched/loop.hpp"
#include "dojima/sched/scheduler.hpp"
#include "dojima/venue/credentials.hpp"
#include "dojima/venue/front/front_counters.hpp"
#include "dojima/venue/front/front_user.hpp"
#include "dojima/venue/front/report_flow.hpp"
#include "dojima/venue/front/request_marks.hpp"
#include "dojima/venue/instrument_index.hpp"
#include "dojima/venue/partition.hpp"
#include "dojima/venue/threads/partition_threads.hpp"
#include "dojima/venue/user_accounts.hpp"

namespace dojima::venue {

struct FrontConfig {
  std::vector<UserConfig> users;
  std::size_t sessions = 64;  ///< connections at a time; more are refused
  mit::ServerOptions session;
  LogonRules logon;
  PasswordKeeper* passwords = nullptr;  ///< of changed ones; outlives the front. Null: they are gone with it
  AccessKeeper* access = nullptr;       ///< of locks, kill switches and expired passwords; likewise
  PasswordHasher* hasher = nullptr;     ///< outlives the front. Null: passwords are compared and kept as they are
  PartitionThreads* threads = nullptr;  ///< of the same partitions; outlives the front. Null: they have none
  const mit::Dialect* dialect = &mit::lse_21_2::k_dialect;
  std::size_t maximum_lag = 1 << 16;  ///< reports of a partition that a session may be behind; at most a quarter of the
                                      ///< log. `session.stall` is how long it may take nothing of them
  RequestStages stages{};             ///< of the probe
  std::uint32_t marked_one_in = 1;    ///< the probe marks one request in so many, at random; a power of two
};

/// Sends the reports of a day to others than the front's users.
class DayWitness {
 public:
  /// All of the day has been reported, is durable and sent; now the partitions begin the next one. Called again at the
  /// end of every instant until all of them have.
  virtual void on_day_over(Time now) = 0;

 protected:
  ~DayWitness() = default;
};

class Front final : public link::Acceptor,
                    public mit::ServerHandler,
                    public sched::Source,
                    private PartitionThreads::Taker {
 public:
  /// Scheduler entries that a front reserves for `sessions` sessions.
  [[nodiscard]] static constexpr std::size_t timers(std::size_t sessions) noexcept {
    return sessions * mit::ServerSession::k_timers + 1;
  }

  /// At least one partition; each must have been made with the same users, no two with the same instrument. All must
  /// outlive the front. `probe` may be null. Throws std::bad_alloc, std::invalid_argument.
  Front(FrontConfig config, sched::Scheduler& scheduler, std::span<Partition* const> partitions,
        measure::Probe* probe = nullptr);
  ~Front();
  Front(const Front&) = delete;
  Front& operator=(const Front&) = delete;

  /// A free session, or null.
  [[nodiscard]] link::Connection* on_accept(const link::Address& peer) override;

  Duration logon_delay(mit::ServerSession& session, const mit::Logon& logon, Time now) override;
  Duration logon_wait(mit::ServerSession& session, const mit::Logon& logon, Time now) override;
  mit::LogonReply on_logon(mit::ServerSession& session, const mit::Logon& logon, Time now) override;
  void on_new_order(mit::ServerSession& session, market::NewOrder& order, Time now) override;
  void on_replace(mit::ServerSession& session, market::Replace& replace, Time now) override;
  void on_cancel(mit::ServerSession& session, market::Cancel& cancel, Time now) override;
  void on_mass_cancel(mit::ServerSession& session, market::MassCancel& cancel, Time now) override;
  void on_quote(mit::ServerSession& session, market::Quote& quote, Time now) override;
  void on_end(mit::ServerSession& session, market::SessionEnd end, Time now) override;
  void on_free(mit::ServerSession& session, Time now) override;

  [[nodiscard]] Time next_time() override { return time::k_never; }
  std::size_t deliver(Time) override { return 0; }
  /// Sends what may leave. How many reports did.
  std::size_t finish(Time now) override;

  /// By the operator: takes a trade back. `unknown`: no instrument or trade of this number, or it is not kept any more
  /// (VenueLimits::trades); `wrong_state`: it was busted before; `no_room`: its partition takes no command now.
  [[nodiscard]] Result<void> bust_trade(std::uint32_t instrument, std::uint64_t trade, Time now);
  /// By the operator: a trade has another price. Errors: as bust_trade(); `out_of_range`: the price is not above 0;
  /// `wrong_state`: the trade was busted, or has this price.
  [[nodiscard]] Result<void> correct_trade(std::uint32_t instrument, std::uint64_t trade, market::Price price,
                                           Time now);

  /// By the operator: a command of the trading day, a phase, an expiry. It goes to the partition of its instrument, or
  /// to all; `header` must be the beginning of a record of its type. `unknown`: no such instrument; `no_room`: a
  /// partition takes no command now, `got` says which one by its place; those before it have taken it.
  [[nodiscard]] Result<void> operate(market::CommandHeader& header, Time now);
  /// By the operator: cancels orders of a user, of an instrument or all (0). Each is reported to the user, who gets no
  /// answer to a mass cancel. Errors as operate().
  [[nodiscard]] Result<void> cancel_orders(std::uint16_t user, std::uint32_t instrument, Time now);
  /// By the operator: a limit, a kill switch or the end of what is open, of whom and where the command says: it goes to
  /// the partition of its instrument, or to all. Errors: as Partition::complaint(), and then nothing has changed; as
  /// operate().
  [[nodiscard]] Result<void> restrict(market::RiskCommand& command, Time now);
  /// The kill switch of a user: new orders, replaces and quotes are refused, cancels are not; `is_cancelling`: and what
  /// is open is cancelled. `no_room`: it could not be kept, and is as it was. Throws std::out_of_range.
  [[nodiscard]] Result<void> set_killed(std::uint16_t user, bool is_killed, Time now, bool is_cancelling = false);
  /// By the operator: new orders of all users are refused. It ends with the process.
  void set_draining(bool is_draining) noexcept { is_draining_ = is_draining; }
  [[nodiscard]] bool is_draining() const noexcept { return is_draining_; }
  /// The journal of the partition (by place) has refused a command and has no room for orders yet: users have been
  /// told.
  [[nodiscard]] bool is_unavailable(std::size_t partition) const { return is_unavailable_.at(partition) != 0; }
  /// Ends the session of a user; it may log on again. `wrong_state`: it is not logged on.
  [[nodiscard]] Result<void> log_out(std::uint16_t user, std::string_view text);

  /// A caller that reads a partition while an instant's input is delivered, or changes it past the front, calls this
  /// first: what users have asked for until now has been done then, and no other thread is in any partition.
  void settle() const {
    if (config_.threads != nullptr) config_.threads->settle();
  }

  /// Says Logout to everybody who is logged on.
  void logout_all(std::string_view text);

  /// By the operator or the clock: the venue's next day. From now on no session is read and nobody logs on; what has
  /// been reported leaves, then every partition begins its numbers anew (Partition::begin_next_day), all at the end of
  /// an instant as soon as every report is durable and sent, and once that is durable everybody is logged out.
  /// `wrong_state`: it is under way already, or the trading day of an instrument is not over.
  [[nodiscard]] Result<void> end_day(Time now);
  [[nodiscard]] bool is_ending_day() const noexcept { return is_ending_day_; }
  /// Who is notified when a day is over; null: nobody.
  void watch_days(DayWitness* witness) noexcept { day_witness_ = witness; }
  /// The user's session is of the day before the present one: it is about to be logged out.
  [[nodiscard]] bool is_day_over(std::uint16_t user) const { return users_.at(user).is_day_over; }
  /// Days that a venue has had before the present one.
  [[nodiscard]] std::uint64_t day_number() const noexcept { return partitions_.front()->day_number(); }
  /// Which day of which venue it is, for members who log on. The venue is the same as long as its partitions are those
  /// that began when they did (Partition::began), whichever way they came back; nothing is said where one of them does
  /// not know that. Not while a day is being ended, when nobody logs on. O(partitions).
  [[nodiscard]] mit::VenueDay venue_day() const noexcept;

  /// Who the users are, and what they may not do.
  [[nodiscard]] UserAccounts& accounts() noexcept { return accounts_; }
  [[nodiscard]] const UserAccounts& accounts() const noexcept { return accounts_; }
  [[nodiscard]] const FrontCounters& counters() const noexcept { return counters_; }
  [[nodiscard]] bool is_logged_on(std::uint16_t user) const { return users_.at(user).session != nullptr; }
  [[nodiscard]] std::size_t logged_on() const noexcept;
  /// Users that do not read as fast as the partitions report.
  [[nodiscard]] std::size_t lagging() const noexcept;
  /// Reports of the partition that have not been sent to the slowest of these, or to one that waits for durability.
  /// O(users).
  [[nodiscard]] std::uint64_t lag(std::size_t partition) const noexcept { return flow_.lag(partition); }
  /// Reports of all partitions that a user who is logged on has not been sent; 0 of one who keeps up. O(partitions).
  [[nodiscard]] std::uint64_t lag_of(std::uint16_t user) const { return flow_.lag_of(users_.at(user)); }
  /// By the operator: a user in a place that nobody has, or one that was removed, in its own. Its number. Errors:
  /// `out_of_range`: the name; `duplicate`: there is one of this name; `not_supported`: nobody keeps passwords, or
  /// compares what is kept of them; `no_room`: all places are taken, or the wanted one is (`got` is their number), or
  /// as set_locked() (-1).
  [[nodiscard]] Result<std::uint16_t> add_user(const NewUser& user, Time now);
  /// By the operator: the user is none any more. Its session ends, and what it has open is cancelled. `wrong_state`: it
  /// is none; `no_room`: as set_locked(), or a partition takes no command now: then only that is still to be done.
  [[nodiscard]] Result<void> remove_user(std::uint16_t user, Time now);
  /// Where the reports that the user's session has got, or gets, begin in the log of a partition (by place). Of a user
  /// who is logged on.
  [[nodiscard]] Cursor session_begin(std::uint16_t user, std::size_t partition) const;
  /// The number of the first of them.
  [[nodiscard]] market::Sequence session_begin_number(std::uint16_t user, std::size_t partition) const;
  /// How often the user has logged on.
  [[nodiscard]] std::uint64_t logons(std::uint16_t user) const { return users_.at(user).logons; }
  [[nodiscard]] std::size_t free_sessions() const noexcept { return free_.size(); }
  [[nodiscard]] std::size_t users() const noexcept { return users_.size(); }

 private:
  /// Of a trade that counts, and the place of its partition.
  struct TradePlace {
    const TradeRecord* trade;
    std::uint32_t partition;
  };
  [[nodiscard]] Result<TradePlace> find_trade(std::uint32_t instrument, std::uint64_t trade);
  [[nodiscard]] std::size_t route(std::uint32_t instrument) const noexcept;
  [[nodiscard]] bool submit(std::size_t partition, market::CommandHeader& header, Time now);
  [[nodiscard]] bool submit_settled(std::size_t partition, market::CommandHeader& header, Time now);
  [[nodiscard]] bool pass(std::size_t partition, market::CommandHeader& header, Time now);
  void take(std::size_t partition, market::CommandHeader& header, Time now) override;
  void forward(mit::ServerSession& session, market::CommandHeader& header, const Text<20>& client_order_id, Time now);
  void refuse(mit::ServerSession& session, std::uint32_t instrument, const Text<20>& client_order_id,
              std::int32_t code = mit::code::k_partition_suspended);
  [[nodiscard]] bool is_allowed(mit::ServerSession& session, const market::CommandHeader& header,
                                const Text<20>& client_order_id);
  void submit_ends(std::uint16_t user, Time now);
  void note_unavailable(std::size_t partition);
  void say_unavailable();

  // front/front_days.cpp: from one day to the next
  void go_on_to_next_day(Time now);
  [[nodiscard]] bool has_day_left() const noexcept;
  void close_day() noexcept;
  void end_sessions_of_day();
  void catch_up_with_day();

  FrontConfig config_;
  sched::Scheduler& scheduler_;
  std::vector<Partition*> partitions_;
  InstrumentIndex partition_of_instrument_;
  UserAccounts accounts_;
  std::vector<FrontUser> users_;
  std::vector<std::unique_ptr<mit::ServerSession>> sessions_;
  std::vector<mit::ServerSession*> free_;
  std::vector<Text<64>> hosts_;  // of the connection of each session
  bool is_turned_away_ = false;  // the logon at hand: too many wait for their passwords to be compared
  FrontCounters counters_;
  RequestMarks marks_;
  ReportFlow flow_;
  bool is_draining_ = false;
  bool is_ending_day_ = false;
  DayWitness* day_witness_ = nullptr;
  std::uint64_t next_day_ = 0;  // while it is ending: which day every partition is to begin
  bool is_any_end_pending_ = false;
  std::vector<std::uint8_t> is_unavailable_;  // per partition: its journal refused, and has no room for orders yet
  bool is_any_unavailable_ = false;
};

}  // namespace dojima::venue
